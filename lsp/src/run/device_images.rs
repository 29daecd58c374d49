//! Images and samplers of a recipe for a Vulkan device: texels become bytes of the image's format, and numbers again.

use coopmat_recipe::{Plan, PlannedBuffer, PlannedDispatch, PlannedImage, image_type, takes_sampler};
use coopmat_simulator::formats::{self, FORMATS, Format};
use coopmat_simulator::program::types::{ImageDimensions, ImageType};
use coopmat_simulator::{AddressMode, Border, Channel, Filter, Sampler as Simulated};
use coopmat_spirv::spirv::ImageFormat;
use coopmat_vulkan::{Binding, Image, Sampler};

/// An image of a job: its format, and the recipe's buffers, the first level's first.
pub struct Placed {
    format: &'static Format,
    levels: Vec<usize>,
}

fn place((set, binding, element): (u32, u32, u32)) -> Binding {
    Binding { set, binding, element }
}

/// The images that a dispatch takes, when the recipe's buffers hold these bytes.
///
/// # Errors
/// What devices have not.
pub fn images(
    plan: &Plan,
    dispatch: &PlannedDispatch,
    buffers: &[Vec<u8>],
) -> Result<Vec<(Image, Placed)>, String> {
    let mut all = Vec::new();
    for (index, buffer) in plan.buffers.iter().enumerate() {
        let Some(planned) = buffer.image.as_ref().filter(|_| buffer.level.is_none()) else { continue };
        let bound = dispatch.bindings.iter().filter(|binding| binding.buffer == index);
        let bindings: Vec<Binding> = bound.map(|binding| place(binding.descriptor)).collect();
        let types: Vec<ImageType> = bindings.iter().filter_map(|at| type_of(dispatch, *at)).collect();
        let Some(type_) = types.first() else { continue };
        let format = format_of(planned, &types, &buffer.name)?;
        let levels: Vec<usize> = std::iter::once(index).chain(levels_of(plan, index)).collect();
        let texels =
            levels.iter().map(|level| bytes_of(plan.buffers.get(*level), buffers.get(*level), format));
        let [width, height, depth] = planned.size;
        let (extent, layers) = match (type_.dimensions, type_.arrayed) {
            (ImageDimensions::One, true) => ([width, 1, 1], height),
            (ImageDimensions::Two, true) | (ImageDimensions::Cube, _) => ([width, height, 1], depth),
            _ => ([width, height, depth], 1),
        };
        let image = Image {
            name: buffer.name.clone(),
            bindings,
            extent,
            layers,
            format: format.vulkan,
            texel: format.bytes() as u32,
            components: swizzles(planned.components.0),
            levels: texels.collect(),
        };
        all.push((image, Placed { format, levels }));
    }
    Ok(all)
}

/// The further levels of an image, by their place among the buffers.
fn levels_of(plan: &Plan, image: usize) -> impl Iterator<Item = usize> {
    let is = move |buffer: &PlannedBuffer| buffer.level.is_some_and(|level| level.of == image);
    plan.buffers.iter().enumerate().filter(move |(_, buffer)| is(buffer)).map(|(index, _)| index)
}

/// What the shader has at a place.
fn type_of(dispatch: &PlannedDispatch, at: Binding) -> Option<ImageType> {
    let program = &dispatch.program;
    let mut there = program.interface().bindings.iter();
    let there =
        there.find(|it| (it.set, it.binding) == (at.set, at.binding) && image_type(program, it).is_some());
    image_type(program, there?).copied()
}

/// The recipe's format, or the shader's; otherwise that of four words for a texel, which every number fits.
fn format_of(planned: &PlannedImage, types: &[ImageType], name: &str) -> Result<&'static Format, String> {
    if let Some(format) = planned.format {
        return Ok(format);
    }
    let Some(declared) = types.iter().map(|type_| type_.format).find(|it| *it != ImageFormat::Unknown) else {
        let whole = match planned.integers() {
            None => "R32G32B32A32_SFLOAT",
            Some(true) => "R32G32B32A32_SINT",
            Some(false) => "R32G32B32A32_UINT",
        };
        return formats::named(whole).ok_or_else(|| format!("there is no format {whole}"));
    };
    FORMATS.iter().find(|format| format.shader == Some(declared)).ok_or_else(|| {
        format!(
            "--device vulkan: the shader has the format {declared:?} for `{name}`, which runs on a device do not have: run this shader on the simulator"
        )
    })
}

