//! What a body does with shared memory and barriers, so that the rest of it need not be followed.

use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

use crate::checks::walk::{children, each_expression, expressions};
use crate::extensions::{self, ParameterDirection, Rule};
use crate::hir::{Body, Callee, ExprId, ExprKind, FunctionId, LocalId, Module, StmtId, StmtKind, Storage};
use crate::types::{Scalar, Types};

use super::needed::{self, each_written};

/// Flags of expressions, statements and functions.
pub(super) mod flag {
    /// Reads or writes shared memory.
    pub const SHARED: u8 = 1;
    /// Comes to a barrier.
    pub const BARRIER: u8 = 2;
    /// Leaves: `return`, `break`, `continue`.
    pub const JUMP: u8 = 4;
    /// `return`, or the end of the invocation.
    pub const RETURN: u8 = 8;
    /// Changes an integer that is followed, or calls what may.
    pub const EFFECT: u8 = 16;
    /// A subgroup operation or an atomic decides: not all invocations can be assumed to get the same.
    pub const EXCLUSIVE: u8 = 32;
    /// What has to be followed whatever is known.
    pub const TOUCHES: u8 = SHARED | BARRIER;
}

/// The flags of a body.
#[derive(Default)]
pub(super) struct Facts {
    exprs: Vec<u8>,
    stmts: Vec<u8>,
    needed: Vec<bool>,
    /// What statements change, of those that were asked for: the rounds of a loop ask again.
    changes: RefCell<FxHashMap<StmtId, Rc<Changes>>>,
    pub all: u8,
}

/// The variables of the function that a statement may change, and whether it may change variables of the whole shader.
pub(super) struct Changes {
    pub locals: FxHashSet<LocalId>,
    pub others: bool,
}

impl Facts {
    pub fn expr(&self, expr: ExprId) -> u8 {
        self.exprs.get(expr.into_raw().into_u32() as usize).copied().unwrap_or(0)
    }

    /// Whether what happens to shared memory may depend on a statement.
    pub fn is_needed(&self, stmt: StmtId) -> bool {
        self.needed.get(stmt.into_raw().into_u32() as usize).copied().unwrap_or(true)
    }

    pub fn changes(&self, module: &Module, body: &Body, stmt: StmtId) -> Rc<Changes> {
        let mut known = self.changes.borrow_mut();
        known.entry(stmt).or_insert_with(|| Rc::new(changed(module, body, stmt))).clone()
    }

    pub fn stmt(&self, stmt: StmtId) -> u8 {
        self.stmts.get(stmt.into_raw().into_u32() as usize).copied().unwrap_or(0)
    }
}

/// The facts of the functions that were asked for.
#[derive(Default)]
pub(super) struct AllFacts {
    known: FxHashMap<FunctionId, Rc<Facts>>,
    active: FxHashSet<FunctionId>,
}

/// How deeply calls are followed.
const MAX_CALLS: usize = 32;

/// The scalar of an integer or truth value, or of a vector of them: what is followed.
pub(super) fn followed(types: &Types, ty: crate::types::Ty) -> Option<(Scalar, usize)> {
    let (scalar, count) = types.as_vector(ty)?;
    (!scalar.is_float() && count <= 4).then_some((scalar, count as usize))
}

impl AllFacts {
    pub fn of(&mut self, module: &Module, function: FunctionId) -> Rc<Facts> {
        if let Some(known) = self.known.get(&function) {
            return known.clone();
        }
        let Some(body) = module.functions[function].body.as_deref() else { return Rc::default() };
        if self.active.len() >= MAX_CALLS || !self.active.insert(function) {
            return Rc::default();
        }
        let facts = Rc::new(self.of_body(module, body));
        self.active.remove(&function);
        self.known.insert(function, facts.clone());
        facts
    }

