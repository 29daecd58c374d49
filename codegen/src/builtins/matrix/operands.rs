//! What the functions on cooperative matrices have in common: their arguments, their results, the extensions that bring them.

use coopmat_analysis::hir::{Const, ExprId};
use coopmat_analysis::types::Ty;
use rspirv::spirv::Word;

use crate::builtins::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};

/// What brings the instructions that are in GL_NV_cooperative_matrix2 and in GL_EXT_cooperative_matrix_maintenance1.
pub(super) const NV2: &str = "SPV_NV_cooperative_matrix2";
pub(super) const MAINTENANCE: &str = "SPV_EXT_cooperative_matrix_maintenance1";

/// An argument that has to be there.
pub(in crate::builtins) fn required(
    codegen: &mut Codegen<'_>,
    call: &BuiltinCall<'_>,
    index: usize,
) -> Emit<ExprId> {
    match call.argument(index) {
        Some(argument) => Ok(argument),
        None => Err(codegen.inconsistent("a call with too few arguments")),
    }
}

/// Writes a result to the place that an `out` argument names, which was found before the operation.
pub(in crate::builtins) fn stored(
    codegen: &mut Codegen<'_>,
    argument: ExprId,
    result: impl FnOnce(&mut Codegen<'_>, Ty) -> Emit<Word>,
) -> Emit<Word> {
    let ty = codegen.ty(argument);
    let mut place = codegen.required_place(argument)?;
    let value = result(codegen, ty)?;
    let before = codegen.enter(codegen.expr(argument).range);
    let stored = codegen.store(&mut place, value);
    codegen.leave(before);
    stored.map(|_| 0)
}

/// A literal operand of an instruction: a constant that specialization does not change.
pub(super) fn literal(codegen: &mut Codegen<'_>, argument: ExprId, what: &str) -> Emit<u32> {
    match codegen.expr(argument).constant.as_ref().and_then(Const::as_int).map(u32::try_from) {
        Some(Ok(value)) => Ok(value),
        _ => Err(codegen.fail(format!(
            "{what} becomes a literal of the instruction, so it cannot depend on specialization constants"
        ))),
    }
}
