//! The matrix types themselves: values of their parameters, what they are constructed from, and where they may be stored.

use crate::diagnostics::codes;
use crate::hir::{ExprId, Storage};
use crate::lower::Lowerer;
use crate::symbolic::Sym;
use crate::text::TextRange;
use crate::types::{Coopmat, Ty, TypeKind, Types};

use super::matrix::{
    self, Relation, SCOPE_SUBGROUP, SCOPE_WORKGROUP, USE_A, USE_ACCUMULATOR, USE_B, relation,
};

/// Where the arguments of a written `coopmat<...>` are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoopmatRanges {
    pub scope: TextRange,
    pub rows: TextRange,
    pub columns: TextRange,
    pub usage: TextRange,
}

/// Values of a type's parameters that no device accepts. What depends on specialization is left alone: defaults are often
/// placeholders.
pub(crate) fn check_parameter_values(lowerer: &mut Lowerer<'_>, matrix: Coopmat, ranges: CoopmatRanges) {
    let value = |lowerer: &Lowerer<'_>, sym: Sym| lowerer.types.symbols.as_int(sym);
    if let Some(scope) = value(lowerer, matrix.scope)
        && ![SCOPE_SUBGROUP, SCOPE_WORKGROUP].contains(&scope)
    {
        let message = format!(
            "the scope is {}: expected gl_ScopeSubgroup or gl_ScopeWorkgroup",
            matrix::scope_text(lowerer, matrix.scope)
        );
        lowerer.report(&codes::COOPMAT_PARAMETER_VALUE, ranges.scope, message);
    }
    for (size, range, name) in
        [(matrix.rows, ranges.rows, "rows"), (matrix.columns, ranges.columns, "columns")]
    {
        if let Some(size) = value(lowerer, size)
            && size < 1
        {
            let message = format!("the number of {name} is {size}: expected at least 1");
            lowerer.report(&codes::COOPMAT_PARAMETER_VALUE, range, message);
        }
    }
    if let Some(usage) = value(lowerer, matrix.usage)
        && ![USE_A, USE_B, USE_ACCUMULATOR].contains(&usage)
    {
        let message =
            format!("the use is {usage}: expected gl_MatrixUseA, gl_MatrixUseB or gl_MatrixUseAccumulator");
        lowerer.report(&codes::COOPMAT_PARAMETER_VALUE, ranges.usage, message);
    }
}

/// Whether a type is or contains a cooperative matrix. Structures are not looked into: their members are checked where they
/// are declared.
pub(crate) fn contains_matrix(types: &Types, ty: Ty) -> bool {
    match types.kind(ty) {
        TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) => true,
        TypeKind::Array(element, _) => contains_matrix(types, *element),
        _ => false,
    }
}

/// Reports a matrix in memory that cannot hold one.
pub(crate) fn check_storage(lowerer: &mut Lowerer<'_>, name: &str, range: TextRange, storage: Storage) {
    let place = match storage {
        Storage::Shared => "shared memory",
        Storage::Buffer => "a buffer",
        Storage::Uniform => "uniform memory",
        Storage::PushConstant => "a push constant",
        Storage::In => "a shader input",
        Storage::Out => "a shader output",
        Storage::Private | Storage::Const | Storage::Other => return,
    };
    let message = format!(
        "`{name}` is or contains a cooperative matrix, which cannot be in {place}: store its components in an array instead"
    );
    lowerer.report(&codes::COOPMAT_STORAGE, range, message);
}

/// Extensions that let a constructor change the use.
const USE_CONVERSIONS: [&str; 2] = ["GL_NV_cooperative_matrix2", "GL_EXT_cooperative_matrix_maintenance1"];

/// Checks the constructor of a matrix from a matrix: GL_KHR_cooperative_matrix and GL_NV_cooperative_matrix2, section 5.4.X.
/// Returns whether it is possible.
pub(crate) fn check_conversion(lowerer: &mut Lowerer<'_>, target: Ty, value: ExprId) -> bool {
    let source = lowerer.type_of(value);
    let (TypeKind::Coopmat(to), TypeKind::Coopmat(from)) =
        (lowerer.types.kind(target).clone(), lowerer.types.kind(source).clone())
    else {
        return true;
    };
    let mut difference = None;
    for (name, to, from) in
        [("scope", to.scope, from.scope), ("rows", to.rows, from.rows), ("columns", to.columns, from.columns)]
    {
        if matches!(relation(lowerer, to, from), Relation::Different | Relation::Depends { .. }) {
            let text = |sym| match name {
                "scope" => matrix::scope_text(lowerer, sym),
                _ => matrix::size_text(lowerer, sym),
            };
            difference = Some(format!("{name}: {} but {}", text(to), text(from)));
            break;
        }
    }
    if difference.is_none()
        && matches!(relation(lowerer, to.usage, from.usage), Relation::Different | Relation::Depends { .. })
    {
        let known = |sym| lowerer.types.symbols.as_int(sym);
        let from_accumulator = known(from.usage).is_none_or(|usage| usage == USE_ACCUMULATOR);
        let to_factor = known(to.usage).is_none_or(|usage| usage == USE_A || usage == USE_B);
        let changes = USE_CONVERSIONS.iter().any(|name| lowerer.environment.enabled_by_name(name));
        if !(from_accumulator && to_factor && changes) {
            let hint =
                if from_accumulator && to_factor { ", which needs GL_NV_cooperative_matrix2" } else { "" };
            difference = Some(format!(
                "use: {} but {}{hint}",
                matrix::use_text(lowerer, to.usage),
                matrix::use_text(lowerer, from.usage)
            ));
        }
    }
    let Some(difference) = difference else { return true };
    let (range, related) = (lowerer.range_of(value), matrix::declarations(lowerer, &[value]));
    let message = format!(
        "`{}` cannot be constructed from `{}` ({difference})",
        lowerer.display(target),
        lowerer.display(source)
    );
    lowerer.report_with(&codes::COOPMAT_CONSTRUCTOR, range, message, related);
    false
}
