//! Images: loads and stores of texels, sizes; samples are in `sampling`.

mod sampling;

use coopmat_spirv::dr::{Instruction as Source, Operand};
use coopmat_spirv::spirv::ImageOperands;
use coopmat_spirv::{Opcode, opcode};

use super::atomics::Operands;
use crate::code::{Detail, ImageInstruction, ImageOp, Instruction};
use crate::machine::{Context, MAXIMUM_LANES, Mask, lanes_of};
use crate::memory::{Image, Target};
use crate::numerics::words::{from_half, to_half};
use crate::program::types::{ImageDimensions, ImageType, Scalar};
use crate::program::{Lowering, Place, Slot, Type, TypeId, Value};
use crate::{ProgramError, RunError};

/// The image type of a value: of an image, or of an image with a sampler.
fn image_type(lowering: &Lowering, type_: TypeId) -> Result<ImageType, ProgramError> {
    match lowering.types().get(type_) {
        Type::Image(image) => Ok(*image),
        Type::SampledImage(image) => image_type(lowering, *image),
        _ => Err(ProgramError::new("expected an image")),
    }
}

/// What an instruction says about an image beyond its coordinates (SPIR-V, "Image Operands").
struct Given {
    detail: Detail,
    offset: Option<Slot>,
    smallest: Option<Slot>,
}

/// A value of so many 32-bit integers, or of more.
fn integer(lowering: &Lowering, value: Value, count: u32) -> Result<Slot, ProgramError> {
    match lowering.numbers(value.type_)? {
        (Scalar::Integer { width: 32, .. }, given) if given >= count => Ok(value.slot),
        _ => Err(ProgramError::new(
            "an offset, and the level of a fetch, should be 32-bit integers, as many as the image has directions",
        )),
    }
}

