//! What the shader of a dispatch accesses, byte by byte: an observer of the simulator.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use coopmat_simulator::Observer;
use coopmat_simulator::observer::{Access, AccessKind, At, Region, TexelAccess, Wants};

use crate::texels::Texels;

/// Bytes of a page.
const PAGE: u64 = 4096;
const WORDS: usize = PAGE as usize / 64;

/// A bit for each byte of a page, by [`AccessKind`].
#[derive(Clone)]
struct Page([[u64; WORDS]; 3]);

/// Accesses to a buffer. Those outside are none.
#[derive(Clone, Default)]
struct Touched {
    size: u64,
    pages: Vec<Option<Box<Page>>>,
    /// From where to where an instruction accesses.
    instructions: BTreeMap<(u32, AccessKind), Range<u64>>,
}

impl Touched {
    fn mark(&mut self, kind: AccessKind, instruction: u32, start: u64, end: u64) {
        let end = end.min(self.size);
        if start >= end {
            return;
        }
        let reach = self.instructions.entry((instruction, kind)).or_insert(start..end);
        *reach = reach.start.min(start)..reach.end.max(end);
        let mut at = start;
        while at < end {
            let last = end.min((at / 64 + 1) * 64);
            let Some(page) = self.pages.get_mut((at / PAGE) as usize) else { return };
            let page = page.get_or_insert_with(|| Box::new(Page([[0; WORDS]; 3])));
            let bits = (u64::MAX >> (64 - (last - at))) << (at % 64);
            page.0[kind as usize][(at % PAGE / 64) as usize] |= bits;
            at = last;
        }
    }

    fn ranges(&self, kind: AccessKind) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for (number, page) in self.pages.iter().enumerate() {
            let Some(page) = page else { continue };
            for (index, &word) in page.0[kind as usize].iter().enumerate() {
                let base = number as u64 * PAGE + index as u64 * 64;
                let mut at = 0;
                while at < 64 {
                    at += (word >> at).trailing_zeros();
                    if at >= 64 {
                        break;
                    }
                    let run = (word >> at).trailing_ones();
                    let (start, end) = (base + u64::from(at), base + u64::from(at + run));
                    match ranges.last_mut().filter(|last| last.end == start) {
                        Some(last) => last.end = end,
                        None => ranges.push(start..end),
                    }
                    at += run;
                }
            }
        }
        ranges
    }
}

/// A number of a buffer or an image among those of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    Buffer(usize),
    Image(usize),
}

/// Everything that is watched.
#[derive(Clone, Default)]
struct All {
    buffers: Vec<Touched>,
    /// With the texels, whose bytes are counted from the first.
    images: Vec<(Texels, Touched)>,
}

impl All {
    fn get(&self, seen: Seen) -> Option<&Touched> {
        match seen {
            Seen::Buffer(number) => self.buffers.get(number),
            Seen::Image(number) => self.images.get(number).map(|(_, touched)| touched),
        }
    }
}

/// What was seen so far; the observer and who asks it share it.
#[derive(Clone, Default)]
pub struct Watched(Arc<Mutex<All>>);

impl Watched {
    /// For buffers of these sizes and these images, by their number.
    pub fn new(sizes: &[u64], images: &[Texels]) -> Watched {
        let touched = |size: u64| {
            let pages = size.div_ceil(PAGE) as usize;
            Touched { size, pages: vec![None; pages], ..Touched::default() }
        };
        let buffers = sizes.iter().map(|size| touched(*size)).collect();
        let images = images.iter().map(|texels| {
            let reach = texels.reach();
            (texels.clone(), touched(reach.end - reach.start))
        });
        Watched(Arc::new(Mutex::new(All { buffers, images: images.collect() })))
    }

    /// The bytes of a buffer or an image that were accessed so, in order.
    pub fn ranges(&self, seen: Seen, kind: AccessKind) -> Vec<Range<u64>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(seen).map(|touched| touched.ranges(kind)).unwrap_or_default()
    }

    /// The instructions that accessed a buffer or an image, whether they wrote, and from where to where.
    pub fn instructions(&self, seen: Seen) -> Vec<(u32, bool, Range<u64>)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |touched: &Touched| {
            let all = touched.instructions.iter();
            all.map(|((instruction, kind), range)| (*instruction, *kind != AccessKind::Read, range.clone()))
                .collect()
        };
        all.get(seen).map(of).unwrap_or_default()
    }
}

impl Observer for Watched {
    fn wants(&self) -> Wants {
        Wants { memory: true, ..Wants::default() }
    }

    fn memory(&mut self, at: &At, access: &Access) {
        let (Region::Buffer(buffer), offset) = access.region() else { return };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(touched) = all.buffers.get_mut(buffer) {
            let end = offset.saturating_add(u64::from(access.size));
            touched.mark(access.kind, at.instruction, offset, end);
        }
    }

    fn texel(&mut self, at: &At, access: &TexelAccess) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((texels, touched)) = all.images.get_mut(access.image)
            && let Some(place) = texels.place(access.level, access.at)
        {
            let first = texels.reach().start;
            touched.mark(access.kind, at.instruction, place.start - first, place.end - first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_ranges_by_kind_and_those_outside_are_none() {
        let watched = Watched::new(&[10_000], &[]);
        let mut all = watched.0.lock().unwrap();
        for (start, end) in [(60, 70), (70, 128), (4090, 4100), (9_998, 10_010), (20_000, 20_004)] {
            all.buffers[0].mark(AccessKind::Read, 3, start, end);
        }
        all.buffers[0].mark(AccessKind::Write, 4, 64, 68);
        drop(all);
        assert_eq!(watched.ranges(Seen::Buffer(0), AccessKind::Read), [60..128, 4090..4100, 9_998..10_000]);
        assert_eq!(watched.ranges(Seen::Buffer(0), AccessKind::Write).first(), Some(&(64..68)));
        assert_eq!(watched.ranges(Seen::Buffer(1), AccessKind::Write), []);
        assert_eq!(watched.instructions(Seen::Buffer(0)), [(3, false, 60..10_000), (4, true, 64..68)]);
    }
}
