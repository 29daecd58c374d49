//! Which bytes of undefined buffers earlier dispatches of a run have written: checked mode looks at one dispatch, and what was written stays.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::memory::{BUFFERS, BufferId, IMAGES, ImageId};

fn bits(count: u64, ranges: impl IntoIterator<Item = Range<u64>>) -> Arc<[u64]> {
    let mut bits = vec![0u64; count.div_ceil(64) as usize];
    for range in ranges {
        for place in range.start..range.end.min(count) {
            bits[(place / 64) as usize] |= 1 << (place % 64);
        }
    }
    bits.into()
}

/// Bytes of buffers, and texels of images, that earlier dispatches wrote: [`crate::Execution::written`] says them for the next one's
/// [`crate::Settings::written_before`].
#[derive(Clone, Debug, Default)]
pub struct WrittenBytes {
    /// By allocation: a bit for each byte.
    buffers: FxHashMap<u64, Arc<[u64]>>,
}

impl WrittenBytes {
    /// Adds bytes of a buffer of this size that have a value before the run begins; the others of the buffer have none.
    pub fn insert(&mut self, buffer: BufferId, size: u64, ranges: impl IntoIterator<Item = Range<u64>>) {
        self.add(BUFFERS + u64::from(buffer.0), bits(size, ranges));
    }

    /// The same of texels of an image, of which it has so many: they are counted along a row first, then by rows, slices or layers, levels.
    pub fn insert_texels(
        &mut self,
        image: ImageId,
        count: u64,
        ranges: impl IntoIterator<Item = Range<u64>>,
    ) {
        self.add(IMAGES + u64::from(image.0), bits(count, ranges));
    }

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
