//! GL_NV_cooperative_vector: products with matrices in memory, accumulation, loads and stores. Sections are those of the extension's text.
//!
//! What every module must satisfy is an error. Alignments, layouts and conversions that the text requires, but that compilers accept, are warnings.

use crate::devices::component_of_vulkan;
use crate::diagnostics::{Severity, codes};
use crate::display::display_constant;
use crate::extensions::{self, ConstantSet, sets, values};
use crate::hir::ExprId;
use crate::lower::Lowerer;
use crate::lower::call_site::CallSite;
use crate::matrices::lines::negative_value;
use crate::matrices::memory::{Memory, place_of};
use crate::symbolic::Sym;
use crate::types::{Scalar, Ty, TypeKind};

use super::matrix::{Relation, constant_of, declarations, known_value, relation, report_sizes, size_text};

const ROW_MAJOR: i64 = values::GL_COOPERATIVE_VECTOR_MATRIX_LAYOUT_ROW_MAJOR_NV;
const COLUMN_MAJOR: i64 = values::GL_COOPERATIVE_VECTOR_MATRIX_LAYOUT_COLUMN_MAJOR_NV;
const TRAINING: i64 = values::GL_COOPERATIVE_VECTOR_MATRIX_LAYOUT_TRAINING_OPTIMAL_NV;

/// What an array in memory is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// A matrix or a bias: read from buffers, of scalars.
    Read,
    /// Sums: in buffers.
    Accumulate,
    /// A vector: in buffers or shared memory.
    Load,
    Store,
}

/// How many values of 8 bits an interpretation packs into a `uint32_t`.
fn packed(interpretation: i64) -> Option<i64> {
    [values::GL_COMPONENT_TYPE_SIGNED_INT8_PACKED_NV, values::GL_COMPONENT_TYPE_UNSIGNED_INT8_PACKED_NV]
        .contains(&interpretation)
        .then_some(4)
}

/// `coopVecMatMulNV` and, with a bias after the matrix, `coopVecMatMulAddNV`.
pub(super) fn mat_mul(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let function = extensions::function(call.function).name;
    let (head, bias, tail) = match *call.arguments {
        [ref head @ .., m, k, layout, transpose, stride] if head.len() == 6 => {
            (head, None, [m, k, layout, transpose, stride])
        }
        [ref head @ .., bias, offset, kind, m, k, layout, transpose, stride] if head.len() == 6 => {
            (head, Some([bias, offset, kind]), [m, k, layout, transpose, stride])
        }
        _ => return call.result,
    };
    let &[result, input, input_kind, matrix, offset, matrix_kind] = head else { return call.result };
    let [rows, columns, layout, transpose, stride] = tail;
    memory(lowerer, matrix, function, Use::Read);
    aligned(lowerer, offset, "`matrixOffset`", 64);
    let input_kind = value_of_set(lowerer, input_kind, sets::GL_COMPONENT_TYPE);
    let matrix_kind = value_of_set(lowerer, matrix_kind, sets::GL_COMPONENT_TYPE);
    if let Some([bias, offset, kind]) = bias {
        memory(lowerer, bias, function, Use::Read);
        aligned(lowerer, offset, "`biasOffset`", 16);
        value_of_set(lowerer, kind, sets::GL_COMPONENT_TYPE);
    }
    check_result(lowerer, result, rows);
    check_input(lowerer, input, input_kind, columns);
    let known = value_of_set(lowerer, layout, sets::GL_COOPERATIVE_VECTOR_MATRIX_LAYOUT);
    if matches!(known, Some(ROW_MAJOR | COLUMN_MAJOR)) {
        aligned(lowerer, stride, "`matrixStride`", 16);
        if known_value(lowerer, transpose) == Some(1) {
            let range = lowerer.range_of(transpose);
            let message = "a matrix in row-major or column-major layout cannot be transposed: use the other one of these layouts, or an optimal layout";
            lowerer.report(&codes::COOPVEC_LAYOUT, range, message.to_owned());
        }
        check_small_floats(lowerer, layout, matrix_kind);
    }
    call.result
}

