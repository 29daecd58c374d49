//! GL_NV_cooperative_matrix2: tensor layouts and views, and the loads and stores that go through them. Sections are those of
//! the extension's text.

use crate::diagnostics::codes;
use crate::extensions::{self, BuiltinFunction, ExtensionId, constants, ids, sets};
use crate::hir::ExprId;
use crate::lower::Lowerer;
use crate::lower::call_site::CallSite;
use crate::matrices::lines::negative_value;
use crate::matrices::tensors::{MAX_DIMENSIONS, Setter};
use crate::symbolic::Sym;
use crate::text::TextRange;
use crate::types::{Scalar, Ty, TypeKind};

use super::decode;
use super::matrix::{constant_of, declarations, known_value, matrix_argument};
use super::memory::{self, Element};

/// The extension that brings the second function of a load.
const DECODE_VECTOR: ExtensionId = ids::GL_NV_COOPERATIVE_MATRIX_DECODE_VECTOR;

/// A constant argument that becomes part of a type.
fn type_constant(lowerer: &mut Lowerer<'_>, argument: ExprId, what: &str) -> Option<Sym> {
    let sym = constant_of(lowerer, argument);
    if sym.is_none() {
        let range = lowerer.range_of(argument);
        lowerer.report(
            &codes::NV_TENSOR_CONSTANT,
            range,
            format!(
                "{what} must be a constant or specialization-constant expression: it is part of the type"
            ),
        );
    }
    sym
}

/// Checks a number of dimensions that is known.
pub(crate) fn check_dimensions(lowerer: &mut Lowerer<'_>, sym: Sym, range: TextRange) -> bool {
    match lowerer.types.symbols.as_int(sym) {
        Some(value) if !(1..=MAX_DIMENSIONS).contains(&value) => {
            lowerer.report(
                &codes::NV_TENSOR_DIMENSION,
                range,
                format!("a tensor must have 1 to {MAX_DIMENSIONS} dimensions, not {value}"),
            );
            false
        }
        _ => true,
    }
}

pub(crate) fn check_clamp_mode(lowerer: &mut Lowerer<'_>, sym: Sym, range: TextRange) -> bool {
    match lowerer.types.symbols.as_int(sym) {
        Some(value) if sets::GL_COOPERATIVE_MATRIX_CLAMP_MODE.with_value(value).is_none() => {
            let modes = sets::GL_COOPERATIVE_MATRIX_CLAMP_MODE.iter().map(|(_, mode)| mode.value);
            let last = modes.max().unwrap_or_default();
            lowerer.report(
                &codes::NV_TENSOR_CLAMP,
                range,
                format!("no clamp mode has the value {value}: see `gl_CooperativeMatrixClampMode...NV` (0 to {last})"),
            );
            false
        }
        _ => true,
    }
}

/// `createTensorLayoutNV(Dim, Mode)`.
pub(super) fn create_layout(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let Some(&dimensions) = call.arguments.first() else { return Ty::ERROR };
    let Some(dim) = type_constant(lowerer, dimensions, "the number of dimensions") else { return Ty::ERROR };
    let range = lowerer.range_of(dimensions);
    let mut fits = check_dimensions(lowerer, dim, range);
    let clamp = match call.arguments.get(1) {
        None => lowerer.types.symbols.int(0),
        Some(&mode) => {
            let Some(clamp) = type_constant(lowerer, mode, "the clamp mode") else { return Ty::ERROR };
            let range = lowerer.range_of(mode);
            fits &= check_clamp_mode(lowerer, clamp, range);
            clamp
        }
    };
    if fits { lowerer.types.intern(TypeKind::TensorLayout { dim, clamp }) } else { Ty::ERROR }
}

