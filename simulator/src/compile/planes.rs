//! All planes of a program in one numbering: those of the global region, then those of each function, which is active at most once at a time.
//! What is known of them without running anything: where pointers lead, which hold matrices, which are used in one block alone.

use rustc_hash::FxHashMap;

use super::effects::{Effects, effects};
use super::refusal::Refusal;
use crate::code::{Instruction, MemoryInstruction};
use crate::program::{Function, Place, ProgramData, Slot, Terminator};

/// The most planes of a program that is compiled.
const MAXIMUM_PLANES: usize = 1 << 16;

/// Consecutive planes.
pub(super) type Run = (u32, u32);

pub(super) struct Planes {
    /// The first plane of each function's frame.
    pub bases: Vec<u32>,
    /// Where a function's result is until its caller takes it.
    pub results: Vec<u32>,
    pub count: u32,
    /// Functions that the entry point calls, itself among them, callees after callers.
    pub functions: Vec<u32>,
    /// For planes that hold the index of a plane: where that plane may be.
    pub pointees: FxHashMap<u32, Vec<Run>>,
    /// Planes that an index may choose.
    pub indexed: Vec<bool>,
    /// Planes of cooperative matrices.
    pub matrices: Vec<bool>,
    /// For planes that one block alone uses, which writes them before it reads them: that block, and the last instruction that reads them.
    pub temporary: Vec<Option<Temporary>>,
}

/// A plane that one block alone uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Temporary {
    pub block: u32,
    /// The index of the instruction in the block; the terminator's is the number of instructions.
    pub last: u32,
}

impl Planes {
    pub fn new(program: &ProgramData) -> Result<Planes, Refusal> {
        let mut count = program.globals.words.len() as u32;
        let (mut bases, mut results) = (Vec::new(), Vec::new());
        for function in &program.functions {
            bases.push(count);
            count = count.saturating_add(function.planes);
            results.push(count);
            count = count.saturating_add(function.result_planes);
        }
        if count as usize > MAXIMUM_PLANES {
            return Err(Refusal::Size);
        }
        // Operands that an instruction does not have name planes a little beyond the last.
        let all = count as usize + 16;
        let mut planes = Planes {
            bases,
            results,
            count,
            functions: reachable(program)?,
            pointees: FxHashMap::default(),
            indexed: vec![false; all],
            matrices: vec![false; all],
            temporary: vec![None; all],
        };
        planes.find_pointees(program);
        for run in planes.pointees.values() {
            for &(first, count) in run {
                planes.indexed[first as usize..(first + count) as usize].fill(true);
            }
        }
        planes.find_matrices(program);
        planes.find_temporaries(program)?;
        Ok(planes)
    }

    /// The words of planes that nothing writes.
    pub fn constants(&self, program: &ProgramData) -> FxHashMap<u32, u32> {
        let globals = &program.globals;
        let mut constants: FxHashMap<u32, u32> = (0u32..).zip(globals.words.iter().copied()).collect();
        let variables = globals.variables.iter().map(|&(first, count, _)| (first, count));
        let builtins = globals.builtins.iter().map(|&(_, first, count)| (first, count));
        let pushed = globals.push_constants.iter().map(|&(first, _, scalar)| (first, scalar.planes()));
        let buffers = globals.buffers.iter().map(|&(first, _)| (first, 2));
        let late = globals.late_planes.iter().map(|&plane| (plane, 1));
        for (first, count) in variables.chain(builtins).chain(pushed).chain(buffers).chain(late) {
            for plane in first..first + count {
                constants.remove(&plane);
            }
        }
        constants
    }

    /// The number of a slot in a function.
    pub fn of(&self, function: u32, slot: Slot) -> u32 {
        slot.plane(self.bases[function as usize])
    }

