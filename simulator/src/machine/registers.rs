//! The register file of a subgroup: planes of one 32-bit word per lane.
//!
//! A plane says whether all lanes hold the same word, which is then held (and computed) once. Kernels are loops over slices that the
//! compiler vectorises; they run for inactive lanes too, so what they compute is total, and under a partial mask the results are
//! blended into the plane.

use std::sync::Arc;

use crate::matrix::{Matrix, MatrixType};

/// The lanes that take part, bit for bit.
pub type Mask = u128;

/// The most lanes of a subgroup.
pub const MAXIMUM_LANES: usize = 128;

/// The index of a plane in a register file.
pub type Plane = u32;

/// The mask of the first lanes.
pub fn first_lanes(count: usize) -> Mask {
    if count >= MAXIMUM_LANES { Mask::MAX } else { (1 << count) - 1 }
}

/// The lanes of a mask, lowest first.
pub fn lanes_of(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}

/// What is known of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// Each lane holds its own word.
    Varying,
    /// The first lane holds the word of all.
    Once,
    /// All lanes hold the same word.
    Spread,
}

/// The register file of a subgroup.
#[derive(Clone, Debug)]
pub struct Registers {
    lanes: usize,
    words: Vec<u32>,
    held: Vec<Held>,
    /// Cooperative matrices, at the index of their plane; empty in programs without any.
    matrices: Vec<Option<Arc<Matrix>>>,
    /// Matrices that no register holds any more, to be written over.
    spare_matrices: Vec<Arc<Matrix>>,
    /// Bytes of the matrices that registers hold, each counted where it is held.
    matrix_bytes: u64,
    has_matrices: bool,
    /// The lanes of each plane that hold an undefined value; empty unless undefined values are tracked.
    undefined: Vec<Mask>,
    tracks_undefined: bool,
    /// The lanes that take part now, and how many they are.
    mask: Mask,
    taking_part: u32,
    /// No lane outside the mask will read what the running frame's planes hold.
    whole: bool,
    /// No lane outside the mask will read anything any more, planes of calling frames and of the global region included.
    all: bool,
    /// Registers for functions that run over elements, kept for the next one.
    pub(super) spare: Option<Box<Registers>>,
    /// The mask as words: all ones for a lane that takes part.
    select: Vec<u32>,
}

static ZEROS: [u32; MAXIMUM_LANES] = [0; MAXIMUM_LANES];

/// The words of planes beside the one that is written.
struct Sources<'a> {
    before: &'a [u32],
    after: &'a [u32],
    /// The first word of the written plane.
    written: usize,
    lanes: usize,
}

impl<'a> Sources<'a> {
    #[inline]
    fn plane(&self, plane: Plane) -> &'a [u32] {
        let start = plane as usize * self.lanes;
        if start < self.written {
            &self.before[start..start + self.lanes]
        } else if start > self.written {
            let start = start - self.written - self.lanes;
            &self.after[start..start + self.lanes]
        } else {
            // Only a module that uses a value before it is made asks for this.
            &ZEROS[..self.lanes]
        }
    }
}

impl Registers {
    pub fn new(lanes: usize, has_matrices: bool, tracks_undefined: bool) -> Self {
        Registers {
            lanes,
            words: Vec::new(),
            held: Vec::new(),
            matrices: Vec::new(),
            spare_matrices: Vec::new(),
            matrix_bytes: 0,
            has_matrices,
            undefined: Vec::new(),
            tracks_undefined,
            mask: 0,
            taking_part: 0,
            whole: false,
            all: false,
            spare: None,
            select: vec![0; lanes],
        }
    }

    #[inline]
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    pub fn planes(&self) -> u32 {
        self.held.len() as u32
    }

    pub fn mask(&self) -> Mask {
        self.mask
    }

    /// How many lanes take part.
    pub fn taking_part(&self) -> u32 {
        self.taking_part
    }

    /// Whether the mask is all that matters to the running frame.
    #[inline]
    pub fn whole(&self) -> bool {
        self.whole
    }

    pub fn set_mask(&mut self, mask: Mask, whole: bool, all: bool) {
        self.whole = whole;
        self.all = all;
        if self.mask != mask {
            self.mask = mask;
            self.taking_part = mask.count_ones();
            for (lane, word) in self.select.iter_mut().enumerate() {
                *word = if mask >> lane & 1 == 1 { u32::MAX } else { 0 };
            }
        }
    }

