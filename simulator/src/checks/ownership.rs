//! Results that depend on who owns which element: the dispatch once more, with elements shuffled among the invocations.

use std::sync::Arc;

use super::{Finding, FindingKind};
use crate::machine::Invocation;
use crate::memory::{BUFFERS, Resources};
use crate::ownership::Ownership;
use crate::{Execution, Program, Progress, RunError, Settings};

/// What the second run says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// No instruction reads or writes elements by their number: nothing can depend on it.
    NoElements,
    /// The first run has other findings, which may be why results differ.
    Unclear,
    /// Both runs leave the same in every buffer.
    None,
    /// They leave something else: where, and who reads or writes elements by their number.
    Found(Finding),
}

/// The second run: it begins with a checked one that has ended.
pub struct SecondRun {
    execution: Execution,
    /// An instruction that reads or writes elements by their number, and who did so first.
    elements: (u32, Invocation),
}

impl SecondRun {
    /// `resources` are those that the first run began with. The error is an answer that needs no second run.
    pub fn new(
        program: &Program,
        first: &Execution,
        resources: Resources,
        settings: &Settings,
        groups: [u32; 3],
    ) -> Result<SecondRun, Dependence> {
        let Some(elements) = first.checks().elements else { return Err(Dependence::NoElements) };
        if !first.findings().is_empty() {
            return Err(Dependence::Unclear);
        }
        let ownership = Arc::new(Ownership::shuffled(0x5eed));
        let settings = Settings { ownership, checked: false, headroom: false, ..settings.clone() };
        let execution = Execution::new(program, resources, settings, groups);
        // What keeps it from starting would have kept the first one.
        execution.map(|execution| SecondRun { execution, elements }).map_err(|_| Dependence::Unclear)
    }

    /// Runs about so many steps.
    pub fn run(&mut self, steps: u64) -> Result<Progress, RunError> {
        self.execution.run(steps)
    }

    /// When both have ended: whether they left the same.
    pub fn compare(&self, first: &Execution) -> Dependence {
        let checks = first.checks();
        let (instruction, invocation) = self.elements;
        let buffers = first.resources().buffers.iter().zip(&self.execution.resources().buffers);
        for (index, (first_buffer, second_buffer)) in buffers.enumerate() {
            let (was, is) = (first_buffer.bytes(), second_buffer.bytes());
            let Some(offset) = was.iter().zip(&is).position(|(was, is)| was != is) else { continue };
            let allocation = BUFFERS + index as u64;
            let writer = checks.shadow.last_write(allocation, offset as u64);
            let name = first.buffer_name(index);
            let message = format!(
                "{name} gets a different value at offset {offset} when elements have other owners, as they may on another device: which invocation holds which element is the implementation's choice; `coopMatGetCoordinateEXT` gives an element's row and column, and so does `coopMatPerElementNV`"
            );
            let (at, by) = writer.map_or((instruction, invocation), |stamp| {
                let workgroup = checks.shadow.workgroup_of(stamp.epoch());
                (stamp.instruction(), Invocation { workgroup, index: stamp.invocation() })
            });
            let other = Some((instruction, invocation)).filter(|(instruction, _)| *instruction != at);
            let kind = FindingKind::OwnershipDependence;
            let finding = Finding { kind, instruction: at, invocation: by, message, other, more: 0 };
            return Dependence::Found(finding);
        }
        Dependence::None
    }
}