/// The operands of an instruction, which follow their mask in the order of its bits.
fn operands(
    lowering: &mut Lowering,
    source: &Source,
    op: ImageOp,
    directions: u32,
) -> Result<Given, ProgramError> {
    let mut found = Given { detail: Detail::First, offset: None, smallest: None };
    let mask = source.operands.iter().enumerate().find_map(|(index, operand)| match operand {
        Operand::ImageOperands(bits) => Some((index, *bits)),
        _ => None,
    });
    let Some((index, bits)) = mask else { return Ok(found) };
    let mut next = index + 1;
    let mut take = |lowering: &mut Lowering| {
        next += 1;
        lowering.operand(source, next - 1)
    };
    let float = |lowering: &Lowering, value: Value, count: u32| match lowering.numbers(value.type_)? {
        (Scalar::Float(format), given) if format.width() == 32 && given >= count => Ok(value.slot),
        _ => Err(ProgramError::new(
            "a level of detail, a bias and gradients should be 32-bit floats, as many as the image has directions",
        )),
    };
    if bits.contains(ImageOperands::BIAS) {
        let bias = take(lowering)?;
        found.detail = Detail::Bias(float(lowering, bias, 1)?);
    }
    if bits.contains(ImageOperands::LOD) {
        let level = take(lowering)?;
        found.detail = Detail::Level(match op {
            ImageOp::Sample | ImageOp::Gather => float(lowering, level, 1)?,
            _ => integer(lowering, level, 1)?,
        });
    }
    if bits.contains(ImageOperands::GRAD) {
        let (x, y) = (take(lowering)?, take(lowering)?);
        found.detail = Detail::Gradients(float(lowering, x, directions)?, float(lowering, y, directions)?);
    }
    for bit in [ImageOperands::CONST_OFFSET, ImageOperands::OFFSET] {
        if bits.contains(bit) {
            let offset = take(lowering)?;
            found.offset = Some(integer(lowering, offset, directions)?);
        }
    }
    if bits.intersects(ImageOperands::CONST_OFFSETS | ImageOperands::SAMPLE) {
        return Err(ProgramError::new("images with several samples, and several offsets, are not supported"));
    }
    if bits.contains(ImageOperands::MIN_LOD) {
        let smallest = take(lowering)?;
        found.smallest = Some(float(lowering, smallest, 1)?);
    }
    // The others are scopes of memory, and how components are extended, which an image's type says.
    Ok(found)
}

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    let op = match opcode(source) {
        Opcode::ImageRead => ImageOp::Read,
        Opcode::ImageWrite => ImageOp::Write,
        Opcode::ImageFetch => ImageOp::Fetch,
        Opcode::ImageSampleExplicitLod
        | Opcode::ImageSampleImplicitLod
        | Opcode::ImageSampleProjExplicitLod
        | Opcode::ImageSampleProjImplicitLod => ImageOp::Sample,
        Opcode::ImageGather => ImageOp::Gather,
        Opcode::ImageQuerySize | Opcode::ImageQuerySizeLod => ImageOp::Size,
        Opcode::ImageQueryLevels => ImageOp::Levels,
        Opcode::ImageQuerySamples => ImageOp::Samples,
        Opcode::SampledImage => {
            let (image, sampler) = (lowering.operand(source, 0)?, lowering.operand(source, 1)?);
            let result = lowering.result(source)?;
            let types = [image, sampler, result].map(|value| lowering.types().get(value.type_));
            let [Type::Image(_), Type::Sampler, Type::SampledImage(_)] = types else {
                return Err(ProgramError::new(
                    "OpSampledImage should make a sampled image of an image and a sampler",
                ));
            };
            lowering.emit(Instruction::copy(result.slot, image.slot, 1));
            lowering.emit(Instruction::copy(result.slot.offset(1), sampler.slot, 1));
            return Ok(true);
        }
        Opcode::Image => {
            let image = lowering.operand(source, 0)?;
            let result = lowering.result(source)?;
            let types = [image, result].map(|value| lowering.types().get(value.type_));
            let [Type::SampledImage(_), Type::Image(_)] = types else {
                return Err(ProgramError::new("OpImage should make an image of a sampled image"));
            };
            lowering.emit(Instruction::copy(result.slot, image.slot, 1));
            return Ok(true);
        }
        _ => return Ok(false),
    };
    let projected =
        matches!(opcode(source), Opcode::ImageSampleProjExplicitLod | Opcode::ImageSampleProjImplicitLod);
    let sampled = matches!(op, ImageOp::Sample | ImageOp::Gather);
    let image = lowering.operand(source, 0)?;
    let type_ = image_type(lowering, image.type_)?;
    if sampled && !matches!(lowering.types().get(image.type_), Type::SampledImage(_)) {
        return Err(ProgramError::new("what is sampled should be an image with its sampler"));
    }
    if type_.multisampled {
        return Err(ProgramError::new("images with several samples of a texel are not supported"));
    }
    let queries = matches!(op, ImageOp::Size | ImageOp::Levels | ImageOp::Samples);
    let at = if queries { image } else { lowering.operand(source, 1)? };
    let texel = match op {
        ImageOp::Write => lowering.operand(source, 2)?,
        _ => lowering.result(source)?,
    };
    // A cube's third coordinate is a face of a layer, but where it is sampled.
    let layers = type_.arrayed && (type_.dimensions != ImageDimensions::Cube || sampled);
    let coordinates = type_.dimensions.count() + u32::from(layers);
    let mut given = operands(lowering, source, op, type_.dimensions.count())?;
    if type_.dimensions == ImageDimensions::Cube && matches!(given.detail, Detail::Gradients(..)) {
        return Err(ProgramError::new("cube images are not sampled by gradients, but by a level of detail"));
    }
    if opcode(source) == Opcode::ImageQuerySizeLod {
        let level = lowering.operand(source, 1)?;
        given.detail = Detail::Level(integer(lowering, level, 1)?);
    }
    if !queries {
        let (scalar, given) = lowering.numbers(at.type_)?;
        let fits = match (sampled, scalar) {
            (true, Scalar::Float(format)) => format.width() == 32,
            (false, Scalar::Integer { width: 32, .. }) => true,
            _ => false,
        };
        if given < coordinates + u32::from(projected) || !fits {
            return Err(ProgramError::new("an image with coordinates of another kind"));
        }
    }
    let component = match op {
        ImageOp::Gather => {
            let component = lowering.operand(source, 2)?;
            if !matches!(type_.dimensions, ImageDimensions::Two) {
                return Err(ProgramError::new("only images of two dimensions are gathered from"));
            }
            Some(integer(lowering, component, 1)?)
        }
        _ => None,
    };
    let (scalar, count) = lowering.numbers(texel.type_)?;
    if count > 4 {
        return Err(ProgramError::new("a texel has up to four components"));
    }
    lowering.emit(Instruction::Image(Box::new(ImageInstruction {
        op,
        type_,
        coordinates,
        image: image.slot,
        at: at.slot,
        texel: texel.slot,
        scalar,
        count,
        detail: given.detail,
        offset: given.offset,
        smallest: given.smallest,
        component,
        projected,
    })));
    Ok(true)
}