    /// The lane that speaks for all that are active.
    pub fn first_active(&self) -> usize {
        (self.mask.trailing_zeros() as usize).min(self.lanes - 1)
    }

    /// Makes room for planes; new ones are zero.
    pub fn resize(&mut self, planes: u32) {
        let planes = planes as usize;
        let old = self.held.len();
        self.words.resize(planes * self.lanes, 0);
        self.held.resize(planes, Held::Once);
        if self.has_matrices {
            self.matrices.resize(planes, None);
        }
        if self.tracks_undefined {
            self.undefined.resize(planes, Mask::MAX);
            for undefined in self.undefined.iter_mut().skip(old) {
                *undefined = Mask::MAX;
            }
        }
    }

    /// Makes planes zero again, for a frame that takes the place of an older one.
    pub fn clear(&mut self, first: Plane, count: u32) {
        let (first, end) = (first as usize, (first + count) as usize);
        self.held[first..end].fill(Held::Once);
        for plane in first..end {
            self.words[plane * self.lanes] = 0;
        }
        if self.has_matrices {
            for matrix in &mut self.matrices[first..end] {
                if let Some(matrix) = matrix.take() {
                    self.matrix_bytes = self.matrix_bytes.saturating_sub(matrix.bytes());
                }
            }
        }
        if self.tracks_undefined {
            self.undefined[first..end].fill(Mask::MAX);
        }
    }

    #[inline]
    pub fn is_uniform(&self, plane: Plane) -> bool {
        self.held[plane as usize] != Held::Varying
    }

    #[inline]
    pub fn get(&self, plane: Plane, lane: usize) -> u32 {
        let lane = if self.held[plane as usize] == Held::Once { 0 } else { lane };
        self.words[plane as usize * self.lanes + lane]
    }

    /// A 64-bit value in two planes.
    #[inline]
    pub fn get_wide(&self, plane: Plane, lane: usize) -> u64 {
        u64::from(self.get(plane, lane)) | u64::from(self.get(plane + 1, lane)) << 32
    }

    /// The word of the first active lane.
    #[inline]
    pub fn any(&self, plane: Plane) -> u32 {
        if self.held[plane as usize] != Held::Varying {
            return self.words[plane as usize * self.lanes];
        }
        self.get(plane, self.first_active())
    }

    pub fn any_wide(&self, plane: Plane) -> u64 {
        u64::from(self.any(plane)) | u64::from(self.any(plane + 1)) << 32
    }

    /// The words of all lanes.
    pub fn plane(&mut self, plane: Plane) -> &[u32] {
        self.spread(plane);
        let start = plane as usize * self.lanes;
        &self.words[start..start + self.lanes]
    }

    /// Whether the active lanes hold the same word.
    pub fn agrees(&self, plane: Plane) -> bool {
        if self.held[plane as usize] != Held::Varying {
            return true;
        }
        let start = plane as usize * self.lanes;
        let words = &self.words[start..start + self.lanes];
        let first = words[self.first_active()];
        words.iter().zip(&self.select).all(|(word, select)| (word ^ first) & select == 0)
    }

    /// The active lanes whose word is not zero.
    pub fn nonzero(&self, plane: Plane) -> Mask {
        let start = plane as usize * self.lanes;
        if self.held[plane as usize] != Held::Varying {
            return if self.words[start] != 0 { self.mask } else { 0 };
        }
        let words = &self.words[start..start + self.lanes];
        let set =
            words.iter().enumerate().fold(0, |mask, (lane, word)| mask | Mask::from(*word != 0) << lane);
        set & self.mask
    }

    /// Writes one word for all active lanes.
    #[inline]
    pub fn set_uniform(&mut self, plane: Plane, word: u32) {
        self.define(plane, &[]);
        let start = plane as usize * self.lanes;
        if self.whole {
            self.words[start] = word;
            self.held[plane as usize] = Held::Once;
        } else {
            self.spread(plane);
            let words = &mut self.words[start..start + self.lanes];
            for (old, select) in words.iter_mut().zip(&self.select) {
                *old = word & select | *old & !select;
            }
            self.held[plane as usize] = Held::Varying;
        }
    }

    #[inline]
    pub fn set_uniform_wide(&mut self, plane: Plane, value: u64) {
        self.set_uniform(plane, value as u32);
        self.set_uniform(plane + 1, (value >> 32) as u32);
    }

    /// Writes a word for the whole subgroup, whatever the mask: the values that it starts with.
    pub fn preset(&mut self, plane: Plane, word: u32) {
        self.words[plane as usize * self.lanes] = word;
        self.held[plane as usize] = Held::Once;
        if self.tracks_undefined {
            self.undefined[plane as usize] = 0;
        }
    }

