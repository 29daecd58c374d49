//! GL_ARM_tensors, section 8.X: reads, writes and sizes of tensors.

use super::images;
use crate::diagnostics::codes;
use crate::extensions::{self, instructions, values};
use crate::hir::{Const, ExprId};
use crate::lower::Lowerer;
use crate::lower::call_site::CallSite;
use crate::types::{ArrayLength, Opaque, OpaqueClass, Scalar, Ty, TypeKind};

/// `tensorReadARM(t, coords, data [, operands, ...])` and `tensorWriteARM`.
pub(super) fn access(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let &[tensor, coordinates, data, ref rest @ ..] = call.arguments else { return call.result };
    let function = extensions::function(call.function);
    let Some(opaque) = tensor_of(lowerer, tensor, function.name) else { return call.result };
    images::check_access(lowerer, function, call.arguments);
    check_coordinates(lowerer, coordinates, opaque.rank);
    check_data(lowerer, data, opaque.component);
    let [operands, more @ ..] = rest else { return call.result };
    let range = lowerer.range_of(*operands);
    let Some(mask) = constant(lowerer, *operands, "the operands of a tensor access") else {
        return call.result;
    };
    let outside = mask & i128::from(values::GL_TENSOR_OPERANDS_OUT_OF_BOUNDS_VALUE_ARM) != 0;
    let message = match (outside, more) {
        (true, _) if function.instruction == instructions::OP_TENSOR_WRITE_ARM => {
            "an out-of-bounds value is only for reads"
        }
        (true, []) => "expected the out-of-bounds value as the next argument",
        (true, &[value]) => {
            check_outside(lowerer, value, opaque.component);
            return call.result;
        }
        (false, []) => return call.result,
        _ => "too many arguments after the operands",
    };
    lowerer.report(&codes::NO_MATCHING_OVERLOAD, range, message.to_owned());
    call.result
}

/// `tensorSizeARM(t, dim)`: "*dim* must be less than the rank of tensor *t*."
pub(super) fn size(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    let &[tensor, dimension] = call.arguments else { return call.result };
    let name = extensions::function(call.function).name;
    let Some(opaque) = tensor_of(lowerer, tensor, name) else { return call.result };
    let range = lowerer.range_of(dimension);
    let Some(value) = constant(lowerer, dimension, "the dimension") else { return call.result };
    if !(0..i128::from(opaque.rank)).contains(&value) {
        let found = lowerer.display(lowerer.type_of(tensor));
        let message = format!("`{found}` has {} dimensions, so there is no dimension {value}", opaque.rank);
        lowerer.report(&codes::INDEX_OUT_OF_RANGE, range, message);
    }
    call.result
}

fn tensor_of(lowerer: &mut Lowerer<'_>, tensor: ExprId, function: &str) -> Option<Opaque> {
    let ty = lowerer.type_of(tensor);
    match *lowerer.types.kind(ty) {
        TypeKind::Opaque(opaque) if opaque.class == OpaqueClass::Tensor => Some(opaque),
        _ => {
            let (found, range) = (lowerer.display(ty), lowerer.range_of(tensor));
            let message = format!("`{function}` takes a `tensorARM`, found `{found}`");
            lowerer.report(&codes::TYPE_MISMATCH, range, message);
            None
        }
    }
}

/// "It is a compile-time error if the number of supplied coordinates does not equal the rank of the tensor."
fn check_coordinates(lowerer: &mut Lowerer<'_>, coordinates: ExprId, rank: u32) {
    let ty = lowerer.type_of(coordinates);
    let fits = lowerer.types.as_array(ty).is_some_and(|(element, length)| {
        let known = match length {
            ArrayLength::Sized(length) => lowerer.types.symbols.as_int(length),
            ArrayLength::Unsized => None,
        };
        lowerer.types.as_scalar(element) == Some(Scalar::Uint32) && known == Some(i64::from(rank))
    });
    if !fits {
        let (found, range) = (lowerer.display(ty), lowerer.range_of(coordinates));
        let message = format!(
            "the coordinates must be `uint[{rank}]`, one for each dimension of the tensor, found `{found}`"
        );
        lowerer.report(&codes::TYPE_MISMATCH, range, message);
    }
}

/// An element, or an array of elements.
fn check_data(lowerer: &mut Lowerer<'_>, data: ExprId, component: Scalar) {
    let ty = lowerer.type_of(data);
    let element = lowerer.types.as_array(ty).map_or(ty, |(element, _)| element);
    if lowerer.types.as_scalar(element) != Some(component) {
        let (found, range) = (lowerer.display(ty), lowerer.range_of(data));
        let name = component.name();
        let message = format!(
            "the elements of the tensor are `{name}`: expected `{name}` or an array of it, found `{found}`"
        );
        lowerer.report(&codes::TYPE_MISMATCH, range, message);
    }
}

/// "The type of the following argument must match the tensor element type"; it is a constant, as glslang's tests have it.
fn check_outside(lowerer: &mut Lowerer<'_>, value: ExprId, component: Scalar) {
    let ty = lowerer.type_of(value);
    let range = lowerer.range_of(value);
    if lowerer.types.as_scalar(ty) != Some(component) {
        let found = lowerer.display(ty);
        let message = format!(
            "the out-of-bounds value must be a `{}` like the elements, found `{found}`",
            component.name()
        );
        lowerer.report(&codes::TYPE_MISMATCH, range, message);
    } else if lowerer.body.exprs[value].constant.is_none() {
        let message = "the out-of-bounds value must be a constant expression".to_owned();
        lowerer.report(&codes::CONSTANT_REQUIRED, range, message);
    }
}

/// The value of a constant integer, or an error.
fn constant(lowerer: &mut Lowerer<'_>, expr: ExprId, what: &str) -> Option<i128> {
    let value = lowerer.body.exprs[expr].constant.as_ref().and_then(Const::as_int);
    if value.is_none() {
        let range = lowerer.range_of(expr);
        let message = format!("{what} must be a constant expression of an integer type");
        lowerer.report(&codes::CONSTANT_REQUIRED, range, message);
    }
    value
}
