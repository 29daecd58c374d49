//! The call stack, and where the subgroups stand.

use std::sync::Arc;

use super::lines::Place;
use super::reader::{self, Reader};
use super::scene::{Scene, Standpoint, VariableView};
use super::storage::FramePlanes;
use super::value::Value;
use super::watch::{Accesses, Watched};
use super::{Debugger, Focus};
use crate::machine::{Frame, Mask, Stop, Subgroup};
use crate::matrix::MatrixType;
use crate::ownership::{Map, Ownership};

/// A call.
#[derive(Clone, Debug)]
pub struct FrameView {
    /// What the module calls the function.
    pub function: String,
    /// The index in the module of the instruction at which it stands.
    pub instruction: u32,
    /// Where that is in the source, as far as [`super::Lines`] know.
    pub place: Option<Place>,
    /// The lanes that run.
    pub active: Mask,
    /// The lanes that have not returned.
    pub live: Mask,
    /// Lanes of the frame, 128 at most.
    pub lanes: u32,
    /// Lanes are elements of a matrix: a function for per-element operations, reductions or decoding.
    pub elements: bool,
    /// The call was inlined: there is no such frame when the module runs, and it has the lanes of the frame that it is in.
    pub inlined: bool,
}

/// A frame, or a call that was inlined in it.
struct ShownFrame<'a> {
    subgroup: &'a Subgroup,
    frame: &'a Frame,
    /// The index in the module of the instruction at which the frame stands.
    instruction: u32,
    place: Option<Place>,
    call: Option<u32>,
}

/// What a subgroup does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Its turn.
    Running,
    /// It waits for its turn.
    Ready,
    /// It waits at a control barrier for the other subgroups.
    Barrier,
    /// It waits for the others at an instruction that all subgroups execute together.
    Together,
    /// All its invocations have ended.
    Ended,
}

/// A subgroup of the running workgroup.
#[derive(Clone, Debug)]
pub struct SubgroupView {
    /// `gl_SubgroupID`.
    pub index: u32,
    /// What it does.
    pub status: Status,
    /// Where its running frame stands; none where it has ended.
    pub place: Option<Place>,
    /// The lanes that run.
    pub active: Mask,
    /// The lanes that have not returned.
    pub live: Mask,
    /// Invocations of the subgroup.
    pub lanes: u32,
}

impl Debugger {
    /// The subgroups that are on the stack, the innermost first: those of functions over elements, then the one that is looked at.
    fn stacked(&self) -> Vec<&Subgroup> {
        let Some(workgroup) = self.execution.workgroup() else { return Vec::new() };
        let Some(outer) = workgroup.subgroups.get(self.focus.subgroup as usize) else { return Vec::new() };
        let standing = self.tracker.standing.as_ref();
        let is_here = standing.is_some_and(|standing| standing.position.subgroup == self.focus.subgroup);
        let inner: &[Subgroup] = if is_here { &self.tracker.inner } else { &[] };
        inner.iter().chain([outer]).collect()
    }

    /// The frames, the innermost first.
    fn frames(&self) -> Vec<(&Subgroup, &Frame, usize)> {
        let stacked = self.stacked().into_iter();
        let frames = stacked.flat_map(|subgroup| {
            let count = subgroup.frames.len();
            subgroup.frames.iter().rev().enumerate().map(move |(up, frame)| (subgroup, frame, count - 1 - up))
        });
        frames.collect()
    }

    /// The instruction at which a frame stands.
    fn instruction(&self, subgroup: &Subgroup, frame: &Frame, depth: usize) -> u32 {
        let function = self.execution.program().data.functions.get(frame.function as usize);
        let Some(block) = function.and_then(|function| function.blocks.get(frame.block as usize)) else {
            return 0;
        };
        let is_top = depth + 1 == subgroup.frames.len();
        // A call and a barrier are behind the frame already.
        let back = u32::from(!is_top || subgroup.stop == Stop::Barrier);
        block.origins.get(frame.next.saturating_sub(back) as usize).copied().unwrap_or(0)
    }

