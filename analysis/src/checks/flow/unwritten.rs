//! Matrices, cooperative vectors, and arrays that become matrices, that are used before anything is written to them.
//!
//! A report needs that no path writes the matrix, or what may be it, before the use: elements of arrays with constant indices and
//! members of structures are told apart. In a loop the first round counts; what only some rounds reach, or an inner loop, may come after
//! a later statement of the round before.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostics::codes;
use crate::extensions::{self, ParameterDirection, Rule};
use crate::hir::{
    Body, BodyDiagnostic, Callee, Condition, Const, Definition, Direction, ExprId, ExprKind, LocalId, Place,
    StmtId, StmtKind,
};
use crate::text::TextRange;
use crate::types::{Ty, TypeKind};

use crate::checks::context::Context;
use crate::checks::walk::{builtin_call, children, each_expression, expressions};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<BodyDiagnostic>) {
    let body = context.body;
    let Some(root) = body.root else { return };
    let mut tracked: FxHashSet<LocalId> = body
        .locals
        .iter()
        .filter(|(_, local)| holds_cooperative(context, local.ty, MAX_NESTING))
        .map(|(id, _)| id)
        .collect();
    tracked.extend(handed_over(context));
    if tracked.is_empty() {
        return;
    }
    let mut written: FxHashSet<Part> = FxHashSet::default();
    let mut outputs = Vec::new();
    for (index, &parameter) in body.parameters.iter().enumerate() {
        let parameters = &context.module.functions[context.function].parameters;
        let is_out = parameters.get(index).is_some_and(|parameter| parameter.direction == Direction::Out);
        if !is_out {
            written.insert((parameter, None));
        } else if is_cooperative(context, body.locals[parameter].ty, MAX_NESTING) {
            outputs.push(parameter);
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
    for parameter in outputs {
        walk.check_output(parameter);
    }
}

/// A variable, or an element of it with a constant index, or a member of it.
type Part = (LocalId, Option<u32>);

/// How deeply types are looked into.
const MAX_NESTING: u32 = 8;

/// A matrix or a cooperative vector itself.
fn is_one(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) | TypeKind::CoopVec(..))
}

/// Whether some of it is a matrix or a cooperative vector.
fn holds_cooperative(context: &Context<'_>, ty: Ty, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match context.types.kind(ty) {
        kind if is_one(kind) => true,
        TypeKind::Array(element, _) => holds_cooperative(context, *element, depth),
        TypeKind::Struct(structure) => {
            let members = &context.module.structs[*structure].members;
            members.iter().any(|member| holds_cooperative(context, member.ty, depth))
        }
        _ => false,
    }
}

/// Whether it is a matrix or a cooperative vector, or nothing but these.
fn is_cooperative(context: &Context<'_>, ty: Ty, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match context.types.kind(ty) {
        kind if is_one(kind) => true,
        TypeKind::Array(element, _) => is_cooperative(context, *element, depth),
        TypeKind::Struct(structure) => {
            let members = &context.module.structs[*structure].members;
            !members.is_empty() && members.iter().all(|member| is_cooperative(context, member.ty, depth))
        }
        _ => false,
    }
}

