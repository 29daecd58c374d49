//! Whether two accesses are surely a mistake, and what is said.

use std::rc::Rc;

use crate::diagnostics::codes;
use crate::hir::{BodyDiagnostic, Place};
use crate::text::TextRange;

use super::Walker;
use super::memory::{Access, Decision, Meeting, Pending, Subgroups, chosen, meet};
use super::walk::State;

/// How often two places of the text are compared, in different rounds of loops.
const MAX_COMPARED: u8 = 16;
/// As large as subgroups get.
const LARGEST_SUBGROUP: usize = 128;

/// The way from one access to the other.
struct Way {
    /// A choice that one of them, or a barrier that was passed by, depends on.
    choice: Option<Decision>,
    /// The loop whose next round the second access is in.
    around: Option<TextRange>,
}

impl Walker<'_> {
    /// Compares an access with one from before.
    pub fn compare(&mut self, pending: &Pending, second: &Rc<Access>) {
        let first = &pending.access;
        // What waited has only not handed over what was written.
        if pending.waited.is_some() && !first.writes {
            return;
        }
        let pair = (first.range, second.range);
        let told = pending.waited.unwrap_or(second.range);
        if self.reported.contains(&told) {
            return;
        }
        self.count(1 + first.decisions.len() / 8);
        let Some(way) = self.way(pending, second) else { return };
        let count = self.compared.entry(pair).or_insert(0);
        if *count >= MAX_COMPARED {
            return;
        }
        *count += 1;
        self.count(self.lanes / 16);
        // Invocations of different subgroups are told apart by their numbers.
        let subgroups =
            Subgroups { size: self.subgroup.unwrap_or(LARGEST_SUBGROUP), apart: pending.subgroup.is_some() };
        let Some(meeting) = meet(first, second, subgroups) else { return };
        self.reported.insert(told);
        let found = self.finding(pending, second, meeting, &way);
        self.found.push(found);
    }

    /// A barrier of the workgroup: everybody has to be there. The first one where somebody is not is told.
    pub fn attend(&mut self, barrier: TextRange, name: &str) {
        let State { mask, blurred, .. } = self.state;
        if mask == self.everybody
            || mask.is_empty()
            || blurred
            || self.quiet
            || self.specialized
            || self.is_stopped()
        {
            return;
        }
        let Some(absent) = (0..self.lanes).find(|&lane| !mask.has(lane)) else { return };
        let code = &codes::DIVERGENT_BARRIER;
        if self.found.iter().any(|found| found.code == code) {
            return;
        }
        let message = format!(
            "`{name}` is reached by only {} of the {} invocations of a workgroup: invocation {absent} does not get here",
            (0..self.lanes).filter(|&lane| mask.has(lane)).count(),
            self.lanes
        );
        let severity = code.severity;
        self.found.push(BodyDiagnostic { code, severity, message, range: barrier, related: Vec::new() });
    }

    /// Whether there is a way from one access to the other that a dispatch may take, and what it depends on.
    fn way(&self, pending: &Pending, second: &Access) -> Option<Way> {
        let first = &pending.access;
        let all: Vec<&Decision> =
            first.decisions.iter().chain(&pending.passed).chain(second.decisions.iter()).collect();
        if all.iter().any(|decision| decision.guessed) {
            return None;
        }
        let opposite = |a: &Decision, b: &Decision| a.atom == b.atom && a.holds != b.holds;
        if all.iter().any(|a| all.iter().any(|b| opposite(a, b))) {
            return None;
        }
        let in_both =
            |decision: &Decision| chosen(&first.decisions, decision) && chosen(&second.decisions, decision);
        if all.iter().any(|decision| decision.exclusive && in_both(decision)) {
            return None;
        }
        let mut choices: Vec<Decision> = Vec::new();
        for decision in all {
            if !decision.of_loop && !in_both(decision) && !chosen(&choices, decision) {
                choices.push(*decision);
            }
        }
        let around = first.rounds.iter().zip(second.rounds.iter()).find(|(a, b)| a.0 == b.0 && a.1 != b.1);
        let around = around.and_then(|((number, _), _)| {
            self.rounds.iter().find(|(known, ..)| known == number).map(|(.., range)| *range)
        });
        // Two conditions may have to do with each other, and one with the round.
        match choices.as_slice() {
            [] => Some(Way { choice: None, around }),
            [choice] if around.is_none() && !choice.specialized => {
                Some(Way { choice: Some(*choice), around })
            }
            _ => None,
        }
    }

    fn finding(&self, pending: &Pending, second: &Access, meeting: Meeting, way: &Way) -> BodyDiagnostic {
        let first = &pending.access;
        let name = self.module.globals[first.global].name.as_str();
        let name = if name.is_empty() { "shared memory" } else { name };
        let act = |access: &Access| match (&access.block, access.writes) {
            (None, true) => "written",
            (None, false) => "read",
            (Some(_), true) => "stored to as a matrix",
            (Some(_), false) => "loaded as a matrix",
        };
        let mut related: Vec<(Place, String)> =
            vec![(Place::Here(first.range), format!("`{name}` is {} here", act(first)))];
        let next = if way.around.is_some() { " in the next iteration of the loop" } else { "" };
        if let Some(barrier) = pending.waited {
            related.push((Place::Here(second.range), format!("`{name}` is {} here{next}", act(second))));
            let code = &codes::BARRIER_SCOPE;
            let message = format!(
                "this barrier does not make what was written to `{name}` visible to the other invocations, by which it is {} afterwards: it must order shared memory in the workgroup, with acquire and release semantics",
                act(second)
            );
            return BodyDiagnostic { code, severity: code.severity, message, range: barrier, related };
        }
        let Meeting { first: one, second: other } = meeting;
        let who = match (&first.block, &second.block) {
            (None, None) => format!(
                "invocation {other} {} what invocation {one} {}",
                if second.writes { "writes" } else { "reads" },
                if first.writes { "writes" } else { "reads" }
            ),
            (None, Some(_)) => {
                format!(
                    "the matrix overlaps what invocation {one} {}",
                    if first.writes { "writes" } else { "reads" }
                )
            }
            (Some(_), None) => {
                format!(
                    "invocation {other} {} an element of the matrix",
                    if second.writes { "writes" } else { "reads" }
                )
            }
            (Some(_), Some(_)) => "the matrices have elements in common".to_owned(),
        };
        let before = if first.writes { "written before" } else { "still read" };
        let (code, why) = match pending.subgroup {
            Some(barrier) => {
                related.push((
                    Place::Here(barrier),
                    "only the invocations of one subgroup wait for each other here".to_owned(),
                ));
                (&codes::BARRIER_SCOPE, "there is only a subgroup barrier in between")
            }
            None if pending.fenced.is_some() => (
                &codes::MISSING_BARRIER,
                "there is no barrier in between that makes them wait for each other",
            ),
            None => (&codes::MISSING_BARRIER, "there is no barrier in between"),
        };
        if let Some(fence) = pending.fenced {
            let text = "this orders the accesses of each invocation, but does not wait for the others";
            related.push((Place::Here(fence), text.to_owned()));
        }
        if let Some(choice) = way.choice {
            let holds = if choice.holds { "holds" } else { "does not hold" };
            related.push((Place::Here(choice.range), format!("on the path where this {holds}")));
        }
        if let Some(around) = way.around {
            related.push((Place::Here(around), "around this loop".to_owned()));
        }
        let by = if first.writes { "by other invocations" } else { "by others" };
        let around = if way.around.is_some() { " around the loop" } else { "" };
        let message = format!(
            "`{name}` is {} here{next}, where it was {before} {by}: {who}, and {why}{around}",
            act(second)
        );
        BodyDiagnostic { code, severity: code.severity, message, range: second.range, related }
    }
}
