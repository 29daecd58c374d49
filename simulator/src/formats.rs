//! Formats of texels, by Vulkan's names and numbers: what bytes they are in memory.

use coopmat_spirv::spirv::ImageFormat;

use crate::numerics::{Format as Float16, Overflow, Rounding};

/// What the bits of a component mean (Vulkan, "Numeric Formats").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// From 0 to 1.
    Unorm,
    /// From -1 to 1.
    Snorm,
    /// From 0 to 1, with more of them near 0; alpha is as in `Unorm`.
    Srgb,
    /// As they are.
    Uint,
    /// With their sign.
    Sint,
    /// Of 16 or 32 bits.
    Float,
}

/// A format: red, green, blue and alpha each as where it begins and how many bits it has, 0 where the format lacks it. A texel is a number whose bytes
/// in memory begin with the lowest.
#[derive(Debug, PartialEq, Eq)]
pub struct Format {
    /// Vulkan's, without `VK_FORMAT_`.
    pub name: &'static str,
    /// `VkFormat`.
    pub vulkan: i32,
    /// What its bits mean.
    pub numbers: Numbers,
    bits: [(u8, u8); 4],
    /// What shaders call it; none of those that no storage image has.
    pub shader: Option<ImageFormat>,
}

const fn format(
    name: &'static str,
    vulkan: i32,
    numbers: Numbers,
    bits: [(u8, u8); 4],
    shader: Option<ImageFormat>,
) -> Format {
    Format { name, vulkan, numbers, bits, shader }
}

const R8: [(u8, u8); 4] = [(0, 8), (0, 0), (0, 0), (0, 0)];
const RG8: [(u8, u8); 4] = [(0, 8), (8, 8), (0, 0), (0, 0)];
const RGBA8: [(u8, u8); 4] = [(0, 8), (8, 8), (16, 8), (24, 8)];
const BGRA8: [(u8, u8); 4] = [(16, 8), (8, 8), (0, 8), (24, 8)];
const RGB10A2: [(u8, u8); 4] = [(0, 10), (10, 10), (20, 10), (30, 2)];
const BGR10A2: [(u8, u8); 4] = [(20, 10), (10, 10), (0, 10), (30, 2)];
const RGB565: [(u8, u8); 4] = [(11, 5), (5, 6), (0, 5), (0, 0)];
const R16: [(u8, u8); 4] = [(0, 16), (0, 0), (0, 0), (0, 0)];
const RG16: [(u8, u8); 4] = [(0, 16), (16, 16), (0, 0), (0, 0)];
const RGBA16: [(u8, u8); 4] = [(0, 16), (16, 16), (32, 16), (48, 16)];
const R32: [(u8, u8); 4] = [(0, 32), (0, 0), (0, 0), (0, 0)];
const RG32: [(u8, u8); 4] = [(0, 32), (32, 32), (0, 0), (0, 0)];
const RGBA32: [(u8, u8); 4] = [(0, 32), (32, 32), (64, 32), (96, 32)];

use ImageFormat as S;
use Numbers::{Float, Sint, Snorm, Srgb, Uint, Unorm};