/// Matrices of 8-bit floats lie in optimal layouts alone (VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10090).
fn check_small_floats(lowerer: &mut Lowerer<'_>, layout: ExprId, interpretation: Option<i64>) {
    let small = [values::GL_COMPONENT_TYPE_FLOAT_E4_M3_NV, values::GL_COMPONENT_TYPE_FLOAT_E5_M2_NV];
    let Some(kind) = interpretation.filter(|kind| small.contains(kind)) else { return };
    let kind = lowerer.types.symbols.int(kind);
    let message = format!(
        "a matrix of `{}` must be in an optimal layout: convert it with `vkConvertCooperativeVectorMatrixNV`",
        display_constant(&lowerer.types.symbols, kind, sets::GL_COMPONENT_TYPE)
    );
    let range = lowerer.range_of(layout);
    lowerer.report(&codes::COOPVEC_LAYOUT, range, message);
}

/// "ResultTy [...] must be float16_t, float32_t, uint32_t, or int32_t. ResultComps must equal M."
fn check_result(lowerer: &mut Lowerer<'_>, result: ExprId, rows: ExprId) {
    let Some((component, length)) = lowerer.types.as_coopvec(lowerer.type_of(result)) else { return };
    if !is_computed(component) {
        let range = lowerer.range_of(result);
        let message = format!(
            "the components of the result must be `float16_t`, `float`, `int` or `uint`, but are `{}`",
            component.name()
        );
        let related = declarations(lowerer, &[result]);
        lowerer.report_with(&codes::COOPVEC_COMPONENT, range, message, related);
    }
    check_length(lowerer, result, length, rows, "the result", "M");
}

/// "If the inputInterpretation is not a Packed enum value, then [...] InputTy must be float16_t, float32_t, uint32_t, or int32_t", else "uint32_t", with
/// "enough components to hold K values of the packed type".
fn check_input(lowerer: &mut Lowerer<'_>, input: ExprId, interpretation: Option<i64>, columns: ExprId) {
    let Some((component, length)) = lowerer.types.as_coopvec(lowerer.type_of(input)) else { return };
    let Some(interpretation) = interpretation else { return };
    let range = lowerer.range_of(input);
    let related = declarations(lowerer, &[input]);
    let Some(count) = packed(interpretation) else {
        // What Vulkan requires of every device: components that are what they are interpreted as (VkCooperativeVectorPropertiesNV).
        let as_it_is = u32::try_from(interpretation).ok().and_then(component_of_vulkan) == Some(component);
        if !is_computed(component) && !as_it_is {
            let message = format!(
                "the components of the input must be `float16_t`, `float`, `int` or `uint` to be converted, but are `{}`",
                component.name()
            );
            lowerer.report_as(&codes::COOPVEC_COMPONENT, Severity::Warning, range, message, related);
        }
        return check_length(lowerer, input, length, columns, "the input", "K");
    };
    if component != Scalar::Uint32 {
        let message =
            format!("packed values must be in components of `uint`, but these are `{}`", component.name());
        return lowerer.report_with(&codes::COOPVEC_COMPONENT, range, message, related);
    }
    if let (Some(length), Some(wanted)) =
        (lowerer.types.symbols.as_int(length), known_value(lowerer, columns))
        && length.saturating_mul(count) < wanted
    {
        let message = format!(
            "the input has {length} components of {count} packed values each, but K is {wanted}: use {} or more components",
            wanted.div_euclid(count) + i64::from(wanted % count != 0)
        );
        lowerer.report_with(&codes::COOPVEC_SIZE, range, message, related);
    }
}

fn is_computed(component: Scalar) -> bool {
    matches!(component, Scalar::Float16 | Scalar::Float32 | Scalar::Int32 | Scalar::Uint32)
}

/// The number of a vector's components beside the argument that gives it.
fn check_length(
    lowerer: &mut Lowerer<'_>,
    vector: ExprId,
    length: Sym,
    size: ExprId,
    what: &str,
    name: &str,
) {
    let Some(size) = constant_of(lowerer, size) else { return };
    if matches!(relation(lowerer, length, size), Relation::Different | Relation::Depends { .. }) {
        let (found, wanted) = (size_text(lowerer, length), size_text(lowerer, size));
        let message = format!("{what} has {found} components, but {name} is {wanted}");
        let range = lowerer.range_of(vector);
        report_sizes(lowerer, &codes::COOPVEC_SIZE, (length, size), range, message, &[vector]);
    }
}

