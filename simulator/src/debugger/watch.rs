//! Data that is watched: accesses to memory as they happen, and what changes in registers between two instructions.
//!
//! A write to memory is seen whatever is written. Registers have no accesses: what an instruction leaves in them is compared with what was
//! there before it, so a write of the same value is not seen, and neither is a read.

use std::sync::Arc;

use crate::machine::{Frame, Mask, Position, Registers, first_lanes};
use crate::matrix::Matrix;
use crate::observer::{Access, AccessKind, At};

/// Which accesses are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accesses {
    /// Loads, and atomic operations.
    pub reads: bool,
    /// Stores, and atomic operations.
    pub writes: bool,
}

/// What is watched, in every workgroup and subgroup that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the simulator's address space.
    Memory { address: u64, bytes: u64 },
    /// Planes of a function's frames, or of the module at large; and the lanes of them.
    Planes { function: Option<u32>, first: u32, count: u32, lanes: Mask },
    /// The matrix in a plane: these elements, each with its owners; all of them where there are none.
    Matrix { function: Option<u32>, plane: u32, elements: Arc<[(u32, Mask)]> },
}

/// A variable or a part of one, as it is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    pub(super) place: Place,
    pub(super) accesses: Accesses,
    /// In the words of whoever watches.
    pub(super) expression: String,
}

impl Watched {
    /// Whether reads can be seen, too: of memory.
    pub fn sees_reads(&self) -> bool {
        matches!(self.place, Place::Memory { .. })
    }

    /// Whether it is the same in each dispatch of a run: buffers are.
    pub fn is_of_run(&self) -> bool {
        let Place::Memory { address, .. } = self.place else { return false };
        crate::memory::parts(address).0 >= crate::memory::BUFFERS
    }

    /// The same, of which only these accesses are watched.
    pub fn with(&self, accesses: Accesses) -> Watched {
        Watched { accesses, ..self.clone() }
    }

    /// In the words of whoever watches.
    pub fn expression(&self) -> &str {
        &self.expression
    }
}

/// An access that a breakpoint watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Touched {
    /// The breakpoint's.
    pub index: usize,
    /// Of the instruction that did it.
    pub time: u64,
    pub subgroup: u32,
    pub lanes: Mask,
    pub writes: bool,
}

/// What registers held where a frame was looked at last.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// The number of what is watched.
    watch: usize,
    subgroup: u32,
    nested: u32,
    depth: u32,
    /// Of the instruction before which it was seen.
    time: u64,
    held: Held,
}

#[derive(Clone, Debug)]
enum Held {
    /// Words of all lanes, then the undefined lanes of each plane.
    Planes(Vec<u32>, Vec<Mask>),
    Matrix(Option<Arc<Matrix>>),
}

/// Everything that is watched.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// With the index of its breakpoint.
    list: Vec<(usize, Watched)>,
    /// Tells lists apart: what was seen under another one says nothing.
    pub generation: u64,
    has_registers: bool,
    pub has_memory: bool,
}

impl Watch {
    pub fn new(list: Vec<(usize, Watched)>, generation: u64) -> Watch {
        let is_memory = |(_, watched): &(usize, Watched)| watched.sees_reads();
        let has_memory = list.iter().any(is_memory);
        let has_registers = !list.iter().all(is_memory);
        Watch { list, generation, has_registers, has_memory }
    }

    /// Adds what an access to memory touches. `time`: of the instruction that accesses; `lanes`: of its subgroup.
    pub fn access(&self, at: &At, access: &Access, lanes: u32, time: u64, touched: &mut Vec<Touched>) {
        let end = access.address.saturating_add(u64::from(access.size));
        let (reads, writes) = match access.kind {
            AccessKind::Read => (true, false),
            AccessKind::Write => (false, true),
            AccessKind::Atomic => (true, true),
        };
        for (index, watched) in &self.list {
            let Place::Memory { address, bytes } = watched.place else { continue };
            let is_there = access.address < address.saturating_add(bytes) && address < end;
            if !is_there || !(reads && watched.accesses.reads || writes && watched.accesses.writes) {
                continue;
            }
            let lane = access.invocation.index.checked_sub(at.subgroup.saturating_mul(lanes));
            // What all lanes read in one place is told of the first one.
            let is_exact = |lane: &u32| *lane < lanes && (writes || *lane != at.mask.trailing_zeros());
            let mask = lane.filter(is_exact).map_or(at.mask, |lane| 1 << lane);
            add(touched, Touched { index: *index, time, subgroup: at.subgroup, lanes: mask, writes });
        }
    }

