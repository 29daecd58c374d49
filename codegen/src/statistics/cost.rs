//! What one execution of an instruction computes and moves.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, StorageClass, Word};

use super::index::{Index, MatrixType, id};

/// Numbers of one kind are added up over instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Metric {
    MatrixFlops,
    OtherFlops,
    GlobalRead,
    GlobalWritten,
    SharedRead,
    SharedWritten,
}

pub(super) const METRICS: usize = 6;

/// Who executes an instruction once together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Invocation,
    Subgroup,
    Workgroup,
}

impl Unit {
    pub fn of(matrix: MatrixType) -> Unit {
        match matrix.scope {
            Some(2) => Unit::Workgroup,
            _ => Unit::Subgroup,
        }
    }
}

pub(super) struct Cost {
    pub unit: Unit,
    pub amounts: Vec<(Metric, u64)>,
}

impl Index<'_> {
    /// The matrix that an instruction makes, or takes first.
    pub fn matrix_of(&self, instruction: &Instruction) -> Option<MatrixType> {
        let result = instruction.result_type.and_then(|ty| self.matrix(ty));
        let operand = |operand: &Operand| self.matrix(self.type_of(operand.id_ref_any()?)?);
        result.or_else(|| instruction.operands.iter().find_map(operand))
    }

    fn moved(&self, pointer: Word, bytes: u64, read: bool) -> Option<(Metric, u64)> {
        let metric = match (self.pointer(pointer)?.0, read) {
            (StorageClass::Workgroup, true) => Metric::SharedRead,
            (StorageClass::Workgroup, false) => Metric::SharedWritten,
            (
                StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer | StorageClass::Uniform,
                true,
            ) => Metric::GlobalRead,
            (
                StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer | StorageClass::Uniform,
                false,
            ) => Metric::GlobalWritten,
            _ => return None,
        };
        Some((metric, bytes))
    }

    pub fn cost(&self, instruction: &Instruction) -> Cost {
        let matrix = self.matrix_of(instruction);
        let unit = matrix.map_or(Unit::Invocation, Unit::of);
        let operands = &instruction.operands;
        let operand_type = |at| self.type_of(id(operands.get(at))?);
        let mut amounts = Vec::new();
        match instruction.class.opcode {
            Op::Load => {
                let bytes = instruction.result_type.and_then(|ty| self.bytes(ty));
                amounts.extend(
                    id(operands.first()).zip(bytes).and_then(|(from, bytes)| self.moved(from, bytes, true)),
                );
            }
            Op::Store => {
                let bytes = operand_type(1).and_then(|ty| self.bytes(ty));
                amounts.extend(
                    id(operands.first()).zip(bytes).and_then(|(to, bytes)| self.moved(to, bytes, false)),
                );
            }
            Op::CooperativeMatrixLoadKHR
            | Op::CooperativeMatrixLoadNV
            | Op::CooperativeMatrixLoadTensorNV => {
                let bytes = instruction.result_type.and_then(|ty| self.bytes(ty));
                amounts.extend(
                    id(operands.first()).zip(bytes).and_then(|(from, bytes)| self.moved(from, bytes, true)),
                );
            }
            Op::CooperativeMatrixStoreKHR
            | Op::CooperativeMatrixStoreNV
            | Op::CooperativeMatrixStoreTensorNV => {
                let bytes = operand_type(1).and_then(|ty| self.bytes(ty));
                amounts.extend(
                    id(operands.first()).zip(bytes).and_then(|(to, bytes)| self.moved(to, bytes, false)),
                );
            }
            Op::CooperativeMatrixMulAddKHR | Op::CooperativeMatrixMulAddNV => {
                let factor = operand_type(0).and_then(|ty| self.matrix(ty));
                let flops = matrix.zip(factor).and_then(|(result, factor)| {
                    result.elements()?.checked_mul(factor.columns?)?.checked_mul(2)
                });
                amounts.extend(flops.map(|flops| (Metric::MatrixFlops, flops)));
            }
            op => {
                let flops = self.flops(op, instruction);
                if flops > 0 {
                    amounts.push((Metric::OtherFlops, flops));
                }
            }
        }
        Cost { unit, amounts }
    }

    /// Additions and multiplications of floats that are no matrix multiply-add; a division or a function counts as one.
    fn flops(&self, op: Op, instruction: &Instruction) -> u64 {
        let Some(ty) = instruction.result_type else { return 0 };
        let each = self.components(ty);
        let operand = |at| id(instruction.operands.get(at)).and_then(|id| self.type_of(id));
        match op {
            Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FMod
            | Op::VectorTimesScalar
            | Op::MatrixTimesScalar => each,
            Op::Dot => operand(0).map_or(0, |ty| self.components(ty).saturating_mul(2)),
            Op::MatrixTimesVector => operand(0).map_or(0, |ty| self.components(ty).saturating_mul(2)),
            Op::VectorTimesMatrix => operand(1).map_or(0, |ty| self.components(ty).saturating_mul(2)),
            Op::ExtInst => match instruction.operands.get(1) {
                // GLSL.std.450's functions of floats: Fma counts as two.
                Some(Operand::LiteralExtInstInteger(50)) => each.saturating_mul(2),
                Some(Operand::LiteralExtInstInteger(13..=32 | 46 | 48 | 49)) => each,
                _ => 0,
            },
            _ => 0,
        }
    }
}
