//! Matrix operations that only some invocations of a matrix's scope reach, and arguments that differ between them.

use rustc_hash::FxHashMap;

use crate::diagnostics::codes;
use crate::extensions::{self, ParameterDirection, Rule};
use crate::hir::{BinaryOp, Body, Callee, Condition, ExprId, ExprKind, LocalId, Place, StmtId, StmtKind};
use crate::lower::Lowerer;
use crate::text::{TextRange, TextSize};
use crate::types::TypeKind;

use super::super::matrix::SCOPE_WORKGROUP;
use super::{Finding, builtin_call, children, each_expression, expressions, matrix_call};

/// The invocations between which something differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    /// Those of one subgroup, and so those of a workgroup.
    Invocations,
    /// The subgroups of a workgroup.
    Subgroups,
}

#[derive(Clone, Copy)]
struct Cause {
    name: &'static str,
    between: Between,
}

/// A condition around a statement that separates invocations.
#[derive(Clone, Copy)]
struct Separation {
    range: TextRange,
    cause: &'static str,
}

/// The innermost separations around a statement.
#[derive(Clone, Copy, Default)]
struct Around {
    invocations: Option<Separation>,
    subgroups: Option<Separation>,
}

/// Walks the statements with the conditions around them. A stack of its own, because bodies nest deeply.
pub(super) fn check(lowerer: &Lowerer<'_>, findings: &mut Vec<Finding>) {
    let body = &lowerer.body;
    let Some(root) = body.root else { return };
    let values = Values { body, initializers: unchanged_locals(body) };
    let mut stack: Vec<(StmtId, Around)> = vec![(root, Around::default())];
    while let Some((stmt, around)) = stack.pop() {
        for expr in expressions(body, stmt) {
            each_expression(body, expr, &mut |expr| check_call(lowerer, &values, expr, around, findings));
        }
        let mut inner = around_parts(&values, stmt, around);
        let first = stack.len();
        for child in children(body, stmt) {
            stack.push((child, inner));
            // The invocations that leave here are not there for what follows in the block.
            if leaves(body, child) {
                inner = around_parts(&values, child, inner);
            }
        }
        stack[first..].reverse();
    }
}

/// Whether a statement is a branch without an alternative that ends in a jump.
fn leaves(body: &Body, stmt: StmtId) -> bool {
    let StmtKind::If { then, otherwise: None, .. } = &body.stmts[stmt].kind else { return false };
    let mut last = *then;
    while let StmtKind::Block(statements) = &body.stmts[last].kind {
        let Some(&statement) = statements.last() else { return false };
        last = statement;
    }
    matches!(body.stmts[last].kind, StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue)
}

/// Expressions, and the locals that keep the value that they are declared with.
struct Values<'b> {
    body: &'b Body,
    initializers: FxHashMap<LocalId, ExprId>,
}

fn unchanged_locals(body: &Body) -> FxHashMap<LocalId, ExprId> {
    let mut initializers = FxHashMap::default();
    for (_, stmt) in body.stmts.iter() {
        if let StmtKind::Declare { local, initializer: Some(initializer) } = stmt.kind {
            initializers.insert(local, initializer);
        }
    }
    for (_, expr) in body.exprs.iter() {
        match &expr.kind {
            ExprKind::Assign { target, .. } => forget(body, &mut initializers, *target),
            ExprKind::IncDec { operand, .. } => forget(body, &mut initializers, *operand),
            ExprKind::Call { callee: Callee::Function(_), arguments } => {
                for &argument in arguments {
                    forget(body, &mut initializers, argument);
                }
            }
            ExprKind::Call { callee: Callee::Builtin(function), arguments } => {
                let parameters = extensions::function(*function).parameters;
                for (&argument, parameter) in arguments.iter().zip(parameters) {
                    if parameter.direction != ParameterDirection::In {
                        forget(body, &mut initializers, argument);
                    }
                }
            }
            _ => {}
        }
    }
    initializers
}

/// A local that may be written does not keep its first value.
fn forget(body: &Body, initializers: &mut FxHashMap<LocalId, ExprId>, expr: ExprId) {
    let mut expr = expr;
    loop {
        expr = match &body.exprs[expr].kind {
            ExprKind::Index { base, .. } | ExprKind::Member { base, .. } | ExprKind::Swizzle { base, .. } => {
                *base
            }
            ExprKind::Local(local) => {
                initializers.remove(local);
                return;
            }
            _ => return,
        };
    }
}

