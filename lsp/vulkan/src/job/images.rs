//! Images and samplers of a job, in Vulkan's numbers.

use serde::{Deserialize, Serialize};

use super::Binding;

/// An image, or a buffer of texels: the module says which. One that the shader does not use stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// What messages call it.
    pub name: String,
    /// Where the shader finds it.
    pub bindings: Vec<Binding>,
    /// Width, height and depth of the first level, in texels.
    pub extent: [u32; 3],
    /// Layers, six for each cube.
    pub layers: u32,
    /// A number of `VkFormat`.
    pub format: i32,
    /// Bytes of a texel in this format.
    pub texel: u32,
    /// Numbers of `VkComponentSwizzle` for red, green, blue and alpha. Storage images have each from itself.
    pub components: [i32; 4],
    /// What each level of detail holds before the dispatch, the largest first: rows of texels one after the other, then slices or layers.
    pub levels: Vec<Vec<u8>>,
}

impl Image {
    /// The size of a level; `halved` says in how many directions they get smaller.
    pub(crate) fn extent_of(&self, level: u32, halved: usize) -> [u32; 3] {
        let mut extent = self.extent;
        for length in extent.iter_mut().take(halved) {
            *length = length.checked_shr(level).unwrap_or(0).max(1);
        }
        extent
    }
}

/// How an image is sampled (`VkSamplerCreateInfo`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampler {
    /// What messages call it.
    pub name: String,
    /// Where the shader finds it: by itself, or with its image.
    pub bindings: Vec<Binding>,
    /// Whether filters are linear: where texels are larger, where they are smaller, between levels.
    pub linear: [bool; 3],
    /// Numbers of `VkSamplerAddressMode` for u, v and w.
    pub address_modes: [i32; 3],
    /// Added to the level of detail.
    pub bias: f32,
    /// The smallest and the largest level of detail.
    pub levels: [f32; 2],
    /// What is outside: transparent black, opaque black, opaque white.
    pub border: u8,
    /// Whether coordinates count texels.
    pub unnormalized: bool,
}
