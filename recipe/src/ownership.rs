//! Whether results depend on who owns which element: a run under each ownership, judged, and compared with the first that is right.
//!
//! A shader that computes rows or columns from `gl_SubgroupInvocationID` is right on the devices whose ownership it assumes, and silently wrong on the next.

use coopmat_simulator::ownership::Ownership;

use crate::component::Component;
use crate::model::Recipe;
use crate::plan::Plan;
use crate::report::{Modes, Outcome, SourcePlace};
use crate::run::{Finished, Host, run};
use crate::tensor::shown;

/// What a run under one ownership showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// In a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Met => "met",
            Verdict::Wrong => "wrong",
            Verdict::Depends => "depends",
            Verdict::NotKnown => "not known",
        }
    }
}

/// The verdict of one ownership at one size of subgroups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// As [`crate::modes::ownership`] takes it.
    pub ownership: String,
    /// Invocations of a subgroup.
    pub subgroup_size: u32,
    /// What the run showed.
    pub verdict: Verdict,
    /// The first ownership of this size that met every expectation, whose results the run's were compared with. None of that itself.
    pub compared_with: Option<String>,
    /// Why, and what the ownership does not know of the shader's matrices: sentences without a full stop.
    pub reasons: Vec<String>,
}

/// A verdict for each ownership at each of these sizes of subgroups, with the first of the recipe's other modes.
pub fn verdicts(plan: &Plan, recipe: &Recipe, ownerships: &[String], sizes: &[u32]) -> Vec<Row> {
    let mut rows = Vec::new();
    for &subgroup_size in sizes {
        let mut first: First = None;
        for name in ownerships {
            let modes = Modes {
                checked: false,
                ownership: name.clone(),
                ..crate::modes::first(recipe, subgroup_size)
            };
            let before = first.as_ref().map(|(name, _)| name.clone());
            let (verdict, reasons) = verdict(plan, recipe, &modes, &mut first);
            let compared_with = before.filter(|_| matches!(verdict, Verdict::Met | Verdict::Depends));
            rows.push(Row { ownership: modes.ownership, subgroup_size, verdict, compared_with, reasons });
        }
    }
    rows
}

/// The first run that met every expectation, and its ownership: the others are compared with it.
type First = Option<(String, Vec<Vec<u8>>)>;

fn verdict(plan: &Plan, recipe: &Recipe, modes: &Modes, first: &mut First) -> (Verdict, Vec<String>) {
    let ownership = match plan.settings(modes) {
        Ok(settings) => settings.ownership,
        Err(message) => return (Verdict::NotKnown, vec![message]),
    };
    let sizes = ownership.subgroup_sizes();
    if !sizes.is_empty() && !sizes.contains(&modes.subgroup_size) {
        let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
        return (Verdict::NotKnown, vec![format!("known for subgroups of {}", sizes.join(" or "))]);
    }
    let finished = one(plan, recipe, modes);
    let mut reasons: Vec<String> = Vec::new();
    if let Some(problem) = &finished.report.error {
        reasons.push(problem.message.clone());
    }
    let broken = finished.report.expectations.iter().filter(|outcome| !outcome.met);
    reasons.extend(broken.map(unmet));
    let mut verdict = Verdict::Wrong;
    if reasons.is_empty() {
        match first {
            None => *first = Some((modes.ownership.clone(), finished.buffers)),
            Some((name, buffers)) => reasons.extend(differences(plan, &finished.buffers, name, buffers)),
        }
        verdict = if reasons.is_empty() { Verdict::Met } else { Verdict::Depends };
    }
    reasons.extend(unknown_types(plan, &ownership, modes.subgroup_size));
    (verdict, reasons)
}

fn one(plan: &Plan, recipe: &Recipe, modes: &Modes) -> Finished {
    let nowhere = |_: usize, _: u32| -> Option<SourcePlace> { None };
    let host = Host { pool: None, observers: Vec::new(), place: &nowhere, go_on: &mut |_, _| true };
    run(plan, recipe, modes, host)
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
