//! Component types: how numbers are written in memory. Everything here goes through 64-bit floats.
//!
//! This is the reference's own arithmetic, which shares nothing with the simulator's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Component {
    /// IEEE 754 binary64.
    F64,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary16.
    F16,
    /// The upper half of an f32.
    Bf16,
    /// 8-bit float with 4 bits of exponent: no infinity.
    E4m3,
    /// 8-bit float with 5 bits of exponent.
    E5m2,
    /// Signed integer of 8 bits.
    S8,
    /// Unsigned integer of 8 bits.
    U8,
    /// Signed integer of 16 bits.
    S16,
    /// Unsigned integer of 16 bits.
    U16,
    /// Signed integer of 32 bits.
    S32,
    /// Unsigned integer of 32 bits.
    U32,
    /// Signed integer of 64 bits.
    S64,
    /// Unsigned integer of 64 bits.
    U64,
}

impl Component {
    /// Every type, in the order of the schema.
    pub const ALL: [Component; 14] = [
        Component::F64,
        Component::F32,
        Component::F16,
        Component::Bf16,
        Component::E4m3,
        Component::E5m2,
        Component::S8,
        Component::U8,
        Component::S16,
        Component::U16,
        Component::S32,
        Component::U32,
        Component::S64,
        Component::U64,
    ];

