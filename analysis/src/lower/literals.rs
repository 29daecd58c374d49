//! Literals: GLSL 4.60 sections 4.1.3 and 4.1.4, and the suffixes of the explicit arithmetic types.

use std::iter::Peekable;
use std::str::Chars;

use tree_sitter::Node;

use super::Lowerer;
use super::folding::{round_float, wrap_integer};
use crate::diagnostics::codes;
use crate::extensions;
use crate::hir::{Const, Expr, ExprId, ExprKind};
use crate::text::TextRange;
use crate::types::{Scalar, Ty};

/// What an integer literal says.
struct Integer {
    /// `None` when more than 64 bits are needed, or a digit does not belong.
    value: Option<u64>,
    scalar: Scalar,
}

/// Suffixes of integer literals, in lower case; both cases count. `u` is of the core language, the others are of the extensions that bring their types.
const INTEGER_SUFFIXES: &[(&str, Scalar)] = &[
    ("ul", Scalar::Uint64),
    ("us", Scalar::Uint16),
    ("u", Scalar::Uint32),
    ("l", Scalar::Int64),
    ("s", Scalar::Int16),
];

fn parse_integer(text: &str) -> Integer {
    let (digits, suffix) = split_integer(text);
    let scalar = match suffix {
        "" => Some(Scalar::Int32),
        suffix => INTEGER_SUFFIXES
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(suffix))
            .map(|&(_, scalar)| scalar),
    };
    let Some(scalar) = scalar else { return Integer { value: None, scalar: Scalar::Int32 } };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', rest @ ..] if !rest.is_empty() => (8, rest),
        all => (10, all),
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
    let bits = scalar.bits();
    let value = value.filter(|&value| bits == 64 || value >> bits == 0);
    Integer { value, scalar }
}

/// What an `int` or `uint` literal says; `None` for all others, and where it says nothing.
pub(super) fn plain_number(text: &str) -> Option<i128> {
    let Integer { value, scalar } = parse_integer(text);
    let plain = matches!(scalar, Scalar::Int32 | Scalar::Uint32);
    value.filter(|_| plain).map(|value| wrap_integer(i128::from(value), scalar))
}

/// The digits, with `0x`, and what follows them. 8 and 9 count as digits whatever the radix.
fn split_integer(text: &str) -> (&str, &str) {
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let from = if hexadecimal { 2 } else { 0 };
    let belongs = |byte: &u8| byte.is_ascii_digit() || (hexadecimal && byte.is_ascii_hexdigit());
    let digits = text.bytes().skip(from).take_while(belongs).count();
    text.split_at_checked(from + digits).unwrap_or((text, ""))
}

/// Whether the text has digits, and a suffix of integers or none.
fn is_number(text: &str) -> bool {
    let (digits, suffix) = split_integer(text);
    !matches!(digits, "" | "0x" | "0X")
        && (suffix.is_empty() || INTEGER_SUFFIXES.iter().any(|(known, _)| known.eq_ignore_ascii_case(suffix)))
}

/// Suffixes of floating-point literals. GL_EXT_shader_explicit_arithmetic_types, section 4.1.4, takes each letter of `lf` and `hf` in both cases.
const FLOAT_SUFFIXES: &[(&str, Scalar)] = &[
    ("f", Scalar::Float32),
    ("F", Scalar::Float32),
    ("lf", Scalar::Float64),
    ("lF", Scalar::Float64),
    ("Lf", Scalar::Float64),
    ("LF", Scalar::Float64),
    ("hf", Scalar::Float16),
    ("hF", Scalar::Float16),
    ("Hf", Scalar::Float16),
    ("HF", Scalar::Float16),
    ("fe2m1", Scalar::FloatE2M1),
    ("fe3m2", Scalar::FloatE3M2),
    ("fe2m3", Scalar::FloatE2M3),
    ("fue8m0", Scalar::FloatUE8M0),
    ("fmxint8", Scalar::FloatMxInt8),
];

