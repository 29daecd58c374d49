//! GL_QCOM_cooperative_matrix_conversion: its four built-ins. Sections are those of the extension's text.
//!
//! The texts call an invocation's array a "vector". What depends on the size of a subgroup needs the configuration or the
//! target device to tell it; sizes that depend on specialization constants are judged under the defaults, as hints.

use crate::diagnostics::{Severity, codes};
use crate::hir::{ExprId, RemedyKind};
use crate::lower::Lowerer;
use crate::lower::call_site::CallSite;
use crate::symbolic::{Sym, SymOp};
use crate::text::TextRange;
use crate::types::{ArrayLength, Scalar, Ty, TypeKind};

use super::device;
use super::matrix::{
    self, Operand, Relation, SCOPE_SUBGROUP, USE_A, USE_ACCUMULATOR, USE_B, constant_of, declarations,
    explicit_name, matrix_argument, relation, relation_to, report_relation, scope_text, size_text,
};

/// A one-dimensional array of scalars.
#[derive(Clone, Copy)]
struct Vector {
    expr: ExprId,
    range: TextRange,
    element: Scalar,
    length: Sym,
}

const BITCAST_ELEMENTS: [Scalar; 4] = [Scalar::Int32, Scalar::Uint32, Scalar::Float32, Scalar::Float16];

/// The argument at `index` as an array; something else is reported.
fn vector_argument(
    lowerer: &mut Lowerer<'_>,
    call: &CallSite<'_>,
    index: usize,
    allowed: &[Scalar],
) -> Option<Vector> {
    let &expr = call.arguments.get(index)?;
    let (ty, range) = (lowerer.type_of(expr), lowerer.range_of(expr));
    if lowerer.types.is_error(ty) {
        return None;
    }
    let found = lowerer.display(ty);
    let related = declarations(lowerer, &[expr]);
    let TypeKind::Array(element, ArrayLength::Sized(length)) = *lowerer.types.kind(ty) else {
        let message = format!("expected a one-dimensional array with a length, but this is `{found}`");
        lowerer.report_with(&codes::QCOM_ARRAY, range, message, related);
        return None;
    };
    if matches!(lowerer.types.kind(element), TypeKind::Array(..)) {
        let message = format!("expected a one-dimensional array, but this is `{found}`");
        lowerer.report_with(&codes::QCOM_ARRAY, range, message, related);
        return None;
    }
    match lowerer.types.as_scalar(element) {
        Some(scalar) if allowed.is_empty() || allowed.contains(&scalar) => {
            Some(Vector { expr, range, element: scalar, length })
        }
        _ => {
            let element = match lowerer.types.as_scalar(element) {
                Some(scalar) => explicit_name(scalar).to_owned(),
                None => lowerer.display(element),
            };
            let message = format!(
                "the array has elements of {element}: expected int32_t, uint32_t, float32_t or float16_t"
            );
            let code =
                if allowed.is_empty() { &codes::QCOM_VECTOR_ELEMENT } else { &codes::QCOM_ELEMENT_TYPE };
            lowerer.report_with(code, range, message, related);
            None
        }
    }
}

/// `bitcastQCOM(srcArr, dstArr)`.
pub(super) fn bitcast(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let source = vector_argument(lowerer, call, 0, &BITCAST_ELEMENTS);
    let target = vector_argument(lowerer, call, 1, &BITCAST_ELEMENTS);
    let (Some(source), Some(target)) = (source, target) else { return call.result };
    let sizes = [source, target].map(|vector| {
        let symbols = &mut lowerer.types.symbols;
        let bytes = symbols.int(i64::from(vector.element.bytes()));
        symbols.mul(vector.length, bytes)
    });
    let relation = relation(lowerer, sizes[0], sizes[1]);
    if relation.differs_by_default() {
        let [source_text, target_text] = [(source, sizes[0]), (target, sizes[1])].map(|(vector, bytes)| {
            format!(
                "{} x {} = {} bytes",
                size_text(lowerer, vector.length),
                explicit_name(vector.element),
                size_text(lowerer, bytes)
            )
        });
        let message =
            format!("source and destination must have the same size in bytes: {source_text}, {target_text}");
        report_relation(
            lowerer,
            &codes::QCOM_BITCAST_SIZE,
            relation,
            target.range,
            message,
            &[source.expr, target.expr],
        );
    }
    call.result
}

