//! A buffer: words that workgroups on several threads may touch at once.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Words that threads share. Races between workgroups are the shader's; a word is always one that somebody wrote.
#[derive(Debug, Default)]
pub struct Buffer {
    words: Storage,
    /// In bytes.
    size: u64,
}

#[derive(Debug)]
enum Storage {
    Shared(Vec<AtomicU32>),
    /// Of a buffer that the dispatch only reads: the compiler may read many at once.
    Constant(Vec<u32>),
    /// Those of another buffer, which is none of this kind.
    Part(Part),
}

/// A part of a buffer, which is a buffer of its own to the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The number of the buffer.
    pub of: u32,
    /// In words.
    pub first: usize,
}

impl Default for Storage {
    fn default() -> Self {
        Storage::Constant(Vec::new())
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        let words = match &self.words {
            Storage::Shared(words) => {
                Storage::Shared(words.iter().map(|word| AtomicU32::new(word.load(Relaxed))).collect())
            }
            Storage::Constant(words) => Storage::Constant(words.clone()),
            Storage::Part(part) => Storage::Part(*part),
        };
        Buffer { words, size: self.size }
    }
}

impl Buffer {
    pub fn new(bytes: &[u8]) -> Self {
        let (whole, last) = bytes.as_chunks();
        let mut words: Vec<u32> = Vec::with_capacity(bytes.len().div_ceil(4));
        words.extend(whole.iter().map(|word| u32::from_le_bytes(*word)));
        if !last.is_empty() {
            let mut word = [0; 4];
            word[..last.len()].copy_from_slice(last);
            words.push(u32::from_le_bytes(word));
        }
        Buffer { words: Storage::Constant(words), size: bytes.len() as u64 }
    }

    pub(super) fn part(part: Part, size: u64) -> Self {
        Buffer { words: Storage::Part(part), size }
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whose words they are, if they are another's.
    pub(crate) fn part_of(&self) -> Option<Part> {
        match self.words {
            Storage::Part(part) => Some(part),
            Storage::Shared(_) | Storage::Constant(_) => None,
        }
    }

    pub(crate) fn word(&self, index: usize) -> Option<u32> {
        match &self.words {
            Storage::Shared(words) => words.get(index).map(|word| word.load(Relaxed)),
            Storage::Constant(words) => words.get(index).copied(),
            Storage::Part(_) => None,
        }
    }

    /// Gives the words of each page: its number, and what it holds.
    pub(crate) fn each_page(&self, page: usize, mut take: impl FnMut(usize, &[u32])) {
        match &self.words {
            Storage::Shared(all) => {
                let mut words = Vec::with_capacity(page.min(all.len()));
                for (number, slots) in all.chunks(page).enumerate() {
                    words.clear();
                    words.extend(slots.iter().map(|slot| slot.load(Relaxed)));
                    take(number, &words);
                }
            }
            Storage::Constant(all) => {
                all.chunks(page).enumerate().for_each(|(number, words)| take(number, words));
            }
            Storage::Part(_) => {}
        }
    }

    /// Writes over the words from an index on; not over those of a buffer that is only read, which stay as they are.
    pub(crate) fn set_words(&self, first: usize, words: &[u32]) {
        for (slot, &word) in self.shared().iter().skip(first).zip(words) {
            slot.store(word, Relaxed);
        }
    }

    /// Says whether the next dispatch only reads.
    pub(crate) fn set_constant(&mut self, constant: bool) {
        self.words = match std::mem::take(&mut self.words) {
            Storage::Shared(words) if constant => {
                Storage::Constant(words.into_iter().map(AtomicU32::into_inner).collect())
            }
            Storage::Constant(words) if !constant => {
                Storage::Shared(words.into_iter().map(AtomicU32::new).collect())
            }
            words => words,
        };
    }

    /// Whether the dispatch only reads it.
    pub(crate) fn is_constant(&self) -> bool {
        self.constant().is_some()
    }

    /// The words of a buffer that is only read.
    pub(super) fn constant(&self) -> Option<&[u32]> {
        match &self.words {
            Storage::Constant(words) => Some(words),
            Storage::Shared(_) | Storage::Part(_) => None,
        }
    }

    pub(super) fn shared(&self) -> &[AtomicU32] {
        match &self.words {
            Storage::Shared(words) => words,
            Storage::Constant(_) | Storage::Part(_) => &[],
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.size as usize];
        self.copy_to(&mut bytes);
        bytes
    }

    /// Takes bytes over, from the first one on; a buffer that is only read stays as it is.
    pub(crate) fn take_from(&self, bytes: &[u8]) {
        let (whole, last) = bytes.as_chunks();
        let slots = self.shared();
        for (slot, word) in slots.iter().zip(whole) {
            slot.store(u32::from_le_bytes(*word), Relaxed);
        }
        if let Some(slot) = slots.get(whole.len())
            && !last.is_empty()
        {
            let mut word = slot.load(Relaxed).to_le_bytes();
            word[..last.len()].copy_from_slice(last);
            slot.store(u32::from_le_bytes(word), Relaxed);
        }
    }

    /// Copies what it holds to as many bytes.
    pub(crate) fn copy_to(&self, bytes: &mut [u8]) {
        let inside = (self.size as usize).min(bytes.len());
        let (whole, last) = bytes[..inside].as_chunks_mut();
        let end = self.word(whole.len()).unwrap_or(0).to_le_bytes();
        match &self.words {
            Storage::Shared(words) => {
                whole.iter_mut().zip(words).for_each(|(to, word)| *to = word.load(Relaxed).to_le_bytes());
            }
            Storage::Constant(words) => {
                whole.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_le_bytes());
            }
            Storage::Part(_) => return,
        }
        last.copy_from_slice(&end[..last.len()]);
    }
}