/// `coopVecOuterProductAccumulateNV(v1, v2, buf, offset, stride, layout, interpretation)` and
/// `coopVecReduceSumAccumulateNV(v, buf, offset)`.
pub(super) fn accumulate(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let function = extensions::function(call.function).name;
    let (buffer, offset) = match *call.arguments {
        [left, right, buffer, offset, _, layout, interpretation] => {
            check_factors(lowerer, left, right);
            check_sums(lowerer, interpretation);
            let set = sets::GL_COOPERATIVE_VECTOR_MATRIX_LAYOUT;
            if let Some(known) = value_of_set(lowerer, layout, set).filter(|&layout| layout != TRAINING) {
                let range = lowerer.range_of(layout);
                let found = lowerer.types.symbols.int(known);
                let message = format!(
                    "outer products are only accumulated in `gl_CooperativeVectorMatrixLayoutTrainingOptimalNV`, but this is `{}`",
                    display_constant(&lowerer.types.symbols, found, set)
                );
                lowerer.report(&codes::COOPVEC_LAYOUT, range, message);
            }
            (buffer, offset)
        }
        [vector, buffer, offset] => {
            let what = "sums of vectors are of `float16_t` or `float`, but these components are";
            check_summed(lowerer, vector, &[Scalar::Float16, Scalar::Float32], what);
            (buffer, offset)
        }
        _ => return call.result,
    };
    memory(lowerer, buffer, function, Use::Accumulate);
    aligned(lowerer, offset, "`offset`", 16);
    call.result
}

/// "const coopvecNV<T, M> v1, const coopvecNV<T, N> v2"
fn check_factors(lowerer: &mut Lowerer<'_>, left: ExprId, right: ExprId) {
    let component = |lowerer: &Lowerer<'_>, vector| lowerer.types.as_coopvec(lowerer.type_of(vector));
    if let (Some((a, _)), Some((b, _))) = (component(lowerer, left), component(lowerer, right))
        && a != b
    {
        let range = lowerer.range_of(right);
        let message = format!(
            "the two vectors of an outer product must have the same component type, but have `{}` and `{}`",
            a.name(),
            b.name()
        );
        let related = declarations(lowerer, &[left, right]);
        return lowerer.report_with(&codes::COOPVEC_COMPONENT, range, message, related);
    }
    let what = "an outer product is of vectors of `float16_t`, but these components are";
    check_summed(lowerer, left, &[Scalar::Float16], what);
}

/// "[...] only supported for certain component types, as defined by the Vulkan extension specification":
/// VUID-RuntimeSpirv-OpCooperativeVectorOuterProductAccumulateNV-10093, VUID-RuntimeSpirv-OpCooperativeVectorReduceSumAccumulateNV-10092.
fn check_summed(lowerer: &mut Lowerer<'_>, vector: ExprId, allowed: &[Scalar], what: &str) {
    let Some((component, _)) = lowerer.types.as_coopvec(lowerer.type_of(vector)) else { return };
    if !allowed.contains(&component) {
        let range = lowerer.range_of(vector);
        let message = format!("{what} `{}`", component.name());
        let related = declarations(lowerer, &[vector]);
        lowerer.report_as(&codes::COOPVEC_COMPONENT, Severity::Warning, range, message, related);
    }
}

/// The type of the sums of outer products, likewise.
fn check_sums(lowerer: &mut Lowerer<'_>, interpretation: ExprId) {
    let allowed = [values::GL_COMPONENT_TYPE_FLOAT16_NV, values::GL_COMPONENT_TYPE_FLOAT32_NV];
    let Some(found) = value_of_set(lowerer, interpretation, sets::GL_COMPONENT_TYPE) else { return };
    if !allowed.contains(&found) {
        let range = lowerer.range_of(interpretation);
        let found = lowerer.types.symbols.int(found);
        let message = format!(
            "outer products are added up as `gl_ComponentTypeFloat16NV` or `gl_ComponentTypeFloat32NV`, but this is `{}`",
            display_constant(&lowerer.types.symbols, found, sets::GL_COMPONENT_TYPE)
        );
        lowerer.report_as(&codes::COOPVEC_COMPONENT, Severity::Warning, range, message, Vec::new());
    }
}

