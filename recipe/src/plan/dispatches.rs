//! The dispatches of a plan: their modules, and which buffer of the recipe stands where.

use coopmat_simulator::program::Type;
use coopmat_simulator::{Binding, Program, Resources};
use coopmat_spirv::dr;

use super::{Held, MOST_WORKGROUPS, PlannedAddress, PlannedSampler, is_memory};
use crate::interface;
use crate::model::{Bound, BufferRange, Dispatch, Number, Recipe};
use crate::read::{Fault, Place};
use crate::sizes::Sizes;

/// Dispatches of the longest recipe.
const MOST: usize = 256;

/// The module of a dispatch, and what is said of its specialization constants besides the recipe.
#[derive(Clone, Debug)]
pub struct Module<'m> {
    /// What the dispatch's shader compiles to.
    pub module: &'m dr::Module,
    /// Values of specialization constants where the recipe says nothing; of those that the shader lacks nothing is said.
    pub configured: Vec<(String, String)>,
    /// The same, whatever the recipe says of them, or of sizes of their names.
    pub chosen: Vec<(String, String)>,
}

impl<'m> From<&'m dr::Module> for Module<'m> {
    fn from(module: &'m dr::Module) -> Module<'m> {
        Module { module, configured: Vec::new(), chosen: Vec::new() }
    }
}

/// One dispatch: what runs, and what its shader is given.
#[derive(Clone, Debug)]
pub struct PlannedDispatch {
    /// What reports call it; nothing for the only one of a recipe that lists none.
    pub name: Option<String>,
    /// The module, lowered with these specialization constants.
    pub program: Program,
    /// Values of specialization constants: ids and bits.
    pub specialization: Vec<(u32, u64)>,
    /// The entry point; the only one, or `main`, where the recipe names none.
    pub entry: Option<String>,
    /// Workgroups in each direction.
    pub workgroups: [u32; 3],
    /// As the shader reads them; addresses are still zeros.
    pub push_constants: Vec<u8>,
    /// The places of `push_constants` where addresses have to be written.
    pub addresses: Vec<PlannedAddress>,
    /// What is bound.
    pub bindings: Vec<PlannedBinding>,
    /// How images are sampled; nearest texels and those at the edge otherwise.
    pub samplers: Vec<PlannedSampler>,
}

impl PlannedDispatch {
    /// Workgroups in all directions together.
    pub fn count(&self) -> u64 {
        self.workgroups.iter().map(|count| u64::from(*count)).product()
    }

    /// Values of specialization constants as texts, each with its id and the module's name for it.
    pub fn specialization_texts(&self) -> impl Iterator<Item = (u32, Option<&str>, String)> {
        let declared = &self.program.interface().specialization;
        self.specialization.iter().filter_map(|(id, bits)| {
            let constant = declared.iter().find(|constant| constant.id == *id)?;
            let type_ = self.program.types().get(constant.type_);
            let text = match interface::component(type_) {
                _ if matches!(type_, Type::Bool) => (*bits != 0).to_string(),
                Some(component) if !component.is_integer() => format!("{:?}", component.decode(*bits)),
                Some(component) if component.is_signed() => (*bits as i64).to_string(),
                _ => bits.to_string(),
            };
            Some((*id, constant.name.as_deref(), text))
        })
    }

    /// Where a buffer is bound, if it is.
    pub(crate) fn binding_of(&self, buffer: usize) -> Option<&PlannedBinding> {
        self.bindings.iter().find(|binding| binding.buffer == buffer)
    }

