//! Literals: GLSL 4.60 sections 4.1.3 and 4.1.4, and the suffixes of the explicit arithmetic types.

use tree_sitter::Node;

use super::Lowerer;
use super::folding::{round_float, wrap_integer};
use crate::diagnostics::codes;
use crate::hir::{Const, Expr, ExprId, ExprKind};
use crate::types::{Scalar, Ty};

/// What an integer literal says.
struct Integer {
    /// `None` when more than 64 bits are needed, or a digit does not belong.
    value: Option<u64>,
    scalar: Scalar,
}

fn parse_integer(text: &str) -> Integer {
    let bytes = text.as_bytes();
    let mut digits = bytes;
    let hexadecimal = bytes.len() > 1 && bytes[0] == b'0' && matches!(bytes[1], b'x' | b'X');
    let (mut unsigned, mut bits) = (false, 32);
    while let [rest @ .., last] = digits {
        match last {
            b'u' | b'U' => unsigned = true,
            b'l' | b'L' => bits = 64,
            b's' | b'S' => bits = 16,
            _ => break,
        }
        digits = rest;
    }
    let (radix, digits) = match digits {
        [b'0', _, rest @ ..] if hexadecimal => (16, rest),
        [b'0', rest @ ..] if !rest.is_empty() => (8, rest),
        all => (10, all),
    };
    let scalar = match (bits, unsigned) {
        (16, false) => Scalar::Int16,
        (16, true) => Scalar::Uint16,
        (64, false) => Scalar::Int64,
        (64, true) => Scalar::Uint64,
        (_, false) => Scalar::Int32,
        (_, true) => Scalar::Uint32,
    };
    let mut value: Option<u64> = (!digits.is_empty()).then_some(0);
    for &digit in digits {
        let digit = char::from(digit).to_digit(radix).map(u64::from);
        value = match (value, digit) {
            (Some(value), Some(digit)) => {
                value.checked_mul(u64::from(radix)).and_then(|value| value.checked_add(digit))
            }
            _ => None,
        };
    }
    // The bits are taken as they are: 0xFFFFFFFF is -1.
    let value = value.filter(|&value| bits == 64 || value >> bits == 0);
    Integer { value, scalar }
}

/// Whether the text has digits, all of its radix (8 and 9 count as decimal here), and one suffix at most.
fn is_number(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let (digits, hexadecimal) = match lower.strip_prefix("0x") {
        Some(digits) => (digits, true),
        None => (lower.as_str(), false),
    };
    let digits =
        ["ul", "us", "u", "l", "s"].iter().find_map(|suffix| digits.strip_suffix(suffix)).unwrap_or(digits);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit() || (hexadecimal && byte.is_ascii_hexdigit()))
}

/// Suffixes of floating-point literals; `f` and none are `float`.
const FLOAT_SUFFIXES: &[(&str, Scalar)] = &[
    ("fue8m0", Scalar::FloatUE8M0),
    ("fmxint8", Scalar::FloatMxInt8),
    ("fe2m1", Scalar::FloatE2M1),
    ("fe3m2", Scalar::FloatE3M2),
    ("fe2m3", Scalar::FloatE2M3),
    ("lf", Scalar::Float64),
    ("LF", Scalar::Float64),
    ("hf", Scalar::Float16),
    ("HF", Scalar::Float16),
    ("bf", Scalar::BFloat16),
    ("BF", Scalar::BFloat16),
    ("f", Scalar::Float32),
    ("F", Scalar::Float32),
];