    fn of_body(&mut self, module: &Module, body: &Body) -> Facts {
        let (exprs, stmts) = (vec![0; body.exprs.len()], vec![0; body.stmts.len()]);
        let mut facts = Facts { exprs, stmts, ..Facts::default() };
        let Some(root) = body.root else { return facts };
        // Statements in an order in which those inside come first.
        let mut order = vec![root];
        let mut next = 0;
        while let Some(&stmt) = order.get(next) {
            order.extend(children(body, stmt));
            next += 1;
        }
        for &stmt in order.iter().rev() {
            let mut flags = match &body.stmts[stmt].kind {
                StmtKind::Return(_) | StmtKind::Discard | StmtKind::Other(_) => flag::JUMP | flag::RETURN,
                StmtKind::Break | StmtKind::Continue => flag::JUMP,
                _ => 0,
            };
            for root in expressions(body, stmt) {
                each_expression(body, root, &mut |expr| {
                    let flags = self.own(module, body, expr) | operands(&facts, body, expr);
                    if let Some(place) = facts.exprs.get_mut(expr.into_raw().into_u32() as usize) {
                        *place = flags;
                    }
                });
                flags |= facts.expr(root);
            }
            for child in children(body, stmt) {
                flags |= facts.stmt(child);
            }
            if let Some(place) = facts.stmts.get_mut(stmt.into_raw().into_u32() as usize) {
                *place = flags;
            }
        }
        facts.all = facts.stmt(root);
        facts.needed = needed::statements(module, body, &facts, &order);
        facts
    }

    fn own(&mut self, module: &Module, body: &Body, expr: ExprId) -> u8 {
        match &body.exprs[expr].kind {
            ExprKind::Global(global) | ExprKind::BlockMember(global, _)
                if module.globals[*global].storage == Storage::Shared =>
            {
                flag::SHARED
            }
            ExprKind::Call { callee: Callee::Function(function), .. } => {
                let inside = self.of(module, *function).all;
                flag::EFFECT | inside & (flag::TOUCHES | flag::EXCLUSIVE)
            }
            ExprKind::Call { callee: Callee::Builtin(function), .. } => {
                let function = extensions::function(*function);
                let own = match function.rule {
                    Some(Rule::Barrier) => flag::BARRIER,
                    Some(Rule::Subgroup | Rule::SubgroupClustered | Rule::Atomic) => flag::EXCLUSIVE,
                    _ => 0,
                };
                let writes = function
                    .parameters
                    .iter()
                    .any(|parameter| parameter.direction != ParameterDirection::In && !parameter.memory);
                own | if writes { flag::EFFECT } else { 0 }
            }
            ExprKind::Assign { target: changed, .. } | ExprKind::IncDec { operand: changed, .. } => {
                let is_followed = followed(&module.types, body.exprs[*changed].ty).is_some();
                if is_followed { flag::EFFECT } else { 0 }
            }
            _ => 0,
        }
    }
}

fn operands(facts: &Facts, body: &Body, expr: ExprId) -> u8 {
    let mut operands = Vec::new();
    body.exprs[expr].kind.operands(&mut operands);
    operands.into_iter().fold(0, |flags, operand| flags | facts.expr(operand))
}

fn changed(module: &Module, body: &Body, stmt: StmtId) -> Changes {
    let mut locals = FxHashSet::default();
    let mut others = false;
    let mut add = |expr: ExprId| match root(body, expr) {
        Some(local) => {
            locals.insert(local);
        }
        None => others = true,
    };
    let mut stack = vec![stmt];
    while let Some(stmt) = stack.pop() {
        for expr in expressions(body, stmt) {
            each_expression(body, expr, &mut |expr| each_written(module, body, expr, &mut add));
        }
        stack.extend(children(body, stmt));
    }
    Changes { locals, others }
}

/// The variable of the function that an l-value lies in.
pub(super) fn root(body: &Body, mut expr: ExprId) -> Option<LocalId> {
    loop {
        expr = match &body.exprs[expr].kind {
            ExprKind::Local(local) => return Some(*local),
            ExprKind::Index { base, .. } | ExprKind::Swizzle { base, .. } | ExprKind::Member { base, .. } => {
                *base
            }
            ExprKind::Convert { operand } => *operand,
            _ => return None,
        };
    }
}
