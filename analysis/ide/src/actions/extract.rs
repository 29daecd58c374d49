//! Gives the selected expression a name: a variable before its statement, or a constant before its function.

use tree_sitter_glsl_coopmat::{field, kind};

use crate::edit::line_end_of;
use crate::{Cursor, TextEdit};
use coopmat_analysis::extensions::ParameterDirection;
use coopmat_analysis::hir::{Body, Callee, Direction, ExprId, ExprKind, Module, StructKind};
use coopmat_analysis::lower::{Environment, Prelude};
use coopmat_analysis::text::{FileRange, TextRange, TextSize};
use coopmat_analysis::types::{Ty, TypeKind};

use super::action::{self, Action, ActionKind};
use super::context::{Context, node_range, subtree, unconverted};

pub fn rewrite(context: &Context<'_>, actions: &mut Vec<Action>) {
    let Some(selection) = trimmed(context) else { return };
    let Some((cursor, found)) = context.expressions_at(selection) else { return };
    // Outermost first: the value as it is written lies below its implicit conversions.
    let Some(&expr) = found.last() else { return };
    let outermost = found.first().copied().unwrap_or(expr);
    if !is_value(context, &cursor, expr, outermost) || context.editable_expr(&cursor, expr) != Some(selection)
    {
        return;
    }
    let ty = cursor.body.exprs[expr].ty;
    // What GL_EXT_shader_16bit_storage alone brings has no variables.
    let analysis = context.analysis;
    let mut environment = Environment::new(&Prelude::new(&analysis.config, &analysis.preprocessed));
    environment.advance(cursor.body.exprs[expr].range.start() + cursor.base);
    if !environment.allows_variables_of(&analysis.module, ty) {
        return;
    }
    let text = context.text(selection);
    let name = fresh_name(context, &cursor, expr);
    if cursor.function.is_some()
        && moves_safely(cursor.body, expr)
        && let Some(statement) = statement(context, &cursor, expr)
    {
        // What has to be constant where it stands has to be so under its name.
        let constant = if cursor.body.exprs[expr].constant.is_some() { "const " } else { "" };
        let declaration = format!("{constant}{} {name} = {text};", context.code(ty));
        if let Some(edits) = before(context, statement, selection, &declaration, &name) {
            actions.push(action::rewrite("Extract into a variable".to_owned(), ActionKind::Extract, edits));
        }
    }
    // What a specialization constant decides is not known before the pipeline is made, but it is constant all the same. A value with
    // names of the function in it cannot leave the function.
    if let Some(function) = cursor.function
        && cursor.body.exprs[expr].constant.is_some()
        && !subtree(cursor.body, expr)
            .iter()
            .any(|&id| matches!(cursor.body.exprs[id].kind, ExprKind::Local(_)))
        && context.analysis.module.types.as_coopmat(ty).is_none()
    {
        let name = name.to_uppercase();
        let declaration =
            format!("const {} {name} = {text};{}", context.code(ty), line_end_of(context.file_text()));
        let range = context.analysis.module.functions[function].range;
        if let Some(edits) = before(context, range, selection, &declaration, &name) {
            actions.push(action::rewrite("Extract into a constant".to_owned(), ActionKind::Extract, edits));
        }
    }
}

/// The selection without white space at its ends; `None` for a cursor.
fn trimmed(context: &Context<'_>) -> Option<FileRange> {
    let text = context.text(context.range);
    let start = text.len() - text.trim_start().len();
    let end = text.trim_end().len();
    if end <= start {
        return None;
    }
    let from = context.range.range.start();
    let range = TextRange::new(from + TextSize::new(start as u32), from + TextSize::new(end as u32));
    Some(FileRange { file: context.range.file, range })
}

/// Whether the expression gives a value that a variable can hold, and only its value is wanted where it stands.
fn is_value(context: &Context<'_>, cursor: &Cursor<'_>, expr: ExprId, outermost: ExprId) -> bool {
    let body = cursor.body;
    if !can_hold(&context.analysis.module, body.exprs[expr].ty) {
        return false;
    }
    if matches!(
        body.exprs[expr].kind,
        ExprKind::FunctionName { .. }
            | ExprKind::String(_)
            | ExprKind::InitializerList { .. }
            | ExprKind::Error
    ) {
        return false;
    }
    // Places that are written or whose address is taken have to stay what they are.
    !body.exprs.iter().any(|(_, parent)| match &parent.kind {
        ExprKind::Assign { target, .. } => within(body, *target, expr),
        ExprKind::IncDec { operand, .. } => within(body, *operand, expr),
        ExprKind::Call { callee, arguments } => arguments.iter().enumerate().any(|(index, &argument)| {
            (argument == expr || argument == outermost || unconverted(body, argument) == expr)
                && takes_place(context, callee, index)
        }),
        _ => false,
    })
}

