//! The constants that are declared already.

use coopmat_analysis::types::Scalar;
use rspirv::spirv::Word;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

#[derive(Default)]
pub(crate) struct Constants {
    /// By type and bits.
    pub(super) scalars: FxHashMap<(Scalar, u64), Word>,
    pub(super) composites: FxHashMap<(Op2, Word, SmallVec<[Word; 4]>), Word>,
    pub(super) nulls: FxHashMap<Word, Word>,
    pub(super) undefined: FxHashMap<Word, Word>,
}

/// Whether a composite is a specialization constant.
type Op2 = bool;
