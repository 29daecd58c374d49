//! Operators of cooperative vectors: which there are, and what their operands become (GL_NV_cooperative_vector, 5.9).

use super::Lowerer;
use super::expression_state::{Refusal, Typing};
use crate::hir::BinaryOp;
use crate::types::{ScalarClass, Ty};

impl Lowerer<'_> {
    /// GL_NV_cooperative_vector: "Modify Section 5.9, Expressions".
    pub(super) fn type_coopvec_binary(
        &mut self,
        op: BinaryOp,
        left: Ty,
        right: Ty,
    ) -> Result<Typing, Refusal> {
        let (of_left, of_right) = (self.types.as_coopvec(left), self.types.as_coopvec(right));
        let Some((scalar, length)) = of_left.or(of_right) else { return Err(Refusal::Operands) };
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let bitwise = shift || matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
        if !op.is_arithmetic() && !bitwise {
            return Err(Refusal::CoopvecOperator);
        }
        let (Some(_), Some((other, other_length))) = (of_left, of_right) else {
            if op != BinaryOp::Mul {
                return Err(Refusal::CoopvecOperator);
            }
            if scalar.class() == ScalarClass::SmallFloat {
                return Err(Refusal::SmallFloat(scalar));
            }
            // "The scalar type must match the component type"; compilers convert it as for any other operator.
            let (vector, given) = if of_left.is_some() { (left, right) } else { (right, left) };
            let component = self.types.scalar(scalar);
            if given != component && !self.converts_implicitly(given, component) {
                return Err(match self.types.as_scalar(given) {
                    Some(_) => Refusal::CoopvecScalar(scalar),
                    None => Refusal::CoopvecOperator,
                });
            }
            let (left, right) = if of_left.is_some() { (vector, component) } else { (component, vector) };
            return Ok(Typing { left, right, result: vector, scalar: None });
        };
        if bitwise && !(scalar.is_integer() && other.is_integer()) {
            return Err(Refusal::NeedsInteger);
        }
        // The text says nothing of the types of shifts: as for vectors, the two may have different integer types.
        if !self.types.may_equal(length, other_length) || (scalar != other && !shift) {
            return Err(Refusal::CoopvecTypes);
        }
        if scalar.class() == ScalarClass::SmallFloat {
            return Err(Refusal::SmallFloat(scalar));
        }
        Ok(Typing { left, right, result: left, scalar: None })
    }
}
