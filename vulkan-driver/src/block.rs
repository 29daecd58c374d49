//! The memory of an allocation, which the program may map: it writes there whenever it likes, so that every access of ours is atomic.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes of a word.
const WORD: u64 = 8;
/// Words of a line, so that mappings are aligned as `minMemoryMapAlignment` says, which is 64 at least.
const WORDS: usize = 8;

/// `minMemoryMapAlignment`, and the alignment of buffers in memory.
pub const ALIGNMENT: u64 = WORD * WORDS as u64;

#[repr(C, align(64))]
#[derive(Default)]
struct Line([AtomicU64; WORDS]);

pub struct Block {
    lines: Box<[Line]>,
    size: u64,
}

impl Block {
    /// Zeros; none if there is not so much memory.
    pub fn new(size: u64) -> Option<Block> {
        let count = usize::try_from(size.div_ceil(ALIGNMENT)).ok()?;
        let mut lines = Vec::new();
        lines.try_reserve_exact(count).ok()?;
        lines.resize_with(count, Line::default);
        Some(Block { lines: lines.into_boxed_slice(), size })
    }

    /// In bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Where a byte is mapped.
    pub fn address(&self, offset: u64) -> *mut c_void {
        self.lines.as_ptr().cast_mut().cast::<u8>().wrapping_add(offset as usize).cast()
    }

    fn word(&self, index: u64) -> Option<&AtomicU64> {
        let index = usize::try_from(index).ok()?;
        self.lines.get(index / WORDS)?.0.get(index % WORDS)
    }

    /// Copies bytes out; those outside are zero.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) {
        let mut at = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let within = (at % WORD) as usize;
            let count = rest.len().min(WORD as usize - within);
            let word = self.word(at / WORD).map_or(0, |word| word.load(Relaxed)).to_le_bytes();
            let (now, later) = rest.split_at_mut(count);
            now.copy_from_slice(&word[within..within + count]);
            rest = later;
            at += count as u64;
        }
    }

    pub fn bytes(&self, offset: u64, size: u64) -> Vec<u8> {
        let mut bytes = vec![0; size as usize];
        self.read(offset, &mut bytes);
        bytes
    }

    /// Copies bytes in; those outside are dropped.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        let mut at = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let within = (at % WORD) as usize;
            let count = rest.len().min(WORD as usize - within);
            let (now, later) = rest.split_at(count);
            if let Some(word) = self.word(at / WORD) {
                if count == WORD as usize {
                    let mut whole = [0; WORD as usize];
                    whole.copy_from_slice(now);
                    word.store(u64::from_le_bytes(whole), Relaxed);
                } else {
                    // Bytes beside these are not ours to change.
                    let mut new = [0; WORD as usize];
                    let mut mask = [0; WORD as usize];
                    new[within..within + count].copy_from_slice(now);
                    mask[within..within + count].fill(0xff);
                    let (new, mask) = (u64::from_le_bytes(new), u64::from_le_bytes(mask));
                    let _ = word.fetch_update(Relaxed, Relaxed, |old| Some(old & !mask | new));
                }
            }
            rest = later;
            at += count as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_beside_those_that_are_written_stay() {
        let block = Block::new(100).unwrap();
        block.write(0, &[7; 100]);
        block.write(3, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
        let mut expected = vec![7; 100];
        expected[3..17].copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
        assert_eq!(block.bytes(0, 100), expected);
        assert_eq!(block.bytes(5, 3), [3, 4, 5]);
        assert_eq!(block.address(0) as u64 % ALIGNMENT, 0);
    }
}
