//! What a function's body says as a whole, once it is lowered: matrices that are used before they are written, where they lie
//! in memory, and what becomes of tensor layouts from statement to statement; arrays whose length is specialized. `ranges` says what is known of integers.

mod placement;
mod ranges;
mod specialized_arrays;
mod tensor_state;
mod unwritten;
mod writeonly;

use crate::hir::{BodyDiagnostic, ExprKind};
use crate::types::TypeKind;

use super::barrier::waits_for_workgroup;
use super::context::Context;
use super::walk::matrix_call;

/// What the checks of one body found, and what says whether the checks of the whole shader have to look at it.
#[derive(Debug, Default)]
pub struct BodyFindings {
    /// In the coordinates of the body.
    pub diagnostics: Vec<BodyDiagnostic>,
    /// Whether it has values that are cooperative matrices, or calls operations on them.
    pub matrix_operations: bool,
    /// Whether it has a barrier that all invocations of a workgroup have to come to.
    pub barriers: bool,
    /// Whether it hands a function to a built-in.
    pub names_functions: bool,
}

/// Checks a body. One without a matrix operation costs a few looks at its expressions.
pub fn check(context: &Context<'_>) -> BodyFindings {
    let body = context.body;
    let is_matrix = |ty| matches!(context.types.kind(ty), TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_));
    let mut diagnostics = Vec::new();
    unwritten::check(context, &mut diagnostics);
    writeonly::check(context, &mut diagnostics);
    specialized_arrays::check(context, &mut diagnostics);
    let has_matrix_call = body.exprs.iter().any(|(expr, _)| matrix_call(body, expr).is_some());
    if has_matrix_call {
        placement::check(context, &mut diagnostics);
        let has_layout = body
            .exprs
            .iter()
            .any(|(_, expr)| matches!(context.types.kind(expr.ty), TypeKind::TensorLayout { .. }));
        if has_layout {
            tensor_state::check(context, &mut diagnostics);
        }
    }
    BodyFindings {
        diagnostics,
        // Arithmetic on matrices is an operation of all invocations as well, and an element has an owner.
        matrix_operations: has_matrix_call || body.exprs.iter().any(|(_, expr)| is_matrix(expr.ty)),
        barriers: body.exprs.iter().any(|(expr, _)| waits_for_workgroup(body, expr)),
        names_functions: body
            .exprs
            .iter()
            .any(|(_, expr)| matches!(expr.kind, ExprKind::FunctionName { function: Some(_), .. })),
    }
}
