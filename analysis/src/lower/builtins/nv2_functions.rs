//! Reductions, per-element functions and transposition, of GL_NV_cooperative_matrix2 and of GL_EXT_cooperative_matrix_maintenance1,
//! 8.X: the latter also reduces integers, transposes to use A, and converts components.

use crate::diagnostics::codes;
use crate::extensions::{self, ExtensionId, Rule, constants, ids, values};
use crate::hir::{Const, ExprId};
use crate::lower::Lowerer;
use crate::lower::call_site::CallSite;
use crate::symbolic::{Sym, SymOp};
use crate::types::{Ty, TypeKind};

use super::callback_arguments::{self, Misfit, check_const_in, parameter_name, same, signature};
use super::matrix::{
    self, Operand, Relation, USE_A, USE_ACCUMULATOR, USE_B, check_use, check_use_among, declarations,
    matrix_argument, relation, report_relation, shape_text, size_text,
};

const MAINTENANCE1: ExtensionId = ids::GL_EXT_COOPERATIVE_MATRIX_MAINTENANCE1;

/// Whether a call is one of GL_EXT_cooperative_matrix_maintenance1, rather than of GL_NV_cooperative_matrix2.
fn is_maintenance(call: &CallSite<'_>) -> bool {
    extensions::function(call.function).is_provided_by(MAINTENANCE1)
}

const REDUCE_ROW: i128 = values::GL_COOPERATIVE_MATRIX_REDUCE_ROW_NV as i128;
const REDUCE_COLUMN: i128 = values::GL_COOPERATIVE_MATRIX_REDUCE_COLUMN_NV as i128;
const REDUCE_ROW_AND_COLUMN: i128 = values::GL_COOPERATIVE_MATRIX_REDUCE_ROW_AND_COLUMN_NV as i128;
const REDUCE_2X2: i128 = values::GL_COOPERATIVE_MATRIX_REDUCE2X2_NV as i128;

/// `coopMatReduceNV(result, m, reduceMask, combineOp)`; `coopMatReduceEXT` also takes integers.
pub(super) fn reduce(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let result = matrix_argument(lowerer, call, 0);
    let source = matrix_argument(lowerer, call, 1);
    let mut fits = true;
    for (operand, name) in [(&result, "the result"), (&source, "the source")] {
        if let Some(operand) = operand {
            fits &= check_use(lowerer, &codes::NV_REDUCE_USE, name, operand, USE_ACCUMULATOR);
        }
    }
    let mask = call.arguments.get(2).and_then(|&mask| reduce_mask(lowerer, mask, is_maintenance(call)));
    if let Some(source) = &source {
        if !is_maintenance(call) && !source.matrix.component.is_float() {
            let related = declarations(lowerer, &[source.expr]);
            lowerer.report_with(
                &codes::NV_REDUCE_COMPONENT,
                source.range,
                format!(
                    "the source has components of {}: `{}` needs a floating-point component type; `{}` of {MAINTENANCE1} takes \
                     integers",
                    source.matrix.component.name(),
                    extensions::function(call.function).name,
                    extensions::function_from(Rule::CoopMatReduce, MAINTENANCE1).unwrap_or_default(),
                ),
                related,
            );
        }
        if let Some(result) = &result {
            check_reduce_types(lowerer, result, source);
            if fits && let Some(mask) = mask {
                check_reduce_shape(lowerer, result, source, mask);
            }
        }
        if let Some(&combine) = call.arguments.get(3) {
            let component = lowerer.types.scalar(source.matrix.component);
            resolve_combine(lowerer, combine, component);
        }
    }
    call.result
}

