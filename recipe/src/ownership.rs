//! Whether results depend on who owns which element: a run under each ownership, judged, and compared with the first that is right.
//!
//! A shader that computes rows or columns from `gl_SubgroupInvocationID` is right on the devices whose ownership it assumes, and silently wrong on the next.

use std::sync::Arc;

use coopmat_simulator::ownership::Ownership;
use serde::Serialize;

use crate::component::Component;
use crate::model::Recipe;
use crate::plan::Plan;
use crate::report::{Modes, Outcome};
use crate::run::{Finished, Run, SLICE, Slice, failed};
use crate::tensor::shown;

/// What a run under one ownership showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every expectation is met, and every buffer holds what it holds under the first ownership that met them.
    Met,
    /// An expectation is not met, or the run ended early.
    Wrong,
    /// Every expectation is met, but a buffer holds something else than under the first ownership that met them.
    Depends,
    /// Nothing was run: the ownership is not known for the subgroup size.
    NotKnown,
}

impl Verdict {
    /// In a word or two. `judges`: whether the recipe expects anything; otherwise there is nothing to meet, only that results are the same.
    fn words(self, judges: bool) -> &'static str {
        match self {
            Verdict::Met if judges => "met",
            Verdict::Met => "same",
            Verdict::Wrong => "wrong",
            Verdict::Depends => "depends",
            Verdict::NotKnown => "not known",
        }
    }
}

/// The verdict of one ownership at one size of subgroups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "OwnershipVerdict"))]
pub struct Row {
    /// As `--ownership` takes it.
    pub ownership: String,
    /// Invocations of a subgroup.
    pub subgroup_size: u32,
    /// What the run showed.
    pub verdict: Verdict,
    /// The same in a word or two.
    pub words: &'static str,
    /// The first ownership of this size that met every expectation, whose results the run's were compared with. None of that itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub compared_with: Option<String>,
    /// Why, and what the ownership does not know of the shader's matrices: sentences without a full stop.
    pub reasons: Vec<String>,
}

/// A verdict for each ownership at each size of subgroups that the device offers; without a device, at the recipe's. The other modes are those of `base`.
pub fn verdicts(
    plan: &Plan,
    recipe: &Recipe,
    base: &Modes,
    ownerships: &[String],
    device_sizes: &[u32],
) -> Vec<Row> {
    let mut judging = Judging::new(plan, base, ownerships, device_sizes);
    while !judging.step(plan, recipe, SLICE) {}
    judging.rows
}

/// What the verdicts say together: sentences without a full stop.
pub fn notes(rows: &[Row]) -> Vec<String> {
    let right = |row: &Row| matches!(row.verdict, Verdict::Met | Verdict::Depends);
    let mut sizes: Vec<u32> = rows.iter().map(|row| row.subgroup_size).collect();
    sizes.dedup();
    // Where every run is wrong, though one of another size is right.
    sizes.retain(|size| !rows.iter().any(|row| row.subgroup_size == *size && right(row)));
    if !rows.iter().any(right) {
        sizes.clear();
    }
    let note = |size| {
        format!(
            "with subgroups of {size} no ownership is right: the shader, or its recipe, depends on the size of subgroups"
        )
    };
    sizes.into_iter().map(note).collect()
}

/// Steps that take as long as to begin a run.
const BEGIN: u64 = 1 << 8;
/// Bytes of buffers that take as long as a step to be judged and compared.
const BYTES: u64 = 8;

/// Verdicts that are made run by run, in slices.
pub struct Judging {
    /// Those that there are so far.
    pub rows: Vec<Row>,
    /// In the order of the rows.
    all: Vec<Modes>,
    /// Whether the recipe expects anything.
    judges: bool,
    running: Option<(Modes, Arc<Ownership>, Run)>,
    /// The first run of a size that met every expectation, and its ownership: the others are compared with it.
    first: Option<(String, Vec<Vec<u8>>)>,
}

impl Judging {
    /// Nothing has run yet. See [`verdicts`].
    pub fn new(plan: &Plan, base: &Modes, ownerships: &[String], device_sizes: &[u32]) -> Judging {
        let own = [plan.subgroup_size];
        let sizes = if device_sizes.is_empty() { &own[..] } else { device_sizes };
        let modes = |size: u32, name: &String| Modes {
            subgroup_size: size,
            ownership: name.clone(),
            checked: false,
            strict: false,
            headroom: false,
            ..base.clone()
        };
        let all = sizes.iter().flat_map(|size| ownerships.iter().map(move |name| modes(*size, name)));
        Judging {
            rows: Vec::new(),
            all: all.collect(),
            judges: !plan.expectations.is_empty(),
            running: None,
            first: None,
        }
    }

    /// How many verdicts there will be.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Runs about so many steps, under as many ownerships as that takes, or does other work that takes as long; whether nothing is left to do.
    pub fn step(&mut self, plan: &Plan, recipe: &Recipe, steps: u64) -> bool {
        let mut left = steps;
        while left > 0 {
            let Some((.., run)) = &mut self.running else {
                let Some(modes) = self.all.get(self.rows.len()).cloned() else { return true };
                self.begin(plan, modes);
                left = left.saturating_sub(BEGIN);
                continue;
            };
            let before = run.steps();
            let slice = run.step(plan, left);
            left = left.saturating_sub(run.steps().saturating_sub(before).max(1));
            if slice == Slice::Ended
                && let Some((modes, ownership, run)) = self.running.take()
            {
                let finished = run.finish(plan, recipe, &|_, _| None);
                let bytes: usize = finished.buffers.iter().map(Vec::len).sum();
                left = left.saturating_sub(bytes as u64 / BYTES);
                self.judge(plan, &modes, &ownership, finished);
            }
        }
        self.rows.len() == self.all.len()
    }

