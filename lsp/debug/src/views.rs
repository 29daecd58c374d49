//! Threads, frames, scopes and expressions: what a client sees of a run that stands.
//!
//! A thread is a subgroup of the running workgroup. Its number follows from both, so that it is the same whenever the run comes by.

use coopmat_simulator::debugger::{Debugger, Focus, FrameView, Value, VariableKind};

use crate::disassembly;
use crate::sources::{Counting, SourceFile};
use crate::variables::{Handle, Handles};

/// Ids of threads stay below this, which clients take for a 32-bit number.
const IDS: u64 = i32::MAX as u64 - 1;

/// A frame of a subgroup: how deep it is, from the innermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameId {
    pub subgroup: u32,
    pub depth: u32,
}

impl FrameId {
    pub fn number(self) -> u64 {
        (u64::from(self.subgroup) << 20 | u64::from(self.depth)) + 1
    }

    pub fn of(number: u64) -> Option<FrameId> {
        let number = number.checked_sub(1)?;
        Some(FrameId { subgroup: u32::try_from(number >> 20).ok()?, depth: (number & 0xf_ffff) as u32 })
    }

    /// Looks at the run from this frame. What the run follows stays as it is.
    pub fn look<T>(
        self,
        debugger: &mut Debugger,
        look: impl FnOnce(&mut Debugger, usize) -> T,
    ) -> Result<T, String> {
        let followed = debugger.focus().subgroup;
        if !debugger.set_focus(self.subgroup) {
            return Err("nothing is running here, so there are no variables".to_owned());
        }
        let seen = look(debugger, self.depth as usize);
        debugger.set_focus(followed);
        Ok(seen)
    }
}

/// The value of an expression in a frame, and the frame.
pub fn evaluate(
    debugger: &mut Debugger,
    frame: FrameId,
    expression: &str,
) -> Result<(Value, FrameView), String> {
    frame.look(debugger, |debugger, depth| {
        let view = debugger.stack().into_iter().nth(depth).ok_or("there is no such frame any more")?;
        Ok((debugger.evaluate(depth, expression)?, view))
    })?
}

/// The id of a subgroup's thread. `groups`: workgroups of the dispatch, `subgroups`: those of a workgroup.
pub fn thread_id(focus: Focus, groups: [u32; 3], subgroups: usize) -> u64 {
    let [x, y, z] = focus.workgroup.map(u64::from);
    let [columns, rows, _] = groups.map(u64::from);
    let workgroup = (z.wrapping_mul(rows).wrapping_add(y)).wrapping_mul(columns).wrapping_add(x);
    let number = workgroup.wrapping_mul(subgroups.max(1) as u64).wrapping_add(u64::from(focus.subgroup));
    number % IDS + 1
}

/// The threads: subgroups of the running workgroup.
pub fn threads(debugger: &Debugger, groups: [u32; 3]) -> Vec<(Focus, dapts::Thread)> {
    let workgroup = debugger.focus().workgroup;
    let subgroups = debugger.subgroups();
    let [x, y, z] = workgroup;
    let count = subgroups.len();
    let threads = subgroups.iter().map(|subgroup| {
        let focus = Focus { workgroup, subgroup: subgroup.index };
        let name = format!("workgroup {x},{y},{z} subgroup {}", subgroup.index);
        (focus, dapts::Thread { id: thread_id(focus, groups, count), name })
    });
    let threads: Vec<_> = threads.collect();
    if threads.is_empty() {
        // Clients want one at least.
        let id = thread_id(debugger.focus(), groups, 1);
        return vec![(debugger.focus(), dapts::Thread { id, name: "the end of the run".to_owned() })];
    }
    threads
}

/// The frames of a subgroup, the innermost first.
pub fn frames(debugger: &mut Debugger, subgroup: u32, counting: Counting) -> Vec<dapts::StackFrame> {
    let views = FrameId { subgroup, depth: 0 }.look(debugger, |debugger, _| debugger.stack());
    let views = views.unwrap_or_default().into_iter();
    let frames =
        views.zip(0..).map(|(view, depth)| frame(debugger, &view, FrameId { subgroup, depth }, counting));
    frames.collect()
}

fn frame(debugger: &Debugger, view: &FrameView, id: FrameId, counting: Counting) -> dapts::StackFrame {
    let source = view.place.and_then(|place| SourceFile::of(debugger.lines(), place.file));
    let place = view.place.filter(|_| source.is_some());
    // Lanes of such a frame are elements of a matrix.
    let what = match (view.inlined, view.elements) {
        (true, _) => " (inlined)",
        (false, true) => " (for elements)",
        (false, false) => "",
    };
    dapts::StackFrame {
        id: id.number(),
        name: format!("{}{what}", view.function),
        source: source.map(|source| source.shown(counting)),
        line: place.map_or(0, |place| counting.line(place.line)),
        column: place.map_or(0, |place| counting.column(place.column)),
        // A range would be selected in the editor.
        end_line: None,
        end_column: None,
        can_restart: Some(false),
        instruction_pointer_reference: Some(disassembly::reference(i64::from(view.instruction))),
        module_id: None,
        presentation_hint: None,
    }
}

/// The scopes of a frame, in their order, and what is in them.
const SCOPES: [(&str, &[VariableKind]); 9] = [
    ("Locals", &[VariableKind::Parameter, VariableKind::Local]),
    ("Values", &[VariableKind::Value]),
    ("Global variables", &[VariableKind::Private]),
    ("Shared memory", &[VariableKind::Shared]),
    ("Buffers", &[VariableKind::Buffer]),
    ("Uniforms and push constants", &[VariableKind::Uniform, VariableKind::PushConstants]),
    ("Built-ins", &[VariableKind::Input]),
    ("Constants", &[VariableKind::Constant]),
    ("Images and samplers", &[VariableKind::Opaque]),
];

/// The scopes of a frame that have something in them.
pub fn scopes(
    debugger: &mut Debugger,
    handles: &mut Handles,
    frame: FrameId,
) -> Result<Vec<dapts::Scope>, String> {
    let variables = frame.look(debugger, |debugger, depth| debugger.variables(depth))?;
    let scopes = SCOPES.iter().filter_map(|(name, kinds)| {
        let count = variables.iter().filter(|variable| kinds.contains(&variable.kind)).count();
        let is_local = kinds.contains(&VariableKind::Local);
        (count > 0).then(|| dapts::Scope {
            name: (*name).to_owned(),
            variables_reference: handles.add(Handle::Scope { frame, kinds }),
            named_variables: Some(count as u32),
            expensive: false,
            presentation_hint: is_local.then_some(dapts::ScopePresentationHint::Locals),
            indexed_variables: None,
            source: None,
            line: None,
            column: None,
            end_line: None,
            end_column: None,
        })
    });
    Ok(scopes.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_threads_have_numbers() {
        let id = FrameId { subgroup: 3, depth: 7 };
        assert_eq!(FrameId::of(id.number()), Some(id));
        assert_eq!(FrameId::of(0), None);
        let at = |workgroup, subgroup| thread_id(Focus { workgroup, subgroup }, [2, 3, 4], 4);
        assert_eq!([at([0, 0, 0], 0), at([0, 0, 0], 3), at([1, 0, 0], 0), at([0, 1, 0], 0)], [1, 4, 5, 9]);
        let many = Focus { workgroup: [u32::MAX; 3], subgroup: 1 };
        assert!(thread_id(many, [u32::MAX; 3], 32) <= i32::MAX as u64);
    }
}
