//! Accesses to shared memory since the last barrier, and when two of them surely meet.

use std::hash::Hasher;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHasher};

use crate::hir::GlobalId;
use crate::text::TextRange;

use super::value::{Atom, Value};

/// Invocations that are looked at.
pub(super) const MAX_LANES: usize = 1024;

/// A set of invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mask([u64; MAX_LANES / 64]);

impl Mask {
    pub const NONE: Mask = Mask([0; MAX_LANES / 64]);

    pub fn first(count: usize) -> Mask {
        Mask::of(count, |_| true)
    }

    pub fn of(count: usize, holds: impl Fn(usize) -> bool) -> Mask {
        let mut mask = Mask::NONE;
        for lane in 0..count.min(MAX_LANES) {
            if holds(lane)
                && let Some(word) = mask.0.get_mut(lane / 64)
            {
                *word |= 1 << (lane % 64);
            }
        }
        mask
    }

    pub fn has(&self, lane: usize) -> bool {
        self.0.get(lane / 64).is_some_and(|word| word >> (lane % 64) & 1 != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn zip(self, other: Mask, of: impl Fn(u64, u64) -> u64) -> Mask {
        Mask(std::array::from_fn(|index| match (self.0.get(index), other.0.get(index)) {
            (Some(&a), Some(&b)) => of(a, b),
            _ => 0,
        }))
    }

    pub fn and(self, other: Mask) -> Mask {
        self.zip(other, |a, b| a & b)
    }

    pub fn or(self, other: Mask) -> Mask {
        self.zip(other, |a, b| a | b)
    }

    pub fn without(self, other: Mask) -> Mask {
        self.zip(other, |a, b| a & !b)
    }
}

/// A choice that was made where a condition may go either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    pub atom: Atom,
    pub holds: bool,
    /// That a loop goes on: no mistake that is seen on such a way needs a coincidence.
    pub of_loop: bool,
    /// Invocations differ in it, and not all of them can be assumed to go the same way.
    pub exclusive: bool,
    /// It hangs on what the shader read or computed in a way that is not followed: who goes there is not known.
    pub guessed: bool,
    /// Specialization decides: it may always go one way.
    pub specialized: bool,
    /// The condition, in the expanded text.
    pub range: TextRange,
}

/// A way to a part of a shared variable.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Member(u32),
    Index(Value),
}

/// Lines of a matrix: from the index on, `size` elements of the array each.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub size: i64,
    pub lines: i64,
    /// `None` where it is not known.
    pub stride: Option<i64>,
}

/// A read or a write of shared memory.
#[derive(Debug)]
pub(super) struct Access {
    pub serial: u32,
    pub global: GlobalId,
    pub path: Vec<Step>,
    /// Components of a vector, as bits.
    pub components: u8,
    /// Of a matrix, which a whole subgroup reads or writes; the last step is its first element.
    pub block: Option<Block>,
    pub writes: bool,
    /// In the expanded text.
    pub range: TextRange,
    /// The choices that led here.
    pub decisions: Rc<[Decision]>,
    /// Which rounds of which loops it is in, from the outermost.
    pub rounds: Rc<[(u32, u32)]>,
    /// Numbers that are the same where the places are; nothing for a lane that is not here or whose place is not known.
    keys: Vec<Option<u64>>,
}

/// What an access is made of.
pub(super) struct Made {
    pub global: GlobalId,
    pub path: Vec<Step>,
    pub components: u8,
    pub block: Option<Block>,
    pub writes: bool,
    pub range: TextRange,
}