/// `createTensorViewNV(Dim, hasDimensions, p0, ...)`.
pub(super) fn create_view(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let Some(&dimensions) = call.arguments.first() else { return Ty::ERROR };
    let Some(dim) = type_constant(lowerer, dimensions, "the number of dimensions") else { return Ty::ERROR };
    let range = lowerer.range_of(dimensions);
    if !check_dimensions(lowerer, dim, range) {
        return Ty::ERROR;
    }
    let has_dimensions = match call.arguments.get(1) {
        None => lowerer.types.symbols.int(0),
        Some(&argument) => {
            match type_constant(lowerer, argument, "whether the view has dimensions of its own") {
                Some(sym) => sym,
                None => return Ty::ERROR,
            }
        }
    };
    let mut permutation = Vec::new();
    for &argument in call.arguments.iter().skip(2) {
        let Some(sym) = type_constant(lowerer, argument, "an entry of the permutation") else {
            return Ty::ERROR;
        };
        permutation.push((sym, lowerer.range_of(argument)));
    }
    if let Some(dim) = lowerer.types.symbols.as_int(dim)
        && !permutation.is_empty()
        && permutation.len() as i64 != dim
    {
        lowerer.report(
            &codes::NV_TENSOR_ARGUMENTS,
            call.name_range,
            format!(
                "the permutation of a view with {dim} dimensions takes {dim} values, but {} {} given",
                permutation.len(),
                if permutation.len() == 1 { "is" } else { "are" }
            ),
        );
        return Ty::ERROR;
    }
    if !check_permutation(lowerer, &permutation) {
        return Ty::ERROR;
    }
    let permutation = permutation.into_iter().map(|(sym, _)| sym).collect();
    lowerer.types.intern(TypeKind::TensorView { dim, has_dimensions, permutation })
}

/// Checks that the entries, as far as they are known, name each dimension once.
pub(crate) fn check_permutation(lowerer: &mut Lowerer<'_>, permutation: &[(Sym, TextRange)]) -> bool {
    let dimensions = permutation.len() as i64;
    let mut seen = Vec::new();
    for &(sym, range) in permutation {
        let Some(value) = lowerer.types.symbols.as_int(sym) else { continue };
        let message = if !(0..dimensions).contains(&value) {
            format!(
                "the permutation of {dimensions} dimensions has entries 0 to {}, not {value}",
                dimensions - 1
            )
        } else if seen.contains(&value) {
            format!("dimension {value} appears twice in the permutation")
        } else {
            seen.push(value);
            continue;
        };
        lowerer.report(&codes::NV_TENSOR_VIEW_PERMUTATION, range, message);
        return false;
    }
    true
}

/// The functions that return a changed layout or view: the number of values, and that they are integers of 32 bits.
pub(super) fn set(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let function = extensions::function(call.function);
    let Some((&target, values)) = call.arguments.split_first() else { return Ty::ERROR };
    let ty = lowerer.type_of(target);
    let Some(setter) = Setter::of(function.instruction) else { return ty };
    let dim = match (lowerer.types.kind(ty), setter.is_view()) {
        (TypeKind::TensorLayout { dim, .. }, false) | (TypeKind::TensorView { dim, .. }, true) => *dim,
        _ => {
            let (range, found) = (lowerer.range_of(target), lowerer.display(ty));
            let what = if setter.is_view() { "tensor view" } else { "tensor layout" };
            lowerer.report(
                &codes::NV_TENSOR_ARGUMENTS,
                range,
                format!("`{}` takes a {what}, but this is `{found}`", function.name),
            );
            return Ty::ERROR;
        }
    };
    let dimensions = lowerer.types.symbols.as_int(dim);
    if let Some(expected) = setter.values(dimensions)
        && values.len() as i64 != expected
    {
        let of = match (setter, dimensions) {
            (Setter::ClampValue | Setter::ViewClip, _) | (_, None) => String::new(),
            (Setter::Slice, Some(dimensions)) => {
                format!(" (offset and span of each of {dimensions} dimensions)")
            }
            (_, Some(_)) => " (one for each dimension)".to_owned(),
        };
        let related = declarations(lowerer, &[target]);
        lowerer.report_with(
            &codes::NV_TENSOR_ARGUMENTS,
            call.name_range,
            format!(
                "`{}` takes {expected} {}{of} after the {}, but has {}",
                function.name,
                if expected == 1 { "value" } else { "values" },
                if setter.is_view() { "view" } else { "layout" },
                values.len()
            ),
            related,
        );
    }
    for &value in values {
        // Offsets are signed and the rest is not; the instructions take either.
        if !matches!(lowerer.types.as_scalar(lowerer.type_of(value)), Some(Scalar::Int32 | Scalar::Uint32)) {
            lowerer.convert_in_place(value, Ty::UINT, &format!("the argument of `{}`", function.name));
        }
    }
    check_sizes(lowerer, setter, values);
    if setter == Setter::ClampValue {
        check_clamp_value(lowerer, call, ty);
    }
    ty
}