/// All formats.
pub const FORMATS: &[Format] = &[
    format("R8_UNORM", 9, Unorm, R8, Some(S::R8)),
    format("R8_SNORM", 10, Snorm, R8, Some(S::R8Snorm)),
    format("R8_UINT", 13, Uint, R8, Some(S::R8ui)),
    format("R8_SINT", 14, Sint, R8, Some(S::R8i)),
    format("R8G8_UNORM", 16, Unorm, RG8, Some(S::Rg8)),
    format("R8G8_SNORM", 17, Snorm, RG8, Some(S::Rg8Snorm)),
    format("R8G8_UINT", 20, Uint, RG8, Some(S::Rg8ui)),
    format("R8G8_SINT", 21, Sint, RG8, Some(S::Rg8i)),
    format("R8G8B8A8_UNORM", 37, Unorm, RGBA8, Some(S::Rgba8)),
    format("R8G8B8A8_SNORM", 38, Snorm, RGBA8, Some(S::Rgba8Snorm)),
    format("R8G8B8A8_UINT", 41, Uint, RGBA8, Some(S::Rgba8ui)),
    format("R8G8B8A8_SINT", 42, Sint, RGBA8, Some(S::Rgba8i)),
    format("R8G8B8A8_SRGB", 43, Srgb, RGBA8, None),
    format("A8B8G8R8_UNORM_PACK32", 51, Unorm, RGBA8, Some(S::Rgba8)),
    format("A8B8G8R8_SNORM_PACK32", 52, Snorm, RGBA8, Some(S::Rgba8Snorm)),
    format("A8B8G8R8_UINT_PACK32", 55, Uint, RGBA8, Some(S::Rgba8ui)),
    format("A8B8G8R8_SINT_PACK32", 56, Sint, RGBA8, Some(S::Rgba8i)),
    format("A8B8G8R8_SRGB_PACK32", 57, Srgb, RGBA8, None),
    format("B8G8R8A8_UNORM", 44, Unorm, BGRA8, None),
    format("B8G8R8A8_SRGB", 50, Srgb, BGRA8, None),
    format("R5G6B5_UNORM_PACK16", 4, Unorm, RGB565, None),
    format("A2B10G10R10_UNORM_PACK32", 64, Unorm, RGB10A2, Some(S::Rgb10A2)),
    format("A2B10G10R10_UINT_PACK32", 68, Uint, RGB10A2, Some(S::Rgb10a2ui)),
    format("A2R10G10B10_UNORM_PACK32", 58, Unorm, BGR10A2, None),
    format("R16_UNORM", 70, Unorm, R16, Some(S::R16)),
    format("R16_SNORM", 71, Snorm, R16, Some(S::R16Snorm)),
    format("R16_UINT", 74, Uint, R16, Some(S::R16ui)),
    format("R16_SINT", 75, Sint, R16, Some(S::R16i)),
    format("R16_SFLOAT", 76, Float, R16, Some(S::R16f)),
    format("R16G16_UNORM", 77, Unorm, RG16, Some(S::Rg16)),
    format("R16G16_SNORM", 78, Snorm, RG16, Some(S::Rg16Snorm)),
    format("R16G16_UINT", 81, Uint, RG16, Some(S::Rg16ui)),
    format("R16G16_SINT", 82, Sint, RG16, Some(S::Rg16i)),
    format("R16G16_SFLOAT", 83, Float, RG16, Some(S::Rg16f)),
    format("R16G16B16A16_UNORM", 91, Unorm, RGBA16, Some(S::Rgba16)),
    format("R16G16B16A16_SNORM", 92, Snorm, RGBA16, Some(S::Rgba16Snorm)),
    format("R16G16B16A16_UINT", 95, Uint, RGBA16, Some(S::Rgba16ui)),
    format("R16G16B16A16_SINT", 96, Sint, RGBA16, Some(S::Rgba16i)),
    format("R16G16B16A16_SFLOAT", 97, Float, RGBA16, Some(S::Rgba16f)),
    format("R32_UINT", 98, Uint, R32, Some(S::R32ui)),
    format("R32_SINT", 99, Sint, R32, Some(S::R32i)),
    format("R32_SFLOAT", 100, Float, R32, Some(S::R32f)),
    format("R32G32_UINT", 101, Uint, RG32, Some(S::Rg32ui)),
    format("R32G32_SINT", 102, Sint, RG32, Some(S::Rg32i)),
    format("R32G32_SFLOAT", 103, Float, RG32, Some(S::Rg32f)),
    format("R32G32B32A32_UINT", 107, Uint, RGBA32, Some(S::Rgba32ui)),
    format("R32G32B32A32_SINT", 108, Sint, RGBA32, Some(S::Rgba32i)),
    format("R32G32B32A32_SFLOAT", 109, Float, RGBA32, Some(S::Rgba32f)),
];

/// The format of a name of Vulkan's.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format of a number of `VkFormat`.
pub fn numbered(vulkan: i32) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.vulkan == vulkan)
}

/// A number between 0 and 1 as sRGB has it, and back (Khronos Data Format Specification, "sRGB EOTF").
fn from_srgb(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
}

fn to_srgb(value: f64) -> f64 {
    if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * libm::pow(value, 1.0 / 2.4) - 0.055 }
}

/// The largest number of so many bits.
fn largest(bits: u8) -> u32 {
    u32::MAX >> (32 - u32::from(bits.clamp(1, 32)))
}

impl Format {
    /// Of a texel.
    pub fn bytes(&self) -> u64 {
        let end = self.bits.iter().map(|(at, bits)| u64::from(at + bits)).max();
        end.unwrap_or(0) / 8
    }

    /// Components that it has.
    pub fn channels(&self) -> u8 {
        self.bits.iter().filter(|(_, bits)| *bits > 0).count() as u8
    }

    /// Whether shaders see integers, and whether these have signs.
    pub fn integers(&self) -> Option<bool> {
        match self.numbers {
            Numbers::Uint => Some(false),
            Numbers::Sint => Some(true),
            _ => None,
        }
    }

    /// The word that is 1.
    fn one(&self) -> u32 {
        if self.integers().is_some() { 1 } else { 1f32.to_bits() }
    }

    fn numbers_of(&self, channel: usize) -> Numbers {
        if channel == 3 && self.numbers == Srgb { Unorm } else { self.numbers }
    }