impl Access {
    pub fn new(
        made: Made,
        serial: u32,
        mask: Mask,
        decisions: Rc<[Decision]>,
        rounds: Rc<[(u32, u32)]>,
        lanes: usize,
    ) -> Access {
        let Made { global, path, components, block, writes, range } = made;
        // The place in a matrix is compared by numbers.
        let keyed = path.len() - usize::from(block.is_some() && !path.is_empty());
        let key = |lane: usize| {
            if !mask.has(lane) {
                return None;
            }
            let mut hasher = FxHasher::default();
            for (index, step) in path.iter().enumerate() {
                match step {
                    Step::Member(member) => hasher.write_u32(*member),
                    Step::Index(value) if !value.knows(lane) => return None,
                    Step::Index(value) if index < keyed => {
                        value.each_number(lane, |number| hasher.write_u64(number))
                    }
                    Step::Index(_) => {}
                }
            }
            Some(hasher.finish())
        };
        let keys = (0..lanes).map(key).collect();
        Access { serial, global, path, components, block, writes, range, decisions, rounds, keys }
    }

    fn key(&self, lane: usize) -> Option<u64> {
        self.keys.get(lane).copied().flatten()
    }

    fn lanes(&self) -> impl Iterator<Item = (usize, u64)> {
        self.keys.iter().enumerate().filter_map(|(lane, key)| Some((lane, (*key)?)))
    }

    /// Whether nobody's place is known.
    pub fn is_nowhere(&self) -> bool {
        self.keys.iter().all(Option::is_none)
    }

    /// Whether another access is the same one once more, in another round of a loop.
    pub fn is_like(&self, other: &Access) -> bool {
        self.range == other.range
            && self.writes == other.writes
            && self.global == other.global
            && self.keys == other.keys
            && self.decisions == other.decisions
            && match (self.start(), other.start()) {
                (Some(a), Some(b)) => a == b,
                (a, b) => a.is_none() && b.is_none(),
            }
    }

    fn start(&self) -> Option<&Value> {
        match self.path.last()? {
            Step::Index(value) => Some(value),
            Step::Member(_) => None,
        }
    }
}

/// An access that no barrier has come after, on the way that is followed.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub access: Rc<Access>,
    /// Choices by which barriers were passed by.
    pub passed: Vec<Decision>,
    /// A barrier of the subgroup came after it.
    pub subgroup: Option<TextRange>,
    /// A barrier that waits, but does not hand this memory over.
    pub waited: Option<TextRange>,
    /// A memory barrier came after it, which waits for nobody.
    pub fenced: Option<TextRange>,
}

/// Whether a choice is among others, wherever it was made.
pub(super) fn chosen(choices: &[Decision], choice: &Decision) -> bool {
    choices.iter().any(|known| known.atom == choice.atom && known.holds == choice.holds)
}

impl Pending {
    /// Whether nothing came after it that orders it in some way.
    pub fn is_unordered(&self) -> bool {
        self.passed.is_empty() && self.subgroup.is_none() && self.waited.is_none() && self.fenced.is_none()
    }
}

/// Two invocations that meet in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meeting {
    pub first: usize,
    pub second: usize,
}

/// Who may be told apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subgroups {
    /// Invocations with the same index divided by this may be of one subgroup.
    pub size: usize,
    /// Whether only meetings of different subgroups count, because a subgroup has waited.
    pub apart: bool,
}

/// Two different invocations of which one comes to the place where another one was; one of the accesses writes.
pub(super) fn meet(first: &Access, second: &Access, subgroups: Subgroups) -> Option<Meeting> {
    if first.global != second.global
        || first.components & second.components == 0
        || first.path.len() != second.path.len()
        || !same_members(first, second)
    {
        return None;
    }
    let apart = |a: usize, b: usize| a / subgroups.size.max(1) != b / subgroups.size.max(1);
    match (&first.block, &second.block) {
        (None, None) => {
            let mut places: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
            for (lane, key) in first.lanes() {
                places.entry(key).and_modify(|(_, last)| *last = lane).or_insert((lane, lane));
            }
            second.lanes().find_map(|(lane, key)| {
                let &(one, other) = places.get(&key)?;
                // What an invocation has written there itself, as others have, is as good: many write the same.
                if first.writes && first.key(lane) == Some(key) {
                    return None;
                }
                let meets = |with: usize| {
                    with != lane
                        && !(second.writes && second.key(with) == Some(key))
                        && (!subgroups.apart || apart(with, lane))
                };
                let with = [one, other].into_iter().find(|&with| meets(with));
                with.map(|first| Meeting { first, second: lane })
            })
        }
        (Some(block), None) => {
            // The subgroup that stores a matrix may go on with it by itself.
            let exempt = first.writes && !is_shared_by_all(first);
            meet_block(first, block, second, subgroups.apart || exempt, apart)
                .map(|(of_block, other)| Meeting { first: of_block, second: other })
        }
        (None, Some(block)) => meet_block(second, block, first, subgroups.apart, apart)
            .map(|(of_block, other)| Meeting { first: other, second: of_block }),
        (Some(one), Some(other)) => {
            // One subgroup does one after the other.
            some_starts(first).into_iter().find_map(|(a, key)| {
                some_starts(second).into_iter().find_map(|(b, other_key)| {
                    let distance = second.start()?.difference(b, first.start()?, a)?;
                    let meets = key == other_key && overlap(one, other, distance) && apart(a, b);
                    meets.then_some(Meeting { first: a, second: b })
                })
            })
        }
    }
}

