//! The loop that executes a subgroup's instructions, block by block.

use smallvec::SmallVec;

use super::super::context::{Context, Environment};
use super::super::registers::{Mask, Registers, lanes_of};
use super::super::stepping::Position;
use super::{Frame, Stop, Subgroup};
use crate::RunError;
use crate::code::{BarrierKind, CallInstruction, Instruction};
use crate::instructions::{self, Passing};
use crate::program::{Block, Function, Terminator};

/// How the instructions of a block ended.
enum Ran {
    Through,
    Called,
    Stopped(Stop),
}

impl Subgroup {
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
        let base = self.frames.last().map_or(0, |frame| frame.base);
        let mut context = Context::new(env, &mut self.registers, self.index);
        context.base = base;
        context.nested = self.nested;
        context.origin = origin;
        context.is_held(&self.frames)
    }

    fn run_block(&mut self, env: &mut Environment, block: &Block) -> Result<Ran, RunError> {
        let Some(frame) = self.frames.last() else { return Ok(Ran::Through) };
        let mut next = frame.next as usize;
        let checked = env.settings.checked;
        let watched = env.wants.instructions || env.stepper.is_some();
        let sees = env.wants.values && self.nested == 0 && !env.program.component_operations.is_empty();
        let mut passing = Passing::default();
        let mut context = Context::new(env, &mut self.registers, self.index);
        context.base = frame.base;
        context.nested = self.nested;
        while let Some(instruction) = block.instructions.get(next) {
            context.origin = block.origins[next];
            if watched {
                if context.is_held(&self.frames) {
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
            if sees {
                passing.step(&mut context, Some(block.origins[next]));
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
                    if context.nested == 0 && barrier.kind == BarrierKind::Workgroup {
                        if let Some(observer) = &mut context.env.observer {
                            observer.barrier_reached(&at);
                        }
                        if checked {
                            context.check_barrier(barrier.semantics);
                        }
                        if let Some(frame) = self.frames.last_mut() {
                            frame.next = next as u32;
                        }
                        return Ok(Ran::Stopped(Stop::Barrier));
                    }
                    if checked {
                        context.pass(barrier);
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
        if sees {
            passing.step(&mut context, None);
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
}

impl Context<'_, '_> {
    /// Whether the run is held before the instruction.
    fn is_held(&mut self, frames: &[Frame]) -> bool {
        let position = Position {
            workgroup: self.env.workgroup,
            subgroup: self.subgroup,
            instruction: self.origin,
            depth: frames.len() as u32,
            nested: self.nested,
            mask: self.registers.mask(),
            findings: self.env.report.findings.len(),
        };
        let registers = &*self.registers;
        self.env.stepper.as_mut().is_some_and(|stepper| stepper.stops_before(&position, frames, registers))
    }
}
