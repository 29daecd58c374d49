//! Texels that a descriptor is of, as the simulator's images: an image's or a buffer's bytes become texels before a dispatch, and what it changed becomes
//! bytes again.

use std::ops::Range;
use std::sync::Arc;

use coopmat_simulator::program::types::ImageDimensions;
use coopmat_simulator::{Channel, Image as Simulated};
use coopmat_spirv::spirv::ImageFormat;

use crate::block::Block;
use crate::driver::Driver;
use crate::fault::Fault;
use crate::formats::Format;
use crate::images::{Parts, shader_type};
use crate::ranges::Ranges;

/// A level in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Level {
    size: [u32; 3],
    start: u64,
    row: u64,
    slice: u64,
}

/// Texels of a view.
#[derive(Clone)]
pub struct Texels {
    pub memory: u64,
    pub block: Arc<Block>,
    pub format: &'static Format,
    swizzle: [Channel; 4],
    levels: Vec<Level>,
    /// The type that a shader has for it.
    pub dimensions: ImageDimensions,
    pub arrayed: bool,
    /// The image, and what parts of it; none of buffers.
    pub image: Option<(u64, Parts)>,
}

const IDENTITY: [Channel; 4] = [Channel::Of(0), Channel::Of(1), Channel::Of(2), Channel::Of(3)];

impl Texels {
    /// Whether two are the same, so that a shader sees in one what it writes to the other.
    pub fn is_same(&self, other: &Texels) -> bool {
        (self.memory, &self.levels, self.format, self.swizzle)
            == (other.memory, &other.levels, other.format, other.swizzle)
    }

    /// The size of the first level: of layers, it is the direction after the image's own.
    pub fn size(&self) -> [u32; 3] {
        self.levels.first().map_or([0; 3], |level| level.size)
    }

    /// Which components shaders see.
    pub fn swizzle(&self) -> [Channel; 4] {
        self.swizzle
    }

    /// The bytes of its memory, a range for each level.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.levels.iter().map(|level| {
            let end = self.end_of(level);
            level.start..end
        })
    }

    fn end_of(&self, level: &Level) -> u64 {
        let [width, height, depth] = level.size.map(u64::from);
        let last = |count: u64, step: u64| count.saturating_sub(1) * step;
        level.start + last(depth, level.slice) + last(height, level.row) + width * self.format.bytes()
    }

    /// All bytes from the first to the last.
    pub fn reach(&self) -> Range<u64> {
        let start = self.levels.iter().map(|level| level.start).min().unwrap_or(0);
        start..self.ranges().map(|range| range.end).max().unwrap_or(start)
    }

    /// Whether it has bytes of a range.
    pub fn overlaps(&self, memory: u64, range: &Range<u64>) -> bool {
        self.memory == memory && self.ranges().any(|own| own.start < range.end && range.start < own.end)
    }

    /// Where a texel lies in memory.
    pub fn place(&self, level: u32, at: [u32; 3]) -> Option<Range<u64>> {
        let level = self.levels.get(level as usize)?;
        let [x, y, z] = at.map(u64::from);
        let start = level.start + x * self.format.bytes() + y * level.row + z * level.slice;
        Some(start..start + self.format.bytes())
    }

    fn each_row(&self, mut row: impl FnMut(u32, [i64; 3], u32, u64)) {
        for (number, level) in self.levels.iter().enumerate() {
            let [width, height, depth] = level.size;
            for z in 0..depth {
                for y in 0..height {
                    let start = level.start + u64::from(y) * level.row + u64::from(z) * level.slice;
                    row(number as u32, [0, i64::from(y), i64::from(z)], width, start);
                }
            }
        }
    }

    /// Texels of all levels and layers, and which of them have all their bytes among those that were written, as the simulator counts them.
    pub fn written(&self, written: &Ranges) -> (u64, Vec<Range<u64>>) {
        let bytes = self.format.bytes();
        let mut count = 0;
        let mut found: Vec<Range<u64>> = Vec::new();
        self.each_row(|_, _, width, start| {
            for part in written.inside(start..start + u64::from(width) * bytes) {
                let first = count + (part.start - start).div_ceil(bytes);
                let end = count + (part.end - start) / bytes;
                match found.last_mut() {
                    Some(last) if last.end == first => last.end = end.max(first),
                    _ if first < end => found.push(first..end),
                    _ => {}
                }
            }
            count += u64::from(width);
        });
        (count, found)
    }

    /// As the simulator has it, as it is now.
    pub fn load(&self) -> Simulated {
        let size = self.size();
        let dimensions = match self.dimensions {
            ImageDimensions::One | ImageDimensions::Buffer => 1,
            ImageDimensions::Two | ImageDimensions::Cube => 2,
            ImageDimensions::Three => 3,
        };
        let format = self.format.shader.unwrap_or(ImageFormat::Unknown);
        let image = Simulated::with_levels(size, self.levels.len() as u32, dimensions)
            .stored_as(format, self.format.channels())
            .swizzled(self.swizzle);
        let bytes = self.format.bytes();
        self.each_row(|level, at, width, start| {
            let row = self.block.bytes(start, u64::from(width) * bytes);
            for (x, texel) in row.chunks_exact(bytes as usize).enumerate() {
                image.set_texel_of(level, [x as i64, at[1], at[2]], self.format.decode(texel));
            }
        });
        image
    }

    /// Writes what is different.
    pub fn store(&self, before: &Simulated, after: &Simulated) {
        let bytes = self.format.bytes();
        self.each_row(|level, at, width, start| {
            for x in 0..width {
                let at = [i64::from(x), at[1], at[2]];
                let texel = after.texel_of(level, at);
                if texel != before.texel_of(level, at) {
                    self.block.write(start + u64::from(x) * bytes, &self.format.encode(texel));
                }
            }
        });
    }
}