    /// Binds what this dispatch takes, and nothing else.
    pub fn bind(&self, resources: &mut Resources, held: &Held) {
        resources.unbind();
        for PlannedSampler { sampler, descriptor: (set, number, index), .. } in &self.samplers {
            resources.bind_sampler(*set, *number, *index, *sampler);
        }
        for binding in &self.bindings {
            let (set, number, index) = binding.descriptor;
            match (held.images.get(binding.buffer), held.buffers.get(binding.buffer)) {
                (Some(Some(image)), _) => resources.bind_image(set, number, index, *image),
                (_, Some(buffer)) => {
                    let size = resources.size(*buffer);
                    let buffer = match binding.part.is_whole(size) {
                        true => *buffer,
                        false => resources.part(*buffer, binding.part.bytes(size)),
                    };
                    resources.bind(set, number, index, buffer);
                }
                (_, None) => {}
            }
        }
        let mut push_constants = self.push_constants.clone();
        for address in &self.addresses {
            let Some(of) = held.buffers.get(address.of) else { continue };
            let value = resources.address(*of).wrapping_add(address.plus).to_le_bytes();
            if let Some(place) = push_constants.get_mut(address.offset..address.offset + 8) {
                place.copy_from_slice(&value);
            }
        }
        resources.push_constants(&push_constants);
    }
}

/// A buffer or an image, bound for a dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedBinding {
    /// Its place in [`super::Plan::buffers`].
    pub buffer: usize,
    /// Set, binding, index.
    pub descriptor: (u32, u32, u32),
    /// Which bytes of the buffer.
    pub part: BufferRange,
    /// Whether the shader has a uniform buffer here.
    pub uniform: bool,
}

/// A dispatch of the recipe with its place there.
pub(super) struct Written {
    pub dispatch: Dispatch,
    /// Nothing where the recipe itself is the only dispatch.
    pub index: Option<usize>,
    pub name: Option<String>,
    /// The buffers that it names: which, where, and where that is written.
    pub bound: Vec<Named>,
}

impl Written {
    /// The place of one of its keys.
    pub fn place(&self, key: &str) -> Place {
        match self.index {
            Some(index) => Place::top("dispatches").then(index).then(key),
            None if key == "workgroups" => Place::top("dispatch"),
            None => Place::top(key),
        }
    }

    /// `the shader`, or whose it is.
    pub fn shader(&self) -> String {
        match &self.name {
            Some(name) => format!("the shader of the dispatch `{name}`"),
            None => "the shader".to_owned(),
        }
    }
}

/// The dispatches of a recipe, by their names.
pub(super) fn written(recipe: &Recipe) -> Result<Vec<Written>, Fault> {
    let several = !recipe.dispatches.is_empty();
    if several {
        let said = [
            ("dispatch", "workgroups", recipe.dispatch.is_empty()),
            ("entry", "entry", recipe.entry.is_none()),
            ("specialization", "specialization", recipe.specialization.is_empty()),
            ("push-constants", "push-constants", recipe.push_constants.is_none()),
        ];
        if let Some((key, there, _)) = said.into_iter().find(|(_, _, is_left_out)| !is_left_out) {
            return Err(Place::top(key).fail(format!(
                "a recipe with `[[dispatches]]` has no `{key}` of its own: write `{there}` in each of them"
            )));
        }
        if recipe.dispatches.len() > MOST {
            let message = format!("expected at most {MOST} dispatches, found {}", recipe.dispatches.len());
            return Err(Place::top("dispatches").fail(message));
        }
    }
    let mut all: Vec<Written> = Vec::new();
    for (index, dispatch) in recipe.all_dispatches().into_iter().enumerate() {
        let name = several.then(|| name(&dispatch, index));
        if let Some(other) = all.iter().position(|other| name.is_some() && other.name == name) {
            let place = Place::top("dispatches").then(index).then("name");
            let name = name.unwrap_or_default();
            return Err(place.fail(format!(
                "the dispatches {} and {} are both called `{name}`: give each a `name`",
                other + 1,
                index + 1
            )));
        }
        all.push(Written { dispatch, index: several.then_some(index), name, bound: Vec::new() });
    }
    Ok(all)
}

