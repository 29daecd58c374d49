//! Types of matrices that glslang has not, and matrices that it takes for different types.

use crate::diagnostics::codes;
use crate::extensions::Rule;
use crate::hir::{Body, ExprId, ExprKind, StmtKind};
use crate::symbolic::Sym;
use crate::types::{Scalar, TypeKind};

use super::refusals::Refusals;
use super::written::{Mention, Writing, Written};
use crate::checks::walk::builtin_call;

pub(super) fn check(refusals: &mut Refusals<'_>, body: &Body, writing: &Writing) {
    for mention in writing.mentions(refusals.function) {
        component(refusals, mention);
        parameters(refusals, mention);
    }
    for (id, expr) in body.exprs.iter() {
        match &expr.kind {
            ExprKind::Call { .. } => {
                if let Some((function, &[a, b, c, ..])) = builtin_call(body, id)
                    && matches!(function.rule, Some(Rule::CoopMatMulAdd | Rule::CoopMatMulAddNv))
                {
                    multiply_add(refusals, body, writing, [a, b, c]);
                }
            }
            ExprKind::Assign { target, value, .. } => {
                same_type(refusals, body, writing, *target, *value, *value)
            }
            ExprKind::Binary { left, right, .. } => same_type(refusals, body, writing, *left, *right, id),
            ExprKind::Conditional { then, otherwise, .. } => {
                same_type(refusals, body, writing, *then, *otherwise, id);
            }
            _ => {}
        }
    }
    for (_, stmt) in body.stmts.iter() {
        match &stmt.kind {
            StmtKind::Declare { local, initializer: Some(value) }
                if refusals.is_matrix(body.locals[*local].ty) =>
            {
                let declared = writing.local(refusals.module, refusals.function, body, *local);
                against(refusals, body, writing, declared, *value);
            }
            StmtKind::Return(Some(value)) => {
                let result = refusals.function.and_then(|function| writing.result(function));
                against(refusals, body, writing, result, *value);
            }
            _ => {}
        }
    }
}

/// GL_KHR_cooperative_matrix, 4.1.X: "any scalar numerical type".
fn component(refusals: &mut Refusals<'_>, mention: &Mention) {
    use Scalar::*;
    let Some(component) = refusals.component(mention.ty) else { return };
    let lacking = match refusals.kind(mention.ty) {
        // Its `fcoopmatNV<64, ...>` is there, and a matrix of `float`.
        TypeKind::CoopmatNv(_) => matches!(component, Int64 | Uint64),
        _ => matches!(
            component,
            Float64 | Int64 | Uint64 | FloatE2M1 | FloatE3M2 | FloatE2M3 | FloatUE8M0 | FloatMxInt8
        ),
    };
    if lacking {
        let message = format!("glslang has no cooperative matrices of `{}`", component.name());
        refusals.refuse(&codes::GLSLANG_COMPONENT_TYPE, mention.name, message);
    }
}

/// GL_KHR_cooperative_matrix, 4.1.X: "no error checking is performed on these values at compile time".
fn parameters(refusals: &mut Refusals<'_>, mention: &Mention) {
    let usage = match refusals.kind(mention.ty) {
        TypeKind::Coopmat(_) => 3,
        _ => usize::MAX,
    };
    for (index, (written, range)) in mention.arguments.into_iter().zip(mention.ranges).enumerate() {
        let Written::Number(value) = written else { continue };
        let value = value.cast_signed();
        let message = match value {
            ..0 => format!("glslang rejects {value} here: expected a number that is not negative"),
            3.. if index == usage => {
                format!(
                    "glslang rejects the use {value}: expected gl_MatrixUseA, gl_MatrixUseB or gl_MatrixUseAccumulator"
                )
            }
            _ => continue,
        };
        refusals.refuse(&codes::GLSLANG_MATRIX_PARAMETER, range, message);
    }
}

