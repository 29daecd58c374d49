//! GLSL.std.450, and in `amd` the sets of AMD. Transcendental functions are those of the crate `libm`, on every host the same: within 1 ULP or so of the true value, closer
//! than the Vulkan environment asks. Functions of vectors (length, normalize, reflect, ...) compute in `f64` and round once.

pub(crate) mod amd;
mod components;
mod packing;
mod vectors;

use coopmat_spirv::dr::{Instruction as Source, Operand};
use coopmat_spirv::spirv::GlslStd450Op as Gl;
use coopmat_spirv::{Opcode, opcode};

pub(crate) use self::packing::planes_of as packing_planes;
use super::integer;
use crate::ProgramError;
use crate::code::{ExtendedInstruction, IntegerOp, VectorOp};
use crate::machine::Context;
use crate::program::lowering::{Entity, ExtendedSet};
use crate::program::{Lowering, Value};

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    if !matches!(opcode(source), Opcode::ExtInst | Opcode::ExtInstWithForwardRefsKHR) {
        return Ok(false);
    }
    let set = lowering.id(source, 0)?;
    let number = lowering.literal(source, 1)?;
    let of_amd = match lowering.entity(set)? {
        Entity::Set(ExtendedSet::Glsl450) => None,
        Entity::Set(ExtendedSet::Amd(set)) => Some(*set),
        Entity::Set(ExtendedSet::DebugPrintf) => {
            super::print::lower(lowering, source)?;
            return Ok(true);
        }
        Entity::Set(ExtendedSet::NonSemantic) => return Ok(true),
        _ => return Ok(false),
    };
    let operands: Vec<u32> = source.operands[2..]
        .iter()
        .map(|operand| match operand {
            Operand::IdRef(id) => Ok(*id),
            _ => Err(ProgramError::new("operands of extended instructions are ids")),
        })
        .collect::<Result<_, _>>()?;
    if let Some(set) = of_amd {
        let values = operands.iter().map(|&id| lowering.value(id)).collect::<Result<Vec<_>, _>>()?;
        return amd::lower(lowering, source, (set, number), &values);
    }
    let Some(op) = Gl::from_u32(number) else {
        return Err(ProgramError::new(format!("GLSL.std.450 has no instruction {number}")));
    };
    lower_glsl(lowering, source, op, &operands)
}

fn lower_glsl(
    lowering: &mut Lowering,
    source: &Source,
    op: Gl,
    operands: &[u32],
) -> Result<bool, ProgramError> {
    let value = |lowering: &mut Lowering, index: usize| -> Result<Value, ProgramError> {
        let id = operands
            .get(index)
            .ok_or_else(|| ProgramError::new("an extended instruction lacks an operand"))?;
        lowering.value(*id)
    };
    let simple = match op {
        Gl::UMin => Some(IntegerOp::UMin),
        Gl::SMin => Some(IntegerOp::SMin),
        Gl::UMax => Some(IntegerOp::UMax),
        Gl::SMax => Some(IntegerOp::SMax),
        _ => None,
    };
    if let Some(op) = simple {
        let (a, b) = (value(lowering, 0)?, value(lowering, 1)?);
        let result = lowering.result(source)?;
        integer::emit(lowering, op, result, a, b)?;
        return Ok(true);
    }
    match op {
        Gl::UClamp | Gl::SClamp => {
            let (a, low, high) = (value(lowering, 0)?, value(lowering, 1)?, value(lowering, 2)?);
            let result = lowering.result(source)?;
            let (max, min) = match op {
                Gl::UClamp => (IntegerOp::UMax, IntegerOp::UMin),
                _ => (IntegerOp::SMax, IntegerOp::SMin),
            };
            let between = lowering.allocate_value(result.type_)?;
            integer::emit(lowering, max, between, a, low)?;
            integer::emit(lowering, min, result, between, high)?;
        }
        Gl::Fma => {
            let operands = [value(lowering, 0)?, value(lowering, 1)?, value(lowering, 2)?];
            super::float::emit_fma(lowering, source, operands)?;
        }
        Gl::Modf | Gl::Frexp => {
            // The result, and what is stored through the pointer.
            let a = value(lowering, 0)?;
            let pointer = *operands
                .get(1)
                .ok_or_else(|| ProgramError::new("an extended instruction lacks its pointer"))?;
            let place = lowering.place(pointer)?;
            let result = lowering.result(source)?;
            let second = match place.type_() {
                Some(type_) => lowering.allocate_value(type_)?,
                None => return Err(ProgramError::new("a pointer to a type that is never declared")),
            };
            components::emit_pair(lowering, op, result, second, a)?;
            super::memory::lower_store(lowering, &place, second)?;
        }
        Gl::ModfStruct | Gl::FrexpStruct => {
            let a = value(lowering, 0)?;
            let result = lowering.result(source)?;
            let parts = [0, 1].map(|index| lowering.types().part(result.type_, index));
            let [Some((first, _)), Some((second, offset))] = parts else {
                return Err(ProgramError::new("the result should be a structure of two values"));
            };
            let first = Value { slot: result.slot, type_: first };
            let second = Value { slot: result.slot.offset(offset), type_: second };
            components::emit_pair(lowering, op, first, second, a)?;
        }
        Gl::Length
        | Gl::Distance
        | Gl::Cross
        | Gl::Normalize
        | Gl::FaceForward
        | Gl::Reflect
        | Gl::Refract
        | Gl::Determinant
        | Gl::MatrixInverse => {
            let values =
                (0..operands.len()).map(|index| value(lowering, index)).collect::<Result<Vec<_>, _>>()?;
            vectors::emit(lowering, source, VectorOp::Glsl(op), &values)?;
        }
        Gl::PackSnorm4x8
        | Gl::PackUnorm4x8
        | Gl::PackSnorm2x16
        | Gl::PackUnorm2x16
        | Gl::PackHalf2x16
        | Gl::PackDouble2x32
        | Gl::UnpackSnorm2x16
        | Gl::UnpackUnorm2x16
        | Gl::UnpackHalf2x16
        | Gl::UnpackSnorm4x8
        | Gl::UnpackUnorm4x8
        | Gl::UnpackDouble2x32 => {
            let a = value(lowering, 0)?;
            packing::emit(lowering, source, op, a)?;
        }
        Gl::InterpolateAtCentroid | Gl::InterpolateAtSample | Gl::InterpolateAtOffset => return Ok(false),
        _ => {
            let values =
                (0..operands.len()).map(|index| value(lowering, index)).collect::<Result<Vec<_>, _>>()?;
            let result = lowering.result(source)?;
            components::emit(lowering, result, op, &values)?;
        }
    }
    Ok(true)
}

pub(super) fn execute(instruction: &ExtendedInstruction, cx: &mut Context) {
    match instruction {
        ExtendedInstruction::Component(instruction) => components::execute(instruction, cx),
        ExtendedInstruction::Vector(instruction) => vectors::execute(instruction, cx),
        ExtendedInstruction::Packing(instruction) => packing::execute(instruction, cx),
    }
}
