//! A dispatch as a recipe: the module with its specialization, push constants, what the buffers held before, and what they held afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use coopmat_recipe::component::Component;
use coopmat_recipe::flat::{Flat, FlatBinding, FlatBuffer, FlatDispatch, FlatExpectation};
use coopmat_recipe::model::Tolerance;
use coopmat_recipe::{Tensor, npy, takes_sampler};
use coopmat_simulator::Sampler;
use coopmat_spirv::specialize::{Values, specialization_constants, specialize};

use crate::block::Block;
use crate::bound_images::{ImagePart, shared};
use crate::captured_images::{self, CapturedImage, Place};
use crate::driver::Driver;
use crate::pipelines::Pipeline;

/// The part of memory that a descriptor is of.
pub struct Part {
    /// Set, binding, index.
    pub descriptor: (u32, u32, u32),
    pub memory: u64,
    pub block: Arc<Block>,
    pub start: u64,
    pub end: u64,
    pub readonly: bool,
    pub uniform: bool,
}

impl Part {
    fn is_same(&self, other: &Part) -> bool {
        (self.memory, self.start, self.end) == (other.memory, other.start, other.end)
    }
}

/// What a dispatch began with.
pub struct Begun {
    parts: Vec<(Part, Vec<u8>)>,
    images: Vec<CapturedImage>,
    samplers: Vec<(Place, Sampler)>,
    push_constants: Vec<u8>,
}

impl Begun {
    /// # Errors
    /// What a recipe does not have.
    pub fn new(
        pipeline: &Pipeline,
        parts: Vec<Part>,
        (images, samplers): (&[ImagePart], &[(Place, Sampler)]),
        push_constants: &[u8],
    ) -> Result<Begun, String> {
        if !shared(images, &parts).is_empty() {
            return Err(
                "an image shares memory with another descriptor, which a recipe cannot say".to_owned()
            );
        }
        if pipeline.has_addresses {
            return Err("the shader takes addresses of buffers, which recipes have by name only".to_owned());
        }
        for (index, one) in parts.iter().enumerate() {
            let others = parts.iter().skip(index + 1).filter(|other| other.memory == one.memory);
            let shared = others
                .filter(|other| !(one.readonly && other.readonly))
                .any(|other| one.start < other.end && other.start < one.end && !one.is_same(other));
            if shared {
                return Err("two descriptors are of memory that overlaps without being the same, and buffers of a recipe do not".to_owned());
            }
            if one.start == one.end {
                return Err("a descriptor is of no byte".to_owned());
            }
        }
        let images = images.iter().map(CapturedImage::new).collect::<Result<Vec<_>, String>>()?;
        let bound = parts.iter().map(|one| one.descriptor).chain(images.iter().map(|one| one.descriptor));
        // A descriptor of an image with its sampler may be of a shader's image alone.
        let interface = pipeline.program.interface();
        let takes = |(set, number, _): Place| {
            let mut there = interface.bindings.iter().filter(|it| (it.set, it.binding) == (set, number));
            there.any(|binding| takes_sampler(&pipeline.program, binding))
        };
        let samplers: Vec<_> = samplers.iter().copied().filter(|(place, _)| takes(*place)).collect();
        let sampled: Vec<Place> = samplers.iter().map(|(place, _)| *place).collect();
        let has_gap = |bound: &[Place]| {
            let before = |&(set, binding, index): &Place| (set, binding, index.wrapping_sub(1));
            bound.iter().any(|place| place.2 > 0 && !bound.contains(&before(place)))
        };
        if has_gap(&bound.collect::<Vec<_>>()) || has_gap(&sampled) {
            return Err("an array of descriptors has some that are not bound".to_owned());
        }
        let size = pipeline.program.interface().push_constants.map_or(0, |(size, _)| size as usize);
        let push_constants = push_constants.get(..size).unwrap_or_default().to_vec();
        let parts = parts.into_iter().map(|part| {
            let bytes = part.block.bytes(part.start, part.end - part.start);
            (part, bytes)
        });
        Ok(Begun { parts: parts.collect(), images, samplers, push_constants })
    }

