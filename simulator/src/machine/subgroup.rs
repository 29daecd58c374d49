//! A subgroup: lanes in lockstep, its frames, and the loop that executes instructions.
//!
//! The lanes of a frame are groups, each at the start of a block. The group at the lowest block (in structured order) runs next, and groups
//! that arrive at the same block join: lanes that leave a construct wait at its merge, lanes that return wait for the frame's end.

use smallvec::SmallVec;

use super::context::{Context, Environment};
use super::registers::{Mask, Plane, Registers, lanes_of};
use super::stepping::Position;
use crate::RunError;
use crate::error::RunErrorKind;
use crate::instructions::{self, CallInstruction, Instruction};
use crate::program::{Edge, Function, Slot, Terminator};

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
    pub(crate) fn current<'p>(
        &self,
        program: &'p crate::program::ProgramData,
    ) -> Option<(&'p Instruction, u32)> {
        let frame = self.frames.last()?;
        let block = program.functions[frame.function as usize].blocks.get(frame.block as usize)?;
        let next = frame.next as usize;
        Some((block.instructions.get(next)?, *block.origins.get(next)?))
    }

    /// Goes past the instruction at which the subgroup stands.
    pub(crate) fn pass(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.next += 1;
        }
        self.stop = Stop::Slice;
    }

    /// Runs until something stops it.
    pub(crate) fn run(&mut self, env: &mut Environment, steps: &mut u64) -> Result<Stop, RunError> {
        let program = env.program;
        loop {
            let Some(frame) = self.frames.last_mut() else {
                self.stop = Stop::Ended;
                return Ok(Stop::Ended);
            };
            let function = &program.functions[frame.function as usize];
            let Some(block) = function.blocks.get(frame.block as usize) else {
                return Err(RunError::invalid("a function without a body is called"));
            };
            if !frame.entered {
                if *steps == 0 {
                    self.stop = Stop::Slice;
                    return Ok(Stop::Slice);
                }
                frame.entered = true;
                let cost = block.origins.len() as u64;
                *steps = steps.saturating_sub(cost);
                env.report.counts.steps += cost;
                if let Some(count) = env.report.blocks.get_mut(block.number as usize) {
                    count.0 += 1;
                    count.1 += u64::from(self.registers.taking_part());
                }
            }
            match self.run_block(env, block)? {
                Ran::Through => {
                    let origin = block.origins.last().copied().unwrap_or(0);
                    if env.stepper.is_some() && self.is_held(env, origin) {
                        if let Some(frame) = self.frames.last_mut() {
                            frame.next = block.instructions.len() as u32;
                        }
                        self.stop = Stop::Slice;
                        return Ok(Stop::Held);
                    }
                    self.end_block(env, function, &block.terminator, origin)
                        .map_err(|error| error.at(origin))?;
                }
                Ran::Called => {}
                Ran::Stopped(Stop::Held) => {
                    self.stop = Stop::Slice;
                    return Ok(Stop::Held);
                }
                Ran::Stopped(stop) => {
                    self.stop = stop;
                    return Ok(stop);
                }
            }
        }
    }

    /// Whether the run is held before the end of a block.
    fn is_held(&mut self, env: &mut Environment, origin: u32) -> bool {
        let depth = self.frames.len() as u32;
        let mut context = self.context(env);
        context.origin = origin;
        context.is_held(depth)
    }

    fn run_block(&mut self, env: &mut Environment, block: &crate::program::Block) -> Result<Ran, RunError> {
        let Some(frame) = self.frames.last() else { return Ok(Ran::Through) };
        let mut next = frame.next as usize;
        let checked = env.settings.checked;
        let watched = env.wants.instructions || env.stepper.is_some();
        let depth = self.frames.len() as u32;
        let mut context = Context::new(env, &mut self.registers, self.index);
        context.base = frame.base;
        context.nested = self.nested;
        while let Some(instruction) = block.instructions.get(next) {
            context.origin = block.origins[next];
            if watched {
                if context.is_held(depth) {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.next = next as u32;
                    }
                    return Ok(Ran::Stopped(Stop::Held));
                }
                if context.env.wants.instructions {
                    let at = context.at();
                    if let Some(observer) = &mut context.env.observer {
                        observer.instruction(&at);
                    }
                }
            }
            if !checked && instructions::execute_once(instruction, context.registers, context.base) {
                next += 1;
                continue;
            }
            match instruction {
                Instruction::Call(call) => {
                    let origin = context.origin;
                    if let Some(frame) = self.frames.last_mut() {
                        frame.next = next as u32 + 1;
                    }
                    self.call(env, call).map_err(|error| error.at(origin))?;
                    return Ok(Ran::Called);
                }
                Instruction::Barrier(barrier) => {
                    let at = context.at();
                    next += 1;
                    if context.nested == 0 && barrier.stops {
                        if let Some(observer) = &mut context.env.observer {
                            observer.barrier_reached(&at);
                        }
                        if checked {
                            context.check_barrier();
                        }
                        if let Some(frame) = self.frames.last_mut() {
                            frame.next = next as u32;
                        }
                        return Ok(Ran::Stopped(Stop::Barrier));
                    }
                    if checked {
                        context.env.report.checks.shadow.pass_subgroup_barrier(context.subgroup);
                    }
                }
                Instruction::Matrix(matrix) if context.nested == 0 && matrix.is_together() => {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.next = next as u32;
                    }
                    return Ok(Ran::Stopped(Stop::Together));
                }
                other => {
                    if checked {
                        instructions::checked::before(other, &mut context);
                    }
                    if let Err(error) = instructions::execute(other, &mut context) {
                        let error = error.at(context.origin);
                        if let Some(frame) = self.frames.last_mut() {
                            frame.next = next as u32;
                        }
                        return Err(error);
                    }
                    if checked {
                        instructions::checked::after(other, &mut context);
                    }
                    next += 1;
                }
            }
        }
        Ok(Ran::Through)
    }

    fn call(&mut self, env: &Environment, call: &CallInstruction) -> Result<(), RunError> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (base, mask) = (frame.base, frame.mask);
        let planes = env.program.functions[frame.function as usize].planes;
        let result = call.result.plane(base);
        let callee = base + planes;
        self.push(env, call.function, callee, mask, result)?;
        let mut parameter = callee;
        for &(slot, planes) in &call.arguments {
            self.registers.copy(parameter, slot.plane(base), planes);
            parameter += planes;
        }
        Ok(())
    }

    fn end_block(
        &mut self,
        env: &mut Environment,
        function: &Function,
        terminator: &Terminator,
        origin: u32,
    ) -> Result<(), RunError> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (base, mask) = (frame.base, frame.mask);
        if env.settings.checked
            && let Terminator::Conditional { condition: slot, .. } | Terminator::Switch { selector: slot, .. } =
                terminator
        {
            let mut context = self.context(env);
            context.origin = origin;
            context.check_defined(slot.plane(base), mask, "the branch");
        }
        match terminator {
            Terminator::Branch(edge) => {
                self.move_along(base, edge, mask);
                self.go(edge.block, mask);
            }
            Terminator::Conditional { condition, then, otherwise } => {
                let plane = condition.plane(base);
                if let Some(truth) = self.registers.uniform_truth(plane) {
                    let edge = if truth { then } else { otherwise };
                    self.move_along(base, edge, mask);
                    self.go(edge.block, mask);
                    return Ok(());
                }
                let taken = self.registers.nonzero(plane);
                if taken == mask {
                    self.move_along(base, then, mask);
                    self.go(then.block, mask);
                } else if taken == 0 {
                    self.move_along(base, otherwise, mask);
                    self.go(otherwise.block, mask);
                } else {
                    self.move_along(base, then, taken);
                    self.move_along(base, otherwise, mask & !taken);
                    self.wait(then.block, taken);
                    self.wait(otherwise.block, mask & !taken);
                    self.next_group();
                }
            }
            Terminator::Switch { selector, wide, cases, edges } => {
                let plane = selector.plane(base);
                let target = |registers: &Registers, lane| {
                    let value = match wide {
                        true => registers.get_wide(plane, lane),
                        false => u64::from(registers.get(plane, lane)),
                    };
                    let found = cases.binary_search_by_key(&value, |(value, _)| *value);
                    found.map_or(0, |index| cases[index].1)
                };
                let mut groups: SmallVec<[(u32, Mask); 8]> = SmallVec::new();
                for lane in lanes_of(mask) {
                    let edge = target(&self.registers, lane);
                    match groups.iter_mut().find(|(known, _)| *known == edge) {
                        Some((_, mask)) => *mask |= 1 << lane,
                        None => groups.push((edge, 1 << lane)),
                    }
                }
                if let [(edge, mask)] = groups[..] {
                    let edge = &edges[edge as usize];
                    self.move_along(base, edge, mask);
                    self.go(edge.block, mask);
                } else {
                    for (edge, mask) in groups {
                        let edge = &edges[edge as usize];
                        self.move_along(base, edge, mask);
                        self.wait(edge.block, mask);
                    }
                    self.next_group();
                }
            }
            Terminator::Return => self.end_lanes(mask),
            Terminator::ReturnValue(slot) => {
                let (source, planes) = (slot.plane(base), function.result_planes);
                self.return_value(env, source, planes, mask);
                self.end_lanes(mask);
            }
            Terminator::Kill => {
                for frame in &mut self.frames {
                    frame.live &= !mask;
                    frame.mask &= !mask;
                    for (_, waiting) in &mut frame.waiting {
                        *waiting &= !mask;
                    }
                    frame.waiting.retain(|(_, mask)| *mask != 0);
                }
                self.end_lanes(mask);
            }
            Terminator::Unreachable => return Err(RunError::invalid("execution reaches OpUnreachable")),
        }
        Ok(())
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

impl Context<'_, '_> {
    /// Whether the run is held before the instruction.
    fn is_held(&mut self, depth: u32) -> bool {
        let position = Position {
            workgroup: self.env.workgroup,
            subgroup: self.subgroup,
            instruction: self.origin,
            depth,
            nested: self.nested,
            mask: self.registers.mask(),
            findings: self.env.report.findings.len(),
        };
        self.env.stepper.as_mut().is_some_and(|stepper| stepper.stops_before(&position))
    }
}

enum Ran {
    Through,
    Called,
    Stopped(Stop),
}
