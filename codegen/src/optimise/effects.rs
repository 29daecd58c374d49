//! Which instructions do nothing but make their result.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op, MemoryAccess, Op, Word};

/// Whether an instruction may go when nothing uses its result. What is not known to be of this kind has an effect.
pub(super) fn is_pure(instruction: &Instruction, glsl: Option<Word>) -> bool {
    let op = instruction.class.opcode;
    match op {
        Op::Load => !is_volatile(instruction),
        Op::ExtInst => match instruction.operands.as_slice() {
            [Operand::IdRef(set), Operand::LiteralExtInstInteger(number), ..] => {
                // These two write through a pointer.
                Some(*set) == glsl
                    && !matches!(
                        GlslStd450Op::from_u32(*number),
                        None | Some(GlslStd450Op::Modf | GlslStd450Op::Frexp)
                    )
            }
            _ => false,
        },
        Op::Undef
        | Op::Variable
        | Op::AccessChain
        | Op::InBoundsAccessChain
        | Op::PtrAccessChain
        | Op::ArrayLength
        | Op::CopyLogical
        | Op::CompositeConstructReplicateEXT
        | Op::Phi
        | Op::SDot
        | Op::UDot
        | Op::SUDot
        | Op::SDotAccSat
        | Op::UDotAccSat
        | Op::SUDotAccSat
        | Op::CooperativeMatrixLoadKHR
        | Op::CooperativeMatrixMulAddKHR
        | Op::CooperativeMatrixLengthKHR
        | Op::CooperativeMatrixLoadNV
        | Op::CooperativeMatrixMulAddNV
        | Op::CooperativeMatrixLengthNV
        | Op::CooperativeMatrixConvertNV
        | Op::CooperativeMatrixTransposeNV
        | Op::CreateTensorLayoutNV
        | Op::TensorLayoutSetDimensionNV
        | Op::TensorLayoutSetStrideNV
        | Op::TensorLayoutSliceNV
        | Op::TensorLayoutSetClampValueNV
        | Op::TensorLayoutSetBlockSizeNV
        | Op::CreateTensorViewNV
        | Op::TensorViewSetDimensionNV
        | Op::TensorViewSetStrideNV
        | Op::TensorViewSetClipNV => !is_volatile(instruction),
        // Composites; conversions; arithmetic; logic, comparisons, bits; subgroup operations.
        _ => matches!(op as u32, 77..=84 | 109..=124 | 126..=152 | 154..=205 | 333..=366),
    }
}

/// Whether an access may not be left out or done twice.
pub(super) fn is_volatile(instruction: &Instruction) -> bool {
    instruction.operands.iter().any(|operand| match operand {
        Operand::MemoryAccess(access) => access.contains(MemoryAccess::VOLATILE),
        _ => false,
    })
}
