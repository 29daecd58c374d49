//! Which bytes of a buffer are read and written, and in how many sectors they lie.

use rustc_hash::FxHashMap;

/// Bytes that a device moves at least: what NVIDIA calls a sector.
pub const SECTOR: u64 = 32;

/// Bytes of a page of [`Touched`], and words of 64 bits.
const PAGE: u64 = 4096;
const WORDS: usize = (PAGE / 64) as usize;

/// Bytes that were touched: a bit for each, in pages.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    pages: FxHashMap<u64, Box<[u64; WORDS]>>,
    count: u64,
}

impl Touched {
    /// Bytes from an offset on.
    pub fn add(&mut self, offset: u64, size: u64) {
        let mut at = offset;
        let end = offset.saturating_add(size);
        while at < end {
            let page = self.pages.entry(at / PAGE).or_insert_with(|| Box::new([0; WORDS]));
            let bit = at % 64;
            let bits = (end - at).min(64 - bit);
            let mask = (u64::MAX >> (64 - bits)) << bit;
            let word = &mut page[(at % PAGE / 64) as usize];
            self.count += u64::from((mask & !*word).count_ones());
            *word |= mask;
            at += bits;
        }
    }

    /// How many bytes.
    pub fn count(&self) -> u64 {
        self.count
    }
}

/// What was read from and written to a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// In all, each time again.
    pub read: u64,
    /// In all, each time again.
    pub written: u64,
    /// Bytes that were read at least once.
    pub distinct_read: u64,
    /// Bytes that were written at least once.
    pub distinct_written: u64,
}

/// The sectors that an instruction touches, and the fewest that so many different bytes fit into.
pub(super) fn sectors(mut ranges: Vec<(u64, u64)>) -> (u64, u64) {
    ranges.sort_unstable();
    let (mut touched, mut bytes) = (0, 0);
    let (mut end, mut next_sector) = (0, 0);
    for (start, stop) in ranges {
        let start = start.max(end);
        if start >= stop {
            continue;
        }
        bytes += stop - start;
        let first = (start / SECTOR).max(next_sector);
        let last = (stop - 1) / SECTOR;
        touched += (last + 1).saturating_sub(first);
        next_sector = next_sector.max(last + 1);
        end = stop;
    }
    (touched, u64::div_ceil(bytes, SECTOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_count_once() {
        let mut touched = Touched::default();
        touched.add(4090, 20);
        touched.add(4100, 4);
        touched.add(0, 1);
        assert_eq!(touched.count(), 21);
    }

    #[test]
    fn sectors_of_lanes() {
        let of = |stride: u64, size: u64| {
            sectors((0..32).map(|lane| (lane * stride, lane * stride + size)).collect())
        };
        // 128 bytes in a row; with gaps; a sector for each lane; all the same.
        assert_eq!(of(4, 4), (4, 4));
        assert_eq!(of(8, 4), (8, 4));
        assert_eq!(of(256, 4), (32, 4));
        assert_eq!(of(0, 4), (1, 1));
        // In a row, but from the middle of a sector on.
        assert_eq!(sectors(vec![(16, 144)]), (5, 4));
    }
}
