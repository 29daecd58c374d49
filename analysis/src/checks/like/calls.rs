//! Calls, constructors and operators that glslang rejects, whatever the sizes of matrices are.

use crate::diagnostics::codes;
use crate::extensions::Rule;
use crate::hir::{BinaryOp, Body, Callee, ExprId, ExprKind};
use crate::types::{Scalar, Ty, TypeKind};

use super::refusals::Refusals;
use super::{arguments, semantics};
use crate::checks::walk::builtin_call;

pub(super) fn check(refusals: &mut Refusals<'_>, body: &Body) {
    for (id, expr) in body.exprs.iter() {
        match &expr.kind {
            ExprKind::Construct { arguments } if arguments.len() != 1 => {
                array_constructor(refusals, body, id, arguments.len());
            }
            ExprKind::Call { callee: Callee::Builtin(_), .. } => {
                long_vector(refusals, body, id);
                load_doubles(refusals, body, id);
                semantics::check(refusals, body, id);
            }
            ExprKind::Call { callee: Callee::Function(_), .. } => arguments::check(refusals, body, id),
            ExprKind::Binary { op: BinaryOp::Mul, left, right } => {
                for (matrix, scalar) in [(*left, *right), (*right, *left)] {
                    double_scalar(refusals, body, matrix, scalar, id);
                }
            }
            ExprKind::Assign { op: Some(BinaryOp::Mul), target, value } => {
                double_scalar(refusals, body, *target, *value, id);
            }
            ExprKind::Assign { op: None, target, value } => double_element(refusals, body, *target, *value),
            _ => {}
        }
    }
}

/// GLSL 4.60, 5.4.4: arrays have constructors. glslang asks for one argument where there is a matrix in the type.
fn array_constructor(refusals: &mut Refusals<'_>, body: &Body, expr: ExprId, count: usize) {
    let expr = &body.exprs[expr];
    let mut element = expr.ty;
    while let TypeKind::Array(of, _) = refusals.kind(element) {
        element = *of;
    }
    if element != expr.ty && refusals.is_matrix(element) {
        refusals.refuse(
            &codes::GLSLANG_ARRAY_CONSTRUCTOR,
            expr.range,
            format!("glslang rejects a constructor of an array of matrices with {count} arguments: assign the elements one by one, or write `{{...}}`"),
        );
    }
}

/// GL_EXT_long_vector lets a `genType` be a long vector, and scalars convert as for any other call.
fn long_vector(refusals: &mut Refusals<'_>, body: &Body, call: ExprId) {
    let Some((function, &[a, b])) = builtin_call(body, call) else { return };
    let is_long = |ty: Ty| matches!(refusals.kind(ty), TypeKind::LongVector(..));
    for (vector, other) in [(a, b), (b, a)] {
        let (vector, other) = (&body.exprs[vector], &body.exprs[other]);
        let ExprKind::Convert { operand } = other.kind else { continue };
        if is_long(vector.ty) && refusals.module.types.as_scalar(other.ty).is_some() {
            let display =
                |ty| crate::display::display_type(&refusals.module.types, &refusals.module.structs, ty);
            let (from, to) = (display(body.exprs[operand].ty), display(other.ty));
            let message = format!(
                "glslang does not convert arguments of `{}` when it has a long vector: write `{to}(...)` around this `{from}`",
                function.name
            );
            refusals.refuse(&codes::GLSLANG_LONG_VECTOR_CALL, other.range, message);
            return;
        }
    }
}

/// GL_NV_cooperative_matrix, 8.X: `float64_t[]` is among what coopMatLoadNV takes.
fn load_doubles(refusals: &mut Refusals<'_>, body: &Body, call: ExprId) {
    let Some((function, arguments)) = builtin_call(body, call) else { return };
    let is_load = function.rule == Some(Rule::CoopMatLoadNv);
    let Some(&memory) = arguments.get(1).filter(|_| is_load) else { return };
    if let TypeKind::Array(element, _) = *refusals.kind(body.exprs[memory].ty)
        && refusals.module.types.as_scalar(element) == Some(Scalar::Float64)
    {
        refusals.refuse(
            &codes::GLSLANG_NV_DOUBLE,
            body.exprs[memory].range,
            format!("glslang has no `{}` for an array of `double`", function.name),
        );
    }
}

/// `m * 2.0lf`
fn double_scalar(refusals: &mut Refusals<'_>, body: &Body, matrix: ExprId, scalar: ExprId, whole: ExprId) {
    if refusals.is_double_nv(body.exprs[matrix].ty) && refusals.is_double(body, scalar) {
        refusals.refuse(
            &codes::GLSLANG_NV_DOUBLE,
            body.exprs[whole].range,
            "glslang treats this matrix of `double` as one of `float`, which it does not multiply by a `double`"
                .to_owned(),
        );
    }
}

/// `m[0] = 1.0lf`
fn double_element(refusals: &mut Refusals<'_>, body: &Body, target: ExprId, value: ExprId) {
    if let ExprKind::Index { base, .. } = body.exprs[target].kind
        && refusals.is_double_nv(body.exprs[base].ty)
        && refusals.is_double(body, value)
    {
        refusals.refuse(
            &codes::GLSLANG_NV_DOUBLE,
            body.exprs[value].range,
            "glslang treats the elements of this matrix as `float`, to which it does not convert a `double`"
                .to_owned(),
        );
    }
}
