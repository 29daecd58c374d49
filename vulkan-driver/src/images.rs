//! Images, their views and views of buffers as data: how texels lie in memory, and what the driver has of them.
//!
//! Texels lie one after the other, rows, slices or layers, and levels as well, whatever the tiling: an image of linear tiling has the bytes of an optimal
//! one.

use std::ops::Range;

use ash::vk::{self, ImageLayout, ImageType, ImageViewType};
use coopmat_simulator::Channel;
use coopmat_simulator::program::types::ImageDimensions;

use crate::facts::Facts;
use crate::facts::limits;
use crate::fault::Fault;
use crate::formats::{self, Format};

/// Usages that images may have.
const USAGES: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
    vk::ImageUsageFlags::TRANSFER_SRC.as_raw()
        | vk::ImageUsageFlags::TRANSFER_DST.as_raw()
        | vk::ImageUsageFlags::SAMPLED.as_raw()
        | vk::ImageUsageFlags::STORAGE.as_raw(),
);

/// Flags that images may have: they ask for what is so anyway.
const FLAGS: vk::ImageCreateFlags = vk::ImageCreateFlags::from_raw(
    vk::ImageCreateFlags::MUTABLE_FORMAT.as_raw()
        | vk::ImageCreateFlags::CUBE_COMPATIBLE.as_raw()
        | vk::ImageCreateFlags::ALIAS.as_raw()
        | vk::ImageCreateFlags::EXTENDED_USAGE.as_raw(),
);

/// What an image is made as.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub kind: ImageType,
    pub format: vk::Format,
    pub extent: [u32; 3],
    pub levels: u32,
    pub layers: u32,
    pub samples: vk::SampleCountFlags,
    pub tiling: vk::ImageTiling,
    pub usage: vk::ImageUsageFlags,
    pub flags: vk::ImageCreateFlags,
    pub initial: ImageLayout,
}

/// Levels and layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    pub level: u32,
    pub levels: u32,
    pub layer: u32,
    pub layers: u32,
}

pub struct Image {
    pub kind: ImageType,
    pub format: &'static Format,
    pub extent: [u32; 3],
    pub levels: u32,
    pub layers: u32,
    pub usage: vk::ImageUsageFlags,
    pub flags: vk::ImageCreateFlags,
    /// The memory's handle, and where the image begins in it.
    pub bound: Option<(u64, u64)>,
    /// Of each layer of each level, by levels.
    pub layouts: Vec<ImageLayout>,
}

/// A layer of a level in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// From the start of the image.
    pub start: u64,
    pub size: u64,
    /// From one to the next.
    pub row: u64,
    pub slice: u64,
    pub layer: u64,
}

pub struct ImageView {
    pub image: u64,
    pub kind: ImageViewType,
    pub format: &'static Format,
    pub parts: Parts,
    pub swizzle: [Channel; 4],
}

/// An image in the layout that a command expects.
#[derive(Clone, Copy, Debug)]
pub struct Half {
    pub image: u64,
    pub layout: ImageLayout,
}

pub struct BufferView {
    pub buffer: u64,
    pub format: &'static Format,
    pub offset: u64,
    /// `VK_WHOLE_SIZE` for the rest of it.
    pub size: u64,
}

/// What `vkGetPhysicalDeviceImageFormatProperties` says of images of a kind, or why there are none.
pub fn supported(facts: &Facts, wanted: &Wanted) -> Result<vk::ImageFormatProperties, String> {
    let name = format!("{:?}", wanted.format);
    let Some(format) = formats::find(wanted.format) else {
        return Err(format!("images of the format {name}: the driver does not have it"));
    };
    // Taichi makes all images so that they could be drawn to, which every device allows that draws. No format has the feature: wgpu clears images that
    // have it by drawing.
    let usages = match facts.claims_graphics {
        true => USAGES | vk::ImageUsageFlags::COLOR_ATTACHMENT,
        false => USAGES,
    };
    if !usages.contains(wanted.usage) {
        let more = wanted.usage & !usages;
        return Err(format!("images with the usage {more:?}: the device has no graphics"));
    }
    if wanted.usage.contains(vk::ImageUsageFlags::STORAGE)
        && !format.is_storage()
        && !wanted.flags.contains(vk::ImageCreateFlags::EXTENDED_USAGE)
    {
        return Err(format!("storage images of the format {name}: shaders have no such format"));
    }
    if !FLAGS.contains(wanted.flags) {
        return Err(format!("images with the flags {:?}", wanted.flags & !FLAGS));
    }
    if ![vk::ImageTiling::OPTIMAL, vk::ImageTiling::LINEAR].contains(&wanted.tiling) {
        return Err(format!("images of the tiling {}", wanted.tiling.as_raw()));
    }
    let cube = wanted.flags.contains(vk::ImageCreateFlags::CUBE_COMPATIBLE);
    if cube && wanted.kind != ImageType::TYPE_2D {
        return Err("cubes of images that are not two-dimensional".to_owned());
    }
    let limits = limits::of(facts);
    let (extent, layers) = match wanted.kind {
        ImageType::TYPE_1D => ([limits.max_image_dimension1_d, 1, 1], limits.max_image_array_layers),
        ImageType::TYPE_2D => {
            let most = if cube { limits.max_image_dimension_cube } else { limits.max_image_dimension2_d };
            ([most, most, 1], limits.max_image_array_layers)
        }
        ImageType::TYPE_3D => ([limits.max_image_dimension3_d; 3], 1),
        other => return Err(format!("images of the type {}", other.as_raw())),
    };
    let [width, height, depth] = extent;
    Ok(vk::ImageFormatProperties {
        max_extent: vk::Extent3D { width, height, depth },
        max_mip_levels: levels_of(extent),
        max_array_layers: layers,
        sample_counts: vk::SampleCountFlags::TYPE_1,
        max_resource_size: facts.memory_limit,
    })
}

