//! Samplers, by the names that Vulkan has for their parts (`VkSamplerCreateInfo`).

use coopmat_simulator as simulator;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How images are sampled where this is bound. What is left out is as in Vulkan's structure of zeros, but that it clamps to the edge and takes all levels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Sampler {
    /// What the recipe calls it. Without a binding it is also the shader's name for the sampler, or for the image that has its sampler with it.
    pub name: String,
    /// The descriptor set; 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<u32>,
    /// The binding, if the name does not determine it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<u32>,
    /// The index where the binding is an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// Where texels are larger than what is asked for.
    #[serde(default, skip_serializing_if = "Filter::is_default")]
    pub mag_filter: Filter,
    /// Where texels are smaller than what is asked for.
    #[serde(default, skip_serializing_if = "Filter::is_default")]
    pub min_filter: Filter,
    /// Between two levels of detail.
    #[serde(default, skip_serializing_if = "Filter::is_default")]
    pub mipmap_mode: Filter,
    /// What is read outside of the image: for all directions, or for each of u, v and w.
    #[serde(default, skip_serializing_if = "AddressModes::is_default")]
    pub address_mode: AddressModes,
    /// Added to the level of detail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mip_lod_bias: Option<f32>,
    /// The smallest level of detail; 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_lod: Option<f32>,
    /// The largest level of detail; the last one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_lod: Option<f32>,
    /// What is outside of the image with the address mode `clamp-to-border`.
    #[serde(default, skip_serializing_if = "BorderColor::is_default")]
    pub border_color: BorderColor,
    /// Whether coordinates count texels, rather than go from 0 to 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unnormalized_coordinates: bool,
}

/// How a value between two texels, or between two levels, is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// The one that is nearer.
    #[default]
    Nearest,
    /// Both, weighted by their distance.
    Linear,
}

impl Filter {
    fn is_default(&self) -> bool {
        *self == Filter::default()
    }

    fn simulated(self) -> simulator::Filter {
        match self {
            Filter::Nearest => simulator::Filter::Nearest,
            Filter::Linear => simulator::Filter::Linear,
        }
    }

    fn of(filter: simulator::Filter) -> Filter {
        match filter {
            simulator::Filter::Nearest => Filter::Nearest,
            simulator::Filter::Linear => Filter::Linear,
        }
    }
}

/// What is read outside of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AddressMode {
    /// The image again.
    Repeat,
    /// The image again, every other time mirrored.
    MirroredRepeat,
    /// The texel at the edge.
    #[default]
    ClampToEdge,
    /// The border's color.
    ClampToBorder,
    /// The image mirrored once, then the texel at the edge.
    MirrorClampToEdge,
}

impl AddressMode {
    fn simulated(self) -> simulator::AddressMode {
        match self {
            AddressMode::Repeat => simulator::AddressMode::Repeat,
            AddressMode::MirroredRepeat => simulator::AddressMode::MirroredRepeat,
            AddressMode::ClampToEdge => simulator::AddressMode::ClampToEdge,
            AddressMode::ClampToBorder => simulator::AddressMode::ClampToBorder,
            AddressMode::MirrorClampToEdge => simulator::AddressMode::MirrorClampToEdge,
        }
    }

    fn of(mode: simulator::AddressMode) -> AddressMode {
        match mode {
            simulator::AddressMode::Repeat => AddressMode::Repeat,
            simulator::AddressMode::MirroredRepeat => AddressMode::MirroredRepeat,
            simulator::AddressMode::ClampToEdge => AddressMode::ClampToEdge,
            simulator::AddressMode::ClampToBorder => AddressMode::ClampToBorder,
            simulator::AddressMode::MirrorClampToEdge => AddressMode::MirrorClampToEdge,
        }
    }
}

/// The same for all directions, or one for each of u, v and w.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected `repeat`, `mirrored-repeat`, `clamp-to-edge`, `clamp-to-border` or `mirror-clamp-to-edge`, or a list of three of them"
)]
pub enum AddressModes {
    /// For all directions.
    All(AddressMode),
    /// For u, v and w.
    Each([AddressMode; 3]),
}

impl Default for AddressModes {
    fn default() -> Self {
        AddressModes::All(AddressMode::default())
    }
}