    /// The same, with a word for each lane.
    pub fn preset_lanes(&mut self, plane: Plane, word: impl Fn(usize) -> u32) {
        let start = plane as usize * self.lanes;
        for (lane, old) in self.words[start..start + self.lanes].iter_mut().enumerate() {
            *old = word(lane);
        }
        self.held[plane as usize] = Held::Varying;
        if self.tracks_undefined {
            self.undefined[plane as usize] = 0;
        }
    }

    /// The same, with the words as bytes.
    pub fn preset_words(&mut self, plane: Plane, words: &[[u8; 4]]) {
        let start = plane as usize * self.lanes;
        for (old, word) in self.words[start..start + self.lanes].iter_mut().zip(words) {
            *old = u32::from_le_bytes(*word);
        }
        self.held[plane as usize] = Held::Varying;
    }

    /// Writes a word for each active lane: those of a slice that has one for every lane.
    pub fn set_words(&mut self, plane: Plane, from: &[u32]) {
        self.define(plane, &[]);
        let start = plane as usize * self.lanes;
        if self.mask == first_lanes(self.lanes) {
            self.words[start..start + self.lanes].copy_from_slice(&from[..self.lanes]);
        } else {
            self.spread(plane);
            let words = &mut self.words[start..start + self.lanes];
            for ((old, new), select) in words.iter_mut().zip(from).zip(&self.select) {
                *old = new & select | *old & !select;
            }
        }
        self.held[plane as usize] = Held::Varying;
    }

    /// Writes a word for each active lane.
    pub fn set_lanes(&mut self, plane: Plane, mut word: impl FnMut(usize) -> u32) {
        self.define(plane, &[]);
        let start = plane as usize * self.lanes;
        if self.mask == first_lanes(self.lanes) {
            let words = &mut self.words[start..start + self.lanes];
            for (lane, old) in words.iter_mut().enumerate() {
                *old = word(lane);
            }
            self.held[plane as usize] = Held::Varying;
            return;
        }
        self.spread(plane);
        let words = &mut self.words[start..start + self.lanes];
        for lane in lanes_of(self.mask).take_while(|&lane| lane < self.lanes) {
            words[lane] = word(lane);
        }
        self.held[plane as usize] = Held::Varying;
    }

    /// Copies words of lanes that need not be active, as a store through a pointer does lane by lane.
    pub fn set_lane(&mut self, plane: Plane, lane: usize, word: u32) {
        self.spread(plane);
        self.held[plane as usize] = Held::Varying;
        self.words[plane as usize * self.lanes + lane] = word;
        if self.tracks_undefined {
            self.undefined[plane as usize] &= !(1 << lane);
        }
    }

    /// Holds the word of a plane once where all lanes hold the same.
    pub fn gather(&mut self, plane: Plane) {
        let start = plane as usize * self.lanes;
        let words = &self.words[start..start + self.lanes];
        if words.iter().all(|word| *word == words[0]) {
            self.held[plane as usize] = Held::Spread;
        }
    }

    /// Says that a lane's word is undefined.
    pub fn mark_undefined(&mut self, plane: Plane, lane: usize) {
        if let Some(undefined) = self.undefined.get_mut(plane as usize) {
            *undefined |= 1 << lane;
        }
    }

    /// The mask as words: all ones for a lane that takes part.
    pub fn select(&self) -> &[u32] {
        &self.select
    }

    /// The largest word of the active lanes.
    pub fn largest(&mut self, plane: Plane) -> u32 {
        self.spread(plane);
        let start = plane as usize * self.lanes;
        let words = &self.words[start..start + self.lanes];
        words.iter().zip(&self.select).fold(0, |largest, (word, select)| largest.max(word & select))
    }

    /// Whether a uniform plane's word is not zero.
    #[inline]
    pub fn uniform_truth(&self, plane: Plane) -> Option<bool> {
        (self.held[plane as usize] != Held::Varying).then(|| self.first(plane) != 0)
    }

    /// Copies a plane, with zeros for lanes that take no part, and gives the largest word.
    pub fn offsets(&mut self, plane: Plane, out: &mut [u32; MAXIMUM_LANES]) -> u32 {
        self.spread(plane);
        let start = plane as usize * self.lanes;
        let words = &self.words[start..start + self.lanes];
        let mut largest = 0;
        for ((out, word), select) in out.iter_mut().zip(words).zip(&self.select) {
            *out = word & select;
            largest = largest.max(*out);
        }
        largest
    }

