//! Images: texels as four words, of a size in up to three dimensions and layers.

use super::buffer::{Buffer, Words};
use super::texels::store_format;
use crate::program::Type;

/// An image of some [`super::Resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageId(pub(crate) u32);

/// An image without mipmaps. Texels hold 32-bit words: the bits of `f32` components, or integers.
#[derive(Clone, Debug)]
pub struct Image {
    /// Width, height, depth; layers are in the direction after an image's own.
    size: [u32; 3],
    texels: Buffer,
}

impl Image {
    /// An image of zeros; its texels are a row after the other.
    pub fn new(size: [u32; 3]) -> Self {
        let count: usize = size.iter().map(|&n| n as usize).product();
        let mut texels = Buffer::new(&vec![0; count * 16]);
        texels.set_constant(false);
        Image { size, texels }
    }

    pub(crate) fn texels(&self) -> &Buffer {
        &self.texels
    }

    /// Width, height and depth in texels; layers are in the direction after an image's own.
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// Texels of all layers.
    pub(crate) fn texel_count(&self) -> u64 {
        self.size.iter().map(|&size| u64::from(size)).product()
    }

    /// The number of a texel, counted along its row first; none outside.
    pub(crate) fn number(&self, at: [i64; 3]) -> Option<usize> {
        let inside = at.iter().zip(self.size).all(|(&at, size)| (0..i64::from(size)).contains(&at));
        let [width, height, _] = self.size.map(|n| n as usize);
        inside.then(|| (at[2] as usize * height + at[1] as usize) * width + at[0] as usize)
    }

    fn index(&self, at: [i64; 3]) -> Option<usize> {
        Some(self.number(at)? * 4)
    }

    /// A texel; zeros outside.
    pub fn texel(&self, at: [i64; 3]) -> [u32; 4] {
        let Some(index) = self.index(at) else { return [0; 4] };
        [0, 1, 2, 3].map(|i| self.texels.shared().read(index + i))
    }

    /// Writes a texel as images of a type hold it: a format of fewer bits rounds.
    pub fn write(&self, type_: &Type, at: [i64; 3], texel: [u32; 4]) {
        let texel = match type_ {
            Type::Image(image) => store_format(image.format, texel),
            _ => texel,
        };
        self.set_texel(at, texel);
    }

    /// Writes a texel, where it is inside. Threads may share the image.
    pub fn set_texel(&self, at: [i64; 3], texel: [u32; 4]) {
        if let Some(index) = self.index(at) {
            for (i, word) in texel.into_iter().enumerate() {
                (&mut self.texels.shared()).write(index + i, word);
            }
        }
    }
}
