//! What an l-value denotes: a pointer, indices from there, and how memory is accessed.

use coopmat_analysis::hir::{ExprId, Swizzle};
use coopmat_analysis::types::Ty;
use rspirv::spirv::{StorageClass, Word};
use smallvec::SmallVec;

use super::Access;
use crate::memory::Memory;

/// What a descriptor heap is for one declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heap {
    /// The type of the whole: a run-time array of descriptors.
    pub array: Word,
    /// Of buffers: the pointer that a descriptor becomes, and its class.
    pub target: Option<(Word, StorageClass)>,
}

/// What a descriptor heap is for a block in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// The block's type, which indices go into.
    pub ty: Word,
    /// Bytes from the start of the heap, an expression of the module's own body.
    pub offset: Option<ExprId>,
}

/// A place in memory.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// A pointer: a variable, a parameter, an address.
    pub base: Word,
    pub class: StorageClass,
    /// Indices from the base to the place.
    pub(super) chain: SmallVec<[Word; 6]>,
    /// Of what the chain leads to.
    pub ty: Ty,
    pub memory: Memory,
    pub access: Access,
    /// Several components of the vector that the chain leads to.
    pub(super) swizzle: Option<Swizzle>,
    /// The place is a whole descriptor heap, whose elements are places.
    pub heap: Option<Heap>,
    /// The place is in a block in a heap, which `base` is.
    pub view: Option<View>,
    /// The pointer does not say what it points to.
    pub untyped: bool,
    /// The chain, once it is emitted.
    pub(super) pointer: Option<Word>,
}

impl Place {
    pub fn new(base: Word, class: StorageClass, ty: Ty, memory: Memory, access: Access) -> Place {
        Place {
            base,
            class,
            chain: SmallVec::new(),
            ty,
            memory,
            access,
            swizzle: None,
            heap: None,
            view: None,
            untyped: false,
            pointer: None,
        }
    }

    /// A whole variable or parameter, no part of one.
    pub fn is_whole(&self) -> bool {
        self.chain.is_empty() && self.swizzle.is_none()
    }

    /// The place of the whole vector, and which of its components were meant.
    pub fn take_swizzle(&mut self) -> Option<Swizzle> {
        self.swizzle.take()
    }

    /// Goes on to a part.
    pub fn go_on(&mut self, index: Word, ty: Ty) {
        self.push(index, ty);
    }

    /// The indices from the base to the place.
    pub fn chain(&self) -> &[Word] {
        &self.chain
    }

    pub(super) fn push(&mut self, index: Word, ty: Ty) {
        self.chain.push(index);
        self.ty = ty;
        self.pointer = None;
    }
}