/// What a dispatch is called where it has no name: as its shader's file is, or its number.
fn name(dispatch: &Dispatch, index: usize) -> String {
    if let Some(name) = &dispatch.name {
        return name.clone();
    }
    let file = dispatch.shader.as_deref().and_then(|shader| shader.rsplit(['/', '\\', '#']).next());
    match file.map(|file| file.split('.').next().unwrap_or(file)) {
        Some(stem) if !stem.is_empty() => stem.to_owned(),
        _ => (index + 1).to_string(),
    }
}

/// The workgroups of a dispatch in each direction.
pub(super) fn workgroups(numbers: &[Number], sizes: &Sizes, place: &Place) -> Result<[u32; 3], Fault> {
    if numbers.len() > 3 {
        return Err(place.fail(format!("expected up to three numbers, found {}", numbers.len())));
    }
    let numbers = sizes.wholes(numbers, place)?;
    let mut workgroups = [1; 3];
    for (slot, number) in workgroups.iter_mut().zip(&numbers) {
        *slot = u32::try_from(*number).map_err(|_| place.fail(format!("{number} is too many workgroups")))?;
    }
    let all = workgroups.iter().try_fold(1usize, |all, count| all.checked_mul(*count as usize));
    match all {
        Some(all) if all <= MOST_WORKGROUPS => Ok(workgroups),
        _ => Err(place.fail(format!("this is more than {MOST_WORKGROUPS} workgroups"))),
    }
}

/// The bindings of a shader that buffers of a recipe go to, in words.
pub(super) fn known(program: &Program) -> String {
    let names = program.interface().bindings.iter().filter(|binding| is_memory(binding.kind));
    let names = names.map(|b| format!("{} (set {}, binding {})", b.name, b.set, b.binding));
    names.collect::<Vec<_>>().join(", ")
}

/// The binding of a name.
pub(super) fn called<'p>(program: &'p Program, name: &str) -> Option<&'p Binding> {
    let mut bindings = program.interface().bindings.iter();
    bindings.find(|binding| {
        is_memory(binding.kind) && interface::names(program, binding).any(|known| known == name)
    })
}

/// A buffer that a dispatch names.
pub(super) struct Named {
    pub name: String,
    /// Set, binding and place in an array of descriptors.
    pub descriptor: (u32, u32, u32),
    /// Which bytes of it.
    pub part: BufferRange,
    /// Where the recipe says so.
    pub place: Place,
}

/// Which buffers a dispatch names for its shader's bindings.
pub(super) fn bound(written: &Written, program: &Program, recipe: &Recipe) -> Result<Vec<Named>, Fault> {
    let mut bound = Vec::new();
    for (key, of) in &written.dispatch.buffers {
        let place = written.place("buffers").then(key.as_str());
        let (set, binding) = match called(program, key) {
            Some(binding) => (binding.set, binding.binding),
            None => numbers(key).ok_or_else(|| {
                let there = match known(program) {
                    none if none.is_empty() => "it uses no buffers or images at all".to_owned(),
                    some => format!("it has {some}"),
                };
                place.fail(format!("{} has no buffer `{key}`: {there}", written.shader()))
            })?,
        };
        let all = match of {
            Bound::One(one) => std::slice::from_ref(one),
            Bound::Several(all) => all,
        };
        for (index, one) in all.iter().enumerate() {
            let (name, part) = one.parts();
            if !recipe.buffers.iter().any(|buffer| buffer.name == name) {
                let known: Vec<&str> = recipe.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
                return Err(place.fail(format!(
                    "the recipe has no buffer `{name}`; expected one of {}",
                    known.join(", ")
                )));
            }
            let descriptor = (set, binding, index as u32);
            bound.push(Named { name: name.to_owned(), descriptor, part, place: place.clone() });
        }
    }
    Ok(bound)
}

/// A binding in numbers: `3`, or `1.3` with its set.
pub(super) fn numbers(key: &str) -> Option<(u32, u32)> {
    match key.split_once('.') {
        Some((set, binding)) => Some((set.parse().ok()?, binding.parse().ok()?)),
        None => Some((0, key.parse().ok()?)),
    }
}
