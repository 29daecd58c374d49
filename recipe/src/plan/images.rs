//! Images of a plan. A recipe describes one as it does a buffer: a direction more, the last one, has a texel's channels.

use coopmat_simulator::formats::Format;
use coopmat_simulator::program::types::{ImageDimensions, ImageType, Type};
use coopmat_simulator::{Binding, BindingKind, Image, Program};
use coopmat_spirv::spirv::ImageFormat;

use super::{Plan, PlannedBuffer};
use crate::component::Component;
use crate::model::{Buffer, Components, ElementType, MipLevel, TexelFormat};
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
    /// What texels are stored as, where the recipe says it.
    pub format: Option<&'static Format>,
    /// Which components shaders see.
    pub components: Components,
    /// Directions in which a level is half as large as the one before; none where there can be no other level.
    halved: usize,
}

/// That a buffer is a further level of detail of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedLevel {
    /// The image by its place in [`Plan::buffers`].
    pub of: usize,
    /// From 1.
    pub number: u32,
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

/// The same, as what it is.
pub fn image_type<'p>(program: &'p Program, binding: &Binding) -> Option<&'p ImageType> {
    match type_of(program, binding) {
        Some(Type::Image(image)) => Some(image),
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
    written: &Buffer,
    buffer: &PlannedBuffer,
    place: &Place,
) -> Result<PlannedImage, Fault> {
    let (Some(holds), Some(directions), Some(type_)) =
        (channel(program, binding), directions(program, binding), image_type(program, binding))
    else {
        return Err(place.fail("the shader has an image of an unknown type here"));
    };
    let mut image = with_shape(holds, directions, written, buffer, place)?;
    image.halved = match type_.dimensions {
        ImageDimensions::One => 1,
        ImageDimensions::Two | ImageDimensions::Cube => 2,
        ImageDimensions::Three => 3,
        ImageDimensions::Buffer => 0,
    };
    if let (Some(format), BindingKind::StorageImage) = (image.format, binding.kind) {
        let name = format.name;
        let Some(stored) = format.shader else {
            return Err(place.then("format").fail(format!("shaders store to no image of the format {name}")));
        };
        if type_.format != ImageFormat::Unknown && type_.format != stored {
            return Err(place.then("format").fail(format!(
                "the shader has the format {:?} for `{}`, which {name} is not: leave `format` out, as the shader says it",
                type_.format, buffer.name
            )));
        }
    }
    Ok(image)
}

/// The image that a descriptor in a heap is of: its type says what channels hold.
pub fn plan_in_heap(
    directions: usize,
    written: &Buffer,
    buffer: &PlannedBuffer,
    place: &Place,
) -> Result<PlannedImage, Fault> {
    let holds = match buffer.component() {
        Some(component) if component.is_integer() => match component {
            Component::U8 | Component::U16 | Component::U32 | Component::U64 => Component::U32,
            _ => Component::S32,
        },
        _ => Component::F32,
    };
    with_shape(holds, directions, written, buffer, place)
}

/// The shape of a level: width, height and depth halved as often as it says, and the channels of its image.
pub fn shape_of_level(base: &PlannedBuffer, level: PlannedLevel) -> Vec<usize> {
    let (Some(image), Some(extent)) = (&base.image, &base.extent) else { return Vec::new() };
    let mut shape = extent.shape.clone();
    for (length, size) in shape.iter_mut().rev().skip(1).zip(image.size_of(level.number)) {
        *length = size as usize;
    }
    shape
}

/// A further level of an image.
pub fn plan_level(
    base: &PlannedBuffer,
    level: PlannedLevel,
    buffer: &PlannedBuffer,
    place: &Place,
) -> Result<PlannedImage, Fault> {
    let expected = shape_of_level(base, level);
    let (Some(image), Some(extent)) = (&base.image, &buffer.extent) else {
        return Err(
            place.fail(format!("`{}` is a level of an image: it has elements, not members", buffer.name))
        );
    };
    if extent.shape != expected {
        return Err(place.then("shape").fail(format!(
            "level {} of `{}` has the shape {expected:?}, found {:?}: leave `shape` out",
            level.number, base.name, extent.shape
        )));
    }
    if buffer.component().is_none() {
        return Err(place.then("type").fail("an image has texels, not blocks"));
    }
    if buffer.uninitialised != base.uninitialised {
        return Err(place.then("fill").fail(format!(
            "`{}` and its levels are `uninitialised` together or not at all: whether texels were written is known of a whole image",
            base.name
        )));
    }
    Ok(PlannedImage { size: image.size_of(level.number), ..image.clone() })
}

