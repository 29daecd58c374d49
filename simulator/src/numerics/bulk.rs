//! Conversions of whole slices, written without branches so that the compiler vectorises them.

use super::wide::dispatch;
use super::{Format, Overflow, Rounding};

/// Also right for subnormal numbers; the payload of a NaN is kept, so that loading and storing changes nothing.
#[inline(always)]
pub fn f16_to_f32(bits: u16) -> f32 {
    let wide = (i32::from(bits as i16) as u32) << 13;
    let magnitude = wide & 0x0fff_e000;
    // Read as an f32 the exponent is too small by 112; the product is exact.
    let scaled = f32::from_bits(magnitude) * f32::from_bits(0x7780_0000);
    let special = if magnitude >= 0x0f80_0000 { 0x7f80_0000 } else { 0 };
    f32::from_bits(scaled.to_bits() | special | wide & 0x8000_0000)
}

/// Rounded to the nearest, ties to even; the payload of a NaN is kept as far as it fits.
#[inline(always)]
pub fn f32_to_f16(value: f32) -> u16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // The addition carries beyond the largest number into infinity.
    let normal = magnitude.wrapping_add(0xc800_0fff).wrapping_add(magnitude >> 13 & 1) >> 13;
    // 0.5 has the last digit of an f16 that is subnormal: adding it rounds.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let payload = magnitude >> 13 & 0x3ff;
    let nan = 0x7c00 | payload | if payload == 0 { 0x200 } else { 0 };
    let finite = if magnitude < 0x3880_0000 { subnormal } else { normal };
    let finite = if magnitude >= 0x4780_0000 { 0x7c00 } else { finite };
    let result = if magnitude > 0x7f80_0000 { nan } else { finite };
    (result | bits >> 16 & 0x8000) as u16
}

/// The nearest number that an f16 has, as an f32.
#[inline(always)]
pub fn round_to_f16(value: f32) -> f32 {
    f16_to_f32(f32_to_f16(value))
}

/// Rounded to the nearest, ties to even; the payload of a NaN is kept as far as it fits.
#[inline(always)]
pub fn f32_to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    let nan = bits >> 16 | if bits >> 16 & 0x7f == 0 { 0x40 } else { 0 };
    (if bits & 0x7fff_ffff > 0x7f80_0000 { nan } else { rounded }) as u16
}

/// Numbers of a small format, given by their bits in the low part of each byte.
pub fn widen_u8(format: Format, bits: &[u8], values: &mut [f32]) {
    let mut table = [0f32; 256];
    for (bits, value) in table.iter_mut().enumerate() {
        *value = format.to_f32(bits as u64 & ((1 << format.width()) - 1));
    }
    for (value, bits) in values.iter_mut().zip(bits) {
        *value = table[usize::from(*bits)];
    }
}

/// Numbers of a format of 16 bits, as they lie in memory.
pub fn widen_u16(format: Format, bits: &[[u8; 2]], values: &mut [f32]) {
    match format {
        Format::F16 => {
            struct Widen<'a>(&'a [[u8; 2]], &'a mut [f32]);
            impl pulp::NullaryFnOnce for Widen<'_> {
                type Output = ();
                #[inline(always)]
                fn call(self) {
                    for (value, bits) in self.1.iter_mut().zip(self.0) {
                        *value = f16_to_f32(u16::from_le_bytes(*bits));
                    }
                }
            }
            dispatch(Widen(bits, values));
        }
        _ => {
            for (value, bits) in values.iter_mut().zip(bits) {
                *value = format.to_f32(u64::from(u16::from_le_bytes(*bits)));
            }
        }
    }
}

/// The bits of numbers that already are numbers of the format.
pub fn narrow_u16(format: Format, values: &[f32], bits: &mut [u16]) {
    match format {
        Format::F16 => {
            struct Narrow<'a>(&'a [f32], &'a mut [u16]);
            impl pulp::NullaryFnOnce for Narrow<'_> {
                type Output = ();
                #[inline(always)]
                fn call(self) {
                    for (bits, value) in self.1.iter_mut().zip(self.0) {
                        *bits = f32_to_f16(*value);
                    }
                }
            }
            dispatch(Narrow(values, bits));
        }
        _ => {
            for (bits, value) in bits.iter_mut().zip(values) {
                *bits = match format {
                    Format::BF16 => f32_to_bf16(*value),
                    _ => format.from_f32(*value, Rounding::NearestEven, Overflow::Special) as u16,
                };
            }
        }
    }
}

