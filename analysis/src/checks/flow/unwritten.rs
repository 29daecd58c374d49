//! Matrices that are used before anything is written to them.
//!
//! A report needs that no path writes the matrix, or any part of what holds it, before the use. In a loop the first round
//! counts; what only some rounds reach, or an inner loop, may come after a later statement of the round before.

use rustc_hash::FxHashSet;

use crate::diagnostics::codes;
use crate::extensions::{self, ParameterDirection, Rule};
use crate::hir::{
    Body, BodyDiagnostic, Callee, Condition, Definition, Direction, ExprId, ExprKind, LocalId, Place, StmtId,
    StmtKind,
};
use crate::types::{Ty, TypeKind};

use crate::checks::context::Context;
use crate::checks::walk::{builtin_call, children, each_expression, expressions};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<BodyDiagnostic>) {
    let body = context.body;
    let Some(root) = body.root else { return };
    let tracked: FxHashSet<LocalId> = body
        .locals
        .iter()
        .filter(|(_, local)| holds_matrix(context, local.ty, 8))
        .map(|(id, _)| id)
        .collect();
    if tracked.is_empty() {
        return;
    }
    let mut written: FxHashSet<LocalId> = FxHashSet::default();
    for (index, &parameter) in body.parameters.iter().enumerate() {
        let parameters = &context.module.functions[context.function].parameters;
        let is_out = parameters.get(index).is_some_and(|parameter| parameter.direction == Direction::Out);
        if !is_out {
            written.insert(parameter);
        }
    }
    let mut walk = Walk {
        context,
        body,
        tracked,
        written,
        assumed: FxHashSet::default(),
        later: FxHashSet::default(),
        findings,
    };
    walk.statement(root);
}

fn holds_matrix(context: &Context<'_>, ty: Ty, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match context.types.kind(ty) {
        TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) => true,
        TypeKind::Array(element, _) => holds_matrix(context, *element, depth),
        TypeKind::Struct(structure) => {
            let members = &context.module.structs[*structure].members;
            // A structure with other members too is not followed: some of it may be all that is used.
            !members.is_empty() && members.iter().all(|member| holds_matrix(context, member.ty, depth))
        }
        _ => false,
    }
}

struct Walk<'w> {
    context: &'w Context<'w>,
    body: &'w Body,
    tracked: FxHashSet<LocalId>,
    /// What some path has written by now.
    written: FxHashSet<LocalId>,
    /// What a round before may have written, where not every round comes by.
    assumed: FxHashSet<LocalId>,
    /// What the loops around write anywhere.
    later: FxHashSet<LocalId>,
    findings: &'w mut Vec<BodyDiagnostic>,
}

