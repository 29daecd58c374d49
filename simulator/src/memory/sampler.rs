//! Samplers: how images are read between their texels.

/// How a value between two texels, or between two levels, is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// The one that is nearer.
    #[default]
    Nearest,
    /// Both, weighted by their distance.
    Linear,
}

/// What is read outside of an image (Vulkan, "Wrapping Operation").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressMode {
    /// The image again.
    Repeat,
    /// The image again, every other time mirrored.
    MirroredRepeat,
    /// The texel at the edge.
    #[default]
    ClampToEdge,
    /// The sampler's border.
    ClampToBorder,
    /// The image mirrored once, then the texel at the edge.
    MirrorClampToEdge,
}

/// What is outside of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Border {
    /// Zeros.
    #[default]
    TransparentBlack,
    /// Zeros, and an alpha of 1.
    OpaqueBlack,
    /// Ones.
    OpaqueWhite,
}

/// How an image is sampled. The default takes the nearest texel, and the one at the edge outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// Where texels are larger than what is asked for, and where they are smaller.
    pub magnify: Filter,
    /// See `magnify`.
    pub minify: Filter,
    /// Between levels.
    pub between_levels: Filter,
    /// By direction.
    pub address: [AddressMode; 3],
    /// With [`AddressMode::ClampToBorder`].
    pub border: Border,
    /// Added to the level of detail.
    pub bias: f32,
    /// The smallest and the largest level of detail.
    pub levels: [f32; 2],
    /// Whether coordinates go from 0 to 1, rather than to the image's size.
    pub normalized: bool,
}

impl Default for Sampler {
    fn default() -> Self {
        Sampler {
            magnify: Filter::default(),
            minify: Filter::default(),
            between_levels: Filter::default(),
            address: [AddressMode::default(); 3],
            border: Border::default(),
            bias: 0.0,
            levels: [0.0, 1000.0],
            normalized: true,
        }
    }
}

impl AddressMode {
    /// The texel for a whole coordinate in a direction of so many texels; none for the border.
    pub(crate) fn wrap(self, at: i64, size: u32) -> Option<i64> {
        let size = i64::from(size.max(1));
        let mirrored = |at: i64| if at >= 0 { at } else { -(1 + at) };
        let clamped = |at: i64| at.clamp(0, size - 1);
        match self {
            AddressMode::Repeat => Some(at.rem_euclid(size)),
            AddressMode::MirroredRepeat => Some(size - 1 - mirrored(at.rem_euclid(2 * size) - size)),
            AddressMode::ClampToEdge => Some(clamped(at)),
            AddressMode::ClampToBorder => (0..size).contains(&at).then_some(at),
            AddressMode::MirrorClampToEdge => Some(clamped(mirrored(at))),
        }
    }
}

impl Border {
    /// Its texel, if 1 is this word.
    pub(crate) fn texel(self, one: u32) -> [u32; 4] {
        match self {
            Border::TransparentBlack => [0; 4],
            Border::OpaqueBlack => [0, 0, 0, one],
            Border::OpaqueWhite => [one; 4],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_outside_wrap_as_the_mode_says() {
        let wrapped =
            |mode: AddressMode| (-5..9).map(|at| mode.wrap(at, 4).unwrap_or(-1)).collect::<Vec<_>>();
        assert_eq!(wrapped(AddressMode::Repeat), [3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]);
        assert_eq!(wrapped(AddressMode::MirroredRepeat), [3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0]);
        assert_eq!(wrapped(AddressMode::ClampToEdge), [0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]);
        assert_eq!(wrapped(AddressMode::ClampToBorder), [-1, -1, -1, -1, -1, 0, 1, 2, 3, -1, -1, -1, -1, -1]);
        assert_eq!(wrapped(AddressMode::MirrorClampToEdge), [3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]);
    }
}