impl Plan {
    /// Of which image a buffer of the recipe is a level.
    pub(super) fn level_of(&self, buffer: &Buffer, place: &Place) -> Result<Option<PlannedLevel>, Fault> {
        let Some(MipLevel { of, level: number }) = &buffer.mip_level else { return Ok(None) };
        let place = place.then("mip-level");
        let number = *number;
        if buffer.set.is_some() || buffer.binding.is_some() || buffer.index.is_some() || buffer.heap.is_some()
        {
            return Err(
                place.fail(format!("a level is bound with its image, `{of}`: it has no place of its own"))
            );
        }
        let base = self.buffers.iter().position(|other| other.name == *of);
        let found = base.and_then(|base| Some((base, self.buffers.get(base)?.image.as_ref()?)));
        let Some((base, image)) = found else {
            let message =
                format!("there is no image `{of}` before `{}`: levels follow their image", buffer.name);
            return Err(place.then("of").fail(message));
        };
        if self.buffers.get(base).is_some_and(|base| base.level.is_some()) {
            return Err(place
                .then("of")
                .fail(format!("`{of}` is a level itself: name the image that it is of")));
        }
        if image.halved == 0 {
            let message = format!("`{of}` has one level: it is a buffer of texels, or in a heap");
            return Err(place.then("of").fail(message));
        }
        let there = self.levels(base).count() as u32;
        let largest = image.size.iter().take(image.halved).max().copied().unwrap_or(1);
        let most = largest.max(1).ilog2();
        if number != there || number > most {
            return Err(place.then("level").fail(match there > most {
                true => format!("`{of}` has no level {number}: the last one, of a single texel, is {most}"),
                false => {
                    format!("expected level {there} of `{of}`, found {number}: levels come in their order")
                }
            }));
        }
        Ok(Some(PlannedLevel { of: base, number }))
    }
}

fn integers(holds: Component) -> Option<bool> {
    match holds {
        Component::S32 => Some(true),
        Component::U32 => Some(false),
        _ => None,
    }
}

fn with_shape(
    holds: Component,
    directions: usize,
    written: &Buffer,
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
    let format = written.format.map(|TexelFormat(format)| format);
    let integers = integers(holds);
    if let Some(format) = format.filter(|format| format.integers() != integers) {
        return Err(place.then("format").fail(format!(
            "`{}` holds {}, and the format {} does not",
            buffer.name,
            match integers {
                None => "floats",
                Some(true) => "signed integers",
                Some(false) => "unsigned integers",
            },
            format.name
        )));
    }
    let components = written.components.unwrap_or(Components::IDENTITY);
    Ok(PlannedImage { size, channels, holds, format, components, halved: 0 })
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

    /// Whether channels are integers, and whether these have signs.
    pub fn integers(&self) -> Option<bool> {
        integers(self.holds)
    }

    /// The size of a level.
    fn size_of(&self, level: u32) -> [u32; 3] {
        let mut size = self.size;
        for length in size.iter_mut().take(self.halved) {
            *length = (*length >> level).max((*length).min(1));
        }
        size
    }

    /// The words of a texel. Channels that the recipe does not have are 0, the last one 1.
    pub fn words(&self, values: &[f64]) -> [u32; 4] {
        let mut texel = [0.0, 0.0, 0.0, 1.0];
        texel.iter_mut().zip(values).for_each(|(channel, value)| *channel = *value);
        texel.map(|value| self.holds.encode(value) as u32)
    }

    /// The image before the run, with the levels that are given: itself first.
    pub fn filled(&self, bound: Option<(&Program, &Binding)>, levels: &[&PlannedBuffer]) -> Image {
        let mut image =
            Image::with_levels(self.size, levels.len() as u32, self.halved).swizzled(self.components.0);
        if let Some(format) = self.format {
            image = image.stored_as(format.shader.unwrap_or(ImageFormat::Unknown), format.channels());
        }
        let type_ = bound.and_then(|(program, binding)| type_of(program, binding));
        for (number, level) in (0..).zip(levels) {
            let tensor = level.elements(&level.bytes);
            let values = tensor.as_ref().map_or(&[][..], |tensor| &tensor.data);
            let places = PlannedImage { size: self.size_of(number), ..self.clone() }.places();
            for (at, values) in places.zip(values.chunks(self.channels)) {
                let words = self.words(values);
                let words = match (self.format, type_) {
                    (Some(format), _) => format.decode(&format.encode(words)),
                    (None, Some(type_)) => image.as_type(type_, words),
                    (None, None) => words,
                };
                image.set_texel_of(number, at, words);
            }
        }
        image
    }

    /// What a level of the image holds, as the bytes of a buffer of the recipe's type.
    pub fn read(&self, image: &Image, buffer: &PlannedBuffer, level: u32) -> Vec<u8> {
        self.read_from(buffer, |at| image.texel_of(level, at))
    }

    /// The same of texels from elsewhere.
    pub fn read_from(&self, buffer: &PlannedBuffer, texel: impl Fn([i64; 3]) -> [u32; 4]) -> Vec<u8> {
        let mut bytes = buffer.bytes.clone();
        let Some(mut tensor) = buffer.elements(&bytes) else { return bytes };
        for (at, values) in self.places().zip(tensor.data.chunks_mut(self.channels)) {
            for (value, word) in values.iter_mut().zip(texel(at)) {
                *value = self.holds.decode(u64::from(word));
            }
        }
        if let Some(extent) = &buffer.extent {
            extent.write(&tensor, &mut bytes);
        }
        bytes
    }
}
