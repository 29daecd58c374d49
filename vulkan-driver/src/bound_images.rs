//! Images and samplers of a dispatch: those that the shader's bindings refer to become the simulator's, and what the dispatch wrote becomes bytes of
//! their memory.

use std::ops::Range;

use ash::vk::ImageLayout;
use coopmat_simulator::program::types::{ImageType, Type};
use coopmat_simulator::{Binding, BindingKind, Image as Simulated, ImageId, Program, Resources, Sampler};
use coopmat_spirv::spirv::ImageFormat;

use crate::capture::Part;
use crate::descriptors::{Descriptor, Sampling};
use crate::driver::Driver;
use crate::fault::Fault;
use crate::hazards::scopes::{self, Uses};
use crate::placing::Placed;
use crate::texels::Texels;
use crate::watched::Seen;

/// Set, binding, index.
type Place = (u32, u32, u32);

/// What a descriptor of an image is of.
pub struct ImagePart {
    descriptor: Place,
    texels: Texels,
    readonly: bool,
    uses: Uses,
    /// What of the view is not as the shader has it.
    mismatch: Option<String>,
}

/// An image of the simulator's.
pub struct PlacedImage {
    pub texels: Texels,
    pub id: ImageId,
    /// Whether the shader may write there.
    pub written: bool,
    /// As what it may be read.
    pub uses: Uses,
    before: Option<Simulated>,
}

impl ImagePart {
    pub fn texels(&self) -> &Texels {
        &self.texels
    }

    /// The descriptor, and whether the shader only reads there.
    pub fn place(&self) -> (Place, bool) {
        (self.descriptor, self.readonly)
    }

    /// What of the view is not as the shader has it.
    pub fn mismatch(&self) -> Option<&str> {
        self.mismatch.as_deref()
    }

    /// The image, if it is not of a buffer.
    pub fn image(&self) -> Option<u64> {
        self.texels.image.map(|(image, _)| image)
    }
}

impl PlacedImage {
    /// The memory that commands are held against; the image is the simulator's of this number.
    pub fn placed(&self, number: usize) -> Placed {
        let Range { start, end } = self.texels.reach();
        let (block, memory) = (self.texels.block.clone(), self.texels.memory);
        let index = Some(Seen::Image(number));
        Placed { buffer: None, index, block, memory, start, end, written: self.written, uses: self.uses }
    }

    /// Writes back what the dispatch has changed.
    pub fn store(&self, resources: &Resources) {
        if let (Some(before), Some(after)) = (&self.before, resources.image_of(self.id)) {
            self.texels.store(before, after);
        }
    }
}

/// The image type of a binding.
fn type_of<'p>(program: &'p Program, binding: &Binding) -> Option<&'p ImageType> {
    let of = |type_| match program.types().get(type_) {
        Type::Image(image) => Ok(image),
        other => Err(other),
    };
    match of(binding.type_) {
        Ok(image) => Some(image),
        Err(Type::SampledImage(image)) => of(*image).ok(),
        Err(_) => None,
    }
}

/// A layout that a descriptor may say and the image be in.
fn fits(descriptor: ImageLayout, kind: BindingKind) -> bool {
    match kind {
        BindingKind::StorageImage => descriptor == ImageLayout::GENERAL,
        _ => matches!(
            descriptor,
            ImageLayout::GENERAL | ImageLayout::SHADER_READ_ONLY_OPTIMAL | ImageLayout::READ_ONLY_OPTIMAL
        ),
    }
}

impl Driver {
    /// What a descriptor of an image, of texels or of a sampler is of: both, where it has both. Faults are for the report; a shader that is bound to
    /// nothing reads zeros.
    pub fn image_part(
        &mut self,
        (program, binding): (&Program, &Binding),
        (descriptor, place): (Option<&Descriptor>, Place),
        is_used: bool,
        faults: &mut Vec<Fault>,
    ) -> (Option<ImagePart>, Option<Sampler>) {
        let (set, number, _) = place;
        let at = format!("set {set}, binding {number} ({})", binding.name);
        let wants_image = binding.kind != BindingKind::Sampler;
        let mut sampling = None;
        let mut found = None;
        match descriptor {
            Some(Descriptor::Image { view, layout, sampler }) => {
                sampling = Some(*sampler);
                found = Some((self.texels_of_image(*view), Some(*layout)));
            }
            Some(Descriptor::Texels(view)) => found = Some((self.texels_of_buffer(*view), None)),
            Some(Descriptor::Sampler(sampler)) => sampling = Some(*sampler),
            Some(Descriptor::Nothing) | None => {}
            Some(other) => faults.push(Fault::misuse(format!(
                "{at} is {}, and the shader has an image or a sampler there",
                other.words()
            ))),
        }
        let sampler = sampling.and_then(|sampling| match sampling {
            Sampling::None => None,
            Sampling::Fixed(sampler) => Some(sampler),
            Sampling::By(handle) => match self.samplers.get(handle) {
                Ok(sampler) => Some(*sampler),
                Err(fault) => {
                    faults.push(Fault { message: format!("{at}: {}", fault.message), ..fault });
                    None
                }
            },
        });
        let combined = matches!(program.types().get(binding.type_), Type::SampledImage(_))
            && !matches!(descriptor, Some(Descriptor::Texels(_)));
        if is_used && sampler.is_none() && (combined || !wants_image) {
            faults.push(Fault::misuse(format!("no sampler is bound at {at}, which the shader uses")));
        }
        if !wants_image {
            return (None, sampler);
        }
        let (texels, layout) = match found {
            Some((Ok(texels), layout)) => (texels, layout),
            Some((Err(fault), _)) => {
                faults.push(Fault { message: format!("{at}: {}", fault.message), ..fault });
                return (None, sampler);
            }
            None => {
                if is_used {
                    faults.push(Fault::misuse(format!("no image is bound at {at}, which the shader uses")));
                }
                return (None, sampler);
            }
        };
        let mismatch = mismatch(program, binding, &texels).map(|what| format!("{at}: {what}"));
        if is_used {
            faults.extend(mismatch.clone().map(Fault::misuse));
            if let (Some(layout), Some((image, parts))) = (layout, texels.image) {
                if !fits(layout, binding.kind) {
                    faults.push(Fault::misuse(format!(
                        "{at}: the descriptor has the layout {layout:?}, in which the shader cannot use the image"
                    )));
                }
                self.expect_layout("vkCmdDispatch", image, parts, layout);
            }
        }
        let uses = match binding.kind {
            BindingKind::StorageImage => scopes::STORAGE_READ,
            _ => scopes::SAMPLED_READ,
        };
        let readonly = binding.readonly;
        (Some(ImagePart { descriptor: place, texels, readonly, uses, mismatch }), sampler)
    }

