//! How much was done in a session.

use std::collections::BTreeMap;

#[derive(Clone, Default)]
pub struct Counts {
    pub opened: usize,
    pub edits: usize,
    pub changes: usize,
    pub requests: BTreeMap<&'static str, usize>,
    pub cancelled: usize,
    pub answered: usize,
    /// Answered that the text has changed.
    pub outdated: usize,
    /// Answered that the request was cancelled.
    pub stopped: usize,
    /// Answered that there is no answer, and why.
    pub refused: usize,
    pub published: usize,
    pub asked_by_server: usize,
    pub told: usize,
    /// Ranges and positions that were held against a text.
    pub places: usize,
}

impl Counts {
    pub fn asked(&mut self, method: &'static str) {
        *self.requests.entry(method).or_default() += 1;
    }

    pub fn requested(&self) -> usize {
        self.requests.values().sum()
    }

    pub fn add(&mut self, other: &Counts) {
        self.opened += other.opened;
        self.edits += other.edits;
        self.changes += other.changes;
        for (method, count) in &other.requests {
            *self.requests.entry(method).or_default() += count;
        }
        self.cancelled += other.cancelled;
        self.answered += other.answered;
        self.outdated += other.outdated;
        self.stopped += other.stopped;
        self.refused += other.refused;
        self.published += other.published;
        self.asked_by_server += other.asked_by_server;
        self.told += other.told;
        self.places += other.places;
    }
}