/// Rounds numbers to a format in place, and makes every NaN the one that operations give.
pub fn round_all(format: Format, values: &mut [f32], rounding: Rounding, overflow: Overflow) {
    match (format, rounding, overflow) {
        (Format::F32 | Format::F64, _, Overflow::Special) => canonical(values),
        (Format::F16, Rounding::NearestEven, Overflow::Special) => {
            struct Round<'a>(&'a mut [f32]);
            impl pulp::NullaryFnOnce for Round<'_> {
                type Output = ();
                #[inline(always)]
                fn call(self) {
                    for value in self.0 {
                        let rounded = round_to_f16(*value);
                        *value = if rounded.is_nan() { f32::NAN } else { rounded };
                    }
                }
            }
            dispatch(Round(values));
        }
        (Format::BF16, Rounding::NearestEven, Overflow::Special) => {
            for value in values {
                let rounded = f32::from_bits(u32::from(f32_to_bf16(*value)) << 16);
                *value = if rounded.is_nan() { f32::NAN } else { rounded };
            }
        }
        _ => {
            for value in values {
                *value = format.to_f32(format.from_f32(*value, rounding, overflow));
            }
        }
    }
}

/// Makes every NaN the one that operations give: which NaN a processor gives is not the same everywhere.
pub fn canonical(values: &mut [f32]) {
    struct Canonical<'a>(&'a mut [f32]);
    impl pulp::NullaryFnOnce for Canonical<'_> {
        type Output = ();
        #[inline(always)]
        fn call(self) {
            // Looked for before anything is stored: compilers make masked stores of the loop below, which take some processors longer than
            // the multiply-add that comes before.
            if has_nan(self.0) {
                for value in self.0 {
                    *value = if value.is_nan() { f32::NAN } else { *value };
                }
            }
        }
    }
    dispatch(Canonical(values));
}

/// The largest magnitude is that of a NaN where there is one, and is soon found.
#[inline(always)]
pub(super) fn has_nan(values: &[f32]) -> bool {
    values.iter().map(|value| (value.to_bits() & 0x7fff_ffff) as i32).fold(0, i32::max) > 0x7f80_0000
}

/// As [`canonical`].
pub fn canonical_f64(values: &mut [f64]) {
    for value in values {
        *value = if value.is_nan() { f64::NAN } else { *value };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_f16_both_ways() {
        for bits in 0..=u16::MAX {
            let value = f16_to_f32(bits);
            let expected = Format::F16.to_f64(u64::from(bits));
            assert!(value.is_nan() && expected.is_nan() || f64::from(value).to_bits() == expected.to_bits());
            assert_eq!(f32_to_f16(value), bits);
        }
    }

    /// Around every f16: the number, its neighbours among f32, and the middle to the next f16.
    #[test]
    fn every_edge_of_f16() {
        for bits in 0..0x7c00u16 {
            let low = f16_to_f32(bits);
            let high = if bits == 0x7bff { 65536.0 } else { f16_to_f32(bits + 1) };
            let middle = low + (high - low) / 2.0;
            let near = [low, middle].into_iter().flat_map(|value: f32| {
                let bits = value.to_bits();
                [bits.saturating_sub(1), bits, bits + 1].map(f32::from_bits)
            });
            for value in near.chain([high]) {
                for value in [value, -value] {
                    let expected =
                        Format::F16.from_f64(f64::from(value), Rounding::NearestEven, Overflow::Special);
                    assert_eq!(u64::from(f32_to_f16(value)), expected, "{value:e}");
                }
            }
        }
    }

    #[test]
    fn bfloat16_is_rounded() {
        let mut state = 7u32;
        for _ in 0..100_000 {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            let value = f32::from_bits(state);
            let ours = u64::from(f32_to_bf16(value));
            if value.is_nan() {
                assert!(Format::BF16.to_f64(ours).is_nan());
            } else {
                let expected =
                    Format::BF16.from_f64(f64::from(value), Rounding::NearestEven, Overflow::Special);
                assert_eq!(ours, expected);
            }
        }
    }

    #[test]
    fn slices_are_converted_as_single_numbers() {
        let bits: Vec<u16> = (0..1000).map(|n| n * 65).collect();
        let mut values = vec![0.0; bits.len()];
        let bytes: Vec<[u8; 2]> = bits.iter().map(|bits: &u16| bits.to_le_bytes()).collect();
        widen_u16(Format::F16, &bytes, &mut values);
        let mut back = vec![0; bits.len()];
        narrow_u16(Format::F16, &values, &mut back);
        assert_eq!(back, bits);
        let bits: Vec<u8> = (0..=255).collect();
        let mut values = vec![0.0; 256];
        widen_u8(Format::E4M3, &bits, &mut values);
        assert_eq!(values[0x7e], 448.0);
        assert_eq!(values[0x81], -0.001953125);
    }
}
