//! Floating-point formats: their bits as numbers, and numbers rounded to their bits.

/// A floating-point format that a scalar or a matrix component can have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    /// IEEE 754 binary64.
    F64,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary16.
    F16,
    /// SPV_KHR_bfloat16.
    BF16,
    /// SPV_EXT_float8: 4 bits of exponent, no infinity; only `S.1111.111` is NaN.
    E4M3,
    /// SPV_EXT_float8: 5 bits of exponent, infinity and NaN as in IEEE 754.
    E5M2,
    /// OCP microscaling, 6 bits: neither infinity nor NaN.
    E2M3,
    /// OCP microscaling, 6 bits: neither infinity nor NaN.
    E3M2,
    /// OCP microscaling, 4 bits: neither infinity nor NaN.
    E2M1,
    /// OCP microscaling: a power of two from 2^-127 to 2^127, without sign or zero; `0xff` is NaN.
    UE8M0,
    /// OCP microscaling: two's complement with 6 bits after the point.
    MxInt8,
}

/// Where a value goes that lies between two numbers of a format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Rounding {
    /// `RTE`: to the nearest, ties to the one with an even last digit.
    #[default]
    NearestEven,
    /// `RTZ`.
    TowardZero,
    /// `RTP`.
    TowardPositive,
    /// `RTN`.
    TowardNegative,
}

/// What becomes of a value beyond a format's largest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Overflow {
    /// What the format has for it: infinity (IEEE formats, unless the rounding mode points back), NaN (E4M3, UE8M0), the
    /// largest number where it has neither.
    #[default]
    Special,
    /// `SaturatedToLargestFloat8NormalConversionEXT`: the largest number of the same sign, for infinities too. NaN stays NaN.
    Saturate,
}

/// What happens to numbers below a format's smallest normal one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Denormals {
    /// They stay.
    #[default]
    Preserve,
    /// They become zero of the same sign.
    Flush,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Specials {
    /// The largest exponent is kept for infinity and NaN.
    Ieee,
    /// All ones are NaN, every other pattern is a number.
    NanOnly,
    None,
}

impl Format {
    /// Every format, the widest first.
    pub const ALL: [Format; 11] = [
        Format::F64,
        Format::F32,
        Format::F16,
        Format::BF16,
        Format::E4M3,
        Format::E5M2,
        Format::E2M3,
        Format::E3M2,
        Format::E2M1,
        Format::UE8M0,
        Format::MxInt8,
    ];

    /// Bits of a value.
    pub fn width(self) -> u32 {
        match self {
            Format::F64 => 64,
            Format::F32 => 32,
            Format::F16 | Format::BF16 => 16,
            Format::E4M3 | Format::E5M2 | Format::UE8M0 | Format::MxInt8 => 8,
            Format::E2M3 | Format::E3M2 => 6,
            Format::E2M1 => 4,
        }
    }

    /// Explicit bits of the significand.
    pub fn mantissa_bits(self) -> u32 {
        match self {
            Format::F64 => 52,
            Format::F32 => 23,
            Format::F16 => 10,
            Format::BF16 => 7,
            Format::E4M3 | Format::E2M3 => 3,
            Format::E5M2 | Format::E3M2 => 2,
            Format::E2M1 => 1,
            Format::UE8M0 => 0,
            Format::MxInt8 => 6,
        }
    }

    fn bias(self) -> i32 {
        match self {
            Format::F64 => 1023,
            Format::F32 | Format::BF16 | Format::UE8M0 => 127,
            Format::F16 | Format::E5M2 => 15,
            Format::E4M3 => 7,
            Format::E3M2 => 3,
            Format::E2M3 | Format::E2M1 => 1,
            Format::MxInt8 => 0,
        }
    }

    /// The exponent of the smallest normal number, which subnormal ones share.
    pub(crate) fn lowest_exponent(self) -> i32 {
        1 - self.bias()
    }

    fn specials(self) -> Specials {
        match self {
            Format::F64 | Format::F32 | Format::F16 | Format::BF16 | Format::E5M2 => Specials::Ieee,
            Format::E4M3 | Format::UE8M0 => Specials::NanOnly,
            Format::E2M3 | Format::E3M2 | Format::E2M1 | Format::MxInt8 => Specials::None,
        }
    }

    fn sign_bit(self) -> u64 {
        match self {
            Format::UE8M0 => 0,
            _ => 1 << (self.width() - 1),
        }
    }

    /// The bits of the largest number.
    pub(crate) fn largest_bits(self) -> u64 {
        match self {
            Format::MxInt8 => 0x7f,
            Format::UE8M0 => 0xfe,
            _ => {
                let magnitude = self.sign_bit() - 1;
                match self.specials() {
                    Specials::Ieee => magnitude - (1 << self.mantissa_bits()),
                    Specials::NanOnly => magnitude - 1,
                    Specials::None => magnitude,
                }
            }
        }
    }