fn bytes_of(buffer: Option<&PlannedBuffer>, bytes: Option<&Vec<u8>>, format: &Format) -> Vec<u8> {
    let Some((buffer, bytes)) = buffer.zip(bytes) else { return Vec::new() };
    let (Some(image), Some(tensor)) = (&buffer.image, buffer.elements(bytes)) else { return Vec::new() };
    tensor.data.chunks(image.channels).flat_map(|values| format.encode(image.words(values))).collect()
}

/// `VkComponentSwizzle`, where a component from itself is `IDENTITY`.
fn swizzles(components: [Channel; 4]) -> [i32; 4] {
    let mut all = [0; 4];
    for ((own, slot), channel) in (0u8..).zip(&mut all).zip(components) {
        *slot = match channel {
            Channel::Of(other) if other == own => 0,
            Channel::Zero => 1,
            Channel::One => 2,
            Channel::Of(other) => 3 + i32::from(other & 3),
        };
    }
    all
}

impl Placed {
    /// Puts what the device left into the recipe's buffers.
    pub fn read(&self, plan: &Plan, levels: &[Vec<u8>], buffers: &mut [Vec<u8>]) {
        let size = self.format.bytes() as usize;
        for (index, bytes) in self.levels.iter().zip(levels) {
            let (Some(buffer), Some(slot)) = (plan.buffers.get(*index), buffers.get_mut(*index)) else {
                continue;
            };
            let Some(image) = &buffer.image else { continue };
            let [width, height, _] = image.size.map(|length| length as usize);
            *slot = image.read_from(buffer, |at| {
                let [x, y, z] = at.map(|length| length as usize);
                let start = ((z * height + y) * width + x) * size;
                bytes.get(start..start + size).map_or([0; 4], |texel| self.format.decode(texel))
            });
        }
    }
}

/// The samplers of a dispatch: the recipe's, and at the other places the one that takes the nearest texel and that at the edge, as the simulator does.
pub fn samplers(dispatch: &PlannedDispatch) -> Vec<Sampler> {
    let mut all: Vec<Sampler> = Vec::new();
    for planned in &dispatch.samplers {
        let at = place(planned.descriptor);
        match all.iter_mut().find(|known| known.name == planned.name) {
            Some(known) => known.bindings.push(at),
            None => all.push(described(&planned.name, vec![at], &planned.sampler)),
        }
    }
    let interface = dispatch.program.interface();
    let mut without = Vec::new();
    for binding in interface.bindings.iter().filter(|it| takes_sampler(&dispatch.program, it)) {
        let here = |given: &&(u32, u32, u32)| (given.0, given.1) == (binding.set, binding.binding);
        let images = dispatch.bindings.iter().map(|it| &it.descriptor);
        let samplers = dispatch.samplers.iter().map(|it| &it.descriptor);
        let given = images.chain(samplers).filter(here).map(|it| it.2 + 1).max();
        let count = binding.count.or(given).unwrap_or(1);
        let places =
            (0..count).map(|element| Binding { set: binding.set, binding: binding.binding, element });
        without.extend(places.filter(|at| !all.iter().any(|known| known.bindings.contains(at))));
    }
    without.sort_unstable();
    without.dedup();
    if !without.is_empty() {
        all.push(described("the default", without, &Simulated::default()));
    }
    all
}

fn described(name: &str, bindings: Vec<Binding>, sampler: &Simulated) -> Sampler {
    let filters = [sampler.magnify, sampler.minify, sampler.between_levels];
    Sampler {
        name: name.to_owned(),
        bindings,
        linear: filters.map(|filter| filter == Filter::Linear),
        address_modes: sampler.address.map(|mode| match mode {
            AddressMode::Repeat => 0,
            AddressMode::MirroredRepeat => 1,
            AddressMode::ClampToEdge => 2,
            AddressMode::ClampToBorder => 3,
            AddressMode::MirrorClampToEdge => 4,
        }),
        bias: sampler.bias,
        levels: sampler.levels,
        border: match sampler.border {
            Border::TransparentBlack => 0,
            Border::OpaqueBlack => 1,
            Border::OpaqueWhite => 2,
        },
        unnormalized: !sampler.normalized,
    }
}