pub(super) fn load(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    access(lowerer, call, Use::Load)
}

pub(super) fn store(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    access(lowerer, call, Use::Store)
}

/// `coopVecLoadNV(v, buf, offset)` and the store of the same arguments.
fn access(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>, purpose: Use) -> Ty {
    if let &[_, buffer, offset] = call.arguments {
        memory(lowerer, buffer, extensions::function(call.function).name, purpose);
        aligned(lowerer, offset, "`offset`", 16);
    }
    call.result
}

/// The array: where it lies, and what it consists of.
fn memory(lowerer: &mut Lowerer<'_>, buffer: ExprId, function: &str, purpose: Use) {
    let place = place_of(&lowerer.module, &lowerer.types, &lowerer.body, buffer);
    let (ty, range) = (lowerer.type_of(buffer), lowerer.range_of(buffer));
    let any_memory = matches!(purpose, Use::Load | Use::Store);
    let allowed = if any_memory { "buffer or shared memory" } else { "buffer memory" };
    let message = match place.memory {
        Memory::Other(what) => format!("`{function}` accesses {allowed}, but this is {what}"),
        Memory::Shared if !any_memory => {
            format!("`{function}` accesses {allowed}, but this is shared memory")
        }
        _ if place.writeonly && matches!(purpose, Use::Read | Use::Load) => {
            format!("`{function}` reads this memory, but it is declared `writeonly`")
        }
        _ => match array_obstacle(lowerer, ty, purpose) {
            Some(wanted) => {
                format!("`{function}` takes an array of {wanted}, but this is `{}`", lowerer.display(ty))
            }
            None => return,
        },
    };
    let related = declarations(lowerer, &[buffer]);
    lowerer.report_with(&codes::COOPVEC_MEMORY, range, message, related);
}

/// What the elements must be, where they are something else.
fn array_obstacle(lowerer: &Lowerer<'_>, ty: Ty, purpose: Use) -> Option<&'static str> {
    let scalars = purpose == Use::Read;
    let element = lowerer.types.as_array(ty).map(|(element, _)| element);
    let fits = element.is_some_and(|element| match *lowerer.types.kind(element) {
        TypeKind::Error | TypeKind::NotAnalysed(_) => true,
        TypeKind::Scalar(scalar) => scalar != Scalar::Bool,
        TypeKind::Vector(scalar, _) | TypeKind::LongVector(scalar, _) => !scalars && scalar != Scalar::Bool,
        _ => false,
    });
    (!fits && !lowerer.types.is_error(ty)).then_some(if scalars {
        "numbers"
    } else {
        "numbers or of vectors"
    })
}

/// The value of an argument that takes constants of a set, where it is known whatever the specialization; reports what is not one of them.
fn value_of_set(lowerer: &mut Lowerer<'_>, argument: ExprId, set: ConstantSet) -> Option<i64> {
    let value = known_value(lowerer, argument)?;
    if set.with_value(value).is_some() {
        return Some(value);
    }
    let range = lowerer.range_of(argument);
    let message = format!("no constant `{}...` has the value {value}", set.prefix);
    lowerer.report(&codes::COOPVEC_VALUE, range, message);
    None
}

/// Offsets and strides in bytes.
fn aligned(lowerer: &mut Lowerer<'_>, argument: ExprId, name: &str, bytes: i64) {
    let negative = negative_value(&lowerer.body, argument);
    let value = match negative {
        Some(_) => None,
        None => known_value(lowerer, argument).filter(|value| value % bytes != 0),
    };
    let range = lowerer.range_of(argument);
    let message = match (negative, value) {
        (Some(value), _) => format!("{name} is {value}, but it is unsigned"),
        (None, Some(value)) => format!("{name} is {value} bytes, but must be a multiple of {bytes} bytes"),
        (None, None) => return,
    };
    lowerer.report(&codes::COOPVEC_ALIGNMENT, range, message);
}
