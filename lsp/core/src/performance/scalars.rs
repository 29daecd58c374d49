//! Loads and stores of scalars and vectors in shared memory, before a run: how many passes each takes in one subgroup.

use coopmat_analysis::Analysis;
use coopmat_analysis::diagnostics::codes;
use coopmat_analysis::text::FileRange;

use coopmat_codegen::statistics::{SharedAccess, shared_accesses};
use coopmat_simulator::profile::{Banks, Index, Passes, Pattern};

use super::{Found, Looking, STRIDES};

/// A load or store of a scalar or vector in shared memory.
#[derive(Clone, Debug)]
pub struct ScalarAccess {
    /// Its index in the module.
    pub instruction: u32,
    /// Whether it stores.
    pub is_store: bool,
    /// Where it stands in the source.
    pub location: Option<FileRange>,
    /// What it takes each time, of each subgroup of a workgroup that executes it; none if that does not follow from the shader alone.
    pub passes: Option<Vec<Passes>>,
}

/// The loads and stores of scalars and vectors in shared memory of a shader with matrices, in the order of the module.
///
/// # Errors
/// What is not known, in words without a full stop.
pub fn scalar_accesses(analysis: &Analysis) -> Result<Vec<ScalarAccess>, String> {
    let Some(looking) = Looking::new(analysis)? else { return Ok(Vec::new()) };
    let device = &looking.device;
    let banks = looking.facts.banks;
    let banks = banks.ok_or_else(|| format!("the profile of {device} does not say how its banks are"))?;
    let all = looking.shared_accesses().into_iter().map(|access| {
        let place = looking.compiled.map.place(analysis, access.instruction as usize);
        ScalarAccess {
            instruction: access.instruction,
            is_store: access.is_store,
            location: place.map(|place| place.location),
            passes: looking.patterns(&access).and_then(|patterns| passes(&patterns, banks)),
        }
    });
    Ok(all.collect())
}

fn passes(patterns: &[Pattern], banks: Banks) -> Option<Vec<Passes>> {
    patterns.iter().map(|pattern| pattern.passes(banks)).collect()
}

impl Looking<'_> {
    fn shared_accesses(&self) -> Vec<SharedAccess> {
        let workgroup = self.program.interface().workgroup_size;
        shared_accesses(&self.compiled.module, workgroup, self.sizes.subgroup)
    }

    /// Where each subgroup accesses the variable.
    fn patterns(&self, access: &SharedAccess) -> Option<Vec<Pattern>> {
        let of_subgroup = |indices: &Vec<_>| {
            let index = |lanes: &coopmat_codegen::statistics::Lanes| (lanes.offsets.clone(), lanes.step);
            let indices: Vec<_> = indices.iter().map(index).collect();
            let indices: Vec<Index<'_>> =
                indices.iter().map(|(offsets, step)| Index { offsets, step: *step }).collect();
            self.program.pattern(access.variable, &indices)
        };
        access.subgroups.as_ref()?.iter().map(of_subgroup).collect()
    }

    /// Accesses with conflicts in any subgroup, and how many are not known.
    pub(super) fn scalar_banks(&self, banks: Banks, found: &mut Found) {
        let mut unknown = 0;
        let accesses = self.shared_accesses();
        let count = accesses.len();
        for access in accesses {
            let patterns = self.patterns(&access);
            let known = patterns.and_then(|patterns| Some((passes(&patterns, banks)?, patterns)));
            let Some((all, patterns)) = known else {
                unknown += 1;
                continue;
            };
            let told = self.scalar_conflicts(&all, &patterns, banks);
            let name = if access.is_store { "store" } else { "load" };
            let told = told.map(|told| format!("the {name} {told}"));
            let told =
                told.and_then(|told| self.diagnostic(&codes::BANK_CONFLICTS, access.instruction, told));
            found.diagnostics.extend(told);
        }
        if unknown > 0 {
            found.notes.push(format!(
                "of {count} loads and stores of scalars and vectors in shared memory, the passes of {unknown} do not follow from the shader alone; run --profile tells them"
            ));
        }
    }

    fn scalar_conflicts(&self, all: &[Passes], patterns: &[Pattern], banks: Banks) -> Option<String> {
        let (place, worst) = all.iter().enumerate().max_by_key(|(_, it)| it.passes - it.least)?;
        if !worst.has_conflicts() {
            return None;
        }
        let Passes { passes, least, worst: ways } = *worst;
        let whose = if all.iter().all(|it| it == worst) { "" } else { " in some subgroups" };
        let device = &self.device;
        let told = format!(
            "takes {passes} passes of shared memory instead of {least} on {device}{whose} ({ways}-way conflicts)"
        );
        let pattern = patterns.get(place)?;
        let (Some(row), Some(_)) = (pattern.row(), pattern.free_rows(banks)) else { return Some(told) };
        // What is free of conflicts for one subgroup has to be for all.
        let mut free: Option<Vec<u64>> = None;
        for pattern in patterns {
            let Some(own) = pattern.free_rows(banks).filter(|_| pattern.row() == Some(row)) else {
                return Some(told);
            };
            free = Some(match free {
                None => own,
                Some(free) => free.into_iter().filter(|it| own.contains(it)).collect(),
            });
        }
        let element = pattern.element();
        let listed: Vec<String> =
            free.unwrap_or_default().iter().take(STRIDES).map(|row| (row / element).to_string()).collect();
        Some(match listed.as_slice() {
            [] => format!(
                "{told}, with rows of {}; no length of rows above that is free of conflicts",
                row / element
            ),
            free => format!(
                "{told}, with rows of {}; without conflicts: rows of {}",
                row / element,
                free.join(" or ")
            ),
        })
    }
}
