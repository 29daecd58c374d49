//! Which statements of a body bear on shared memory and barriers: those that touch them or leave, those that give a value to a variable that
//! such a statement reads, and those around them. The others are passed by, so that a kernel's arithmetic costs nothing.

use rustc_hash::FxHashMap;

use crate::checks::walk::{children, each_expression, expressions};
use crate::extensions::{self, ParameterDirection};
use crate::hir::{
    Body, Callee, Condition, Direction, ExprId, ExprKind, LocalId, Module, StmtId, StmtKind, Storage,
};

use super::facts::{Facts, flag, root};

/// What a statement does itself, without those inside it.
#[derive(Default)]
struct Own {
    around: Option<StmtId>,
    reads: Vec<LocalId>,
    matters: bool,
}

/// The statements that matter, as a flag for each.
pub(super) fn statements(module: &Module, body: &Body, facts: &Facts, all: &[StmtId]) -> Vec<bool> {
    let mut owns: Vec<Own> = Vec::new();
    owns.resize_with(body.stmts.len(), Own::default);
    let mut writers: FxHashMap<LocalId, Vec<StmtId>> = FxHashMap::default();
    for &stmt in all {
        for child in children(body, stmt) {
            if let Some(child) = owns.get_mut(index(child)) {
                child.around = Some(stmt);
            }
        }
        let Some(own) = owns.get_mut(index(stmt)) else { continue };
        own.matters = leaves(&body.stmts[stmt].kind);
        let mut write = |local: LocalId| writers.entry(local).or_default().push(stmt);
        if let Some(local) = declared(&body.stmts[stmt].kind) {
            write(local);
        }
        for top in expressions(body, stmt) {
            own.matters |= facts.expr(top) & flag::TOUCHES != 0;
            each_expression(body, top, &mut |expr| match &body.exprs[expr].kind {
                ExprKind::Local(local) => own.reads.push(*local),
                _ => each_written(module, body, expr, |target| match root(body, target) {
                    Some(local) => write(local),
                    None => own.matters |= is_private(module, body, target),
                }),
            });
        }
    }
    let mut matters = vec![false; owns.len()];
    let mut work: Vec<StmtId> =
        all.iter().copied().filter(|&stmt| owns.get(index(stmt)).is_some_and(|own| own.matters)).collect();
    // What a caller gets back.
    for &parameter in &body.parameters {
        work.extend(writers.remove(&parameter).into_iter().flatten());
    }
    while let Some(stmt) = work.pop() {
        match matters.get_mut(index(stmt)) {
            Some(known) if !*known => *known = true,
            _ => continue,
        }
        let Some(own) = owns.get(index(stmt)) else { continue };
        work.extend(own.around);
        for local in &own.reads {
            work.extend(writers.remove(local).into_iter().flatten());
        }
    }
    matters
}

fn index(stmt: StmtId) -> usize {
    stmt.into_raw().into_u32() as usize
}

fn leaves(kind: &StmtKind) -> bool {
    use StmtKind::{Break, Continue, Discard, Other, Return};
    matches!(kind, Return(_) | Discard | Other(_) | Break | Continue)
}

/// The variable that a statement, or its condition, declares.
fn declared(kind: &StmtKind) -> Option<LocalId> {
    match kind {
        StmtKind::Declare { local, .. }
        | StmtKind::For { condition: Some(Condition::Declare { local, .. }), .. }
        | StmtKind::While { condition: Condition::Declare { local, .. }, .. } => Some(*local),
        _ => None,
    }
}

/// Calls `visit` for each l-value that an expression itself writes.
pub(super) fn each_written(module: &Module, body: &Body, expr: ExprId, mut visit: impl FnMut(ExprId)) {
    match &body.exprs[expr].kind {
        ExprKind::Assign { target, .. } | ExprKind::IncDec { operand: target, .. } => visit(*target),
        ExprKind::Call { callee: Callee::Function(function), arguments } => {
            let parameters = &module.functions[*function].parameters;
            for (&argument, parameter) in arguments.iter().zip(parameters) {
                if parameter.direction != Direction::In {
                    visit(argument);
                }
            }
        }
        ExprKind::Call { callee: Callee::Builtin(function), arguments } => {
            let parameters = extensions::function(*function).parameters;
            for (&argument, parameter) in arguments.iter().zip(parameters) {
                if parameter.direction != ParameterDirection::In && !parameter.memory {
                    visit(argument);
                }
            }
        }
        _ => {}
    }
}

/// Whether an l-value lies in a variable of the whole shader that each invocation has of its own.
fn is_private(module: &Module, body: &Body, target: ExprId) -> bool {
    let mut private = false;
    each_expression(body, target, &mut |expr| {
        if let ExprKind::Global(global) = &body.exprs[expr].kind {
            private |= module.globals[*global].storage == Storage::Private;
        }
    });
    private
}