/// The dimensions of a multiply-add; of a mistake that is one by the specification, nothing more is said.
fn multiply_add(refusals: &mut Refusals<'_>, body: &Body, writing: &Writing, operands: [ExprId; 3]) {
    let module = refusals.module;
    let written = operands.map(|operand| writing.value(module, refusals.function, body, operand));
    let [Some(a), Some(b), Some(c)] = written else { return };
    let [a_shape, b_shape, c_shape] = [a, b, c].map(|mention| mention.shape(module));
    let [a_sizes, b_sizes, c_sizes] = [a, b, c].map(|mention| sizes(refusals, &mention));
    let pairs = [
        ("A's columns", a_shape[1], a_sizes[1], "B's rows", b_shape[0], b_sizes[0], operands[1]),
        ("C's rows", c_shape[0], c_sizes[0], "A's rows", a_shape[0], a_sizes[0], operands[2]),
        ("C's columns", c_shape[1], c_sizes[1], "B's columns", b_shape[1], b_sizes[1], operands[2]),
    ];
    for (first, a, a_size, second, b, b_size, place) in pairs {
        if a.is_same(b) {
            continue;
        }
        let (a, b) = (refusals.text(body, a, a_size), refusals.text(body, b, b_size));
        let message = if a == b {
            format!(
                "glslang rejects this: {first} and {second} are {a}, but not by the same name, and glslang compares names"
            )
        } else {
            format!("glslang rejects this: {first} ({a}) must be the same named constant as {second} ({b})")
        };
        refusals.refuse(&codes::GLSLANG_MULADD_SHAPE, body.exprs[place].range, message);
        // It stops at the first.
        return;
    }
}

/// Rows and columns.
fn sizes(refusals: &Refusals<'_>, mention: &Mention) -> [Option<Sym>; 2] {
    match refusals.kind(mention.ty) {
        TypeKind::Coopmat(matrix) => [Some(matrix.rows), Some(matrix.columns)],
        TypeKind::CoopmatNv(matrix) => [Some(matrix.rows), Some(matrix.columns)],
        _ => [None, None],
    }
}

/// Two values that have to be of one type.
fn same_type(
    refusals: &mut Refusals<'_>,
    body: &Body,
    writing: &Writing,
    first: ExprId,
    second: ExprId,
    place: ExprId,
) {
    let ty = body.exprs[first].ty;
    // Matrices that are not of one type by the specification are an error already.
    if ty != body.exprs[second].ty || !refusals.is_matrix(ty) {
        return;
    }
    let value = |expr| writing.value(refusals.module, refusals.function, body, expr);
    if let (Some(first), Some(second)) = (value(first), value(second)) {
        differ(refusals, body, &first, &second, place);
    }
}

fn against(
    refusals: &mut Refusals<'_>,
    body: &Body,
    writing: &Writing,
    declared: Option<Mention>,
    value: ExprId,
) {
    let Some(declared) = declared.filter(|declared| declared.ty == body.exprs[value].ty) else { return };
    if let Some(of_value) = writing.value(refusals.module, refusals.function, body, value) {
        differ(refusals, body, &declared, &of_value, value);
    }
}

fn differ(refusals: &mut Refusals<'_>, body: &Body, first: &Mention, second: &Mention, place: ExprId) {
    let arguments = first.arguments.into_iter().zip(second.arguments).enumerate();
    let Some((index, (a, b))) = arguments.into_iter().find(|(_, (a, b))| !a.is_same(*b)) else { return };
    let sym = match refusals.kind(first.ty) {
        TypeKind::Coopmat(matrix) => [matrix.scope, matrix.rows, matrix.columns, matrix.usage][index],
        TypeKind::CoopmatNv(matrix) => [matrix.bits, matrix.scope, matrix.rows, matrix.columns][index],
        _ => return,
    };
    let (a, b) = (refusals.text(body, a, Some(sym)), refusals.text(body, b, Some(sym)));
    let message = if a == b {
        format!(
            "glslang rejects this: it treats two matrices with the size {a} as different types: name it, `const uint SIZE = {a};`"
        )
    } else {
        format!(
            "glslang rejects this: it treats {a} and {b} as different sizes: write the same constant in both types"
        )
    };
    refusals.refuse(&codes::GLSLANG_MATRIX_SIZE, body.exprs[place].range, message);
}

impl Refusals<'_> {
    /// An argument as it is written, or what it is worth.
    fn text(&self, body: &Body, written: Written, size: Option<Sym>) -> String {
        match written {
            Written::Number(value) => value.to_string(),
            Written::Global(global) => self.module.globals[global].name.to_string(),
            Written::Local(local) => body.locals[local].name.to_string(),
            Written::Expression => {
                size.map_or_else(String::new, |size| self.module.types.symbols.display_value(size))
            }
        }
    }
}
