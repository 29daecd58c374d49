//! Shared memory that is accessed without a barrier between: one, where all invocations come to it.

use crate::TextEdit;
use crate::edit::line_end_of;
use coopmat_analysis::diagnostics::{Diagnostic, codes};
use coopmat_analysis::extensions;
use coopmat_analysis::hir::{Body, Condition, ExprId, ExprKind, StmtId, StmtKind};
use coopmat_analysis::text::{FileRange, TextRange};

use super::action::{Action, quick_fix};
use super::context::{Context, subtree};

pub fn fix(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    if diagnostic.code != &codes::MISSING_BARRIER {
        return;
    }
    let Some(edit) = barrier(context, diagnostic) else { return };
    actions.push(quick_fix("Insert `barrier();`".to_owned(), false, vec![edit]));
}

/// Where a barrier belongs: before the second access, or at the end of the loop around which both meet.
fn barrier(context: &Context<'_>, diagnostic: &Diagnostic) -> Option<TextEdit> {
    let (cursor, second) = context.expressions_at(diagnostic.location)?;
    let (other, first) = context.expressions_at(diagnostic.related.first()?.location)?;
    if cursor.function? != other.function? {
        return None;
    }
    let body = cursor.body;
    let place = |found: &[ExprId]| Some(body.exprs[*found.first()?].range);
    let (first, second) = (way(body, place(&first)?), way(body, place(&second)?));
    let common = first.iter().zip(&second).take_while(|(a, b)| a == b).count();
    let mut block = None;
    for (index, &stmt) in first.iter().enumerate().take(common) {
        match &body.stmts[stmt].kind {
            StmtKind::Block(_) => block = Some((index, stmt)),
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                if differs(body, stmt) {
                    break;
                }
            }
            // Not everybody may come here.
            _ => break,
        }
    }
    let (index, block) = block?;
    let (first, second) = (*first.get(index + 1)?, *second.get(index + 1)?);
    if body.stmts[first].range.start() < body.stmts[second].range.start() {
        let at = context.editable(body.stmts[second].range + cursor.base)?;
        let text = format!("barrier();{}{}", line_end_of(context.file_text()), indentation(context, at)?);
        return Some(TextEdit { range: FileRange { range: TextRange::empty(at.range.start()), ..at }, text });
    }
    // Around a loop.
    let StmtKind::Block(statements) = &body.stmts[block].kind else { return None };
    let last = context.editable(body.stmts[*statements.last()?].range + cursor.base)?;
    let text = format!("{}{}barrier();", line_end_of(context.file_text()), indentation(context, last)?);
    Some(TextEdit { range: FileRange { range: TextRange::empty(last.range.end()), ..last }, text })
}

/// The statements around a place, from the outermost.
fn way(body: &Body, place: TextRange) -> Vec<StmtId> {
    let around = body.stmts.iter().filter(|(_, stmt)| stmt.range.contains_range(place));
    let mut way: Vec<StmtId> = around.map(|(id, _)| id).collect();
    way.sort_by_key(|&stmt| std::cmp::Reverse(body.stmts[stmt].range.len()));
    way
}

/// Whether the rounds of a loop may depend on the invocation, by what its condition and its start name.
fn differs(body: &Body, stmt: StmtId) -> bool {
    let mut asked: Vec<ExprId> = Vec::new();
    if let StmtKind::For { condition: Some(condition), .. } | StmtKind::While { condition, .. } =
        &body.stmts[stmt].kind
    {
        match condition {
            Condition::Expr(expr) | Condition::Declare { initializer: expr, .. } => asked.push(*expr),
        }
    }
    if let StmtKind::DoWhile { condition, .. } = &body.stmts[stmt].kind {
        asked.push(*condition);
    }
    // Through as many variables.
    const MAX_LOOKS: usize = 64;
    for _ in 0..MAX_LOOKS {
        let Some(expr) = asked.pop() else { return false };
        for part in subtree(body, expr) {
            match body.exprs[part].kind {
                ExprKind::BuiltinVariable(variable) => {
                    let decoration = extensions::variable_by_id(variable).decoration;
                    if decoration.contains("Invocation") || decoration.contains("Subgroup") {
                        return true;
                    }
                }
                ExprKind::Local(local) => {
                    asked.extend(body.stmts.iter().filter_map(|(_, stmt)| match stmt.kind {
                        StmtKind::Declare { local: declared, initializer } if declared == local => {
                            initializer
                        }
                        _ => None,
                    }))
                }
                _ => {}
            }
        }
    }
    true
}

/// The blanks that the line of a place starts with; `None` where something else stands before it.
fn indentation<'a>(context: &Context<'a>, place: FileRange) -> Option<&'a str> {
    let before = context.file_text().get(..usize::from(place.range.start()))?;
    let line = before.rsplit('\n').next()?;
    line.chars().all(char::is_whitespace).then_some(line)
}
