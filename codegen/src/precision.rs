//! `precise`, `mediump` and `lowp`: which results may not be contracted, and which may be computed with less precision.
//!
//! Both are rare: nothing here runs for a shader that uses neither.

use coopmat_analysis::hir::{BinaryOp, Body, Callee, ExprId, ExprKind, LocalId, Module, Precision, StmtKind};
use coopmat_analysis::types::{Scalar, Ty, TypeKind};
use rspirv::spirv::{Decoration, Word};
use rustc_hash::FxHashSet;

use crate::codegen::Codegen;

/// Expressions that nest deeper are taken for precise to the full.
const MAX_DEPTH: u32 = 64;

/// Whether anything is declared `mediump` or `lowp`.
pub(crate) fn uses_less_precision(hir: &Module) -> bool {
    let less = |precision: Option<Precision>| matches!(precision, Some(Precision::Low | Precision::Medium));
    hir.globals.iter().any(|(_, global)| less(global.precision))
        || hir
            .structs
            .iter()
            .any(|(_, structure)| structure.members.iter().any(|member| less(member.precision)))
        || hir.bodies().any(|(body, _, _)| body.locals.iter().any(|(_, local)| less(local.precision)))
}

/// The expressions whose values flow into a `precise` variable of the function (GLSL 4.60, section 4.11.1).
pub(crate) fn precise_expressions(body: &Body) -> FxHashSet<ExprId> {
    let mut locals: FxHashSet<LocalId> =
        body.locals.iter().filter(|(_, local)| local.memory.precise).map(|(id, _)| id).collect();
    let mut found = FxHashSet::default();
    if locals.is_empty() {
        return found;
    }
    loop {
        let before = (locals.len(), found.len());
        for (id, expr) in body.exprs.iter() {
            if let ExprKind::Assign { target, value, .. } = expr.kind
                && root(body, target).is_some_and(|local| locals.contains(&local))
            {
                found.insert(id);
                flows(body, value, &mut locals, &mut found, 0);
            }
        }
        for (_, statement) in body.stmts.iter() {
            if let StmtKind::Declare { local, initializer: Some(initializer) } = statement.kind
                && locals.contains(&local)
            {
                flows(body, initializer, &mut locals, &mut found, 0);
            }
        }
        if before == (locals.len(), found.len()) {
            return found;
        }
    }
}

fn root(body: &Body, mut expr: ExprId) -> Option<LocalId> {
    loop {
        match body.exprs[expr].kind {
            ExprKind::Local(local) => return Some(local),
            ExprKind::Member { base, .. } | ExprKind::Swizzle { base, .. } | ExprKind::Index { base, .. } => {
                expr = base;
            }
            _ => return None,
        }
    }
}

/// Marks what a value is computed from.
fn flows(
    body: &Body,
    expr: ExprId,
    locals: &mut FxHashSet<LocalId>,
    found: &mut FxHashSet<ExprId>,
    depth: u32,
) {
    if depth > MAX_DEPTH || !found.insert(expr) {
        return;
    }
    let mut go = |part: ExprId| flows(body, part, locals, found, depth + 1);
    match &body.exprs[expr].kind {
        ExprKind::Local(local) => {
            locals.insert(*local);
        }
        ExprKind::Unary { operand, .. }
        | ExprKind::IncDec { operand, .. }
        | ExprKind::Convert { operand } => go(*operand),
        ExprKind::Binary { left, right, .. } => {
            go(*left);
            go(*right);
        }
        ExprKind::Assign { value, .. } => go(*value),
        ExprKind::Conditional { then, otherwise, .. } => {
            go(*then);
            go(*otherwise);
        }
        ExprKind::Comma { right, .. } => go(*right),
        ExprKind::Call { arguments, .. } | ExprKind::Construct { arguments } => {
            arguments.iter().for_each(|&argument| go(argument));
        }
        ExprKind::InitializerList { elements } => elements.iter().for_each(|&element| go(element)),
        ExprKind::Member { base, .. } | ExprKind::Swizzle { base, .. } | ExprKind::Index { base, .. } => {
            go(*base);
        }
        ExprKind::Error
        | ExprKind::Literal
        | ExprKind::String(_)
        | ExprKind::Global(_)
        | ExprKind::BlockMember(..)
        | ExprKind::BuiltinVariable(_)
        | ExprKind::BuiltinConstant(_)
        | ExprKind::FunctionName { .. }
        | ExprKind::Length { .. } => {}
    }
}

