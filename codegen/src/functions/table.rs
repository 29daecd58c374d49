//! The functions that have been called, and which of them are still to be compiled.

use coopmat_analysis::hir::FunctionId;
use rspirv::spirv::{ImageFormat, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A function and the formats of the images that it is called with: these are part of its parameters' types.
pub(super) type Instance = (FunctionId, SmallVec<[ImageFormat; 2]>);

#[derive(Default)]
pub(crate) struct Functions {
    pub(super) known: FxHashMap<Instance, Word>,
    /// Called, but not compiled yet.
    pub(super) waiting: Vec<(Instance, Word)>,
    pub(super) next: usize,
}