/// The value of an argument as it is written: a negative number is none of the large ones that it converts to.
fn written_value(lowerer: &mut Lowerer<'_>, value: ExprId) -> Option<i64> {
    let negative = negative_value(&lowerer.body, value).and_then(|value| i64::try_from(value).ok());
    negative.or_else(|| known_value(lowerer, value))
}

/// Says of a clamp value that is no integer what it should be; converted, its number would be taken for an element's bits.
pub(crate) fn wants_bits(lowerer: &mut Lowerer<'_>, function: &BuiltinFunction, value: ExprId) -> bool {
    let is_float = lowerer.types.as_scalar(lowerer.type_of(value)).is_some_and(|scalar| scalar.is_float());
    if !is_float || Setter::of(function.instruction) != Some(Setter::ClampValue) {
        return false;
    }
    let (range, found) = (lowerer.range_of(value), lowerer.display(lowerer.type_of(value)));
    let message = format!(
        "`{}` takes the bits of an element as a `uint`, but this is `{found}`: functions such as `floatBitsToUint` \
         give the bits",
        function.name
    );
    lowerer.report(&codes::TYPE_MISMATCH, range, message);
    true
}

/// Addresses are worked out by dividing by block sizes and spans, and nothing lies inside of a dimension of 0.
fn check_sizes(lowerer: &mut Lowerer<'_>, setter: Setter, values: &[ExprId]) {
    let every = match setter {
        Setter::BlockSize | Setter::Dimension | Setter::ViewDimension => 1,
        Setter::Slice => 2,
        Setter::Stride | Setter::ClampValue | Setter::ViewStride | Setter::ViewClip => return,
    };
    for (index, value) in
        values.chunks_exact(every).enumerate().filter_map(|(i, part)| Some((i, *part.last()?)))
    {
        let Some(size) = written_value(lowerer, value).filter(|&size| size < 1) else { continue };
        let message = match setter {
            Setter::BlockSize => {
                format!("the block size of dimension {index} is {size}: it must be 1 or more")
            }
            Setter::Slice => format!(
                "the span of dimension {index} is {size}: it must be 1 or more; offset and span are given for each dimension in turn"
            ),
            Setter::ViewDimension => format!("dimension {index} of the view is {size}: it must be 1 or more"),
            _ => format!("dimension {index} of the tensor is {size}: it must be 1 or more"),
        };
        let range = lowerer.range_of(value);
        lowerer.report(&codes::NV_TENSOR_SIZE, range, message);
    }
}

/// One clamp mode alone has a value of its own for what lies outside.
fn check_clamp_value(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>, layout: Ty) {
    let TypeKind::TensorLayout { clamp, .. } = *lowerer.types.kind(layout) else { return };
    let Some(mode) = lowerer.types.symbols.as_int(clamp) else { return };
    let of_value = extensions::constant_by_id(constants::GL_COOPERATIVE_MATRIX_CLAMP_MODE_CONSTANT_NV);
    let Some(mode) = sets::GL_COOPERATIVE_MATRIX_CLAMP_MODE.with_value(mode) else { return };
    if mode.value != of_value.value {
        let message = format!(
            "this layout's clamp mode is `{}`, which does not use a clamp value: only `{}` does",
            mode.name, of_value.name
        );
        lowerer.report(&codes::NV_CLAMP_VALUE, call.name_range, message);
    }
}

