//! How types lie in descriptor heaps: in bytes that are known, or that the device knows.

use rspirv::spirv::Word;

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bytes {
    Known(u32),
    /// A constant that the device computes.
    Id(Word),
}

/// How a type lies in a heap.
#[derive(Clone, Copy)]
pub(crate) struct HeapType {
    pub ty: Word,
    pub size: Bytes,
    pub align: Bytes,
}