/// `extractSubArrayQCOM(srcArr, start_index, dstArr)`.
pub(super) fn extract_sub_array(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let source = vector_argument(lowerer, call, 0, &BITCAST_ELEMENTS);
    let target = vector_argument(lowerer, call, 2, &BITCAST_ELEMENTS);
    let (Some(source), Some(target)) = (source, target) else { return call.result };
    if source.element != target.element {
        let related = declarations(lowerer, &[source.expr, target.expr]);
        lowerer.report_with(
            &codes::QCOM_SUBARRAY_ELEMENT,
            target.range,
            format!(
                "the source has elements of {} but the destination of {}: they must be the same",
                explicit_name(source.element),
                explicit_name(target.element)
            ),
            related,
        );
    }
    check_start(lowerer, call, &source, &target);
    call.result
}

/// The range that starts are allowed in, and VUID 12354.
fn check_start(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>, source: &Vector, target: &Vector) {
    let lengths = [source.length, target.length];
    let known = lengths.iter().all(|&length| lowerer.types.symbols.as_int(length).is_some());
    let (Some(source_length), Some(target_length)) = (
        lowerer.config.value_of(&lowerer.types.symbols, source.length),
        lowerer.config.value_of(&lowerer.types.symbols, target.length),
    ) else {
        return;
    };
    let related = declarations(lowerer, &[source.expr, target.expr]);
    let condition = if known { "" } else { " under the default values" };
    let last = source_length - target_length;
    if last < 0 {
        let severity = if known { codes::QCOM_SUBARRAY_RANGE.severity } else { Severity::Hint };
        let message = format!(
            "the destination has {target_length} elements, more than the {source_length} of the source: no start index is \
             valid{condition}"
        );
        lowerer.report_as(&codes::QCOM_SUBARRAY_RANGE, severity, target.range, message, related);
        return;
    }
    let Some(&start) = call.arguments.get(1) else { return };
    let range = lowerer.range_of(start);
    let Some(sym) = constant_of(lowerer, start) else { return };
    let known = known && lowerer.types.symbols.as_int(sym).is_some();
    let Some(value) = lowerer.config.value_of(&lowerer.types.symbols, sym) else { return };
    let severity = |severity| if known { severity } else { Severity::Hint };
    let condition = if known { "" } else { " under the default values" };
    if value < 0 || value > last {
        let message = format!(
            "the start index is {value}, but a sub-array of {target_length} out of {source_length} elements has to lie inside: valid \
             start indices are 0 to {last}{condition}"
        );
        let severity = severity(codes::QCOM_SUBARRAY_RANGE.severity);
        lowerer.report_as(&codes::QCOM_SUBARRAY_RANGE, severity, range, message, related);
    } else if target_length > 0 && value % target_length != 0 {
        let message = format!(
            "the start index {value} is not a multiple of {target_length}, the length of the destination{condition}"
        );
        let severity = severity(codes::QCOM_SUBARRAY_ALIGNMENT.severity);
        lowerer.report_as(&codes::QCOM_SUBARRAY_ALIGNMENT, severity, range, message, related);
    }
}

/// `vectorToCoopmatQCOM(vec, cm)`.
pub(super) fn vector_to_coopmat(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    convert(lowerer, call, 0, 1)
}

/// `coopmatToVectorQCOM(cm, vec)`.
pub(super) fn coopmat_to_vector(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    convert(lowerer, call, 1, 0)
}

/// The rules that both directions share; only the lengths of an accumulator's rows differ.
fn convert(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>, vector: usize, matrix: usize) -> Ty {
    let operand = matrix_argument(lowerer, call, matrix);
    let vector_argument = vector_argument(lowerer, call, vector, &[]);
    let Some(operand) = operand else { return call.result };
    check_scope(lowerer, &operand);
    let Some(usage @ (USE_A | USE_B | USE_ACCUMULATOR)) = lowerer.types.symbols.as_int(operand.matrix.usage)
    else {
        return call.result;
    };
    let component_fits = check_component(lowerer, &operand, usage);
    if component_fits && usage != USE_ACCUMULATOR {
        check_fixed_dimension(lowerer, &operand, usage);
    }
    check_subgroup_size(lowerer, &operand, usage);
    if component_fits && let Some(vector_argument) = vector_argument {
        let to_vector = vector == 1;
        check_vector(lowerer, &operand, usage, &vector_argument, to_vector);
    }
    call.result
}

