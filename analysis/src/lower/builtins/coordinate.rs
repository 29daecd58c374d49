//! `coopMatGetCoordinateEXT(m, index)` of GL_EXT_cooperative_matrix_maintenance1, 8.X: the index is that of an element, in the range
//! [0, m.length()).

use crate::diagnostics::{Severity, codes};
use crate::hir::{Const, ExprId, ExprKind};
use crate::lower::Lowerer;
use crate::lower::call_site::CallSite;
use crate::types::Ty;

use super::matrix::{Operand, declarations, matrix_argument, shape_text};

pub(super) fn check(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let matrix = matrix_argument(lowerer, call, 0);
    if let (Some(matrix), Some(&index)) = (matrix, call.arguments.get(1)) {
        check_index(lowerer, &matrix, index);
    }
    call.result
}

/// How many elements an invocation has is decided when the pipeline is made, but it is one of the matrix's at most.
fn check_index(lowerer: &mut Lowerer<'_>, matrix: &Operand, index: ExprId) {
    // A negative number is large where it is unsigned.
    let written = match lowerer.body.exprs[index].kind {
        ExprKind::Convert { operand } => operand,
        _ => index,
    };
    let expr = &lowerer.body.exprs[written];
    let is_length = match expr.kind {
        ExprKind::Length { base } => lowerer.type_of(base) == matrix.ty,
        _ => false,
    };
    let (severity, message) = match expr.constant {
        _ if is_length => {
            let message = "the index of an element is less than `length()`, which is their number".to_owned();
            (codes::COOPMAT_ELEMENT_INDEX.severity, message)
        }
        Some(Const::Int(index)) if index < 0 => {
            (codes::COOPMAT_ELEMENT_INDEX.severity, format!("the index {index} is negative"))
        }
        Some(Const::Int(index)) => {
            let Some((severity, count)) = elements(lowerer, matrix).filter(|(_, count)| index >= *count)
            else {
                return;
            };
            let message = format!(
                "the index {index} is past the last element: a matrix of {} has {count} in all, and `length()` says how many of \
                 them an invocation has",
                shape_text(lowerer, matrix.matrix)
            );
            (severity, message)
        }
        _ => return,
    };
    let range = lowerer.range_of(index);
    let related = declarations(lowerer, &[matrix.expr]);
    lowerer.report_as(&codes::COOPMAT_ELEMENT_INDEX, severity, range, message, related);
}

/// The number of a matrix's elements; a hint where that depends on specialization.
fn elements(lowerer: &Lowerer<'_>, matrix: &Operand) -> Option<(Severity, i128)> {
    let symbols = &lowerer.types.symbols;
    let (rows, columns) = (matrix.matrix.rows, matrix.matrix.columns);
    let product = |rows: i64, columns: i64| i128::from(rows) * i128::from(columns);
    if let (Some(rows), Some(columns)) = (symbols.as_int(rows), symbols.as_int(columns)) {
        return Some((codes::COOPMAT_ELEMENT_INDEX.severity, product(rows, columns)));
    }
    let (rows, columns) =
        (lowerer.config.value_of(symbols, rows)?, lowerer.config.value_of(symbols, columns)?);
    Some((Severity::Hint, product(rows, columns)))
}
