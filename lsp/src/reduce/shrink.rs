//! The smaller recipes that are tried, in turn, until none of them still has what shall stay.

use std::sync::Arc;

use coopmat_recipe::flat::{FlatAddress, FlatExpectation};
use coopmat_spirv::reduce::{self, Verdict};

use super::case::Case;
use super::kept::{Judge, Kept};
use crate::output::note;

/// No buffer is made shorter than this, in bytes: shaders have vectors and matrices of them.
const SHORTEST: usize = 16;
/// No part of a buffer that is tried as zeros is shorter than this share of it.
const FINEST: usize = 64;

/// The smallest case that was come upon; false where there was no more time.
pub fn shrink(case: Case, judge: &mut Judge<'_>) -> (Case, bool) {
    let mut shrinking = Shrinking { case, judge, stopped: false };
    loop {
        let before = shrinking.case.size();
        shrinking.dispatches();
        shrinking.workgroups();
        shrinking.lengths();
        let (workgroups, bytes, _) = shrinking.case.size();
        note(&format!("{workgroups} workgroups, {bytes} bytes in buffers"));
        shrinking.modules();
        shrinking.buffers();
        shrinking.contents();
        note(&format!("{} instructions", shrinking.case.size().2));
        if shrinking.stopped || shrinking.case.size() == before {
            return (shrinking.case, !shrinking.stopped);
        }
    }
}

struct Shrinking<'j, 'w> {
    case: Case,
    judge: &'j mut Judge<'w>,
    stopped: bool,
}

impl Shrinking<'_, '_> {
    /// Whether it is taken.
    fn takes(&mut self, smaller: Case) -> bool {
        if self.stopped {
            return false;
        }
        match self.judge.asks(&smaller, false) {
            Verdict::Kept => {
                self.case = smaller;
                true
            }
            Verdict::Lost => false,
            Verdict::Stop => {
                self.stopped = true;
                false
            }
        }
    }

    fn dispatches(&mut self) {
        for index in (0..self.case.modules.len()).rev() {
            if self.case.modules.len() < 2 {
                return;
            }
            let mut smaller = self.case.clone();
            smaller.modules.remove(index);
            smaller.flat.dispatches.remove(index);
            self.takes(smaller);
        }
    }

    /// The fewest in each direction: powers of two first, then between the last two.
    fn workgroups(&mut self) {
        for dispatch in 0..self.case.modules.len() {
            for direction in 0..3 {
                let with = |case: &Case, count: u32| {
                    let mut smaller = case.clone();
                    let there = smaller.flat.dispatches.get_mut(dispatch)?;
                    *there.workgroups.get_mut(direction)? = count;
                    Some(smaller)
                };
                let there = self.case.flat.dispatches.get(dispatch);
                let Some(all) = there.and_then(|it| it.workgroups.get(direction).copied()) else { continue };
                self.fewest(all, 1, with);
            }
        }
    }

    /// The least number from which on a case stays, or one near it.
    fn fewest(&mut self, all: u32, first: u32, with: impl Fn(&Case, u32) -> Option<Case>) {
        let mut lost = 0;
        let mut count = first;
        let mut kept = all;
        while count < all {
            if with(&self.case, count).is_some_and(|smaller| self.takes(smaller)) {
                kept = count;
                break;
            }
            lost = count;
            count = count.saturating_mul(2);
        }
        while kept > lost + 1 && kept > first {
            let middle = lost + (kept - lost) / 2;
            match with(&self.case, middle).is_some_and(|smaller| self.takes(smaller)) {
                true => kept = middle,
                false => lost = middle,
            }
        }
    }

    /// Shorter buffers. Where what lies outside of one is what stays, their lengths do.
    fn lengths(&mut self) {
        if matches!(&self.judge.kept, Kept::Finding(said) if said.kind.contains("bounds")) {
            return;
        }
        for index in 0..self.case.flat.buffers.len() {
            // Images keep their sizes, which shaders compute coordinates of.
            let buffer = self.case.flat.buffers.get(index).filter(|buffer| buffer.image.is_none());
            let Some(buffer) = buffer else { continue };
            let unit = SHORTEST.max(buffer.element.size());
            let least = match &self.judge.kept {
                Kept::Element { buffer: kept, bytes, .. } if *kept == buffer.name => {
                    bytes.end.div_ceil(unit).max(1)
                }
                _ => 1,
            };
            let (Ok(all), Ok(least)) = (u32::try_from(buffer.size.div_ceil(unit)), u32::try_from(least))
            else {
                continue;
            };
            self.fewest(all, least, |case, count| {
                let mut smaller = case.clone();
                let buffer = smaller.flat.buffers.get_mut(index)?;
                buffer.size = count as usize * unit;
                let size = buffer.size;
                buffer.addresses.retain(|address| address.offset + 8 <= size);
                if let Some(bytes) = &mut buffer.bytes {
                    bytes.truncate(buffer.size);
                }
                Some(smaller)
            });
        }
    }

