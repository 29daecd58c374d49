//! Copies between images and buffers, and clears: pieces of memory, as long as they lie without a gap on both sides.

use std::ops::Range;

use ash::vk::{self, ImageUsageFlags};

use crate::driver::Driver;
use crate::fault::Fault;
use crate::hazards::scopes;
use crate::images::{Half, Image, Parts};

/// The rows of a box of texels in memory, slice by slice: where each begins, and their bytes.
struct Rows {
    starts: Vec<u64>,
    bytes: u64,
}

/// The box of an image that a copy names.
struct Named {
    memory: u64,
    parts: Parts,
    rows: Rows,
    texel: u64,
}

fn rows(
    image: &Image,
    start: u64,
    parts: Parts,
    offset: vk::Offset3D,
    extent: vk::Extent3D,
) -> Result<Rows, Fault> {
    let size = image.extent_of(parts.level);
    let offset = [offset.x, offset.y, offset.z];
    let extent = [extent.width, extent.height, extent.depth];
    for ((first, count), size) in offset.iter().zip(extent).zip(size) {
        let end = u32::try_from(*first).ok().and_then(|first| first.checked_add(count));
        if count == 0 || end.is_none_or(|end| end > size) {
            return Err(Fault::misuse(format!(
                "{extent:?} texels from {offset:?} on are not inside of level {} of the image, which has {:?}",
                parts.level,
                image.extent_of(parts.level)
            )));
        }
    }
    let [x, y, z] = offset.map(|first| first as u64);
    let [width, height, depth] = extent.map(u64::from);
    let mut starts = Vec::new();
    for layer in parts.layer..parts.layer + parts.layers {
        let place = image.place(parts.level, layer);
        for slice in z..z + depth {
            for row in y..y + height {
                let at = x * image.format.bytes() + row * place.row + slice * place.slice;
                starts.push(start + place.start + at);
            }
        }
    }
    Ok(Rows { starts, bytes: width * image.format.bytes() })
}

/// Rows of both sides as pieces without gaps: where they begin on both, and how long they are.
fn pieces(from: &Rows, to: &Rows) -> Vec<(u64, u64, u64)> {
    let mut all: Vec<(u64, u64, u64)> = Vec::new();
    for (from_start, to_start) in from.starts.iter().zip(&to.starts) {
        match all.last_mut() {
            Some((one, other, bytes)) if *one + *bytes == *from_start && *other + *bytes == *to_start => {
                *bytes += from.bytes;
            }
            _ => all.push((*from_start, *to_start, from.bytes)),
        }
    }
    all
}

impl Driver {
    /// The memory of an image, and where the image begins in it.
    fn image_memory(&self, image: u64) -> Result<(u64, u64), Fault> {
        self.images.get(image)?.bound.ok_or_else(|| {
            Fault::misuse(format!("{} is used, but not bound to memory", self.image_name(image)))
        })
    }

    /// What a copy reads or writes of an image; what is wrong with its usage and layout is told.
    fn named(
        &mut self,
        call: &str,
        half: Half,
        usage: ImageUsageFlags,
        layers: &vk::ImageSubresourceLayers,
        offset: vk::Offset3D,
        extent: vk::Extent3D,
    ) -> Result<Named, Fault> {
        let (memory, start) = self.image_memory(half.image)?;
        let image = self.images.get(half.image)?;
        let parts = image.layers_of(layers)?;
        let rows = rows(image, start, parts, offset, extent)?;
        let texel = image.format.bytes();
        self.expect_image_usage(call, half.image, usage);
        self.expect_layout(call, half.image, parts, half.layout);
        Ok(Named { memory, parts, rows, texel })
    }

    /// Copies pieces, and tells who watches.
    fn copy_pieces(
        &mut self,
        (queue, call): (u64, &str),
        (source, from): (u64, &Rows),
        (target, to): (u64, &Rows),
    ) -> Result<(), Fault> {
        let (read, written) =
            (self.memories.get(source)?.block.clone(), self.memories.get(target)?.block.clone());
        let mut accesses = Vec::new();
        for (from, to, bytes) in pieces(from, to) {
            written.write(to, &read.bytes(from, bytes));
            accesses.push(Driver::access(source, from..from + bytes, scopes::COPY, scopes::COPY_READ));
            accesses.push(Driver::access(target, to..to + bytes, scopes::COPY, scopes::COPY_WRITE));
            self.copied(call, (source, from..from + bytes), (target, to));
        }
        self.transferred(queue, call, &accesses);
        Ok(())
    }

