//! Sets of bytes as ranges: which bytes of an allocation were written.

use std::collections::BTreeMap;
use std::ops::Range;

/// Ranges that neither overlap nor touch, by their start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Adds bytes.
    pub fn insert(&mut self, added: Range<u64>) {
        if added.is_empty() {
            return;
        }
        let (mut start, mut end) = (added.start, added.end);
        while let Some((&from, &to)) = self.0.range(..=end).next_back().filter(|(_, to)| **to >= start) {
            self.0.remove(&from);
            start = start.min(from);
            end = end.max(to);
        }
        self.0.insert(start, end);
    }

    /// Takes bytes away.
    pub fn remove(&mut self, removed: Range<u64>) {
        let touched: Vec<Range<u64>> = self.inside(removed.clone()).collect();
        for part in touched {
            let Some((&from, &to)) = self.0.range(..=part.start).next_back() else { continue };
            self.0.remove(&from);
            if from < part.start {
                self.0.insert(from, part.start);
            }
            if part.end < to {
                self.0.insert(part.end, to);
            }
        }
    }

    /// The parts of the set that are inside of a range.
    pub fn inside(&self, range: Range<u64>) -> impl Iterator<Item = Range<u64>> + '_ {
        let before = self.0.range(..range.start).next_back();
        let all = before.into_iter().chain(self.0.range(range.start..range.end.max(range.start)));
        all.map(move |(&from, &to)| from.max(range.start)..to.min(range.end)).filter(|part| !part.is_empty())
    }

    /// Whether all of a range is in the set.
    pub fn has_all(&self, range: Range<u64>) -> bool {
        range.is_empty() || self.inside(range.clone()).any(|part| part == range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_grow_together_and_come_apart() {
        let mut set = Ranges::default();
        for range in [10..20, 30..40, 20..25, 5..5] {
            set.insert(range);
        }
        assert_eq!(set.inside(0..100).collect::<Vec<_>>(), [10..25, 30..40]);
        assert!(set.has_all(12..25) && !set.has_all(12..26));
        set.insert(22..31);
        assert_eq!((set.inside(0..100).count(), set.inside(0..100).next()), (1, Some(10..40)));
        set.remove(15..16);
        set.remove(38..50);
        assert_eq!(set.inside(0..100).collect::<Vec<_>>(), [10..15, 16..38]);
        assert_eq!(set.inside(12..17).collect::<Vec<_>>(), [12..15, 16..17]);
    }
}
