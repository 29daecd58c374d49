//! Texels as the formats of images hold them.

use coopmat_spirv::spirv::ImageFormat;

use crate::numerics::words::{bits32, from_half, low_bits, sign_extend, to_half};

/// A texel as the image's format holds it.
pub(crate) fn store_format(format: ImageFormat, texel: [u32; 4]) -> [u32; 4] {
    let float = |f: &dyn Fn(f32) -> f32| texel.map(|word| bits32(f(f32::from_bits(word))));
    let first = |count: usize, texel: [u32; 4], one: u32| {
        let mut out = [0, 0, 0, one];
        out[..count].copy_from_slice(&texel[..count]);
        out
    };
    let one = 1f32.to_bits();
    let half = |f: f32| from_half(to_half(f));
    let unorm = |scale: f32| move |f: f32| libm::rintf(f.clamp(0.0, 1.0) * scale) / scale;
    let snorm = |scale: f32| move |f: f32| libm::rintf(f.clamp(-1.0, 1.0) * scale) / scale;
    let signed = |width: u8| texel.map(|word| sign_extend(word, width));
    let unsigned = |width: u8| texel.map(|word| word & low_bits(width));
    match format {
        ImageFormat::R32f => first(1, texel, one),
        ImageFormat::Rg32f => first(2, texel, one),
        ImageFormat::Rgba16f => float(&half),
        ImageFormat::Rg16f => first(2, float(&half), one),
        ImageFormat::R16f => first(1, float(&half), one),
        ImageFormat::Rgba8 => float(&unorm(255.0)),
        ImageFormat::Rg8 => first(2, float(&unorm(255.0)), one),
        ImageFormat::R8 => first(1, float(&unorm(255.0)), one),
        ImageFormat::Rgba16 => float(&unorm(65535.0)),
        ImageFormat::Rg16 => first(2, float(&unorm(65535.0)), one),
        ImageFormat::R16 => first(1, float(&unorm(65535.0)), one),
        ImageFormat::Rgba8Snorm => float(&snorm(127.0)),
        ImageFormat::Rg8Snorm => first(2, float(&snorm(127.0)), one),
        ImageFormat::R8Snorm => first(1, float(&snorm(127.0)), one),
        ImageFormat::Rgba16Snorm => float(&snorm(32767.0)),
        ImageFormat::Rg16Snorm => first(2, float(&snorm(32767.0)), one),
        ImageFormat::R16Snorm => first(1, float(&snorm(32767.0)), one),
        ImageFormat::Rg32i | ImageFormat::Rg32ui => first(2, texel, 1),
        ImageFormat::R32i | ImageFormat::R32ui => first(1, texel, 1),
        ImageFormat::Rgba16i => signed(16),
        ImageFormat::Rgba8i => signed(8),
        ImageFormat::Rg16i => first(2, signed(16), 1),
        ImageFormat::Rg8i => first(2, signed(8), 1),
        ImageFormat::R16i => first(1, signed(16), 1),
        ImageFormat::R8i => first(1, signed(8), 1),
        ImageFormat::Rgba16ui => unsigned(16),
        ImageFormat::Rgba8ui => unsigned(8),
        ImageFormat::Rg16ui => first(2, unsigned(16), 1),
        ImageFormat::Rg8ui => first(2, unsigned(8), 1),
        ImageFormat::R16ui => first(1, unsigned(16), 1),
        ImageFormat::R8ui => first(1, unsigned(8), 1),
        ImageFormat::Rgb10A2 => {
            let ([red, green, blue, _], [.., alpha]) = (float(&unorm(1023.0)), float(&unorm(3.0)));
            [red, green, blue, alpha]
        }
        ImageFormat::Rgb10a2ui => [10, 10, 10, 2].map(low_bits).map({
            let mut words = texel.into_iter();
            move |mask: u32| words.next().unwrap_or(0) & mask
        }),
        // Four words, and formats that nobody asked for yet.
        _ => texel,
    }
}