/// Levels until all directions have one texel.
fn levels_of(extent: [u32; 3]) -> u32 {
    32 - extent.into_iter().max().unwrap_or(1).leading_zeros()
}

impl Image {
    /// # Errors
    /// What Vulkan does not allow, or the driver does not have.
    pub fn new(facts: &Facts, wanted: &Wanted) -> Result<Image, Fault> {
        let refused = |message| Fault::missing(message).with(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
        let most = supported(facts, wanted).map_err(refused)?;
        if wanted.samples != vk::SampleCountFlags::TYPE_1 {
            return Err(refused(format!("images with {} samples of a texel", wanted.samples.as_raw())));
        }
        let Wanted { extent, levels, layers, .. } = *wanted;
        let largest = [most.max_extent.width, most.max_extent.height, most.max_extent.depth];
        let fits = extent.iter().zip(largest).all(|(length, most)| (1..=most).contains(length));
        if !fits || !(1..=most.max_array_layers).contains(&layers) {
            return Err(Fault::misuse(format!(
                "an image of {extent:?} texels and {layers} layers: expected 1 to {largest:?}, and 1 to {} layers",
                most.max_array_layers
            )));
        }
        if !(1..=levels_of(extent)).contains(&levels) {
            return Err(Fault::misuse(format!(
                "mipLevels is {levels}: an image of {extent:?} texels has 1 to {}",
                levels_of(extent)
            )));
        }
        let known = [ImageLayout::UNDEFINED, ImageLayout::PREINITIALIZED];
        if !known.contains(&wanted.initial) {
            return Err(Fault::misuse(format!(
                "initialLayout is {:?}: expected UNDEFINED or PREINITIALIZED",
                wanted.initial
            )));
        }
        let format = formats::find(wanted.format).ok_or_else(|| refused("this format".to_owned()))?;
        Ok(Image {
            kind: wanted.kind,
            format,
            extent,
            levels,
            layers,
            usage: wanted.usage,
            flags: wanted.flags,
            bound: None,
            layouts: vec![wanted.initial; (levels * layers) as usize],
        })
    }

    /// The size of a level in texels.
    pub fn extent_of(&self, level: u32) -> [u32; 3] {
        self.extent.map(|length| length.checked_shr(level).unwrap_or(0).max(1))
    }

    /// Where a layer of a level lies, both of which there are.
    pub fn place(&self, level: u32, layer: u32) -> Placed {
        let of = |level: u32| {
            let [width, height, depth] = self.extent_of(level).map(u64::from);
            let row = width * self.format.bytes();
            (row, row * height, row * height * depth)
        };
        let before: u64 = (0..level).map(|level| of(level).2 * u64::from(self.layers)).sum();
        let (row, slice, size) = of(level);
        Placed { start: before + size * u64::from(layer), size, row, slice, layer: size }
    }

    /// In bytes.
    pub fn size(&self) -> u64 {
        let last = self.place(self.levels - 1, self.layers - 1);
        last.start + last.size
    }

    /// What parts of it are meant, where counts may say "all that remain".
    pub fn parts(&self, range: &vk::ImageSubresourceRange) -> Result<Parts, Fault> {
        let (level, layer) = (range.base_mip_level, range.base_array_layer);
        let count = |count: u32, all: u32, first: u32| match count {
            vk::REMAINING_MIP_LEVELS => all.saturating_sub(first),
            count => count,
        };
        let levels = count(range.level_count, self.levels, level);
        let layers = count(range.layer_count, self.layers, layer);
        self.check_parts(range.aspect_mask, Parts { level, levels, layer, layers })
    }

    /// The same of the layers of one level.
    pub fn layers_of(&self, layers: &vk::ImageSubresourceLayers) -> Result<Parts, Fault> {
        let layer = layers.base_array_layer;
        let count = match layers.layer_count {
            vk::REMAINING_ARRAY_LAYERS => self.layers.saturating_sub(layer),
            count => count,
        };
        let parts = Parts { level: layers.mip_level, levels: 1, layer, layers: count };
        self.check_parts(layers.aspect_mask, parts)
    }

    fn check_parts(&self, aspect: vk::ImageAspectFlags, parts: Parts) -> Result<Parts, Fault> {
        if aspect != vk::ImageAspectFlags::COLOR {
            return Err(Fault::misuse(format!(
                "aspectMask is {aspect:?}: expected COLOR, as the format has"
            )));
        }
        let Parts { level, levels, layer, layers } = parts;
        let inside = |first: u32, count: u32, all: u32| {
            count > 0 && first.checked_add(count).is_some_and(|end| end <= all)
        };
        if !inside(level, levels, self.levels) || !inside(layer, layers, self.layers) {
            return Err(Fault::misuse(format!(
                "{levels} levels from {level} on and {layers} layers from {layer} on: the image has {} levels and {} layers",
                self.levels, self.layers
            )));
        }
        Ok(parts)
    }

    /// The bytes of parts from the start of the image, a range for each level.
    pub fn ranges(&self, parts: Parts) -> impl Iterator<Item = Range<u64>> + '_ {
        (parts.level..parts.level + parts.levels).map(move |level| {
            let first = self.place(level, parts.layer);
            first.start..first.start + first.layer * u64::from(parts.layers)
        })
    }

