//! The length that an array lacks, or should have.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::TextEdit;
use coopmat_analysis::diagnostics::{Diagnostic, codes};
use coopmat_analysis::hir::{Callee, ExprKind, FunctionId, RemedyKind};
use coopmat_analysis::symbolic::Sym;
use coopmat_analysis::text::{FileRange, TextRange};
use coopmat_analysis::types::{ArrayLength, TypeKind};

use super::action::{Action, quick_fix};
use super::context::{Context, field_children, node_range};
use super::declaration;

pub fn fix(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    if diagnostic.code == &codes::ARRAY_SIZE {
        parameter(context, diagnostic, actions);
    } else if diagnostic.code == &codes::QCOM_VECTOR_LENGTH {
        conversion(context, diagnostic, actions);
    }
}

/// `float values[]` as a parameter gets the length of what is passed for it.
fn parameter(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    let module = &context.analysis.module;
    let found = module.functions.iter().find_map(|(id, function)| {
        let index = function
            .parameters
            .iter()
            .position(|parameter| context.analysis.file_range(parameter.range) == diagnostic.location)?;
        Some((id, index))
    });
    let Some((function, index)) = found else { return };
    let declared = &module.functions[function].parameters[index];
    let lengths = passed_lengths(context, function, index);
    let Some(node) = context.node(declared.range, &[kind::PARAMETER]) else { return };
    for length in lengths {
        let text = module.types.symbols.display(length);
        if let Some(edit) = sized(context, node, &text) {
            actions.push(quick_fix(format!("Give `{}` the length {text}", declared.name), true, vec![edit]));
        }
    }
}

/// Lengths of the arrays that calls pass.
fn passed_lengths(context: &Context<'_>, function: FunctionId, index: usize) -> Vec<Sym> {
    let module = &context.analysis.module;
    let mut lengths = Vec::new();
    for (body, _, _) in module.bodies() {
        for (_, expr) in body.exprs.iter() {
            let ExprKind::Call { callee, arguments } = &expr.kind else { continue };
            if *callee != Callee::Function(function) {
                continue;
            }
            let Some(&argument) = arguments.get(index) else { continue };
            // An argument that does not fit is replaced by an error; what it was is still there, at the same place.
            let range = body.exprs[argument].range;
            for (_, written) in body.exprs.iter().filter(|(_, written)| written.range == range) {
                if let TypeKind::Array(_, ArrayLength::Sized(length)) = *module.types.kind(written.ty)
                    && !lengths.contains(&length)
                {
                    lengths.push(length);
                }
            }
        }
    }
    lengths
}

/// An array of a QCOM conversion is declared with the length that the matrix needs.
fn conversion(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    let Some((cursor, found)) = context.expressions_at(diagnostic.location) else { return };
    let remedy = cursor.body.remedies.iter().find_map(|remedy| {
        let here = remedy.code == diagnostic.code
            && context.analysis.file_range(remedy.range + cursor.base) == diagnostic.location;
        match remedy.kind {
            RemedyKind::ArrayLength(length) if here => Some(length),
            _ => None,
        }
    });
    let Some(length) = remedy else { return };
    let text = context.analysis.module.types.symbols.display(length);
    let declared = found.into_iter().find_map(|expr| declaration::declared(&cursor, expr));
    let Some((definition, name)) = declared else { return };
    let Some(place) = context.analysis.module.definition_range(&definition, cursor.function) else { return };
    let kinds = [kind::DECLARATOR, kind::PARAMETER, kind::MEMBER_DECLARATION];
    let Some(node) = context.node(place, &kinds) else { return };
    if let Some(edit) = sized(context, node, &text) {
        actions.push(quick_fix(format!("Declare `{name}` with the length {text}"), true, vec![edit]));
    }
}

/// Writes a length into the first brackets of a declarator.
fn sized(context: &Context<'_>, node: Node<'_>, text: &str) -> Option<TextEdit> {
    let brackets = field_children(node, field::ARRAY)
        .into_iter()
        .next()
        .map(|brackets| (brackets, brackets.child_by_field_id(field::SIZE)))
        .or_else(|| {
            let ty = node
                .child_by_field_id(field::TYPE)
                .or_else(|| node.parent()?.child_by_field_id(field::TYPE))?;
            (ty.kind_id() == kind::SUBSCRIPT_EXPRESSION).then(|| (ty, ty.child_by_field_id(field::INDEX)))
        });
    let (brackets, size) = brackets?;
    if let Some(size) = size {
        return Some(TextEdit { range: context.editable(node_range(size))?, text: text.to_owned() });
    }
    let place = context.editable(node_range(brackets))?;
    let open = context.text(place).rfind('[')? as u32 + 1;
    let at = place.range.start() + coopmat_analysis::text::TextSize::new(open);
    Some(TextEdit {
        range: FileRange { file: place.file, range: TextRange::empty(at) },
        text: text.to_owned(),
    })
}