fn check_scope(lowerer: &mut Lowerer<'_>, operand: &Operand) {
    let relation = relation_to(lowerer, operand.matrix.scope, SCOPE_SUBGROUP);
    if relation.differs_by_default() {
        let message = format!(
            "the matrix has scope {}: data is exchanged only within a subgroup (`gl_ScopeSubgroup`)",
            scope_text(lowerer, operand.matrix.scope)
        );
        report_relation(
            lowerer,
            &codes::QCOM_SUBGROUP_SCOPE,
            relation,
            operand.range,
            message,
            &[operand.expr],
        );
    }
}

fn check_component(lowerer: &mut Lowerer<'_>, operand: &Operand, usage: i64) -> bool {
    use Scalar::{Float16, Float32, Int8, Int32, Uint8, Uint32};
    let component = operand.matrix.component;
    let (fits, expected) = match usage {
        USE_ACCUMULATOR => (
            matches!(component, Uint32 | Int32 | Float32 | Float16),
            "uint32_t, int32_t, float32_t or float16_t",
        ),
        _ => {
            (matches!(component, Float32 | Float16 | Uint8 | Int8), "float32_t, float16_t, uint8_t or int8_t")
        }
    };
    if !fits {
        let related = declarations(lowerer, &[operand.expr]);
        lowerer.report_with(
            &codes::QCOM_COMPONENT_TYPE,
            operand.range,
            format!(
                "a matrix of use {} with components of {} cannot be converted: expected {expected}",
                matrix::use_name(usage),
                explicit_name(component)
            ),
            related,
        );
    }
    fits
}

/// Columns of a matrix of use A and rows of one of use B are 32 bytes long.
fn check_fixed_dimension(lowerer: &mut Lowerer<'_>, operand: &Operand, usage: i64) {
    let expected = i64::from(32 / operand.matrix.component.bytes().max(1));
    let (size, name) =
        if usage == USE_A { (operand.matrix.columns, "columns") } else { (operand.matrix.rows, "rows") };
    let relation = relation_to(lowerer, size, expected);
    if relation.differs_by_default() {
        let message = format!(
            "a matrix of use {} and {} needs {expected} {name}, but this one has {}",
            matrix::use_name(usage),
            explicit_name(operand.matrix.component),
            size_text(lowerer, size)
        );
        report_relation(
            lowerer,
            &codes::QCOM_FIXED_DIMENSION,
            relation,
            operand.range,
            message,
            &[operand.expr],
        );
    }
}

/// Subgroups of Vulkan have at most this many invocations.
const LARGEST_SUBGROUP: i64 = 128;

/// Each row (of use B: column) belongs to one invocation; an accumulator's columns are a fraction of the subgroup.
fn check_subgroup_size(lowerer: &mut Lowerer<'_>, operand: &Operand, usage: i64) {
    let (lines, name) =
        if usage == USE_B { (operand.matrix.columns, "columns") } else { (operand.matrix.rows, "rows") };
    let subgroup = device::subgroup_size(lowerer);
    let limit = subgroup.map_or(LARGEST_SUBGROUP, |size| i64::from(size.largest));
    if let Some(value) = lowerer.config.value_of(&lowerer.types.symbols, lines)
        && value > limit
    {
        let constant = lowerer.types.symbols.as_int(lines).is_some();
        let text = size_text(lowerer, lines);
        let message = match subgroup {
            Some(_) => {
                format!("the matrix has {text} {name}, but a subgroup has {limit} invocations, one for each")
            }
            None => format!(
                "the matrix has {text} {name}, but no subgroup of Vulkan has more than {limit} invocations, one for each"
            ),
        };
        report_size(lowerer, operand, message, value, constant && subgroup.is_some());
    }
    if usage != USE_ACCUMULATOR {
        return;
    }
    let columns = operand.matrix.columns;
    let Some(value) = lowerer.config.value_of(&lowerer.types.symbols, columns) else { return };
    let constant = lowerer.types.symbols.as_int(columns).is_some();
    let text = size_text(lowerer, columns);
    match subgroup.and_then(|size| size.exact) {
        Some(size) => {
            let size = i64::from(size);
            if ![size, size / 2, size / 4].contains(&value) {
                let message = format!(
                    "the accumulator has {text} columns: expected the subgroup size ({size}), half of it ({}) or a quarter ({})",
                    size / 2,
                    size / 4
                );
                report_size(lowerer, operand, message, value, constant);
            }
        }
        None => {
            let possible = u64::try_from(value).is_ok_and(u64::is_power_of_two) && value <= limit;
            if !possible {
                let message = format!(
                    "the accumulator has {text} columns, which is not the size of a subgroup, half of it or a quarter"
                );
                report_size(lowerer, operand, message, value, false);
            }
        }
    }
}

