//! Which bytes of undefined buffers earlier dispatches of a run have written: checked mode looks at one dispatch, and what was written stays.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// Bytes of buffers that earlier dispatches wrote: [`crate::Execution::written`] says them for the next one's
/// [`crate::Settings::written_before`].
#[derive(Clone, Debug, Default)]
pub struct WrittenBytes {
    /// By allocation: a bit for each byte.
    buffers: FxHashMap<u64, Arc<[u64]>>,
}

impl WrittenBytes {
    pub(crate) fn add(&mut self, allocation: u64, bits: Arc<[u64]>) {
        self.buffers.insert(allocation, bits);
    }

    /// Whether a byte of a buffer was written; for looking at several.
    pub(super) fn of(&self, allocation: u64) -> impl Fn(u64) -> bool + use<> {
        let bits = self.buffers.get(&allocation).cloned();
        move |offset| {
            let word = bits.as_ref().and_then(|bits| bits.get((offset / 64) as usize));
            word.is_some_and(|word| word >> (offset % 64) & 1 != 0)
        }
    }
}