impl Walk<'_> {
    /// Nesting is bounded by what the lowering accepts.
    fn statement(&mut self, stmt: StmtId) {
        let body = self.body;
        match &body.stmts[stmt].kind {
            StmtKind::If { condition, then, otherwise, .. } => {
                self.expression(*condition);
                self.sometimes(|walk| {
                    let before = walk.written.clone();
                    walk.statement(*then);
                    if let Some(otherwise) = otherwise {
                        let by_then = std::mem::replace(&mut walk.written, before);
                        walk.statement(*otherwise);
                        walk.written.extend(by_then);
                    }
                });
            }
            StmtKind::Switch { selector, body, .. } => {
                self.expression(*selector);
                self.sometimes(|walk| {
                    for &statement in body {
                        walk.statement(statement);
                    }
                });
            }
            StmtKind::For { init, condition, step, body: inside, .. } => {
                if let Some(init) = init {
                    self.statement(*init);
                }
                self.rounds(stmt, |walk| {
                    walk.condition(condition.as_ref());
                    walk.statement(*inside);
                    if let Some(step) = step {
                        walk.expression(*step);
                    }
                });
            }
            StmtKind::While { condition, body: inside, .. } => self.rounds(stmt, |walk| {
                walk.condition(Some(condition));
                walk.statement(*inside);
            }),
            StmtKind::DoWhile { body: inside, condition, .. } => self.rounds(stmt, |walk| {
                walk.statement(*inside);
                walk.expression(*condition);
            }),
            StmtKind::Declare { local, initializer } => {
                // Each time that a declaration is reached, its variable is new.
                self.assumed.remove(local);
                if let Some(initializer) = initializer {
                    self.expression(*initializer);
                    self.written.insert(*local);
                }
            }
            _ => {
                for expr in expressions(body, stmt) {
                    self.expression(expr);
                }
                for child in children(body, stmt) {
                    self.statement(child);
                }
            }
        }
    }

    fn condition(&mut self, condition: Option<&Condition>) {
        match condition {
            Some(Condition::Expr(expr)) | Some(Condition::Declare { initializer: expr, .. }) => {
                self.expression(*expr);
            }
            None => {}
        }
    }

    /// What not every round of the loops around reaches: a round before may have written what comes later in the text.
    fn sometimes(&mut self, inside: impl FnOnce(&mut Self)) {
        let assumed = self.assumed.clone();
        self.assumed.extend(self.later.iter().copied());
        inside(self);
        self.assumed = assumed;
    }

    fn rounds(&mut self, stmt: StmtId, inside: impl FnOnce(&mut Self)) {
        self.sometimes(|walk| {
            let later = walk.later.clone();
            let mut stack = vec![stmt];
            while let Some(stmt) = stack.pop() {
                for expr in expressions(walk.body, stmt) {
                    each_expression(walk.body, expr, &mut |expr| {
                        for (_, local, _) in walk.writes(expr) {
                            walk.later.insert(local);
                        }
                    });
                }
                stack.extend(children(walk.body, stmt));
            }
            inside(walk);
            walk.later = later;
        });
    }

    /// The locals that an expression itself writes, with the node that names each and whether it is read as well.
    fn writes(&self, expr: ExprId) -> Vec<(ExprId, LocalId, bool)> {
        let written = |expr: ExprId, read: bool| self.root(expr).map(|(node, local)| (node, local, read));
        match &self.body.exprs[expr].kind {
            ExprKind::Assign { op, target, .. } => written(*target, op.is_some()).into_iter().collect(),
            ExprKind::IncDec { operand, .. } => written(*operand, true).into_iter().collect(),
            ExprKind::Call { callee: Callee::Function(function), arguments } => {
                let parameters = &self.context.module.functions[*function].parameters;
                let outputs = arguments.iter().zip(parameters).filter_map(|(&argument, parameter)| {
                    match parameter.direction {
                        Direction::In => None,
                        Direction::Out => written(argument, false),
                        Direction::InOut => written(argument, true),
                    }
                });
                outputs.collect()
            }
            ExprKind::Call { callee: Callee::Builtin(function), arguments } => {
                let parameters = extensions::function(*function).parameters;
                let outputs = arguments.iter().zip(parameters).filter_map(|(&argument, parameter)| {
                    match parameter.direction {
                        ParameterDirection::In => None,
                        // `coopMatLoadTensorNV` keeps the elements that a view clips; where none is clipped, it reads none.
                        ParameterDirection::Out | ParameterDirection::InOut => written(argument, false),
                    }
                });
                outputs.collect()
            }
            _ => Vec::new(),
        }
    }

    fn root(&self, expr: ExprId) -> Option<(ExprId, LocalId)> {
        let mut expr = expr;
        loop {
            expr = match &self.body.exprs[expr].kind {
                ExprKind::Local(local) => return Some((expr, *local)),
                ExprKind::Index { base, .. }
                | ExprKind::Member { base, .. }
                | ExprKind::Swizzle { base, .. } => *base,
                _ => return None,
            };
        }
    }

    fn expression(&mut self, expr: ExprId) {
        let mut order = Vec::new();
        let mut mentions = false;
        each_expression(self.body, expr, &mut |expr| {
            order.push(expr);
            mentions |=
                matches!(&self.body.exprs[expr].kind, ExprKind::Local(local) if self.tracked.contains(local));
        });
        if !mentions {
            return;
        }
        // Names that stand for a place, not for a value.
        let mut places: FxHashSet<ExprId> = FxHashSet::default();
        for &expr in &order {
            places.extend(self.writes(expr).into_iter().filter(|(_, _, read)| !read).map(|(node, ..)| node));
            if let ExprKind::Length { base } = self.body.exprs[expr].kind {
                places.extend(self.root(base).map(|(node, _)| node));
            }
            // A function that computes elements from their places alone has no use for the source's.
            if let Some((function, arguments)) = builtin_call(self.body, expr)
                && function.rule == Some(Rule::CoopMatPerElement)
            {
                places.extend(
                    arguments.iter().filter_map(|&argument| self.root(argument).map(|(node, _)| node)),
                );
            }
        }
        for expr in order {
            if let ExprKind::Local(local) = self.body.exprs[expr].kind
                && !places.contains(&expr)
                && self.tracked.contains(&local)
                && !self.assumed.contains(&local)
                && self.written.insert(local)
            {
                self.report(expr, local);
            }
            for (_, local, _) in self.writes(expr) {
                self.written.insert(local);
            }
        }
    }

    fn report(&mut self, expr: ExprId, local: LocalId) {
        let declared = &self.body.locals[local];
        let what = match self.context.types.kind(declared.ty) {
            TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) => "the matrix",
            _ => "a matrix in",
        };
        self.findings.push(BodyDiagnostic {
            code: &codes::COOPMAT_UNWRITTEN,
            severity: codes::COOPMAT_UNWRITTEN.severity,
            range: self.body.exprs[expr].range,
            message: format!("{what} `{}` is used before anything is written to it", declared.name),
            related: vec![(
                Place::Definition(Definition::Local(local)),
                format!("`{}` is declared here, without a value", declared.name),
            )],
        });
    }
}