impl AddressModes {
    fn is_default(&self) -> bool {
        *self == AddressModes::default()
    }

    fn each(self) -> [AddressMode; 3] {
        match self {
            AddressModes::All(mode) => [mode; 3],
            AddressModes::Each(modes) => modes,
        }
    }
}

/// What is outside of an image: floats or integers, as the image has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BorderColor {
    /// Zeros.
    #[default]
    TransparentBlack,
    /// Zeros, and an alpha of 1.
    OpaqueBlack,
    /// Ones.
    OpaqueWhite,
}

impl BorderColor {
    fn is_default(&self) -> bool {
        *self == BorderColor::default()
    }

    fn simulated(self) -> simulator::Border {
        match self {
            BorderColor::TransparentBlack => simulator::Border::TransparentBlack,
            BorderColor::OpaqueBlack => simulator::Border::OpaqueBlack,
            BorderColor::OpaqueWhite => simulator::Border::OpaqueWhite,
        }
    }

    fn of(border: simulator::Border) -> BorderColor {
        match border {
            simulator::Border::TransparentBlack => BorderColor::TransparentBlack,
            simulator::Border::OpaqueBlack => BorderColor::OpaqueBlack,
            simulator::Border::OpaqueWhite => BorderColor::OpaqueWhite,
        }
    }
}

/// The largest level of detail, if a sampler says none. With coordinates that count texels there is one level only (Vulkan, VkSamplerCreateInfo).
fn largest_level(unnormalized: bool) -> f32 {
    if unnormalized { 0.0 } else { simulator::Sampler::default().levels[1] }
}

impl Sampler {
    /// As the simulator has it.
    pub fn simulated(&self) -> simulator::Sampler {
        let default = simulator::Sampler::default();
        simulator::Sampler {
            magnify: self.mag_filter.simulated(),
            minify: self.min_filter.simulated(),
            between_levels: self.mipmap_mode.simulated(),
            address: self.address_mode.each().map(AddressMode::simulated),
            border: self.border_color.simulated(),
            bias: self.mip_lod_bias.unwrap_or(default.bias),
            levels: [
                self.min_lod.unwrap_or(default.levels[0]),
                self.max_lod.unwrap_or(largest_level(self.unnormalized_coordinates)),
            ],
            normalized: !self.unnormalized_coordinates,
        }
    }

    /// One that samples as the simulator's does.
    pub fn of(name: String, sampler: &simulator::Sampler) -> Sampler {
        let default = simulator::Sampler::default();
        let unless = |value: f32, default: f32| (value != default).then_some(value);
        let modes = sampler.address.map(AddressMode::of);
        let same = modes.iter().all(|mode| *mode == modes[0]);
        Sampler {
            name,
            mag_filter: Filter::of(sampler.magnify),
            min_filter: Filter::of(sampler.minify),
            mipmap_mode: Filter::of(sampler.between_levels),
            address_mode: if same { AddressModes::All(modes[0]) } else { AddressModes::Each(modes) },
            mip_lod_bias: unless(sampler.bias, default.bias),
            min_lod: unless(sampler.levels[0], default.levels[0]),
            max_lod: unless(sampler.levels[1], largest_level(!sampler.normalized)),
            border_color: BorderColor::of(sampler.border),
            unnormalized_coordinates: !sampler.normalized,
            ..Sampler::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sampler_of_the_simulator_is_the_same_after_it_was_written() {
        let default = simulator::Sampler::default();
        let odd = simulator::Sampler {
            magnify: simulator::Filter::Linear,
            between_levels: simulator::Filter::Linear,
            address: [
                simulator::AddressMode::Repeat,
                simulator::AddressMode::MirroredRepeat,
                simulator::AddressMode::ClampToBorder,
            ],
            border: simulator::Border::OpaqueWhite,
            bias: 0.1,
            levels: [0.25, 3.0],
            normalized: false,
            ..default
        };
        for sampler in [default, odd] {
            let text = toml::to_string(&Sampler::of("one".to_owned(), &sampler)).unwrap();
            assert_eq!(toml::from_str::<Sampler>(&text).unwrap().simulated(), sampler, "{text}");
        }
    }
}
