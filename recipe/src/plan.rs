//! A recipe applied to a module: everything that a run needs, whatever executes it, and what is expected afterwards.

mod buffers;
mod constants;
mod dispatches;
mod fields;
mod heaps;
mod images;
mod samplers;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use coopmat_simulator::ownership::Ownership;
use coopmat_simulator::{
    AdvertisedShape, Binding, BindingKind, BufferId, DecodeChoice, Image, ImageId, Program, ProgramError,
    ProgramOptions, Resources, RunError, RunErrorKind, Settings,
};

use self::constants::Numbers;
pub use self::constants::specialization;
use self::dispatches::Written;
pub use self::dispatches::{Module, PlannedBinding, PlannedDispatch};
pub use self::heaps::PlannedHeap;
pub use self::images::{PlannedImage, PlannedLevel, channel, directions, image_type};
pub use self::samplers::{PlannedSampler, takes_sampler};
use crate::Files;
use crate::compare::compare_each;
use crate::component::Component;
use crate::extent::Extent;
use crate::memory::Memory;
use crate::model::{Compute, Decode, ElementType, Expectation, Recipe, Tolerance};
use crate::modes;
use crate::pattern::{self, Unmet};
use crate::read::{Fault, Place, RecipeError};
use crate::reference::{Bounds, Values};
use crate::report::{Modes, Outcome};
use crate::sizes::Sizes;
use crate::tensor::{ElementFormula, Tensor, shown};

/// Workgroups of the largest dispatch.
const MOST_WORKGROUPS: usize = 1 << 24;

/// Bytes of an ownership that was captured on a device. The largest that are known have 2 MiB.
const MOST_OWNERSHIP: usize = 16 << 20;

/// What a host lays over a recipe.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Sizes or specialization constants, by name or by id, and their values.
    pub set: Vec<(String, String)>,
    /// The subgroup size that counts when the recipe says none.
    pub subgroup_size: Option<u32>,
    /// The most bytes that buffers, the numbers that they are made of, and those that they are compared with may take together.
    pub most_memory: Option<usize>,
    /// The most bytes of registers, matrices and shared memory of each workgroup that runs.
    pub workgroup_memory: Option<u64>,
    /// The most steps of a run; a recipe may say less.
    pub most_steps: Option<u64>,
    /// Set by whoever wants the plan no more, while its references are computed.
    pub stop: Option<Arc<AtomicBool>>,
    /// How the user allows more memory, and more steps, for messages: `--memory-limit allows more`.
    pub more: (&'static str, &'static str),
    /// Buffers of more bytes than these, together, have no expectations: for hosts that want an answer at once.
    pub most_judged: Option<usize>,
}

/// The share of each workgroup, where so many run at once: together they take as much as the buffers may, or what small ones need.
pub fn workgroup_memory(most: u64, at_once: usize) -> u64 {
    (most / at_once.max(1) as u64).clamp(64 << 20, 1 << 30)
}

/// Everything that a run needs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What runs, in this order: one dispatch at least. What buffers hold stays from one to the next.
    pub dispatches: Vec<PlannedDispatch>,
    /// What a user may want to know of the recipe, though it runs: sentences without a full stop.
    pub notes: Vec<String>,
    /// Invocations: 4, 8, 16, 32, 64 or 128.
    pub subgroup_size: u32,
    /// Everything that is bound, images among them, and buffers that are known by their address.
    pub buffers: Vec<PlannedBuffer>,
    /// The places in buffers where addresses have to be written.
    pub addresses: Vec<PlannedAddress>,
    /// What is expected afterwards, computed.
    pub expectations: Vec<PlannedExpectation>,
    /// Steps after which the run ends with an error: the recipe's or the host's, whichever is less.
    pub step_limit: Option<u64>,
    /// The multiply-adds that the device offers for which the shader is checked; the host knows them.
    pub shapes: Option<Arc<[AdvertisedShape]>>,
    /// Captured ones, by the path that names them.
    ownerships: BTreeMap<String, Arc<Ownership>>,
    sizes: Sizes,
    /// What buffers to come may take, where the host says it.
    memory: Option<Memory>,
    workgroup_memory: Option<u64>,
    stop: Option<Arc<AtomicBool>>,
    /// How there would be more steps than `step_limit`, for a message.
    more_steps: &'static str,
}

