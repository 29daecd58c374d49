//! The samplers of a plan, and where each dispatch finds them.

use coopmat_simulator::program::Type;
use coopmat_simulator::{Binding, BindingKind, Program, Sampler};

use super::Plan;
use super::dispatches::{Written, numbers};
use crate::interface;
use crate::model::{self, Names, Recipe};
use crate::read::{Fault, Place};

/// A sampler, bound for a dispatch.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedSampler {
    /// As the recipe calls it.
    pub name: String,
    /// How it samples.
    pub sampler: Sampler,
    /// Set, binding, index.
    pub descriptor: (u32, u32, u32),
}

/// Whether a descriptor has a sampler: one alone, or one of an image.
pub fn takes_sampler(program: &Program, binding: &Binding) -> bool {
    match binding.kind {
        BindingKind::Sampler => true,
        BindingKind::SampledImage => matches!(program.types().get(binding.type_), Type::SampledImage(_)),
        BindingKind::StorageImage | BindingKind::StorageBuffer | BindingKind::UniformBuffer => false,
    }
}

/// The bindings of a shader that take samplers, in words.
fn known(program: &Program) -> String {
    let all = program.interface().bindings.iter().filter(|binding| takes_sampler(program, binding));
    let all: Vec<String> =
        all.map(|b| format!("{} (set {}, binding {})", b.name, b.set, b.binding)).collect();
    if all.is_empty() { "it has none".to_owned() } else { format!("it has {}", all.join(", ")) }
}

fn called<'p>(program: &'p Program, name: &str) -> Option<&'p Binding> {
    let mut all = program.interface().bindings.iter();
    all.find(|binding| {
        takes_sampler(program, binding) && interface::names(program, binding).any(|known| known == name)
    })
}

/// Whether there is something at a place that takes no sampler.
fn refuses(program: &Program, place: (u32, u32)) -> bool {
    let there = || program.interface().bindings.iter().filter(|it| (it.set, it.binding) == place);
    there().next().is_some() && !there().any(|binding| takes_sampler(program, binding))
}

impl Plan {
    pub(super) fn add_samplers(&mut self, recipe: &Recipe, dispatches: &[Written]) -> Result<(), Fault> {
        let several = !recipe.dispatches.is_empty();
        for (index, sampler) in recipe.samplers.iter().enumerate() {
            let place = Place::top("samplers").then(index);
            if recipe.samplers.iter().take(index).any(|other| other.name == sampler.name) {
                let message = format!("two samplers are called `{}`: rename one of them", sampler.name);
                return Err(place.then("name").fail(message));
            }
            let [smallest, largest] = sampler.simulated().levels;
            if smallest > largest || smallest.is_nan() || largest.is_nan() {
                return Err(place.then("min-lod").fail(format!(
                    "the smallest level of detail is {smallest}, the largest {largest}: expected it to be as large or larger"
                )));
            }
            let given = [sampler.binding, sampler.set, sampler.index];
            match several {
                false => self.bind_alone(sampler, &place)?,
                true if given.iter().any(Option::is_some) => {
                    return Err(place.fail(format!(
                        "in a recipe with `[[dispatches]]` each dispatch says where samplers are: write `samplers = {{ \"BINDING\" = \"{}\" }}` there",
                        sampler.name
                    )));
                }
                true => {}
            }
        }
        for (dispatch, written) in self.dispatches.iter_mut().zip(dispatches).filter(|_| several) {
            let named = named(&dispatch.program, written, recipe)?;
            dispatch.samplers = named;
        }
        for (index, sampler) in recipe.samplers.iter().enumerate() {
            let is = |bound: &PlannedSampler| bound.name == sampler.name;
            if !self.dispatches.iter().any(|dispatch| dispatch.samplers.iter().any(is)) {
                let place = Place::top("samplers").then(index).then("name");
                return Err(place.fail(format!(
                    "no dispatch takes the sampler `{}`: name it in the `samplers` of one, or leave it out",
                    sampler.name
                )));
            }
        }
        Ok(())
    }

    /// Binds a sampler of the only dispatch: by its binding, or by its name.
    fn bind_alone(&mut self, sampler: &model::Sampler, place: &Place) -> Result<(), Fault> {
        let Some(dispatch) = self.dispatches.first_mut() else { return Ok(()) };
        let program = &dispatch.program;
        let (set, number) = match sampler.binding {
            Some(number) => {
                let set = sampler.set.unwrap_or(0);
                if refuses(program, (set, number)) {
                    let message = format!("the shader takes no sampler at set {set}, binding {number}");
                    return Err(place.then("binding").fail(message));
                }
                (set, number)
            }
            None if sampler.set.is_some() => {
                return Err(place.then("set").fail("`set` needs a `binding` as well"));
            }
            None => {
                let Some(binding) = called(program, &sampler.name) else {
                    return Err(place.then("name").fail(format!(
                        "the shader has no sampler `{}`: {}; choose one with `binding = N`",
                        sampler.name,
                        known(program)
                    )));
                };
                (binding.set, binding.binding)
            }
        };
        let descriptor = (set, number, sampler.index.unwrap_or(0));
        if let Some(other) = dispatch.samplers.iter().find(|bound| bound.descriptor == descriptor) {
            return Err(place.fail(format!(
                "`{}` and `{}` are both at set {set}, binding {number}: only one sampler can be there",
                other.name, sampler.name
            )));
        }
        dispatch.samplers.push(planned(sampler, descriptor));
        Ok(())
    }
}

fn planned(sampler: &model::Sampler, descriptor: (u32, u32, u32)) -> PlannedSampler {
    PlannedSampler { name: sampler.name.clone(), sampler: sampler.simulated(), descriptor }
}

/// The samplers of one of several dispatches: those that it names, and those that have its shader's names.
fn named(program: &Program, written: &Written, recipe: &Recipe) -> Result<Vec<PlannedSampler>, Fault> {
    let mut all = Vec::new();
    for (key, of) in &written.dispatch.samplers {
        let place = written.place("samplers").then(key.as_str());
        let binding = called(program, key).map(|binding| (binding.set, binding.binding));
        let Some((set, number)) = binding.or_else(|| numbers(key)) else {
            let shader = written.shader();
            return Err(place.fail(format!("{shader} has no sampler `{key}`: {}", known(program))));
        };
        if refuses(program, (set, number)) {
            return Err(place.fail(format!("{} takes no sampler here", written.shader())));
        }
        let names = match of {
            Names::One(name) => std::slice::from_ref(name),
            Names::Several(names) => names,
        };
        for (index, name) in names.iter().enumerate() {
            let Some(sampler) = recipe.samplers.iter().find(|known| known.name == *name) else {
                let known: Vec<&str> = recipe.samplers.iter().map(|known| known.name.as_str()).collect();
                return Err(place.fail(match known.is_empty() {
                    true => format!(
                        "the recipe has no sampler `{name}`: add `[[samplers]]` with `name = \"{name}\"`"
                    ),
                    false => {
                        format!("the recipe has no sampler `{name}`; expected one of {}", known.join(", "))
                    }
                }));
            };
            all.push(planned(sampler, (set, number, index as u32)));
        }
    }
    for sampler in &recipe.samplers {
        let Some(binding) = called(program, &sampler.name) else { continue };
        let descriptor = (binding.set, binding.binding, 0);
        if !all.iter().any(|bound| bound.descriptor == descriptor) {
            all.push(planned(sampler, descriptor));
        }
    }
    Ok(all)
}