    /// Lets all lanes of a uniform plane hold its word.
    fn spread(&mut self, plane: Plane) {
        if self.held[plane as usize] == Held::Once {
            let start = plane as usize * self.lanes;
            let words = &mut self.words[start..start + self.lanes];
            let word = words[0];
            words.fill(word);
            self.held[plane as usize] = Held::Spread;
        }
    }

    fn split(&mut self, written: Plane) -> (&mut [u32], Sources<'_>, &[u32]) {
        let (lanes, start) = (self.lanes, written as usize * self.lanes);
        let (before, rest) = self.words.split_at_mut(start);
        let (plane, after) = rest.split_at_mut(lanes);
        (plane, Sources { before, after, written: start, lanes }, &self.select)
    }

    #[inline]
    fn uniform(&self, planes: &[Plane]) -> bool {
        planes.iter().all(|&plane| self.held[plane as usize] != Held::Varying)
    }

    #[inline]
    fn first(&self, plane: Plane) -> u32 {
        self.words[plane as usize * self.lanes]
    }

    /// Before a kernel: whether it needs to compute only once.
    #[inline]
    fn once(&mut self, result: Plane, operands: &[Plane]) -> bool {
        self.define(result, operands);
        if self.whole && self.uniform(operands) {
            self.held[result as usize] = Held::Once;
            return true;
        }
        for &operand in operands {
            self.spread(operand);
        }
        if !self.whole {
            self.spread(result);
        }
        self.held[result as usize] = Held::Varying;
        false
    }

    #[inline]
    pub fn map1(&mut self, result: Plane, a: Plane, f: impl Fn(u32) -> u32) {
        if self.once(result, &[a]) {
            self.words[result as usize * self.lanes] = f(self.first(a));
            return;
        }
        let whole = self.whole;
        let (result, sources, select) = self.split(result);
        let a = sources.plane(a);
        if whole {
            for (result, &a) in result.iter_mut().zip(a) {
                *result = f(a);
            }
        } else {
            for ((result, &a), select) in result.iter_mut().zip(a).zip(select) {
                *result = f(a) & select | *result & !select;
            }
        }
    }

    #[inline]
    pub fn map2(&mut self, result: Plane, a: Plane, b: Plane, f: impl Fn(u32, u32) -> u32) {
        if self.once(result, &[a, b]) {
            self.words[result as usize * self.lanes] = f(self.first(a), self.first(b));
            return;
        }
        let whole = self.whole;
        let (result, sources, select) = self.split(result);
        let (a, b) = (sources.plane(a), sources.plane(b));
        if whole {
            for ((result, &a), &b) in result.iter_mut().zip(a).zip(b) {
                *result = f(a, b);
            }
        } else {
            for (((result, &a), &b), select) in result.iter_mut().zip(a).zip(b).zip(select) {
                *result = f(a, b) & select | *result & !select;
            }
        }
    }

    #[inline]
    pub fn map3(&mut self, result: Plane, [a, b, c]: [Plane; 3], f: impl Fn(u32, u32, u32) -> u32) {
        if self.once(result, &[a, b, c]) {
            self.words[result as usize * self.lanes] = f(self.first(a), self.first(b), self.first(c));
            return;
        }
        let whole = self.whole;
        let (result, sources, select) = self.split(result);
        let (a, b, c) = (sources.plane(a), sources.plane(b), sources.plane(c));
        if whole {
            for (((result, &a), &b), &c) in result.iter_mut().zip(a).zip(b).zip(c) {
                *result = f(a, b, c);
            }
        } else {
            for ((((result, &a), &b), &c), select) in result.iter_mut().zip(a).zip(b).zip(c).zip(select) {
                *result = f(a, b, c) & select | *result & !select;
            }
        }
    }

    /// The words of two planes that are the same for all lanes that matter, where a result is needed only once.
    #[inline]
    pub fn pair_once(&self, a: Plane, b: Plane) -> Option<(u32, u32)> {
        let once = |plane: Plane| self.held[plane as usize] != Held::Varying;
        let defined = || self.undefined(a) | self.undefined(b) == 0;
        (self.whole && once(a) && once(b) && (!self.tracks_undefined || defined()))
            .then(|| (self.first(a), self.first(b)))
    }

