//! Images of a plan. A recipe describes one as it does a buffer: a direction more, the last one, has a texel's channels.

use coopmat_simulator::program::types::{ImageDimensions, Type};
use coopmat_simulator::{Binding, BindingKind, Image, Program};

use super::PlannedBuffer;
use crate::component::Component;
use crate::model::ElementType;
use crate::read::{Fault, Place};

/// An image, and how its texels are told in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedImage {
    /// Width, height, and depth or layers.
    pub size: [u32; 3],
    /// Of a texel, from 1 to 4.
    pub channels: usize,
    /// What a channel's word holds: a 32-bit float or an integer.
    holds: Component,
}

/// Texels of the largest image: they take 16 bytes each.
const MOST: usize = 1 << 26;

/// The type of an image, without a sampler.
fn type_of<'p>(program: &'p Program, binding: &Binding) -> Option<&'p Type> {
    match program.types().get(binding.type_) {
        Type::SampledImage(image) => Some(program.types().get(*image)),
        other @ Type::Image(_) => Some(other),
        _ => None,
    }
}

/// What the channels of a binding are, where it is an image.
pub fn channel(program: &Program, binding: &Binding) -> Option<Component> {
    let Some(Type::Image(image)) = type_of(program, binding) else { return None };
    Some(match program.types().get(image.sampled_type) {
        Type::Integer { signed: true, .. } => Component::S32,
        Type::Integer { signed: false, .. } => Component::U32,
        _ => Component::F32,
    })
}

/// Directions of an image without its channels.
pub fn directions(program: &Program, binding: &Binding) -> Option<usize> {
    let Some(Type::Image(image)) = type_of(program, binding) else { return None };
    let dimensions = match image.dimensions {
        ImageDimensions::One | ImageDimensions::Buffer => 1,
        ImageDimensions::Two => 2,
        ImageDimensions::Three | ImageDimensions::Cube => 3,
    };
    Some((dimensions + usize::from(image.arrayed && image.dimensions != ImageDimensions::Cube)).min(3))
}

/// Whether a binding is an image.
pub fn is_image(kind: BindingKind) -> bool {
    match kind {
        BindingKind::StorageImage | BindingKind::SampledImage => true,
        BindingKind::StorageBuffer | BindingKind::UniformBuffer | BindingKind::Sampler => false,
    }
}

/// The image that a buffer of the recipe stands for.
pub fn plan(
    program: &Program,
    binding: &Binding,
    buffer: &PlannedBuffer,
    place: &Place,
) -> Result<PlannedImage, Fault> {
    let (Some(holds), Some(directions)) = (channel(program, binding), directions(program, binding)) else {
        return Err(place.fail("the shader has an image of an unknown type here"));
    };
    with_shape(holds, directions, buffer, place)
}

/// The image that a descriptor in a heap is of: its type says what channels hold.
pub fn plan_in_heap(directions: usize, buffer: &PlannedBuffer, place: &Place) -> Result<PlannedImage, Fault> {
    let holds = match buffer.component() {
        Some(component) if component.is_integer() => match component {
            Component::U8 | Component::U16 | Component::U32 | Component::U64 => Component::U32,
            _ => Component::S32,
        },
        _ => Component::F32,
    };
    with_shape(holds, directions, buffer, place)
}

fn with_shape(
    holds: Component,
    directions: usize,
    buffer: &PlannedBuffer,
    place: &Place,
) -> Result<PlannedImage, Fault> {
    let expected = match directions {
        1 => "[width, channels]",
        2 => "[height, width, channels]",
        _ => "[depth, height, width, channels]",
    };
    let Some(extent) = &buffer.extent else {
        return Err(place.fail(format!("`{}` is an image: give it a `shape`, {expected}", buffer.name)));
    };
    if matches!(extent.element, ElementType::Block(_)) {
        return Err(place.then("type").fail("an image has texels, not blocks"));
    }
    let channels = extent.shape.last().copied().unwrap_or(0);
    if extent.shape.len() != directions + 1 || !(1..=4).contains(&channels) {
        return Err(place.then("shape").fail(format!(
            "`{}` is an image of the shader: expected the shape {expected}, with 1 to 4 channels",
            buffer.name
        )));
    }
    let mut size = [1; 3];
    for (slot, length) in size.iter_mut().zip(extent.shape.iter().rev().skip(1)) {
        *slot = u32::try_from(*length).unwrap_or(u32::MAX);
    }
    let texels = size.iter().try_fold(1usize, |texels, length| texels.checked_mul(*length as usize));
    if texels.is_none_or(|texels| texels > MOST) {
        return Err(place.then("shape").fail(format!("this is more than {MOST} texels")));
    }
    Ok(PlannedImage { size, channels, holds })
}

impl PlannedImage {
    /// That another dispatch has something else, in words.
    pub(super) fn differs(&self, name: &str) -> String {
        format!(
            "`{name}` is bound as images of different kinds: its dimensions and its type of texel have to be the same in all shaders"
        )
    }

    fn places(&self) -> impl Iterator<Item = [i64; 3]> + use<> {
        let [width, height, depth] = self.size.map(i64::from);
        (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
    }

    /// The image before the run. Channels that the recipe does not have are 0, the last one 1.
    pub fn filled(&self, bound: Option<(&Program, &Binding)>, buffer: &PlannedBuffer) -> Image {
        let image = Image::new(self.size);
        let type_ = bound.and_then(|(program, binding)| type_of(program, binding));
        let tensor = buffer.elements(&buffer.bytes);
        let values = tensor.as_ref().map_or(&[][..], |tensor| &tensor.data);
        for (at, values) in self.places().zip(values.chunks(self.channels)) {
            let mut texel = [0.0, 0.0, 0.0, 1.0];
            texel.iter_mut().zip(values).for_each(|(channel, value)| *channel = *value);
            let words = texel.map(|value| self.holds.encode(value) as u32);
            match type_ {
                Some(type_) => image.write(type_, at, words),
                None => image.set_texel(at, words),
            }
        }
        image
    }

    /// What the image holds, as the bytes of a buffer of the recipe's type.
    pub fn read(&self, image: &Image, buffer: &PlannedBuffer) -> Vec<u8> {
        let mut bytes = buffer.bytes.clone();
        let Some(mut tensor) = buffer.elements(&bytes) else { return bytes };
        for (at, values) in self.places().zip(tensor.data.chunks_mut(self.channels)) {
            let texel = image.texel(at);
            for (value, word) in values.iter_mut().zip(texel) {
                *value = self.holds.decode(u64::from(word));
            }
        }
        if let Some(extent) = &buffer.extent {
            extent.write(&tensor, &mut bytes);
        }
        bytes
    }
}