impl<'a> Codegen<'a> {
    /// Decorates the result of an expression that was just emitted.
    pub fn mark_result(&mut self, expr: ExprId, id: Word) {
        let e = self.expr(expr);
        let arithmetic = match &e.kind {
            ExprKind::Unary { .. } | ExprKind::Assign { op: Some(_), .. } => true,
            ExprKind::Binary { op, .. } => {
                matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div)
            }
            _ => false,
        };
        let is_float = self.types.component(e.ty).is_some_and(Scalar::is_float);
        let plain = !matches!(self.types.kind(e.ty), TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_));
        if arithmetic && is_float && plain && self.f.precise.contains(&expr) {
            self.b.decorate(id, Decoration::NoContraction, []);
        }
        if self.less_precision && self.has_precision(e.ty) && self.is_relaxed(self.precision(expr, 0)) {
            self.b.decorate(id, Decoration::RelaxedPrecision, []);
        }
    }

    /// Decorates a variable, parameter or member that is declared with less precision.
    pub fn relax(&mut self, id: Word, ty: Ty, precision: Option<Precision>) {
        if self.has_precision(ty) && self.is_relaxed(precision) {
            self.b.decorate(id, Decoration::RelaxedPrecision, []);
        }
    }

    pub fn is_relaxed(&self, precision: Option<Precision>) -> bool {
        matches!(precision, Some(Precision::Low | Precision::Medium))
    }

    /// Whether precision qualifiers mean something for a type: 32-bit numbers, and arrays of them.
    pub fn has_precision(&self, mut ty: Ty) -> bool {
        while let TypeKind::Array(element, _) = self.types.kind(ty) {
            ty = *element;
        }
        let numbers =
            matches!(self.types.component(ty), Some(Scalar::Float32 | Scalar::Int32 | Scalar::Uint32));
        numbers && !matches!(self.types.kind(ty), TypeKind::Coopmat(_))
    }

    /// The precision of an expression: the highest of its operands; `None` for constants, which have none of their own.
    fn precision(&self, expr: ExprId, depth: u32) -> Option<Precision> {
        if depth > MAX_DEPTH {
            return Some(Precision::High);
        }
        let e = self.expr(expr);
        let of = |part: ExprId| self.precision(part, depth + 1);
        let highest = |parts: &[ExprId]| parts.iter().filter_map(|&part| of(part)).max_by_key(|p| rank(*p));
        if !self.has_precision(e.ty) {
            return None;
        }
        match &e.kind {
            ExprKind::Literal | ExprKind::BuiltinConstant(_) => None,
            ExprKind::Local(local) => Some(self.local(*local).precision.unwrap_or(Precision::High)),
            ExprKind::Global(global) => Some(self.global(*global).precision.unwrap_or(Precision::High)),
            ExprKind::BlockMember(global, member) => {
                let precision = match *self.types.kind(self.global(*global).ty) {
                    TypeKind::Struct(structure) => {
                        let members = &self.hir.structs[structure].members;
                        members.get(*member as usize).and_then(|member| member.precision)
                    }
                    _ => None,
                };
                Some(precision.unwrap_or(Precision::High))
            }
            ExprKind::Member { structure, member, .. } => {
                let members = &self.hir.structs[*structure].members;
                let precision = members.get(*member as usize).and_then(|member| member.precision);
                Some(precision.unwrap_or(Precision::High))
            }
            ExprKind::Unary { operand, .. }
            | ExprKind::IncDec { operand, .. }
            | ExprKind::Convert { operand } => of(*operand),
            ExprKind::Binary { left, right, .. } => highest(&[*left, *right]),
            ExprKind::Assign { target, .. } => of(*target),
            ExprKind::Conditional { then, otherwise, .. } => highest(&[*then, *otherwise]),
            ExprKind::Comma { right, .. } => of(*right),
            ExprKind::Construct { arguments } => highest(arguments),
            ExprKind::Call { callee: Callee::Builtin(_), arguments } => highest(arguments),
            ExprKind::InitializerList { elements } => highest(elements),
            ExprKind::Swizzle { base, .. } | ExprKind::Index { base, .. } => of(*base),
            ExprKind::Call { callee: Callee::Function(_), .. }
            | ExprKind::BuiltinVariable(_)
            | ExprKind::Length { .. }
            | ExprKind::Error
            | ExprKind::String(_)
            | ExprKind::FunctionName { .. } => Some(Precision::High),
        }
    }
}

fn rank(precision: Precision) -> u8 {
    match precision {
        Precision::Low => 0,
        Precision::Medium => 1,
        Precision::High => 2,
    }
}
