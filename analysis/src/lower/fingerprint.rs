//! What a function sees of the text before it, as a number: equal numbers, and a body can be kept.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Everything that a function sees of the text before it, in one number.
#[derive(Clone, Default)]
pub(super) struct Fingerprint(DefaultHasher);

impl Fingerprint {
    pub fn add(&mut self, part: impl Hash) {
        part.hash(&mut self.0);
    }

    pub fn value(&self) -> u64 {
        self.0.finish()
    }

    /// Together with some numbers.
    pub fn with(&self, numbers: &[usize]) -> u64 {
        let mut hasher = self.0.clone();
        numbers.hash(&mut hasher);
        hasher.finish()
    }
}
