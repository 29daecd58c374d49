//! A dispatch as a recipe: the module with its specialization, push constants, what the buffers held before, and what they held afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use coopmat_recipe::component::Component;
use coopmat_recipe::flat::{Flat, FlatAddress, FlatBinding, FlatBuffer, FlatDispatch, FlatExpectation};
use coopmat_recipe::model::{BufferRange, Tolerance};
use coopmat_recipe::{Tensor, interface, npy, takes_sampler};
use coopmat_simulator::{Binding, BindingKind, Sampler};
use coopmat_spirv::specialize::{Values, specialization_constants, specialize};

use crate::block::Block;
use crate::bound_images::{ImagePart, shared};
use crate::captured_addresses::{Addresses, Live, Target};
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

/// What a dispatch began with.
pub struct Begun {
    parts: Vec<(Part, Vec<u8>)>,
    /// Inline uniform blocks, and what stands for descriptors that are declared, but neither bound nor used.
    constant: Vec<(Place, Vec<u8>)>,
    images: Vec<CapturedImage>,
    samplers: Vec<(Place, Sampler)>,
    push_constants: Vec<u8>,
    addresses: Addresses,
}

/// What a dispatch is given.
pub struct Given<'a> {
    pub parts: Vec<Part>,
    /// Bytes that are a descriptor's own.
    pub inline: Vec<(Place, Vec<u8>)>,
    /// What is declared and not bound.
    pub unbound: &'a [Place],
    pub images: &'a [ImagePart],
    pub samplers: &'a [(Place, Sampler)],
    pub push_constants: &'a [u8],
    /// Buffers with addresses.
    pub live: &'a [Live],
}

impl Begun {
    /// # Errors
    /// What a recipe does not have.
    pub fn new(pipeline: &Pipeline, given: Given<'_>) -> Result<Begun, String> {
        let Given { parts, inline: mut constant, unbound, images, samplers, push_constants, live } = given;
        if !shared(images, &parts).is_empty() {
            return Err(
                "an image shares memory with another descriptor, which a recipe cannot say".to_owned()
            );
        }
        if parts.iter().any(|one| one.start == one.end) {
            return Err("a descriptor is of no byte".to_owned());
        }
        let interface = pipeline.program.interface();
        for place in unbound {
            let (set, number, _) = *place;
            let there = interface.bindings.iter().filter(|it| (it.set, it.binding) == (set, number));
            let is_image =
                |it: &Binding| matches!(it.kind, BindingKind::StorageImage | BindingKind::SampledImage);
            if pipeline.used.contains(&(set, number)) || there.clone().any(is_image) {
                return Err(format!(
                    "nothing is bound at set {set}, binding {number}, and a recipe has something at each place that the shader declares"
                ));
            }
            let size = there.map(|it| it.size).max().unwrap_or(0).clamp(4, 1 << 20);
            constant.push((*place, vec![0; size as usize]));
        }
        let images = images.iter().map(CapturedImage::new).collect::<Result<Vec<_>, String>>()?;
        let bound = parts.iter().map(|one| one.descriptor).chain(images.iter().map(|one| one.descriptor));
        // A descriptor of an image with its sampler may be of a shader's image alone.
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
        let size = interface.push_constants.map_or(0, |(size, _)| size as usize);
        let push_constants = push_constants.get(..size).unwrap_or_default().to_vec();
        let parts = parts.into_iter().map(|part| {
            let bytes = part.block.bytes(part.start, part.end - part.start);
            (part, bytes)
        });
        let parts: Vec<_> = parts.collect();
        let addresses = Addresses::new(pipeline, live, &push_constants, &parts)?;
        Ok(Begun { parts, constant, images, samplers, push_constants, addresses })
    }

