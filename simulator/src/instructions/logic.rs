//! Bools: logic, `OpSelect`, `OpAny` and `OpAll`.

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::{Opcode, opcode};

use crate::ProgramError;
use crate::code::{Instruction, LogicInstruction, LogicOp};
use crate::machine::Context;
use crate::program::Lowering;
use crate::program::types::Scalar;

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    let op = match opcode(source) {
        Opcode::LogicalEqual => LogicOp::Equal,
        Opcode::LogicalNotEqual => LogicOp::NotEqual,
        Opcode::LogicalOr => LogicOp::Or,
        Opcode::LogicalAnd => LogicOp::And,
        Opcode::LogicalNot | Opcode::Any | Opcode::All => {
            let a = lowering.operand(source, 0)?;
            let (scalar, count) = lowering.numbers(a.type_)?;
            let result = lowering.result(source)?;
            let wanted = if opcode(source) == Opcode::LogicalNot { count } else { 1 };
            if scalar != Scalar::Bool || lowering.numbers(result.type_)? != (Scalar::Bool, wanted) {
                return Err(ProgramError::new("expected bools"));
            }
            let (result, a) = (result.slot, a.slot);
            lowering.emit(Instruction::Logic(match opcode(source) {
                Opcode::LogicalNot => LogicInstruction::Not { count, result, a },
                Opcode::Any => LogicInstruction::Any { count, result, a },
                _ => LogicInstruction::All { count, result, a },
            }));
            return Ok(true);
        }
        Opcode::Select => {
            let condition = lowering.operand(source, 0)?;
            let (a, b) = (lowering.operand(source, 1)?, lowering.operand(source, 2)?);
            let (scalar, count) = lowering.numbers(condition.type_)?;
            let result = lowering.result(source)?;
            let planes = lowering.types().planes(result.type_);
            for value in [a, b] {
                lowering.expect(value.type_, result.type_, "a value of OpSelect")?;
            }
            if scalar != Scalar::Bool || !planes.is_multiple_of(count) {
                return Err(ProgramError::new("OpSelect should have a bool, or one for each component"));
            }
            lowering.emit(Instruction::Logic(LogicInstruction::Select {
                count,
                planes: planes / count,
                result: result.slot,
                condition: condition.slot,
                a: a.slot,
                b: b.slot,
            }));
            return Ok(true);
        }
        _ => return Ok(false),
    };
    let (a, b) = (lowering.operand(source, 0)?, lowering.operand(source, 1)?);
    let result = lowering.result(source)?;
    let kind = lowering.numbers(a.type_)?;
    if kind.0 != Scalar::Bool || lowering.numbers(b.type_)? != kind || lowering.numbers(result.type_)? != kind
    {
        return Err(ProgramError::new("expected bools"));
    }
    let (result, a, b) = (result.slot, a.slot, b.slot);
    lowering.emit(Instruction::Logic(LogicInstruction::Binary { op, count: kind.1, result, a, b }));
    Ok(true)
}

pub(super) fn execute(instruction: &LogicInstruction, cx: &mut Context) {
    match *instruction {
        LogicInstruction::Binary { op, count, result, a, b } => {
            let (result, a, b) = (cx.plane(result), cx.plane(a), cx.plane(b));
            for index in 0..count {
                let (result, a, b) = (result + index, a + index, b + index);
                match op {
                    LogicOp::Equal => cx.registers.map2(result, a, b, |a, b| u32::from(a == b)),
                    LogicOp::NotEqual => cx.registers.map2(result, a, b, |a, b| a ^ b),
                    LogicOp::Or => cx.registers.map2(result, a, b, |a, b| a | b),
                    LogicOp::And => cx.registers.map2(result, a, b, |a, b| a & b),
                }
            }
        }
        LogicInstruction::Not { count, result, a } => {
            let (result, a) = (cx.plane(result), cx.plane(a));
            for index in 0..count {
                cx.registers.map1(result + index, a + index, |a| a ^ 1);
            }
        }
        LogicInstruction::Any { count, result, a } | LogicInstruction::All { count, result, a } => {
            let any = matches!(instruction, LogicInstruction::Any { .. });
            let (result, a) = (cx.plane(result), cx.plane(a));
            let operands: smallvec::SmallVec<[u32; 8]> = (a..a + count).collect();
            cx.registers.lanewise(result, &operands, |registers, lane| {
                let mut words = (a..a + count).map(|plane| registers.get(plane, lane) != 0);
                [u32::from(if any { words.any(|set| set) } else { words.all(|set| set) })]
            });
        }
        LogicInstruction::Select { count, planes, result, condition, a, b } => {
            let [result, condition, a, b] = [result, condition, a, b].map(|slot| cx.plane(slot));
            for index in 0..count {
                let condition = condition + index;
                let (result, a, b) = (result + index * planes, a + index * planes, b + index * planes);
                if cx.registers.agrees(condition) {
                    let chosen = if cx.registers.any(condition) != 0 { a } else { b };
                    cx.registers.copy(result, chosen, planes);
                    continue;
                }
                for plane in 0..planes {
                    cx.registers.map3(
                        result + plane,
                        [condition, a + plane, b + plane],
                        |condition, a, b| {
                            let mask = condition.wrapping_neg();
                            a & mask | b & !mask
                        },
                    );
                }
            }
        }
    }
}
