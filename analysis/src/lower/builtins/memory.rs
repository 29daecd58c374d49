//! The memory that a matrix is loaded from or stored to: whether it may be accessed, and what it consists of.

use crate::diagnostics::codes;
use crate::hir::ExprId;
use crate::lower::Lowerer;
use crate::matrices::memory::{Memory, MemoryPlace, place_of};
use crate::types::{Scalar, Ty, TypeKind};

use super::{matrix, no_array};

/// Checks that the array of a load or store lies in buffer or shared memory and may be read. That a store's array may be
/// written is checked with the call's other results.
pub(super) fn check_place(
    lowerer: &mut Lowerer<'_>,
    buffer: ExprId,
    function: &str,
    store: bool,
) -> MemoryPlace {
    let place = place_of(&lowerer.module, &lowerer.types, &lowerer.body, buffer);
    let range = lowerer.range_of(buffer);
    let related = matrix::declarations(lowerer, &[buffer]);
    if matches!(lowerer.types.kind(lowerer.type_of(buffer)), TypeKind::Reference(_)) {
        // It is what the reference points at that is meant, wherever the reference itself is.
    } else if let Memory::Other(what) = place.memory {
        lowerer.report_with(
            &codes::COOPMAT_MEMORY_CLASS,
            range,
            format!("`{function}` accesses buffer or shared memory, but this is {what}"),
            related,
        );
    } else if !store && place.writeonly {
        lowerer.report_with(
            &codes::COOPMAT_MEMORY_ACCESS,
            range,
            format!("`{function}` reads this memory, but it is declared `writeonly`"),
            related,
        );
    }
    place
}

/// The elements of an array in memory: their component type and how many components each has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub ty: Ty,
    pub component: Scalar,
    pub count: u32,
}

impl Element {
    /// Bytes of one element. A vector of 3 has the size of 4 in std430; it is not allowed where this matters.
    pub fn bytes(self) -> u64 {
        u64::from(self.component.bytes()) * u64::from(self.count)
    }
}

/// Whether a matrix is loaded from an array of such vectors, or scalars.
pub(super) fn is_element(component: Scalar, count: u32) -> bool {
    matches!(count, 1 | 2 | 4) && component != Scalar::Bool
}

/// The element of the array that a load or store is given. What is not an array is reported; so is an element type that
/// `coopMatLoad` does not have, unless any will do. The offset is that into the array.
pub(super) fn check_element(
    lowerer: &mut Lowerer<'_>,
    buffer: ExprId,
    offset: Option<ExprId>,
    function: &str,
    any_element: bool,
) -> Option<Element> {
    let (ty, range) = (lowerer.type_of(buffer), lowerer.range_of(buffer));
    let TypeKind::Array(element, _) = *lowerer.types.kind(ty) else {
        no_array::report(lowerer, buffer, offset, function);
        return None;
    };
    if lowerer.types.is_error(element) {
        return None;
    }
    let found =
        lowerer.types.as_vector(element).map(|(component, count)| Element { ty: element, component, count });
    if let Some(element) = found {
        lowerer.storage_only_matrix(element.component, function, range);
    }
    if any_element {
        return found;
    }
    if let Some(element) = found
        && is_element(element.component, element.count)
    {
        return Some(element);
    }
    let name = lowerer.display(element);
    let related = matrix::declarations(lowerer, &[buffer]);
    lowerer.report_with(
        &codes::COOPMAT_MEMORY_ELEMENT,
        range,
        format!(
            "`{function}` takes an array of numbers or of vectors of 2 or 4 numbers, but its elements are `{name}`"
        ),
        related,
    );
    None
}