/// `coopMatLoadTensorNV(m, buf, elementOffset, layout[, view][, decodeFunc[, decodeVectorFunc]])`.
pub(super) fn load(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    access(lowerer, call, false)
}

pub(super) fn store(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    access(lowerer, call, true)
}

fn access(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>, store: bool) -> Ty {
    let function = extensions::function(call.function).name;
    let operand = matrix_argument(lowerer, call, 0);
    let Some(&buffer) = call.arguments.get(1) else { return call.result };
    let place = memory::check_place(lowerer, buffer, function, store);
    let element = memory::check_element(lowerer, buffer, call.arguments.get(2).copied(), function, true);
    if let (Some(element), Some(&offset)) = (element, call.arguments.get(2)) {
        check_offset(lowerer, element, offset);
    }
    let Some(&layout) = call.arguments.get(3) else { return call.result };
    let layout_ty = lowerer.type_of(layout);
    let TypeKind::TensorLayout { dim, .. } = *lowerer.types.kind(layout_ty) else {
        if !lowerer.types.is_error(layout_ty) {
            let (range, found) = (lowerer.range_of(layout), lowerer.display(layout_ty));
            lowerer.report(
                &codes::NV_TENSOR_ARGUMENTS,
                range,
                format!("`{function}` takes a tensor layout here, but this is `{found}`"),
            );
        }
        return call.result;
    };
    let mut rest = &call.arguments[4.min(call.arguments.len())..];
    if let [first, after @ ..] = rest
        && matches!(lowerer.types.kind(lowerer.type_of(*first)), TypeKind::TensorView { .. })
    {
        rest = after;
    }
    // A load takes up to two functions, a store none.
    let functions = if store { 0 } else { 2 };
    if let Some(&first) = rest.get(functions) {
        let range = lowerer.range_of(first);
        let takes = if store {
            "a tensor view at most after the layout"
        } else {
            "a tensor view and two functions at most after the layout"
        };
        lowerer.report(
            &codes::NV_TENSOR_ARGUMENTS,
            range,
            format!("`{function}` takes {takes}: this is one argument too many"),
        );
        rest = &rest[..functions];
    }
    if let Some(&second) = rest.get(1)
        && !lowerer.environment.enabled(DECODE_VECTOR)
        && !lowerer.environment.has_unknown_extension()
    {
        let range = lowerer.range_of(second);
        let message = format!(
            "`{function}` needs {DECODE_VECTOR} for a function that decodes several elements: add `#extension {DECODE_VECTOR} : require`"
        );
        lowerer.report(&codes::MISSING_EXTENSION, range, message);
    }
    if let (Some(operand), false) = (operand, rest.is_empty()) {
        decode::check(lowerer, rest, &operand, dim, buffer, &place);
    }
    call.result
}

/// The start of a tensor is a multiple of 16 bytes.
fn check_offset(lowerer: &mut Lowerer<'_>, element: Element, offset: ExprId) {
    // A vector of 3 takes the room of 4 in most packings and of 3 in scalar blocks.
    if element.count == 3 || element.component.bits() < 8 {
        return;
    }
    let Some(value) = known_value(lowerer, offset).and_then(|value| u64::try_from(value).ok()) else {
        return;
    };
    let Some(bytes) = value.checked_mul(element.bytes()) else { return };
    if bytes.is_multiple_of(16) {
        return;
    }
    let range = lowerer.range_of(offset);
    let message = format!(
        "the tensor starts at {value} x {} = {bytes} bytes, which is not a multiple of 16 bytes",
        lowerer.display(element.ty)
    );
    lowerer.report(&codes::NV_TENSOR_ALIGNMENT, range, message);
}