/// A buffer or an image, and what it holds.
#[derive(Clone, Debug)]
pub struct PlannedBuffer {
    /// As the recipe calls it.
    pub name: String,
    /// Where it lies in a descriptor heap.
    pub heap: Option<PlannedHeap>,
    /// Before the run; addresses are still zeros.
    pub bytes: Vec<u8>,
    /// Nothing for a buffer of members alone.
    pub extent: Option<Extent>,
    /// Whether the bytes stand for contents that nobody has written.
    pub uninitialised: bool,
    /// Where the shader has an image here.
    pub image: Option<PlannedImage>,
    /// Where it is a further level of detail of an image.
    pub level: Option<PlannedLevel>,
}

impl PlannedBuffer {
    /// The elements, when the buffer holds these bytes.
    pub fn elements(&self, bytes: &[u8]) -> Option<Tensor> {
        self.extent.as_ref().map(|extent| extent.read(bytes))
    }

    /// The type of its elements; nothing for blocks.
    pub fn component(&self) -> Option<Component> {
        match self.extent.as_ref()?.element {
            ElementType::Component(component) => Some(component),
            ElementType::Block(_) => None,
        }
    }
}

/// Eight bytes that become an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedAddress {
    /// The buffer that holds it by its place in [`Plan::buffers`]; nothing for the push constants.
    pub into: Option<usize>,
    /// Bytes from its start.
    pub offset: usize,
    /// Whose address it is.
    pub of: usize,
    /// Bytes that are added to the address.
    pub plus: u64,
}

/// What a buffer shall hold.
#[derive(Clone, Debug)]
pub struct PlannedExpectation {
    /// Its place in [`Plan::buffers`].
    pub buffer: usize,
    /// The dispatch after which it shall hold that, by its place in [`Plan::dispatches`].
    pub after: usize,
    /// What the reference is, in a word.
    pub reference: String,
    /// In the shape of the buffer.
    pub expected: Tensor,
    /// How far elements may be from that.
    pub tolerance: Tolerance,
    equals: Compute,
    only: Option<String>,
}

/// Why a recipe and a module do not go together.
#[derive(Clone, Debug)]
pub enum PlanError {
    /// The recipe asks for what the module does not have, or cannot be computed.
    Recipe(RecipeError),
    /// The module of a dispatch, by its place in the recipe, does not become a program.
    Program(usize, ProgramError),
}

/// What stands for a plan's buffers in the resources of a run.
#[derive(Clone, Debug)]
pub struct Held {
    /// In the order of [`Plan::buffers`].
    pub buffers: Vec<BufferId>,
    /// The image of each, where it is one.
    images: Vec<Option<ImageId>>,
}

