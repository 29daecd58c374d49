//! Functions that run over elements instead of lanes: those that per-element, reduce and decode instructions name.

use super::context::Context;
use super::registers::{MAXIMUM_LANES, Registers, first_lanes};
use super::subgroup::{Stop, Subgroup};
use crate::RunError;
use crate::error::RunErrorKind;
use crate::program::Slot;

/// How many such functions may run inside each other.
const MAXIMUM_NESTING: u32 = 4;

/// The most steps that one batch of elements may take.
const MAXIMUM_STEPS: u64 = 1 << 28;

/// A parameter of a function over elements.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument<'w> {
    /// A value of the calling invocations, the same for all elements: its first plane, and how many.
    Same(Slot, u32),
    /// A word for each element, and for each plane of the parameter: `words[plane * elements + element]`.
    Each(&'w [u32]),
}

impl Context<'_, '_> {
    /// Calls a function once for each element. The result is there in the form of [`Argument::Each`].
    pub(crate) fn call_over_elements(
        &mut self,
        function: u32,
        elements: usize,
        arguments: &[Argument],
        result: &mut Vec<u32>,
    ) -> Result<(), RunError> {
        if self.nested >= MAXIMUM_NESTING {
            return Err(RunError::new(RunErrorKind::Depth, "functions over elements are nested too deeply"));
        }
        let callee = &self.env.program.functions[function as usize];
        let (result_planes, parameter_planes) = (callee.result_planes, callee.parameter_planes);
        let given = |argument: &Argument| match argument {
            Argument::Same(_, planes) => *planes as usize,
            Argument::Each(words) => words.len().checked_div(elements).unwrap_or(0),
        };
        if arguments.iter().map(given).sum::<usize>() != parameter_planes as usize {
            return Err(RunError::invalid(
                "a function over elements takes other parameters than it is given",
            ));
        }
        result.clear();
        result.resize(result_planes as usize * elements, 0);
        let mut subgroup = Subgroup::new(self.element_registers(), self.subgroup);
        subgroup.nested = self.nested + 1;
        // The planes before the frame hold the result.
        let globals = self.env.program.globals.words.len() as u32;
        let first_lane = self.registers.first_active();
        let mut outcome = Ok(());
        for start in (0..elements).step_by(MAXIMUM_LANES) {
            let count = (elements - start).min(MAXIMUM_LANES);
            if self.env.settings.checked {
                self.env.report.checks.shadow.next_epoch();
            }
            let base = globals + result_planes;
            if let Err(error) =
                subgroup.start_over_elements(self.env, function, base, first_lanes(count), globals)
            {
                outcome = Err(error);
                break;
            }
            let mut plane = base;
            for argument in arguments {
                match argument {
                    Argument::Same(slot, planes) => {
                        for index in 0..*planes {
                            let word = self.registers.get(self.plane(slot.offset(index)), first_lane);
                            subgroup.registers.preset(plane + index, word);
                        }
                        plane += planes;
                    }
                    Argument::Each(words) => {
                        for words in words.chunks(elements) {
                            let words = &words[start..start + count];
                            subgroup
                                .registers
                                .preset_lanes(plane, |lane| words.get(lane).copied().unwrap_or(0));
                            plane += 1;
                        }
                    }
                }
            }
            let left = self.env.settings.step_limit.saturating_sub(self.env.report.counts.steps);
            let mut steps = left.min(MAXIMUM_STEPS);
            match subgroup.run(self.env, &mut steps) {
                Ok(Stop::Ended) => {}
                Ok(Stop::Held) => {
                    if let Some(stepper) = &mut self.env.stepper {
                        stepper.leaves(subgroup);
                    }
                    return Err(RunError::invalid("the run is held within an instruction"));
                }
                Ok(Stop::Slice | Stop::Barrier | Stop::Together) => {
                    let message = "a function over elements takes more steps than are left";
                    outcome = Err(RunError::new(RunErrorKind::Steps, message));
                    break;
                }
                Err(error) => {
                    if let Some(stepper) = &mut self.env.stepper
                        && stepper.has_left()
                    {
                        stepper.leaves(subgroup);
                        return Err(error);
                    }
                    outcome = Err(error);
                    break;
                }
            }
            for index in 0..result_planes {
                let words = subgroup.registers.plane(globals + index);
                let to = index as usize * elements + start;
                result[to..to + count].copy_from_slice(&words[..count]);
            }
        }
        if self.env.settings.checked {
            self.env.report.checks.shadow.next_epoch();
        }
        self.registers.spare = Some(Box::new(subgroup.registers));
        outcome
    }

    /// Registers as wide as a batch of elements, with the global region in them.
    fn element_registers(&mut self) -> Registers {
        let globals = &self.env.program.globals;
        let count = globals.words.len() as u32;
        let lane = self.registers.first_active();
        let mut registers = match self.registers.spare.take() {
            Some(registers) => *registers,
            None => {
                let checked = self.env.settings.checked;
                let mut registers = Registers::new(MAXIMUM_LANES, self.env.program.has_matrices, checked);
                registers.resize(count);
                for (plane, &word) in globals.words.iter().enumerate() {
                    registers.preset(plane as u32, word);
                }
                for (plane, matrix) in &globals.matrices {
                    registers.set_matrix(*plane, matrix.clone());
                }
                let buffers = globals.buffers.iter().flat_map(|&(first, _)| first..first + 2);
                let pushed = globals.push_constants.iter();
                let pushed = pushed.flat_map(|&(first, _, scalar)| first..first + scalar.planes());
                for plane in buffers.chain(pushed).chain(globals.late_planes.iter().copied()) {
                    registers.preset(plane, self.registers.get(plane, lane));
                }
                registers
            }
        };
        for &(first, planes, _) in &globals.variables {
            for plane in first..first + planes {
                registers.preset(plane, self.registers.get(plane, lane));
            }
        }
        registers
    }
}