/// `OpImageTexelPointer`: where an atomic operation happens.
pub(super) fn lower_texel_pointer(lowering: &mut Lowering, source: &Source) -> Result<(), ProgramError> {
    let untyped = opcode(source) == Opcode::UntypedImageTexelPointerEXT;
    let (first, type_) = match untyped {
        true => (1, Some(lowering.types().by_id(lowering.id(source, 0)?)?)),
        false => (0, None),
    };
    let place = lowering.place_operand(source, first)?;
    let (pointer, type_) = lowering.image_at(&place, type_)?;
    let coordinates = lowering.operand(source, first + 1)?;
    let image_type = image_type(lowering, type_)?;
    let coordinates = Value { slot: coordinates.slot, type_: coordinates.type_ };
    let place =
        Place::Texel { image: pointer, image_type: type_, coordinates, type_: image_type.sampled_type };
    lowering.set_place(source, place)
}

/// An image and its number.
fn image_of<'e>(cx: &Context<'_, 'e>, descriptor: u32) -> Option<(u32, &'e Image)> {
    match cx.env.descriptors.get(descriptor as usize)? {
        Target::Image(index) => Some((*index, cx.env.images.get(*index as usize)?)),
        Target::Nothing | Target::Buffer(_) => None,
    }
}

/// Integer coordinates of a lane.
fn coordinates(cx: &Context, first: u32, count: u32, lane: usize) -> [i64; 3] {
    let mut at = [0; 3];
    for index in 0..count.min(3) {
        at[index as usize] = i64::from(cx.registers.get(first + index, lane) as i32);
    }
    at
}

/// Changes the first word of a texel, or reads it alone; what was there, and whether that is undefined.
pub(super) fn update_texel(
    cx: &mut Context,
    operands: &Operands,
    image: Slot,
    at: Slot,
    count: u32,
    lane: usize,
) -> (u64, bool) {
    let (image, at) = (cx.plane(image), cx.plane(at));
    let Some((number, image)) = image_of(cx, cx.registers.get(image, lane)) else { return (0, false) };
    let at = coordinates(cx, at, count, lane);
    let mut texel = image.texel(at);
    let old = u64::from(texel[0]);
    let undefined = cx.env.settings.checked
        && match operands.update(old) {
            None => cx.check_texel_read(lane, number, (0, at)),
            Some(update) => cx.check_texel_update(lane, number, (0, at), update),
        };
    texel[0] = operands.change(old) as u32;
    image.set_texel(at, texel);
    (old, undefined)
}

/// The word that is 1 in an image.
fn one(scalar: Scalar) -> u32 {
    if matches!(scalar, Scalar::Float(_)) { 1f32.to_bits() } else { 1 }
}

