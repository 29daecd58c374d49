//! Results that depend on who owns which element: the dispatch once more, with elements shuffled among the invocations.

use std::sync::Arc;

use super::{Finding, FindingKind};
use crate::machine::Invocation;
use crate::memory::{BUFFERS, Resources};
use crate::ownership::Ownership;
use crate::{Execution, Program, Progress, RunError, Settings};

/// Steps of the second run between two looks at the host.
const SLICE: u64 = 1 << 18;

/// What the second run says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// No instruction reads or writes elements by their number: nothing can depend on it.
    NoElements,
    /// The first run has other findings, which may be why results differ.
    Unclear,
    /// Both runs leave the same in every buffer.
    None,
    Found(Finding),
    /// The host stopped it.
    Stopped,
}

/// Compares a checked run that has ended with one of a shuffled ownership. `resources` are those that the first run began with; `go_on` is asked
/// now and then.
pub fn depends_on_ownership(
    program: &Program,
    first: &Execution,
    resources: Resources,
    settings: &Settings,
    groups: [u32; 3],
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Dependence, RunError> {
    let checks = first.checks();
    let Some((instruction, invocation)) = checks.elements else { return Ok(Dependence::NoElements) };
    if !first.findings().is_empty() {
        return Ok(Dependence::Unclear);
    }
    let ownership = Arc::new(Ownership::shuffled(0x5eed));
    let settings = Settings { ownership, checked: false, ..settings.clone() };
    let mut second = Execution::new(program, resources, settings, groups)?;
    while second.run(SLICE)? != Progress::Finished {
        if !go_on() {
            return Ok(Dependence::Stopped);
        }
    }
    let buffers = first.resources().buffers.iter().zip(&second.resources().buffers);
    for (index, (first_buffer, second_buffer)) in buffers.enumerate() {
        let (was, is) = (first_buffer.bytes(), second_buffer.bytes());
        let Some(offset) = was.iter().zip(&is).position(|(was, is)| was != is) else { continue };
        let allocation = BUFFERS + index as u64;
        let writer = checks.shadow.last_write(allocation, offset as u64);
        let name = first.buffer_name(index);
        let message = format!(
            "{name} holds something else at offset {offset} when elements have other owners, as they may on another device; an element's row and column are known only from how it was loaded, or from coopMatPerElement"
        );
        let (at, by) = writer.map_or((instruction, invocation), |stamp| {
            let workgroup = checks.shadow.workgroup_of(stamp.epoch());
            (stamp.instruction(), Invocation { workgroup, index: stamp.invocation() })
        });
        let other = Some((instruction, invocation)).filter(|(instruction, _)| *instruction != at);
        let kind = FindingKind::OwnershipDependence;
        return Ok(Dependence::Found(Finding {
            kind,
            instruction: at,
            invocation: by,
            message,
            other,
            more: 0,
        }));
    }
    Ok(Dependence::None)
}
