//! The types that are declared already.

use coopmat_analysis::hir::{Packing, StructId};
use coopmat_analysis::types::{ImageDim, Scalar, Ty};
use rspirv::spirv::{StorageClass, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::memory::Memory;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TypeKey {
    Void,
    Scalar(Scalar),
    Vector(Word, u32),
    /// A vector whose length is an id (SPV_EXT_long_vector).
    LongVector(Word, Word),
    Matrix(Word, u32),
    /// Element, length, stride.
    Array(Word, Word, u32),
    RuntimeArray(Word, u32),
    Struct(StructId, Memory),
    Pointer(StorageClass, Word),
    UntypedPointer(StorageClass),
    Image {
        sampled_type: Word,
        dim: ImageDim,
        depth: bool,
        arrayed: bool,
        multisampled: bool,
        sampled: u32,
        format: u32,
    },
    Sampler,
    SampledImage(Word),
    AccelerationStructure,
    /// Element, rank.
    /// Of an attachment of the tile.
    TileImage(Word),
    Tensor(Word, Word),
    RayQuery,
    /// Of GL_EXT_shader_invocation_reorder, or of NVIDIA's.
    HitObject {
        older: bool,
    },
    Coopmat([Word; 5]),
    CoopmatNv([Word; 4]),
    TensorLayout([Word; 2]),
}

#[derive(Default)]
pub(crate) struct TypeTable {
    pub(super) known: FxHashMap<TypeKey, Word>,
    /// Value types by the number of the `Ty`; 0 where none is made yet.
    pub(super) values: Vec<Word>,
    pub(super) in_memory: FxHashMap<(Ty, Memory), Word>,
    pub(super) functions: FxHashMap<SmallVec<[Word; 6]>, Word>,
    pub(super) tensor_views: FxHashMap<SmallVec<[Word; 8]>, Word>,
    /// Arrays of bytes that are texts, without and with a layout, by their length.
    pub texts: FxHashMap<u32, [Word; 2]>,
    pub(super) references: FxHashMap<StructId, Word>,
    /// What a structure is made of, as far as that was asked.
    pub(super) parts: FxHashMap<StructId, u64>,
    /// Whether a structure has a matrix in it, as far as that was asked.
    pub(super) with_matrices: FxHashMap<StructId, bool>,
    /// Structures that instructions with two results give, by their members.
    pub result_structs: FxHashMap<Vec<Word>, Word>,
    /// Offsets of members, for the alignment of physical addresses.
    pub offsets: FxHashMap<(StructId, Packing, bool), Vec<u32>>,
}
