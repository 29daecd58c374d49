//! Changes what a variable is declared as: one argument of its matrix type, wherever that is written.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::{Cursor, TextEdit};
use coopmat_analysis::hir::{Definition, ExprId, ExprKind};
use coopmat_analysis::text::{FileRange, TextRange};
use coopmat_analysis::types::Ty;

use super::context::{Context, field_children, node_range};

/// The places of a coopmat type's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    Rows = 2,
    Columns = 3,
    Use = 4,
}

/// What an operand names, through indices and members.
pub fn declared(cursor: &Cursor<'_>, expr: ExprId) -> Option<(Definition, String)> {
    let module = &cursor.analysis.module;
    let mut expr = expr;
    loop {
        match &cursor.body.exprs[expr].kind {
            ExprKind::Index { base, .. } => expr = *base,
            ExprKind::Convert { operand } => expr = *operand,
            ExprKind::Local(local) => {
                return Some((Definition::Local(*local), cursor.body.locals[*local].name.to_string()));
            }
            ExprKind::Global(global) => {
                return Some((Definition::Global(*global), module.globals[*global].name.to_string()));
            }
            ExprKind::Member { structure, member, .. } => {
                let name = &module.structs[*structure].members.get(*member as usize)?.name;
                return Some((Definition::Member(*structure, *member), name.to_string()));
            }
            _ => return None,
        }
    }
}

/// The node that gives a definition its type.
pub fn type_node<'a>(
    context: &Context<'a>,
    cursor: &Cursor<'_>,
    definition: &Definition,
) -> Option<Node<'a>> {
    let name = context.analysis.module.definition_range(definition, cursor.function)?;
    let kinds = [kind::DECLARATION, kind::PARAMETER, kind::MEMBER_DECLARATION, kind::CONDITION_DECLARATION];
    let declaration = context.node(name, &kinds)?;
    declaration.child_by_field_id(field::TYPE)
}

/// The edits that give a matrix's declaration another argument: in its type, and in constructors of the same type that initialise it.
/// A type that a macro stands for is written out.
pub fn change(
    context: &Context<'_>,
    cursor: &Cursor<'_>,
    definition: &Definition,
    ty: Ty,
    argument: Argument,
    text: &str,
) -> Option<Vec<TextEdit>> {
    let node = type_node(context, cursor, definition)?;
    let mut edits = vec![in_type(context, node, ty, argument, text)?];
    // `coopmat<...> m = coopmat<...>(0.0)`: the constructor has to follow.
    for declarator in field_children(node.parent()?, field::DECLARATOR) {
        let Some(value) = declarator.child_by_field_id(field::VALUE) else { continue };
        if value.kind_id() == kind::CALL_EXPRESSION
            && let Some(function) = value.child_by_field_id(field::FUNCTION)
            && constructs(context, node_range(value), ty)
        {
            edits.push(in_type(context, function, ty, argument, text)?);
        }
    }
    edits.dedup();
    Some(edits)
}

/// Whether the expression at a range of the expanded text has this type, and is a constructor.
fn constructs(context: &Context<'_>, range: TextRange, ty: Ty) -> bool {
    let cursor = Cursor::new(context.analysis, range.start());
    cursor.body.exprs.iter().any(|(_, expr)| {
        expr.range + cursor.base == range && matches!(expr.kind, ExprKind::Construct { .. }) && expr.ty == ty
    })
}

fn in_type(
    context: &Context<'_>,
    node: Node<'_>,
    ty: Ty,
    argument: Argument,
    text: &str,
) -> Option<TextEdit> {
    let mut node = node;
    while node.kind_id() == kind::SUBSCRIPT_EXPRESSION {
        node = node.child_by_field_id(field::BASE)?;
    }
    if node.kind_id() != kind::GENERIC_TYPE {
        return None;
    }
    let written = field_children(node, field::ARGUMENT).into_iter().nth(argument as usize)?;
    if let Some(range) = context.editable(node_range(written)) {
        return Some(TextEdit { range, text: text.to_owned() });
    }
    let range = whole_macro(context, node_range(node))?;
    Some(TextEdit { range, text: with_argument(context, ty, argument, text) })
}

/// The macro call that stands for exactly this range of the expanded text.
pub fn whole_macro(context: &Context<'_>, range: TextRange) -> Option<FileRange> {
    let uses = &context.analysis.preprocessed.macro_uses;
    uses.iter().find(|usage| usage.expanded == Some(range)).map(|usage| usage.range)
}

fn with_argument(context: &Context<'_>, ty: Ty, argument: Argument, text: &str) -> String {
    let shown = context.code(ty);
    let inside = shown.trim_start_matches("coopmat<").trim_end_matches('>');
    let mut arguments: Vec<&str> = inside.split(", ").collect();
    if let Some(place) = arguments.get_mut(argument as usize) {
        *place = text;
    }
    format!("coopmat<{}>", arguments.join(", "))
}
