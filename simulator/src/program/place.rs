//! What a pointer points to, as far as lowering knows.

use super::types::{MatrixLayout, TypeId};
use super::values::{Slot, Value};

/// What a pointer points to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Place {
    /// A part of a variable in registers.
    Planes { first: Slot, type_: TypeId },
    /// The same, where the plane is known only when it runs: `pointer` holds the index of a plane.
    PlanePointer { pointer: Slot, offset: u32, type_: TypeId },
    /// Memory at an address in two planes, `offset` bytes further on.
    Memory {
        pointer: Slot,
        offset: u32,
        type_: Option<TypeId>,
        matrix: MatrixLayout,
        component_step: u32,
        /// Whether it is a workgroup's own memory.
        shared: bool,
    },
    /// An array of buffers: an index chooses one.
    Buffers { first: u32, count: u32, type_: TypeId },
    /// An image or sampler, or an array of them: `pointer` holds the index of a descriptor.
    Descriptor { pointer: Slot, type_: TypeId },
    /// An element of a cooperative matrix variable.
    Element { matrix: Box<Place>, index: Value, type_: TypeId },
    /// An image's texel, for atomic operations: the image, and the coordinates.
    Texel { image: Slot, image_type: TypeId, coordinates: Value, type_: TypeId },
}

impl Place {
    pub fn memory(pointer: Slot, type_: Option<TypeId>, shared: bool) -> Place {
        let matrix = MatrixLayout::default();
        Place::Memory { pointer, offset: 0, type_, matrix, component_step: 0, shared }
    }

    /// The type of what it points to, where that is known.
    pub fn type_(&self) -> Option<TypeId> {
        match self {
            Place::Planes { type_, .. }
            | Place::PlanePointer { type_, .. }
            | Place::Buffers { type_, .. }
            | Place::Descriptor { type_, .. }
            | Place::Element { type_, .. }
            | Place::Texel { type_, .. } => Some(*type_),
            Place::Memory { type_, .. } => *type_,
        }
    }
}
