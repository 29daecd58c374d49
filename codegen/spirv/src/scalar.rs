//! Scalar types and the bits of their values: integers of all widths, and every float format that SPIR-V knows.
//!
//! A value is its bits, with zeros above the type's width; a `bool` is 0 or 1. Literals of instructions, where narrow signed
//! numbers are extended by their sign (SPIR-V 2.2.1, "Literal"), are made and read here alone.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::Op;

use crate::grammar::FPEncoding;

/// A type that has one number as its value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// 0 or 1.
    Bool,
    /// An integer, in two's complement where it is signed.
    Int {
        /// 1 to 64.
        bits: u32,
        /// What `OpTypeInt` says; operations choose by themselves how they read the bits.
        signed: bool,
    },
    /// A number with a point, in one of the formats.
    Float(Float),
}

/// Formats of floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Float {
    /// IEEE 754 binary16.
    F16,
    /// The upper half of a binary32 (SPV_KHR_bfloat16): 8 bits of exponent, 7 of fraction.
    BF16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// 8 bits with infinities and NaN (SPV_EXT_float8).
    E5M2,
    /// 8 bits with NaN and without infinities (SPV_EXT_float8).
    E4M3,
    /// 6 bits, all of them numbers (SPV_EXT_ocp_microscaling_types).
    E3M2,
    /// 6 bits with the longer fraction, all of them numbers (SPV_EXT_ocp_microscaling_types).
    E2M3,
    /// 4 bits, all of them numbers (SPV_EXT_ocp_microscaling_types).
    E2M1,
    /// A power of two: eight bits of exponent alone.
    UE8M0,
    /// Two's complement with six bits behind the point.
    MxInt8,
}

impl Float {
    /// The width, 4 to 64.
    pub fn bits(self) -> u32 {
        match self {
            Float::F64 => 64,
            Float::F32 => 32,
            Float::F16 | Float::BF16 => 16,
            Float::E5M2 | Float::E4M3 | Float::UE8M0 | Float::MxInt8 => 8,
            Float::E3M2 | Float::E2M3 => 6,
            Float::E2M1 => 4,
        }
    }

    /// Bits of the exponent and of the fraction; nothing for the formats that are no sign, exponent and fraction.
    pub fn parts(self) -> Option<(u32, u32)> {
        Some(match self {
            Float::F64 => (11, 52),
            Float::F32 => (8, 23),
            Float::F16 => (5, 10),
            Float::BF16 => (8, 7),
            Float::E5M2 => (5, 2),
            Float::E4M3 => (4, 3),
            Float::E3M2 => (3, 2),
            Float::E2M3 => (2, 3),
            Float::E2M1 => (2, 1),
            Float::UE8M0 | Float::MxInt8 => return None,
        })
    }

