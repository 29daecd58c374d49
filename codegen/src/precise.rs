//! `precise`: what flows into such a variable is computed as it is written, without contraction (GLSL 4.60, section 4.11.1). The flow
//! is followed through the whole program: assignments, calls, results.
//!
//! `precise` is rare: a shader without it costs one look at its declarations.

use coopmat_analysis::hir::{
    Body, Callee, Direction, ExprId, ExprKind, FunctionId, GlobalId, LocalId, Module, Parameter, StmtKind,
};
use coopmat_analysis::types::TypeKind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Expressions that nest deeper are left out.
const MAX_DEPTH: u32 = 64;

/// Expressions by their function; `None` for the top level.
pub(crate) type Precise = FxHashMap<Option<FunctionId>, Rc<FxHashSet<ExprId>>>;

/// What is known to be precise so far; it only grows.
#[derive(Default)]
struct Flow {
    globals: FxHashSet<GlobalId>,
    locals: FxHashSet<(FunctionId, LocalId)>,
    /// Functions whose results are.
    results: FxHashSet<FunctionId>,
    expressions: FxHashMap<Option<FunctionId>, FxHashSet<ExprId>>,
    changed: bool,
}

/// The expressions whose values flow into `precise` variables.
pub(crate) fn precise_expressions(hir: &Module) -> Precise {
    let mut flow = Flow::default();
    flow.globals.extend(hir.globals.iter().filter(|(_, global)| global.memory.precise).map(|(id, _)| id));
    for (body, _, function) in hir.bodies() {
        let Some(function) = function else { continue };
        let precise = body.locals.iter().filter(|(_, local)| local.memory.precise);
        flow.locals.extend(precise.map(|(local, _)| (function, local)));
    }
    let members = hir.structs.iter().any(|(_, structure)| structure.members.iter().any(|m| m.memory.precise));
    if flow.globals.is_empty() && flow.locals.is_empty() && !members {
        return Precise::default();
    }
    loop {
        flow.changed = false;
        for (body, _, function) in hir.bodies() {
            Walk { hir, body, function, flow: &mut flow }.body();
        }
        if !flow.changed {
            return flow
                .expressions
                .into_iter()
                .map(|(function, found)| (function, Rc::new(found)))
                .collect();
        }
    }
}

/// One function, looked at once.
struct Walk<'a> {
    hir: &'a Module,
    body: &'a Body,
    function: Option<FunctionId>,
    flow: &'a mut Flow,
}

impl Walk<'_> {
    fn body(&mut self) {
        let body = self.body;
        for (id, expr) in body.exprs.iter() {
            match &expr.kind {
                ExprKind::Assign { target, value, .. } if self.is_precise(*target) => {
                    self.mark(id);
                    self.flows(*value, 0);
                }
                ExprKind::IncDec { operand, .. } if self.is_precise(*operand) => {
                    self.mark(id);
                }
                ExprKind::Call { callee: Callee::Function(function), arguments } => {
                    self.arguments(*function, arguments);
                }
                _ => {}
            }
        }
        for (_, statement) in body.stmts.iter() {
            match (&statement.kind, self.function) {
                (StmtKind::Declare { local, initializer: Some(initializer) }, Some(function))
                    if self.flow.locals.contains(&(function, *local)) =>
                {
                    self.flows(*initializer, 0);
                }
                (StmtKind::Return(Some(value)), Some(function)) if self.flow.results.contains(&function) => {
                    self.flows(*value, 0);
                }
                _ => {}
            }
        }
        if self.function.is_none() {
            for (id, global) in self.hir.globals.iter() {
                if let Some(initializer) = global.initializer
                    && self.flow.globals.contains(&id)
                {
                    self.flows(initializer, 0);
                }
            }
        }
    }

    /// What goes into a precise parameter, and what comes out of a function into a precise variable.
    fn arguments(&mut self, function: FunctionId, arguments: &[ExprId]) {
        let callee = &self.hir.functions[function];
        let Some(body) = callee.body.as_deref() else { return };
        for ((parameter, &local), &argument) in callee.parameters.iter().zip(&body.parameters).zip(arguments)
        {
            let Parameter { direction, .. } = parameter;
            if *direction != Direction::In && self.is_precise(argument) {
                self.flow.changed |= self.flow.locals.insert((function, local));
            }
            if *direction != Direction::Out && self.flow.locals.contains(&(function, local)) {
                self.flows(argument, 0);
            }
        }
    }

    fn is_precise(&self, mut expr: ExprId) -> bool {
        loop {
            match self.body.exprs[expr].kind {
                ExprKind::Local(local) => {
                    return self
                        .function
                        .is_some_and(|function| self.flow.locals.contains(&(function, local)));
                }
                ExprKind::Global(global) => return self.flow.globals.contains(&global),
                ExprKind::BlockMember(global, member) => {
                    let precise = match *self.hir.types.kind(self.hir.globals[global].ty) {
                        TypeKind::Struct(structure) => {
                            let members = &self.hir.structs[structure].members;
                            members.get(member as usize).is_some_and(|member| member.memory.precise)
                        }
                        _ => false,
                    };
                    return precise || self.flow.globals.contains(&global);
                }
                ExprKind::Member { base, structure, member } => {
                    let members = &self.hir.structs[structure].members;
                    if members.get(member as usize).is_some_and(|member| member.memory.precise) {
                        return true;
                    }
                    expr = base;
                }
                ExprKind::Swizzle { base, .. } | ExprKind::Index { base, .. } => expr = base,
                _ => return false,
            }
        }
    }

    fn mark(&mut self, expr: ExprId) -> bool {
        let new = self.flow.expressions.entry(self.function).or_default().insert(expr);
        self.flow.changed |= new;
        new
    }

    /// Marks what a value is computed from.
    fn flows(&mut self, expr: ExprId, depth: u32) {
        if depth > MAX_DEPTH || !self.mark(expr) {
            return;
        }
        let kind = &self.body.exprs[expr].kind;
        match kind {
            ExprKind::Local(local) => {
                if let Some(function) = self.function {
                    self.flow.changed |= self.flow.locals.insert((function, *local));
                }
            }
            ExprKind::Global(global) => self.flow.changed |= self.flow.globals.insert(*global),
            ExprKind::Assign { value, .. } => self.flows(*value, depth + 1),
            ExprKind::Comma { right, .. } => self.flows(*right, depth + 1),
            // Which one is taken is no matter of precision, nor is which element.
            ExprKind::Conditional { then, otherwise, .. } => {
                self.flows(*then, depth + 1);
                self.flows(*otherwise, depth + 1);
            }
            ExprKind::Index { base, .. } => self.flows(*base, depth + 1),
            // Its parameters pass on what its result is computed from.
            ExprKind::Call { callee: Callee::Function(function), .. } => {
                self.flow.changed |= self.flow.results.insert(*function);
            }
            ExprKind::Length { .. } => {}
            _ => {
                let mut operands = Vec::new();
                kind.operands(&mut operands);
                for operand in operands {
                    self.flows(operand, depth + 1);
                }
            }
        }
    }
}