    /// A texel as the simulator has it: what the format lacks is 0, the last component 1.
    pub fn decode(&self, bytes: &[u8]) -> [u32; 4] {
        let mut whole = [0; 16];
        let count = bytes.len().min(16);
        whole[..count].copy_from_slice(&bytes[..count]);
        let whole = u128::from_le_bytes(whole);
        let mut texel = [0, 0, 0, self.one()];
        for (channel, &(at, bits)) in self.bits.iter().enumerate().filter(|(_, (_, bits))| *bits > 0) {
            let word = (whole >> at) as u32 & largest(bits);
            let signed = (word << (32 - u32::from(bits))) as i32 >> (32 - u32::from(bits));
            let part = |value: f64, of: u32| (value / f64::from(of)) as f32;
            texel[channel] = match self.numbers_of(channel) {
                Numbers::Unorm => part(f64::from(word), largest(bits)).to_bits(),
                Numbers::Snorm => part(f64::from(signed), largest(bits - 1)).max(-1.0).to_bits(),
                Numbers::Srgb => (from_srgb(f64::from(word) / f64::from(largest(bits))) as f32).to_bits(),
                Numbers::Uint => word,
                Numbers::Sint => signed as u32,
                Numbers::Float if bits == 16 => Float16::F16.to_f32(u64::from(word)).to_bits(),
                Numbers::Float => word,
            };
        }
        texel
    }

    /// The bytes of a texel. Numbers outside of the format are clamped, integers cut.
    pub fn encode(&self, texel: [u32; 4]) -> Vec<u8> {
        let mut whole = 0u128;
        for (channel, &(at, bits)) in self.bits.iter().enumerate().filter(|(_, (_, bits))| *bits > 0) {
            let word = texel[channel];
            let value = f64::from(f32::from_bits(word));
            // NaN becomes 0.
            let scaled = |value: f64, of: u32| libm::rint(value * f64::from(of)) as i64 as u32;
            let stored = match self.numbers_of(channel) {
                Numbers::Unorm => scaled(value.clamp(0.0, 1.0), largest(bits)),
                Numbers::Snorm => scaled(value.clamp(-1.0, 1.0), largest(bits - 1)),
                Numbers::Srgb => scaled(to_srgb(value.clamp(0.0, 1.0)), largest(bits)),
                Numbers::Uint | Numbers::Sint => word,
                Numbers::Float if bits == 16 => {
                    let value = f32::from_bits(word);
                    Float16::F16.from_f32(value, Rounding::NearestEven, Overflow::Special) as u32
                }
                Numbers::Float => word,
            };
            whole |= u128::from(stored & largest(bits)) << at;
        }
        whole.to_le_bytes()[..self.bytes() as usize].to_vec()
    }

    /// Whether shaders may store into images of the format.
    pub fn is_storage(&self) -> bool {
        self.shader.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_texel_of_a_small_format_is_the_same_after_a_round_trip() {
        for format in FORMATS {
            let bits = format.bytes() * 8;
            let of = |number: u128| number.to_le_bytes()[..format.bytes() as usize].to_vec();
            let step = if bits <= 16 {
                1
            } else {
                (0x0123_4567_89ab_cdef_0123_4567_89ab_u128 % (1 << bits.min(100))) | 1
            };
            let mut number = 0u128;
            for _ in 0..1u32 << bits.min(16) {
                let bytes = of(number);
                number = number.wrapping_add(step);
                let texel = format.decode(&bytes);
                let again = format.decode(&format.encode(texel));
                // Two numbers are -1 in formats with a sign; NaN need not be the same one.
                let same = |(a, b): (&u32, &u32)| {
                    a == b
                        || format.integers().is_none()
                            && f32::from_bits(*a).is_nan()
                            && f32::from_bits(*b).is_nan()
                };
                assert!(texel.iter().zip(&again).all(same), "{} {bytes:?} {texel:?} {again:?}", format.name);
            }
        }
    }

    #[test]
    fn components_are_where_the_name_of_the_format_says() {
        let texel = |format: &str, bytes: &[u8]| named(format).unwrap().decode(bytes);
        assert_eq!(texel("R8G8_UINT", &[1, 2]), [1, 2, 0, 1]);
        assert_eq!(texel("R16_SINT", &[0xff, 0xff]), [u32::MAX, 0, 0, 1]);
        assert_eq!(texel("B8G8R8A8_UNORM", &[255, 0, 0, 0]).map(f32::from_bits), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(texel("R8_SNORM", &[0x80]).map(f32::from_bits), [-1.0, 0.0, 0.0, 1.0]);
        assert_eq!(texel("R16G16_SFLOAT", &[0, 0x3c, 0, 0xc0]).map(f32::from_bits), [1.0, -2.0, 0.0, 1.0]);
        let srgb = texel("R8G8B8A8_SRGB", &[128, 255, 0, 128]).map(f32::from_bits);
        assert!((srgb[0] - 0.215_86).abs() < 1e-5 && srgb[1] == 1.0 && srgb[3] == 128.0 / 255.0, "{srgb:?}");
        assert_eq!(
            named("A2B10G10R10_UINT_PACK32").unwrap().encode([1023, 0, 1, 3]),
            [0xff, 0x03, 0x10, 0xc0]
        );
        assert_eq!(named("R32G32B32A32_SFLOAT").unwrap().bytes(), 16);
    }
}