    /// Writes the result of what `pair_once` gave.
    #[inline]
    pub fn put_once(&mut self, plane: Plane, word: u32) {
        if self.tracks_undefined {
            self.undefined[plane as usize] = 0;
        }
        self.words[plane as usize * self.lanes] = word;
        self.held[plane as usize] = Held::Once;
    }

    /// A kernel that is not worth a loop of its own: `f` reads what it needs of a lane and makes `RESULT` planes. The operands say
    /// whether once is enough.
    #[inline]
    pub fn lanewise<const RESULT: usize>(
        &mut self,
        result: Plane,
        operands: &[Plane],
        f: impl Fn(&Self, usize) -> [u32; RESULT],
    ) {
        if self.whole && self.uniform(operands) {
            let words = f(self, 0);
            for (plane, word) in (result..).zip(words) {
                self.set_uniform(plane, word);
                self.define(plane, operands);
            }
            return;
        }
        let mut out = [[0; RESULT]; MAXIMUM_LANES];
        for lane in lanes_of(self.mask).take_while(|&lane| lane < self.lanes) {
            out[lane] = f(self, lane);
        }
        for (index, plane) in (result..).take(RESULT).enumerate() {
            self.set_lanes(plane, |lane| out[lane][index]);
            self.define(plane, operands);
        }
    }

    /// A 64-bit operation on 64-bit values.
    pub fn wide1(&mut self, result: Plane, a: Plane, f: impl Fn(u64) -> u64) {
        self.lanewise(result, &[a, a + 1], |r, lane| halves(f(r.get_wide(a, lane))));
    }

    pub fn wide2(&mut self, result: Plane, a: Plane, b: Plane, f: impl Fn(u64, u64) -> u64) {
        let operands = [a, a + 1, b, b + 1];
        self.lanewise(result, &operands, |r, lane| halves(f(r.get_wide(a, lane), r.get_wide(b, lane))));
    }

    pub fn wide3(&mut self, result: Plane, [a, b, c]: [Plane; 3], f: impl Fn(u64, u64, u64) -> u64) {
        let operands = [a, a + 1, b, b + 1, c, c + 1];
        self.lanewise(result, &operands, |r, lane| {
            halves(f(r.get_wide(a, lane), r.get_wide(b, lane), r.get_wide(c, lane)))
        });
    }

    /// A 32-bit result of 64-bit values.
    pub fn narrow1(&mut self, result: Plane, a: Plane, f: impl Fn(u64) -> u32) {
        self.lanewise(result, &[a, a + 1], |r, lane| [f(r.get_wide(a, lane))]);
    }

    pub fn narrow2(&mut self, result: Plane, a: Plane, b: Plane, f: impl Fn(u64, u64) -> u32) {
        let operands = [a, a + 1, b, b + 1];
        self.lanewise(result, &operands, |r, lane| [f(r.get_wide(a, lane), r.get_wide(b, lane))]);
    }

    /// A 64-bit result of 32-bit values.
    pub fn widen1(&mut self, result: Plane, a: Plane, f: impl Fn(u32) -> u64) {
        self.lanewise(result, &[a], |r, lane| halves(f(r.get(a, lane))));
    }

    /// Lets instructions write planes that other frames may own.
    pub fn outside<R>(&mut self, write: impl FnOnce(&mut Self) -> R) -> R {
        let whole = std::mem::replace(&mut self.whole, self.all);
        let result = write(self);
        self.whole = whole;
        result
    }

    /// Copies planes for the active lanes, matrices with them.
    pub fn copy(&mut self, result: Plane, source: Plane, count: u32) {
        if result == source {
            return;
        }
        for index in 0..count {
            let (result, source) = (result + index, source + index);
            self.map1(result, source, |word| word);
            if self.has_matrices && self.mask != 0 {
                let matrix = self.matrices[source as usize].clone();
                if matrix.is_some() || self.matrices[result as usize].is_some() {
                    self.hold_matrix(result, matrix);
                }
            }
        }
    }

    /// Moves a matrix: its old plane holds none afterwards.
    pub fn move_matrix(&mut self, result: Plane, source: Plane) {
        self.define(result, &[source]);
        if result != source && self.mask != 0 {
            match self.take_matrix(source) {
                Some(matrix) => self.set_matrix(result, matrix),
                None => {
                    let old = self.take_matrix(result);
                    self.retire_matrix(old);
                }
            }
        }
    }

    /// The cooperative matrix of a plane.
    pub fn matrix(&self, plane: Plane) -> Option<&Arc<Matrix>> {
        self.matrices.get(plane as usize)?.as_ref()
    }

