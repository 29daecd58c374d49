//! Which planes hold the same word in all lanes that read them, and in which blocks lanes may have parted.
//!
//! A block is *divided* where another group of lanes of the same call may be elsewhere while it runs. In the others, what is made of equal words
//! is equal in all lanes that have not returned. In a divided block that holds only of planes that the block alone uses.

use super::effects::{Effects, Sharing, effects};
use super::planes::{Planes, edges};
use super::refusal::Refusal;
use crate::code::{Instruction, MemoryInstruction};
use crate::program::{Function, ProgramData, Terminator};
use coopmat_spirv::spirv::BuiltIn;

pub(super) struct Uniform {
    /// For each plane: whether lanes may differ.
    pub varying: Vec<bool>,
    /// For each function and block.
    pub divided: Vec<Vec<bool>>,
}

impl Uniform {
    pub fn new(program: &ProgramData, planes: &Planes) -> Result<Uniform, Refusal> {
        let mut uniform = Uniform {
            varying: planes.indexed.clone(),
            divided: program.functions.iter().map(|function| vec![false; function.blocks.len()]).collect(),
        };
        for &(builtin, first, count) in &program.globals.builtins {
            let same = matches!(
                builtin,
                BuiltIn::NumWorkgroups
                    | BuiltIn::WorkgroupSize
                    | BuiltIn::WorkgroupId
                    | BuiltIn::SubgroupSize
                    | BuiltIn::NumSubgroups
                    | BuiltIn::SubgroupId
            );
            if !same {
                uniform.varying[first as usize..(first + count) as usize].fill(true);
            }
        }
        while uniform.step(program, planes)? {}
        Ok(uniform)
    }

    pub fn is_varying(&self, (first, count): (u32, u32)) -> bool {
        self.varying[first as usize..(first + count) as usize].contains(&true)
    }

    fn mark(&mut self, (first, count): (u32, u32)) -> bool {
        let planes = &mut self.varying[first as usize..(first + count) as usize];
        let changed = planes.contains(&false);
        planes.fill(true);
        changed
    }

    /// Looks at everything once; whether anything became known.
    fn step(&mut self, program: &ProgramData, planes: &Planes) -> Result<bool, Refusal> {
        let mut changed = false;
        for &function in &planes.functions {
            let lowered = &program.functions[function as usize];
            changed |= self.divide(planes, function, lowered);
            let is_entry = function == program.entry;
            for (number, block) in (0u32..).zip(&lowered.blocks) {
                let divided = self.divided[function as usize][number as usize];
                for instruction in &block.instructions {
                    let Effects { reads, writes, sharing, .. } =
                        effects(program, planes, function, instruction)?;
                    if let Instruction::Call(call) = instruction {
                        let mut parameter = planes.bases[call.function as usize];
                        for &(slot, count) in &call.arguments {
                            let from = planes.of(function, slot);
                            for index in 0..count {
                                if self.varying[(from + index) as usize] {
                                    changed |= self.mark((parameter + index, 1));
                                }
                            }
                            parameter += count;
                        }
                    }
                    // Copies keep their planes apart.
                    if let Instruction::Memory(MemoryInstruction::Copy { result, source, planes: count }) =
                        *instruction
                    {
                        let (to, from) = (planes.of(function, result), planes.of(function, source));
                        for index in 0..count {
                            let kept = planes.temporary[(to + index) as usize].is_some();
                            let is_global = ((to + index) as usize) < program.globals.words.len();
                            let parts = (divided || is_global && !is_entry) && !kept;
                            if parts || self.varying[(from + index) as usize] {
                                changed |= self.mark((to + index, 1));
                            }
                        }
                        continue;
                    }
                    let varies = match sharing {
                        Sharing::Follows => reads.iter().any(|run| self.is_varying(*run)),
                        Sharing::Varying => true,
                        Sharing::Uniform => false,
                    };
                    for (first, count) in writes {
                        for plane in first..first + count {
                            let kept = planes.temporary[plane as usize].is_some();
                            let is_global = (plane as usize) < program.globals.words.len();
                            if varies || (divided || is_global && !is_entry) && !kept {
                                changed |= self.mark((plane, 1));
                            }
                        }
                    }
                }
                for edge in edges(&block.terminator) {
                    for &(result, source, count) in &edge.moves {
                        let (to, from) = (planes.of(function, result), planes.of(function, source));
                        // Lanes that part here take other words with them.
                        let parts = divided || self.parts(planes, function, &block.terminator);
                        for index in 0..count {
                            if parts || self.varying[(from + index) as usize] {
                                changed |= self.mark((to + index, 1));
                            }
                        }
                    }
                }
                if let Terminator::ReturnValue(slot) = block.terminator {
                    let (to, from) = (planes.results[function as usize], planes.of(function, slot));
                    for index in 0..lowered.result_planes {
                        if divided || self.varying[(from + index) as usize] {
                            changed |= self.mark((to + index, 1));
                        }
                    }
                }
            }
        }
        Ok(changed)
    }

    /// Whether lanes may leave a block on several ways.
    pub fn parts(&self, planes: &Planes, function: u32, terminator: &Terminator) -> bool {
        match *terminator {
            Terminator::Conditional { condition, .. } => self.is_varying((planes.of(function, condition), 1)),
            Terminator::Switch { selector, wide, .. } => {
                self.is_varying((planes.of(function, selector), 1 + u32::from(wide)))
            }
            Terminator::Branch(_)
            | Terminator::Return
            | Terminator::ReturnValue(_)
            | Terminator::Kill
            | Terminator::Unreachable => false,
        }
    }

    /// Follows the groups of lanes from each block where they part to the one where they are together again.
    fn divide(&mut self, planes: &Planes, function: u32, lowered: &Function) -> bool {
        let mut changed = false;
        for block in &lowered.blocks {
            if !self.parts(planes, function, &block.terminator) {
                continue;
            }
            let mut waiting: std::collections::BTreeSet<u32> =
                edges(&block.terminator).iter().map(|edge| edge.block).collect();
            let mut passed: std::collections::BTreeSet<u32> = Default::default();
            while let Some(lowest) = waiting.pop_first() {
                if waiting.is_empty() && passed.last().is_none_or(|last| *last < lowest) {
                    break;
                }
                passed.insert(lowest);
                changed |= !std::mem::replace(&mut self.divided[function as usize][lowest as usize], true);
                for edge in edges(&lowered.blocks[lowest as usize].terminator) {
                    if !passed.contains(&edge.block) {
                        waiting.insert(edge.block);
                    }
                }
            }
        }
        changed
    }
}