impl Plan {
    /// `text` is what the recipe was read from; errors are placed in it. `modules` are those of [`Recipe::all_dispatches`], in their order.
    pub fn new(
        recipe: &Recipe,
        text: &str,
        modules: &[Module<'_>],
        files: &dyn Files,
        overrides: &Overrides,
    ) -> Result<Plan, PlanError> {
        let recipe_error = |fault: Fault| PlanError::Recipe(fault.locate(text));
        let mut written = dispatches::written(recipe).map_err(recipe_error)?;
        if written.len() != modules.len() {
            let message =
                format!("expected {} modules, one for each dispatch, found {}", written.len(), modules.len());
            return Err(recipe_error(Place::top("dispatches").fail(message)));
        }
        let mut programs = Vec::new();
        for (index, (written, module)) in written.iter().zip(modules).enumerate() {
            programs.push(lowered(written, module, &[]).map_err(|error| PlanError::Program(index, error))?);
        }
        let all = written.iter().zip(modules).zip(&programs);
        let all: Vec<_> = all.map(|((written, module), program)| (written, module, program)).collect();
        let Numbers { sizes, specialization, notes } =
            constants::numbers(recipe, &all, overrides).map_err(recipe_error)?;
        let mut dispatches = Vec::new();
        let each = written.iter().zip(modules).zip(programs.into_iter().zip(specialization));
        for (index, ((written, module), (program, specialization))) in each.enumerate() {
            let program = match specialization.is_empty() {
                true => program,
                false => lowered(written, module, &specialization)
                    .map_err(|error| PlanError::Program(index, error))?,
            };
            let place = written.place("workgroups");
            dispatches.push(PlannedDispatch {
                name: written.name.clone(),
                program,
                specialization,
                entry: written.dispatch.entry.clone(),
                workgroups: dispatches::workgroups(&written.dispatch.workgroups, &sizes, &place)
                    .map_err(recipe_error)?,
                push_constants: Vec::new(),
                addresses: Vec::new(),
                bindings: Vec::new(),
                samplers: Vec::new(),
            });
        }
        for (written, dispatch) in written.iter_mut().zip(&dispatches) {
            written.bound = dispatches::bound(written, &dispatch.program, recipe).map_err(recipe_error)?;
        }
        let mut plan = Plan {
            subgroup_size: subgroup_size(recipe, &dispatches, overrides).map_err(recipe_error)?,
            dispatches,
            buffers: Vec::new(),
            addresses: Vec::new(),
            expectations: Vec::new(),
            step_limit: recipe.step_limit.into_iter().chain(overrides.most_steps).min(),
            shapes: None,
            ownerships: BTreeMap::new(),
            notes,
            sizes,
            memory: overrides.most_memory.map(|left| Memory { left, more: overrides.more.0 }),
            workgroup_memory: overrides.workgroup_memory,
            stop: overrides.stop.clone(),
            more_steps: match (recipe.step_limit, overrides.most_steps) {
                (Some(wanted), most) if most.is_none_or(|most| wanted < most) => {
                    "raise `step-limit` in the recipe to allow more"
                }
                _ => overrides.more.1,
            },
        };
        plan.add_modes(recipe, files).map_err(recipe_error)?;
        plan.add_buffers(recipe, &written, files).map_err(recipe_error)?;
        plan.add_samplers(recipe, &written).map_err(recipe_error)?;
        let bytes: usize = plan.buffers.iter().map(|buffer| buffer.bytes.len()).sum();
        if overrides.most_judged.is_none_or(|most| bytes <= most) {
            plan.add_expectations(recipe, files).map_err(recipe_error)?;
        }
        Ok(plan)
    }

    /// Workgroups of all dispatches together.
    pub fn workgroups(&self) -> u64 {
        self.dispatches.iter().map(PlannedDispatch::count).sum()
    }

    /// Where a buffer is bound: set, binding and index in the first dispatch that has it, and whether it is a uniform buffer there; a level of
    /// detail with its image. Nothing for one that is known by its address.
    pub fn descriptor(&self, buffer: usize) -> Option<((u32, u32, u32), bool)> {
        let level = self.buffers.get(buffer).and_then(|one| one.level);
        let buffer = level.map_or(buffer, |level| level.of);
        let mut bindings = self.dispatches.iter().flat_map(|dispatch| &dispatch.bindings);
        bindings.find(|binding| binding.buffer == buffer).map(|binding| (binding.descriptor, binding.uniform))
    }

    /// Lets an ownership that was captured on a device be named by its path.
    pub fn add_ownership(&mut self, path: &str, text: &str) -> Result<(), String> {
        self.ownerships.insert(path.to_owned(), Arc::new(Ownership::from_json(text)?));
        Ok(())
    }

    /// The modes that the recipe names are known, or are files.
    fn add_modes(&mut self, recipe: &Recipe, files: &dyn Files) -> Result<(), Fault> {
        for (index, name) in recipe.numerics.iter().enumerate() {
            let place = Place::top("numerics").then(index);
            modes::numerics(name).map_err(|message| place.fail(message))?;
        }
        for (index, name) in recipe.ownership.iter().enumerate() {
            let place = Place::top("ownership").then(index);
            if name.ends_with(".json") {
                let bytes = files.read(name).map_err(|reason| place.fail(format!("{name}: {reason}")))?;
                if bytes.len() > MOST_OWNERSHIP {
                    let message =
                        format!("{name}: tables larger than {} MiB are not read", MOST_OWNERSHIP >> 20);
                    return Err(place.fail(message));
                }
                let added = self.add_ownership(name, &String::from_utf8_lossy(&bytes));
                added.map_err(|message| place.fail(format!("{name}: {message}")))?;
            } else {
                modes::ownership(name).map_err(|message| place.fail(message))?;
            }
        }
        Ok(())
    }

    /// The memory of a new run, as the first dispatch takes it. [`Plan::left`] says what the buffers hold.
    pub fn resources(&self) -> (Resources, Held) {
        let mut resources = Resources::new();
        let ids: Vec<BufferId> = self.buffers.iter().map(|buffer| resources.buffer(&buffer.bytes)).collect();
        let mut images: Vec<Option<ImageId>> = Vec::new();
        for (index, buffer) in self.buffers.iter().enumerate() {
            let image = match (&buffer.image, buffer.level) {
                // It comes before its levels.
                (_, Some(PlannedLevel { of, .. })) => images.get(of).copied().flatten(),
                (Some(image), None) => Some(resources.image(self.filled(index, image))),
                (None, None) => None,
            };
            images.push(image);
        }
        for ((buffer, id), image) in self.buffers.iter().zip(&ids).zip(&images) {
            match buffer.heap {
                Some(PlannedHeap::Descriptor(offset)) => match image {
                    Some(image) => resources.describe_image(offset, *image),
                    None => resources.describe(offset, *id),
                },
                Some(PlannedHeap::Data(..)) | None => {}
            }
        }
        for address in &self.addresses {
            let (Some(of), Some(into)) = (ids.get(address.of), address.into.and_then(|into| ids.get(into)))
            else {
                continue;
            };
            let value = resources.address(*of).wrapping_add(address.plus).to_le_bytes();
            resources.write(*into, address.offset, &value);
        }
        for (buffer, id) in self.buffers.iter().zip(&ids) {
            if let Some(PlannedHeap::Data(heap, offset)) = buffer.heap {
                let bytes = resources.bytes(*id);
                resources.write_heap(heap, offset as usize, &bytes);
            }
        }
        let held = Held { buffers: ids, images };
        if let Some(first) = self.dispatches.first() {
            first.bind(&mut resources, &held);
        }
        (resources, held)
    }

    /// An image with its levels before the run.
    fn filled(&self, index: usize, image: &PlannedImage) -> Image {
        // Of several that are bound to it the first says how texels are rounded.
        let bound = self.dispatches.iter().find_map(|dispatch| {
            let (set, number, _) = dispatch.binding_of(index)?.descriptor;
            let at = |binding: &&Binding| (binding.set, binding.binding) == (set, number);
            Some((&dispatch.program, dispatch.program.interface().bindings.iter().find(at)))
        });
        let bound = bound.and_then(|(program, binding)| Some((program, binding?)));
        let levels: Vec<&PlannedBuffer> = self.levels(index).collect();
        image.filled(bound, &levels)
    }

    /// An image, and its further levels of detail in their order.
    pub fn levels(&self, image: usize) -> impl Iterator<Item = &PlannedBuffer> {
        let is = move |buffer: &&PlannedBuffer| buffer.level.is_some_and(|level| level.of == image);
        self.buffers.get(image).into_iter().chain(self.buffers.iter().filter(is))
    }

    /// What the buffers and images hold, in the order of [`Plan::buffers`].
    pub fn left(&self, resources: &Resources, held: &Held) -> Vec<Vec<u8>> {
        (0..self.buffers.len()).map(|index| self.left_in(index, resources, held)).collect()
    }

    /// What one of them holds.
    pub(crate) fn left_in(&self, index: usize, resources: &Resources, held: &Held) -> Vec<u8> {
        let (Some(buffer), Some(id)) = (self.buffers.get(index), held.buffers.get(index)) else {
            return Vec::new();
        };
        let image = held.images.get(index).copied().flatten().and_then(|image| resources.image_of(image));
        match buffer.image.as_ref().zip(image) {
            Some((planned, image)) => {
                planned.read(image, buffer, buffer.level.map_or(0, |level| level.number))
            }
            None => resources.bytes(*id),
        }
    }

    /// The buffers that expectations want to see after a dispatch, before the next one changes them.
    pub fn seen_after(&self, dispatch: usize) -> Vec<usize> {
        if dispatch + 1 == self.dispatches.len() {
            return Vec::new();
        }
        let seen = self.expectations.iter().filter(|expectation| expectation.after == dispatch);
        let mut seen: Vec<usize> = seen.map(|expectation| expectation.buffer).collect();
        seen.sort_unstable();
        seen.dedup();
        seen
    }

    /// The buffers that nobody has written before the run.
    pub fn undefined(&self, held: &Held) -> Vec<BufferId> {
        let undefined = self.buffers.iter().zip(&held.buffers).filter(|(buffer, _)| buffer.uninitialised);
        undefined.map(|(_, id)| *id).collect()
    }

    /// The images that nobody has written before the run.
    pub fn undefined_images(&self, held: &Held) -> Vec<ImageId> {
        let undefined = self.buffers.iter().zip(&held.images).filter(|(buffer, _)| buffer.uninitialised);
        undefined.filter_map(|(_, id)| *id).collect()
    }

    /// Settings for these modes; what they do not name is an error with the names that there are.
    pub fn settings(&self, modes: &Modes) -> Result<Settings, String> {
        let mut settings = Settings {
            subgroup_size: modes.subgroup_size,
            numerics: modes::numerics(&modes.numerics)?,
            ownership: match self.ownerships.get(&modes.ownership) {
                Some(captured) => captured.clone(),
                None => modes::ownership(&modes.ownership)?,
            },
            checked: modes.checked,
            strict: modes.strict,
            headroom: modes.headroom,
            decode: match modes::decode(&modes.decode)? {
                Decode::Scalar => DecodeChoice::Scalar,
                Decode::Vector => DecodeChoice::Vector,
                Decode::Mixed => DecodeChoice::Mixed,
            },
            shapes: self.shapes.clone(),
            ..Settings::default()
        };
        if let Some(limit) = self.step_limit {
            settings.step_limit = limit;
        }
        if let Some(limit) = self.workgroup_memory {
            settings.memory_limit = limit;
        }
        Ok(settings)
    }

    /// What a run that ended early is told with.
    pub fn explain(&self, error: &RunError) -> String {
        match error.kind {
            RunErrorKind::Steps => {
                // The last dispatch may take no more than those before it have left.
                let message = match (self.dispatches.len(), self.step_limit) {
                    (2.., Some(limit)) => format!("the run takes more than {limit} steps"),
                    _ => error.message.clone(),
                };
                match self.more_steps {
                    "" => message,
                    more => format!("{message}. Perhaps a loop never ends; {more}"),
                }
            }
            _ => error.message.clone(),
        }
    }

    /// Compares buffers with what is expected of them. `bytes` are those of a buffer after a dispatch.
    pub fn judge(&self, bytes: &dyn Fn(usize, usize) -> Vec<u8>) -> Vec<Outcome> {
        let judge = |expectation: &PlannedExpectation| {
            let buffer = self.buffers.get(expectation.buffer)?;
            let found = buffer.elements(&bytes(expectation.after, expectation.buffer))?;
            let only = expectation
                .only
                .as_ref()
                .and_then(|text| ElementFormula::new(text, &self.sizes, Some(&found.shape), &|_| None).ok());
            let expected = &expectation.expected;
            let tolerance = &expectation.tolerance;
            let mut wrong = Vec::new();
            let mut outcome =
                compare_each(expected, &found, buffer.component(), tolerance, only.as_ref(), &mut |index| {
                    wrong.push(index);
                });
            if !wrong.is_empty() {
                let before = buffer.elements(&buffer.bytes).filter(|_| !buffer.uninitialised);
                let compared = outcome.elements;
                let (before, wrong) = (before.as_ref(), wrong.as_slice());
                let unmet = Unmet { expected, found: &found, before, wrong, compared, tolerance };
                outcome.patterns = pattern::of(&unmet, &expectation.equals, &|name| self.held_before(name));
            }
            outcome.buffer.clone_from(&buffer.name);
            outcome.after = self.dispatches.get(expectation.after).and_then(|dispatch| dispatch.name.clone());
            outcome.reference.clone_from(&expectation.reference);
            Some(outcome)
        };
        self.expectations.iter().filter_map(judge).collect()
    }

    /// The elements of a buffer before the run.
    fn held_before(&self, name: &str) -> Option<Tensor> {
        let buffer = self.buffers.iter().find(|buffer| buffer.name == name)?;
        buffer.elements(&buffer.bytes)
    }

    fn add_expectations(&mut self, recipe: &Recipe, files: &dyn Files) -> Result<(), Fault> {
        if recipe.expect.is_empty() && recipe.references.is_empty() {
            return Ok(());
        }
        let mut named = BTreeMap::new();
        for buffer in &self.buffers {
            if let Some(tensor) = buffer.elements(&buffer.bytes) {
                named.insert(buffer.name.clone(), (tensor, buffer.component()));
            }
        }
        let bounds = Bounds { memory: self.memory, stop: self.stop.as_deref(), ..Bounds::default() };
        let mut values = Values { named, sizes: &self.sizes, files, bounds };
        for (index, reference) in recipe.references.iter().enumerate() {
            let place = Place::top("references").then(index);
            if values.named.contains_key(&reference.name) {
                let message = format!("there is already a buffer or reference `{}`", reference.name);
                return Err(place.then("name").fail(message));
            }
            let mut tensor =
                values.compute(&reference.equals, None, reference.component, &place.then("equals"))?;
            if let Some(component) = reference.component {
                tensor.data.iter_mut().for_each(|value| *value = component.round(*value));
            }
            values.bounds.keep(&tensor, &place)?;
            values.named.insert(reference.name.clone(), (tensor, reference.component));
        }
        let mut expectations = Vec::new();
        for (index, expectation) in recipe.expect.iter().enumerate() {
            let place = Place::top("expect").then(index);
            let found = self.buffers.iter().position(|buffer| buffer.name == expectation.buffer);
            let Some(buffer) = found else {
                let known: Vec<&str> = self.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
                return Err(place.then("buffer").fail(format!(
                    "there is no buffer `{}`; expected one of {}",
                    expectation.buffer,
                    known.join(", ")
                )));
            };
            let Some(extent) = &self.buffers[buffer].extent else {
                let message =
                    format!("`{}` has no elements: give it a `type` and a `shape`", expectation.buffer);
                return Err(place.then("buffer").fail(message));
            };
            let after = self.after(expectation, &place)?;
            let component = self.buffers[buffer].component();
            let equals = place.then("equals");
            let tensor = values.compute(&expectation.equals, Some(&extent.shape), component, &equals)?;
            values.bounds.keep(&tensor, &equals)?;
            let computed = shown(&tensor.shape);
            let expected = tensor.reshaped(&extent.shape).map_err(|_| {
                equals.fail(format!(
                    "this is {computed}, but `{}` is {}: the numbers of elements must be equal",
                    expectation.buffer,
                    shown(&extent.shape)
                ))
            })?;
            if let Some(text) = &expectation.only {
                ElementFormula::new(text, &self.sizes, Some(&extent.shape), &|_| None)
                    .map_err(|message| place.then("where").fail(message))?;
            }
            expectations.push(PlannedExpectation {
                buffer,
                after,
                reference: operation(&expectation.equals).to_owned(),
                expected,
                tolerance: expectation.tolerance,
                equals: expectation.equals.clone(),
                only: expectation.only.clone(),
            });
        }
        self.expectations = expectations;
        Ok(())
    }

    /// The dispatch after which something is expected.
    fn after(&self, expectation: &Expectation, place: &Place) -> Result<usize, Fault> {
        let last = self.dispatches.len().saturating_sub(1);
        let Some(name) = &expectation.after else { return Ok(last) };
        let called = |dispatch: &PlannedDispatch| dispatch.name.as_ref() == Some(name);
        self.dispatches.iter().position(called).ok_or_else(|| {
            let names = self.dispatches.iter().filter_map(|dispatch| dispatch.name.as_deref());
            let known: Vec<&str> = names.collect();
            place.then("after").fail(match known.is_empty() {
                true => format!(
                    "there is no dispatch `{name}`: the recipe has a single one, so leave `after` out"
                ),
                false => format!("there is no dispatch `{name}`; expected one of {}", known.join(", ")),
            })
        })
    }
}

/// The program of a dispatch.
fn lowered(
    written: &Written,
    module: &Module<'_>,
    specialization: &[(u32, u64)],
) -> Result<Program, ProgramError> {
    let entry = written.dispatch.entry.as_deref();
    Program::new(module.module, &ProgramOptions { entry, specialization, debug: false })
}

/// What a reference is called in reports.
fn operation(compute: &Compute) -> &'static str {
    match compute {
        Compute::Matmul(_) => "matmul",
        Compute::Conv2d(_) => "conv2d",
        Compute::Im2col(_) => "im2col",
        Compute::Attention(_) => "attention",
        Compute::Softmax(_) => "softmax",
        Compute::Reduce(_) => "reduce",
        Compute::Formula(_) => "formula",
        Compute::Gather(_) => "gather",
        Compute::Transpose(_) => "transpose",
        Compute::Reinterpret(_) => "reinterpret",
        Compute::Value(_) => "value",
        Compute::Values(_) => "values",
        Compute::File(_) => "file",
    }
}

/// All dispatches have subgroups of the same size.
fn subgroup_size(
    recipe: &Recipe,
    dispatches: &[PlannedDispatch],
    overrides: &Overrides,
) -> Result<u32, Fault> {
    let asked = dispatches.iter().find_map(|dispatch| dispatch.program.interface().subgroup_size);
    let wanted = recipe.subgroup_size.or(asked).or(overrides.subgroup_size);
    let size = wanted.unwrap_or(32);
    if size.is_power_of_two() && (4..=128).contains(&size) {
        Ok(size)
    } else {
        let message = format!("expected 4, 8, 16, 32, 64 or 128 invocations, found {size}");
        Err(Place::top("subgroup-size").fail(message))
    }
}

/// Whether buffers of a recipe go there; images are told as such.
fn is_memory(kind: BindingKind) -> bool {
    match kind {
        BindingKind::StorageBuffer
        | BindingKind::UniformBuffer
        | BindingKind::StorageImage
        | BindingKind::SampledImage => true,
        BindingKind::Sampler => false,
    }
}