    /// `vkCmdCopyBufferToImage`, or the other way.
    pub fn copy_buffer_image(
        &mut self,
        queue: u64,
        buffer: u64,
        half: Half,
        regions: &[vk::BufferImageCopy],
        to_image: bool,
    ) -> Result<(), Fault> {
        let (call, usage) = match to_image {
            true => ("vkCmdCopyBufferToImage", ImageUsageFlags::TRANSFER_DST),
            false => ("vkCmdCopyImageToBuffer", ImageUsageFlags::TRANSFER_SRC),
        };
        let (of_buffer, name) = match to_image {
            true => (vk::BufferUsageFlags::TRANSFER_SRC, "TRANSFER_SRC"),
            false => (vk::BufferUsageFlags::TRANSFER_DST, "TRANSFER_DST"),
        };
        self.expect_usage(call, buffer, of_buffer, name);
        for region in regions {
            let extent = region.image_extent;
            let layers = &region.image_subresource;
            let named = self.named(call, half, usage, layers, region.image_offset, extent)?;
            let or = |given: u32, length: u32| u64::from(if given == 0 { length } else { given });
            let row = or(region.buffer_row_length, extent.width);
            let height = or(region.buffer_image_height, extent.height);
            if row < u64::from(extent.width) || height < u64::from(extent.height) {
                return Err(Fault::misuse(format!(
                    "rows of {row} texels and images of {height} rows in the buffer, for {} x {} texels",
                    extent.width, extent.height
                )));
            }
            let slices = u64::from(extent.depth) * u64::from(named.parts.layers);
            let row_of = |slice: u64, y: u64| (slice * height + y) * row * named.texel;
            let last = row_of(slices - 1, u64::from(extent.height) - 1) + named.rows.bytes;
            let (memory, _, start, _) = self.range(buffer, region.buffer_offset, last)?;
            let starts = (0..slices)
                .flat_map(|slice| (0..u64::from(extent.height)).map(move |y| (slice, y)))
                .map(|(slice, y)| start + row_of(slice, y));
            let own = Rows { starts: starts.collect(), bytes: named.rows.bytes };
            let (buffer, image) = ((memory, &own), (named.memory, &named.rows));
            let (from, to) = if to_image { (buffer, image) } else { (image, buffer) };
            self.copy_pieces((queue, call), from, to)?;
        }
        Ok(())
    }

    /// `vkCmdCopyImage`
    pub fn copy_image(
        &mut self,
        queue: u64,
        source: Half,
        target: Half,
        regions: &[vk::ImageCopy],
    ) -> Result<(), Fault> {
        let call = "vkCmdCopyImage";
        for region in regions {
            let (from, to) = (&region.src_subresource, &region.dst_subresource);
            // Slices of one may be layers of the other, so that each has as many as the other's depth or layers.
            let volume = |driver: &Driver, half: Half| -> Result<bool, Fault> {
                Ok(driver.images.get(half.image)?.kind == vk::ImageType::TYPE_3D)
            };
            let (from_volume, to_volume) = (volume(self, source)?, volume(self, target)?);
            let flat = vk::Extent3D { depth: 1, ..region.extent };
            let extent_of = |is_volume: bool| if is_volume { region.extent } else { flat };
            let (src, dst) = (ImageUsageFlags::TRANSFER_SRC, ImageUsageFlags::TRANSFER_DST);
            let from = self.named(call, source, src, from, region.src_offset, extent_of(from_volume))?;
            let to = self.named(call, target, dst, to, region.dst_offset, extent_of(to_volume))?;
            if from.texel != to.texel {
                return Err(Fault::misuse(format!(
                    "texels of {} bytes are copied to texels of {} bytes: expected the same size",
                    from.texel, to.texel
                )));
            }
            if from.rows.starts.len() != to.rows.starts.len() {
                return Err(Fault::misuse(
                    "the two sides of the copy have different numbers of slices and layers",
                ));
            }
            self.copy_pieces((queue, call), (from.memory, &from.rows), (to.memory, &to.rows))?;
        }
        Ok(())
    }

    /// `vkCmdClearColorImage`
    pub fn clear_image(
        &mut self,
        queue: u64,
        half: Half,
        color: [u32; 4],
        ranges: &[vk::ImageSubresourceRange],
    ) -> Result<(), Fault> {
        let call = "vkCmdClearColorImage";
        let (memory, start) = self.image_memory(half.image)?;
        let block = self.memories.get(memory)?.block.clone();
        self.expect_image_usage(call, half.image, ImageUsageFlags::TRANSFER_DST);
        for range in ranges {
            let image = self.images.get(half.image)?;
            let parts = image.parts(range)?;
            let texel = image.format.encode(color);
            let all: Vec<Range<u64>> = image.ranges(parts).collect();
            self.expect_layout(call, half.image, parts, half.layout);
            for range in all {
                let range = start + range.start..start + range.end;
                let count = (range.end - range.start) as usize / texel.len().max(1);
                block.write(range.start, &texel.repeat(count));
                self.cleared(queue, call, memory, range);
            }
        }
        Ok(())
    }
}
