//! The numbers that a plan starts from: sizes, and values of specialization constants.

use coopmat_simulator::program::Program;

use super::{Overrides, RecipeError};
use crate::component::Component;
use crate::model::{Number, Recipe};
use crate::read::{Fault, Place};
use crate::sizes::Sizes;

/// What [`numbers`] finds.
pub(super) struct Numbers {
    pub sizes: Sizes,
    /// Ids and bits.
    pub specialization: Vec<(u32, u64)>,
    /// What a user may want to know of values without effect.
    pub notes: Vec<String>,
}

/// Sizes and specialization constants, with what the host sets.
pub(super) fn numbers(recipe: &Recipe, program: &Program, overrides: &Overrides) -> Result<Numbers, Fault> {
    let declared = &program.interface().specialization;
    let find = |name: &str| {
        let by_id = name.parse::<u32>().ok();
        declared.iter().find(|constant| Some(constant.id) == by_id || constant.name.as_deref() == Some(name))
    };
    let mut written = recipe.sizes.clone();
    let mut constants: Vec<(String, Number, Place)> = Vec::new();
    for (name, value) in overrides.configured.iter().filter(|(name, _)| find(name).is_some()) {
        constants.push((name.clone(), number_of(value), Place::default()));
    }
    for (name, number) in &recipe.specialization {
        constants.push((name.clone(), number.clone(), Place::top("specialization").then(name.as_str())));
    }
    for (name, value) in overrides.chosen.iter().filter(|(name, _)| find(name).is_some()) {
        if let Some(size) = written.get_mut(name) {
            *size = number_of(value);
        }
        constants.push((name.clone(), number_of(value), Place::default()));
    }
    for (name, value) in &overrides.set {
        if let Some(size) = written.get_mut(name) {
            *size = number_of(value);
        } else {
            constants.push((name.clone(), number_of(value), Place::default()));
        }
    }
    let sizes = Sizes::new(&written)?;
    let (mut specialization, mut notes) = (Vec::<(u32, u64)>::new(), Vec::new());
    for (name, number, place) in constants {
        let Some(constant) = find(&name) else {
            // A pipeline may give constants that the module lacks (Vulkan, VkSpecializationMapEntry): a constant that nothing uses is not in it.
            if let Ok(id) = name.parse::<u32>() {
                // Of which type it would be is not known.
                sizes.integer(&number, &place)?;
                notes.push(format!(
                    "the shader has no specialization constant {id}, or does not use it: its value has no effect"
                ));
                continue;
            }
            let known: Vec<String> = declared
                .iter()
                .map(|constant| match &constant.name {
                    Some(name) => format!("{name} ({})", constant.id),
                    None => constant.id.to_string(),
                })
                .collect();
            let there_are = if known.is_empty() {
                "the shader has none".to_owned()
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
        specialization.retain(|(id, _)| *id != constant.id);
        let exact = exact.filter(|_| component.is_wide_integer());
        let bits = exact.map_or_else(|| component.encode(value), |integer| component.wrap_bits(integer));
        specialization.push((constant.id, bits));
    }
    Ok(Numbers { sizes, specialization, notes })
}

/// A number as a host writes it.
fn number_of(value: &str) -> Number {
    value.parse().map(Number::Integer).unwrap_or_else(|_| match value {
        "true" => Number::Integer(1),
        "false" => Number::Integer(0),
        _ => Number::Formula(value.to_owned()),
    })
}

/// The values that a recipe gives to specialization constants, by name or by id, as a host would write them: `--set NAME=VALUE`.
///
/// # Errors
/// A formula that has no value, with its place.
pub fn specialization(recipe: &Recipe, text: &str) -> Result<Vec<(String, String)>, RecipeError> {
    let values = || -> Result<Vec<(String, String)>, Fault> {
        let sizes = Sizes::new(&recipe.sizes)?;
        let value = |(name, number): (&String, &Number)| {
            let (value, exact) = sizes.integer(number, &Place::top("specialization").then(name.as_str()))?;
            Ok((name.clone(), exact.map_or_else(|| value.to_string(), |integer| integer.to_string())))
        };
        recipe.specialization.iter().map(value).collect()
    };
    values().map_err(|fault| fault.locate(text))
}
