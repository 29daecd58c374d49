//! Ways through the statements and expressions of a body.

use crate::extensions::{self, BuiltinFunction, Rule};
use crate::hir::{Body, Callee, Condition, ExprId, ExprKind, StmtId, StmtKind};

/// The built-in that an expression calls, with the arguments.
pub fn builtin_call(body: &Body, expr: ExprId) -> Option<(&'static BuiltinFunction, &[ExprId])> {
    match &body.exprs[expr].kind {
        ExprKind::Call { callee: Callee::Builtin(function), arguments } => {
            Some((extensions::function(*function), arguments))
        }
        _ => None,
    }
}

/// A call of a matrix operation.
pub fn matrix_call(body: &Body, expr: ExprId) -> Option<(&'static BuiltinFunction, &[ExprId])> {
    builtin_call(body, expr).filter(|(function, _)| function.rule.is_some_and(Rule::is_matrix_operation))
}

/// Calls `visit` for each operand of an expression, in the order in which they are evaluated.
fn each_operand(body: &Body, expr: ExprId, visit: &mut impl FnMut(ExprId)) {
    let kind = &body.exprs[expr].kind;
    let mut operands = Vec::new();
    kind.operands(&mut operands);
    if let ExprKind::Assign { .. } = kind {
        // The target is written when the value is there.
        operands.reverse();
    }
    operands.into_iter().for_each(visit);
}

/// The expressions that a statement evaluates itself, in order; not those of the statements inside it.
pub fn expressions(body: &Body, stmt: StmtId) -> Vec<ExprId> {
    let condition = |condition: &Condition| match condition {
        Condition::Expr(expr) | Condition::Declare { initializer: expr, .. } => *expr,
    };
    match &body.stmts[stmt].kind {
        StmtKind::Expr(expr) | StmtKind::Case(expr) => vec![*expr],
        StmtKind::Declare { initializer, .. } => initializer.iter().copied().collect(),
        StmtKind::If { condition, .. } => vec![*condition],
        StmtKind::Switch { selector, .. } => vec![*selector],
        StmtKind::For { condition: test, step, .. } => {
            test.iter().map(condition).chain(step.iter().copied()).collect()
        }
        StmtKind::While { condition: test, .. } => vec![condition(test)],
        StmtKind::DoWhile { condition, .. } => vec![*condition],
        StmtKind::Return(expr) => expr.iter().copied().collect(),
        StmtKind::Error
        | StmtKind::Empty
        | StmtKind::Block(_)
        | StmtKind::Declaration
        | StmtKind::Default
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Discard
        | StmtKind::Other(_) => Vec::new(),
    }
}

/// The statements directly inside a statement, in order.
pub fn children(body: &Body, stmt: StmtId) -> Vec<StmtId> {
    match &body.stmts[stmt].kind {
        StmtKind::Block(statements) => statements.clone(),
        StmtKind::Switch { body, .. } => body.clone(),
        StmtKind::If { then, otherwise, .. } => std::iter::once(*then).chain(*otherwise).collect(),
        StmtKind::For { init, body, .. } => init.iter().copied().chain([*body]).collect(),
        StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => vec![*body],
        _ => Vec::new(),
    }
}

/// Calls `visit` for an expression and everything in it, operands first. Without recursion, because a chain of operators
/// may be long.
pub fn each_expression(body: &Body, expr: ExprId, visit: &mut impl FnMut(ExprId)) {
    let mut stack = vec![(expr, false)];
    while let Some((expr, visited)) = stack.pop() {
        if visited {
            visit(expr);
            continue;
        }
        stack.push((expr, true));
        let first = stack.len();
        each_operand(body, expr, &mut |operand| stack.push((operand, false)));
        stack[first..].reverse();
    }
}