/// What the first one in it is called.
fn noun(context: &Context<'_>, ty: Ty, depth: u32) -> Option<&'static str> {
    let depth = depth.checked_sub(1)?;
    match context.types.kind(ty) {
        TypeKind::CoopVec(..) => Some("cooperative vector"),
        kind if is_one(kind) => Some("matrix"),
        TypeKind::Array(element, _) => noun(context, *element, depth),
        TypeKind::Struct(structure) => {
            let members = &context.module.structs[*structure].members;
            members.iter().find_map(|member| noun(context, member.ty, depth))
        }
        _ => None,
    }
}

/// The arrays of an invocation that become rows of a matrix, or other arrays.
fn handed_over(context: &Context<'_>) -> Vec<LocalId> {
    let body = context.body;
    let mut arrays = Vec::new();
    for (expr, _) in body.exprs.iter() {
        if let Some((function, arguments)) = builtin_call(body, expr)
            && let Some(Rule::VectorToCoopmatQcom | Rule::BitcastQcom | Rule::ExtractSubArrayQcom) =
                function.rule
            && let Some(&array) = arguments.first()
            && let ExprKind::Local(local) = body.exprs[array].kind
            && let TypeKind::Array(element, _) = context.types.kind(body.locals[local].ty)
            // Arrays of arrays are an error of the call.
            && let TypeKind::Scalar(_) = context.types.kind(*element)
        {
            arrays.push(local);
        }
    }
    arrays
}

struct Walk<'w> {
    context: &'w Context<'w>,
    body: &'w Body,
    tracked: FxHashSet<LocalId>,
    /// What some path has written by now.
    written: FxHashSet<Part>,
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
                    self.written.insert((*local, None));
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
                        for (_, (local, _), _) in walk.writes(expr) {
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

    /// What an expression itself writes, with the node that names each variable and whether it is read as well.
    fn writes(&self, expr: ExprId) -> Vec<(ExprId, Part, bool)> {
        let written = |expr: ExprId, read: bool| self.root(expr).map(|(node, part)| (node, part, read));
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

    /// The variable that an l-value lies in, the node that names it, and which part of it that is.
    fn root(&self, expr: ExprId) -> Option<(ExprId, Part)> {
        let mut expr = expr;
        let mut part = None;
        loop {
            expr = match &self.body.exprs[expr].kind {
                ExprKind::Local(local) => return Some((expr, (*local, part))),
                ExprKind::Index { base, .. }
                | ExprKind::Member { base, .. }
                | ExprKind::Swizzle { base, .. } => {
                    part = self.selected(expr);
                    *base
                }
                _ => return None,
            };
        }
    }

    /// The part of a variable that an expression selects directly; `None` where it may be any.
    fn selected(&self, expr: ExprId) -> Option<u32> {
        match &self.body.exprs[expr].kind {
            ExprKind::Member { member, .. } => Some(*member),
            ExprKind::Index { base, index } => {
                let is_array =
                    matches!(self.context.types.kind(self.body.exprs[*base].ty), TypeKind::Array(..));
                match self.body.exprs[*index].constant {
                    Some(Const::Int(index)) if is_array => u32::try_from(index).ok(),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn is_written(&self, (local, part): Part) -> bool {
        match part {
            Some(_) => self.written.contains(&(local, None)) || self.written.contains(&(local, part)),
            None => self.written.iter().any(|&(written, _)| written == local),
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
        // Which part of a variable is read, and the type of that part, by the node that names the variable.
        let mut selected: FxHashMap<ExprId, (Option<u32>, Ty)> = FxHashMap::default();
        for &expr in &order {
            places.extend(self.writes(expr).into_iter().filter(|(_, _, read)| !read).map(|(node, ..)| node));
            if let ExprKind::Length { base } = self.body.exprs[expr].kind {
                places.extend(self.root(base).map(|(node, _)| node));
            }
            if let ExprKind::Index { base, .. } | ExprKind::Member { base, .. } = self.body.exprs[expr].kind {
                selected.insert(base, (self.selected(expr), self.body.exprs[expr].ty));
            }
            // A function that computes elements from their places alone has no use for the source's, nor has what says where an element
            // is.
            if let Some((function, arguments)) = builtin_call(self.body, expr)
                && let Some(Rule::CoopMatPerElement | Rule::CoopMatCoordinate) = function.rule
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
            {
                let whole = self.body.locals[local].ty;
                let (part, ty) = selected.get(&expr).copied().unwrap_or((None, whole));
                // Of a structure with other members too, those may be all that is used.
                let counts = is_cooperative(self.context, ty, MAX_NESTING)
                    || !holds_cooperative(self.context, whole, MAX_NESTING)
                    || is_one(self.context.types.kind(whole));
                if counts && !self.is_written((local, part)) {
                    self.written.insert((local, part));
                    self.report(expr, (local, part));
                }
            }
            for (_, part, _) in self.writes(expr) {
                self.written.insert(part);
            }
        }
    }

    /// A parameter that only goes out, and that no statement of the function writes.
    fn check_output(&mut self, parameter: LocalId) {
        let writes = self
            .body
            .exprs
            .iter()
            .any(|(expr, _)| self.writes(expr).iter().any(|&(_, (local, _), _)| local == parameter));
        let declared = &self.body.locals[parameter];
        if writes || declared.name.is_empty() || self.written.contains(&(parameter, None)) {
            return;
        }
        let message = format!("the function gives its `out` parameter `{}` no value", declared.name);
        let range = declared.name_range;
        self.push(range, message, Vec::new());
    }

    fn report(&mut self, expr: ExprId, (local, part): Part) {
        let declared = &self.body.locals[local];
        let name = &declared.name;
        let noun = noun(self.context, declared.ty, MAX_NESTING);
        let what = match (self.context.types.kind(declared.ty), part, noun) {
            (kind, _, Some(noun)) if is_one(kind) => format!("the {noun} `{name}`"),
            (TypeKind::Array(..), Some(index), _) => format!("element {index} of `{name}`"),
            (TypeKind::Struct(structure), Some(member), _) => {
                match self.context.module.structs[*structure].members.get(member as usize) {
                    Some(member) => format!("`{name}.{}`", member.name),
                    None => format!("a member of `{name}`"),
                }
            }
            (_, _, Some(noun)) => format!("a {noun} in `{name}`"),
            _ => format!("the array `{name}`"),
        };
        let related = vec![(
            Place::Definition(Definition::Local(local)),
            format!("`{name}` is declared here, without a value"),
        )];
        let message = format!("{what} is used before anything is written to it");
        self.push(self.body.exprs[expr].range, message, related);
    }

    fn push(&mut self, range: TextRange, message: String, related: Vec<(Place, String)>) {
        let code = &codes::COOPMAT_UNWRITTEN;
        self.findings.push(BodyDiagnostic { code, severity: code.severity, range, message, related });
    }
}
