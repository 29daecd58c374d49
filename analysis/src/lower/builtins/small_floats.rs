//! `saturatedConvertEXT` of GL_EXT_float_e4m3 and GL_EXT_float_e5m2, Chapter 8: from a
//! float to a small format, for scalars, vectors and matrices of one shape.

use crate::diagnostics::codes;
use crate::hir::ExprId;
use crate::lower::Lowerer;
use crate::lower::call_site::CallSite;
use crate::types::{Scalar, Ty, TypeKind};

use super::matrix::{conversion_difference, declarations};

/// The formats that a value is converted to.
fn is_small(scalar: Scalar) -> bool {
    // GL_EXT_ocp_microscaling_types, issue 1: to its formats nothing is converted but constants.
    matches!(scalar, Scalar::FloatE4M3 | Scalar::FloatE5M2)
}

pub(super) fn saturated_convert(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let &[result, value] = call.arguments else { return call.result };
    if let Some((at, message)) = misfit(lowerer, result, value) {
        let (range, related) = (lowerer.range_of(at), declarations(lowerer, &[result, value]));
        lowerer.report_with(&codes::SATURATED_CONVERT, range, message, related);
    }
    call.result
}

/// The argument that does not fit, and why.
fn misfit(lowerer: &mut Lowerer<'_>, result: ExprId, value: ExprId) -> Option<(ExprId, String)> {
    let (target, source) = (lowerer.type_of(result), lowerer.type_of(value));
    if lowerer.types.is_error(target) || lowerer.types.is_error(source) {
        return None;
    }
    let (found_target, found_source) = (lowerer.display(target), lowerer.display(source));
    match lowerer.types.component(target) {
        // What small formats are matrices of is told by the component.
        Some(component) if is_small(component) => {}
        _ => {
            let message =
                format!("the result must be of `floate4m3_t` or `floate5m2_t`, but is `{found_target}`");
            return Some((result, message));
        }
    }
    if let (TypeKind::Coopmat(_), TypeKind::Coopmat(_)) =
        (lowerer.types.kind(target), lowerer.types.kind(source))
    {
        // Of matrices the text asks only that the result could be constructed from the value, integers among them.
        let difference = conversion_difference(lowerer, target, source)?;
        return Some((
            value,
            format!("`{found_source}` cannot be converted to `{found_target}` ({difference})"),
        ));
    }
    match lowerer.types.component(source) {
        // An integer converts implicitly to the `float` or `double` of the parameter.
        Some(component) if !matches!(component, Scalar::Bool | Scalar::FloatE4M3 | Scalar::FloatE5M2) => {}
        _ => {
            let message =
                format!("the value must be of a wider floating-point type, but is `{found_source}`");
            return Some((value, message));
        }
    }
    let fits = match (lowerer.types.kind(target), lowerer.types.kind(source)) {
        (TypeKind::Scalar(_), TypeKind::Scalar(_)) => true,
        (TypeKind::Vector(_, length), TypeKind::Vector(_, other)) => length == other,
        (TypeKind::LongVector(_, length), TypeKind::LongVector(_, other)) => length == other,
        // A symbolic length may turn out to be an ordinary one.
        (TypeKind::LongVector(_, length), TypeKind::Vector(..))
        | (TypeKind::Vector(..), TypeKind::LongVector(_, length)) => {
            lowerer.types.symbols.as_int(*length).is_none()
        }
        _ => false,
    };
    (!fits).then(|| {
        (value, format!("the result and the value must have the same number of components: `{found_target}` and `{found_source}`"))
    })
}
