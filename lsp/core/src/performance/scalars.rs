//! Loads and stores of scalars and vectors in shared memory, before a run: how many passes each takes in one subgroup.

use std::collections::{BTreeMap, BTreeSet};

use coopmat_analysis::Analysis;
use coopmat_analysis::text::{FileId, FileRange};

use coopmat_codegen::statistics::{SharedAccess, shared_accesses};
use coopmat_codegen::{Compiled, optimise};
use coopmat_simulator::profile::{Banks, Index, Passes, Pattern};
use coopmat_simulator::{Program, ProgramOptions};

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
    /// Whether only some invocations of the subgroup may execute it: it takes as much or less then.
    pub is_partial: bool,
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
    let scalars = looking.scalars()?;
    let all = scalars.accesses.iter().map(|access| {
        let place = scalars.compiled.map.place(analysis, access.instruction as usize);
        ScalarAccess {
            instruction: access.instruction,
            is_store: access.is_store,
            location: place.map(|place| place.location),
            passes: scalars.patterns(access).and_then(|patterns| passes(&patterns, banks)),
            is_partial: access.is_partial,
        }
    });
    Ok(all.collect())
}

fn passes(patterns: &[Pattern], banks: Banks) -> Option<Vec<Passes>> {
    patterns.iter().map(|pattern| pattern.passes(banks)).collect()
}

/// The module with its locals as values, and what it does.
struct Scalars {
    compiled: Compiled,
    program: Program,
    accesses: Vec<SharedAccess>,
}

impl Scalars {
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
}

impl Looking<'_> {
    fn scalars(&self) -> Result<Scalars, String> {
        let compiled = optimise(self.compiled.clone());
        let program =
            Program::new(&compiled.module, &ProgramOptions::default()).map_err(|error| error.to_string())?;
        let workgroup = program.interface().workgroup_size;
        let accesses = shared_accesses(&compiled.module, workgroup, self.sizes.subgroup);
        Ok(Scalars { compiled, program, accesses })
    }

    /// Accesses with conflicts in any subgroup, and how many are not known.
    pub(super) fn scalar_banks(&self, banks: Banks, found: &mut Found) {
        let scalars = match self.scalars() {
            Ok(scalars) => scalars,
            Err(why) => return found.notes.push(why),
        };
        let mut unknown = Vec::new();
        let count = scalars.accesses.len();
        for access in &scalars.accesses {
            let patterns = scalars.patterns(access);
            let known = patterns.and_then(|patterns| Some((passes(&patterns, banks)?, patterns)));
            let name = if access.is_store { "store" } else { "load" };
            let Some((all, patterns)) = known else {
                unknown.push(access.instruction);
                let told = format!(
                    "the passes of this {name} do not follow from the shader alone; a run with a profile tells them"
                );
                self.access(&scalars.compiled, access.instruction, told, None, found);
                continue;
            };
            let told = self.scalar_conflicts(&all, &patterns, banks, access.is_partial);
            let conflicts = told.is_some();
            let told = told.unwrap_or_else(|| self.without_conflicts(&all));
            let told = format!("the {name} {told}");
            self.access(&scalars.compiled, access.instruction, told, Some(conflicts), found);
        }
        if !unknown.is_empty() {
            found.notes.push(format!(
                "of {count} loads and stores of scalars and vectors in shared memory, the passes of {} do not follow from the shader alone{}; run --profile tells them",
                unknown.len(),
                self.lines(&scalars.compiled, &unknown)
            ));
        }
    }

    /// Accesses of which the passes are not known, and what is told of a store, or else a load.
    pub(super) fn scalars_without_banks(&self, told: &dyn Fn(bool) -> String, found: &mut Found) {
        let Ok(scalars) = self.scalars() else { return };
        for access in &scalars.accesses {
            self.access(&scalars.compiled, access.instruction, told(access.is_store), None, found);
        }
    }

    fn without_conflicts(&self, all: &[Passes]) -> String {
        let most = all.iter().map(|it| it.passes).max().unwrap_or(0);
        let noun = if most == 1 { "pass" } else { "passes" };
        format!("takes {most} {noun} of shared memory on {}: no conflicts", self.device)
    }

    /// ` (lines 12, 30 of a.comp)`: where instructions stand, each line once.
    fn lines(&self, compiled: &Compiled, instructions: &[u32]) -> String {
        let mut lines: BTreeMap<FileId, BTreeSet<u32>> = BTreeMap::new();
        for instruction in instructions {
            let Some(place) = compiled.map.place(self.analysis, *instruction as usize) else { continue };
            let FileRange { file, range } = place.location;
            let at = self.analysis.files()[file].line_index().line_col(range.start());
            lines.entry(file).or_default().insert(at.line + 1);
        }
        let of_file = |(file, lines): (&FileId, &BTreeSet<u32>)| {
            let name = if lines.len() == 1 { "line" } else { "lines" };
            let numbers: Vec<String> = lines.iter().map(u32::to_string).collect();
            let path = &self.analysis.files()[*file].path;
            let whose = if *file == FileId::ROOT { String::new() } else { format!(" of {path}") };
            format!("{name} {}{whose}", numbers.join(", "))
        };
        match lines.iter().map(of_file).collect::<Vec<_>>().join("; ") {
            none if none.is_empty() => none,
            some => format!(" ({some})"),
        }
    }

    fn scalar_conflicts(
        &self,
        all: &[Passes],
        patterns: &[Pattern],
        banks: Banks,
        is_partial: bool,
    ) -> Option<String> {
        let (place, worst) = all.iter().enumerate().max_by_key(|(_, it)| it.passes - it.least)?;
        if !worst.has_conflicts() {
            return None;
        }
        let Passes { passes, least, worst: ways } = *worst;
        let whose = if all.iter().all(|it| it == worst) { "" } else { " in some subgroups" };
        let device = &self.device;
        let (most, condition) =
            if is_partial { ("up to ", " if all invocations execute it") } else { ("", "") };
        let told = format!(
            "takes {most}{passes} passes of shared memory instead of {least} on {device}{whose} ({ways}-way conflicts{condition})"
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
