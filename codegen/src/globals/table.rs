//! The variables at top level that are declared already.

use coopmat_analysis::hir::{GlobalId, StructId};
use rspirv::spirv::{StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use super::heap_type::HeapType;
use crate::interfaces::table::{Builtins, PerVertex};
use crate::places::Place;

#[derive(Default)]
pub(crate) struct Globals {
    pub(super) variables: FxHashMap<GlobalId, Place>,
    pub builtins: Builtins,
    pub per_vertex: PerVertex,
    /// Values of `const` globals.
    pub constants: FxHashMap<GlobalId, Word>,
    /// Private variables that hold constant arrays, so that they can be indexed.
    pub tables: FxHashMap<Word, Word>,
    /// Every variable, with its class: the interface of the entry point.
    pub all: Vec<(Word, StorageClass)>,
    /// A shared block, and a shared variable that is none.
    pub shared_block: Option<GlobalId>,
    pub shared_plain: Option<GlobalId>,
    /// The heap of everything but samplers, and that of samplers.
    pub(super) heaps: [Option<Word>; 2],
    /// How structures with descriptors lie in heaps, by whether their matrices are row-major.
    pub(super) heap_types: FxHashMap<(StructId, bool), HeapType>,
    /// Sizes of descriptors, by their types.
    pub(super) descriptor_sizes: FxHashMap<Word, Word>,
    /// Types of descriptors of buffers, by what they lead to.
    pub(super) buffer_descriptors: FxHashMap<StorageClass, Word>,
    /// Variables whose declarations are not compiled, which has been told.
    pub(super) refused: FxHashSet<GlobalId>,
    /// Storage buffers.
    pub(super) buffers: FxHashSet<Word>,
}