/// Words of memory, whoever else may see them. Indices that are out of range read zero and write nothing.
pub(crate) trait Words {
    fn read(&self, index: usize) -> u32;
    fn write(&mut self, index: usize, word: u32);
    /// Reads the words from an index on, as bytes.
    fn read_all(&self, first: usize, words: &mut [[u8; 4]]);
    fn write_all(&mut self, first: usize, words: &[[u8; 4]]);
    /// Replaces the bits of a mask.
    fn merge(&mut self, index: usize, word: u32, mask: u32);
    /// Replaces a word by a function of it, and gives the old one.
    fn update(&mut self, index: usize, f: &mut dyn FnMut(u32) -> u32) -> u32;
}

impl Words for &[AtomicU32] {
    #[inline]
    fn read(&self, index: usize) -> u32 {
        self.get(index).map_or(0, |word| word.load(Relaxed))
    }

    #[inline]
    fn write(&mut self, index: usize, word: u32) {
        if let Some(slot) = self.get(index) {
            slot.store(word, Relaxed);
        }
    }

    fn read_all(&self, first: usize, words: &mut [[u8; 4]]) {
        let slots = self.get(first..).unwrap_or_default();
        let count = slots.len().min(words.len());
        let (slots, words) = (&slots[..count], &mut words[..count]);
        // Eight at a time: the compiler neither vectorises nor unrolls loads that other threads may see.
        let (slots, last_slots) = slots.as_chunks::<8>();
        let (words, last_words) = words.as_chunks_mut::<8>();
        for (words, slots) in words.iter_mut().zip(slots) {
            *words = slots.each_ref().map(|slot| slot.load(Relaxed).to_le_bytes());
        }
        for (word, slot) in last_words.iter_mut().zip(last_slots) {
            *word = slot.load(Relaxed).to_le_bytes();
        }
    }

    fn write_all(&mut self, first: usize, words: &[[u8; 4]]) {
        let slots = self.get(first..).unwrap_or_default();
        for (word, slot) in words.iter().zip(slots) {
            slot.store(u32::from_le_bytes(*word), Relaxed);
        }
    }

    fn merge(&mut self, index: usize, word: u32, mask: u32) {
        self.update(index, &mut |old| old & !mask | word & mask);
    }

    fn update(&mut self, index: usize, f: &mut dyn FnMut(u32) -> u32) -> u32 {
        let Some(slot) = self.get(index) else { return 0 };
        let mut old = slot.load(Relaxed);
        loop {
            match slot.compare_exchange_weak(old, f(old), Relaxed, Relaxed) {
                Ok(old) => return old,
                Err(now) => old = now,
            }
        }
    }
}

/// A buffer that is only read: what a shader writes to it nevertheless is dropped.
impl Words for &[u32] {
    #[inline]
    fn read(&self, index: usize) -> u32 {
        self.get(index).copied().unwrap_or(0)
    }

    #[inline]
    fn write(&mut self, _index: usize, _word: u32) {}