    fn begin(&mut self, plan: &Plan, modes: Modes) {
        if self.rows.last().is_some_and(|row| row.subgroup_size != modes.subgroup_size) {
            self.first = None;
        }
        let ownership = match plan.settings(&modes) {
            Ok(settings) => settings.ownership,
            Err(message) => return self.add(&modes, Verdict::NotKnown, vec![message]),
        };
        let sizes = ownership.subgroup_sizes();
        if !sizes.is_empty() && !sizes.contains(&modes.subgroup_size) {
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            let reason = format!("known for subgroups of {}", sizes.join(" or "));
            return self.add(&modes, Verdict::NotKnown, vec![reason]);
        }
        match Run::new(plan, &modes) {
            Ok(run) => self.running = Some((modes, ownership, run)),
            Err(problem) => {
                let finished = failed(plan, &modes, problem, &|_, _| None);
                self.judge(plan, &modes, &ownership, finished);
            }
        }
    }

    fn add(&mut self, modes: &Modes, verdict: Verdict, reasons: Vec<String>) {
        let before = self.first.as_ref().map(|(name, _)| name.clone());
        let compared_with = before
            .filter(|name| *name != modes.ownership && matches!(verdict, Verdict::Met | Verdict::Depends));
        let (ownership, subgroup_size) = (modes.ownership.clone(), modes.subgroup_size);
        let words = verdict.words(self.judges);
        self.rows.push(Row { ownership, subgroup_size, verdict, words, compared_with, reasons });
    }

    fn judge(&mut self, plan: &Plan, modes: &Modes, ownership: &Ownership, finished: Finished) {
        let mut reasons: Vec<String> = Vec::new();
        if let Some(problem) = &finished.report.error {
            reasons.push(problem.message.clone());
        }
        let broken = finished.report.expectations.iter().filter(|outcome| !outcome.met);
        reasons.extend(broken.map(unmet));
        let mut verdict = Verdict::Wrong;
        if reasons.is_empty() {
            match &self.first {
                None => self.first = Some((modes.ownership.clone(), finished.buffers)),
                Some((name, buffers)) => {
                    reasons.extend(differences(plan, &finished.buffers, name, buffers));
                }
            }
            verdict = if reasons.is_empty() { Verdict::Met } else { Verdict::Depends };
        }
        reasons.extend(unknown_types(plan, ownership, modes.subgroup_size));
        self.add(modes, verdict, reasons);
    }
}

fn unmet(outcome: &Outcome) -> String {
    let worst = outcome.worst.as_ref().map_or(String::new(), |worst| {
        format!("; worst at {}: expected {}, found {}", place(&worst.index), worst.expected, worst.found)
    });
    let after = outcome.after.as_ref().map_or(String::new(), |after| format!(" after `{after}`"));
    format!(
        "{} of {} elements of `{}`{after} are wrong{worst}",
        outcome.wrong, outcome.elements, outcome.buffer
    )
}

fn place(index: &[usize]) -> String {
    let index: Vec<String> = index.iter().map(usize::to_string).collect();
    format!("[{}]", index.join(", "))
}

/// A sentence for each buffer that does not hold what it holds under the other ownership.
fn differences(plan: &Plan, found: &[Vec<u8>], other_name: &str, others: &[Vec<u8>]) -> Vec<String> {
    let mut sentences = Vec::new();
    for (index, buffer) in plan.buffers.iter().enumerate() {
        let (Some(found), Some(other)) = (found.get(index), others.get(index)) else {
            continue;
        };
        if found == other {
            continue;
        }
        let of = match (&buffer.extent, buffer.elements(found), buffer.elements(other)) {
            (Some(extent), Some(a), Some(b)) => {
                let component = buffer.component().unwrap_or(Component::F64);
                let differ = |&(a, b): &(&f64, &f64)| component.encode(*a) != component.encode(*b);
                let pairs = a.data.iter().zip(&b.data);
                let count = pairs.filter(differ).count();
                format!("{count} of {} elements ({})", a.data.len(), shown(&extent.shape))
            }
            _ => {
                let count = found.iter().zip(other).filter(|(a, b)| a != b).count();
                format!("{count} of {} bytes", found.len())
            }
        };
        sentences.push(format!("{of} of `{}` are not those of the ownership {other_name}", buffer.name));
    }
    sentences
}

/// What the ownership does not know of the matrices that the shader has: a verdict says nothing about them.
fn unknown_types(plan: &Plan, ownership: &Ownership, subgroup_size: u32) -> Vec<String> {
    let types = plan.dispatches.iter().flat_map(|dispatch| dispatch.program.types().matrices());
    let notes = types.filter_map(|type_| ownership.map(&type_, subgroup_size).note().map(str::to_owned));
    let mut notes: Vec<String> = notes.collect();
    notes.sort();
    notes.dedup();
    notes
}