impl<'a> Lowerer<'a> {
    pub(super) fn int_literal(&mut self, node: Node<'a>) -> ExprId {
        let text = self.node_text(node);
        let range = self.range(node);
        let Integer { value, scalar } = parse_integer(text);
        let ty = match scalar {
            Scalar::Int32 => Ty::INT,
            Scalar::Uint32 => Ty::UINT,
            other => self.types.scalar(other),
        };
        let Some(value) = value else {
            let octal = text.len() > 1
                && text.starts_with('0')
                && text.bytes().any(|byte| matches!(byte, b'8' | b'9'));
            let message = if octal && !text.starts_with("0x") && !text.starts_with("0X") {
                format!("`{text}` starts with 0, so it is octal, where 8 and 9 are no digits")
            } else if !is_number(text) {
                format!("`{text}` is not a number: its digits and its suffix do not belong together")
            } else {
                format!("`{text}` does not fit in the {} bits of `{}`", scalar.bits(), scalar.name())
            };
            self.report(&codes::LITERAL_OUT_OF_RANGE, range, message);
            let constant = Some(Const::Opaque { specialization: false });
            return self.body.exprs.alloc(Expr { kind: ExprKind::Literal, ty, range, constant });
        };
        let constant = Some(Const::Int(wrap_integer(i128::from(value), scalar)));
        self.body.exprs.alloc(Expr { kind: ExprKind::Literal, ty, range, constant })
    }

    pub(super) fn float_literal(&mut self, node: Node<'a>) -> ExprId {
        let text = self.node_text(node);
        let range = self.range(node);
        let (digits, scalar) = FLOAT_SUFFIXES
            .iter()
            .find_map(|&(suffix, scalar)| Some((text.strip_suffix(suffix)?, scalar)))
            .unwrap_or((text, Scalar::Float32));
        // A suffix that is not known may be one of an extension, but an exponent has digits in every language.
        if digits.ends_with(['e', 'E']) {
            let message = format!("`{text}` is not a number: its exponent has no digits");
            self.report(&codes::LITERAL_OUT_OF_RANGE, range, message);
        }
        let ty = if scalar == Scalar::Float32 { Ty::FLOAT } else { self.types.scalar(scalar) };
        // Rounded once: through f32 directly, where f64 in between could round twice.
        let value = if scalar == Scalar::Float32 {
            f64::from(digits.parse::<f32>().unwrap_or(f32::NAN))
        } else {
            round_float(digits.parse::<f64>().unwrap_or(f64::NAN), scalar)
        };
        let constant = Some(Const::Float(value));
        self.body.exprs.alloc(Expr { kind: ExprKind::Literal, ty, range, constant })
    }

    pub(super) fn bool_literal(&mut self, node: Node<'a>) -> ExprId {
        let range = self.range(node);
        let constant = Some(Const::Bool(self.node_text(node) == "true"));
        self.body.exprs.alloc(Expr { kind: ExprKind::Literal, ty: Ty::BOOL, range, constant })
    }

    pub(super) fn string_literal(&mut self, node: Node<'a>) -> ExprId {
        let range = self.range(node);
        let text = self.node_text(node);
        let text = text.strip_prefix('"').unwrap_or(text);
        let text = text.strip_suffix('"').unwrap_or(text);
        let kind = ExprKind::String(text.into());
        self.body.exprs.alloc(Expr { kind, ty: Ty::STRING, range, constant: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_literals_have_the_type_of_their_suffix() {
        let parse = |text| {
            let Integer { value, scalar } = parse_integer(text);
            (value, scalar)
        };
        assert_eq!(parse("42"), (Some(42), Scalar::Int32));
        assert_eq!(parse("0"), (Some(0), Scalar::Int32));
        assert_eq!(parse("017"), (Some(15), Scalar::Int32));
        assert_eq!(parse("0xFFu"), (Some(255), Scalar::Uint32));
        assert_eq!(parse("0xFFFFFFFF"), (Some(0xFFFF_FFFF), Scalar::Int32));
        assert_eq!(parse("0x1FFFFFFFF"), (None, Scalar::Int32));
        assert_eq!(parse("7us"), (Some(7), Scalar::Uint16));
        assert_eq!(parse("70000s"), (None, Scalar::Int16));
        assert_eq!(parse("0xFFFFFFFFFFFFFFFFul"), (Some(u64::MAX), Scalar::Uint64));
        assert_eq!(parse("089"), (None, Scalar::Int32));
        assert_eq!(parse("0x"), (None, Scalar::Int32));
        assert_eq!(parse("0u"), (Some(0), Scalar::Uint32));
        assert!(is_number("0xFEul") && is_number("99999999999") && is_number("70000S"));
        assert!(!is_number("0x") && !is_number("1ab") && !is_number("0xu") && !is_number("1e"));
    }
}