    /// Adds what changed in the registers of a subgroup since it was looked at.
    pub fn look(
        &self,
        at: &Position,
        (frames, registers): (&[Frame], &Registers),
        time: u64,
        seen: &mut Vec<Seen>,
        touched: &mut Vec<Touched>,
    ) {
        if !self.has_registers {
            return;
        }
        let depth = frames.len() as u32;
        // Frames that have ended, and functions over elements that have.
        seen.retain(|one| {
            one.subgroup != at.subgroup
                || one.nested < at.nested
                || one.nested == at.nested && one.depth < depth
        });
        for (number, (index, watched)) in self.list.iter().enumerate() {
            let function = match &watched.place {
                Place::Memory { .. } => continue,
                Place::Planes { function, .. } | Place::Matrix { function, .. } => *function,
            };
            // Of the module at large: as the outermost frame has it.
            let is_there = |(depth, frame): &(u32, &Frame)| match function {
                Some(function) => frame.function == function,
                None => *depth == 0,
            };
            for (depth, frame) in (0..).zip(frames).filter(is_there) {
                let base = if function.is_some() { frame.base } else { 0 };
                let is_this = |one: &&mut Seen| {
                    one.watch == number
                        && (one.subgroup, one.nested, one.depth) == (at.subgroup, at.nested, depth)
                };
                let Some(before) = seen.iter_mut().find(is_this) else {
                    let held = held(&watched.place, base, registers);
                    let (subgroup, nested) = (at.subgroup, at.nested);
                    seen.push(Seen { watch: number, subgroup, nested, depth, time, held });
                    continue;
                };
                let lanes = changed(&watched.place, base, registers, &mut before.held);
                if lanes != 0 {
                    let (subgroup, writes) = (at.subgroup, true);
                    add(touched, Touched { index: *index, time: before.time, subgroup, lanes, writes });
                }
                before.time = time;
            }
        }
    }
}

/// What one instruction touches in several accesses is one touch.
fn add(touched: &mut Vec<Touched>, new: Touched) {
    let is_same = |one: &&mut Touched| (one.index, one.subgroup) == (new.index, new.subgroup);
    match touched.iter_mut().find(is_same) {
        Some(known) => {
            known.lanes |= new.lanes;
            known.writes |= new.writes;
        }
        None => touched.push(new),
    }
}

fn words(registers: &Registers, first: u32, count: u32) -> impl Iterator<Item = u32> + '_ {
    let lanes = registers.lanes();
    (first..first + count).flat_map(move |plane| (0..lanes).map(move |lane| registers.get(plane, lane)))
}

fn is_inside(registers: &Registers, first: u32, count: u32) -> bool {
    first.checked_add(count).is_some_and(|end| end <= registers.planes())
}

fn held(place: &Place, base: u32, registers: &Registers) -> Held {
    match place {
        Place::Planes { first, count, .. } if is_inside(registers, base + first, *count) => {
            let undefined = (0..*count).map(|plane| registers.undefined(base + first + plane));
            Held::Planes(words(registers, base + first, *count).collect(), undefined.collect())
        }
        Place::Matrix { plane, .. } => Held::Matrix(registers.matrix(base + plane).cloned()),
        Place::Planes { .. } | Place::Memory { .. } => Held::Planes(Vec::new(), Vec::new()),
    }
}

/// The lanes whose part is another one than before; what is there now takes its place.
fn changed(place: &Place, base: u32, registers: &Registers, before: &mut Held) -> Mask {
    let changed = match (place, &*before) {
        (Place::Planes { first, count, lanes, .. }, Held::Planes(known, undefined)) => {
            let first = base + first;
            if !is_inside(registers, first, *count) {
                return 0;
            }
            let mut changed = 0;
            for (index, word) in words(registers, first, *count).enumerate() {
                if known.get(index) != Some(&word) {
                    changed |= 1 << (index % registers.lanes());
                }
            }
            for (plane, known) in (first..first + count).zip(undefined) {
                changed |= known ^ registers.undefined(plane);
            }
            changed & lanes & first_lanes(registers.lanes())
        }
        (Place::Matrix { plane, elements, .. }, Held::Matrix(known)) => {
            let now = registers.matrix(base + plane);
            match (known, now) {
                (None, None) => 0,
                (Some(known), Some(now)) if Arc::ptr_eq(known, now) => 0,
                _ => {
                    let state = |matrix: Option<&Arc<Matrix>>, index: usize| {
                        matrix.filter(|matrix| !matrix.is_undefined(index)).map(|matrix| matrix.get(index))
                    };
                    let differs = |index: usize| state(known.as_ref(), index) != state(now, index);
                    let count = now.or(known.as_ref()).map_or(0, |matrix| matrix.type_().count());
                    if elements.is_empty() {
                        let all = first_lanes(registers.lanes());
                        if (0..count).any(differs) { all } else { 0 }
                    } else {
                        let differing = elements.iter().filter(|(index, _)| differs(*index as usize));
                        differing.fold(0, |mask, (_, owners)| mask | owners)
                    }
                }
            }
        }
        (_, _) => 0,
    };
    // What nobody wrote is held as it was.
    if changed != 0 || matches!(before, Held::Matrix(_)) {
        *before = held(place, base, registers);
    }
    changed
}
