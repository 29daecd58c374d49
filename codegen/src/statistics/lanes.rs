//! Where in shared memory the lanes of a subgroup load and store scalars and vectors, as far as it follows from the module.
//!
//! The module is evaluated once for each subgroup of a workgroup, with numbers as [`Lanes`]: an offset for each lane, and what all lanes add alike. A
//! variable, a parameter and `OpPhi` hold what any of their stores, calls and ways give, so that nothing has to be counted through. Where only some
//! lanes may be - behind a branch whose condition differs between them - what is known holds for the lanes that are there, and varies for those that
//! meet them again; so does what is stored there. Locals are best values before ([`crate::optimise`]).

mod evaluation;
mod form;
mod paths;

use std::collections::BTreeMap;

use rspirv::dr::Module;
use rspirv::spirv::{Op, StorageClass, Word};

use super::index::{Index, id};
use evaluation::Evaluation;
pub use form::Lanes;

/// Beyond so many subgroups of a workgroup nothing is looked at.
const MOST_SUBGROUPS: u32 = 64;

/// A load or store of a scalar or vector in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedAccess {
    /// Its index in the module.
    pub instruction: u32,
    /// Whether it stores.
    pub is_store: bool,
    /// The variable, by its place among those of shared memory in the module.
    pub variable: usize,
    /// Of each subgroup that executes it the indices into the variable, the outermost first. None where some subgroup's are not known.
    pub subgroups: Option<Vec<Vec<Lanes>>>,
    /// Whether only some lanes may execute it, so that what is known holds for these alone.
    pub is_partial: bool,
}

/// What a subgroup does at an access.
#[derive(Clone, Debug)]
struct Seen {
    is_store: bool,
    variable: Word,
    indices: Option<Vec<Lanes>>,
    is_partial: bool,
}

/// The loads and stores of scalars and vectors in shared memory that an entry point reaches, in the order of the module. Nothing for a module without an entry point, and for
/// more subgroups than 64. Accesses whose variable is not known are not among them.
pub fn shared_accesses(module: &Module, workgroup: [u32; 3], subgroup_size: u32) -> Vec<SharedAccess> {
    let index = Index::new(module);
    let Some(entry) = module.entry_points.first().and_then(|it| id(it.operands.get(1))) else {
        return Vec::new();
    };
    let invocations: u32 = workgroup.iter().product();
    let subgroups = invocations.div_ceil(subgroup_size.max(1));
    if subgroups > MOST_SUBGROUPS {
        return Vec::new();
    }
    let shared: Vec<Word> = module
        .types_global_values
        .iter()
        .filter(|it| it.class.opcode == Op::Variable)
        .filter_map(|it| it.result_id)
        .filter(|it| index.pointer(*it).is_some_and(|(class, _)| class == StorageClass::Workgroup))
        .collect();
    let mut accesses: BTreeMap<u32, SharedAccess> = BTreeMap::new();
    for subgroup in 0..subgroups {
        let seen = Evaluation::new(&index, workgroup, subgroup_size.max(1), subgroup).run(entry);
        for (instruction, Seen { is_store, variable, indices, is_partial }) in seen {
            let Some(variable) = shared.iter().position(|it| *it == variable) else { continue };
            let access = accesses.entry(instruction).or_insert_with(|| SharedAccess {
                instruction,
                is_store,
                variable,
                subgroups: Some(Vec::new()),
                is_partial: false,
            });
            access.is_partial |= is_partial;
            match (&mut access.subgroups, indices) {
                (Some(all), Some(indices)) if access.variable == variable => all.push(indices),
                (all, _) => *all = None,
            }
        }
    }
    accesses.into_values().collect()
}
