//! Images and samplers of a captured dispatch: a recipe has an image for each view, with texels of four channels each, and a buffer for each further
//! level of detail.

use coopmat_recipe::component::Component;
use coopmat_recipe::flat::{FlatBuffer, FlatImage};
use coopmat_recipe::model::{self, Components};
use coopmat_simulator::program::types::ImageDimensions;
use coopmat_simulator::{Image as Simulated, Sampler};

use crate::bound_images::ImagePart;
use crate::texels::Texels;

/// Set, binding, index.
pub type Place = (u32, u32, u32);

/// An image that a descriptor is of, as it was before.
pub struct CapturedImage {
    pub descriptor: Place,
    pub texels: Texels,
    pub readonly: bool,
    before: Simulated,
}

/// The words of all texels of a level, four channels each.
fn words(image: &Simulated, level: u32) -> Vec<u8> {
    let [width, height, depth] = image.size_of(level).map(i64::from);
    let mut bytes = Vec::new();
    for z in 0..depth {
        for y in 0..height {
            for x in 0..width {
                bytes.extend(image.texel_of(level, [x, y, z]).iter().flat_map(|word| word.to_le_bytes()));
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
        if let Some(mismatch) = part.mismatch() {
            return Err(format!("{mismatch}, and an image of a recipe is what the shader has"));
        }
        let (descriptor, readonly) = part.place();
        Ok(CapturedImage { descriptor, readonly, before: texels.load(), texels })
    }

    /// What a channel holds.
    pub fn element(&self) -> Component {
        match self.texels.format.integers() {
            None => Component::F32,
            Some(true) => Component::S32,
            Some(false) => Component::U32,
        }
    }

    /// The buffers of a recipe that describe it, of which the first one is the `index`th: itself, and its further levels.
    pub fn buffers(&self, name: &str, index: usize) -> Vec<FlatBuffer> {
        let components = Components(self.texels.swizzle());
        let level = |level: u32| {
            let [width, height, depth] = self.before.size_of(level).map(|length| length as usize);
            let directions = match (self.texels.dimensions, self.texels.arrayed) {
                (ImageDimensions::One | ImageDimensions::Buffer, false) => vec![width],
                (ImageDimensions::One | ImageDimensions::Buffer, true) | (ImageDimensions::Two, false) => {
                    vec![height, width]
                }
                _ => vec![depth, height, width],
            };
            let first = level == 0;
            let image = FlatImage {
                shape: directions.into_iter().chain([4]).collect(),
                format: first.then_some(self.texels.format.name),
                components: (first && components != Components::IDENTITY).then(|| components.text()),
                level: (!first).then_some((index, level)),
            };
            let bytes = words(&self.before, level);
            FlatBuffer {
                name: if first { name.to_owned() } else { format!("{name}level{level}") },
                element: self.element(),
                size: bytes.len(),
                bytes: Some(bytes),
                image: Some(image),
                addresses: Vec::new(),
            }
        };
        (0..self.before.levels()).map(level).collect()
    }

    /// What its first level holds now, as numbers: shaders store to no other.
    pub fn values(&self) -> Vec<f64> {
        let element = self.element();
        let bytes = words(&self.texels.load(), 0);
        let words = bytes.as_chunks::<4>().0.iter();
        words.map(|word| element.decode(u64::from(u32::from_le_bytes(*word)))).collect()
    }
}

/// The samplers of a recipe, each once, and which one is bound where.
pub fn samplers(bound: &[(Place, Sampler)]) -> (Vec<model::Sampler>, Vec<(Place, usize)>) {
    let mut different: Vec<Sampler> = Vec::new();
    let places = bound.iter().map(|(place, sampler)| {
        let known = different.iter().position(|known| known == sampler).unwrap_or_else(|| {
            different.push(*sampler);
            different.len() - 1
        });
        (*place, known)
    });
    let places = places.collect();
    let named = different.iter().enumerate();
    (named.map(|(number, sampler)| model::Sampler::of(format!("sampler{number}"), sampler)).collect(), places)
}
