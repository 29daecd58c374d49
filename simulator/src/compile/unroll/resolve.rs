//! Planes that an instruction chose by an index which is known now are named by the instruction itself.

use super::known::{Evaluator, Known};
use crate::code::{Instruction, MemoryInstruction};
use crate::matrix::operation::{Holder, Operation};
use crate::program::Slot;

impl Evaluator<'_> {
    /// The planes from the one that a pointer leads to.
    fn target(&self, known: &Known, pointer: Slot, offset: u32, count: u32) -> Option<Slot> {
        let first = self.slot(known, pointer)?.checked_add(offset)?;
        let end = first.checked_add(count)?;
        let globals = self.program.globals.words.len() as u32;
        let base = self.planes.bases[self.function as usize];
        let own = self.program.functions[self.function as usize].planes;
        if end <= globals {
            Some(Slot::global(first))
        } else if first >= base && end <= base + own {
            Some(Slot::frame(first - base))
        } else {
            None
        }
    }

    /// Changes an instruction to what it is, knowing this. It is as many instructions as before.
    pub fn resolve(&self, known: &Known, instruction: &mut Instruction) {
        let resolved = match *instruction {
            Instruction::Memory(MemoryInstruction::Gather { result, pointer, offset, planes }) => self
                .target(known, pointer, offset, planes)
                .map(|source| MemoryInstruction::Copy { result, source, planes }),
            Instruction::Memory(MemoryInstruction::Scatter { pointer, offset, value, planes }) => self
                .target(known, pointer, offset, planes)
                .map(|result| MemoryInstruction::Copy { result, source: value, planes }),
            Instruction::Memory(MemoryInstruction::MoveTo { pointer, offset, value }) => {
                self.target(known, pointer, offset, 1).map(|result| MemoryInstruction::Move { result, value })
            }
            Instruction::Matrix(ref mut matrix) => {
                for source in matrix.operation.sources_mut() {
                    if let Some((pointer, offset)) = source.through
                        && let Some(slot) = self.target(known, pointer, offset, 1)
                    {
                        (source.slot, source.through) = (slot, None);
                    }
                }
                if let Operation::ElementLoad { holder, .. } | Operation::ElementStore { holder, .. } =
                    &mut *matrix.operation
                    && let Holder::Pointer { pointer, offset } = *holder
                    && let Some(slot) = self.target(known, pointer, offset, 1)
                {
                    *holder = Holder::Plane(slot);
                }
                None
            }
            _ => None,
        };
        if let Some(resolved) = resolved {
            *instruction = Instruction::Memory(resolved);
        }
    }
}
