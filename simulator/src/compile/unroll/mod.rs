//! Loops whose number of turns is known become that many copies of their blocks, where that names what an index chose before: matrices of
//! arrays, above all. Blocks that follow each other in any case are then one.
//!
//! What is counted stays: a block of the new program knows of how many blocks of the old one it is made.

mod blocks;
mod join;
mod known;
mod resolve;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use self::blocks::Unroller;
use self::known::Evaluator;
use super::planes::Planes;
use super::refusal::Refusal;
use crate::code::{Instruction, MemoryInstruction};
use crate::program::{Block, ProgramData, Slot};

/// What a block of the new program is made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    /// Numbers of blocks of the old program, each as often as it is in it.
    pub numbers: Vec<u32>,
    /// Steps of all of them.
    pub steps: u32,
}

/// A program whose loops are unrolled.
pub(super) struct Unrolled {
    pub program: Arc<ProgramData>,
    /// By the number of a block.
    pub parts: Vec<Parts>,
}

/// A block on its way, with the numbers of those that it is made of.
pub(super) struct Made {
    pub block: Block,
    pub numbers: Vec<u32>,
}

/// Unrolls the loops of a program.
pub(super) fn unroll(program: &Arc<ProgramData>) -> Result<Unrolled, Refusal> {
    let planes = Planes::new(program)?;
    let mut new = ProgramData::clone(program);
    let blocks = || program.functions.iter().flat_map(|function| &function.blocks);
    let mut steps = vec![0; program.blocks as usize];
    for block in blocks() {
        steps[block.number as usize] = block.origins.len() as u32;
    }
    // Whoever asks for the steps so far sees where blocks begin.
    let asks = blocks().flat_map(|block| &block.instructions).any(|i| matches!(i, Instruction::Clock(_)));
    let mut parts = Vec::new();
    let mut evaluator = Evaluator::new(program, &planes);
    for (index, function) in (0u32..).zip(&mut new.functions) {
        let alone = |block: Block| Made { numbers: vec![block.number], block };
        let mut made: Vec<Made>;
        if asks || !planes.functions.contains(&index) {
            made = std::mem::take(&mut function.blocks).into_iter().map(alone).collect();
        } else {
            evaluator.function = index;
            made = Unroller::new(&mut evaluator, &function.blocks).unroll()?;
            made = join::join(made);
            let plane = |slot| planes.of(index, slot);
            for made in &mut made {
                join::in_place(&mut made.block, &plane);
            }
            forget_places(&planes, program, index, &mut made)?;
            let own = own_addresses(&planes, program, index)?;
            made.iter_mut().for_each(|made| join::apart(&mut made.block, &own, &mut function.planes));
        }
        function.blocks = made
            .into_iter()
            .map(|Made { mut block, numbers }| {
                block.number = parts.len() as u32;
                let steps = numbers.iter().map(|number| steps[*number as usize]).sum();
                parts.push(Parts { numbers, steps });
                block
            })
            .collect();
    }
    new.blocks = parts.len() as u32;
    Ok(Unrolled { program: Arc::new(new), parts })
}

/// Planes with addresses that matrices alone are loaded from and stored to, within one block.
fn own_addresses(planes: &Planes, program: &ProgramData, function: u32) -> Result<FxHashSet<Slot>, Refusal> {
    let mut own: FxHashSet<Slot> = FxHashSet::default();
    let mut other: FxHashSet<u32> = FxHashSet::default();
    for instruction in
        program.functions[function as usize].blocks.iter().flat_map(|block| &block.instructions)
    {
        match instruction {
            Instruction::Memory(MemoryInstruction::Address { result, .. }) => {
                own.insert(*result);
            }
            Instruction::Matrix(matrix) if join::pointer_of(&mut matrix.operation.clone()).is_some() => {}
            _ => {
                let reads = super::effects::effects(program, planes, function, instruction)?.reads;
                other.extend(reads.iter().flat_map(|&(first, count)| first..first + count));
            }
        }
    }
    own.retain(|slot| {
        let first = planes.of(function, *slot);
        let alone = |plane: u32| planes.temporary[plane as usize].is_some() && !other.contains(&plane);
        !slot.is_global() && alone(first) && alone(first + 1)
    });
    Ok(own)
}

/// Places of planes that nothing asks for any more: the arrays that they lead into are as other variables then.
fn forget_places(
    planes: &Planes,
    program: &ProgramData,
    function: u32,
    made: &mut [Made],
) -> Result<(), Refusal> {
    loop {
        let mut read = vec![false; planes.indexed.len()];
        let mut mark = |(first, count): (u32, u32)| read[first as usize..(first + count) as usize].fill(true);
        for Made { block, .. } in made.iter() {
            for instruction in &block.instructions {
                let effects = super::effects::effects(program, planes, function, instruction)?;
                effects.reads.iter().for_each(|run| mark(*run));
            }
            planes.terminator_reads(program, function, &block.terminator).into_iter().for_each(&mut mark);
            for edge in super::planes::edges(&block.terminator) {
                edge.moves.iter().for_each(|&(_, source, count)| mark((planes.of(function, source), count)));
            }
        }
        let mut changed = false;
        for instruction in made.iter_mut().flat_map(|made| &mut made.block.instructions) {
            if let Instruction::Memory(
                MemoryInstruction::PlaneIndex { result, .. }
                | MemoryInstruction::PlaneOf { result, .. }
                | MemoryInstruction::PlaneFrom { result, .. },
            ) = *instruction
                && !read[planes.of(function, result) as usize]
            {
                *instruction = Instruction::copy(result, result, 0);
                changed = true;
            }
        }
        if !changed {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests;
