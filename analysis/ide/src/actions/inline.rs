//! Puts the value of a variable or constant where its name stands, and takes the declaration away.
//!
//! Only where that keeps the meaning: the variable has one value, given where it is declared, and that value depends on nothing that
//! changes.

use tree_sitter_glsl_coopmat::{field, kind};

use crate::{Cursor, TextEdit};
use coopmat_analysis::hir::{Body, Definition, ExprId, ExprKind, GlobalId, LocalId, StmtKind, Storage};
use coopmat_analysis::text::{FileRange, TextRange, TextSize};

use super::action::{self, Action, ActionKind};
use super::context::{Context, field_children, node_range, subtree};

/// A value that is written in more places than this is better left named.
const MOST_USES: usize = 200;

pub fn rewrite(context: &Context<'_>, actions: &mut Vec<Action>) {
    let found = context.cursors(context.range).find_map(|cursor| match cursor.name()?.1 {
        Definition::Local(local) => inline_local(context, &cursor, local),
        Definition::Global(global) => inline_global(context, global),
        _ => None,
    });
    actions.extend(found);
}

fn inline_local(context: &Context<'_>, cursor: &Cursor<'_>, local: LocalId) -> Option<Action> {
    let body = cursor.body;
    let declared = &body.locals[local];
    if declared.parameter {
        return None;
    }
    let initializer = body.stmts.iter().find_map(|(_, stmt)| match stmt.kind {
        StmtKind::Declare { local: found, initializer } if found == local => initializer,
        _ => None,
    })?;
    if is_written(body, local) || !is_fixed(context, body, initializer) {
        return None;
    }
    let uses: Vec<ExprId> =
        body.exprs.iter().filter(|(_, expr)| expr.kind == ExprKind::Local(local)).map(|(id, _)| id).collect();
    let places = uses.iter().map(|&id| body.exprs[id].range + cursor.base).collect();
    let value = Value { body, base: cursor.base, initializer };
    action(context, &declared.name, declared.name_range + cursor.base, &value, places)
}

fn inline_global(context: &Context<'_>, global: GlobalId) -> Option<Action> {
    let module = &context.analysis.module;
    let declared = &module.globals[global];
    // A specialization constant has another value in another pipeline.
    if declared.storage != Storage::Const || declared.constant_id.is_some() {
        return None;
    }
    let initializer = declared.initializer?;
    let mut places = Vec::new();
    for (body, base, _) in module.bodies() {
        let uses = body.exprs.iter().filter(|(_, expr)| expr.kind == ExprKind::Global(global));
        places.extend(uses.map(|(_, expr)| expr.range + base));
    }
    let value = Value { body: &module.global_body, base: TextSize::new(0), initializer };
    action(context, &declared.name, declared.name_range, &value, places)
}

struct Value<'a> {
    body: &'a Body,
    base: TextSize,
    initializer: ExprId,
}

fn action(
    context: &Context<'_>,
    name: &str,
    name_range: TextRange,
    value: &Value<'_>,
    mut places: Vec<TextRange>,
) -> Option<Action> {
    let initializer = &value.body.exprs[value.initializer];
    if matches!(initializer.kind, ExprKind::InitializerList { .. }) {
        return None;
    }
    let source = context.editable(initializer.range + value.base)?;
    let written = context.text(source);
    let text = match initializer.kind {
        // Without the variable nothing would convert the value.
        ExprKind::Convert { .. } => format!("{}({written})", context.code(initializer.ty)),
        _ if initializer.kind.is_primary() => written.to_owned(),
        _ => format!("({written})"),
    };
    places.sort_unstable_by_key(|range| range.start());
    places.dedup();
    if places.is_empty() || places.len() > MOST_USES {
        return None;
    }
    let mut edits = vec![TextEdit { range: removal(context, name_range)?, text: String::new() }];
    for place in places {
        let range = context.editable(place)?;
        // A name that a macro pasted or a header wrote cannot be replaced here.
        if context.text(range) != name {
            return None;
        }
        let edit = TextEdit { range, text: text.clone() };
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    Some(action::rewrite(format!("Inline `{name}`"), ActionKind::Inline, edits))
}

/// The declaration with its line, when it declares nothing else.
fn removal(context: &Context<'_>, name: TextRange) -> Option<FileRange> {
    let declaration = context.node(name, &[kind::DECLARATION])?;
    if declaration.parent().is_some_and(|parent| parent.kind_id() == kind::FOR_STATEMENT) {
        return None;
    }
    if field_children(declaration, field::DECLARATOR).len() != 1 {
        return None;
    }
    let place = context.editable(node_range(declaration))?;
    let text = &context.analysis.files()[place.file].text;
    let (start, end) = (usize::from(place.range.start()), usize::from(place.range.end()));
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
    let alone = text[line_start..start].trim().is_empty() && text[end..line_end].trim().is_empty();
    let (start, end) = if alone { (line_start, line_end) } else { (start, end) };
    Some(FileRange { file: place.file, range: TextRange::new((start as u32).into(), (end as u32).into()) })
}

/// Whether anything but its declaration gives a variable a value.
fn is_written(body: &Body, local: LocalId) -> bool {
    let names = |expr: ExprId| {
        let mut at = expr;
        loop {
            match body.exprs[at].kind {
                ExprKind::Local(found) => return found == local,
                ExprKind::Member { base, .. }
                | ExprKind::Swizzle { base, .. }
                | ExprKind::Index { base, .. }
                | ExprKind::Convert { operand: base } => at = base,
                _ => return false,
            }
        }
    };
    // `read` and `written` of a local say whether, not where; a call may write through `out`, so any argument that is the variable
    // itself counts.
    body.exprs.iter().any(|(_, expr)| match &expr.kind {
        ExprKind::Assign { target, .. } => names(*target),
        ExprKind::IncDec { operand, .. } => names(*operand),
        ExprKind::Call { arguments, .. } => {
            body.locals[local].written && arguments.iter().any(|&argument| names(argument))
        }
        _ => false,
    })
}

/// Whether an expression has the same value wherever it stands, and does nothing.
fn is_fixed(context: &Context<'_>, body: &Body, expr: ExprId) -> bool {
    let module = &context.analysis.module;
    subtree(body, expr).into_iter().all(|id| match &body.exprs[id].kind {
        ExprKind::Literal
        | ExprKind::BuiltinConstant(_)
        | ExprKind::Unary { .. }
        | ExprKind::Binary { .. }
        | ExprKind::Conditional { .. }
        | ExprKind::Construct { .. }
        | ExprKind::Convert { .. }
        | ExprKind::Member { .. }
        | ExprKind::Swizzle { .. }
        | ExprKind::Index { .. }
        | ExprKind::Length { .. } => true,
        // Inputs of a compute shader do not change while it runs.
        ExprKind::BuiltinVariable(variable) => {
            !coopmat_analysis::extensions::variable_by_id(*variable).writable
        }
        ExprKind::Local(local) => body.locals[*local].is_const || !is_written(body, *local),
        ExprKind::Global(global) | ExprKind::BlockMember(global, _) => matches!(
            module.globals[*global].storage,
            Storage::Const | Storage::Uniform | Storage::PushConstant | Storage::In
        ),
        ExprKind::Error
        | ExprKind::String(_)
        | ExprKind::FunctionName { .. }
        | ExprKind::IncDec { .. }
        | ExprKind::Assign { .. }
        | ExprKind::Comma { .. }
        | ExprKind::Call { .. }
        | ExprKind::InitializerList { .. } => false,
    })
}
