//! What is done to a finished module on request: specialization values ([`specialize`]), and clean-up ([`optimise`]), with the map of
//! instructions carried along.
//!
//! The clean-up keeps code readable: nothing is inlined, unrolled or moved, and what a value comes from stays its place in the map.
//! Each pass has its file:
//!
//! | pass | does |
//! |---|---|
//! | `split` | locals that are structures or arrays become locals of their parts |
//! | `components` | components of vectors and matrices are read and written as parts of whole values |
//! | `promote` | locals that are read and written as a whole become values, with `OpPhi` where paths meet |
//! | `forward` | within a block, what was stored or loaded last stands for the next load |
//! | `fold` | operations on constants, parts of composites that are at hand, copies, operations that change nothing |
//! | `branches` | branches whose condition is known, blocks that nothing reaches, blocks in a row |
//! | `dead` | what has no effect and no use: instructions, stores to locals that nothing reads, functions, types, constants, names |
//!
//! Every pass walks the module a bounded number of times, and none follows its nesting by calls.

mod branches;
mod cfg;
mod components;
mod dead;
mod effects;
mod fold;
mod forward;
mod locals;
mod promote;
mod split;
#[cfg(test)]
mod tests;
mod unit;

use coopmat_analysis::config::Configuration;
use coopmat_spirv::{SpecializeError, Values, specialization_constants};

use crate::Compiled;
use unit::Unit;

/// Folds the values that are in force into a module: those of the configuration that it was compiled under, and over them those of `more`, by
/// `constant_id`. `defaults`: the constants that neither gives take their default values.
///
/// # Errors
/// An id of `more` that the module lacks, or a value that is none of its constant's type.
pub fn specialize_in<'m>(
    configuration: &Configuration,
    compiled: Compiled,
    more: impl IntoIterator<Item = (u32, &'m str)>,
    defaults: bool,
) -> Result<Compiled, SpecializeError> {
    let configured: Vec<(u32, String)> = specialization_constants(&compiled.module)
        .iter()
        .filter_map(|constant| {
            let name = constant.name.as_deref().unwrap_or_default();
            let value = configuration.given(Some(constant.spec_id), name)?;
            Some((constant.spec_id, value.to_string()))
        })
        .collect();
    let more: Vec<(u32, &str)> = more.into_iter().collect();
    if configured.is_empty() && more.is_empty() && !defaults {
        return Ok(compiled);
    }
    let configured = configured.iter().map(|(id, value)| (*id, value.as_str()));
    let given = configured.chain(more.iter().map(|&(id, value)| (id, value)));
    let mut values = Values::parse(&compiled.module, given)?;
    values.defaults = defaults;
    specialize(compiled, &values)
}

/// Folds specialization values into a module.
pub fn specialize(compiled: Compiled, values: &Values) -> Result<Compiled, SpecializeError> {
    let specialized = coopmat_spirv::specialize(compiled.module, values)?;
    Ok(Compiled { module: specialized.module, map: compiled.map.reordered(specialized.origins) })
}

/// Cleans a module up. A module with instructions that nobody knows stays as it is, since their words cannot be followed.
pub fn optimise(compiled: Compiled) -> Compiled {
    let Compiled { module, map } = compiled;
    let mut unit = Unit::new(module);
    if unit.is_followed() {
        for pass in PASSES {
            pass(&mut unit);
        }
    }
    let (module, origins) = unit.finish();
    Compiled { module, map: map.reordered(origins) }
}

/// In their order.
const PASSES: [fn(&mut Unit); 10] = [
    fold::run,
    branches::run,
    split::run,
    components::run,
    promote::run,
    forward::run,
    // Values that came through locals.
    fold::run,
    branches::run,
    fold::run,
    dead::run,
];
