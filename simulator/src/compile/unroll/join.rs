//! Blocks that follow each other in any case become one; a matrix is made where it will be moved to.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::planes::edges;
use super::Made;
use super::blocks::edges_mut;
use crate::code::{Instruction, MemoryInstruction};
use crate::matrix::operation::{Extra, Holder, Operation, Pointer, Strided};
use crate::program::{Slot, Terminator};

/// Joins each block with the next one, where that one comes after it alone. Nothing can wait between the two, so lanes run in the order that they had.
pub(super) fn join(blocks: Vec<Made>) -> Vec<Made> {
    let mut ways = vec![0u32; blocks.len()];
    for made in &blocks {
        edges(&made.block.terminator).iter().for_each(|edge| ways[edge.block as usize] += 1);
    }
    let mut positions = Vec::with_capacity(blocks.len());
    let mut joined: Vec<Made> = Vec::new();
    for (number, next) in (0u32..).zip(blocks) {
        if let Some(last) = joined.last_mut()
            && let block = &mut last.block
            && let Terminator::Branch(edge) = &block.terminator
            && edge.block == number
            && ways[number as usize] == 1
        {
            let origin = block.origins.pop().unwrap_or_default();
            for &(result, source, planes) in &edge.moves {
                block.instructions.push(Instruction::copy(result, source, planes));
                block.origins.push(origin);
            }
            block.instructions.extend(next.block.instructions);
            block.origins.extend(next.block.origins);
            block.terminator = next.block.terminator;
            last.numbers.extend(next.numbers);
        } else {
            joined.push(next);
        }
        positions.push(joined.len() as u32 - 1);
    }
    for made in &mut joined {
        for edge in edges_mut(&mut made.block.terminator) {
            edge.block = positions[edge.block as usize];
        }
    }
    joined
}

/// Where an instruction makes a matrix that the next ones leave alone until it is moved, it makes it where it is moved to.
pub(super) fn in_place(block: &mut crate::program::Block, plane: &impl Fn(Slot) -> u32) {
    for index in 1..block.instructions.len() {
        let Instruction::Memory(MemoryInstruction::Move { result, value }) = block.instructions[index] else {
            continue;
        };
        let moved = [plane(result), plane(value)];
        let makes = |instruction: &Instruction| match instruction {
            Instruction::Matrix(matrix) => matrix.operation.result().map(plane) == Some(moved[1]),
            _ => false,
        };
        let before = (0..index).rev().find(|&before| {
            let instruction = &block.instructions[before];
            makes(instruction) || touches(instruction, &moved, plane)
        });
        if let Some(before) = before
            && makes(&block.instructions[before])
            && let Instruction::Matrix(matrix) = &mut block.instructions[before]
            && let Some(made) = matrix.operation.result_mut()
        {
            *made = result;
            block.instructions[index] =
                Instruction::Memory(MemoryInstruction::Move { result, value: result });
        }
    }
}

/// Gives each address of a matrix planes of its own, where a copy of its block has computed it into the same ones before: the load or store
/// may wait then, while the next address is computed. `next` is the first plane of the frame that is free.
pub(super) fn apart(block: &mut crate::program::Block, own: &FxHashSet<Slot>, next: &mut u32) {
    let mut written: FxHashSet<Slot> = FxHashSet::default();
    let mut renamed: FxHashMap<Slot, Slot> = FxHashMap::default();
    for instruction in &mut block.instructions {
        match instruction {
            Instruction::Memory(MemoryInstruction::Address { result, .. }) if own.contains(result) => {
                let old = *result;
                renamed.remove(&old);
                if !written.insert(old) {
                    *result = Slot::frame(*next);
                    *next += 2;
                    renamed.insert(old, *result);
                }
            }
            Instruction::Matrix(matrix) => {
                if let Some(pointer) = pointer_of(&mut matrix.operation)
                    && let Some(renamed) = renamed.get(&pointer.slot)
                {
                    pointer.slot = *renamed;
                }
            }
            _ => {}
        }
    }
}

/// The address that a strided load or store of a matrix reads.
pub(super) fn pointer_of(operation: &mut Operation) -> Option<&mut Pointer> {
    match operation {
        Operation::Load { from: Strided { pointer, .. }, .. }
        | Operation::Store { to: Strided { pointer, .. }, .. } => Some(pointer),
        _ => None,
    }
}

/// Whether an instruction may read or write one of some planes of matrices; it may where nobody looks closely.
fn touches(instruction: &Instruction, planes: &[u32], plane: &impl Fn(Slot) -> u32) -> bool {
    let inside = |first: Slot, count: u32| {
        let first = plane(first);
        planes.iter().any(|plane| (first..first + count).contains(plane))
    };
    match instruction {
        Instruction::Integer(_)
        | Instruction::BitField(_)
        | Instruction::Float(_)
        | Instruction::Product(_)
        | Instruction::Conversion(_)
        | Instruction::Composite(_)
        | Instruction::Extended(_)
        | Instruction::Dot(_)
        | Instruction::Barrier(_) => false,
        Instruction::Memory(memory) => match *memory {
            MemoryInstruction::Copy { result, source, planes } => {
                inside(result, planes) || inside(source, planes)
            }
            MemoryInstruction::Move { result, value } => inside(result, 1) || inside(value, 1),
            MemoryInstruction::Gather { .. }
            | MemoryInstruction::Scatter { .. }
            | MemoryInstruction::MoveTo { .. } => true,
            MemoryInstruction::Load { .. }
            | MemoryInstruction::Store { .. }
            | MemoryInstruction::LoadApart { .. }
            | MemoryInstruction::StoreApart { .. }
            | MemoryInstruction::Address { .. }
            | MemoryInstruction::Buffer { .. }
            | MemoryInstruction::Descriptor { .. }
            | MemoryInstruction::HeapBuffer { .. }
            | MemoryInstruction::HeapImage { .. }
            | MemoryInstruction::PlaneIndex { .. }
            | MemoryInstruction::PlaneOf { .. }
            | MemoryInstruction::PlaneFrom { .. }
            | MemoryInstruction::Extend { .. }
            | MemoryInstruction::ArrayLength { .. } => false,
        },
        Instruction::Matrix(matrix) => {
            let operation = &*matrix.operation;
            let held = match operation {
                Operation::ElementLoad { holder, .. } | Operation::ElementStore { holder, .. } => {
                    match holder {
                        Holder::Plane(slot) => inside(*slot, 1),
                        Holder::Pointer { .. } => true,
                    }
                }
                Operation::PerElement { extra, .. } => extra.iter().any(|extra| match extra {
                    Extra::Matrix(_) => false,
                    Extra::Value(first, count) => inside(*first, *count),
                }),
                _ => false,
            };
            let reads = |source: &crate::matrix::operation::Source| {
                source.through.is_some() || inside(source.slot, 1)
            };
            held || operation.sources().iter().any(reads)
                || operation.result().is_some_and(|slot| inside(slot, 1))
        }
        Instruction::Logic(_)
        | Instruction::Atomic(_)
        | Instruction::Image(_)
        | Instruction::Subgroup(_)
        | Instruction::Vector(_)
        | Instruction::Call(_)
        | Instruction::Print(_)
        | Instruction::Clock(_)
        | Instruction::Unsupported(_) => true,
    }
}
