//! A subgroup: lanes in lockstep, its frames, and the groups of lanes in them.
//!
//! The lanes of a frame are groups, each at the start of a block. The group at the lowest block (in structured order) runs next, and groups
//! that arrive at the same block join: lanes that leave a construct wait at its merge, lanes that return wait for the frame's end.

mod running;

use smallvec::SmallVec;

use super::context::{Context, Environment};
use super::registers::{Mask, Plane, Registers};
use crate::RunError;
use crate::code::Instruction;
use crate::error::RunErrorKind;
use crate::program::{Edge, ProgramData, Slot};

/// Frames that may be inside each other.
const MAXIMUM_DEPTH: usize = 256;

/// A call that runs.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub function: u32,
    pub base: Plane,
    /// The lanes that have not returned.
    pub live: Mask,
    /// Groups of lanes that wait at the start of a block.
    waiting: SmallVec<[(u32, Mask); 4]>,
    /// The group that runs: its block, how far it is, its lanes.
    pub block: u32,
    pub next: u32,
    /// Whether the block has been counted.
    entered: bool,
    pub mask: Mask,
    /// Where the caller wants the result.
    result: Plane,
}

/// Why a subgroup does not run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The slice of steps is used up.
    Slice,
    /// Somebody holds it at an instruction.
    Held,
    /// It stands at a control barrier of workgroup scope.
    Barrier,
    /// It stands at an instruction that all subgroups execute together.
    Together,
    Ended,
}

/// A place at which compiled code leaves a subgroup.
pub(crate) struct Standing {
    pub function: u32,
    pub base: Plane,
    pub block: u32,
    /// The index of the instruction in the block.
    pub next: u32,
    /// The lanes that have not returned from the function, and those that take part.
    pub live: Mask,
    pub mask: Mask,
}

/// A subgroup.
#[derive(Clone, Debug)]
pub struct Subgroup {
    pub(crate) registers: Registers,
    pub(crate) frames: Vec<Frame>,
    pub(crate) index: u32,
    pub(crate) stop: Stop,
    /// How many functions over elements are running inside each other.
    pub(super) nested: u32,
}

impl Subgroup {
    /// A subgroup that is about to run a function. Its registers hold the global region.
    pub(super) fn new(registers: Registers, index: u32) -> Self {
        Subgroup { registers, frames: Vec::new(), index, stop: Stop::Slice, nested: 0 }
    }

    pub(super) fn start(&mut self, env: &Environment, function: u32, mask: Mask) -> Result<(), RunError> {
        self.frames.clear();
        let base = env.program.globals.words.len() as u32;
        self.push(env, function, base, mask, 0)?;
        self.stop = if mask == 0 { Stop::Ended } else { Stop::Slice };
        Ok(())
    }

    /// The same for a function over elements: its result goes to the planes that begin at `result`.
    pub(super) fn start_over_elements(
        &mut self,
        env: &Environment,
        function: u32,
        base: Plane,
        mask: Mask,
        result: Plane,
    ) -> Result<(), RunError> {
        self.frames.clear();
        self.push(env, function, base, mask, result)
    }

    fn push(
        &mut self,
        env: &Environment,
        function: u32,
        base: Plane,
        mask: Mask,
        result: Plane,
    ) -> Result<(), RunError> {
        if self.frames.len() >= MAXIMUM_DEPTH {
            let name = &env.program.functions[function as usize].name;
            let message = format!("calls are nested too deeply: does `{name}` call itself?");
            return Err(RunError::new(RunErrorKind::Depth, message));
        }
        let planes = env.program.functions[function as usize].planes;
        let end = base.saturating_add(planes);
        if end > self.registers.planes() {
            env.check_memory(&self.registers, end)?;
            self.registers.resize(end);
        }
        self.registers.clear(base, planes);
        let waiting = SmallVec::new();
        let (block, next, entered, live) = (0, 0, false, mask);
        self.frames.push(Frame { function, base, live, waiting, block, next, entered, mask, result });
        self.update_mask();
        Ok(())
    }

    /// Tells the registers which lanes take part.
    fn update_mask(&mut self) {
        if let Some(frame) = self.frames.last() {
            let mask = frame.mask;
            self.mask_as(mask);
        }
    }

    fn mask_as(&mut self, mask: Mask) {
        let (Some(frame), Some(first)) = (self.frames.last(), self.frames.first()) else { return };
        let (whole, all) = (mask == frame.live, mask == first.live);
        self.registers.set_mask(mask, whole, all);
    }

