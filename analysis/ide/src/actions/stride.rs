//! A stride that is shorter than a row: the row's length, in elements of the array.

use crate::{Cursor, TextEdit};
use coopmat_analysis::diagnostics::{Diagnostic, codes};
use coopmat_analysis::display::size_code;
use coopmat_analysis::extensions::Rule;
use coopmat_analysis::extensions::values::{
    GL_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR as COLUMN_MAJOR,
    GL_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR as ROW_MAJOR,
};
use coopmat_analysis::hir::{Const, ExprId};
use coopmat_analysis::types::{Ty, TypeKind};

use super::action::{Action, quick_fix};
use super::context::{Context, call_of, unconverted};

pub fn fix(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    if diagnostic.code != &codes::COOPMAT_STRIDE {
        return;
    }
    let Some((cursor, found)) = context.expressions_at(diagnostic.location) else { return };
    for expr in found {
        let Some(call) = call_of(cursor.body, expr) else { continue };
        if !matches!(call.rule(), Some(Rule::CoopMatLoad | Rule::CoopMatStore)) {
            continue;
        }
        let (Some(range), &[matrix, buffer, _, _, layout, ..]) =
            (context.editable_expr(&cursor, expr), call.arguments)
        else {
            return;
        };
        let layout = layout_of(&cursor, layout);
        // A stride of interleaved blocks counts those.
        if !matches!(layout, Some(ROW_MAJOR | COLUMN_MAJOR)) {
            return;
        }
        let column_major = layout == Some(COLUMN_MAJOR);
        if let Some(text) = line_length(context, &cursor, matrix, buffer, column_major) {
            let line = if column_major { "column" } else { "row" };
            let title = format!("Set the stride to the length of a {line}, {text}");
            actions.push(quick_fix(title, true, vec![TextEdit { range, text }]));
        }
        return;
    }
}

fn layout_of(cursor: &Cursor<'_>, layout: ExprId) -> Option<i64> {
    match cursor.body.exprs[unconverted(cursor.body, layout)].constant.as_ref()? {
        Const::Int(value) => i64::try_from(*value).ok(),
        _ => None,
    }
}

/// Elements of the array that a line of the matrix takes, as text.
fn line_length(
    context: &Context<'_>,
    cursor: &Cursor<'_>,
    matrix: ExprId,
    buffer: ExprId,
    column_major: bool,
) -> Option<String> {
    let types = &context.analysis.module.types;
    let matrix = types.as_coopmat(cursor.body.exprs[matrix].ty)?;
    let line = if column_major { matrix.rows } else { matrix.columns };
    let element = element_bytes(context, cursor.body.exprs[buffer].ty)?;
    let component = matrix.component.bytes();
    let symbols = &types.symbols;
    if let Some(count) = symbols.as_int(line) {
        return Some(u32::try_from(count).ok()?.checked_mul(component)?.div_ceil(element).to_string());
    }
    let shown = size_code(symbols, line);
    // A size that is not known yet is written as what it depends on, as long as whole elements come out.
    let value = u32::try_from(context.analysis.config.value_of(symbols, line)?).ok()?;
    if element == component {
        Some(shown)
    } else if element.is_multiple_of(component) && value.is_multiple_of(element / component) {
        Some(format!("{shown} / {}", element / component))
    } else if component.is_multiple_of(element) {
        Some(format!("{shown} * {}", component / element))
    } else {
        None
    }
}

fn element_bytes(context: &Context<'_>, ty: Ty) -> Option<u32> {
    let types = &context.analysis.module.types;
    let element = match types.kind(ty) {
        TypeKind::Array(element, _) => *element,
        _ => ty,
    };
    let (scalar, length) = types.as_vector(element)?;
    scalar.bytes().checked_mul(length).filter(|&bytes| bytes > 0)
}
