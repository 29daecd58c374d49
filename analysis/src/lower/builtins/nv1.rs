//! GL_NV_cooperative_matrix and GL_NV_integer_cooperative_matrix: the older types, without a use.

use crate::diagnostics::codes;
use crate::extensions;
use crate::lower::Lowerer;
use crate::lower::call_site::CallSite;
use crate::types::{CoopmatNv, Scalar, ScalarClass, ScalarClassNv, Ty, TypeKind};

use super::matrix::{
    Relation, constant_of, declarations, relation, report_relation, report_sizes, scope_text, size_text,
};
use super::memory::{self, Element};

/// `coopMatLoadNV(m, buf, element, stride, colMajor)` and the store of the same arguments.
pub(super) fn access(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>, store: bool) -> Ty {
    let function = extensions::function(call.function).name;
    let matrix = operand(lowerer, call, 0);
    let Some(&buffer) = call.arguments.get(1) else { return call.result };
    memory::check_place(lowerer, buffer, function, store);
    let element = memory::check_element(lowerer, buffer, call.arguments.get(2).copied(), function, false);
    if let (Some((_, matrix)), Some(element)) = (matrix, element)
        && !has_overload(matrix.class, element)
    {
        let taken = match matrix.class {
            ScalarClassNv::Float => "floats of 16 to 64 bits, unsigned integers, `uvec2` or `uvec4`",
            ScalarClassNv::Signed | ScalarClassNv::Unsigned => {
                "integers, `ivec2`, `ivec4`, `uvec2` or `uvec4`"
            }
        };
        let (range, found) = (lowerer.range_of(buffer), lowerer.display(element.ty));
        let kind = class_text(matrix.class);
        lowerer.report(
            &codes::COOPMAT_MEMORY_ELEMENT,
            range,
            format!(
                "`{function}` with an `{kind}` takes an array of {taken}, but its elements are `{found}`"
            ),
        );
    }
    if let Some(&column_major) = call.arguments.get(4)
        && constant_of(lowerer, column_major).is_none()
    {
        let range = lowerer.range_of(column_major);
        lowerer.report(
            &codes::COOPMAT_LAYOUT_CONSTANT,
            range,
            "`colMajor` must be a constant expression".to_owned(),
        );
    }
    call.result
}

/// Whether 8.X of GL_NV_cooperative_matrix lists a load and a store between such a matrix and such elements.
fn has_overload(class: ScalarClassNv, element: Element) -> bool {
    match (element.component.class(), element.count) {
        (ScalarClass::Unsigned, 1) => true,
        (ScalarClass::Float, 1) => class == ScalarClassNv::Float,
        (ScalarClass::Signed, 1) => class != ScalarClassNv::Float,
        (_, 2 | 4) => match element.component {
            Scalar::Uint32 => true,
            Scalar::Int32 => class != ScalarClassNv::Float,
            _ => false,
        },
        _ => false,
    }
}

fn operand(
    lowerer: &mut Lowerer<'_>,
    call: &CallSite<'_>,
    index: usize,
) -> Option<(crate::hir::ExprId, CoopmatNv)> {
    let &expr = call.arguments.get(index)?;
    let ty = lowerer.type_of(expr);
    match *lowerer.types.kind(ty) {
        TypeKind::CoopmatNv(matrix) => Some((expr, matrix)),
        TypeKind::Error | TypeKind::NotAnalysed(_) => None,
        _ => {
            let (range, found) = (lowerer.range_of(expr), lowerer.display(ty));
            lowerer.report(
                &codes::COOPMAT_ARGUMENT,
                range,
                format!("expected a cooperative matrix of GL_NV_cooperative_matrix, but this is `{found}`"),
            );
            None
        }
    }
}

fn class_text(class: ScalarClassNv) -> &'static str {
    match class {
        ScalarClassNv::Float => "fcoopmatNV",
        ScalarClassNv::Signed => "icoopmatNV",
        ScalarClassNv::Unsigned => "ucoopmatNV",
    }
}

/// `coopMatMulAddNV(A, B, C)`.
pub(super) fn mul_add(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let operands = [0, 1, 2].map(|index| operand(lowerer, call, index));
    if let [Some((a_expr, a)), b, c] = operands {
        for (other, name) in [(b, "B"), (c, "C")] {
            let Some((expr, other)) = other else { continue };
            let range = lowerer.range_of(expr);
            if other.class != a.class {
                let related = declarations(lowerer, &[a_expr, expr]);
                let message = format!(
                    "A is an {} but {name} is an {}: all three must be of the same kind",
                    class_text(a.class),
                    class_text(other.class)
                );
                lowerer.report_with(&codes::COOPMAT_NV_OPERAND, range, message, related);
            }
            let scopes = relation(lowerer, a.scope, other.scope);
            if scopes.differs_by_default() {
                let message = format!(
                    "A has scope {} but {name} has {}: the operands of a multiply-add must have the same scope",
                    scope_text(lowerer, a.scope),
                    scope_text(lowerer, other.scope)
                );
                report_relation(
                    lowerer,
                    &codes::COOPMAT_MULADD_SCOPE,
                    scopes,
                    range,
                    message,
                    &[a_expr, expr],
                );
            }
        }
    }
    let pairs = [
        (operands[0], operands[1], "A's columns", "B's rows"),
        (operands[2], operands[0], "C's rows", "A's rows"),
        (operands[2], operands[1], "C's columns", "B's columns"),
    ];
    for (first, second, first_name, second_name) in pairs {
        let (Some((first_expr, first)), Some((second_expr, second))) = (first, second) else { continue };
        let (have, want) = match (first_name, second_name) {
            ("A's columns", _) => (first.columns, second.rows),
            ("C's rows", _) => (first.rows, second.rows),
            _ => (first.columns, second.columns),
        };
        let sizes = relation(lowerer, have, want);
        if matches!(sizes, Relation::Different | Relation::Depends { .. }) {
            // The message stands at the operand on the right of A, or at C.
            let place = if first_name == "A's columns" { second_expr } else { first_expr };
            let range = lowerer.range_of(place);
            let depends = if sizes == Relation::Different { "" } else { ", which depends on specialization" };
            let message = format!(
                "{first_name} ({}) must equal {second_name} ({}){depends}",
                size_text(lowerer, have),
                size_text(lowerer, want)
            );
            report_sizes(
                lowerer,
                &codes::COOPMAT_MULADD_SHAPE,
                (have, want),
                range,
                message,
                &[first_expr, second_expr],
            );
        }
    }
    operands[2].map_or(Ty::ERROR, |(expr, _)| lowerer.type_of(expr))
}