/// The number, with an exponent that has digits, and what follows it.
fn split_float(text: &str) -> (&str, &str) {
    let digits = |from: usize| text.bytes().skip(from).take_while(u8::is_ascii_digit).count();
    let byte = |at: usize| text.as_bytes().get(at).copied();
    let mut end = digits(0);
    if byte(end) == Some(b'.') {
        end += 1;
        end += digits(end);
    }
    if matches!(byte(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(byte(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}

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
                format!("`{text}` starts with 0, so it is octal, and 8 and 9 are not octal digits")
            } else if !is_number(text) {
                format!("`{text}` is not a number: its suffix is invalid")
            } else {
                format!("`{text}` does not fit in the {} bits of `{}`", scalar.bits(), scalar.name())
            };
            self.report(&codes::LITERAL_OUT_OF_RANGE, range, message);
            let constant = Some(Const::Opaque { specialization: false });
            return self.body.exprs.alloc(Expr { kind: ExprKind::Literal, ty, range, constant });
        };
        self.check_suffix(split_integer(text).1, scalar, range);
        let constant = Some(Const::Int(wrap_integer(i128::from(value), scalar)));
        self.body.exprs.alloc(Expr { kind: ExprKind::Literal, ty, range, constant })
    }

    pub(super) fn float_literal(&mut self, node: Node<'a>) -> ExprId {
        let text = self.node_text(node);
        let range = self.range(node);
        let (digits, suffix) = split_float(text);
        let scalar = match suffix {
            "" => Some(Scalar::Float32),
            suffix => FLOAT_SUFFIXES.iter().find(|(known, _)| *known == suffix).map(|&(_, scalar)| scalar),
        };
        let Some(scalar) = scalar else {
            let message = if matches!(suffix, "e" | "E") {
                format!("`{text}` is not a number: its exponent has no digits")
            } else if suffix.eq_ignore_ascii_case("bf") {
                // GL_EXT_bfloat16 has a type and no literals of it.
                format!("`{text}` is not a number: `bfloat16_t` has no suffix, write `bfloat16_t({digits})`")
            } else {
                format!(
                    "`{text}` is not a number: `{suffix}` is not a suffix of floating-point literals, which are `f`, `lf` and `hf`"
                )
            };
            self.report(&codes::LITERAL_OUT_OF_RANGE, range, message);
            let constant = Some(Const::Opaque { specialization: false });
            return self.body.exprs.alloc(Expr { kind: ExprKind::Literal, ty: Ty::FLOAT, range, constant });
        };
        self.check_suffix(suffix, scalar, range);
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

    /// GL_EXT_shader_explicit_arithmetic_types, sections 4.1.3 and 4.1.4: a suffix is there where its type, with its arithmetic, is.
    fn check_suffix(&mut self, suffix: &str, scalar: Scalar, range: TextRange) {
        if matches!(scalar, Scalar::Int32 | Scalar::Uint32 | Scalar::Float32) {
            return;
        }
        let mut known = INTEGER_SUFFIXES.iter().chain(FLOAT_SUFFIXES);
        let Some(&(name, _)) = known.find(|(known, of)| {
            *of == scalar && (*known == suffix || (scalar.is_integer() && known.eq_ignore_ascii_case(suffix)))
        }) else {
            return;
        };
        let Some(id) = extensions::type_(scalar.name()) else { return };
        if self.is_storage_only(scalar) {
            let ty = self.types.scalar(scalar);
            self.storage_only_operation(ty, "a literal of type", range);
        } else {
            self.provider_check(name, extensions::type_by_id(id), range);
        }
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
        let kind = ExprKind::String(unescaped(text).into());
        self.body.exprs.alloc(Expr { kind, ty: Ty::STRING, range, constant: None })
    }
}

/// The characters that the text of a string stands for: its escape sequences are those of GL_EXT_debug_printf, section 3.1.
fn unescaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        let escaped = if next == '\\' { rest.next() } else { None };
        let code = match escaped {
            None => u32::from(next),
            Some('a') => 0x07,
            Some('b') => 0x08,
            Some('t') => 0x09,
            Some('n') => 0x0A,
            Some('v') => 0x0B,
            Some('f') => 0x0C,
            Some('r') => 0x0D,
            Some('x') if rest.peek().is_some_and(char::is_ascii_hexdigit) => {
                number(&mut rest, 16, usize::MAX, 0)
            }
            Some(digit @ '0'..='7') => number(&mut rest, 8, 2, digit.to_digit(8).unwrap_or_default()),
            Some(quoted @ ('\'' | '"' | '?' | '\\')) => u32::from(quoted),
            // No escape sequence of the language.
            Some(other) => {
                result.push(next);
                u32::from(other)
            }
        };
        match char::from_u32(code) {
            // It ends a string of SPIR-V.
            Some('\0') => break,
            // "If the octal or hexadecimal value is greater than 127, then the escape sequence has an undefined value."
            Some(character) if escaped.is_none() || code < 128 || escaped == Some(character) => {
                result.push(character);
            }
            _ => result.push('?'),
        }
    }
    result
}

/// The digits that follow, up to so many of them.
fn number(rest: &mut Peekable<Chars<'_>>, radix: u32, longest: usize, mut value: u32) -> u32 {
    for _ in 0..longest {
        let Some(digit) = rest.peek().and_then(|digit| digit.to_digit(radix)) else { break };
        rest.next();
        value = value.saturating_mul(radix).saturating_add(digit);
    }
    value
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
        assert!(!is_number("5lu") && !is_number("5uu") && !is_number("5hf"));
    }

    #[test]
    fn a_float_ends_before_its_suffix() {
        assert_eq!(split_float("1.0e5x"), ("1.0e5", "x"));
        assert_eq!(split_float("1e-3HF"), ("1e-3", "HF"));
        assert_eq!(split_float(".5lf"), (".5", "lf"));
        assert_eq!(split_float("1.e"), ("1.", "e"));
        assert_eq!(split_float("1.0f0"), ("1.0", "f0"));
    }

    #[test]
    fn strings_have_the_escape_sequences_of_the_extension() {
        assert_eq!(unescaped(r#"a\tb\n \"q\" \'\?\\ %d"#), "a\tb\n \"q\" '?\\ %d");
        // glslang's test of them.
        assert_eq!(unescaped(r"\x41\x000042\x41\x8Z"), "ABA\u{8}Z");
        assert_eq!(unescaped(r"\102\043\44\7\1021Z"), "B#$\u{7}B1Z");
        assert_eq!(unescaped(r"\xFF\400 é\é \q \x"), "?? é\\é \\q \\x");
        assert_eq!(unescaped(r"cut\0off"), "cut");
    }
}