fn reduce_mask(lowerer: &mut Lowerer<'_>, mask: ExprId, maintenance: bool) -> Option<i128> {
    let range = lowerer.range_of(mask);
    let (row, suffix) = match maintenance {
        true => (constants::GL_COOPERATIVE_MATRIX_REDUCE_ROW_EXT, "EXT"),
        false => (constants::GL_COOPERATIVE_MATRIX_REDUCE_ROW_NV, "NV"),
    };
    let message = match &lowerer.body.exprs[mask].constant {
        Some(Const::Int(value @ REDUCE_ROW..=REDUCE_2X2)) => return Some(*value),
        Some(Const::Int(value)) if value & REDUCE_2X2 != 0 && *value & !7 == 0 => {
            "a 2x2 reduction cannot be combined with a reduction of rows or columns".to_owned()
        }
        Some(Const::Int(value)) => format!(
            "the reduce mask is {value}: expected `{}` (1), `...Column{suffix}` (2), both (3) or `...2x2{suffix}` (4)",
            row.name()
        ),
        _ => {
            "the reduce mask must be a constant expression that does not depend on specialization".to_owned()
        }
    };
    lowerer.report(&codes::NV_REDUCE_MASK, range, message);
    None
}

/// The SPIR-V instruction has one component type and one scope.
fn check_reduce_types(lowerer: &mut Lowerer<'_>, result: &Operand, source: &Operand) {
    let (have, want) = (result.matrix.component, source.matrix.component);
    let related = declarations(lowerer, &[result.expr, source.expr]);
    if have != want {
        let message = format!(
            "the result has components of {} but the source of {}: a reduction keeps the component type",
            have.name(),
            want.name()
        );
        lowerer.report_with(&codes::NV_REDUCE_COMPONENT, result.range, message, related);
        return;
    }
    let relation = relation(lowerer, result.matrix.scope, source.matrix.scope);
    if relation.differs_by_default() {
        let message = format!(
            "the result has scope {} but the source {}: a reduction keeps the scope",
            matrix::scope_text(lowerer, result.matrix.scope),
            matrix::scope_text(lowerer, source.matrix.scope)
        );
        report_relation(
            lowerer,
            &codes::NV_REDUCE_COMPONENT,
            relation,
            result.range,
            message,
            &[result.expr, source.expr],
        );
    }
}

fn check_reduce_shape(lowerer: &mut Lowerer<'_>, result: &Operand, source: &Operand, mask: i128) {
    let rows = (result.matrix.rows, source.matrix.rows, "rows");
    let columns = (result.matrix.columns, source.matrix.columns, "columns");
    let (checks, halved) = match mask {
        REDUCE_ROW => (vec![rows], false),
        REDUCE_COLUMN => (vec![columns], false),
        REDUCE_2X2 => (vec![rows, columns], true),
        _ => (vec![], REDUCE_ROW_AND_COLUMN != mask),
    };
    for (have, of_source, name) in checks {
        let want = if halved { half(lowerer, of_source) } else { of_source };
        // Of an odd number there is no half.
        let odd = halved && lowerer.types.symbols.as_int(of_source).is_some_and(|size| size % 2 != 0);
        let relation = if odd { Relation::Different } else { relation(lowerer, have, want) };
        if !matches!(relation, Relation::Different | Relation::Depends { .. }) {
            continue;
        }
        let (have, of_source) = (size_text(lowerer, have), size_text(lowerer, of_source));
        let rule = if halved {
            format!("the {name} of the result ({have}) must be half the {name} of the source ({of_source})")
        } else {
            format!("the {name} of the result ({have}) must equal the {name} of the source ({of_source})")
        };
        let message = format!(
            "the result is {} but the source is {}: {rule}",
            shape_text(lowerer, result.matrix),
            shape_text(lowerer, source.matrix)
        );
        report_relation(
            lowerer,
            &codes::NV_REDUCE_SHAPE,
            relation,
            result.range,
            message,
            &[result.expr, source.expr],
        );
        return;
    }
}

fn half(lowerer: &mut Lowerer<'_>, size: Sym) -> Sym {
    let symbols = &mut lowerer.types.symbols;
    let two = symbols.int(2);
    symbols.apply(SymOp::DivUnsigned, &[size, two])
}

