//! `abortEXT` (GL_EXT_abort): a message and what is reported with it. Without a published text the rules are those of glslang's tests
//! `spv.shader.abort.*`, and of SPV_KHR_abort: the message's type "must be a concrete type" with "an explicit layout".

use crate::diagnostics::codes;
use crate::hir::{ExprId, has_part};
use crate::lower::Lowerer;
use crate::lower::call_site::CallSite;
use crate::types::{ArrayLength, Scalar, Ty, TypeKind};

pub(super) fn check(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) {
    let Some((&message, values)) = call.arguments.split_first() else { return };
    let range = lowerer.range_of(message);
    if lowerer.type_of(message) != Ty::STRING {
        let found = lowerer.display(lowerer.type_of(message));
        let text = format!("the message of `abortEXT` must be a string literal, found `{found}`");
        lowerer.report(&codes::TYPE_MISMATCH, range, text);
    }
    for &value in values {
        check_value(lowerer, value);
    }
}

fn check_value(lowerer: &mut Lowerer<'_>, value: ExprId) {
    let ty = lowerer.type_of(value);
    let is_bool = |ty: Ty| lowerer.types.component(ty) == Some(Scalar::Bool);
    let structs = &lowerer.module.structs;
    let any = |test: &dyn Fn(Ty) -> bool| has_part(&lowerer.types, structs, ty, test);
    let unsized_array = |ty: Ty| matches!(lowerer.types.kind(ty), TypeKind::Array(_, ArrayLength::Unsized));
    let in_memory = |ty: Ty| {
        matches!(
            lowerer.types.kind(ty),
            TypeKind::Scalar(_)
                | TypeKind::Vector(..)
                | TypeKind::LongVector(..)
                | TypeKind::Matrix { .. }
                | TypeKind::Array(..)
                | TypeKind::Struct(_)
                | TypeKind::Reference(_)
        )
    };
    let reason = if ty == Ty::STRING {
        "only the first argument can be a string"
    } else if any(&unsized_array) {
        "its size is not known: pass elements"
    } else if any(&|part| !in_memory(part)) {
        "it has no representation in memory"
    } else if !is_bool(ty) && any(&is_bool) {
        "a `bool` in it has no layout in memory, so pass its parts"
    } else {
        return;
    };
    let (found, range) = (lowerer.display(ty), lowerer.range_of(value));
    let message = format!("a `{found}` cannot be part of the message: {reason}");
    lowerer.report(&codes::TYPE_MISMATCH, range, message);
}