/// The size of a level, as its query gives it.
fn size(i: &ImageInstruction, image: &Image, level: u32) -> [u32; 4] {
    let [width, height, depth] = image.size_of(level);
    match (i.type_.dimensions, i.type_.arrayed) {
        (ImageDimensions::One | ImageDimensions::Buffer, false) => [width, 0, 0, 0],
        (ImageDimensions::One | ImageDimensions::Buffer, true) => [width, height, 0, 0],
        (ImageDimensions::Cube, true) => [width, height, depth / 6, 0],
        (ImageDimensions::Two | ImageDimensions::Cube, false) => [width, height, 0, 0],
        (ImageDimensions::Two | ImageDimensions::Three, _) => [width, height, depth, 0],
    }
}

pub(super) fn execute(instruction: &ImageInstruction, cx: &mut Context) -> Result<(), RunError> {
    let i = instruction;
    let (image_plane, at, texel) = (cx.plane(i.image), cx.plane(i.at), cx.plane(i.texel));
    let mut out = [[0u32; 4]; MAXIMUM_LANES];
    let checked = cx.env.settings.checked;
    let mut undefined: Mask = 0;
    if checked && !matches!(i.op, ImageOp::Size | ImageOp::Levels | ImageOp::Samples) {
        for plane in at..at + i.coordinates + u32::from(i.projected) {
            cx.check_defined(plane, cx.mask(), "the coordinate");
        }
    }
    let halves = matches!(i.scalar, Scalar::Float(format) if format.width() == 16);
    for lane in lanes_of(cx.registers.mask()) {
        let Some((number, image)) = image_of(cx, cx.registers.get(image_plane, lane)) else { continue };
        let level = match i.detail {
            Detail::Level(level) if !matches!(i.op, ImageOp::Sample | ImageOp::Gather) => {
                cx.registers.get(cx.plane(level), lane)
            }
            _ => 0,
        };
        out[lane] = match i.op {
            ImageOp::Read | ImageOp::Fetch => {
                let mut at = coordinates(cx, at, i.coordinates, lane);
                for (at, offset) in at.iter_mut().zip(sampling::offset(i, cx, lane)) {
                    *at += offset;
                }
                if checked && cx.check_texel_read(lane, number, (level, at)) {
                    undefined |= 1 << lane;
                }
                image.seen(image.texel_of(level, at), one(i.scalar))
            }
            ImageOp::Write => {
                let mut words = [0; 4];
                for index in 0..i.count {
                    let word = cx.registers.get(texel + index, lane);
                    words[index as usize] = if halves { from_half(word).to_bits() } else { word };
                }
                let words = image.rounded(i.type_.format, words);
                let at = coordinates(cx, at, i.coordinates, lane);
                if checked {
                    cx.check_stored_texel(lane, texel, i.scalar, i.count);
                    let changes = image.texel(at) != words;
                    cx.check_texel_write(lane, number, (0, at), changes);
                }
                image.set_texel(at, words);
                continue;
            }
            ImageOp::Sample => {
                let (texel, unwritten) = sampling::sample(i, cx, lane, (number, image));
                undefined |= Mask::from(unwritten) << lane;
                texel
            }
            ImageOp::Gather => {
                let (texels, unwritten) = sampling::gather(i, cx, lane, (number, image));
                undefined |= Mask::from(unwritten) << lane;
                texels
            }
            ImageOp::Size => size(i, image, level),
            ImageOp::Levels => [image.levels(), 0, 0, 0],
            ImageOp::Samples => [1, 0, 0, 0],
        };
    }
    if i.op == ImageOp::Write {
        return Ok(());
    }
    for index in 0..i.count {
        let word = |lane: usize| {
            let word = out[lane][index as usize];
            if halves { to_half(f32::from_bits(word)) } else { word }
        };
        let plane = texel + index * i.scalar.planes();
        cx.registers.set_lanes(plane, word);
        if undefined != 0 {
            cx.registers.set_undefined(plane, undefined);
        }
    }
    Ok(())
}