/// A function of two values of the component type, giving one.
fn resolve_combine(lowerer: &mut Lowerer<'_>, argument: ExprId, component: Ty) {
    let name = lowerer.display(component);
    let expected = format!("{name} combine(const in {name}, const in {name})");
    callback_arguments::resolve(lowerer, argument, &expected, |lowerer, function| {
        let (parameters, returns) = signature(lowerer, function);
        if parameters.len() != 2 {
            let message = format!("it has {} parameters instead of 2", parameters.len());
            return Some(Misfit::new(&codes::NV_COMBINE_SIGNATURE, message));
        }
        let misfit = |message| {
            let wanted = Some((vec![component; 2], component));
            Some(Misfit { code: &codes::NV_COMBINE_SIGNATURE, message, wanted })
        };
        for (index, parameter) in parameters.iter().enumerate() {
            if !same(lowerer, parameter.ty, component) {
                return misfit(format!(
                    "{} is {}, but the matrix has components of {name}",
                    parameter_name(parameter, index),
                    lowerer.display(parameter.ty)
                ));
            }
        }
        if !same(lowerer, returns, component) {
            return misfit(format!("it returns {} instead of {name}", lowerer.display(returns)));
        }
        check_const_in(&parameters)
    });
}

/// `coopMatPerElementNV(result, m, elemOp, ...)`.
pub(super) fn per_element(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    if call.arguments.len() < 3 {
        lowerer.report(
            &codes::NV_ELEMENT_ARGUMENTS,
            call.range,
            format!(
                "`{}` takes a result matrix, a source matrix and the name of a function, but has {} arguments",
                extensions::function(call.function).name,
                call.arguments.len()
            ),
        );
        return call.result;
    }
    let result = matrix_argument(lowerer, call, 0);
    let source = matrix_argument(lowerer, call, 1);
    let (Some(source), &[_, _, function, ref further @ ..]) = (source, call.arguments) else {
        return call.result;
    };
    if let Some(result) = result
        && let Some(difference) = lowerer.matrix_difference(result.ty, source.ty)
    {
        let related = declarations(lowerer, &[result.expr, source.expr]);
        lowerer.report_with(
            &codes::NV_ELEMENT_RESULT,
            result.range,
            format!("the result must have the type of the source, but they differ in {difference}"),
            related,
        );
    }
    resolve_element(lowerer, function, &source, further);
    call.result
}

/// A function of row, column, element and what is passed on, giving an element.
fn resolve_element(lowerer: &mut Lowerer<'_>, argument: ExprId, source: &Operand, further: &[ExprId]) {
    let component = lowerer.types.scalar(source.matrix.component);
    let name = lowerer.display(component);
    let rest = if further.is_empty() { "" } else { ", ..." };
    let expected =
        format!("{name} element(const in uint row, const in uint column, const in {name} value{rest})");
    let source_ty = source.ty;
    let chosen = callback_arguments::resolve(lowerer, argument, &expected, |lowerer, function| {
        let (parameters, returns) = signature(lowerer, function);
        if parameters.len() < 3 {
            let message = format!("it has {} parameters instead of at least 3", parameters.len());
            return Some(Misfit::new(&codes::NV_ELEMENT_SIGNATURE, message));
        }
        let misfit = |message| {
            let wanted = Some((vec![Ty::UINT, Ty::UINT, component], component));
            Some(Misfit { code: &codes::NV_ELEMENT_SIGNATURE, message, wanted })
        };
        for (index, (parameter, (wanted, what))) in parameters
            .iter()
            .zip([(Ty::UINT, "row"), (Ty::UINT, "column"), (component, "element")])
            .enumerate()
        {
            if !same(lowerer, parameter.ty, wanted) {
                return misfit(format!(
                    "{} is {}, but the {what} is passed as {}",
                    parameter_name(parameter, index),
                    lowerer.display(parameter.ty),
                    lowerer.display(wanted)
                ));
            }
        }
        if !same(lowerer, returns, component) {
            return misfit(format!(
                "it returns {}, but the matrix has components of {name}",
                lowerer.display(returns)
            ));
        }
        if parameters.len() != further.len() + 3 {
            let message = format!(
                "it has {} further {}, but {} further {} passed",
                parameters.len() - 3,
                if parameters.len() == 4 { "parameter" } else { "parameters" },
                further.len(),
                if further.len() == 1 { "argument is" } else { "arguments are" }
            );
            return Some(Misfit::new(&codes::NV_ELEMENT_ARGUMENTS, message));
        }
        check_const_in(&parameters)
    });
    let Some(function) = chosen else { return };
    let (parameters, _) = signature(lowerer, function);
    for (&argument, parameter) in further.iter().zip(parameters.iter().skip(3)) {
        check_further(lowerer, argument, parameter.ty, &parameter.name, source_ty);
    }
}