    /// The memory that becomes buffers of the recipe: one of all that overlaps, of descriptors and of what addresses lead to.
    fn homes(&self, pipeline: &Pipeline) -> Vec<Home<'_>> {
        let reached = self.addresses.reached.iter().zip(&self.addresses.in_reached).enumerate();
        let reached = reached.map(|(number, (one, addresses))| Piece {
            name: format!("addressed{number}"),
            memory: one.memory,
            block: &one.block,
            bytes: one.start..one.end,
            before: &one.before,
            addresses,
            written: true,
            of: Of::Address(one.live),
        });
        let parts = self.parts.iter().zip(&self.addresses.in_parts);
        let parts = parts.map(|((part, before), addresses)| {
            let (set, binding, index) = part.descriptor;
            Piece {
                name: format!("set{set}binding{binding}at{index}"),
                memory: part.memory,
                block: &part.block,
                bytes: part.start..part.end,
                before,
                addresses,
                written: !part.readonly,
                of: Of::Descriptor(part.descriptor),
            }
        });
        let mut pieces: Vec<Piece<'_>> = reached.chain(parts).collect();
        pieces.sort_by_key(|piece| (piece.memory, piece.bytes.start));
        let mut homes: Vec<Home<'_>> = Vec::new();
        for piece in pieces {
            let overlaps =
                |home: &&mut Home<'_>| home.memory == piece.memory && piece.bytes.start < home.bytes.end;
            match homes.last_mut().filter(overlaps) {
                Some(home) => home.add(piece),
                None => homes.push(Home::new(piece)),
            }
        }
        for home in &mut homes {
            home.element = home.element_of(pipeline);
        }
        homes
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
        let homes = self.homes(pipeline);
        let mut bindings = BTreeMap::new();
        let addresses_of = |found: &BTreeMap<usize, Target>| -> Vec<FlatAddress> {
            let of = |live: usize| {
                let in_home =
                    |home: &Home<'_>| home.reached.iter().find(|(known, _)| *known == live).copied();
                homes.iter().enumerate().find_map(|(of, home)| Some((of, in_home(home)?.1)))
            };
            let all = found.iter().filter_map(|(offset, (live, plus))| {
                let (of, before) = of(*live)?;
                Some(FlatAddress { offset: *offset, of, plus: before + plus })
            });
            all.collect()
        };
        flat.comments.clone_from(&self.addresses.comments);
        for (buffer, home) in homes.iter().enumerate() {
            let size = home.before.len();
            flat.buffers.push(FlatBuffer {
                name: home.name.clone(),
                element: home.element,
                bytes: Some(home.before.clone()),
                size,
                image: None,
                addresses: addresses_of(&home.addresses),
            });
            let bound = home.bound.iter().map(|(place, bytes)| {
                let offset = bytes.start;
                let range = (bytes.end < size as u64).then_some(bytes.end - bytes.start);
                (*place, FlatBinding { buffer, part: BufferRange { offset, range } })
            });
            bindings.extend(bound);
        }
        for ((set, binding, index), bytes) in &self.constant {
            bindings.insert(
                (*set, *binding, *index),
                FlatBinding { buffer: flat.buffers.len(), part: BufferRange::default() },
            );
            flat.buffers.push(FlatBuffer {
                name: format!("set{set}binding{binding}at{index}"),
                element: Component::U8,
                bytes: Some(bytes.clone()),
                size: bytes.len(),
                image: None,
                addresses: Vec::new(),
            });
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
            bindings.insert(image.descriptor, FlatBinding { buffer, part: BufferRange::default() });
        }
        let samplers;
        (flat.samplers, samplers) = captured_images::samplers(&self.samplers);
        flat.dispatches.push(FlatDispatch {
            shader: format!("{stem}.spv"),
            entry: Some(pipeline.entry.clone()),
            workgroups: groups,
            push_constants: self.push_constants.clone(),
            addresses: addresses_of(&self.addresses.in_push_constants),
            bindings,
            samplers: samplers.into_iter().collect(),
        });
        let written = homes.iter().enumerate().filter(|(_, home)| home.written);
        let mut afterwards: Vec<(usize, Component, Vec<f64>)> = written
            .map(|(index, home)| {
                let bytes = home.block.bytes(home.bytes.start, home.bytes.end - home.bytes.start);
                (index, home.element, values(home.element, &bytes))
            })
            .collect();
        let stored = images.iter().filter(|(_, buffer)| stored.contains(buffer));
        afterwards.extend(stored.map(|(image, buffer)| (*buffer, image.element(), image.values())));
        for (buffer, element, values) in afterwards {
            let Some(FlatBuffer { name, image, addresses, .. }) = flat.buffers.get(buffer) else { continue };
            let Some(only) = without(addresses) else {
                flat.comments.push(format!(
                    "What {name} holds afterwards is not expected: it has {} addresses, which are each executor's own.",
                    addresses.len()
                ));
                continue;
            };
            let shape = image.as_ref().map_or_else(|| vec![values.len()], |image| image.shape.clone());
            let file = format!("{stem}.{name}.npy");
            write(&file, &npy::write(&Tensor::new(shape, values)?, element))?;
            flat.expectations.push(FlatExpectation {
                buffer,
                equals: format!("{{ file = \"{file}\" }}"),
                tolerance: Tolerance::default(),
                only,
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

/// A part of memory that the shader has.
struct Piece<'a> {
    name: String,
    memory: u64,
    block: &'a Block,
    bytes: Range<u64>,
    before: &'a [u8],
    addresses: &'a BTreeMap<usize, Target>,
    written: bool,
    of: Of,
}

enum Of {
    Descriptor(Place),
    /// Of a buffer, by its place among those that are live.
    Address(usize),
}

/// Memory that becomes a buffer of the recipe.
struct Home<'a> {
    name: String,
    memory: u64,
    block: &'a Block,
    bytes: Range<u64>,
    before: Vec<u8>,
    addresses: BTreeMap<usize, Target>,
    written: bool,
    element: Component,
    /// Descriptors, and the bytes of it that they are of.
    bound: Vec<(Place, Range<u64>)>,
    /// Buffers with addresses, by their place among those that are live, and where they begin in it.
    reached: Vec<(usize, u64)>,
}

impl<'a> Home<'a> {
    fn new(piece: Piece<'a>) -> Home<'a> {
        let mut home = Home {
            name: piece.name.clone(),
            memory: piece.memory,
            block: piece.block,
            bytes: piece.bytes.start..piece.bytes.start,
            before: Vec::new(),
            addresses: BTreeMap::new(),
            written: false,
            element: Component::U8,
            bound: Vec::new(),
            reached: Vec::new(),
        };
        home.add(piece);
        home
    }

    /// Adds what begins inside of it, or at its end.
    fn add(&mut self, piece: Piece<'a>) {
        let offset = piece.bytes.start - self.bytes.start;
        let known = (self.bytes.end - piece.bytes.start) as usize;
        self.before.extend_from_slice(piece.before.get(known..).unwrap_or_default());
        self.bytes.end = self.bytes.end.max(piece.bytes.end);
        self.written |= piece.written;
        self.addresses.extend(piece.addresses.iter().map(|(at, target)| (at + offset as usize, *target)));
        match piece.of {
            Of::Descriptor(place) => {
                self.bound.push((place, offset..offset + piece.bytes.end - piece.bytes.start));
            }
            Of::Address(live) => self.reached.push((live, offset)),
        }
    }

    /// What all its descriptors have as elements; bytes where that is not known.
    fn element_of(&self, pipeline: &Pipeline) -> Component {
        let interface = pipeline.program.interface();
        let of = |(set, binding, _): Place| {
            let there = interface.bindings.iter().filter(move |it| (it.set, it.binding) == (set, binding));
            there.map(|it| interface::element(pipeline.program.types(), it.type_))
        };
        let mut all = self.bound.iter().flat_map(|(place, _)| of(*place));
        let Some(Some(element)) = all.next() else { return Component::U8 };
        let size = element.size();
        // Words of addresses, and integers that a file of numbers may not hold, are told by their bytes.
        let fits = self.reached.is_empty()
            && self.addresses.is_empty()
            && !(element.is_integer() && size > 4)
            && self.before.len().is_multiple_of(size)
            && self.bound.iter().all(|(_, bytes)| bytes.start.is_multiple_of(size as u64));
        if fits && all.all(|other| other == Some(element)) { element } else { Component::U8 }
    }
}

/// The elements of memory.
fn values(element: Component, bytes: &[u8]) -> Vec<f64> {
    let number = |part: &[u8]| {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        element.decode(u64::from_le_bytes(word))
    };
    bytes.chunks_exact(element.size()).map(number).collect()
}

/// The elements that are no bytes of addresses, as a formula; all where there are none. Nothing where there are too many for a formula.
fn without(addresses: &[FlatAddress]) -> Option<Option<String>> {
    const MOST: usize = 64;
    if addresses.len() > MOST {
        return None;
    }
    let apart = addresses.iter().map(|at| format!("(index < {} || index >= {})", at.offset, at.offset + 8));
    let apart: Vec<String> = apart.collect();
    Some((!apart.is_empty()).then(|| apart.join(" && ")))
}