fn check_call(
    lowerer: &Lowerer<'_>,
    values: &Values<'_>,
    expr: ExprId,
    around: Around,
    findings: &mut Vec<Finding>,
) {
    let body = &lowerer.body;
    let Some((function, arguments)) = matrix_call(body, expr) else { return };
    let of_workgroup = arguments.iter().any(|&argument| has_workgroup_scope(lowerer, argument));
    let scope = if of_workgroup { "workgroup" } else { "subgroup" };
    let separation = around.invocations.or(if of_workgroup { around.subgroups } else { None });
    if let Some(separation) = separation {
        let range = body.exprs[expr].range;
        // The call starts with the function's name.
        let end = range.start() + TextSize::new(function.name.len() as u32);
        findings.push(Finding {
            code: &codes::COOPMAT_DIVERGENCE,
            range: TextRange::new(range.start(), end.min(range.end())),
            message: format!(
                "`{}` is reached by some invocations of a {scope} only: the condition depends on `{}`",
                function.name, separation.cause
            ),
            related: vec![(
                Place::Here(separation.range),
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
        let Some(cause) = values.linear(argument, of_workgroup) else { continue };
        findings.push(Finding {
            code: &codes::COOPMAT_UNIFORM_OPERAND,
            range: body.exprs[argument].range,
            message: format!(
                "`{}` differs between the invocations of a {scope}, but they load or store one matrix together, with the same arguments",
                cause.name
            ),
            related: Vec::new(),
        });
    }
}

fn has_workgroup_scope(lowerer: &Lowerer<'_>, expr: ExprId) -> bool {
    let scope = match lowerer.types.kind(lowerer.body.exprs[expr].ty) {
        TypeKind::Coopmat(matrix) => matrix.scope,
        TypeKind::CoopmatNv(matrix) => matrix.scope,
        _ => return false,
    };
    lowerer.types.symbols.as_int(scope) == Some(SCOPE_WORKGROUP)
}

/// What is around the parts of a statement: the condition of a branch or a loop may separate invocations.
fn around_parts(values: &Values<'_>, stmt: StmtId, around: Around) -> Around {
    let body = values.body;
    let condition = match &body.stmts[stmt].kind {
        StmtKind::If { condition, .. } => *condition,
        StmtKind::While { condition: Condition::Expr(condition), .. }
        | StmtKind::For { condition: Some(Condition::Expr(condition)), .. } => *condition,
        _ => return around,
    };
    let Some(cause) = separates(values, condition) else { return around };
    let separation = Some(Separation { range: body.exprs[condition].range, cause: cause.name });
    match cause.between {
        Between::Invocations => Around { invocations: separation, ..around },
        Between::Subgroups => Around { subgroups: separation, ..around },
    }
}

/// What in a condition separates invocations: an invocation's own number, compared with something else, or the election of
/// one.
fn separates(values: &Values<'_>, condition: ExprId) -> Option<Cause> {
    let body = values.body;
    let mut stack = vec![condition];
    let mut found: Option<Cause> = None;
    while let Some(expr) = stack.pop() {
        let cause = match &body.exprs[expr].kind {
            ExprKind::Unary { operand, .. } | ExprKind::Convert { operand } => {
                stack.push(*operand);
                None
            }
            ExprKind::Binary {
                op: BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::LogicalXor,
                left,
                right,
            } => {
                stack.extend([*left, *right]);
                None
            }
            ExprKind::Binary { op, left, right } => compared(values, *op, *left, *right),
            ExprKind::Call { .. } => builtin_call(body, expr)
                .filter(|(function, _)| function.name == "subgroupElect")
                .map(|_| Cause { name: "subgroupElect()", between: Between::Invocations }),
            _ => None,
        };
        found = match (found, cause) {
            (Some(Cause { between: Between::Invocations, .. }), _) | (_, None) => found,
            (_, cause) => cause,
        };
    }
    found
}

fn compared(values: &Values<'_>, op: BinaryOp, left: ExprId, right: ExprId) -> Option<Cause> {
    let one_of_many = match op {
        BinaryOp::Equal | BinaryOp::NotEqual => true,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => false,
        _ => return None,
    };
    let cause = values.linear(left, true).or_else(|| values.linear(right, true))?;
    // `gl_LocalInvocationIndex < 32` may be the same for a whole subgroup; `== 0` is true for one invocation alone.
    let between = if cause.name == LOCAL_INDEX && !one_of_many { Between::Subgroups } else { cause.between };
    Some(Cause { between, ..cause })
}

const LOCAL_INDEX: &str = "gl_LocalInvocationIndex";

/// How much of a value is looked at.
const MAX_STEPS: u32 = 1000;

impl Values<'_> {
    /// Whether a value is a sum or product with an invocation's or a subgroup's number in it, so that it surely differs between
    /// them. Divisions, shifts to the right, masks and calls may take the difference away again.
    fn linear(&self, expr: ExprId, of_workgroup: bool) -> Option<Cause> {
        let body = self.body;
        let mut stack = vec![expr];
        // Declarations do not refer to themselves, so this only bounds sums of sums.
        let mut steps = 0;
        while let Some(expr) = stack.pop() {
            steps += 1;
            if steps > MAX_STEPS {
                return None;
            }
            match &body.exprs[expr].kind {
                ExprKind::BuiltinVariable(variable) => {
                    let cause = match extensions::variable_by_id(*variable).name {
                        "gl_SubgroupInvocationID" => {
                            Cause { name: "gl_SubgroupInvocationID", between: Between::Invocations }
                        }
                        LOCAL_INDEX => Cause { name: LOCAL_INDEX, between: Between::Invocations },
                        "gl_SubgroupID" if of_workgroup => {
                            Cause { name: "gl_SubgroupID", between: Between::Subgroups }
                        }
                        _ => continue,
                    };
                    return Some(cause);
                }
                ExprKind::Local(local) => stack.extend(self.initializers.get(local)),
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
}