    /// As recipes write it.
    pub fn name(self) -> &'static str {
        match self {
            Component::F64 => "f64",
            Component::F32 => "f32",
            Component::F16 => "f16",
            Component::Bf16 => "bf16",
            Component::E4m3 => "e4m3",
            Component::E5m2 => "e5m2",
            Component::S8 => "s8",
            Component::U8 => "u8",
            Component::S16 => "s16",
            Component::U16 => "u16",
            Component::S32 => "s32",
            Component::U32 => "u32",
            Component::S64 => "s64",
            Component::U64 => "u64",
        }
    }

    /// The number that Vulkan's VkComponentTypeKHR and the interpretations of cooperative vectors have for it; `bf16` is none of theirs.
    pub fn interpretation(self) -> Option<u32> {
        Some(match self {
            Component::F16 => 0,
            Component::F32 => 1,
            Component::F64 => 2,
            Component::S8 => 3,
            Component::S16 => 4,
            Component::S32 => 5,
            Component::S64 => 6,
            Component::U8 => 7,
            Component::U16 => 8,
            Component::U32 => 9,
            Component::U64 => 10,
            Component::E4m3 => 1_000_491_002,
            Component::E5m2 => 1_000_491_003,
            Component::Bf16 => return None,
        })
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Component::E4m3 | Component::E5m2 | Component::S8 | Component::U8 => 1,
            Component::F16 | Component::Bf16 | Component::S16 | Component::U16 => 2,
            Component::F32 | Component::S32 | Component::U32 => 4,
            Component::F64 | Component::S64 | Component::U64 => 8,
        }
    }

    /// Whether it is an integer, with a sign or without.
    pub fn is_integer(self) -> bool {
        self.float().is_none()
    }

    /// Whether it is an integer with a sign; false of floats.
    pub fn is_signed(self) -> bool {
        matches!(self, Component::S8 | Component::S16 | Component::S32 | Component::S64)
    }

    /// Exponent bits, mantissa bits, whether there are infinities.
    fn float(self) -> Option<(u32, u32, bool)> {
        match self {
            Component::F64 => Some((11, 52, true)),
            Component::F32 => Some((8, 23, true)),
            Component::F16 => Some((5, 10, true)),
            Component::Bf16 => Some((8, 7, true)),
            Component::E4m3 => Some((4, 3, false)),
            Component::E5m2 => Some((5, 2, true)),
            Component::S8
            | Component::U8
            | Component::S16
            | Component::U16
            | Component::S32
            | Component::U32
            | Component::S64
            | Component::U64 => None,
        }
    }

    /// The smallest and the largest integer.
    pub(crate) fn integer_range(self) -> Option<(i128, i128)> {
        if !self.is_integer() {
            return None;
        }
        let bits = self.size() as u32 * 8;
        Some(if self.is_signed() {
            (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        } else {
            (0, (1 << bits) - 1)
        })
    }

    /// Whether a number that somebody wrote can be held: an integer as it is, a float within the range. `exact` is what was written, where that is an integer.
    ///
    /// # Errors
    /// Why not, in words, with the range.
    pub fn holds(self, value: f64, exact: Option<i128>) -> Result<(), String> {
        let name = self.name();
        let shown = exact.map_or_else(|| value.to_string(), |integer| integer.to_string());
        match self.integer_range() {
            Some((lowest, highest)) => {
                if exact.is_none() && value != libm::trunc(value) {
                    return Err(format!("expected an integer ({name}), found {shown}"));
                }
                let integer = exact.unwrap_or(value as i128);
                if !(lowest..=highest).contains(&integer) {
                    return Err(format!("{shown} does not fit {name}, which holds {lowest} to {highest}"));
                }
            }
            None if value.is_finite() && !self.round(value).is_finite() => {
                let largest = self.largest();
                return Err(format!("{shown} does not fit {name}, which holds -{largest} to {largest}"));
            }
            None => {}
        }
        Ok(())
    }

    /// As [`Component::holds`], of an integer that may be written with the bits of the type of the other sign: 4294967295 and -1 are the same.
    pub(crate) fn holds_as_bits(self, value: f64, exact: Option<i128>) -> Result<(), String> {
        let other = match self {
            Component::S8 => Component::U8,
            Component::U8 => Component::S8,
            Component::S16 => Component::U16,
            Component::U16 => Component::S16,
            Component::S32 => Component::U32,
            Component::U32 => Component::S32,
            Component::S64 => Component::U64,
            Component::U64 => Component::S64,
            Component::F64
            | Component::F32
            | Component::F16
            | Component::Bf16
            | Component::E4m3
            | Component::E5m2 => self,
        };
        let held = self.holds(value, exact);
        if held.is_err() && other.holds(value, exact).is_ok() { Ok(()) } else { held }
    }

    /// The largest finite float; of an integer type, the largest integer.
    fn largest(self) -> f64 {
        match (self.float(), self.integer_range()) {
            // Without infinities the largest pattern is NaN.
            (Some((exponent, mantissa, false)), _) => self.decode((1 << (exponent + mantissa)) - 2),
            (Some((exponent, mantissa, true)), _) => self.decode((((1u64 << exponent) - 1) << mantissa) - 1),
            (None, range) => range.map_or(0.0, |(_, highest)| highest as f64),
        }
    }

    /// The number nearest to `value`: floats by rounding to nearest even, integers by dropping the fraction and wrapping
    /// around.
    pub fn encode(self, value: f64) -> u64 {
        match self.float() {
            Some((11, ..)) => value.to_bits(),
            Some((8, 23, _)) => u64::from((value as f32).to_bits()),
            Some((exponent, mantissa, infinities)) => encode_float(value, exponent, mantissa, infinities),
            None => self.wrap_bits(value as i128),
        }
    }

    /// The low bits of an integer.
    pub(crate) fn wrap_bits(self, value: i128) -> u64 {
        let bits = self.size() as u32 * 8;
        (value as u64) & (u64::MAX >> (64 - bits))
    }

    /// Whether floats of 64 bits do not hold all numbers of this type.
    pub(crate) fn is_wide_integer(self) -> bool {
        matches!(self, Component::S64 | Component::U64)
    }

    /// Writes an integer, wrapped around.
    pub(crate) fn write_integer(self, bytes: &mut [u8], at: usize, value: i128) {
        let bits = self.wrap_bits(value).to_le_bytes();
        if let Some(place) = bytes.get_mut(at..at + self.size()) {
            place.copy_from_slice(&bits[..self.size()]);
        }
    }

    /// Reads an integer.
    pub(crate) fn read_integer(self, bytes: &[u8], at: usize) -> Option<i128> {
        let mut bits = [0; 8];
        bits[..self.size()].copy_from_slice(bytes.get(at..at + self.size())?);
        Some(self.decode_integer(u64::from_le_bytes(bits)))
    }

    /// The number that these bits are; integers of 64 bits as the nearest float.
    pub fn decode(self, bits: u64) -> f64 {
        match self.float() {
            Some((11, ..)) => f64::from_bits(bits),
            Some((8, 23, _)) => f64::from(f32::from_bits(bits as u32)),
            Some((exponent, mantissa, infinities)) => decode_float(bits, exponent, mantissa, infinities),
            None => self.decode_integer(bits) as f64,
        }
    }

    fn decode_integer(self, bits: u64) -> i128 {
        let width = self.size() as u32 * 8;
        let bits = bits & (u64::MAX >> (64 - width));
        if self.is_signed() && bits >> (width - 1) == 1 {
            i128::from(bits) - (1 << width)
        } else {
            i128::from(bits)
        }
    }

    /// An integer as this type holds it.
    pub fn wrap(self, value: i128) -> i128 {
        if self.is_integer() { self.decode_integer(self.wrap_bits(value)) } else { value }
    }

    /// The number of this type nearest to `value`.
    pub fn round(self, value: f64) -> f64 {
        self.decode(self.encode(value))
    }

    /// A whole number that grows with the value, one for each number of the type: differences count units in the last place.
    fn ordinal(self, value: f64) -> i128 {
        if self.is_integer() {
            return value as i128;
        }
        let bits = self.encode(value);
        let sign = 1u64 << (self.size() * 8 - 1);
        if bits & sign == 0 { i128::from(bits) } else { -i128::from(bits & !sign) }
    }

    /// How many numbers of the type `b` is away from `a`.
    pub fn ulps(self, a: f64, b: f64) -> f64 {
        if a.is_nan() || b.is_nan() {
            return if a.is_nan() && b.is_nan() { 0.0 } else { f64::INFINITY };
        }
        self.ordinal(a).abs_diff(self.ordinal(b)) as f64
    }

    /// Reads the element that begins at a byte.
    pub fn read(self, bytes: &[u8], at: usize) -> Option<f64> {
        let bytes = bytes.get(at..at.checked_add(self.size())?)?;
        let bits = bytes.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        Some(self.decode(bits))
    }

    /// Writes the element that begins at a byte.
    pub fn write(self, bytes: &mut [u8], at: usize, value: f64) {
        self.write_bits(bytes, at, self.encode(value));
    }

    /// Writes the low bytes of `bits`, little endian, at a byte; nothing where they do not fit.
    pub(crate) fn write_bits(self, bytes: &mut [u8], at: usize, bits: u64) {
        if let Some(target) = bytes.get_mut(at..at.saturating_add(self.size())) {
            target.copy_from_slice(&bits.to_le_bytes()[..self.size()]);
        }
    }
}

