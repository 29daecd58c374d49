//! Moments of a run that are kept, so that going back needs to repeat little.
//!
//! They are taken at equal distances. When there are too many, or they take too much memory, every other one is dropped and the distance
//! doubled: what is kept stays bounded however long the run is. The first one is always there.

use super::tracker::State;
use crate::machine::Moment;

/// The most moments.
const MOST: usize = 400;

/// Instructions between two moments at first.
const FIRST_INTERVAL: u64 = 500;

#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub state: State,
    pub moment: Moment,
}

impl Kept {
    pub fn time(&self) -> u64 {
        self.state.time
    }
}

#[derive(Debug)]
pub(super) struct Timeline {
    kept: Vec<Kept>,
    interval: u64,
    limit: u64,
}

impl Timeline {
    /// `limit`: the most bytes.
    pub fn new(first: Kept, limit: u64) -> Timeline {
        // A moment costs a look at all memory: they should not take longer than the run itself.
        let interval = FIRST_INTERVAL + first.moment.bytes / 64;
        Timeline { kept: vec![first], interval, limit }
    }

    pub fn interval(&self) -> u64 {
        self.interval
    }

    pub fn last(&self) -> Option<&Kept> {
        self.kept.last()
    }

    /// Whether a moment at this time is wanted.
    pub fn wants(&self, time: u64) -> bool {
        self.kept.last().is_none_or(|kept| time >= kept.time() + self.interval)
    }

    pub fn push(&mut self, kept: Kept) {
        self.kept.push(kept);
        while self.kept.len() > 1 && (self.kept.len() > MOST || self.bytes() > self.limit) {
            let mut index = 0;
            self.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.interval = self.interval.saturating_mul(2);
        }
    }

    /// Drops the moments after a time: the run goes another way from there.
    pub fn forget_after(&mut self, time: u64) {
        let after = self.kept.partition_point(|kept| kept.time() <= time);
        self.kept.truncate(after.max(1));
    }

    fn bytes(&self) -> u64 {
        self.kept.iter().map(|kept| kept.moment.bytes).sum()
    }

    /// The last moment that is not after a time.
    pub fn before(&self, time: u64) -> Option<&Kept> {
        let after = self.kept.partition_point(|kept| kept.time() <= time);
        self.kept.get(after.checked_sub(1)?)
    }
}
