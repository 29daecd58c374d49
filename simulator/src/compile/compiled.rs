//! What is made of a program: the module, and what a run needs to know of it.

use std::sync::Arc;

use super::layout::Layout;
use super::refusal::Refusal;
use super::site::Site;
use super::unroll::Parts;
use crate::Settings;
use crate::numerics::Numerics;
use crate::program::ProgramData;

/// A program as WebAssembly, for one size of subgroups and one way to round.
///
/// The module exports its memory as `memory` and its function as `run`, which takes the place of a subgroup in the memory and gives a number
/// that [`returned`](crate::CompiledRun::returned) takes. It imports `host.execute`, which is [`execute`](crate::CompiledRun::execute), and a memory of no size.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program, with its loops unrolled; and how many blocks it had before.
    pub(crate) program: Arc<ProgramData>,
    pub(crate) blocks: u32,
    /// What each of its blocks is made of.
    pub(crate) parts: Vec<Parts>,
    pub(crate) wasm: Vec<u8>,
    pub(crate) layout: Layout,
    pub(crate) sites: Vec<Site>,
    /// For each block of the program: bytes that it reads once and for each lane, and that it writes.
    pub(crate) traffic: Vec<[u64; 4]>,
    /// For each plane: whether lanes may differ.
    pub(crate) varying: Vec<bool>,
    pub(crate) subgroup_size: u32,
    pub(crate) numerics: Numerics,
}

impl Compiled {
    /// The module's bytes.
    pub fn wasm(&self) -> &[u8] {
        &self.wasm
    }

    /// Whether a run with these settings is one that it was made for.
    pub(crate) fn accepts(&self, settings: &Settings) -> Result<(), Refusal> {
        match settings {
            Settings { checked: true, .. } | Settings { headroom: true, .. } => Err(Refusal::Checked),
            other if (other.subgroup_size, other.numerics) == (self.subgroup_size, self.numerics) => Ok(()),
            _ => Err(Refusal::Settings),
        }
    }
}