/// Rounds to nearest, ties to even. Beyond the largest number: infinity, or NaN where there is none.
fn encode_float(value: f64, exponent_bits: u32, mantissa_bits: u32, infinities: bool) -> u64 {
    let sign = u64::from(value.is_sign_negative()) << (exponent_bits + mantissa_bits);
    let exponent_mask = (1u64 << exponent_bits) - 1;
    let nan = if infinities {
        exponent_mask << mantissa_bits | 1 << (mantissa_bits - 1)
    } else {
        (1 << (exponent_bits + mantissa_bits)) - 1
    };
    if value.is_nan() {
        return nan;
    }
    let beyond = if infinities { exponent_mask << mantissa_bits } else { nan };
    if value.is_infinite() {
        return sign | beyond;
    }
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return sign;
    }
    // Units in the last place at this magnitude; below the smallest normal number they stay the same. Both scalings are exact.
    let exponent = libm::ilogb(magnitude).max(1 - bias);
    let units = libm::rint(libm::scalbn(magnitude, mantissa_bits as i32 - exponent)) as u64;
    // A carry out of the mantissa goes into the exponent by itself.
    let bits = ((exponent + bias - 1) as u64) * (1 << mantissa_bits) + units;
    let largest = if infinities { beyond - 1 } else { nan - 1 };
    if bits > largest { sign | beyond } else { sign | bits }
}

fn decode_float(bits: u64, exponent_bits: u32, mantissa_bits: u32, infinities: bool) -> f64 {
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let exponent_mask = (1u64 << exponent_bits) - 1;
    let exponent = bits >> mantissa_bits & exponent_mask;
    let mantissa = bits & ((1 << mantissa_bits) - 1);
    let negative = bits >> (exponent_bits + mantissa_bits) & 1 == 1;
    let magnitude = if infinities && exponent == exponent_mask {
        if mantissa == 0 { f64::INFINITY } else { f64::NAN }
    } else if !infinities && exponent == exponent_mask && mantissa == (1 << mantissa_bits) - 1 {
        f64::NAN
    } else if exponent == 0 {
        libm::scalbn(mantissa as f64, 1 - bias - mantissa_bits as i32)
    } else {
        libm::scalbn((mantissa | 1 << mantissa_bits) as f64, exponent as i32 - bias - mantissa_bits as i32)
    };
    if negative { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_small_float_comes_back() {
        for component in [Component::F16, Component::Bf16, Component::E4m3, Component::E5m2] {
            for bits in 0..1u64 << (component.size() * 8) {
                let value = component.decode(bits);
                if !value.is_nan() {
                    assert_eq!(component.encode(value), bits, "{component:?} {bits:#x} {value}");
                }
            }
        }
    }

    #[test]
    fn halves_round_to_even() {
        assert_eq!(Component::F16.round(2049.0), 2048.0);
        assert_eq!(Component::F16.round(2051.0), 2052.0);
        assert_eq!(Component::F16.round(65519.0), 65504.0);
        assert_eq!(Component::F16.round(65520.0), f64::INFINITY);
        assert_eq!(Component::F16.round(f64::from_bits(0x3e6f_ffff_ffff_ffff)), 5.960464477539063e-8);
        assert_eq!(Component::F16.round(libm::scalbn(1.0, -25)), 0.0);
        assert_eq!(Component::E4m3.round(448.0), 448.0);
        assert!(Component::E4m3.round(480.0).is_nan());
        assert_eq!(Component::E5m2.round(57344.0), 57344.0);
    }

    #[test]
    fn integers_wrap() {
        assert_eq!(Component::S8.round(200.0), -56.0);
        assert_eq!(Component::U32.round(-1.0), 4294967295.0);
        assert_eq!(Component::S32.wrap(1 << 31), -(1 << 31));
    }

    #[test]
    fn units_in_the_last_place_cross_zero() {
        assert_eq!(Component::F32.ulps(0.0, -0.0), 0.0);
        let tiny = f64::from(f32::from_bits(1));
        assert_eq!(Component::F32.ulps(tiny, -tiny), 2.0);
        assert_eq!(Component::F16.ulps(1.0, 1.0009765625), 1.0);
    }
}
