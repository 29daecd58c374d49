//! An accumulator, or a cooperative vector, that is used before anything is written to it: zero where it is declared.

use tree_sitter_glsl_coopmat::{field, kind};

use crate::{Cursor, TextEdit};
use coopmat_analysis::diagnostics::{Diagnostic, codes};
use coopmat_analysis::extensions::values;
use coopmat_analysis::hir::{Definition, ExprId, ExprKind, LocalId};
use coopmat_analysis::text::{FileRange, TextRange};
use coopmat_analysis::types::TypeKind;

use super::action::{Action, quick_fix};
use super::context::{Context, node_range};
use super::declaration;

pub fn fix(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    if diagnostic.code != &codes::COOPMAT_UNWRITTEN {
        return;
    }
    let Some((cursor, found)) = context.expressions_at(diagnostic.location) else { return };
    let named = found.into_iter().find_map(|expr| match cursor.body.exprs[expr].kind {
        ExprKind::Local(local) => Some(local),
        _ => None,
    });
    let Some(local) = named else { return };
    let declared = &cursor.body.locals[local];
    let types = &context.analysis.module.types;
    // Sums start at zero; what is missing of a factor is the load. Arrays and structures take more than one value.
    let (component, is_sum) = match *types.kind(declared.ty) {
        TypeKind::Coopmat(matrix)
            if types.symbols.as_int(matrix.usage) == Some(values::GL_MATRIX_USE_ACCUMULATOR) =>
        {
            (matrix.component, true)
        }
        TypeKind::CoopVec(component, _) => (component, is_added_to(&cursor, local)),
        _ => return,
    };
    let definition = Definition::Local(local);
    let Some(name) = context.analysis.module.definition_range(&definition, cursor.function) else { return };
    let Some(declarator) = context.node(name, &[kind::DECLARATOR]) else { return };
    let Some(ty) = declaration::type_node(context, &cursor, &definition) else { return };
    // A macro stands for the type here as it does there.
    let ty = node_range(ty);
    let (Some(written), Some(place)) = (
        context.editable(ty).or_else(|| declaration::whole_macro(context, ty)),
        context.editable(node_range(declarator)),
    ) else {
        return;
    };
    if declarator.child_by_field_id(field::VALUE).is_some() {
        return;
    }
    let zero = if component.is_float() { "0.0" } else { "0" };
    let edit = TextEdit {
        range: FileRange { file: place.file, range: TextRange::empty(place.range.end()) },
        text: format!(" = {}({zero})", context.text(written)),
    };
    actions.push(quick_fix(format!("Initialize `{}` to zero", declared.name), is_sum, vec![edit]));
}

/// Whether an assignment computes a variable from itself, so that zero is what it starts from. Otherwise a load may be what is missing.
fn is_added_to(cursor: &Cursor<'_>, local: LocalId) -> bool {
    let body = cursor.body;
    let is_it = |expr: ExprId| matches!(body.exprs[expr].kind, ExprKind::Local(found) if found == local);
    body.exprs.iter().any(|(_, expr)| match expr.kind {
        ExprKind::Assign { op, target, value } if is_it(target) => {
            let mut mentions = op.is_some();
            let mut stack = vec![value];
            while let Some(expr) = stack.pop() {
                mentions |= is_it(expr);
                body.exprs[expr].kind.operands(&mut stack);
            }
            mentions
        }
        _ => false,
    })
}
