//! Images of a captured dispatch: a recipe has one level of texels of four channels each, and samples the nearest.

use coopmat_recipe::component::Component;
use coopmat_recipe::flat::FlatBuffer;
use coopmat_simulator::program::types::ImageDimensions;
use coopmat_simulator::{Image as Simulated, Sampler};

use crate::bound_images::ImagePart;
use crate::texels::Texels;

/// An image that a descriptor is of, as it was before.
pub struct CapturedImage {
    /// Set, binding, index.
    pub descriptor: (u32, u32, u32),
    pub texels: Texels,
    pub readonly: bool,
    before: Vec<u8>,
}

/// The words of all texels, four channels each.
fn words(image: &Simulated) -> Vec<u8> {
    let [width, height, depth] = image.size().map(i64::from);
    let mut bytes = Vec::new();
    for z in 0..depth {
        for y in 0..height {
            for x in 0..width {
                bytes.extend(image.texel([x, y, z]).iter().flat_map(|word| word.to_le_bytes()));
            }
        }
    }
    bytes
}

impl CapturedImage {
    /// # Errors
    /// What a recipe does not have.
    pub fn new(part: &ImagePart) -> Result<CapturedImage, String> {
        let texels = part.texels().clone();
        let image = texels.load();
        if image.levels() > 1 {
            return Err("an image has several levels of detail, and images of a recipe have one".to_owned());
        }
        if !texels.is_plain() {
            return Err("the components of an image are swizzled, and those of a recipe are not".to_owned());
        }
        if part.is_stored_unrounded() {
            return Err(
                "the shader does not declare the format of an image that it stores to, and a recipe takes the format from the shader"
                    .to_owned(),
            );
        }
        let (descriptor, readonly) = part.place();
        Ok(CapturedImage { descriptor, readonly, before: words(&image), texels })
    }

    /// What a channel holds.
    pub fn element(&self) -> Component {
        match self.texels.format.integers() {
            None => Component::F32,
            Some(true) => Component::S32,
            Some(false) => Component::U32,
        }
    }

    /// The buffer of a recipe that describes it.
    pub fn buffer(&self, name: String) -> FlatBuffer {
        let [width, height, depth] = self.texels.size().map(|length| length as usize);
        let directions = match (self.texels.dimensions, self.texels.arrayed) {
            (ImageDimensions::One | ImageDimensions::Buffer, false) => vec![width],
            (ImageDimensions::One | ImageDimensions::Buffer, true) | (ImageDimensions::Two, false) => {
                vec![height, width]
            }
            _ => vec![depth, height, width],
        };
        let image = Some(directions.into_iter().chain([4]).collect());
        let (bytes, size) = (Some(self.before.clone()), self.before.len());
        FlatBuffer { name, element: self.element(), bytes, size, image }
    }

    /// What it holds now, as numbers.
    pub fn values(&self) -> Vec<f64> {
        let element = self.element();
        let bytes = words(&self.texels.load());
        let words = bytes.as_chunks::<4>().0.iter();
        words.map(|word| element.decode(u64::from(u32::from_le_bytes(*word)))).collect()
    }
}

/// Whether recipes sample as these do: those that are not bound do not matter.
pub fn are_samplers_plain(samplers: &[Sampler]) -> bool {
    let plain = Sampler::default();
    samplers.iter().all(|one| {
        (one.magnify, one.minify, one.address, one.normalized)
            == (plain.magnify, plain.minify, plain.address, plain.normalized)
    })
}
