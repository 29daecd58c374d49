//! Where something lies in a descriptor heap.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Number;

/// Where it lies in a descriptor heap: the index of its descriptor in the resource heap, which counts descriptors of 64 bytes, or a place in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum HeapPlace {
    /// A place in bytes, or the index as a formula of the sizes.
    At(HeapBytes),
    /// The index of its descriptor.
    Index(Number),
}

/// A place in bytes from the start of a heap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HeapBytes {
    /// Its descriptor is here in the resource heap.
    Offset(Number),
    /// The bytes themselves are here in the resource heap, among the descriptors.
    Data(Number),
    /// The bytes themselves are here in the sampler heap.
    SamplerData(Number),
}

/// An image that only a heap knows: its directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum HeapImage {
    /// `[width, channels]`
    #[serde(rename = "1d")]
    One,
    /// `[height, width, channels]`
    #[serde(rename = "2d")]
    Two,
    /// `[depth, height, width, channels]`, or layers.
    #[serde(rename = "3d")]
    Three,
}

impl HeapImage {
    /// Without the channels.
    pub fn directions(self) -> usize {
        match self {
            HeapImage::One => 1,
            HeapImage::Two => 2,
            HeapImage::Three => 3,
        }
    }
}