/// A value of exactly the parameter's type, or a matrix of the source's type whose component has it.
fn check_further(lowerer: &mut Lowerer<'_>, argument: ExprId, wanted: Ty, parameter: &str, source: Ty) {
    let (found, range) = (lowerer.type_of(argument), lowerer.range_of(argument));
    let message = if let TypeKind::Coopmat(matrix) = *lowerer.types.kind(found) {
        // A parameter may itself be a matrix's component only: functions over elements see no matrices.
        if let Some(difference) = lowerer.matrix_difference(source, found) {
            format!(
                "a matrix argument must have the same type as the source, but they differ in {difference}"
            )
        } else {
            let component = lowerer.types.scalar(matrix.component);
            if same(lowerer, component, wanted) {
                return;
            }
            format!(
                "`{parameter}` is {}, but the elements of this matrix are {}",
                lowerer.display(wanted),
                lowerer.display(component)
            )
        }
    } else if same(lowerer, found, wanted) {
        return;
    } else {
        format!(
            "`{parameter}` is {}, but this is {}: the types must be the same",
            lowerer.display(wanted),
            lowerer.display(found)
        )
    };
    lowerer.report(&codes::NV_ELEMENT_ARGUMENTS, range, message);
}

/// `coopMatTransposeNV(result, m)`; `coopMatTransposeEXT` also gives matrices of use A, and converts the components.
pub(super) fn transpose(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let result = matrix_argument(lowerer, call, 0);
    let source = matrix_argument(lowerer, call, 1);
    let (Some(result), Some(source)) = (result, source) else { return call.result };
    let extended = is_maintenance(call);
    let mut fits = check_use(lowerer, &codes::NV_TRANSPOSE_USE, "the source", &source, USE_ACCUMULATOR);
    let uses: &[i64] = if extended { &[USE_A, USE_B] } else { &[USE_B] };
    fits &= check_use_among(lowerer, &codes::NV_TRANSPOSE_USE, "the result", &result, uses);
    if fits {
        check_transposed(lowerer, &result, &source, extended);
    }
    call.result
}

fn check_transposed(lowerer: &mut Lowerer<'_>, result: &Operand, source: &Operand, converts: bool) {
    let operands = [result.expr, source.expr];
    if result.matrix.component != source.matrix.component && !converts {
        let related = declarations(lowerer, &operands);
        let message = format!(
            "the result has components of {} but the source of {}: a transpose keeps the component type",
            result.matrix.component.name(),
            source.matrix.component.name()
        );
        lowerer.report_with(&codes::NV_TRANSPOSE_SHAPE, result.range, message, related);
        return;
    }
    let scopes = relation(lowerer, result.matrix.scope, source.matrix.scope);
    if scopes.differs_by_default() {
        let message = format!(
            "the result has scope {} but the source {}: a transpose keeps the scope",
            matrix::scope_text(lowerer, result.matrix.scope),
            matrix::scope_text(lowerer, source.matrix.scope)
        );
        report_relation(lowerer, &codes::NV_TRANSPOSE_SHAPE, scopes, result.range, message, &operands);
    }
    let rows = relation(lowerer, result.matrix.rows, source.matrix.columns);
    let columns = relation(lowerer, result.matrix.columns, source.matrix.rows);
    let worst = [rows, columns].into_iter().find(|relation| *relation == Relation::Different).or_else(|| {
        [rows, columns].into_iter().find(|relation| matches!(relation, Relation::Depends { .. }))
    });
    if let Some(relation) = worst {
        let swapped = crate::types::Coopmat {
            rows: source.matrix.columns,
            columns: source.matrix.rows,
            ..source.matrix
        };
        let message = format!(
            "the source is {}, so the result must be {}, but it is {}",
            shape_text(lowerer, source.matrix),
            shape_text(lowerer, swapped),
            shape_text(lowerer, result.matrix)
        );
        report_relation(lowerer, &codes::NV_TRANSPOSE_SHAPE, relation, result.range, message, &operands);
    }
}