/// Whether everybody names the same matrix.
fn is_shared_by_all(access: &Access) -> bool {
    access.start().and_then(Value::uniform).is_some()
}

fn same_members(first: &Access, second: &Access) -> bool {
    first.path.iter().zip(&second.path).all(|steps| match steps {
        (Step::Member(a), Step::Member(b)) => a == b,
        (Step::Index(_), Step::Index(_)) => true,
        _ => false,
    })
}

/// As many different matrices of one load or store as are looked at.
const MAX_STARTS: usize = 8;

/// A lane for each of some places where an access to a matrix starts, and the last lane, which may be of another subgroup.
fn some_starts(access: &Access) -> Vec<(usize, u64)> {
    let mut starts: Vec<(usize, u64)> = Vec::new();
    let Some(start) = access.start() else { return starts };
    starts.extend(access.lanes().last());
    for (lane, key) in access.lanes() {
        let known = starts
            .iter()
            .skip(1)
            .any(|&(other, other_key)| key == other_key && start.difference(lane, start, other) == Some(0));
        if !known {
            starts.push((lane, key));
            if starts.len() == MAX_STARTS {
                break;
            }
        }
    }
    starts
}

fn meet_block(
    matrix: &Access,
    block: &Block,
    single: &Access,
    apart_only: bool,
    apart: impl Fn(usize, usize) -> bool,
) -> Option<(usize, usize)> {
    let place = single.start()?;
    let start = matrix.start()?;
    let prefix = |lane: usize| {
        // All steps but the last one, as the matrix has them.
        let mut hasher = FxHasher::default();
        for step in single.path.split_last()?.1 {
            match step {
                Step::Member(member) => hasher.write_u32(*member),
                Step::Index(value) => value.each_number(lane, |number| hasher.write_u64(number)),
            }
        }
        Some(hasher.finish())
    };
    for (of_block, key) in some_starts(matrix) {
        for (lane, _) in single.lanes() {
            if prefix(lane) == Some(key)
                && place.difference(lane, start, of_block).is_some_and(|distance| block.has(distance))
                && (!apart_only || apart(of_block, lane))
            {
                return Some((of_block, lane));
            }
        }
    }
    None
}

impl Block {
    /// Whether an element so far behind the first one is one of the matrix.
    fn has(&self, distance: i64) -> bool {
        if distance < 0 {
            return false;
        }
        match self.stride {
            _ if distance < self.size => true,
            Some(stride) if stride > 0 => distance / stride < self.lines && distance % stride < self.size,
            _ => false,
        }
    }
}

/// Whether two matrices of which the second starts so far behind the first have an element in common.
fn overlap(first: &Block, second: &Block, distance: i64) -> bool {
    let lines = |block: &Block| match block.stride {
        Some(stride) => (stride, block.lines.clamp(1, 256)),
        None => (0, 1),
    };
    let ((stride, count), (other_stride, other_count)) = (lines(first), lines(second));
    (0..count).any(|line| {
        let start = line * stride;
        (0..other_count).any(|other| {
            let other = distance + other * other_stride;
            other < start + first.size && start < other + second.size
        })
    })
}
