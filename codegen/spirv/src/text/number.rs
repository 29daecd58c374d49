//! Numbers as `spirv-dis` writes them: they read back as the same bits.

use std::fmt::Write;

/// The type of a numeric literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Signed(u32),
    Unsigned(u32),
    /// Bits of exponent and of fraction; the sign is one more.
    Float {
        exponent: u32,
        fraction: u32,
    },
    /// A power of two: eight bits of exponent alone.
    PowerOfTwo,
    /// A two's complement number of eight bits in units of 1/64.
    SixtyFourths,
    /// A float type that is not known well enough to be written as a number.
    Bits,
}

impl Number {
    pub const UINT: Number = Number::Unsigned(32);
    pub const FLOAT: Number = Number::Float { exponent: 8, fraction: 23 };
    pub const DOUBLE: Number = Number::Float { exponent: 11, fraction: 52 };
    pub const HALF: Number = Number::Float { exponent: 5, fraction: 10 };
}

pub(super) fn write_number(out: &mut String, number: Number, bits: u64) {
    match number {
        Number::Unsigned(width) => push(out, format_args!("{}", truncate(bits, width))),
        Number::Signed(width) => {
            let shift = 64 - width.clamp(1, 64);
            push(out, format_args!("{}", ((bits << shift) as i64) >> shift));
        }
        Number::FLOAT => {
            let value = f32::from_bits(bits as u32);
            if value.is_normal() || value == 0.0 {
                shortest(out, f64::from(value), 9)
            } else {
                hex_float(out, 8, 23, bits)
            }
        }
        Number::DOUBLE => {
            let value = f64::from_bits(bits);
            if value.is_normal() || value == 0.0 {
                shortest(out, value, 17)
            } else {
                hex_float(out, 11, 52, bits)
            }
        }
        Number::Float { exponent, fraction } => hex_float(out, exponent, fraction, bits),
        Number::PowerOfTwo => push(out, format_args!("0x1p{:+}", (bits & 0xFF) as i64 - 127)),
        Number::SixtyFourths => {
            let value = f64::from(bits as u8 as i8) / 64.0;
            hex_float(out, 11, 52, value.to_bits());
        }
        Number::Bits => push(out, format_args!("!{bits}")),
    }
}

/// Whether `spirv-as` reads what [`write_number`] writes as the same bits. It does not round denormals of the smallest
/// floats (it drops them), nor take the highest value of E8M0 and the lowest of MXInt8.
pub(super) fn reads_back(number: Number, bits: u64) -> bool {
    match number {
        Number::Float { exponent: exponent @ 2..=3, fraction } => {
            bits >> fraction & ((1 << exponent) - 1) != 0 || bits & ((1 << fraction) - 1) == 0
        }
        Number::PowerOfTwo => bits & 0xFF != 0xFF,
        Number::SixtyFourths => bits & 0xFF != 0x80,
        Number::Signed(_) | Number::Unsigned(_) | Number::Float { .. } | Number::Bits => true,
    }
}

fn truncate(bits: u64, width: u32) -> u64 {
    if width >= 64 { bits } else { bits & ((1 << width) - 1) }
}

fn push(out: &mut String, text: std::fmt::Arguments) {
    // Writing into a string does not fail.
    let _ = out.write_fmt(text);
}

/// With so many significant digits, without zeros at the end, as C's `%g`.
fn shortest(out: &mut String, value: f64, digits: usize) {
    let text = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..digits as i32).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        out.push_str(&trim(&format!("{value:.decimals$}")));
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        push(out, format_args!("{}e{sign}{:02}", trim(mantissa), exponent.unsigned_abs()));
    }
}

/// `0x1.8p+3`: exact for every format, infinities and NaNs included, whose exponent is then the highest.
fn hex_float(out: &mut String, exponent_bits: u32, fraction_bits: u32, bits: u64) {
    let sign = bits >> (exponent_bits + fraction_bits) & 1;
    let exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    let nibbles = fraction_bits.div_ceil(4);
    let top = 1u64 << (nibbles * 4);
    let mut fraction = (bits & ((1u64 << fraction_bits) - 1)) << (nibbles * 4 - fraction_bits);
    let bias = (1i64 << exponent_bits.saturating_sub(1)) - 1;
    let is_zero = exponent == 0 && fraction == 0;
    let mut power = if is_zero { 0 } else { exponent as i64 - bias };
    if exponent == 0 && !is_zero {
        // A denormal: move its first one before the point.
        while fraction & (top >> 1) == 0 {
            fraction <<= 1;
            power -= 1;
        }
        fraction = (fraction << 1) & (top - 1);
    }
    out.push_str(if sign == 1 { "-0x" } else { "0x" });
    out.push(if is_zero { '0' } else { '1' });
    let mut digits = nibbles;
    while digits > 0 && fraction & 0xF == 0 {
        fraction >>= 4;
        digits -= 1;
    }
    if digits > 0 {
        push(out, format_args!(".{fraction:0width$x}", width = digits as usize));
    }
    push(out, format_args!("p{power:+}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(number: Number, bits: u64) -> String {
        let mut out = String::new();
        write_number(&mut out, number, bits);
        out
    }

    #[test]
    fn floats_read_back_as_the_same_bits() {
        let float = |value: f32| written(Number::FLOAT, u64::from(value.to_bits()));
        assert_eq!(float(0.5), "0.5");
        assert_eq!(float(0.1), "0.100000001");
        assert_eq!(float(-1e30), "-1.00000002e+30");
        assert_eq!(float(1048576.0), "1048576");
        assert_eq!(float(1e-7), "1.00000001e-07");
        assert_eq!(float(-0.0), "-0");
        assert_eq!(float(f32::NEG_INFINITY), "-0x1p+128");
        assert_eq!(float(f32::from_bits(1)), "0x1p-149");
        assert_eq!(written(Number::DOUBLE, 0.1f64.to_bits()), "0.10000000000000001");
    }

    #[test]
    fn small_floats_are_hexadecimal() {
        assert_eq!(written(Number::HALF, 0x3C00), "0x1p+0");
        assert_eq!(written(Number::HALF, 0x3E00), "0x1.8p+0");
        assert_eq!(written(Number::HALF, 0x0001), "0x1p-24");
        assert_eq!(written(Number::HALF, 0x8000), "-0x0p+0");
        assert_eq!(written(Number::HALF, 0x7C00), "0x1p+16");
        assert_eq!(written(Number::PowerOfTwo, 0), "0x1p-127");
        assert_eq!(written(Number::SixtyFourths, 0x81), "-0x1.fcp+0");
    }

    #[test]
    fn integers_take_the_sign_of_their_type() {
        assert_eq!(written(Number::Signed(32), 0xFFFF_FFFF), "-1");
        assert_eq!(written(Number::Signed(8), 0xFFFF_FF80), "-128");
        assert_eq!(written(Number::Unsigned(16), 0xFFFF), "65535");
        assert_eq!(written(Number::Signed(64), u64::MAX), "-1");
    }
}