    fn modules(&mut self) {
        for index in 0..self.case.modules.len() {
            let Some(module) = self.case.modules.get(index).cloned() else { continue };
            let (judge, case) = (&mut *self.judge, &self.case);
            let mut stopped = self.stopped;
            let smaller = reduce::reduce((*module).clone(), &mut |module| {
                let mut smaller = case.clone();
                if let Some(there) = smaller.modules.get_mut(index) {
                    *there = Arc::new(module.clone());
                }
                let verdict = judge.asks(&smaller, true);
                stopped |= verdict == Verdict::Stop;
                verdict
            });
            self.stopped = stopped;
            if let Some(there) = self.case.modules.get_mut(index) {
                *there = Arc::new(smaller);
            }
        }
    }

    /// Buffers that the modules do not need any more.
    fn buffers(&mut self) {
        for index in (0..self.case.flat.buffers.len()).rev() {
            let name = self.case.flat.buffers.get(index).map(|buffer| &buffer.name);
            if matches!(&self.judge.kept, Kept::Element { buffer, .. } if Some(buffer) == name) {
                continue;
            }
            let mut smaller = self.case.without_buffer(index);
            smaller.flat.expectations.retain(|one| one.buffer != index);
            for FlatExpectation { buffer, .. } in &mut smaller.flat.expectations {
                *buffer -= usize::from(*buffer > index);
            }
            self.takes(smaller);
        }
    }

    /// Zeros instead of what buffers and push constants hold.
    fn contents(&mut self) {
        self.addresses(|case| case.flat.dispatches.iter_mut().map(|it| &mut it.addresses).collect());
        self.addresses(|case| case.flat.buffers.iter_mut().map(|it| &mut it.addresses).collect());
        for dispatch in 0..self.case.flat.dispatches.len() {
            let length = self.case.flat.dispatches.get(dispatch).map_or(0, |it| it.push_constants.len());
            for at in (0..length).step_by(4) {
                let mut smaller = self.case.clone();
                let words = smaller.flat.dispatches.get_mut(dispatch).map(|it| &mut it.push_constants);
                let Some(word) = words.and_then(|it| it.get_mut(at..(at + 4).min(length))) else { continue };
                if word.iter().any(|byte| *byte != 0) {
                    word.fill(0);
                    self.takes(smaller);
                }
            }
        }
        for index in 0..self.case.flat.buffers.len() {
            let Some(size) = self.case.flat.buffers.get(index).map(|buffer| buffer.size) else { continue };
            let mut parts: Vec<_> = std::iter::once(0..size).collect();
            while let Some(part) = parts.pop() {
                let mut smaller = self.case.clone();
                let held = smaller.flat.buffers.get_mut(index).and_then(|buffer| buffer.bytes.as_mut());
                let Some(bytes) = held.and_then(|bytes| bytes.get_mut(part.clone())) else { continue };
                if bytes.iter().all(|byte| *byte == 0) {
                    continue;
                }
                bytes.fill(0);
                if self.takes(smaller) {
                    continue;
                }
                let middle = part.start + (part.len() / 2).next_multiple_of(SHORTEST);
                if part.len() > SHORTEST.max(size / FINEST) && middle < part.end {
                    parts.extend([part.start..middle, middle..part.end]);
                }
            }
        }
    }

    /// Without one address after the other.
    fn addresses(&mut self, all: impl Fn(&mut Case) -> Vec<&mut Vec<FlatAddress>>) {
        let counts: Vec<usize> = all(&mut self.case).iter().map(|addresses| addresses.len()).collect();
        for (place, count) in counts.into_iter().enumerate() {
            for index in (0..count).rev() {
                let mut smaller = self.case.clone();
                if let Some(addresses) = all(&mut smaller).into_iter().nth(place) {
                    addresses.remove(index);
                }
                self.takes(smaller);
            }
        }
    }
}