    /// The variable that a plane belongs to.
    fn variable(&self, program: &ProgramData, function: u32, slot: Slot) -> Run {
        let plane = self.of(function, slot);
        let places = program.functions[function as usize].variables.iter().chain(&program.names.variables);
        for variable in places {
            if let Place::Planes { first, type_ } = variable.place {
                let (first, count) = (self.of(function, first), program.types.planes(type_));
                if (first..first + count).contains(&plane) {
                    return (first, count);
                }
            }
        }
        let globals = program.globals.variables.iter();
        if let Some(&(first, count, _)) =
            globals.into_iter().find(|(first, count, _)| (*first..first + count).contains(&plane))
        {
            return (first, count);
        }
        // It may be any of those that follow.
        let end = match slot.is_global() {
            true => program.globals.words.len() as u32,
            false => self.results[function as usize],
        };
        (plane, end - plane)
    }

    fn find_pointees(&mut self, program: &ProgramData) {
        loop {
            let mut changed = false;
            let mut found: Vec<(u32, Vec<Run>)> = Vec::new();
            each_instruction(program, &self.functions, |function, instruction| {
                let of = |slot: Slot| self.of(function, slot);
                let known = |plane: u32| self.pointees.get(&plane).cloned();
                match *instruction {
                    Instruction::Memory(MemoryInstruction::PlaneIndex { result, plane }) => {
                        found.push((of(result), vec![self.variable(program, function, plane)]));
                    }
                    Instruction::Memory(MemoryInstruction::PlaneOf {
                        result, first, count, step, ..
                    }) => {
                        let first = of(first);
                        let room = self.count - first;
                        found.push((of(result), vec![(first, count.saturating_mul(step).min(room))]));
                    }
                    Instruction::Memory(MemoryInstruction::PlaneFrom { result, pointer, .. }) => {
                        found.extend(known(of(pointer)).map(|runs| (of(result), runs)));
                    }
                    Instruction::Memory(MemoryInstruction::Copy { result, source, planes }) => {
                        for index in 0..planes {
                            found.extend(known(of(source) + index).map(|runs| (of(result) + index, runs)));
                        }
                    }
                    Instruction::Call(ref call) => {
                        let mut parameter = self.bases[call.function as usize];
                        for &(slot, planes) in &call.arguments {
                            for index in 0..planes {
                                found.extend(known(of(slot) + index).map(|runs| (parameter + index, runs)));
                            }
                            parameter += planes;
                        }
                    }
                    _ => {}
                }
            });
            each_move(program, &self.functions, |function, (result, source, planes)| {
                let (result, source) = (self.of(function, result), self.of(function, source));
                for index in 0..planes {
                    let runs = self.pointees.get(&(source + index)).cloned();
                    found.extend(runs.map(|runs| (result + index, runs)));
                }
            });
            for (plane, runs) in found {
                let known = self.pointees.entry(plane).or_default();
                for run in runs {
                    if !known.contains(&run) {
                        known.push(run);
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Where a pointer to planes may lead; everywhere that an index may choose, where nobody knows.
    pub fn pointees(&self, pointer: u32) -> Vec<Run> {
        match self.pointees.get(&pointer) {
            Some(runs) => runs.clone(),
            None => {
                let indexed = (0..self.count).filter(|&plane| self.indexed[plane as usize]);
                indexed.map(|plane| (plane, 1)).collect()
            }
        }
    }

    fn find_matrices(&mut self, program: &ProgramData) {
        for (plane, _) in &program.globals.matrices {
            self.matrices[*plane as usize] = true;
        }
        loop {
            let mut found: Vec<u32> = Vec::new();
            let is = |planes: &Planes, plane: u32| planes.matrices.get(plane as usize) == Some(&true);
            each_instruction(program, &self.functions, |function, instruction| {
                let of = |slot: Slot| self.of(function, slot);
                let mut copy = |to: u32, from: u32, count: u32| {
                    found.extend((0..count).filter(|index| is(self, from + index)).map(|index| to + index));
                };
                match *instruction {
                    Instruction::Matrix(ref matrix) => {
                        found.extend(matrix.operation.result().map(of));
                        found.extend(matrix.operation.sources().iter().map(|source| of(source.slot)));
                    }
                    Instruction::Memory(MemoryInstruction::Copy { result, source, planes }) => {
                        copy(of(result), of(source), planes);
                    }
                    Instruction::Memory(MemoryInstruction::Move { result, value }) => {
                        found.extend([of(result), of(value)]);
                    }
                    Instruction::Memory(MemoryInstruction::Gather { result, pointer, planes, .. }) => {
                        let mut runs = self.pointees(of(pointer)).into_iter();
                        if runs.any(|(first, count)| (first..first + count).any(|plane| is(self, plane))) {
                            found.extend((0..planes).map(|index| of(result) + index));
                        }
                    }
                    Instruction::Memory(MemoryInstruction::MoveTo { pointer, value, .. }) => {
                        found.push(of(value));
                        let runs = self.pointees(of(pointer)).into_iter();
                        found.extend(runs.flat_map(|(first, count)| first..first + count));
                    }
                    Instruction::Memory(MemoryInstruction::Scatter { pointer, value, planes, .. })
                        if (0..planes).any(|index| is(self, of(value) + index)) =>
                    {
                        let runs = self.pointees(of(pointer)).into_iter();
                        found.extend(runs.flat_map(|(first, count)| first..first + count));
                    }
                    Instruction::Logic(crate::code::LogicInstruction::Select {
                        count,
                        planes,
                        result,
                        a,
                        b,
                        ..
                    }) => {
                        copy(of(result), of(a), count * planes);
                        copy(of(result), of(b), count * planes);
                    }
                    Instruction::Call(ref call) => {
                        let mut parameter = self.bases[call.function as usize];
                        for &(slot, planes) in &call.arguments {
                            copy(parameter, of(slot), planes);
                            parameter += planes;
                        }
                        let callee = call.function as usize;
                        let planes = program.functions[callee].result_planes;
                        copy(of(call.result), self.results[callee], planes);
                    }
                    _ => {}
                }
            });
            each_move(program, &self.functions, |function, (result, source, planes)| {
                let (result, source) = (self.of(function, result), self.of(function, source));
                found
                    .extend((0..planes).filter(|index| is(self, source + index)).map(|index| result + index));
            });
            for &function in &self.functions {
                let lowered = &program.functions[function as usize];
                for block in &lowered.blocks {
                    if let Terminator::ReturnValue(slot) = block.terminator {
                        let (to, from) = (self.results[function as usize], self.of(function, slot));
                        let planes = (0..lowered.result_planes).filter(|index| is(self, from + index));
                        found.extend(planes.map(|index| to + index));
                    }
                }
            }
            let mut changed = false;
            for plane in found {
                changed |= !std::mem::replace(&mut self.matrices[plane as usize], true);
            }
            if !changed {
                return;
            }
        }
    }

    fn find_temporaries(&mut self, program: &ProgramData) -> Result<(), Refusal> {
        /// What is known so far.
        #[derive(Clone, Copy)]
        enum Seen {
            Never,
            In(Temporary),
            Elsewhere,
        }
        let mut seen = vec![Seen::Never; self.count as usize];
        for &function in &self.functions {
            for (number, block) in (0u32..).zip(&program.functions[function as usize].blocks) {
                let mut touch = |plane: u32, index: u32, write: bool, lasting: bool| {
                    let slot = &mut seen[plane as usize];
                    *slot = match *slot {
                        Seen::Never if write && !lasting => {
                            Seen::In(Temporary { block: number, last: index })
                        }
                        Seen::In(known) if known.block == number && !lasting => {
                            Seen::In(Temporary { last: index, ..known })
                        }
                        _ => Seen::Elsewhere,
                    };
                };
                for (index, instruction) in (0u32..).zip(&block.instructions) {
                    let Effects { reads, writes, across, .. } =
                        effects(program, self, function, instruction)?;
                    for (first, count) in reads {
                        (first..first + count).for_each(|plane| touch(plane, index, false, across));
                    }
                    for (first, count) in writes {
                        (first..first + count).for_each(|plane| touch(plane, index, true, false));
                    }
                }
                let end = block.instructions.len() as u32;
                if let Some((first, count)) = self.terminator_reads(program, function, &block.terminator) {
                    (first..first + count).for_each(|plane| touch(plane, end, false, false));
                }
                for edge in edges(&block.terminator) {
                    for &(result, source, planes) in &edge.moves {
                        let (to, from) = (self.of(function, result), self.of(function, source));
                        (from..from + planes).for_each(|plane| touch(plane, end, false, false));
                        (to..to + planes).for_each(|plane| touch(plane, end, true, true));
                    }
                }
            }
        }
        let globals = program.globals.words.len();
        for (plane, seen) in seen.into_iter().enumerate().skip(globals) {
            if let Seen::In(known) = seen
                && !self.indexed[plane]
                && !self.matrices[plane]
            {
                self.temporary[plane] = Some(known);
            }
        }
        // What callers write.
        for &function in &self.functions {
            let parameters = program.functions[function as usize].parameter_planes;
            let (base, result) = (self.bases[function as usize], self.results[function as usize]);
            let results = program.functions[function as usize].result_planes;
            for plane in (base..base + parameters).chain(result..result + results) {
                self.temporary[plane as usize] = None;
            }
        }
        Ok(())
    }

    /// What the end of a block looks at, but for the moves on its edges.
    pub fn terminator_reads(
        &self,
        program: &ProgramData,
        function: u32,
        terminator: &Terminator,
    ) -> Option<Run> {
        match *terminator {
            Terminator::Conditional { condition, .. } => Some((self.of(function, condition), 1)),
            Terminator::Switch { selector, wide, .. } => {
                Some((self.of(function, selector), 1 + u32::from(wide)))
            }
            Terminator::ReturnValue(slot) => {
                Some((self.of(function, slot), program.functions[function as usize].result_planes))
            }
            Terminator::Branch(_) | Terminator::Return | Terminator::Kill | Terminator::Unreachable => None,
        }
    }
}

/// The ways out of a block.
pub(super) fn edges(terminator: &Terminator) -> Vec<&crate::program::Edge> {
    match terminator {
        Terminator::Branch(edge) => vec![edge],
        Terminator::Conditional { then, otherwise, .. } => vec![then, otherwise],
        Terminator::Switch { edges, .. } => edges.iter().collect(),
        Terminator::Return | Terminator::ReturnValue(_) | Terminator::Kill | Terminator::Unreachable => {
            Vec::new()
        }
    }
}

fn each_instruction(program: &ProgramData, functions: &[u32], mut look: impl FnMut(u32, &Instruction)) {
    for &function in functions {
        let blocks = &program.functions[function as usize].blocks;
        blocks
            .iter()
            .flat_map(|block| &block.instructions)
            .for_each(|instruction| look(function, instruction));
    }
}

fn each_move(program: &ProgramData, functions: &[u32], mut look: impl FnMut(u32, (Slot, Slot, u32))) {
    for &function in functions {
        for block in &program.functions[function as usize].blocks {
            for edge in edges(&block.terminator) {
                edge.moves.iter().for_each(|moved| look(function, *moved));
            }
        }
    }
}

fn calls(function: &Function) -> impl Iterator<Item = u32> + '_ {
    let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    instructions.filter_map(|instruction| match instruction {
        Instruction::Call(call) => Some(call.function),
        _ => None,
    })
}

/// The functions that the entry point calls, callees after callers.
fn reachable(program: &ProgramData) -> Result<Vec<u32>, Refusal> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; program.functions.len()];
    let mut order = Vec::new();
    let mut stack = vec![(program.entry, false)];
    while let Some((function, left)) = stack.pop() {
        let state = &mut states[function as usize];
        if left {
            *state = State::Done;
            order.push(function);
            continue;
        }
        match *state {
            State::Done => continue,
            State::Open => return Err(Refusal::Recursion),
            State::New => *state = State::Open,
        }
        stack.push((function, true));
        let mut callees: Vec<u32> = calls(&program.functions[function as usize]).collect();
        callees.sort_unstable();
        callees.dedup();
        for callee in callees {
            match states[callee as usize] {
                State::Done => {}
                State::Open => return Err(Refusal::Recursion),
                State::New => stack.push((callee, false)),
            }
        }
    }
    order.reverse();
    Ok(order)
}