impl Driver {
    /// The texels of an image's view.
    pub fn texels_of_image(&self, view: u64) -> Result<Texels, Fault> {
        let view = self.image_views.get(view)?;
        let image = self.images.get(view.image)?;
        let Some((memory, start)) = image.bound else {
            let named = self.image_name(view.image);
            return Err(Fault::misuse(format!("{named} is used, but not bound to memory")));
        };
        let block = self.memories.get(memory)?.block.clone();
        let Some((dimensions, arrayed)) = shader_type(view.kind) else {
            return Err(Fault::missing(format!("views of the type {:?}", view.kind)));
        };
        let Parts { level, levels, layer, layers } = view.parts;
        let levels = (level..level + levels).map(|level| {
            let place = image.place(level, layer);
            let [width, height, depth] = image.extent_of(level);
            let start = start + place.start;
            // Layers are in the direction after the image's own.
            match dimensions {
                ImageDimensions::One | ImageDimensions::Buffer => {
                    Level { size: [width, layers, 1], start, row: place.layer, slice: 0 }
                }
                ImageDimensions::Two | ImageDimensions::Cube => {
                    Level { size: [width, height, layers], start, row: place.row, slice: place.layer }
                }
                ImageDimensions::Three => {
                    Level { size: [width, height, depth], start, row: place.row, slice: place.slice }
                }
            }
        });
        Ok(Texels {
            memory,
            block,
            format: view.format,
            swizzle: view.swizzle,
            levels: levels.collect(),
            dimensions,
            arrayed,
            image: Some((view.image, view.parts)),
        })
    }

    /// The texels of a buffer's view.
    pub fn texels_of_buffer(&self, view: u64) -> Result<Texels, Fault> {
        let view = self.buffer_views.get(view)?;
        let (memory, block, start, end) = self.range(view.buffer, view.offset, view.size)?;
        let count = (end - start) / view.format.bytes();
        let size = [u32::try_from(count).unwrap_or(u32::MAX), 1, 1];
        Ok(Texels {
            memory,
            block,
            format: view.format,
            swizzle: IDENTITY,
            levels: vec![Level { size, start, row: 0, slice: 0 }],
            dimensions: ImageDimensions::Buffer,
            arrayed: false,
            image: None,
        })
    }
}
