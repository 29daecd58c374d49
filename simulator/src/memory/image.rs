//! Images: texels as four words, of a size in up to three dimensions and layers, and of levels of detail.

use coopmat_spirv::spirv::ImageFormat;

use super::buffer::{Buffer, Words};
use super::texels::store_format;
use crate::program::Type;

/// An image of some [`super::Resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageId(pub(crate) u32);

/// Where a component of a texel that a shader reads comes from (Vulkan, "Component Swizzle").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The component of this number.
    Of(u8),
    /// 0.
    Zero,
    /// 1, an integer or a floating-point number.
    One,
}

/// Every component from itself.
const IDENTITY: [Channel; 4] = [Channel::Of(0), Channel::Of(1), Channel::Of(2), Channel::Of(3)];

/// A level of detail.
#[derive(Clone, Copy, Debug)]
struct Level {
    size: [u32; 3],
    /// The number of its first texel.
    first: usize,
}

/// An image. Texels hold 32-bit words: the bits of `f32` components, or integers.
#[derive(Clone, Debug)]
pub struct Image {
    /// One at least, the largest first.
    levels: Vec<Level>,
    /// What texels are stored as where the shader does not say it.
    format: ImageFormat,
    /// Components that its format has.
    channels: u8,
    swizzle: [Channel; 4],
    texels: Buffer,
}

impl Image {
    /// An image of zeros and of one level; its texels are a row after the other.
    pub fn new(size: [u32; 3]) -> Self {
        Image::with_levels(size, 1, 3)
    }

    /// An image of zeros with so many levels of detail: each is half as large as the one before in the first `dimensions` directions, and has as many
    /// layers.
    pub fn with_levels(size: [u32; 3], levels: u32, dimensions: usize) -> Self {
        let mut all = Vec::new();
        let mut first = 0;
        for level in 0..levels.clamp(1, 32) {
            let mut here = size;
            for length in here.iter_mut().take(dimensions) {
                *length = (*length >> level).max((*length).min(1));
            }
            all.push(Level { size: here, first });
            first += here.iter().map(|&n| n as usize).product::<usize>();
        }
        let mut texels = Buffer::new(&vec![0; first * 16]);
        texels.set_constant(false);
        Image { levels: all, format: ImageFormat::Unknown, channels: 4, swizzle: IDENTITY, texels }
    }

    /// Says as what texels are stored that a shader writes without a format, and how many components it has.
    #[must_use]
    pub fn stored_as(self, format: ImageFormat, channels: u8) -> Self {
        Image { format, channels: channels.min(4), ..self }
    }

    /// Says which components shaders see, in order.
    #[must_use]
    pub fn swizzled(self, swizzle: [Channel; 4]) -> Self {
        Image { swizzle, ..self }
    }

    pub(crate) fn texels(&self) -> &Buffer {
        &self.texels
    }

    /// Width, height and depth in texels; layers are in the direction after an image's own.
    pub fn size(&self) -> [u32; 3] {
        self.size_of(0)
    }

    /// The size of a level; nothing of one that is not there.
    pub fn size_of(&self, level: u32) -> [u32; 3] {
        self.levels.get(level as usize).map_or([0; 3], |level| level.size)
    }

    /// Levels of detail.
    pub fn levels(&self) -> u32 {
        self.levels.len() as u32
    }

    /// Texels of all layers and levels.
    pub(crate) fn texel_count(&self) -> u64 {
        self.texels.size() / 16
    }

    /// The number of a texel, counted along its row first, then by layers, then by levels; none outside.
    pub(crate) fn number(&self, level: u32, at: [i64; 3]) -> Option<usize> {
        let level = self.levels.get(level as usize)?;
        let inside = at.iter().zip(level.size).all(|(&at, size)| (0..i64::from(size)).contains(&at));
        let [width, height, _] = level.size.map(|n| n as usize);
        inside.then(|| level.first + (at[2] as usize * height + at[1] as usize) * width + at[0] as usize)
    }

    /// The level and the place of the texel of a number.
    pub(crate) fn place(&self, number: u64) -> (u32, [i64; 3]) {
        let level = self.levels.iter().rposition(|level| level.first as u64 <= number).unwrap_or(0);
        let known = &self.levels[level];
        let index = number - known.first as u64;
        let [width, height, _] = known.size.map(|size| u64::from(size.max(1)));
        let at = [index % width, index / width % height, index / (width * height)].map(|at| at as i64);
        (level as u32, at)
    }

    /// A texel of the first level; zeros outside.
    pub fn texel(&self, at: [i64; 3]) -> [u32; 4] {
        self.texel_of(0, at)
    }

    /// A texel; zeros outside.
    pub fn texel_of(&self, level: u32, at: [i64; 3]) -> [u32; 4] {
        let Some(number) = self.number(level, at) else { return [0; 4] };
        [0, 1, 2, 3].map(|i| self.texels.shared().read(number * 4 + i))
    }

    /// A texel as images of this one's format have it: what the format lacks is 0, the last component 1.
    pub(crate) fn completed(&self, texel: [u32; 4], one: u32) -> [u32; 4] {
        let missing = [0, 0, 0, one];
        std::array::from_fn(|i| if i < usize::from(self.channels) { texel[i] } else { missing[i] })
    }

    /// A texel as shaders see it.
    pub(crate) fn seen(&self, texel: [u32; 4], one: u32) -> [u32; 4] {
        if self.swizzle == IDENTITY {
            return texel;
        }
        self.swizzle.map(|channel| match channel {
            Channel::Of(index) => texel[usize::from(index) & 3],
            Channel::Zero => 0,
            Channel::One => one,
        })
    }

    /// A texel as it is stored for a shader whose image has this format.
    pub(crate) fn rounded(&self, format: ImageFormat, texel: [u32; 4]) -> [u32; 4] {
        let format = if format == ImageFormat::Unknown { self.format } else { format };
        store_format(format, texel)
    }

    /// A texel as images of a type hold it: a format of fewer bits rounds.
    pub fn as_type(&self, type_: &Type, texel: [u32; 4]) -> [u32; 4] {
        match type_ {
            Type::Image(image) => store_format(image.format, texel),
            _ => texel,
        }
    }

    /// Writes a texel of the first level, where it is inside. Threads may share the image.
    pub fn set_texel(&self, at: [i64; 3], texel: [u32; 4]) {
        self.set_texel_of(0, at, texel);
    }

    /// Writes a texel of a level, where it is inside.
    pub fn set_texel_of(&self, level: u32, at: [i64; 3], texel: [u32; 4]) {
        if let Some(number) = self.number(level, at) {
            for (i, word) in texel.into_iter().enumerate() {
                (&mut self.texels.shared()).write(number * 4 + i, word);
            }
        }
    }
}