    /// The one NaN that operations give; formats without NaN give their largest number, as NVIDIA's conversions do.
    pub(crate) fn nan_bits(self) -> u64 {
        match self.specials() {
            Specials::Ieee => self.infinity_bits() | 1 << (self.mantissa_bits() - 1),
            Specials::NanOnly if self == Format::UE8M0 => 0xff,
            Specials::NanOnly => self.sign_bit() - 1,
            Specials::None => self.largest_bits(),
        }
    }

    fn infinity_bits(self) -> u64 {
        self.largest_bits() + 1
    }

    /// The number that these bits are; every format but `F64` fits into `f32` exactly.
    pub fn to_f64(self, bits: u64) -> f64 {
        match self {
            Format::F64 => return f64::from_bits(bits),
            Format::F32 => return f64::from(f32::from_bits(bits as u32)),
            Format::UE8M0 => {
                let exponent = bits & 0xff;
                return if exponent == 0xff { f64::NAN } else { power_of_two(exponent as i32 - 127) };
            }
            Format::MxInt8 => return f64::from(bits as u8 as i8) / 64.0,
            _ => {}
        }
        let sign = if bits & self.sign_bit() != 0 { -1.0 } else { 1.0 };
        let magnitude = bits & (self.sign_bit() - 1);
        if magnitude > self.largest_bits() {
            let infinite = self.specials() == Specials::Ieee && magnitude == self.infinity_bits();
            return if infinite { sign * f64::INFINITY } else { f64::NAN };
        }
        let exponent = (magnitude >> self.mantissa_bits()) as i32;
        let mantissa = magnitude & ((1 << self.mantissa_bits()) - 1);
        let (significand, exponent) = match exponent {
            0 => (mantissa, self.lowest_exponent()),
            _ => (mantissa | 1 << self.mantissa_bits(), exponent - self.bias()),
        };
        sign * significand as f64 * power_of_two(exponent - self.mantissa_bits() as i32)
    }

    /// As [`Format::to_f64`], for formats that `f32` holds; `F64` is rounded.
    pub fn to_f32(self, bits: u64) -> f32 {
        match self {
            Format::F32 => f32::from_bits(bits as u32),
            Format::F16 => super::bulk::f16_to_f32(bits as u16),
            Format::BF16 => f32::from_bits((bits as u32) << 16),
            _ => self.to_f64(bits) as f32,
        }
    }

    /// The bits of a number, rounded once.
    pub fn from_f64(self, value: f64, rounding: Rounding, overflow: Overflow) -> u64 {
        if value.is_nan() {
            return self.nan_bits();
        }
        let bits = value.to_bits();
        let negative = bits >> 63 != 0;
        if value.is_infinite() {
            return self.beyond(negative, overflow, true);
        }
        let fraction = bits & ((1 << 52) - 1);
        let (significand, exponent) = match (bits >> 52) & 0x7ff {
            0 => (fraction, -1074),
            biased => (fraction | 1 << 52, biased as i32 - 1075),
        };
        self.round(Parts { negative, significand, exponent, sticky: false }, rounding, overflow)
    }

    /// As [`Format::from_f64`], of a number that is an `f32`.
    pub fn from_f32(self, value: f32, rounding: Rounding, overflow: Overflow) -> u64 {
        match (self, rounding, overflow) {
            (Format::F32, ..)
                if !(value.is_nan() || value.is_infinite() && overflow == Overflow::Saturate) =>
            {
                u64::from(value.to_bits())
            }
            (Format::F16, Rounding::NearestEven, Overflow::Special) if !value.is_nan() => {
                u64::from(super::bulk::f32_to_f16(value))
            }
            _ => self.from_f64(f64::from(value), rounding, overflow),
        }
    }

    /// The bits of an integer, given as sign and magnitude.
    pub(crate) fn of_integer(self, negative: bool, magnitude: u64, rounding: Rounding) -> u64 {
        self.round(
            Parts { negative, significand: magnitude, exponent: 0, sticky: false },
            rounding,
            Overflow::Special,
        )
    }

    /// What stands for a value beyond the largest number.
    fn beyond(self, negative: bool, overflow: Overflow, infinite: bool) -> u64 {
        let sign = if negative { self.sign_bit() } else { 0 };
        if negative && self == Format::UE8M0 {
            return if overflow == Overflow::Saturate { 0 } else { self.nan_bits() };
        }
        if self == Format::MxInt8 {
            return if negative { 0x80 } else { 0x7f };
        }
        match (overflow, self.specials()) {
            (Overflow::Saturate, _) | (Overflow::Special, Specials::None) => sign | self.largest_bits(),
            (Overflow::Special, Specials::Ieee) => sign | self.infinity_bits(),
            (Overflow::Special, Specials::NanOnly) => {
                let _ = infinite;
                self.nan_bits()
            }
        }
    }