    /// The frames as they are shown, the innermost first: before a frame those of the calls that were inlined where it stands.
    fn shown(&self) -> Vec<ShownFrame<'_>> {
        let shown = self.frames().into_iter().flat_map(|(subgroup, frame, depth)| {
            let instruction = self.instruction(subgroup, frame, depth);
            let mut place = self.lines.place(instruction).or_else(|| self.line_before(frame));
            let calls = self.lines.calls_at(instruction).map(Some).chain([None]);
            calls.map(move |call| {
                let here = place;
                place = call.and_then(|call| self.lines.call(call)?.place);
                ShownFrame { subgroup, frame, instruction, place: here, call }
            })
        });
        shown.collect()
    }

    /// The calls of the subgroup that is looked at, the innermost first.
    pub fn stack(&self) -> Vec<FrameView> {
        let program = &self.execution.program().data;
        let views = self.shown().into_iter().map(|shown| {
            let ShownFrame { subgroup, frame, instruction, place, call } = shown;
            let name = match call.and_then(|call| self.lines.call(call)) {
                Some(call) => Some(&call.function),
                None => program.functions.get(frame.function as usize).map(|function| &function.name),
            };
            FrameView {
                function: name.map(|name| bare_name(name)).unwrap_or_default(),
                instruction,
                place,
                active: frame.mask,
                live: frame.live,
                lanes: subgroup.registers.lanes() as u32,
                elements: subgroup.is_over_elements(),
                inlined: call.is_some(),
            }
        });
        views.collect()
    }

    /// The nearest place in the frame's block, for an instruction that has none.
    fn line_before(&self, frame: &Frame) -> Option<Place> {
        let block = self
            .execution
            .program()
            .data
            .functions
            .get(frame.function as usize)?
            .blocks
            .get(frame.block as usize)?;
        let (before, after) = block.origins.split_at_checked(frame.next as usize)?;
        let before = before.iter().rev().find_map(|&origin| self.lines.place(origin));
        before.or_else(|| after.iter().find_map(|&origin| self.lines.place(origin)))
    }

    /// The subgroups of the running workgroup.
    pub fn subgroups(&self) -> Vec<SubgroupView> {
        let Some(workgroup) = self.execution.workgroup() else { return Vec::new() };
        let views = workgroup.subgroups.iter().enumerate().map(|(index, subgroup)| {
            let frame = subgroup.frames.last();
            let place = frame.and_then(|frame| {
                let instruction = self.instruction(subgroup, frame, subgroup.frames.len() - 1);
                self.lines.place(instruction).or_else(|| self.line_before(frame))
            });
            SubgroupView {
                index: index as u32,
                status: match subgroup.stop {
                    Stop::Slice | Stop::Held if index == workgroup.current() => Status::Running,
                    Stop::Slice | Stop::Held => Status::Ready,
                    Stop::Barrier => Status::Barrier,
                    Stop::Together => Status::Together,
                    Stop::Ended => Status::Ended,
                },
                place,
                active: frame.map_or(0, |frame| frame.mask),
                live: frame.map_or(0, |frame| frame.live),
                lanes: subgroup.registers.lanes() as u32,
            }
        });
        views.collect()
    }

    /// How deep the subgroup that is looked at is in calls.
    pub(super) fn depth(&self) -> u32 {
        match &self.tracker.standing {
            Some(standing) if self.is_focus(standing.position.workgroup, standing.position.subgroup) => {
                standing.depth
            }
            _ => self.shown().len() as u32,
        }
    }

    pub(super) fn is_focus(&self, workgroup: [u32; 3], subgroup: u32) -> bool {
        self.focus == Focus { workgroup, subgroup }
    }

    pub(super) fn scene(&self, frame: usize) -> Option<Scene<'_>> {
        let shown = self.shown().into_iter().nth(frame)?;
        let ShownFrame { subgroup, frame: found, instruction, place, call } = shown;
        let reader = Reader {
            execution: &self.execution,
            program: &self.execution.program().data,
            registers: &subgroup.registers,
            frame: found,
            subgroup: self.focus.subgroup,
            is_over_elements: subgroup.is_over_elements(),
        };
        Some(Scene::new(reader, &self.lines, Standpoint { place, instruction, call }))
    }

    /// The variables that a frame can see; frames count from the innermost.
    pub fn variables(&self, frame: usize) -> Vec<VariableView> {
        self.scene(frame).map(|scene| scene.list()).unwrap_or_default()
    }

    /// What an expression is in a frame.
    pub fn evaluate(&self, frame: usize, expression: &str) -> Result<Value, String> {
        let scene = self.scene(frame).ok_or("nothing is running here, so there are no variables")?;
        scene.value(expression)
    }

    /// The ownership of the run, and who owns which element of a matrix of this type.
    pub fn owners(&self, matrix: &MatrixType) -> (&Ownership, Arc<Map>) {
        (&self.execution.settings().ownership, reader::owners(&self.execution, matrix))
    }

    /// How an expression of a frame is watched: in all lanes, or in one.
    ///
    /// # Errors
    /// Why it cannot be.
    pub fn watched(&self, frame: usize, expression: &str, lane: Option<u32>) -> Result<Watched, String> {
        let scene = self.scene(frame).ok_or("nothing is running here, so there are no variables")?;
        let place = scene.watched(expression, lane, &self.frame_planes())?;
        let accesses = Accesses { reads: false, writes: true };
        Ok(Watched { place, accesses, expression: expression.to_owned() })
    }

    /// The functions of the frames that are looked at, the innermost first, and where their planes begin and end.
    fn frame_planes(&self) -> Vec<FramePlanes> {
        let functions = &self.execution.program().data.functions;
        let frames = self.frames().into_iter().map(|(_, frame, _)| {
            let count = functions.get(frame.function as usize).map_or(0, |function| function.planes);
            FramePlanes { function: frame.function, first: frame.base, end: frame.base.saturating_add(count) }
        });
        frames.collect()
    }

    /// Whether a condition holds where the run stands for one of these lanes, the active ones where none are given; or why that is not
    /// known.
    pub(super) fn holds(&self, condition: &str, lanes: Option<Mask>) -> Result<bool, String> {
        let Some(scene) = self.scene(0) else { return Ok(false) };
        let active = scene.reader.frame.mask;
        scene.holds(condition, lanes.unwrap_or(active))
    }
}

/// A function's name without the types of its parameters, which compilers add.
pub(super) fn bare_name(name: &str) -> String {
    name.split('(').next().unwrap_or_default().to_owned()
}