    /// The layouts of parts.
    pub fn layouts_of(&mut self, parts: Parts) -> impl Iterator<Item = &mut ImageLayout> {
        let all = self.layers;
        self.layouts.iter_mut().enumerate().filter_map(move |(index, layout)| {
            let (level, layer) = (index as u32 / all, index as u32 % all);
            let inside = (parts.level..parts.level + parts.levels).contains(&level)
                && (parts.layer..parts.layer + parts.layers).contains(&layer);
            inside.then_some(layout)
        })
    }
}

/// The image type, and whether it is an array, that a shader has for a view.
pub fn shader_type(kind: ImageViewType) -> Option<(ImageDimensions, bool)> {
    Some(match kind {
        ImageViewType::TYPE_1D => (ImageDimensions::One, false),
        ImageViewType::TYPE_1D_ARRAY => (ImageDimensions::One, true),
        ImageViewType::TYPE_2D => (ImageDimensions::Two, false),
        ImageViewType::TYPE_2D_ARRAY => (ImageDimensions::Two, true),
        ImageViewType::TYPE_3D => (ImageDimensions::Three, false),
        ImageViewType::CUBE => (ImageDimensions::Cube, false),
        ImageViewType::CUBE_ARRAY => (ImageDimensions::Cube, true),
        _ => return None,
    })
}

/// Where the components come from that shaders see.
pub fn swizzle(mapping: vk::ComponentMapping) -> [Channel; 4] {
    let all = [mapping.r, mapping.g, mapping.b, mapping.a];
    std::array::from_fn(|index| match all[index] {
        vk::ComponentSwizzle::ZERO => Channel::Zero,
        vk::ComponentSwizzle::ONE => Channel::One,
        vk::ComponentSwizzle::R => Channel::Of(0),
        vk::ComponentSwizzle::G => Channel::Of(1),
        vk::ComponentSwizzle::B => Channel::Of(2),
        vk::ComponentSwizzle::A => Channel::Of(3),
        _ => Channel::Of(index as u8),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_lie_without_gaps_layers_within_levels() {
        let image = Image {
            kind: ImageType::TYPE_2D,
            format: formats::find(vk::Format::R16_UINT).unwrap(),
            extent: [5, 3, 1],
            levels: 3,
            layers: 2,
            usage: USAGES,
            flags: vk::ImageCreateFlags::empty(),
            bound: None,
            layouts: vec![ImageLayout::UNDEFINED; 6],
        };
        assert_eq!(image.extent_of(1), [2, 1, 1]);
        assert_eq!(image.place(0, 1), Placed { start: 30, size: 30, row: 10, slice: 30, layer: 30 });
        assert_eq!(image.place(1, 1), Placed { start: 64, size: 4, row: 4, slice: 4, layer: 4 });
        assert_eq!(image.size(), 72);
        let parts = Parts { level: 0, levels: 2, layer: 1, layers: 1 };
        assert_eq!(image.ranges(parts).collect::<Vec<_>>(), [30..60, 64..68]);
    }
}