    /// Whether its lanes are elements of a matrix.
    pub(crate) fn is_over_elements(&self) -> bool {
        self.nested > 0
    }

    /// The context of the running frame.
    pub(crate) fn context<'a, 'e>(&'a mut self, env: &'a mut Environment<'e>) -> Context<'a, 'e> {
        let base = self.frames.last().map_or(0, |frame| frame.base);
        let mut context = Context::new(env, &mut self.registers, self.index);
        context.base = base;
        context.nested = self.nested;
        context
    }

    /// The instruction at which the subgroup stands, and its index in the module.
    pub(crate) fn current<'p>(&self, program: &'p ProgramData) -> Option<(&'p Instruction, u32)> {
        let frame = self.frames.last()?;
        let block = program.functions[frame.function as usize].blocks.get(frame.block as usize)?;
        let next = frame.next as usize;
        Some((block.instructions.get(next)?, *block.origins.get(next)?))
    }

    /// Lets the subgroup stand at an instruction, to which compiled code has brought it, and wait there for the others.
    pub(crate) fn stand(&mut self, at: Standing) {
        let Standing { function, base, block, next, live, mask } = at;
        let waiting = SmallVec::new();
        self.frames.clear();
        self.frames.push(Frame {
            function,
            base,
            live,
            waiting,
            block,
            next,
            entered: true,
            mask,
            result: 0,
        });
        self.stop = Stop::Together;
    }

    /// Goes past the instruction at which the subgroup stands.
    pub(crate) fn pass(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.next += 1;
        }
        self.stop = Stop::Slice;
    }

    fn return_value(&mut self, _env: &Environment, source: Plane, planes: u32, mask: Mask) {
        let count = self.frames.len();
        let Some(frame) = self.frames.last() else { return };
        let result = frame.result;
        if let Some(caller) = count.checked_sub(2).and_then(|index| self.frames.get(index)) {
            let (whole, all) =
                (mask == caller.live, self.frames.first().is_some_and(|first| mask == first.live));
            self.registers.set_mask(mask, whole, all);
            self.registers.copy(result, source, planes);
        } else if self.nested > 0 {
            // The function was called over elements: its result goes to where they look for it. Lanes that returned before have theirs.
            self.registers.set_mask(mask, false, false);
            self.registers.copy(result, source, planes);
        }
    }

    /// Does what `OpPhi`s do on an edge.
    fn move_along(&mut self, base: Plane, edge: &Edge, mask: Mask) {
        if edge.moves.is_empty() {
            return;
        }
        self.mask_as(mask);
        for &(result, source, planes) in &edge.moves {
            self.registers.copy(Slot::plane(result, base), Slot::plane(source, base), planes);
        }
    }

    /// All lanes of the running group go to a block.
    fn go(&mut self, block: u32, mask: Mask) {
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.waiting.is_empty() {
            (frame.block, frame.next, frame.entered) = (block, 0, false);
            return;
        }
        self.wait(block, mask);
        self.next_group();
    }

    fn wait(&mut self, block: u32, mask: Mask) {
        let Some(frame) = self.frames.last_mut() else { return };
        match frame.waiting.iter_mut().find(|(known, _)| *known == block) {
            Some((_, waiting)) => *waiting |= mask,
            None => frame.waiting.push((block, mask)),
        }
    }

    /// Lets the group at the lowest block run.
    fn next_group(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        let lowest = frame.waiting.iter().enumerate().min_by_key(|(_, (block, _))| *block);
        if let Some((index, &(block, mask))) = lowest {
            frame.waiting.swap_remove(index);
            (frame.block, frame.next, frame.entered, frame.mask) = (block, 0, false, mask);
        }
        self.update_mask();
    }

    /// Lanes have come to the end of the frame.
    fn end_lanes(&mut self, mask: Mask) {
        let Some(frame) = self.frames.last_mut() else { return };
        frame.live &= !mask;
        if frame.waiting.is_empty() {
            self.frames.pop();
            // A caller all of whose lanes are gone goes on with others, or ends too.
            while let Some(frame) = self.frames.last() {
                if frame.mask != 0 {
                    break;
                }
                if frame.waiting.is_empty() {
                    self.frames.pop();
                } else {
                    self.next_group();
                }
            }
            self.update_mask();
        } else {
            self.next_group();
        }
    }
}
