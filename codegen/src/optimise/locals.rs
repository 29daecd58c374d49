//! The local variables of a function, and the accesses to them that passes understand.

use coopmat_spirv::is_volatile;
use coopmat_spirv::tracked::TrackedFunction;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, StorageClass, Word};
use rustc_hash::FxHashMap;

use super::unit::{Unit, id_at};

/// `DebugDeclare` and `DebugValue` of NonSemantic.Shader.DebugInfo.100.
pub(super) const DEBUG_DECLARE: u32 = 28;
pub(super) const DEBUG_VALUE: u32 = 29;

#[derive(Clone, Debug)]
pub(super) struct Local {
    /// The type of its value.
    pub ty: Word,
    pub initializer: Option<Word>,
    pub origin: Option<usize>,
}

pub(super) fn locals(unit: &Unit, function: &TrackedFunction) -> FxHashMap<Word, Local> {
    let mut found = FxHashMap::default();
    for line in function.blocks.iter().flat_map(|block| &block.lines) {
        if line.class.opcode != Op::Variable
            || line.operands.first() != Some(&Operand::StorageClass(StorageClass::Function))
        {
            continue;
        }
        if let (Some(id), Some(ty)) = (line.result_id, line.result_type.and_then(|ty| unit.pointee(ty)))
            && !unit.decorated_as_shared(id)
        {
            found.insert(id, Local { ty, initializer: id_at(line, 1), origin: line.origin });
        }
    }
    found
}

/// What an instruction does with a pointer that is its operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// A load of the whole.
    Load,
    /// A store of a value.
    Store(Word),
    /// `OpAccessChain` with this pointer as its base.
    Chain,
    Declare,
    Other,
}

/// How an instruction uses a pointer that stands at an operand's place.
pub(super) fn access(unit: &Unit, instruction: &Instruction, at: usize) -> Access {
    match (instruction.class.opcode, at) {
        (Op::Load, 0) if !is_volatile(instruction) => Access::Load,
        (Op::Store, 0) if !is_volatile(instruction) => {
            id_at(instruction, 1).map_or(Access::Other, Access::Store)
        }
        (Op::AccessChain | Op::InBoundsAccessChain, 0) => Access::Chain,
        _ => match unit.debug_instruction(instruction) {
            Some((DEBUG_DECLARE, [_, _, _])) if at == 3 => Access::Declare,
            _ => Access::Other,
        },
    }
}

/// The operands of an instruction that are ids, with their places.
pub(super) fn id_operands(instruction: &Instruction) -> impl Iterator<Item = (usize, Word)> {
    let operands = instruction.operands.iter().enumerate();
    operands.filter_map(|(at, operand)| operand.id_ref_any().map(|id| (at, id)))
}
