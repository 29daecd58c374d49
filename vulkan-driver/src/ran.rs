//! A command that ran, as later ones are held against it: what it is called, and where its accesses come from.

use std::ops::Range;
use std::sync::Arc;

use coopmat_driver_report::Place;

use crate::module::Module;

/// A command that ran.
pub struct Ran {
    /// `dispatch 3 of gemm`, `vkCmdCopyBuffer after dispatch 3`.
    pub text: String,
    /// The same wherever it is the same: the pipeline, or the function.
    pub key: String,
    /// Of a dispatch.
    pub module: Option<Arc<Module>>,
    /// Of a dispatch: the memory, where in it, whether it writes, the instruction.
    pub instructions: Vec<(u64, Range<u64>, bool, u32)>,
}

impl Ran {
    /// Where the access to a byte comes from, if one instruction alone may have done it.
    pub fn place(&self, memory: u64, byte: u64, writes: bool) -> Option<Place> {
        let here =
            |one: &&(u64, Range<u64>, bool, u32)| one.0 == memory && one.2 == writes && one.1.contains(&byte);
        let mut all = self.instructions.iter().filter(here);
        let (Some((.., instruction)), None) = (all.next(), all.next()) else { return None };
        self.module.as_ref()?.place(*instruction)
    }
}
