//! Decode functions of tensor loads: GL_NV_cooperative_matrix2 and GL_NV_cooperative_matrix_decode_vector, section 8.X of
//! both.

use crate::diagnostics::codes;
use crate::hir::{ExprId, FunctionId, Parameter};
use crate::lower::Lowerer;
use crate::matrices::memory::{Memory, MemoryPlace};
use crate::symbolic::Sym;
use crate::types::{ArrayLength, Scalar, Ty, TypeKind};

use super::callback_arguments::{
    self, Misfit, check_const_in, is_reference, parameter_name, same, signature,
};
use super::matrix::{Operand, Relation, declarations, relation, size_text};

/// `functions` is the scalar decode function, then perhaps the one that decodes several elements at once.
pub(super) fn check(
    lowerer: &mut Lowerer<'_>,
    functions: &[ExprId],
    operand: &Operand,
    dim: Sym,
    buffer: ExprId,
    place: &MemoryPlace,
) {
    if place.memory == Memory::Shared {
        let (range, related) = (lowerer.range_of(buffer), declarations(lowerer, &[buffer]));
        lowerer.report_with(
            &codes::NV_DECODE_MEMORY,
            range,
            "a load with a decode function needs buffer memory, but this is shared memory".to_owned(),
            related,
        );
    }
    let component = operand.matrix.component;
    let name = component.name();
    let dimensions = size_text(lowerer, dim);
    let coordinates = format!("const in uint[{dimensions}], const in uint[{dimensions}]");
    if let Some(&function) = functions.first() {
        let expected = format!("{name} decode(const in REFERENCE, {coordinates})");
        callback_arguments::resolve(lowerer, function, &expected, |lowerer, candidate| {
            scalar_misfit(lowerer, candidate, component, dim)
        });
    }
    if let Some(&function) = functions.get(1) {
        let expected = format!("vector<{name}, 2|4|8> decode(const in REFERENCE, {coordinates})");
        callback_arguments::resolve(lowerer, function, &expected, |lowerer, candidate| {
            vector_misfit(lowerer, candidate, component, dim)
        });
    }
}

fn scalar_misfit(
    lowerer: &mut Lowerer<'_>,
    function: FunctionId,
    component: Scalar,
    dim: Sym,
) -> Option<Misfit> {
    let (parameters, returns) = signature(lowerer, function);
    if let Some(message) = parameters_misfit(lowerer, &parameters, dim) {
        return Some(Misfit::new(&codes::NV_DECODE_SIGNATURE, message));
    }
    let wanted = lowerer.types.scalar(component);
    if !same(lowerer, returns, wanted) {
        let message = format!("it returns {} instead of {}", lowerer.display(returns), component.name());
        let kept: Vec<Ty> = parameters.iter().map(|parameter| parameter.ty).collect();
        let wanted = Some((kept, wanted));
        return Some(Misfit { code: &codes::NV_DECODE_SIGNATURE, message, wanted });
    }
    check_const_in(&parameters)
}

fn vector_misfit(
    lowerer: &mut Lowerer<'_>,
    function: FunctionId,
    component: Scalar,
    dim: Sym,
) -> Option<Misfit> {
    let (parameters, returns) = signature(lowerer, function);
    if let Some(message) = parameters_misfit(lowerer, &parameters, dim) {
        return Some(Misfit::new(&codes::NV_DECODE_SIGNATURE, message));
    }
    if let Some(message) = return_misfit(lowerer, returns, component) {
        return Some(Misfit::new(&codes::NV_DECODE_VECTOR, message));
    }
    check_const_in(&parameters)
}

fn return_misfit(lowerer: &Lowerer<'_>, returns: Ty, component: Scalar) -> Option<String> {
    if lowerer.types.is_error(returns) {
        return None;
    }
    let found = lowerer.display(returns);
    let (scalar, length) = match *lowerer.types.kind(returns) {
        TypeKind::Vector(scalar, length) => (scalar, Some(i64::from(length))),
        TypeKind::LongVector(scalar, length) => (scalar, lowerer.types.symbols.as_int(length)),
        _ => return Some(format!("it returns {found}: expected a vector of 2, 4 or 8 {}", component.name())),
    };
    if scalar != component {
        return Some(format!("it returns {found}, but the matrix has components of {}", component.name()));
    }
    match length {
        Some(length) if ![2, 4, 8].contains(&length) => {
            Some(format!("it returns {found} with {length} components: expected 2, 4 or 8"))
        }
        _ => None,
    }
}

/// A buffer reference, then the coordinates of the block and those inside it.
fn parameters_misfit(lowerer: &mut Lowerer<'_>, parameters: &[Parameter], dim: Sym) -> Option<String> {
    if parameters.len() != 3 {
        return Some(format!("it has {} parameters instead of 3", parameters.len()));
    }
    for (index, parameter) in parameters.iter().enumerate() {
        let name = parameter_name(parameter, index);
        let found = lowerer.display(parameter.ty);
        if index == 0 {
            if !is_reference(lowerer, parameter.ty) {
                return Some(format!("{name} is {found}: expected a buffer reference"));
            }
            continue;
        }
        let TypeKind::Array(element, length) = *lowerer.types.kind(parameter.ty) else {
            if lowerer.types.is_error(parameter.ty) {
                continue;
            }
            return Some(format!("{name} is {found}: expected an array of uint"));
        };
        if !same(lowerer, element, Ty::UINT) {
            return Some(format!("{name} is {found}: expected an array of uint"));
        }
        let fits = match length {
            ArrayLength::Unsized => false,
            ArrayLength::Sized(length) => relation(lowerer, length, dim) != Relation::Different,
        };
        if !fits {
            return Some(format!(
                "{name} is {found}, but the tensor layout has {} dimensions",
                size_text(lowerer, dim)
            ));
        }
    }
    None
}
