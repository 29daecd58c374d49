//! Operands of a multiply-add in the wrong order, with the wrong use or of the wrong shape.

use crate::Cursor;
use coopmat_analysis::diagnostics::{Diagnostic, codes};
use coopmat_analysis::display::size_code;
use coopmat_analysis::extensions::{BuiltinConstantId, Rule, constants, values};
use coopmat_analysis::hir::ExprId;
use coopmat_analysis::symbolic::Sym;
use coopmat_analysis::types::{Coopmat, Ty, TypeKind};

use super::action::{Action, quick_fix};
use super::context::{Call, Context, call_of};
use super::declaration::{self, Argument};

/// The uses of A, B and C (GL_KHR_cooperative_matrix, section 8.X).
const USES: [i64; 3] = [values::GL_MATRIX_USE_A, values::GL_MATRIX_USE_B, values::GL_MATRIX_USE_ACCUMULATOR];
pub(super) const USE_CONSTANTS: [BuiltinConstantId; 3] =
    [constants::GL_MATRIX_USE_A, constants::GL_MATRIX_USE_B, constants::GL_MATRIX_USE_ACCUMULATOR];
const NAMES: [&str; 3] = ["A", "B", "C"];

pub fn fix(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    let wrong_use = diagnostic.code == &codes::COOPMAT_OPERAND_USE;
    if !wrong_use && diagnostic.code != &codes::COOPMAT_MULADD_SHAPE {
        return;
    }
    let Some((cursor, found)) = context.expressions_at(diagnostic.location) else { return };
    let Some((expr, call)) = found.into_iter().find_map(|expr| {
        let call = call_of(cursor.body, expr)?;
        (call.rule() == Some(Rule::CoopMatMulAdd)).then_some((expr, call))
    }) else {
        return;
    };
    let Some(operands) = operands(&cursor, &call) else { return };
    let Some(index) = operands.iter().position(|operand| operand.expr == expr) else { return };
    if wrong_use {
        let wanted =
            context.analysis.module.types.symbols.as_int(operands[index].matrix.usage) != Some(USES[index]);
        if wanted {
            change_use(context, &cursor, &operands[index], index, actions);
        }
    } else {
        change_shape(context, &cursor, &operands, index, &diagnostic.message, actions);
    }
}

#[derive(Clone, Copy)]
struct Operand {
    expr: ExprId,
    ty: Ty,
    matrix: Coopmat,
}

fn operands(cursor: &Cursor<'_>, call: &Call<'_>) -> Option<[Operand; 3]> {
    let types = &cursor.analysis.module.types;
    let operand = |index: usize| {
        let &expr = call.arguments.get(index)?;
        let ty = cursor.body.exprs[expr].ty;
        match *types.kind(ty) {
            TypeKind::Coopmat(matrix) => Some(Operand { expr, ty, matrix }),
            _ => None,
        }
    };
    Some([operand(0)?, operand(1)?, operand(2)?])
}

fn change_use(
    context: &Context<'_>,
    cursor: &Cursor<'_>,
    operand: &Operand,
    index: usize,
    actions: &mut Vec<Action>,
) {
    let Some((definition, name)) = declaration::declared(cursor, operand.expr) else { return };
    let text = USE_CONSTANTS[index].name();
    if let Some(edits) = declaration::change(context, cursor, &definition, operand.ty, Argument::Use, text) {
        actions.push(quick_fix(format!("Declare `{name}` with `{text}`"), false, edits));
    }
}

/// Of the two sizes that have to be equal, either can follow the other.
fn change_shape(
    context: &Context<'_>,
    cursor: &Cursor<'_>,
    operands: &[Operand; 3],
    index: usize,
    message: &str,
    actions: &mut Vec<Action>,
) {
    let [a, b, c] = operands.map(|operand| operand.matrix);
    // Which rule the message is about: the diagnostic stands at B for K, at C for M and N.
    let (first, second) = match index {
        1 => ((0, Argument::Columns, a.columns), (1, Argument::Rows, b.rows)),
        2 if message.contains("A's rows") => ((2, Argument::Rows, c.rows), (0, Argument::Rows, a.rows)),
        2 => ((2, Argument::Columns, c.columns), (1, Argument::Columns, b.columns)),
        _ => return,
    };
    for ((operand, argument, _), (_, _, size)) in [(second, first), (first, second)] {
        let size: Sym = size;
        let text = size_code(&context.analysis.module.types.symbols, size);
        let operand = (operands[operand], NAMES[operand]);
        let Some((definition, name)) = declaration::declared(cursor, operand.0.expr) else { continue };
        let what = if argument == Argument::Rows { "rows" } else { "columns" };
        if let Some(edits) = declaration::change(context, cursor, &definition, operand.0.ty, argument, &text)
        {
            actions.push(quick_fix(
                format!("Declare {} (`{name}`) with {text} {what}", operand.1),
                false,
                edits,
            ));
        }
    }
}