    /// The bits of a number, rounded to the nearest, ties to even. Where a format has no infinity, its greatest number stands
    /// for all that are beyond it.
    pub fn encode(self, value: f64) -> u64 {
        let Some((exponent_bits, fraction_bits)) = self.parts() else {
            return match self {
                Float::UE8M0 => {
                    let exponent = if value > 0.0 { value.log2().round_ties_even() } else { -127.0 };
                    (exponent.clamp(-127.0, 127.0) + 127.0) as u64
                }
                _ => u64::from((value * 64.0).round_ties_even().clamp(-128.0, 127.0) as i8 as u8),
            };
        };
        match self {
            Float::F64 => return value.to_bits(),
            Float::F32 => return u64::from((value as f32).to_bits()),
            _ => {}
        }
        // Whether all exponents but the highest with a full fraction are numbers.
        let finite = matches!(self, Float::E4M3 | Float::E3M2 | Float::E2M3 | Float::E2M1);
        let sign = u64::from(value.is_sign_negative()) << (exponent_bits + fraction_bits);
        let bias = (1i32 << (exponent_bits - 1)) - 1;
        let full = ((1u64 << exponent_bits) - 1) << fraction_bits;
        let greatest = match self {
            Float::E4M3 => full | 0b110,
            _ if finite => full | ((1 << fraction_bits) - 1),
            _ => full,
        };
        if value.is_nan() {
            let has_nan = !finite || self == Float::E4M3;
            return if has_nan { sign | full | ((1 << fraction_bits) - 1) } else { greatest };
        }
        let magnitude = value.abs();
        if magnitude == 0.0 {
            return sign;
        }
        let exponent = (((magnitude.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(1 - bias);
        let unit = 2f64.powi(exponent - fraction_bits as i32);
        let scaled = (magnitude / unit).round_ties_even();
        if !scaled.is_finite() {
            return sign | greatest;
        }
        // With its leading bit the fraction counts one more in the exponent, and so does a carry.
        let bits = scaled as u64 + (((exponent + bias - 1) as u64) << fraction_bits);
        sign | bits.min(greatest)
    }

    /// The number that bits stand for; every number of every format is one of `f64`.
    pub fn decode(self, bits: u64) -> f64 {
        let Some((exponent_bits, fraction_bits)) = self.parts() else {
            return match self {
                Float::UE8M0 if bits & 0xFF == 0xFF => f64::NAN,
                Float::UE8M0 => 2f64.powi((bits & 0xFF) as i32 - 127),
                _ => f64::from(bits as u8 as i8) / 64.0,
            };
        };
        match self {
            Float::F64 => return f64::from_bits(bits),
            Float::F32 => return f64::from(f32::from_bits(bits as u32)),
            _ => {}
        }
        let highest = (1u64 << exponent_bits) - 1;
        let exponent = bits >> fraction_bits & highest;
        let fraction = bits & ((1 << fraction_bits) - 1);
        let bias = (1i32 << (exponent_bits - 1)) - 1;
        let magnitude = match self {
            Float::F16 | Float::BF16 | Float::E5M2 if exponent == highest => {
                if fraction == 0 {
                    f64::INFINITY
                } else {
                    f64::NAN
                }
            }
            Float::E4M3 if exponent == highest && fraction == 0b111 => f64::NAN,
            _ if exponent == 0 => fraction as f64 * 2f64.powi(1 - bias - fraction_bits as i32),
            _ => {
                let whole = fraction | 1 << fraction_bits;
                whole as f64 * 2f64.powi(exponent as i32 - bias - fraction_bits as i32)
            }
        };
        let negative = bits >> (exponent_bits + fraction_bits) & 1 == 1;
        if negative { -magnitude } else { magnitude }
    }

    /// Zero, or a number with a full fraction: no infinity, no NaN, and no denormal, which devices may flush to zero.
    pub fn is_ordinary(self, bits: u64) -> bool {
        let value = self.decode(bits);
        let Some((exponent_bits, fraction_bits)) = self.parts() else { return value.is_finite() };
        let exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
        value.is_finite() && (exponent != 0 || value == 0.0)
    }
}

impl Scalar {
    /// `uint` of GLSL: the type of sizes and indices.
    pub const UINT: Scalar = Scalar::Int { bits: 32, signed: false };

    /// The type that an instruction declares, when it is a scalar of a width and a format that are known.
    pub fn of_type(instruction: &Instruction) -> Option<Scalar> {
        Some(match (instruction.class.opcode, instruction.operands.as_slice()) {
            (Op::TypeBool, _) => Scalar::Bool,
            (Op::TypeInt, [Operand::LiteralBit32(bits @ 1..=64), Operand::LiteralBit32(signed)]) => {
                Scalar::Int { bits: *bits, signed: *signed != 0 }
            }
            (Op::TypeFloat, [Operand::LiteralBit32(bits)]) => Scalar::Float(match bits {
                16 => Float::F16,
                32 => Float::F32,
                64 => Float::F64,
                _ => return None,
            }),
            (Op::TypeFloat, [Operand::LiteralBit32(bits), encoding]) => {
                let float = match FPEncoding::of(encoding)? {
                    FPEncoding::BFloat16KHR => Float::BF16,
                    FPEncoding::Float8E4M3EXT => Float::E4M3,
                    FPEncoding::Float8E5M2EXT => Float::E5M2,
                    FPEncoding::Float6E2M3EXT => Float::E2M3,
                    FPEncoding::Float6E3M2EXT => Float::E3M2,
                    FPEncoding::Float4E2M1EXT => Float::E2M1,
                    FPEncoding::Float8UnsignedE8M0EXT => Float::UE8M0,
                    FPEncoding::MXInt8EXT => Float::MxInt8,
                };
                if float.bits() != *bits {
                    return None;
                }
                Scalar::Float(float)
            }
            _ => return None,
        })
    }

    /// The width, 1 to 64; a `bool` has 1.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Int { bits, .. } => bits,
            Scalar::Float(float) => float.bits(),
        }
    }

    /// The bits within the type's width.
    pub fn mask(self, bits: u64) -> u64 {
        let width = self.bits();
        if width >= 64 { bits } else { bits & ((1 << width) - 1) }
    }

    /// The bits as a number in two's complement of the type's width.
    pub fn sign_extend(self, bits: u64) -> i64 {
        let shift = 64 - self.bits().clamp(1, 64);
        ((bits << shift) as i64) >> shift
    }

    /// The instruction that declares a value: its opcode and operands.
    pub fn constant(self, bits: u64) -> (Op, Vec<Operand>) {
        if self == Scalar::Bool {
            return (if bits == 0 { Op::ConstantFalse } else { Op::ConstantTrue }, Vec::new());
        }
        let literal = match self {
            _ if self.bits() > 32 => Operand::LiteralBit64(bits),
            Scalar::Int { signed: true, .. } => Operand::LiteralBit32(self.sign_extend(bits) as u32),
            _ => Operand::LiteralBit32(self.mask(bits) as u32),
        };
        (Op::Constant, vec![literal])
    }

    /// The value that the operand of `OpConstant` or `OpSpecConstant` stands for.
    pub fn literal(self, operand: &Operand) -> Option<u64> {
        match *operand {
            Operand::LiteralBit32(bits) => Some(self.mask(u64::from(bits))),
            Operand::LiteralBit64(bits) => Some(self.mask(bits)),
            _ => None,
        }
    }

    /// The type's name, as SPIR-V's text has it.
    pub fn name(self) -> String {
        match self {
            Scalar::Bool => "bool".to_owned(),
            Scalar::Int { bits, signed } => format!("{}int{bits}", if signed { "" } else { "u" }),
            Scalar::Float(float) => match float {
                Float::BF16 => "bfloat16".to_owned(),
                Float::E5M2 => "float8_e5m2".to_owned(),
                Float::E4M3 => "float8_e4m3".to_owned(),
                Float::E3M2 => "float6_e3m2".to_owned(),
                Float::E2M3 => "float6_e2m3".to_owned(),
                Float::E2M1 => "float4_e2m1".to_owned(),
                Float::UE8M0 => "float8_ue8m0".to_owned(),
                Float::MxInt8 => "mxint8".to_owned(),
                Float::F16 | Float::F32 | Float::F64 => format!("float{}", float.bits()),
            },
        }
    }

    /// A value for people.
    pub fn show(self, bits: u64) -> String {
        match self {
            Scalar::Bool => (bits != 0).to_string(),
            Scalar::Int { signed: true, .. } => self.sign_extend(bits).to_string(),
            Scalar::Int { .. } => bits.to_string(),
            Scalar::Float(float) => float.decode(bits).to_string(),
        }
    }

    /// The value that a person wrote: `64`, `-1`, `0x40`, `1.5`, `true`. Hexadecimal digits of an integer may fill the type's
    /// width, whatever its sign. The error says what is expected.
    pub fn parse(self, text: &str) -> Result<u64, String> {
        let trimmed = text.trim();
        let name = self.name();
        match self {
            Scalar::Bool => match trimmed {
                "true" | "1" => Ok(1),
                "false" | "0" => Ok(0),
                _ => Err("expected true or false".to_owned()),
            },
            Scalar::Int { bits, signed } => {
                let expected = || format!("expected a number of {name}, such as 64 or 0x40");
                let (negative, digits) = match trimmed.strip_prefix('-') {
                    Some(rest) => (true, rest),
                    None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
                };
                let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
                let digits = hexadecimal.unwrap_or(digits);
                let digits = digits.strip_suffix(['u', 'U']).unwrap_or(digits);
                let radix = if hexadecimal.is_some() { 16 } else { 10 };
                if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
                    return Err(expected());
                }
                let limit = 1i128 << bits;
                let (least, most) = if signed { (-limit / 2, limit / 2 - 1) } else { (0, limit - 1) };
                // What is too long for 128 bits is beyond every type.
                let magnitude = i128::from_str_radix(digits, radix).unwrap_or(i128::MAX);
                let value = if negative { -magnitude } else { magnitude };
                let most_written = if hexadecimal.is_some() && !negative { limit - 1 } else { most };
                if value < least || value > most_written {
                    return Err(format!("{name} holds {least} to {most}"));
                }
                Ok(self.mask(value as u64))
            }
            Scalar::Float(float) => {
                let number = trimmed.strip_suffix(['f', 'F']).filter(|rest| {
                    // `inf` ends with the same letter.
                    rest.ends_with(|last: char| last.is_ascii_digit() || last == '.') && !rest.contains('x')
                });
                let number = number.unwrap_or(trimmed);
                let value = match hexadecimal_float(number) {
                    Some(value) => Some(value),
                    // Read as `f32` right away, so that it is rounded once.
                    None if float == Float::F32 => number.parse::<f32>().ok().map(f64::from),
                    None => number.parse::<f64>().ok(),
                };
                let Some(value) = value else {
                    return Err(format!("expected a number of {name}, such as 1.5 or 0x1.8p+0"));
                };
                let bits = float.encode(value);
                let written_infinite = number.trim_start_matches(['-', '+']).starts_with(['i', 'I']);
                let encoded = float.decode(bits);
                let beyond = if value.is_finite() {
                    let tolerance = value.abs() * 0.5;
                    let vanishes = encoded == 0.0 || value == 0.0;
                    !encoded.is_finite() || (!vanishes && (encoded - value).abs() > tolerance)
                } else if value.is_nan() {
                    !encoded.is_nan()
                } else {
                    !written_infinite || encoded.is_finite()
                };
                if beyond { Err(format!("{name} has no such number")) } else { Ok(bits) }
            }
        }
    }
}

