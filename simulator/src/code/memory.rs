//! Loads, stores, copies; addresses.

use crate::Class;
use crate::program::Slot;

/// Loads, stores, copies, pointers.
#[derive(Clone, Debug)]
pub(crate) enum MemoryInstruction {
    /// Planes to planes of the same frame, or of a variable.
    Copy {
        result: Slot,
        source: Slot,
        planes: u32,
    },
    /// From planes whose index is in a register, and to them.
    Gather {
        result: Slot,
        pointer: Slot,
        offset: u32,
        planes: u32,
    },
    Scatter {
        pointer: Slot,
        offset: u32,
        value: Slot,
        planes: u32,
    },
    /// A matrix, away from its value: to a plane, and to one whose index is in a register.
    Move {
        result: Slot,
        value: Slot,
    },
    MoveTo {
        pointer: Slot,
        offset: u32,
        value: Slot,
    },
    /// From memory, and to it: the scalars of `leaves`.
    Load {
        result: Slot,
        pointer: Slot,
        offset: u32,
        leaves: u32,
    },
    Store {
        pointer: Slot,
        offset: u32,
        value: Slot,
        leaves: u32,
    },
    /// The components of a vector that are not beside each other in memory.
    LoadApart {
        result: Slot,
        pointer: Slot,
        offset: u32,
        leaves: u32,
        step: u32,
    },
    StoreApart {
        pointer: Slot,
        offset: u32,
        value: Slot,
        leaves: u32,
        step: u32,
    },
    Address {
        result: Slot,
        pointer: Slot,
        offset: u32,
        terms: Box<[Term]>,
    },
    /// The address of a buffer in an array of them.
    Buffer {
        result: Slot,
        first: u32,
        count: u32,
        index: Slot,
        wide: bool,
    },
    /// A descriptor in an array of them.
    Descriptor {
        result: Slot,
        pointer: Slot,
        count: u32,
        index: Slot,
        wide: bool,
    },
    /// What a descriptor describes that lies at an address in a heap: a buffer's address, the number of an image's descriptor.
    HeapBuffer {
        result: Slot,
        pointer: Slot,
        offset: u32,
    },
    HeapImage {
        result: Slot,
        pointer: Slot,
        offset: u32,
    },
    /// The index of a plane.
    PlaneIndex {
        result: Slot,
        plane: Slot,
    },
    /// The index of a plane of an element: from a known plane, or from where a pointer points.
    PlaneOf {
        result: Slot,
        first: Slot,
        index: Slot,
        wide: bool,
        count: u32,
        step: u32,
    },
    PlaneFrom {
        result: Slot,
        pointer: Slot,
        offset: u32,
        index: Slot,
        wide: bool,
        count: u32,
        step: u32,
    },
    /// A signed index of fewer than 32 bits.
    Extend {
        result: Slot,
        value: Slot,
        width: u8,
    },
    /// The elements of an array at the end of a buffer.
    ArrayLength {
        result: Slot,
        pointer: Slot,
        offset: u32,
        stride: u32,
    },
}

/// A part of an address: an index that is known only when it runs, times a stride.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub index: Slot,
    pub wide: bool,
    pub signed: bool,
    pub stride: u64,
    /// Elements of the array; `u32::MAX` where nobody knows.
    pub length: u32,
}

/// The index of no plane.
pub(crate) const NO_PLANE: u32 = u32::MAX;

impl MemoryInstruction {
    pub fn class(&self) -> Class {
        match self {
            MemoryInstruction::Copy { .. } | MemoryInstruction::Move { .. } => Class::Composite,
            MemoryInstruction::Address { .. }
            | MemoryInstruction::Buffer { .. }
            | MemoryInstruction::Descriptor { .. }
            | MemoryInstruction::HeapBuffer { .. }
            | MemoryInstruction::HeapImage { .. }
            | MemoryInstruction::PlaneIndex { .. }
            | MemoryInstruction::PlaneOf { .. }
            | MemoryInstruction::PlaneFrom { .. }
            | MemoryInstruction::Extend { .. } => Class::Integer,
            MemoryInstruction::Gather { .. }
            | MemoryInstruction::Scatter { .. }
            | MemoryInstruction::MoveTo { .. }
            | MemoryInstruction::Load { .. }
            | MemoryInstruction::Store { .. }
            | MemoryInstruction::LoadApart { .. }
            | MemoryInstruction::StoreApart { .. }
            | MemoryInstruction::ArrayLength { .. } => Class::Memory,
        }
    }
}
