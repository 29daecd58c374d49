//! What is found, and the questions about types that those who find it share.

use crate::diagnostics::Code;
use crate::hir::{Body, BodyDiagnostic, ExprId, ExprKind, FunctionId, Module};
use crate::text::{TextRange, TextSize};
use crate::types::{Scalar, ScalarClassNv, Ty, TypeKind};

use crate::checks::context::Found;

/// What is found, body by body.
pub(super) struct Refusals<'a> {
    pub(super) module: &'a Module,
    pub(super) found: Vec<Found>,
    pub(super) base: TextSize,
    pub(super) function: Option<FunctionId>,
}

impl Refusals<'_> {
    /// `range`: in the coordinates of the body that is looked at.
    pub(super) fn refuse(&mut self, code: &'static Code, range: TextRange, message: String) {
        let diagnostic =
            BodyDiagnostic { code, severity: code.severity, message, range, related: Vec::new() };
        self.found.push(Found { diagnostic, base: self.base, function: self.function });
    }

    pub(super) fn kind(&self, ty: Ty) -> &TypeKind {
        self.module.types.kind(ty)
    }

    /// A matrix, of either extension.
    pub(super) fn is_matrix(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_))
    }

    /// The component of a matrix where it is known.
    pub(super) fn component(&self, ty: Ty) -> Option<Scalar> {
        match self.kind(ty) {
            TypeKind::Coopmat(matrix) => Some(matrix.component),
            TypeKind::CoopmatNv(matrix) => {
                matrix.class.component(self.module.types.symbols.as_int(matrix.bits)?)
            }
            _ => None,
        }
    }

    /// `fcoopmatNV<64, ...>`, which glslang takes for a matrix of `float`.
    pub(super) fn is_double_nv(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TypeKind::CoopmatNv(matrix) if matrix.class == ScalarClassNv::Float)
            && self.component(ty) == Some(Scalar::Float64)
    }

    /// Whether a value is a `double`, and was one before conversions.
    pub(super) fn is_double(&self, body: &Body, expr: ExprId) -> bool {
        let expr = &body.exprs[expr];
        self.module.types.as_scalar(expr.ty) == Some(Scalar::Float64)
            && !matches!(expr.kind, ExprKind::Convert { .. })
    }
}
