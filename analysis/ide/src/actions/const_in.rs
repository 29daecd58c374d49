//! Parameters of combine, element and decode functions become `const in` (GL_NV_cooperative_matrix2, section 8.X).

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::kind;

use crate::TextEdit;
use coopmat_analysis::diagnostics::{Diagnostic, codes};
use coopmat_analysis::hir::{ExprKind, Function};
use coopmat_analysis::text::{FileRange, TextRange};

use super::action::{Action, quick_fix};
use super::context::{Context, node_range};

pub fn fix(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    if diagnostic.code != &codes::NV_CALLBACK_PARAMETER {
        return;
    }
    let Some(function) = named_function(context, diagnostic.location) else { return };
    let mut edits = Vec::new();
    for declared in function.prototypes.iter().copied().chain([function.name_range]) {
        let Some(list) = parameter_list(context, declared) else { return };
        let mut walk = list.walk();
        for parameter in list.named_children(&mut walk).filter(|node| node.kind_id() == kind::PARAMETER) {
            match const_in(context, parameter) {
                Some(edit) if !edits.contains(&edit) => edits.push(edit),
                _ => {}
            }
        }
    }
    let title = format!("Make the parameters of `{}` `const in`", function.name);
    // What the body writes, or gives back, needs a variable then.
    let parameters =
        function.body.iter().flat_map(|body| body.locals.values().filter(|local| local.parameter));
    let reads = parameters.into_iter().all(|local| !local.written);
    actions.push(quick_fix(title, reads, edits));
}

/// The function that an argument names.
pub(super) fn named_function<'a>(context: &Context<'a>, place: FileRange) -> Option<&'a Function> {
    let (cursor, found) = context.expressions_at(place)?;
    let named = found.into_iter().find_map(|expr| match cursor.body.exprs[expr].kind {
        ExprKind::FunctionName { function, .. } => function,
        _ => None,
    });
    named.map(|function| &context.analysis.module.functions[function])
}

pub(super) fn parameter_list<'a>(context: &Context<'a>, declared: TextRange) -> Option<Node<'a>> {
    let function = context.node(declared, &[kind::FUNCTION_DEFINITION, kind::FUNCTION_DECLARATION])?;
    let mut walk = function.walk();
    function.named_children(&mut walk).find(|node| node.kind_id() == kind::PARAMETER_LIST)
}

/// `const in` for a parameter that has no `const` yet, in place of another direction.
fn const_in(context: &Context<'_>, parameter: Node<'_>) -> Option<TextEdit> {
    let text = &context.analysis.preprocessed.text;
    let mut walk = parameter.walk();
    let qualifiers: Vec<Node<'_>> =
        parameter.named_children(&mut walk).filter(|node| node.kind_id() == kind::QUALIFIER).collect();
    let word = |node: &Node<'_>| text.get(node.byte_range()).unwrap_or_default();
    if qualifiers.iter().any(|node| word(node) == "const") {
        return None;
    }
    if let Some(direction) = qualifiers.iter().find(|node| matches!(word(node), "in" | "out" | "inout")) {
        let range = context.editable(node_range(*direction))?;
        return Some(TextEdit { range, text: "const in".to_owned() });
    }
    let place = context.editable(node_range(parameter))?;
    let range = FileRange { file: place.file, range: TextRange::empty(place.range.start()) };
    Some(TextEdit { range, text: "const in ".to_owned() })
}