/// `0x1.8p+3`: digits of a fraction and a power of two.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let rest = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"))?;
    let (digits, power) = rest.split_once(['p', 'P'])?;
    let power: i32 = power.parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || all.len() > 15 || !(-2000..=2000).contains(&power) {
        return None;
    }
    let mantissa = u64::from_str_radix(&all, 16).ok()?;
    // In two steps, so that neither power alone is out of range.
    let power = power - 4 * fraction.len() as i32;
    let value = mantissa as f64 * 2f64.powi(power / 2) * 2f64.powi(power - power / 2);
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Scalar = Scalar::Int { bits: 32, signed: true };
    const INT8: Scalar = Scalar::Int { bits: 8, signed: true };
    const UINT64: Scalar = Scalar::Int { bits: 64, signed: false };
    const FLOAT: Scalar = Scalar::Float(Float::F32);
    const HALF: Scalar = Scalar::Float(Float::F16);

    #[test]
    fn numbers_of_every_format_have_their_bits_and_come_back() {
        assert_eq!(Float::F16.encode(1.0), 0x3c00);
        assert_eq!(Float::F16.encode(65504.0), 0x7bff);
        assert_eq!(Float::F16.encode(1e9), 0x7c00);
        assert_eq!(Float::BF16.encode(1.0), 0x3f80);
        assert_eq!(Float::E4M3.encode(448.0), 0x7e);
        assert_eq!(Float::E2M1.encode(6.0), 0b0111);
        for float in
            [Float::F16, Float::BF16, Float::E5M2, Float::E4M3, Float::E3M2, Float::E2M3, Float::E2M1]
        {
            for bits in 0..1u64 << float.bits() {
                let value = float.decode(bits);
                if !value.is_nan() {
                    assert_eq!(float.encode(value), bits, "{float:?} {value}");
                }
            }
        }
        for float in [Float::UE8M0, Float::MxInt8] {
            for bits in 0..255 {
                assert_eq!(float.encode(float.decode(bits)), bits, "{float:?}");
            }
        }
    }

    #[test]
    fn values_are_read_in_the_type_of_the_constant() {
        assert_eq!(INT.parse("-1"), Ok(0xFFFF_FFFF));
        assert_eq!(INT.parse("0xFFFFFFFF"), Ok(0xFFFF_FFFF));
        assert_eq!(INT8.parse("-128"), Ok(0x80));
        assert_eq!(UINT64.parse("0xFFFFFFFFFFFFFFFF"), Ok(u64::MAX));
        assert_eq!(Scalar::UINT.parse("64u"), Ok(64));
        assert_eq!(Scalar::Bool.parse("true"), Ok(1));
        assert_eq!(FLOAT.parse("1.5f"), Ok(0x3fc0_0000));
        assert_eq!(FLOAT.parse("inf"), Ok(0x7f80_0000));
        assert_eq!(HALF.parse("0x1.8p+0"), Ok(0x3e00));
        assert_eq!(HALF.parse("-65504"), Ok(0xfbff));
    }

    #[test]
    fn what_is_outside_the_type_is_told() {
        assert_eq!(INT8.parse("128"), Err("int8 holds -128 to 127".to_owned()));
        assert_eq!(Scalar::UINT.parse("-1"), Err("uint32 holds 0 to 4294967295".to_owned()));
        assert_eq!(
            Scalar::UINT.parse("1.5"),
            Err("expected a number of uint32, such as 64 or 0x40".to_owned())
        );
        assert_eq!(Scalar::Bool.parse("2"), Err("expected true or false".to_owned()));
        assert_eq!(HALF.parse("1e6"), Err("float16 has no such number".to_owned()));
        assert_eq!(FLOAT.parse("1e60"), Err("float32 has no such number".to_owned()));
        assert!(FLOAT.parse("much").is_err());
        assert!(INT.parse("").is_err());
        assert!(INT.parse("9".repeat(80).as_str()).is_err());
    }
}
