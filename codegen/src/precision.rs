//! `mediump` and `lowp`: which results may be computed with less precision. Nothing here runs for a shader that uses neither.

use coopmat_analysis::hir::{Callee, ExprId, ExprKind, Module, Precision};
use coopmat_analysis::types::{Scalar, Ty, TypeKind};
use rspirv::spirv::Word;

use crate::builder::note;
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

impl<'a> Codegen<'a> {
    /// Decorates the result of an expression that was just emitted. What the expression only passes on has been decorated already, and
    /// a constant is shared with expressions of full precision.
    pub fn mark_result(&mut self, expr: ExprId, id: Word) {
        let e = self.expr(expr);
        if self.less_precision
            && self.has_precision(e.ty)
            && self.b.notes(id) & note::GLOBAL == 0
            && self.is_relaxed(self.precision(expr, 0))
        {
            self.b.relaxed(id);
        }
    }

    /// Decorates a variable, parameter or member that is declared with less precision.
    pub fn relax(&mut self, id: Word, ty: Ty, precision: Option<Precision>) {
        if self.has_precision(ty) && self.is_relaxed(precision) {
            self.b.relaxed(id);
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
