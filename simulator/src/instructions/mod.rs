//! Instructions: one file per family, which lowers the family's opcodes and executes what it lowered.

mod atomics;
pub(crate) mod checked;
mod clock;
mod composites;
mod control;
mod controlled;
mod conversions;
mod dispatch;
mod dot;
pub(crate) mod extended;
mod float;
mod handles;
mod images;
mod integer;
mod logic;
mod memory;
mod numbers;
mod print;
mod subgroup;
mod vectors;

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::{Opcode, opcode, opcode_number};

use crate::code::Instruction;
use crate::machine::{Context, Plane, Registers};
use crate::matrix;
use crate::program::Lowering;
use crate::program::lowering::Entity;
use crate::{ProgramError, RunError};

pub(crate) use handles::passes_on;
pub(crate) use print::lower_message;
pub(crate) use vectors::watched::Passing;

use dispatch::Lowerer;

/// Lowers an instruction of a body (or, at the level of the module, one that `OpSpecConstantOp` names).
pub(crate) fn lower(lowering: &mut Lowering, source: &Source) -> Result<(), ProgramError> {
    type Lower = fn(&mut Lowering, &Source) -> Result<bool, ProgramError>;
    // Who lowers it, and whether cooperative matrices share it.
    let (own, shared): (Lower, bool) = match Lowerer::of(opcode(source)) {
        Lowerer::Matrix => (matrix::lower, false),
        Lowerer::Memory => (memory::lower, false),
        Lowerer::Integer => (integer::lower, true),
        Lowerer::Float => (float::lower, true),
        Lowerer::Composite => (composites::lower, true),
        Lowerer::Conversion => (conversions::lower, true),
        Lowerer::Logic => (logic::lower, false),
        Lowerer::Extended => (extended::lower, false),
        Lowerer::Control => (control::lower, false),
        Lowerer::Subgroup => (subgroup::lower, false),
        Lowerer::Atomic => (atomics::lower, false),
        Lowerer::Dot => (dot::lower, false),
        Lowerer::Image => (images::lower, false),
        Lowerer::Vector => (vectors::lower, false),
        Lowerer::Clock => return clock::lower(lowering, source),
        Lowerer::Ignored => return Ok(()),
        Lowerer::NotExecuted(reason) => {
            let name = source.class.opname;
            return unsupported(
                lowering,
                source,
                format!("Op{name} is not executed by the simulator: {reason}"),
            );
        }
        Lowerer::Unknown => return unknown(lowering, source),
    };
    match (shared && matrix::lower_shared(lowering, source)?) || own(lowering, source)? {
        true => {
            vectors::watched::note(lowering, source);
            expect_no_handle(lowering, source)
        }
        false => unknown(lowering, source),
    }
}

/// Fails where an instruction makes a pointer or an image of something else.
fn expect_no_handle(lowering: &Lowering, source: &Source) -> Result<(), ProgramError> {
    let made = source.result_id.and_then(|id| lowering.entities.get(&id));
    match made {
        Some(Entity::Value(value)) if lowering.types().holds_handles(value.type_) && !passes_on(source) => {
            let name = source.class.opname;
            Err(ProgramError::new(format!("Op{name} makes no pointers, images or samplers")))
        }
        _ => Ok(()),
    }
}

/// What nobody knows, or not in this form.
fn unknown(lowering: &mut Lowering, source: &Source) -> Result<(), ProgramError> {
    let name = match opcode(source) {
        Opcode::Unknown => format!("the opcode {}", opcode_number(source)),
        known => format!("Op{}", known.name()),
    };
    unsupported(lowering, source, format!("{name} is not known to the simulator"))
}

/// An error when it is executed; its result is there for what uses it.
fn unsupported(lowering: &mut Lowering, source: &Source, error: String) -> Result<(), ProgramError> {
    if source.result_type.is_some() && source.result_id.is_some() {
        lowering.result(source)?;
    }
    lowering.emit(Instruction::Unsupported(error.into()));
    Ok(())
}

/// Executes an instruction whose result all lanes have in common, where that is known at once; false where nothing was done.
#[inline(always)]
pub(crate) fn execute_once(instruction: &Instruction, registers: &mut Registers, base: Plane) -> bool {
    match instruction {
        Instruction::Integer(instruction) => integer::execute_once(instruction, registers, base),
        Instruction::Memory(instruction) => memory::execute_once(instruction, registers, base),
        _ => false,
    }
}

/// Executes an instruction for the active lanes.
pub(crate) fn execute(instruction: &Instruction, context: &mut Context) -> Result<(), RunError> {
    match instruction {
        Instruction::Integer(instruction) => integer::execute(instruction, context),
        Instruction::BitField(instruction) => integer::execute_bit_field(instruction, context),
        Instruction::Float(instruction) => float::execute(instruction, context),
        Instruction::Product(instruction) => float::execute_product(instruction, context),
        Instruction::Logic(instruction) => logic::execute(instruction, context),
        Instruction::Conversion(instruction) => conversions::execute(instruction, context),
        Instruction::Composite(instruction) => composites::execute(instruction, context),
        Instruction::Extended(instruction) => extended::execute(instruction, context),
        Instruction::Dot(instruction) => dot::execute(instruction, context),
        Instruction::Memory(instruction) => memory::execute(instruction, context),
        Instruction::Atomic(instruction) => atomics::execute(instruction, context),
        Instruction::Image(instruction) => images::execute(instruction, context)?,
        Instruction::Subgroup(instruction) => subgroup::execute(instruction, context),
        Instruction::Matrix(instruction) => matrix::execute(instruction, context)?,
        Instruction::Vector(instruction) => vectors::execute(instruction, context),
        Instruction::Print(instruction) => print::execute(instruction, context),
        Instruction::Clock(result) => {
            let (plane, steps) = (context.plane(*result), context.env.report.counts.steps);
            context.registers.set_uniform_wide(plane, steps);
        }
        Instruction::Unsupported(error) => return Err(RunError::unsupported(error.to_string())),
        // The subgroup's loop executes these.
        Instruction::Call(_) | Instruction::Barrier(_) => {}
    }
    Ok(())
}
