//! What another compiler refuses though the specifications allow it, where the configuration asks for that.
//!
//! Each refusal is a page of the catalogue of its own, whose front matter names the compiler. `docs/divergences.md` says which
//! differences are told, and why the others are not. `written` knows how sizes are written, `matrices` and `calls` look at a
//! body, `declarations` at the top level.

mod calls;
mod declarations;
mod matrices;
mod written;

use crate::config::{Configuration, Like};
use crate::diagnostics::{Code, Diagnostic};
use crate::hir::{Body, BodyDiagnostic, FunctionId, Module};
use crate::text::{TextRange, TextSize};
use crate::types::{Scalar, ScalarClassNv, Ty, TypeKind};

use super::context::Found;

pub(crate) use declarations::raised;
use written::Writing;

/// The refusals of the configuration's compiler; none where it names none.
pub(crate) fn refusals(module: &Module, config: &Configuration) -> Vec<Found> {
    match config.like {
        Some(Like::Glslang) => glslang(module),
        None => Vec::new(),
    }
}

/// What the compiler refuses of what is told anyway, only less loudly.
pub(crate) fn raise(config: &Configuration, diagnostic: &Diagnostic) -> Option<Diagnostic> {
    match config.like {
        Some(Like::Glslang) => raised(diagnostic),
        None => None,
    }
}

fn glslang(module: &Module) -> Vec<Found> {
    let writing = Writing::of(module);
    let mut refusals = Refusals { module, found: Vec::new(), base: TextSize::new(0), function: None };
    declarations::check(&mut refusals);
    for (body, base, function) in module.bodies() {
        (refusals.base, refusals.function) = (base, function);
        matrices::check(&mut refusals, body, &writing);
        calls::check(&mut refusals, body);
    }
    refusals.found
}

/// What is found, body by body.
struct Refusals<'a> {
    module: &'a Module,
    found: Vec<Found>,
    base: TextSize,
    function: Option<FunctionId>,
}

impl Refusals<'_> {
    /// `range`: in the coordinates of the body that is looked at.
    fn refuse(&mut self, code: &'static Code, range: TextRange, message: String) {
        let diagnostic =
            BodyDiagnostic { code, severity: code.severity, message, range, related: Vec::new() };
        self.found.push(Found { diagnostic, base: self.base, function: self.function });
    }

    fn kind(&self, ty: Ty) -> &TypeKind {
        self.module.types.kind(ty)
    }

    /// A matrix, of either extension.
    fn is_matrix(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_))
    }

    /// The component of a matrix where it is known.
    fn component(&self, ty: Ty) -> Option<Scalar> {
        match self.kind(ty) {
            TypeKind::Coopmat(matrix) => Some(matrix.component),
            TypeKind::CoopmatNv(matrix) => {
                matrix.class.component(self.module.types.symbols.as_int(matrix.bits)?)
            }
            _ => None,
        }
    }

    /// `fcoopmatNV<64, ...>`, which glslang takes for a matrix of `float`.
    fn is_double_nv(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TypeKind::CoopmatNv(matrix) if matrix.class == ScalarClassNv::Float)
            && self.component(ty) == Some(Scalar::Float64)
    }

    /// Whether a value is a `double`, and was one before conversions.
    fn is_double(&self, body: &Body, expr: crate::hir::ExprId) -> bool {
        let expr = &body.exprs[expr];
        self.module.types.as_scalar(expr.ty) == Some(Scalar::Float64)
            && !matches!(expr.kind, crate::hir::ExprKind::Convert { .. })
    }
}