/// An error where the size and the subgroup are known, else a hint.
fn report_size(lowerer: &mut Lowerer<'_>, operand: &Operand, message: String, value: i64, known: bool) {
    let severity = if known { codes::QCOM_SUBGROUP_SIZE.severity } else { Severity::Hint };
    let message = if known || message.contains(&value.to_string()) {
        message
    } else {
        format!("{message} ({value} under the default values)")
    };
    let related = declarations(lowerer, &[operand.expr]);
    lowerer.report_as(&codes::QCOM_SUBGROUP_SIZE, severity, operand.range, message, related);
}

/// Element type and length of an invocation's array.
fn check_vector(lowerer: &mut Lowerer<'_>, operand: &Operand, usage: i64, vector: &Vector, to_vector: bool) {
    let component = operand.matrix.component;
    if vector.element != component && vector.element != Scalar::Uint32 {
        let related = declarations(lowerer, &[operand.expr, vector.expr]);
        let (expected, or) =
            (explicit_name(component), if component == Scalar::Uint32 { "" } else { " or uint32_t" });
        lowerer.report_with(
            &codes::QCOM_VECTOR_ELEMENT,
            vector.range,
            format!(
                "the array has elements of {}, but the matrix has components of {expected}: expected {expected}{or}",
                explicit_name(vector.element)
            ),
            related,
        );
        return;
    }
    let packed = vector.element != component;
    let (expected, rule) = expected_length(lowerer, operand, usage, component, packed);
    let relation = relation(lowerer, vector.length, expected);
    if relation.differs_by_default() {
        lowerer.remedy(&codes::QCOM_VECTOR_LENGTH, vector.range, RemedyKind::ArrayLength(expected));
        let message = format!(
            "the array has {} elements of {}, but for this matrix of {}x{} {} with use {} it needs {}{rule}",
            size_text(lowerer, vector.length),
            explicit_name(vector.element),
            size_text(lowerer, operand.matrix.rows),
            size_text(lowerer, operand.matrix.columns),
            explicit_name(component),
            matrix::use_name(usage),
            size_text(lowerer, expected),
        );
        report_relation(
            lowerer,
            &codes::QCOM_VECTOR_LENGTH,
            relation,
            vector.range,
            message,
            &[vector.expr, operand.expr],
        );
    } else if to_vector
        && usage == USE_ACCUMULATOR
        && let Some(length) = lowerer.config.value_of(&lowerer.types.symbols, vector.length)
        && ![64, 32, 16, 8].contains(&length)
    {
        let relation = match lowerer.types.symbols.as_int(vector.length) {
            Some(_) => Relation::Different,
            None => Relation::Depends { values: None },
        };
        let message = format!(
            "the array has {} elements: a row of an accumulator needs an array of 64, 32, 16 or 8 elements",
            size_text(lowerer, vector.length)
        );
        report_relation(
            lowerer,
            &codes::QCOM_VECTOR_LENGTH,
            relation,
            vector.range,
            message,
            &[vector.expr, operand.expr],
        );
    }
}

/// The length that an array needs, and where it comes from.
fn expected_length(
    lowerer: &mut Lowerer<'_>,
    operand: &Operand,
    usage: i64,
    component: Scalar,
    packed: bool,
) -> (Sym, &'static str) {
    let columns = operand.matrix.columns;
    let symbols = &mut lowerer.types.symbols;
    match usage {
        USE_ACCUMULATOR if packed && component == Scalar::Float16 => {
            let two = symbols.int(2);
            (symbols.apply(SymOp::DivUnsigned, &[columns, two]), " (columns / 2)")
        }
        USE_ACCUMULATOR => (columns, " (columns)"),
        _ if packed => (symbols.int(8), ""),
        USE_B => (operand.matrix.rows, " (rows)"),
        _ => (columns, " (columns)"),
    }
}