    pub fn take_matrix(&mut self, plane: Plane) -> Option<Arc<Matrix>> {
        let matrix = self.matrices.get_mut(plane as usize)?.take()?;
        self.matrix_bytes = self.matrix_bytes.saturating_sub(matrix.bytes());
        Some(matrix)
    }

    /// The matrix of a plane, to be written over; none where somebody else holds it too.
    pub fn own_matrix(&mut self, plane: Plane) -> Option<&mut Matrix> {
        Arc::get_mut(self.matrices.get_mut(plane as usize)?.as_mut()?)
    }

    /// Takes a matrix that [`Registers::give_back_matrix`] puts back before anything else happens: it counts as held.
    pub fn lend_matrix(&mut self, plane: Plane) -> Option<Arc<Matrix>> {
        self.matrices.get_mut(plane as usize)?.take()
    }

    /// Puts a matrix back, of the same size.
    pub fn give_back_matrix(&mut self, plane: Plane, matrix: Arc<Matrix>) {
        if let Some(slot) = self.matrices.get_mut(plane as usize) {
            *slot = Some(matrix);
        }
    }

    pub fn set_matrix(&mut self, plane: Plane, matrix: Arc<Matrix>) {
        self.hold_matrix(plane, Some(matrix));
    }

    fn hold_matrix(&mut self, plane: Plane, matrix: Option<Arc<Matrix>>) {
        if let Some(slot) = self.matrices.get_mut(plane as usize) {
            self.matrix_bytes += matrix.as_ref().map_or(0, |matrix| matrix.bytes());
            let old = std::mem::replace(slot, matrix);
            self.matrix_bytes =
                self.matrix_bytes.saturating_sub(old.as_ref().map_or(0, |matrix| matrix.bytes()));
            self.retire_matrix(old);
        }
    }

    /// Keeps a matrix that nobody else holds, so that the next one needs no new memory.
    fn retire_matrix(&mut self, matrix: Option<Arc<Matrix>>) {
        const MOST: usize = 16;
        if let Some(matrix) = matrix
            && Arc::strong_count(&matrix) == 1
            && self.spare_matrices.len() < MOST
        {
            self.spare_matrices.push(matrix);
        }
    }

    /// A matrix of this type to write over, whatever it holds.
    pub fn spare_matrix(&mut self, type_: &MatrixType) -> Option<Arc<Matrix>> {
        let fits = |matrix: &Arc<Matrix>| matrix.type_() == type_ && Arc::strong_count(matrix) == 1;
        let index = self.spare_matrices.iter().rposition(fits)?;
        Some(self.spare_matrices.swap_remove(index))
    }

    /// Whether undefined values are tracked.
    pub fn tracks_undefined(&self) -> bool {
        self.tracks_undefined
    }

    /// The lanes in which a plane is undefined; none unless that is tracked.
    pub fn undefined(&self, plane: Plane) -> Mask {
        self.undefined.get(plane as usize).copied().unwrap_or(0)
    }

    /// Says that the active lanes of a plane are as undefined as the lanes given.
    pub fn set_undefined(&mut self, plane: Plane, lanes: Mask) {
        let (mask, whole) = (self.mask, self.whole);
        if let Some(undefined) = self.undefined.get_mut(plane as usize) {
            *undefined = if whole { lanes } else { *undefined & !mask | lanes & mask };
        }
    }

    /// A result is as undefined as its operands.
    #[inline]
    pub fn define(&mut self, result: Plane, operands: &[Plane]) {
        if self.tracks_undefined {
            let lanes = operands.iter().fold(0, |lanes, &operand| lanes | self.undefined(operand));
            self.set_undefined(result, lanes);
        }
    }

    /// Bytes that the register file takes, with so many planes.
    pub fn bytes_of(&self, planes: u32) -> u64 {
        let plane = self.lanes as u64 * 4
            + 1
            + if self.has_matrices { 8 } else { 0 }
            + if self.tracks_undefined { 16 } else { 0 };
        u64::from(planes) * plane
    }

    /// Bytes of the matrices that registers hold.
    pub fn matrix_bytes(&self) -> u64 {
        self.matrix_bytes
    }

    /// Lets go of what is kept only to be written over.
    pub(super) fn forget_spares(&mut self) {
        self.spare_matrices.clear();
        self.spare = None;
    }

    /// Bytes that the register file takes.
    pub fn bytes(&self) -> u64 {
        self.bytes_of(self.planes())
    }
}

/// A 64-bit value as its two words.
pub fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}
