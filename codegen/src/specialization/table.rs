//! The specialization constants, and what is made of them, that are declared already.

use coopmat_analysis::hir::GlobalId;
use coopmat_analysis::symbolic::Sym;
use coopmat_analysis::types::Scalar;
use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

#[derive(Default)]
pub(crate) struct Specialization {
    pub(super) operations: FxHashMap<(Op, Word, SmallVec<[Word; 4]>), Word>,
    /// Sizes of arrays and matrices.
    pub(super) sizes: FxHashMap<Sym, Word>,
    /// Values of a symbol in a type.
    pub(super) symbols: FxHashMap<(Sym, Scalar), Word>,
    pub(super) globals: FxHashMap<GlobalId, Word>,
    pub(super) by_constant_id: Option<FxHashMap<u32, GlobalId>>,
    /// `gl_WorkGroupSize` and its parts.
    pub workgroup_size: Option<WorkgroupSize>,
}

#[derive(Clone, Copy)]
pub(crate) struct WorkgroupSize {
    pub parts: [Word; 3],
    /// The vector, once something asks for it.
    pub vector: Option<Word>,
    pub specialized: bool,
}
