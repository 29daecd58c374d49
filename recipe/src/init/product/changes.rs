//! What a shader does with matrices besides multiplying them.

use coopmat_spirv::dr::Instruction;
use coopmat_spirv::spirv::{Op, Word};
use coopmat_spirv::{Opcode, opcode};

use super::Finder;
use crate::init::values::id;

impl Finder<'_, '_> {
    /// What is done with A and B before they are multiplied and with the sums before they are stored, other than adding, copying and converting. Scales that push constants say are 1 at first.
    pub(super) fn more(&self, object: Word, made_by: &Instruction, has_c: bool) -> Option<String> {
        let values = self.values;
        let operands = made_by.operands.iter().take(2).filter_map(|operand| id(Some(operand)));
        let mut other = None;
        for (from, is_sum) in std::iter::once((object, true)).chain(operands.map(|operand| (operand, false)))
        {
            values.walk_some(from, true, &only_sums, &mut |found| {
                if let Some(found) = self.changes(found, is_sum && has_c) {
                    other.get_or_insert(found);
                }
            });
        }
        other.map(|other| format!("there is Op{}", other.name()))
    }

    /// The instruction of an id, where it changes what matrices hold. `adds`: C may be added.
    fn changes(&self, found: Word, adds: bool) -> Option<Opcode> {
        let values = self.values;
        let it = values.instruction(found)?;
        let of = it.result_type.and_then(|type_| values.instruction(type_)).map(|it| it.class.opcode);
        let is_matrix = of == Some(Op::TypeCooperativeMatrixKHR);
        let changes = match opcode(it) {
            Opcode::FAdd | Opcode::IAdd if is_matrix => !adds,
            Opcode::MatrixTimesScalar => {
                let scale = id(it.operands.get(1)).and_then(|scale| values.instruction(scale));
                let member = scale.filter(|it| opcode(it) == Opcode::Load);
                let member = member.and_then(|it| values.push_path(id(it.operands.first())?, &self.given));
                is_matrix && member.is_none()
            }
            Opcode::CooperativeMatrixMulAddKHR
            | Opcode::CooperativeMatrixLoadKHR
            | Opcode::Load
            | Opcode::CompositeConstruct
            | Opcode::CompositeExtract
            | Opcode::CompositeInsert
            | Opcode::ConstantComposite
            | Opcode::ConstantNull
            | Opcode::Constant
            | Opcode::Undef
            | Opcode::Phi
            | Opcode::CopyObject
            | Opcode::FConvert
            | Opcode::SConvert
            | Opcode::UConvert
            | Opcode::Bitcast
            | Opcode::FunctionCall
            | Opcode::FunctionParameter => false,
            // Elements one by one.
            Opcode::ExtInst => of == Some(Op::TypeFloat),
            _ => is_matrix || of == Some(Op::TypeFloat),
        };
        changes.then(|| opcode(it))
    }
}

/// What sums are made of: up to the loads of matrices, and of multiply-adds what is added to.
pub(super) fn only_sums(it: &Instruction) -> Option<Vec<Word>> {
    match opcode(it) {
        Opcode::CooperativeMatrixMulAddKHR => Some(id(it.operands.get(2)).into_iter().collect()),
        Opcode::CooperativeMatrixLoadKHR => Some(Vec::new()),
        _ => None,
    }
}