    /// Makes images of the simulator's: one of each view, however often it is bound.
    pub fn place_images(
        &mut self,
        resources: &mut Resources,
        parts: Vec<ImagePart>,
        buffers: &[Part],
    ) -> Vec<PlacedImage> {
        let shared = shared(&parts, buffers);
        if !shared.is_empty() {
            self.tell(
                "vkCmdDispatch",
                &Fault::missing(format!(
                    "the image at {} shares memory with another descriptor that is not the same: writes through one are not seen through the other",
                    shared.join("; ")
                )),
            );
        }
        let mut placed: Vec<PlacedImage> = Vec::new();
        for ImagePart { descriptor: (set, binding, index), texels, readonly, uses, .. } in parts {
            let known = placed.iter().position(|known| known.texels.is_same(&texels));
            let number = known.unwrap_or_else(|| {
                let image = resources.image(texels.load());
                placed.push(PlacedImage { texels, id: image, written: false, uses: 0, before: None });
                placed.len() - 1
            });
            let Some(one) = placed.get_mut(number) else { continue };
            one.written |= !readonly;
            one.uses |= uses;
            resources.bind_image(set, binding, index, one.id);
        }
        for one in placed.iter_mut().filter(|one| one.written) {
            one.before = resources.image_of(one.id).cloned();
        }
        placed
    }
}

/// The descriptors of images that share memory with another descriptor which is not the same, where one of both is written, in words.
pub fn shared(parts: &[ImagePart], buffers: &[Part]) -> Vec<String> {
    let mut shared: Vec<String> = Vec::new();
    let overlap = |one: &ImagePart, memory: u64, range: &Range<u64>| one.texels.overlaps(memory, range);
    for (index, one) in parts.iter().enumerate() {
        let with_image = parts.iter().skip(index + 1).any(|other| {
            let may_share = one.readonly && other.readonly || one.texels.is_same(&other.texels);
            !may_share && other.texels.ranges().any(|range| overlap(one, other.texels.memory, &range))
        });
        let with_buffer = buffers.iter().any(|part| {
            !(one.readonly && part.readonly) && overlap(one, part.memory, &(part.start..part.end))
        });
        if with_image || with_buffer {
            let (set, binding, _) = one.descriptor;
            shared.push(format!("set {set}, binding {binding}"));
        }
    }
    shared
}

/// What of a view is not as the shader has it.
fn mismatch(program: &Program, binding: &Binding, texels: &Texels) -> Option<String> {
    let shader = type_of(program, binding)?;
    if (shader.dimensions, shader.arrayed) != (texels.dimensions, texels.arrayed) {
        let words =
            |dimensions, arrayed| format!("{dimensions:?}{}", if arrayed { ", with layers" } else { "" });
        return Some(format!(
            "the shader has an image with the dimensions {}, the view is {}",
            words(shader.dimensions, shader.arrayed),
            words(texels.dimensions, texels.arrayed)
        ));
    }
    let integers = match program.types().get(shader.sampled_type) {
        Type::Integer { signed, .. } => Some(*signed),
        _ => None,
    };
    let format = texels.format.name;
    if integers != texels.format.integers() {
        let words = |integers| match integers {
            None => "floats",
            Some(true) => "signed integers",
            Some(false) => "unsigned integers",
        };
        return Some(format!(
            "the shader has {}, and the view of the format {format} has {}",
            words(integers),
            words(texels.format.integers())
        ));
    }
    let declared = shader.format;
    if binding.kind == BindingKind::StorageImage
        && declared != ImageFormat::Unknown
        && texels.format.shader != Some(declared)
    {
        return Some(format!("the shader has the format {declared:?}, the view {format}"));
    }
    None
}