    /// Writes the recipe into a folder, once the dispatch has ended, and gives its path.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn write(
        &self,
        driver: &Driver,
        pipeline: &Pipeline,
        folder: &Path,
        number: u64,
        (groups, name): ([u32; 3], Option<&str>),
    ) -> Result<String, String> {
        let stem = format!("dispatch-{number}");
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))
        };
        let declared = specialization_constants(&pipeline.module.module);
        let given = pipeline.specialization.iter().copied();
        let given = given.filter(|(id, _)| declared.iter().any(|constant| constant.spec_id == *id)).collect();
        let specialized = specialize(pipeline.module.module.clone(), &Values { given, defaults: false })
            .map_err(|error| error.to_string())?;
        let words = coopmat_spirv::assemble(&specialized.module).map_err(|error| error.to_string())?;
        write(&format!("{stem}.spv"), &coopmat_spirv::to_bytes(&words))?;
        let of = name.map_or(String::new(), |name| format!(" of {name}"));
        let title = driver.facts.title();
        let options = &driver.options;
        let mut flat = Flat {
            description: format!("Dispatch {number}{of}, captured from a program as {title}"),
            stem: stem.clone(),
            device: coopmat_analysis::devices::find(&options.device).ok().map(|_| options.device.clone()),
            numerics: options.numerics.clone(),
            ownership: options.ownership.clone(),
            subgroup_size: pipeline.subgroup_size,
            ..Flat::default()
        };
        // A buffer for each part of memory, which may be bound more than once.
        let mut buffers: Vec<(&Part, bool)> = Vec::new();
        let mut bindings = BTreeMap::new();
        for (part, before) in &self.parts {
            let (set, binding, index) = part.descriptor;
            let known = buffers.iter().position(|(known, _)| known.is_same(part));
            let buffer = known.unwrap_or_else(|| {
                buffers.push((part, false));
                flat.buffers.push(FlatBuffer {
                    name: format!("set{set}binding{binding}at{index}"),
                    element: Component::U8,
                    bytes: Some(before.clone()),
                    size: before.len(),
                    image: None,
                    addresses: Vec::new(),
                });
                buffers.len() - 1
            });
            if let Some((_, written)) = buffers.get_mut(buffer) {
                *written |= !part.readonly;
            }
            bindings.insert(part.descriptor, FlatBinding { buffer, offset: 0 });
        }
        // Images follow the buffers, one for each view.
        let mut images: Vec<(&CapturedImage, usize)> = Vec::new();
        let mut stored = BTreeSet::new();
        for image in &self.images {
            let (set, binding, index) = image.descriptor;
            let known = images.iter().find(|(known, _)| known.texels.is_same(&image.texels));
            let buffer = known.map_or(flat.buffers.len(), |(_, buffer)| *buffer);
            if buffer == flat.buffers.len() {
                flat.buffers.extend(image.buffers(&format!("set{set}binding{binding}at{index}"), buffer));
                images.push((image, buffer));
            }
            if !image.readonly {
                stored.insert(buffer);
            }
            bindings.insert(image.descriptor, FlatBinding { buffer, offset: 0 });
        }
        let samplers;
        (flat.samplers, samplers) = captured_images::samplers(&self.samplers);
        flat.dispatches.push(FlatDispatch {
            shader: format!("{stem}.spv"),
            entry: Some(pipeline.entry.clone()),
            workgroups: groups,
            push_constants: self.push_constants.clone(),
            addresses: Vec::new(),
            bindings,
            samplers: samplers.into_iter().collect(),
        });
        let written = buffers.iter().enumerate().filter(|(_, (_, written))| *written);
        let mut afterwards: Vec<(usize, Component, Vec<f64>)> = written
            .map(|(index, (part, _))| {
                let bytes = part.block.bytes(part.start, part.end - part.start);
                (index, Component::U8, bytes.iter().map(|byte| f64::from(*byte)).collect())
            })
            .collect();
        let stored = images.iter().filter(|(_, buffer)| stored.contains(buffer));
        afterwards.extend(stored.map(|(image, buffer)| (*buffer, image.element(), image.values())));
        for (buffer, element, values) in afterwards {
            let Some(FlatBuffer { name, image, .. }) = flat.buffers.get(buffer) else { continue };
            let shape = image.as_ref().map_or_else(|| vec![values.len()], |image| image.shape.clone());
            let file = format!("{stem}.{name}.npy");
            write(&file, &npy::write(&Tensor::new(shape, values)?, element))?;
            flat.expectations.push(FlatExpectation {
                buffer,
                equals: format!("{{ file = \"{file}\" }}"),
                tolerance: Tolerance::default(),
                only: None,
            });
        }
        for (file, _, bytes) in flat.contents() {
            write(&file, bytes)?;
        }
        let recipe = flat.file();
        write(&recipe, flat.text().as_bytes())?;
        Ok(folder.join(recipe).to_string_lossy().into_owned())
    }
}