    /// Rounds a number of any precision to this format.
    pub(crate) fn round(self, parts: Parts, rounding: Rounding, overflow: Overflow) -> u64 {
        let Parts { negative, .. } = parts;
        if self == Format::UE8M0 && negative && parts.significand != 0 {
            return self.beyond(true, overflow, false);
        }
        if self == Format::MxInt8 {
            return self.round_fixed(parts, rounding);
        }
        let sign = if negative { self.sign_bit() } else { 0 };
        if parts.significand == 0 {
            // What is left of a number too small to have digits.
            let up = parts.sticky && rounding.away(negative, false, false, true);
            return sign | u64::from(up && self != Format::UE8M0);
        }
        // The leading digit at bit 63, worth 2^exponent.
        let zeros = parts.significand.leading_zeros();
        let significand = parts.significand << zeros;
        let exponent = parts.exponent + 63 - zeros as i32;
        let mantissa_bits = self.mantissa_bits() as i32;
        let lowest = if self == Format::UE8M0 { -127 } else { self.lowest_exponent() };
        let below = (lowest - exponent).max(0);
        // How many digits stay, which is none or fewer than none for the smallest.
        let digits = mantissa_bits + 1 - below;
        let kept = keep(significand, digits, parts.sticky);
        let up = rounding.away(negative, kept.value & 1 != 0, kept.half, kept.rest);
        let rounded = kept.value + u64::from(up);
        let base = match self {
            Format::UE8M0 => {
                // The significand is 1, or 2 where it was carried; below the smallest, 0 or 1.
                let biased = exponent.max(-127) + 126;
                let bits = (biased as u64).wrapping_add(rounded.max(1)) & 0x1ff;
                return if bits > self.largest_bits() { self.beyond(false, overflow, false) } else { bits };
            }
            _ if below > 0 => 0,
            _ => ((exponent - lowest) as u64) << mantissa_bits,
        };
        let magnitude = base + rounded;
        if magnitude > self.largest_bits() {
            let toward_largest = match rounding {
                Rounding::NearestEven => false,
                Rounding::TowardZero => true,
                Rounding::TowardPositive => negative,
                Rounding::TowardNegative => !negative,
            };
            if toward_largest && self.specials() == Specials::Ieee {
                return sign | self.largest_bits();
            }
            return self.beyond(negative, overflow, false);
        }
        sign | magnitude
    }

    fn round_fixed(self, parts: Parts, rounding: Rounding) -> u64 {
        let limit = if parts.negative { 128 } else { 127 };
        if parts.significand == 0 {
            return 0;
        }
        let zeros = parts.significand.leading_zeros();
        let exponent = parts.exponent + 63 - zeros as i32;
        if exponent >= 2 {
            return self.beyond(parts.negative, Overflow::Saturate, false);
        }
        let kept = keep(parts.significand << zeros, exponent + 7, parts.sticky);
        let up = rounding.away(parts.negative, kept.value & 1 != 0, kept.half, kept.rest);
        let magnitude = (kept.value + u64::from(up)).min(limit);
        (if parts.negative { magnitude.wrapping_neg() } else { magnitude }) & 0xff
    }

    /// The bits with a subnormal number made zero of its sign.
    pub fn flush(self, bits: u64) -> u64 {
        if matches!(self, Format::UE8M0 | Format::MxInt8) {
            return bits;
        }
        let magnitude = bits & (self.sign_bit() - 1);
        if magnitude >> self.mantissa_bits() == 0 { bits & self.sign_bit() } else { bits }
    }

    /// `value` rounded to this format, as a number again.
    pub fn nearest(self, value: f64, rounding: Rounding) -> f64 {
        self.to_f64(self.from_f64(value, rounding, Overflow::Special))
    }
}

impl Rounding {
    /// Whether the magnitude goes up by one in the last digit; `half`: the first dropped digit, `rest`: any other one.
    fn away(self, negative: bool, odd: bool, half: bool, rest: bool) -> bool {
        match self {
            Rounding::NearestEven => half && (rest || odd),
            Rounding::TowardZero => false,
            Rounding::TowardPositive => !negative && (half || rest),
            Rounding::TowardNegative => negative && (half || rest),
        }
    }
}

/// A number of any precision: `significand * 2^exponent`, a little more in magnitude where `sticky`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub negative: bool,
    pub significand: u64,
    pub exponent: i32,
    pub sticky: bool,
}

struct Kept {
    value: u64,
    half: bool,
    rest: bool,
}

/// The first `digits` bits of a significand whose leading digit is bit 63, and what was dropped.
fn keep(significand: u64, digits: i32, sticky: bool) -> Kept {
    match 64 - digits {
        ..=0 => Kept { value: significand, half: false, rest: sticky },
        shift @ 1..=63 => Kept {
            value: significand >> shift,
            half: significand >> (shift - 1) & 1 != 0,
            rest: sticky || significand & ((1 << (shift - 1)) - 1) != 0,
        },
        64 => Kept { value: 0, half: true, rest: sticky || significand << 1 != 0 },
        _ => Kept { value: 0, half: false, rest: true },
    }
}

/// 2^exponent, for exponents of `f64`, subnormal ones too.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        -1022..=1023 => f64::from_bits(((exponent + 1023) as u64) << 52),
        -1074..=-1023 => f64::from_bits(1 << (exponent + 1074)),
        1024.. => f64::INFINITY,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests;
