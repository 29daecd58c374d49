//! Numbers of assembly text: every form that `spirv-as` reads, hexadecimal floats with infinities and NaNs included.

use crate::scalar::{Float, Scalar};

/// A literal number of one word, as instructions take it: no type says how it is read.
pub(super) fn word(text: &str) -> Option<u32> {
    if text.starts_with('-') {
        let value = Scalar::Int { bits: 32, signed: true }.parse(text).ok()?;
        return Some(value as u32);
    }
    if text.starts_with('+') || text.ends_with(['u', 'U']) {
        return None;
    }
    Scalar::UINT.parse(text).ok().map(|value| value as u32)
}

/// The words of a number in a place where anything may stand: an integer that is as long as it needs to be, or a float.
pub(super) fn anything(text: &str) -> Option<Vec<u32>> {
    if let Some(word) = word(text) {
        return Some(vec![word]);
    }
    let long = |signed| Scalar::Int { bits: 64, signed }.parse(text).ok();
    if let Some(bits) = long(text.starts_with('-')) {
        return Some(vec![bits as u32, (bits >> 32) as u32]);
    }
    value(Scalar::Float(Float::F32), text).ok().map(|bits| vec![bits as u32])
}

/// The bits of a number of a type. The error says what is expected.
pub(super) fn value(scalar: Scalar, text: &str) -> Result<u64, String> {
    let Scalar::Float(float) = scalar else { return scalar.parse(text) };
    let digits = text.trim_start_matches('-');
    if !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        || digits.ends_with(['f', 'F']) && !digits.starts_with("0x")
    {
        return Err(format!("expected a number of {}, such as 1.5 or 0x1.8p+0", scalar.name()));
    }
    match highest(float, text) {
        Some(bits) => Ok(bits),
        None => scalar.parse(text),
    }
}

/// A hexadecimal float whose exponent is the highest of its format, which stands for infinities and NaNs in most: its bits.
fn highest(float: Float, text: &str) -> Option<u64> {
    if float == Float::UE8M0 {
        return (text == "0x1p+128").then_some(0xFF);
    }
    let (exponent_bits, fraction_bits) = float.parts()?;
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (1, rest),
        None => (0, text),
    };
    let (digits, power) = rest.strip_prefix("0x")?.split_once('p')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    if whole != "1" || power.parse() != Ok(1i32 << (exponent_bits - 1)) || fraction.len() > 15 {
        return None;
    }
    let length = 4 * fraction.len() as u32;
    let fraction = u64::from_str_radix(fraction, 16).ok()?;
    let fraction = match length >= fraction_bits {
        // Digits that the format has no room for are another number.
        true => {
            let shift = length - fraction_bits;
            (fraction >> shift << shift == fraction).then_some(fraction >> shift)?
        }
        false => fraction << (fraction_bits - length),
    };
    let exponent = (1u64 << exponent_bits) - 1;
    Some((negative << exponent_bits | exponent) << fraction_bits | fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_a_type_are_words() {
        assert_eq!(word("7"), Some(7));
        assert_eq!(word("0xFFFFFFFF"), Some(u32::MAX));
        assert_eq!(word("-1"), Some(u32::MAX));
        assert_eq!(word("4294967296"), None);
        assert_eq!(word("7u"), None);
        assert_eq!(anything("4294967296"), Some(vec![0, 1]));
        assert_eq!(anything("1.5"), Some(vec![0x3fc0_0000]));
        assert_eq!(anything("Function"), None);
    }

    #[test]
    fn floats_may_be_infinite_in_hexadecimal_alone() {
        let half = |text| value(Scalar::Float(Float::F16), text);
        assert_eq!(half("0x1p+16"), Ok(0x7c00));
        assert_eq!(half("-0x1.8p+16"), Ok(0xfe00));
        assert_eq!(half("0x1p-24"), Ok(1));
        assert!(half("65536").is_err());
        assert!(half("inf").is_err());
        assert!(half("1.5f").is_err());
        assert_eq!(value(Scalar::Float(Float::F64), "0x1p+1024"), Ok(0x7ff0_0000_0000_0000));
        assert_eq!(value(Scalar::Float(Float::E4M3), "0x1.cp+8"), Ok(0x7e));
        assert_eq!(value(Scalar::Float(Float::F32), "0x1p-149"), Ok(1));
        assert_eq!(value(Scalar::Float(Float::F32), "0.100000001"), Ok(0x3dcc_cccd));
    }
}
