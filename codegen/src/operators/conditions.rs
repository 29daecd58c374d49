//! `&&`, `||` and `?:`: what is computed only where it is needed.

use coopmat_analysis::hir::{BinaryOp, ExprId, ExprKind};
use coopmat_analysis::types::{Scalar, Ty, TypeKind};
use rspirv::spirv::{Op, SelectionControl, Word};

use crate::codegen::{Codegen, Emit, LocalSlot};
use crate::target::SpirvVersion;

/// How many instructions may be computed in vain.
const CHEAP: u32 = 4;

impl<'a> Codegen<'a> {
    /// `&&` and `||`: the right side is computed only where it decides, unless that is cheap and has no effects.
    pub(super) fn short_circuit(&mut self, op: BinaryOp, left_value: Word, right: ExprId) -> Emit<Word> {
        let bool_type = self.bool_type();
        let and = op == BinaryOp::LogicalAnd;
        if self.is_cheap(right, CHEAP) {
            let right = self.value(right)?;
            let op = if and { Op::LogicalAnd } else { Op::LogicalOr };
            return Ok(self.b.value(op, bool_type, &[left_value, right]));
        }
        let from_left = self.b.block();
        let (evaluate, merge) = (self.b.id(), self.b.id());
        self.b.selection_merge(merge, SelectionControl::NONE);
        if and {
            self.b.branch_if(left_value, evaluate, merge);
        } else {
            self.b.branch_if(left_value, merge, evaluate);
        }
        self.b.label(evaluate);
        let right_value = self.value(right)?;
        let from_right = self.b.block();
        self.b.label(merge);
        // Where the left side decides, its value is known.
        Ok(self.b.phi(bool_type, &[(left_value, from_left), (right_value, from_right)]))
    }

    pub fn conditional(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, ty: Ty) -> Emit<Word> {
        let condition_value = self.value(condition)?;
        if ty == Ty::VOID {
            return self.branch_on(condition_value, then, otherwise, ty);
        }
        let shape = self.types.as_vector(ty);
        // SPV_KHR_cooperative_matrix makes a matrix a composite, which OpSelect takes; spirv-val and with it the validation layers do not.
        let matrix = matches!(self.types.kind(ty), TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_));
        let selectable = !matrix
            && (shape.is_some_and(|(_, length)| length <= 4) || self.target.at_least(SpirvVersion::V1_4));
        if selectable && self.is_cheap(then, CHEAP) && self.is_cheap(otherwise, CHEAP) {
            let (then, otherwise) = (self.value(then)?, self.value(otherwise)?);
            return self.select(condition_value, then, otherwise, ty);
        }
        self.branch_on(condition_value, then, otherwise, ty)
    }

    /// One of two values by a scalar condition.
    pub fn select(&mut self, condition: Word, then: Word, otherwise: Word, ty: Ty) -> Emit<Word> {
        let result = self.type_id(ty)?;
        let condition = match self.types.as_vector(ty) {
            // Before SPIR-V 1.4 vectors are selected component by component.
            Some((_, length)) if !self.target.at_least(SpirvVersion::V1_4) => {
                self.splat(condition, Scalar::Bool, length)
            }
            _ => condition,
        };
        Ok(self.b.value(Op::Select, result, &[condition, then, otherwise]))
    }

    fn branch_on(&mut self, condition: Word, then: ExprId, otherwise: ExprId, ty: Ty) -> Emit<Word> {
        let (then_label, else_label, merge) = (self.b.id(), self.b.id(), self.b.id());
        self.b.selection_merge(merge, SelectionControl::NONE);
        self.b.branch_if(condition, then_label, else_label);
        self.b.label(then_label);
        let then_value = self.value(then)?;
        let then_end = self.b.block();
        self.b.branch(merge);
        self.b.label(else_label);
        let else_value = self.value(otherwise)?;
        let else_end = self.b.block();
        self.b.label(merge);
        if ty == Ty::VOID {
            return Ok(0);
        }
        let result = self.type_id(ty)?;
        Ok(self.b.phi(result, &[(then_value, then_end), (else_value, else_end)]))
    }

    /// Whether an expression has no effects, touches no memory outside of the function and takes few instructions, so that it may
    /// be computed where the program does not ask for it.
    pub fn is_cheap(&self, expr: ExprId, budget: u32) -> bool {
        self.cost(expr, budget).is_some()
    }

    /// What is left of a budget after an expression; `None` when it is not cheap.
    fn cost(&self, expr: ExprId, budget: u32) -> Option<u32> {
        let e = self.expr(expr);
        if e.constant.is_some() {
            return Some(budget);
        }
        let spend = |budget: u32| budget.checked_sub(1);
        match &e.kind {
            ExprKind::Literal | ExprKind::BuiltinConstant(_) => Some(budget),
            ExprKind::Local(local) => match self.slot(*local) {
                LocalSlot::Value(_) => Some(budget),
                LocalSlot::Place(_) => spend(budget),
                LocalSlot::None | LocalSlot::Refused => None,
            },
            ExprKind::BuiltinVariable(_) => spend(budget),
            ExprKind::Unary { operand, .. } | ExprKind::Convert { operand } => {
                self.cost(*operand, spend(budget)?)
            }
            ExprKind::Binary { op, left, right } => {
                // A division by zero is undefined: it stays where it is guarded.
                if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
                    return None;
                }
                let left = self.cost(*left, spend(budget)?)?;
                self.cost(*right, left)
            }
            ExprKind::Swizzle { base, .. } => self.cost(*base, budget),
            ExprKind::Error
            | ExprKind::String(_)
            | ExprKind::Global(_)
            | ExprKind::BlockMember(..)
            | ExprKind::FunctionName { .. }
            | ExprKind::IncDec { .. }
            | ExprKind::Assign { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::Comma { .. }
            | ExprKind::Call { .. }
            | ExprKind::Construct { .. }
            | ExprKind::InitializerList { .. }
            | ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::Length { .. } => None,
        }
    }
}