fn within(body: &Body, place: ExprId, expr: ExprId) -> bool {
    let mut at = place;
    loop {
        if at == expr {
            return true;
        }
        match body.exprs[at].kind {
            ExprKind::Member { base, .. } | ExprKind::Swizzle { base, .. } | ExprKind::Index { base, .. } => {
                at = base;
            }
            _ => return false,
        }
    }
}

fn takes_place(context: &Context<'_>, callee: &Callee, index: usize) -> bool {
    match callee {
        Callee::Function(function) => context.analysis.module.functions[*function]
            .parameters
            .get(index)
            .is_some_and(|parameter| parameter.direction != Direction::In),
        Callee::Builtin(id) => coopmat_analysis::extensions::function(*id)
            .parameters
            .get(index)
            .is_some_and(|parameter| parameter.memory || parameter.direction != ParameterDirection::In),
    }
}

fn can_hold(module: &Module, ty: Ty) -> bool {
    match module.types.kind(ty) {
        TypeKind::Scalar(_)
        | TypeKind::Vector(..)
        | TypeKind::LongVector(..)
        | TypeKind::CoopVec(..)
        | TypeKind::Matrix { .. }
        | TypeKind::Reference(_)
        | TypeKind::Coopmat(_)
        | TypeKind::CoopmatNv(_)
        | TypeKind::TensorLayout { .. }
        | TypeKind::TensorView { .. } => true,
        // A block is no type of variables.
        TypeKind::Struct(id) => matches!(module.structs[*id].kind, StructKind::Plain),
        // A copy of a whole array is seldom what is meant.
        TypeKind::Array(..)
        | TypeKind::Error
        | TypeKind::Void
        | TypeKind::Opaque(_)
        | TypeKind::FunctionName
        | TypeKind::String
        | TypeKind::NotAnalysed(_) => false,
    }
}

/// The statement of a block that holds the expression, when the expression is evaluated once and first thing in it.
fn statement(context: &Context<'_>, cursor: &Cursor<'_>, expr: ExprId) -> Option<TextRange> {
    let nodes = context.nodes(cursor.body.exprs[expr].range + cursor.base);
    for pair in nodes.windows(2) {
        let &[at, parent] = pair else { break };
        match parent.kind_id() {
            kind::COMPOUND_STATEMENT => return Some(node_range(at)),
            // Evaluated again and again, or only sometimes.
            kind::FOR_STATEMENT | kind::WHILE_STATEMENT | kind::DO_STATEMENT => return None,
            kind::SWITCH_STATEMENT | kind::IF_STATEMENT => {
                let condition = parent.child_by_field_id(field::CONDITION)?;
                if condition.id() != at.id() {
                    return None;
                }
            }
            kind::CONDITIONAL_EXPRESSION => {
                let condition = parent.child_by_field_id(field::CONDITION)?;
                if condition.id() != at.id() {
                    return None;
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether evaluating the expression earlier in its statement changes nothing: it does nothing itself.
fn moves_safely(body: &Body, expr: ExprId) -> bool {
    !subtree(body, expr).iter().any(|&id| {
        matches!(body.exprs[id].kind, ExprKind::Assign { .. } | ExprKind::IncDec { .. } | ExprKind::Error)
    })
}

/// A declaration on a line of its own before a range of the expanded text, and the name in place of the selection.
fn before(
    context: &Context<'_>,
    statement: TextRange,
    selection: FileRange,
    declaration: &str,
    name: &str,
) -> Option<Vec<TextEdit>> {
    let place = context.editable(statement)?;
    if place.file != selection.file {
        return None;
    }
    let text = context.file_text();
    let start = usize::from(place.range.start());
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let lead = &text[line_start..start];
    let indent = if lead.trim().is_empty() { lead } else { "" };
    let separator = if lead.trim().is_empty() { line_end_of(text) } else { " " };
    let range = FileRange { file: place.file, range: TextRange::empty(place.range.start()) };
    Some(vec![
        TextEdit { range, text: format!("{declaration}{separator}{indent}") },
        TextEdit { range: selection, text: name.to_owned() },
    ])
}

/// A name that means nothing yet, after what the expression is.
fn fresh_name(context: &Context<'_>, cursor: &Cursor<'_>, expr: ExprId) -> String {
    let (body, module) = (cursor.body, &context.analysis.module);
    let base = match &body.exprs[expr].kind {
        ExprKind::Member { structure, member, .. } => {
            module.structs[*structure].members.get(*member as usize).map(|member| member.name.to_string())
        }
        ExprKind::Length { .. } => Some("length".to_owned()),
        ExprKind::Index { .. } => Some("element".to_owned()),
        _ if module.types.as_coopmat(body.exprs[expr].ty).is_some() => Some("matrix".to_owned()),
        _ => None,
    };
    let base = base.unwrap_or_else(|| "value".to_owned());
    let text = &context.analysis.preprocessed.text;
    let taken = |name: &str| {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .any(|word| word == name || word == name.to_uppercase())
    };
    if !taken(&base) {
        return base;
    }
    (2..).map(|number| format!("{base}{number}")).find(|name| !taken(name)).unwrap_or(base)
}
