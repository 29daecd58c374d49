//! Images: texels as four words, of a size in up to three dimensions and layers.

/// An image of some [`super::Resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageId(pub(crate) u32);

/// An image without mipmaps. Texels hold 32-bit words: the bits of `f32` components, or integers.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Width, height, depth; layers count as depth.
    pub size: [u32; 3],
    pub texels: Vec<[u32; 4]>,
}

impl Image {
    /// An image of zeros.
    pub fn new(size: [u32; 3]) -> Self {
        let count = size.iter().map(|&n| n as usize).product();
        Image { size, texels: vec![[0; 4]; count] }
    }

    fn index(&self, at: [i64; 3]) -> Option<usize> {
        let inside = at.iter().zip(self.size).all(|(&at, size)| (0..i64::from(size)).contains(&at));
        let [width, height, _] = self.size.map(|n| n as usize);
        inside.then(|| (at[2] as usize * height + at[1] as usize) * width + at[0] as usize)
    }

    /// A texel; zeros outside.
    pub fn texel(&self, at: [i64; 3]) -> [u32; 4] {
        self.index(at).and_then(|index| self.texels.get(index)).copied().unwrap_or_default()
    }

    /// Writes a texel, where it is inside.
    pub fn set_texel(&mut self, at: [i64; 3], texel: [u32; 4]) {
        if let Some(slot) = self.index(at).and_then(|index| self.texels.get_mut(index)) {
            *slot = texel;
        }
    }
}
