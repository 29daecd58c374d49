//! Composites: made of parts, taken apart, shuffled. A part that is known while lowering costs nothing.

use coopmat_spirv::dr::{Instruction as Source, Operand};
use coopmat_spirv::{Opcode, opcode};

use super::conversions::alias;
use crate::ProgramError;
use crate::code::{CompositeInstruction, Instruction};
use crate::machine::{Context, Registers};
use crate::program::lowering::Entity;
use crate::program::{Lowering, Type, TypeId, Value};

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    match opcode(source) {
        Opcode::Undef => {
            lowering.result(source)?;
        }
        Opcode::CopyObject | Opcode::CopyLogical | Opcode::ExpectKHR | Opcode::ArithmeticFenceEXT => {
            let id = lowering.id(source, 0)?;
            if let Entity::Place(place) = lowering.entity(id)? {
                let place = place.clone();
                lowering.set_place(source, place)?;
            } else {
                let value = lowering.value(id)?;
                lowering.expect(value.type_, lowering.result_type(source)?, "what is copied")?;
                alias(lowering, source, value)?;
            }
        }
        Opcode::FreezeKHR => {
            let value = lowering.operand(source, 0)?;
            lowering.expect(value.type_, lowering.result_type(source)?, "what is copied")?;
            alias(lowering, source, value)?;
        }
        Opcode::PoisonKHR => {
            lowering.result(source)?;
        }
        Opcode::CompositeConstruct => {
            let count = source.operands.len();
            let parts =
                (0..count).map(|index| lowering.operand(source, index)).collect::<Result<Vec<_>, _>>()?;
            construct(lowering, source, &parts)?;
        }
        Opcode::CompositeConstructReplicateEXT => {
            let part = lowering.operand(source, 0)?;
            let type_ = lowering.result_type(source)?;
            // Parts without planes are nothing, however many there are.
            let count = lowering.types().part_count(type_).min(lowering.types().value_planes(type_)?);
            construct(lowering, source, &vec![part; count as usize])?;
        }
        Opcode::CompositeExtract => {
            let whole = lowering.operand(source, 0)?;
            let part = part_of(lowering, whole, source, 1)?;
            lowering.expect(part.type_, lowering.result_type(source)?, "the extracted part")?;
            alias(lowering, source, part)?;
        }
        Opcode::CompositeInsert => {
            let (object, whole) = (lowering.operand(source, 0)?, lowering.operand(source, 1)?);
            let result = lowering.result(source)?;
            let planes = lowering.types().planes(result.type_);
            lowering.expect(whole.type_, result.type_, "the composite of OpCompositeInsert")?;
            lowering.emit(Instruction::copy(result.slot, whole.slot, planes));
            let part = part_of(lowering, result, source, 2)?;
            let planes = lowering.types().planes(part.type_);
            lowering.expect(object.type_, part.type_, "the part of OpCompositeInsert")?;
            lowering.emit(Instruction::copy(part.slot, object.slot, planes));
        }
        Opcode::VectorShuffle => shuffle(lowering, source)?,
        Opcode::VectorExtractDynamic => {
            let (vector, index) = (lowering.operand(source, 0)?, lowering.operand(source, 1)?);
            let (count, planes) = vector_shape(lowering, vector.type_)?;
            let wide = lowering.is_wide(index)?;
            let result = lowering.result(source)?;
            if lowering.types().planes(result.type_) != planes {
                return Err(ProgramError::new("a component of another type"));
            }
            lowering.emit(Instruction::Composite(CompositeInstruction::Extract {
                result: result.slot,
                vector: vector.slot,
                index: index.slot,
                wide,
                count,
                planes,
            }));
        }
        Opcode::VectorInsertDynamic => {
            let (vector, component) = (lowering.operand(source, 0)?, lowering.operand(source, 1)?);
            let index = lowering.operand(source, 2)?;
            let (count, planes) = vector_shape(lowering, vector.type_)?;
            let wide = lowering.is_wide(index)?;
            let result = lowering.result(source)?;
            let sizes = [result.type_, component.type_].map(|type_| lowering.types().planes(type_));
            if sizes != [count * planes, planes] {
                return Err(ProgramError::new("a component of another type"));
            }
            lowering.emit(Instruction::Composite(CompositeInstruction::Insert {
                result: result.slot,
                vector: vector.slot,
                component: component.slot,
                index: index.slot,
                wide,
                count,
                planes,
            }));
        }
        Opcode::Transpose => {
            let matrix = lowering.operand(source, 0)?;
            let result = lowering.result(source)?;
            let (columns, rows, planes) = matrix_shape(lowering, matrix.type_)?;
            if matrix_shape(lowering, result.type_)? != (rows, columns, planes) {
                return Err(ProgramError::new("OpTranspose to a matrix of another shape"));
            }
            for (column, row) in (0..columns).flat_map(|column| (0..rows).map(move |row| (column, row))) {
                let to = result.slot.offset((row * columns + column) * planes);
                let from = matrix.slot.offset((column * rows + row) * planes);
                lowering.emit(Instruction::copy(to, from, planes));
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// The components of a vector, and the planes of one.
fn vector_shape(lowering: &Lowering, type_: TypeId) -> Result<(u32, u32), ProgramError> {
    match lowering.types().get(type_) {
        Type::Vector { component, count } => Ok((*count, lowering.types().planes(*component))),
        _ => Err(ProgramError::new("expected a vector")),
    }
}

/// Columns, rows, and the planes of an element.
pub(super) fn matrix_shape(lowering: &Lowering, type_: TypeId) -> Result<(u32, u32, u32), ProgramError> {
    match lowering.types().get(type_) {
        Type::Matrix { column, count } => {
            let (rows, planes) = vector_shape(lowering, *column)?;
            Ok((*count, rows, planes))
        }
        _ => Err(ProgramError::new("expected a matrix")),
    }
}

fn construct(lowering: &mut Lowering, source: &Source, parts: &[Value]) -> Result<(), ProgramError> {
    let result = lowering.result(source)?;
    let end = lowering.types().planes(result.type_);
    let types = lowering.types();
    for (part, index) in parts.iter().zip(0..) {
        if let Type::Vector { component, .. } = *types.get(result.type_) {
            // Vectors are made of scalars and of other vectors.
            let own = match *types.get(part.type_) {
                Type::Vector { component, .. } => component,
                _ => part.type_,
            };
            lowering.expect(own, component, "a component")?;
        } else if let Some((type_, _)) = types.part(result.type_, index) {
            lowering.expect(part.type_, type_, "a part of a composite")?;
        }
    }
    let mut next = 0;
    for part in parts {
        let planes = lowering.types().planes(part.type_);
        if next + planes > end {
            return Err(ProgramError::new("the parts do not fit the composite's type"));
        }
        lowering.emit(Instruction::copy(result.slot.offset(next), part.slot, planes));
        next += planes;
    }
    if next != end {
        return Err(ProgramError::new("the parts do not fill the composite's type"));
    }
    Ok(())
}

/// The part that literals from `first` on lead to.
fn part_of(lowering: &Lowering, whole: Value, source: &Source, first: usize) -> Result<Value, ProgramError> {
    let mut value = whole;
    for index in first..source.operands.len() {
        let index = lowering.literal(source, index)?;
        let (type_, offset) = lowering
            .types()
            .part(value.type_, index)
            .ok_or_else(|| ProgramError::new(format!("the composite has no part {index}")))?;
        value = Value { slot: value.slot.offset(offset), type_ };
    }
    Ok(value)
}

fn shuffle(lowering: &mut Lowering, source: &Source) -> Result<(), ProgramError> {
    let (a, b) = (lowering.operand(source, 0)?, lowering.operand(source, 1)?);
    let ((count, planes), (other, other_planes)) =
        (vector_shape(lowering, a.type_)?, vector_shape(lowering, b.type_)?);
    let result = lowering.result(source)?;
    let wanted = source.operands.len() - 2;
    let (made, made_planes) = vector_shape(lowering, result.type_)?;
    if made as usize != wanted || planes != other_planes || planes != made_planes {
        return Err(ProgramError::new("OpVectorShuffle between vectors of other types"));
    }
    for (index, operand) in source.operands[2..].iter().enumerate() {
        let &Operand::LiteralBit32(chosen) = operand else {
            return Err(ProgramError::new("OpVectorShuffle chooses components by literals"));
        };
        let from = match chosen {
            // Undefined: the component stays as it is.
            u32::MAX => continue,
            _ if chosen < count => a.slot.offset(chosen * planes),
            _ if chosen - count < other => b.slot.offset((chosen - count) * planes),
            _ => return Err(ProgramError::new("OpVectorShuffle chooses a component that is not there")),
        };
        lowering.emit(Instruction::copy(result.slot.offset(index as u32 * planes), from, planes));
    }
    Ok(())
}

pub(super) fn execute(instruction: &CompositeInstruction, cx: &mut Context) {
    let index_of = |registers: &Registers, plane, wide, lane| match wide {
        true => registers.get_wide(plane, lane),
        false => u64::from(registers.get(plane, lane)),
    };
    match *instruction {
        CompositeInstruction::Extract { result, vector, index, wide, count, planes } => {
            let (result, vector, index) = (cx.plane(result), cx.plane(vector), cx.plane(index));
            let operands: smallvec::SmallVec<[u32; 16]> =
                (vector..vector + count * planes).chain([index]).collect();
            for plane in 0..planes {
                cx.registers.lanewise(result + plane, &operands, |registers, lane| {
                    let index = index_of(registers, index, wide, lane);
                    let inside = index < u64::from(count);
                    [if inside { registers.get(vector + index as u32 * planes + plane, lane) } else { 0 }]
                });
            }
        }
        CompositeInstruction::Insert { result, vector, component, index, wide, count, planes } => {
            let [result, vector, component, index] =
                [result, vector, component, index].map(|slot| cx.plane(slot));
            for part in 0..count {
                for plane in 0..planes {
                    let old = vector + part * planes + plane;
                    let operands = [old, component + plane, index];
                    cx.registers.lanewise(result + part * planes + plane, &operands, |registers, lane| {
                        let chosen = index_of(registers, index, wide, lane) == u64::from(part);
                        [registers.get(if chosen { component + plane } else { old }, lane)]
                    });
                }
            }
        }
    }
}
