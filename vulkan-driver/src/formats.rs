//! Formats of texels as the driver has them: what programs may do with them.

use std::ops::Range;

use ash::vk::{self, FormatFeatureFlags2 as Features};
use coopmat_simulator::formats;
pub use coopmat_simulator::formats::Format;
use coopmat_spirv::spirv::ImageFormat;

use crate::facts::Facts;

/// A format that the driver has.
pub fn find(vulkan: vk::Format) -> Option<&'static Format> {
    formats::numbered(vulkan.as_raw())
}

fn atomics(format: &Format, facts: &Facts) -> bool {
    match format.shader {
        Some(ImageFormat::R32ui | ImageFormat::R32i) => true,
        Some(ImageFormat::R32f) => facts.has("shaderImageFloat32Atomics"),
        _ => false,
    }
}

/// What images of a format may be used for.
pub fn image_features(format: &Format, facts: &Facts) -> Features {
    let mut all = Features::SAMPLED_IMAGE | Features::TRANSFER_SRC | Features::TRANSFER_DST;
    if format.integers().is_none() {
        all |= Features::SAMPLED_IMAGE_FILTER_LINEAR;
    }
    if format.is_storage() {
        all |= Features::STORAGE_IMAGE
            | Features::STORAGE_READ_WITHOUT_FORMAT
            | Features::STORAGE_WRITE_WITHOUT_FORMAT;
    }
    if atomics(format, facts) {
        all |= Features::STORAGE_IMAGE_ATOMIC;
    }
    all
}

/// What views of buffers of a format may be used for.
pub fn buffer_features(format: &Format, facts: &Facts) -> Features {
    let mut all = Features::UNIFORM_TEXEL_BUFFER;
    if format.is_storage() {
        all |= Features::STORAGE_TEXEL_BUFFER
            | Features::STORAGE_READ_WITHOUT_FORMAT
            | Features::STORAGE_WRITE_WITHOUT_FORMAT;
    }
    if atomics(format, facts) {
        all |= Features::STORAGE_TEXEL_BUFFER_ATOMIC;
    }
    all
}

/// The features that the older structures have room for, which is the lower half.
pub fn older(features: Features) -> vk::FormatFeatureFlags {
    const KNOWN: Range<u32> = 0..31;
    let mask = (1u64 << KNOWN.end) - 1;
    vk::FormatFeatureFlags::from_raw((features.as_raw() & mask) as u32)
}

#[cfg(test)]
mod tests {
    use ash::vk;
    use coopmat_simulator::formats::FORMATS;

    #[test]
    fn formats_have_the_numbers_of_their_names() {
        for format in FORMATS {
            assert_eq!(format!("{:?}", vk::Format::from_raw(format.vulkan)), format.name);
        }
    }
}