    #[inline]
    fn read_all(&self, first: usize, words: &mut [[u8; 4]]) {
        copy_out(self.get(first..).unwrap_or_default(), words);
    }

    fn write_all(&mut self, _first: usize, _words: &[[u8; 4]]) {}

    fn merge(&mut self, _index: usize, _word: u32, _mask: u32) {}

    fn update(&mut self, index: usize, _f: &mut dyn FnMut(u32) -> u32) -> u32 {
        self.read(index)
    }
}

impl Words for &mut [u32] {
    #[inline]
    fn read(&self, index: usize) -> u32 {
        self.get(index).copied().unwrap_or(0)
    }

    #[inline]
    fn write(&mut self, index: usize, word: u32) {
        if let Some(slot) = self.get_mut(index) {
            *slot = word;
        }
    }

    #[inline]
    fn read_all(&self, first: usize, words: &mut [[u8; 4]]) {
        copy_out(self.get(first..).unwrap_or_default(), words);
    }

    fn write_all(&mut self, first: usize, words: &[[u8; 4]]) {
        for (word, slot) in words.iter().zip(self.get_mut(first..).unwrap_or_default()) {
            *slot = u32::from_le_bytes(*word);
        }
    }

    fn merge(&mut self, index: usize, word: u32, mask: u32) {
        if let Some(slot) = self.get_mut(index) {
            *slot = *slot & !mask | word & mask;
        }
    }

    fn update(&mut self, index: usize, f: &mut dyn FnMut(u32) -> u32) -> u32 {
        let Some(slot) = self.get_mut(index) else { return 0 };
        let old = *slot;
        *slot = f(old);
        old
    }
}

/// The memory of compiled code.
impl Words for &mut [[u8; 4]] {
    #[inline]
    fn read(&self, index: usize) -> u32 {
        self.get(index).map_or(0, |word| u32::from_le_bytes(*word))
    }

    #[inline]
    fn write(&mut self, index: usize, word: u32) {
        if let Some(slot) = self.get_mut(index) {
            *slot = word.to_le_bytes();
        }
    }

    #[inline]
    fn read_all(&self, first: usize, words: &mut [[u8; 4]]) {
        let slots = self.get(first..).unwrap_or_default();
        let count = slots.len().min(words.len());
        words[..count].copy_from_slice(&slots[..count]);
    }

    fn write_all(&mut self, first: usize, words: &[[u8; 4]]) {
        let slots = self.get_mut(first..).unwrap_or_default();
        let count = slots.len().min(words.len());
        slots[..count].copy_from_slice(&words[..count]);
    }

    fn merge(&mut self, index: usize, word: u32, mask: u32) {
        self.update(index, &mut |old| old & !mask | word & mask);
    }

    fn update(&mut self, index: usize, f: &mut dyn FnMut(u32) -> u32) -> u32 {
        let old = self.read(index);
        self.write(index, f(old));
        old
    }
}

/// The same of what is only read.
impl Words for &[[u8; 4]] {
    #[inline]
    fn read(&self, index: usize) -> u32 {
        self.get(index).map_or(0, |word| u32::from_le_bytes(*word))
    }

    #[inline]
    fn write(&mut self, _index: usize, _word: u32) {}

    #[inline]
    fn read_all(&self, first: usize, words: &mut [[u8; 4]]) {
        let slots = self.get(first..).unwrap_or_default();
        let count = slots.len().min(words.len());
        words[..count].copy_from_slice(&slots[..count]);
    }

    fn write_all(&mut self, _first: usize, _words: &[[u8; 4]]) {}

    fn merge(&mut self, _index: usize, _word: u32, _mask: u32) {}

    fn update(&mut self, index: usize, _f: &mut dyn FnMut(u32) -> u32) -> u32 {
        self.read(index)
    }
}

/// Eight at a time: a row of a matrix is too short for a call of what copies memory.
#[inline]
fn copy_out(slots: &[u32], words: &mut [[u8; 4]]) {
    let count = slots.len().min(words.len());
    let (slots, last_slots) = slots[..count].as_chunks::<8>();
    let (words, last_words) = words[..count].as_chunks_mut::<8>();
    for (words, slots) in words.iter_mut().zip(slots) {
        *words = slots.map(u32::to_le_bytes);
    }
    for (word, slot) in last_words.iter_mut().zip(last_slots) {
        *word = slot.to_le_bytes();
    }
}
