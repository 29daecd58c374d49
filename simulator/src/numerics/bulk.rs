//! Conversions of whole slices, written without branches so that the compiler vectorises them.

/// Also right for subnormal numbers; the payload of a NaN is kept, so that loading and storing changes nothing.
#[inline(always)]
pub fn f16_to_f32(bits: u16) -> f32 {
    let magnitude = u32::from(bits & 0x7fff);
    // Read as an f32 the exponent is too small by 112; the product is exact.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000);
    let special = if magnitude >= 0x7c00 { 0x7f80_0000 } else { 0 };
    f32::from_bits(scaled.to_bits() | special | u32::from(bits & 0x8000) << 16)
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
    let nan = bits >> 16 | 0x40;
    (if bits & 0x7fff_ffff > 0x7f80_0000 { nan } else { rounded }) as u16
}
