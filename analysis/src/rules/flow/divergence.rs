//! Matrix operations that only some invocations of a subgroup reach, and arguments that differ between them.

use crate::diagnostics::codes;
use crate::extensions::{self, Rule};
use crate::hir::{BinaryOp, Body, Condition, ExprId, ExprKind, StmtId, StmtKind};
use crate::lower::Lowerer;
use crate::text::TextRange;

use super::{Finding, builtin_call, children, each_expression, expressions, matrix_call};

/// Walks the statements with the conditions that separate the invocations around them. A stack of its own, because bodies nest deeply.
pub(super) fn check(lowerer: &Lowerer<'_>, findings: &mut Vec<Finding>) {
    let body = &lowerer.body;
    let Some(root) = body.root else { return };
    let mut stack: Vec<(StmtId, Option<Divergence>)> = vec![(root, None)];
    while let Some((stmt, divergent)) = stack.pop() {
        for expr in expressions(body, stmt) {
            each_expression(body, expr, &mut |expr| check_call(body, expr, divergent, findings));
        }
        let inner = divergent.or_else(|| separating_condition(body, stmt));
        for child in children(body, stmt).into_iter().rev() {
            stack.push((child, inner));
        }
    }
}

/// A condition that differs between the invocations of a subgroup, and what in it does.
#[derive(Clone, Copy)]
struct Divergence {
    range: TextRange,
    cause: &'static str,
}

fn check_call(body: &Body, expr: ExprId, divergent: Option<Divergence>, findings: &mut Vec<Finding>) {
    let Some((function, arguments)) = matrix_call(body, expr) else { return };
    let range = body.exprs[expr].range;
    if let Some(divergence) = divergent {
        // The call starts with the function's name.
        let end = range.start() + crate::text::TextSize::new(function.name.len() as u32);
        let name_range = TextRange::new(range.start(), end.min(range.end()));
        findings.push(Finding {
            code: &codes::COOPMAT_DIVERGENCE,
            range: name_range,
            message: format!(
                "`{}` is reached by some invocations of a subgroup only: the condition depends on `{}`",
                function.name, divergence.cause
            ),
            related: vec![(
                crate::hir::Place::Here(divergence.range),
                "this condition separates the invocations".to_owned(),
            )],
        });
    }
    let uniform = match function.rule {
        Some(Rule::CoopMatLoad | Rule::CoopMatStore | Rule::CoopMatLoadNv | Rule::CoopMatStoreNv) => 2..4,
        Some(Rule::CoopMatLoadTensor | Rule::CoopMatStoreTensor) => 2..3,
        _ => return,
    };
    for &argument in arguments.get(uniform.start..arguments.len().min(uniform.end)).unwrap_or_default() {
        if let Some(cause) = linear_in_invocation(body, argument) {
            findings.push(Finding {
                code: &codes::COOPMAT_UNIFORM_OPERAND,
                range: body.exprs[argument].range,
                message: format!(
                    "`{cause}` differs between the invocations of a subgroup, but they load or store one matrix together, with the same arguments"
                ),
                related: Vec::new(),
            });
        }
    }
}

/// The condition of a statement, when it separates the invocations of a subgroup.
fn separating_condition(body: &Body, stmt: StmtId) -> Option<Divergence> {
    let condition = match &body.stmts[stmt].kind {
        StmtKind::If { condition, .. } => *condition,
        StmtKind::While { condition: Condition::Expr(condition), .. }
        | StmtKind::For { condition: Some(Condition::Expr(condition)), .. } => *condition,
        _ => return None,
    };
    let cause = separates(body, condition)?;
    Some(Divergence { range: body.exprs[condition].range, cause })
}

/// What in a condition separates invocations: an invocation's own number, compared with something else, or the election of one.
fn separates(body: &Body, condition: ExprId) -> Option<&'static str> {
    let mut stack = vec![condition];
    while let Some(expr) = stack.pop() {
        match &body.exprs[expr].kind {
            ExprKind::Unary { operand, .. } | ExprKind::Convert { operand } => stack.push(*operand),
            ExprKind::Binary { op, left, right } => match op {
                BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::LogicalXor => {
                    stack.extend([*left, *right]);
                }
                BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
                | BinaryOp::Equal
                | BinaryOp::NotEqual => {
                    for side in [*left, *right] {
                        if let Some(cause) = linear_in_invocation(body, side) {
                            return Some(cause);
                        }
                    }
                }
                _ => {}
            },
            ExprKind::Call { .. } => {
                if let Some((function, _)) = builtin_call(body, expr)
                    && function.name == "subgroupElect"
                {
                    return Some("subgroupElect()");
                }
            }
            _ => {}
        }
    }
    None
}

const INVOCATION: &str = "gl_SubgroupInvocationID";

/// Whether a value is a sum or product with an invocation's number in it, so that it surely differs between invocations. Divisions, shifts to
/// the right, masks and calls may take the difference away again.
fn linear_in_invocation(body: &Body, expr: ExprId) -> Option<&'static str> {
    let mut stack = vec![expr];
    while let Some(expr) = stack.pop() {
        match &body.exprs[expr].kind {
            ExprKind::BuiltinVariable(variable)
                if extensions::variable_by_id(*variable).name == INVOCATION =>
            {
                return Some(INVOCATION);
            }
            ExprKind::Convert { operand } => stack.push(*operand),
            ExprKind::Construct { arguments } => {
                if let &[argument] = arguments.as_slice() {
                    stack.push(argument);
                }
            }
            ExprKind::Binary {
                op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl,
                left,
                right,
            } => {
                stack.extend([*left, *right]);
            }
            _ => {}
        }
    }
    None
}
