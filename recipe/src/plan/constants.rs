//! The numbers that a plan starts from: sizes, and values of specialization constants.

use coopmat_simulator::SpecializationConstant;
use coopmat_simulator::program::Program;

use super::dispatches::{Module, Written};
use super::{Overrides, RecipeError};
use crate::component::Component;
use crate::model::{Number, Recipe};
use crate::read::{Fault, Place};
use crate::sizes::Sizes;

/// What [`numbers`] finds.
pub(super) struct Numbers {
    pub sizes: Sizes,
    /// Ids and bits, of each dispatch.
    pub specialization: Vec<Vec<(u32, u64)>>,
    /// What a user may want to know of values without effect.
    pub notes: Vec<String>,
}

/// The specialization constant of a name or an id.
fn find<'p>(program: &'p Program, name: &str) -> Option<&'p SpecializationConstant> {
    let by_id = name.parse::<u32>().ok();
    let mut declared = program.interface().specialization.iter();
    declared.find(|constant| Some(constant.id) == by_id || constant.name.as_deref() == Some(name))
}

/// Sizes and specialization constants, with what the host sets.
pub(super) fn numbers(
    recipe: &Recipe,
    dispatches: &[(&Written, &Module<'_>, &Program)],
    overrides: &Overrides,
) -> Result<Numbers, Fault> {
    let mut sizes = recipe.sizes.clone();
    for (_, module, program) in dispatches {
        for (name, value) in module.chosen.iter().filter(|(name, _)| find(program, name).is_some()) {
            if let Some(size) = sizes.get_mut(name) {
                *size = number_of(value);
            }
        }
    }
    let mut set = Vec::new();
    for (name, value) in &overrides.set {
        match sizes.get_mut(name) {
            Some(size) => *size = number_of(value),
            None => set.push((name, number_of(value))),
        }
    }
    let sizes = Sizes::new(&sizes)?;
    let (mut specialization, mut notes) = (Vec::new(), Vec::new());
    for (written, module, program) in dispatches {
        let mut constants: Vec<(String, Number, Place)> = Vec::new();
        for (name, value) in module.configured.iter().filter(|(name, _)| find(program, name).is_some()) {
            constants.push((name.clone(), number_of(value), Place::default()));
        }
        let place = written.place("specialization");
        for (name, number) in &written.dispatch.specialization {
            constants.push((name.clone(), number.clone(), place.then(name.as_str())));
        }
        for (name, value) in module.chosen.iter().filter(|(name, _)| find(program, name).is_some()) {
            constants.push((name.clone(), number_of(value), Place::default()));
        }
        // Of several shaders it is for those that have it.
        let of_another = |name: &str| {
            let mut others = dispatches.iter();
            find(program, name).is_none() && others.any(|(_, _, other)| find(other, name).is_some())
        };
        for (name, number) in set.iter().filter(|(name, _)| !of_another(name)) {
            constants.push(((*name).clone(), number.clone(), Place::default()));
        }
        specialization.push(values(written, program, constants, &sizes, &mut notes)?);
    }
    notes.dedup();
    Ok(Numbers { sizes, specialization, notes })
}

/// Ids and bits of a dispatch's constants, of which later ones count.
fn values(
    written: &Written,
    program: &Program,
    constants: Vec<(String, Number, Place)>,
    sizes: &Sizes,
    notes: &mut Vec<String>,
) -> Result<Vec<(u32, u64)>, Fault> {
    let mut values = Vec::<(u32, u64)>::new();
    for (name, number, place) in constants {
        let Some(constant) = find(program, &name) else {
            let shader = written.shader();
            // A pipeline may give constants that the module lacks (Vulkan, VkSpecializationMapEntry): a constant that nothing uses is not in it.
            if let Ok(id) = name.parse::<u32>() {
                // Of which type it would be is not known.
                sizes.integer(&number, &place)?;
                notes.push(format!(
                    "{shader} has no specialization constant {id}, or does not use it: its value has no effect"
                ));
                continue;
            }
            let declared = program.interface().specialization.iter();
            let known: Vec<String> = declared
                .map(|constant| match &constant.name {
                    Some(name) => format!("{name} ({})", constant.id),
                    None => constant.id.to_string(),
                })
                .collect();
            let there_are = if known.is_empty() {
                format!("{shader} has none")
            } else {
                format!("there are {}", known.join(", "))
            };
            return Err(
                place.fail(format!("there is no specialization constant or size `{name}`: {there_are}"))
            );
        };
        let (value, exact) = sizes.integer(&number, &place)?;
        let component =
            crate::interface::component(program.types().get(constant.type_)).unwrap_or(Component::U32);
        component.holds_as_bits(value, exact).map_err(|reason| place.fail(format!("`{name}`: {reason}")))?;
        values.retain(|(id, _)| *id != constant.id);
        let exact = exact.filter(|_| component.is_wide_integer());
        let bits = exact.map_or_else(|| component.encode(value), |integer| component.wrap_bits(integer));
        values.push((constant.id, bits));
    }
    Ok(values)
}

/// A number as a host writes it.
fn number_of(value: &str) -> Number {
    value.parse().map(Number::Integer).unwrap_or_else(|_| match value {
        "true" => Number::Integer(1),
        "false" => Number::Integer(0),
        _ => Number::Formula(value.to_owned()),
    })
}

/// The values that a recipe gives to specialization constants, of several dispatches the first, by name or by id, as a host would write
/// them: `--set NAME=VALUE`.
///
/// # Errors
/// A formula that has no value, with its place.
pub fn specialization(recipe: &Recipe, text: &str) -> Result<Vec<(String, String)>, RecipeError> {
    let values = || -> Result<Vec<(String, String)>, Fault> {
        let sizes = Sizes::new(&recipe.sizes)?;
        let dispatches = super::dispatches::written(recipe)?;
        let Some(first) = dispatches.first() else { return Ok(Vec::new()) };
        let place = first.place("specialization");
        let value = |(name, number): (&String, &Number)| {
            let (value, exact) = sizes.integer(number, &place.then(name.as_str()))?;
            Ok((name.clone(), exact.map_or_else(|| value.to_string(), |integer| integer.to_string())))
        };
        first.dispatch.specialization.iter().map(value).collect()
    };
    values().map_err(|fault| fault.locate(text))
}
