//! Loads, stores and copies; addresses: how a module's instructions become the program's.

mod bulk;
mod execution;
mod heaps;

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::{Opcode, opcode};

pub(super) use self::execution::{execute, execute_once};
use crate::ProgramError;
use crate::code::{Instruction, MemoryInstruction};
use crate::matrix;
use crate::program::{Lowering, Place, Type, Value};

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    match opcode(source) {
        Opcode::AccessChain
        | Opcode::InBoundsAccessChain
        | Opcode::PtrAccessChain
        | Opcode::InBoundsPtrAccessChain
        | Opcode::UntypedAccessChainKHR
        | Opcode::UntypedInBoundsAccessChainKHR
        | Opcode::UntypedPtrAccessChainKHR
        | Opcode::UntypedInBoundsPtrAccessChainKHR => lowering.access_chain(source)?,
        Opcode::Load => {
            let place = lowering.place_operand(source, 0)?;
            if lowering.alias_variable(source, &place)?
                || lowering.alias_input(source, &place)?
                || lowering.leave_operand(source, &place)?
            {
                return Ok(true);
            }
            let result = lowering.result(source)?;
            lower_load(lowering, result, &place)?;
        }
        Opcode::Store => {
            let place = lowering.place_operand(source, 0)?;
            let value = lowering.operand(source, 1)?;
            if lowering.is_moved(source, value) && move_matrix(lowering, &place, value) {
                return Ok(true);
            }
            lower_store(lowering, &place, value)?;
        }
        Opcode::CopyMemory => {
            let (to, from) = (lowering.place_operand(source, 0)?, lowering.place_operand(source, 1)?);
            let (Some(type_), Some(from_type)) = (to.type_(), from.type_()) else {
                return Err(ProgramError::new("OpCopyMemory should know what it copies"));
            };
            let value = lowering.allocate_value(from_type)?;
            lower_load(lowering, value, &from)?;
            lowering.expect(from_type, type_, "what OpCopyMemory copies")?;
            lower_store(lowering, &to, Value { slot: value.slot, type_ })?;
        }
        Opcode::BufferPointerEXT => lowering.buffer_pointer(source)?,
        Opcode::ArrayLength | Opcode::UntypedArrayLengthKHR => lower_array_length(lowering, source)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Fails where a value of another type is loaded from a place, or stored to it. Bytes in memory are taken as the value's type has them.
fn expect_held(lowering: &Lowering, place: &Place, value: Value, what: &str) -> Result<(), ProgramError> {
    match place {
        Place::Planes { type_, .. }
        | Place::PlanePointer { type_, .. }
        | Place::Descriptor { type_, .. }
        | Place::Element { type_, .. } => lowering.expect(value.type_, *type_, what),
        Place::Memory { .. } | Place::Buffers { .. } | Place::Texel { .. } => Ok(()),
    }
}

/// Loads what a place holds.
pub(crate) fn lower_load(lowering: &mut Lowering, result: Value, place: &Place) -> Result<(), ProgramError> {
    let planes = lowering.types().planes(result.type_);
    expect_held(lowering, place, result, "a load's result")?;
    if lowering.load_descriptor(result, place) {
        return Ok(());
    }
    let instruction = match place {
        Place::Planes { first, .. } => {
            MemoryInstruction::Copy { result: result.slot, source: *first, planes }
        }
        Place::PlanePointer { pointer, offset, .. } => {
            MemoryInstruction::Gather { result: result.slot, pointer: *pointer, offset: *offset, planes }
        }
        Place::Memory { pointer, offset, matrix, component_step, .. } => {
            let leaves = lowering.leaves(result.type_, *matrix)?;
            let (result, pointer, offset, step) = (result.slot, *pointer, *offset, *component_step);
            match step {
                0 => MemoryInstruction::Load { result, pointer, offset, leaves },
                _ => MemoryInstruction::LoadApart { result, pointer, offset, leaves, step },
            }
        }
        Place::Descriptor { pointer, .. } => {
            for plane in 0..planes {
                let copy = Instruction::copy(result.slot.offset(plane), *pointer, 1);
                lowering.emit(copy);
            }
            return Ok(());
        }
        Place::Element { matrix, index, .. } => {
            return matrix::lower_element_load(lowering, result, matrix, *index);
        }
        _ => {
            return Err(ProgramError::new("a load of what cannot be loaded"));
        }
    };
    lowering.emit(Instruction::Memory(instruction));
    Ok(())
}

/// Stores a matrix that nothing else needs: no copy of it is left behind.
fn move_matrix(lowering: &mut Lowering, place: &Place, value: Value) -> bool {
    let value_slot = value.slot;
    let instruction = match *place {
        Place::Planes { first, type_ } if type_ == value.type_ && first != value_slot => {
            MemoryInstruction::Move { result: first, value: value_slot }
        }
        Place::PlanePointer { pointer, offset, type_ } if type_ == value.type_ => {
            MemoryInstruction::MoveTo { pointer, offset, value: value_slot }
        }
        _ => return false,
    };
    lowering.emit(Instruction::Memory(instruction));
    true
}

/// Stores a value to a place.
pub(crate) fn lower_store(lowering: &mut Lowering, place: &Place, value: Value) -> Result<(), ProgramError> {
    let planes = lowering.types().planes(value.type_);
    expect_held(lowering, place, value, "a stored value")?;
    let instruction = match place {
        Place::Planes { first, .. } => {
            if *first == value.slot {
                // The value was made here.
                return Ok(());
            }
            MemoryInstruction::Copy { result: *first, source: value.slot, planes }
        }
        Place::PlanePointer { pointer, offset, .. } => {
            MemoryInstruction::Scatter { pointer: *pointer, offset: *offset, value: value.slot, planes }
        }
        Place::Memory { pointer, offset, matrix, component_step, .. } => {
            let leaves = lowering.leaves(value.type_, *matrix)?;
            let (pointer, offset, value, step) = (*pointer, *offset, value.slot, *component_step);
            match step {
                0 => MemoryInstruction::Store { pointer, offset, value, leaves },
                _ => MemoryInstruction::StoreApart { pointer, offset, value, leaves, step },
            }
        }
        Place::Element { matrix, index, .. } => {
            return matrix::lower_element_store(lowering, matrix, *index, value);
        }
        _ => {
            return Err(ProgramError::new("a store to what cannot be stored to"));
        }
    };
    lowering.emit(Instruction::Memory(instruction));
    Ok(())
}

fn lower_array_length(lowering: &mut Lowering, source: &Source) -> Result<(), ProgramError> {
    let untyped = opcode(source) == Opcode::UntypedArrayLengthKHR;
    let (base, member) = if untyped { (1, 2) } else { (0, 1) };
    let place = lowering.place_operand(source, base)?;
    let member = lowering.literal(source, member)?;
    let Place::Memory { pointer, offset, type_, .. } = place else {
        return Err(ProgramError::new("OpArrayLength should have a pointer to a buffer"));
    };
    let type_ = match untyped {
        true => Some(lowering.types().by_id(lowering.id(source, 0)?)?),
        false => type_,
    };
    let found = type_.and_then(|type_| match lowering.types().get(type_) {
        Type::Structure { members, .. } => {
            let member = members.get(member as usize)?;
            Some((member.offset, lowering.types().stride(member.type_, member.matrix)))
        }
        _ => None,
    });
    let (more, stride) = found.ok_or_else(|| ProgramError::new("OpArrayLength of what has no such array"))?;
    let result = lowering.result(source)?.slot;
    let offset = offset.saturating_add(more);
    let stride = u32::try_from(stride).unwrap_or(u32::MAX).max(1);
    lowering.emit(Instruction::Memory(MemoryInstruction::ArrayLength { result, pointer, offset, stride }));
    Ok(())
}
