//! The observer: gathers what each instruction accesses, and what that costs.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::SharedArray;
use super::banks::{Banks, Passes};
use super::matrices::{lanes, requests_of, subgroups};
use super::requests::{Lane, Request, requests};
use super::traffic::{SECTOR, Touched, Traffic, sectors};
use crate::matrix::MatrixType;
use crate::matrix::memory::{Layout, Placement};
use crate::observer::{
    Access as OneAccess, AccessKind, At, MatrixAccess, MatrixEvent, Observer, Region, Wants,
};
use crate::ownership::Map;

/// How often an instruction of the module was executed. One that the simulator does in several steps counts as several, as in [`crate::Counts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// Its index in the module.
    pub instruction: u32,
    /// By subgroups.
    pub times: u64,
    /// By invocations.
    pub lanes: u64,
}

/// What one instruction accesses in one memory.
#[derive(Clone, Debug)]
pub struct Access {
    /// Its index in the module.
    pub instruction: u32,
    /// Where.
    pub memory: Region,
    /// Of shared memory the variable, by its place in [`crate::Program::shared_arrays`]; none if accesses go to several.
    pub array: Option<usize>,
    /// How.
    pub kind: AccessKind,
    /// The type of the matrix that is loaded or stored.
    pub matrix: Option<MatrixType>,
    /// How often subgroups did it.
    pub times: u64,
    /// Requests, by the bytes of each lane in one.
    pub requests: BTreeMap<u32, u64>,
    /// Of all lanes, each time again. Elements of a matrix that several lanes own count once.
    pub bytes: u64,
    /// Of shared memory whose banks are known. Atomic operations have none: how they meet is not published.
    pub passes: Option<Passes>,
    /// Of buffers: sectors that lanes touched, each once each time.
    pub sectors: u64,
    /// Of buffers: sectors that as many different bytes fit into.
    pub needed_sectors: u64,
    /// Of matrices in buffers: rows (columns, if the layout is by columns).
    pub rows: u64,
    /// Those of them that do not begin at a sector.
    pub unaligned_rows: u64,
    /// Of matrices in shared memory: how they lay there, and how often.
    pub strided: Vec<(Strided, u64)>,
    /// Of other accesses of an array of shared memory: what the lanes of a subgroup accessed, with offsets in the array, and how often.
    pub patterns: FxHashMap<Vec<Lane>, u64>,
    /// How often there were other patterns or places of matrices than the first [`MOST_PATTERNS`].
    pub lost_patterns: u64,
    /// Whether matrices lay there without a stride: in Arm's layouts, or through a tensor layout.
    pub has_other_layouts: bool,
    /// What the ownership assumes of a type that it does not know, in sentences.
    pub notes: Vec<String>,
}

/// Different patterns of addresses, and places of matrices, that are kept of one instruction.
pub const MOST_PATTERNS: usize = 512;

/// How a matrix lies in shared memory.
#[derive(Clone, Debug)]
pub struct Strided {
    /// The type of the matrix.
    pub type_: MatrixType,
    /// Who owns which element.
    pub owners: Arc<Map>,
    /// Where it lies.
    pub placement: Placement,
}

/// Everything about a dispatch.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// By index in the module.
    pub executed: Vec<Executed>,
    /// By index in the module.
    pub accesses: Vec<Access>,
    /// By the number of the buffer.
    pub buffers: Vec<(usize, Traffic)>,
    /// Floating-point or integer operations in multiply-adds of cooperative matrices, by index in the module: two for each product.
    pub operations: Vec<(u32, u64)>,
    /// Barriers of the workgroup that workgroups passed.
    pub barriers: u64,
}

/// Where in [`State::accesses`] an access belongs.
type Key = (u32, Region, AccessKind);

struct State {
    subgroup_size: u32,
    banks: Option<Banks>,
    arrays: Vec<SharedArray>,
    accesses: BTreeMap<Key, Access>,
    executed: Vec<(u64, u64)>,
    operations: BTreeMap<u32, u64>,
    buffers: BTreeMap<usize, Touches>,
    barriers: u64,
    /// What the instruction that runs has accessed, lane by lane.
    pending: Vec<OneAccess>,
    pending_instruction: u32,
    /// Elements of a matrix that are told one by one have been seen as a whole.
    in_matrix: bool,
}

#[derive(Default)]
struct Touches {
    read: Touched,
    written: Touched,
    bytes_read: u64,
    bytes_written: u64,
}

/// Looks at a dispatch.
pub struct Profiler {
    state: Arc<Mutex<State>>,
}

/// What a [`Profiler`] has seen.
pub struct Recording {
    state: Arc<Mutex<State>>,
}

fn hold(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Profiler {
    /// For a dispatch with subgroups of a size and these variables of shared memory. Without banks, passes are not known.
    pub fn new(subgroup_size: u32, banks: Option<Banks>, arrays: Vec<SharedArray>) -> (Profiler, Recording) {
        let state = Arc::new(Mutex::new(State {
            subgroup_size: subgroup_size.max(1),
            banks,
            arrays,
            accesses: BTreeMap::new(),
            executed: Vec::new(),
            operations: BTreeMap::new(),
            buffers: BTreeMap::new(),
            barriers: 0,
            pending: Vec::new(),
            pending_instruction: 0,
            in_matrix: false,
        }));
        (Profiler { state: state.clone() }, Recording { state })
    }
}

impl Recording {
    /// What was seen so far.
    pub fn measured(&self) -> Measured {
        let mut state = hold(&self.state);
        state.flush();
        let executed = state.executed.iter().enumerate().filter(|(_, (times, _))| *times > 0);
        let executed = executed.map(|(instruction, &(times, lanes))| Executed {
            instruction: instruction as u32,
            times,
            lanes,
        });
        let buffers = state.buffers.iter().map(|(buffer, touches)| {
            let traffic = Traffic {
                read: touches.bytes_read,
                written: touches.bytes_written,
                distinct_read: touches.read.count(),
                distinct_written: touches.written.count(),
            };
            (*buffer, traffic)
        });
        Measured {
            executed: executed.collect(),
            accesses: state.accesses.values().cloned().collect(),
            buffers: buffers.collect(),
            operations: state.operations.iter().map(|(instruction, count)| (*instruction, *count)).collect(),
            barriers: state.barriers,
        }
    }
}

impl Observer for Profiler {
    fn wants(&self) -> Wants {
        Wants { instructions: true, memory: true, matrices: true, values: false }
    }

    fn instruction(&mut self, at: &At) {
        let mut state = hold(&self.state);
        state.flush();
        state.in_matrix = false;
        let index = at.instruction as usize;
        if state.executed.len() <= index {
            state.executed.resize(index + 1, (0, 0));
        }
        if let Some((times, lanes)) = state.executed.get_mut(index) {
            *times += 1;
            *lanes += u64::from(at.mask.count_ones());
        }
    }

    fn memory(&mut self, at: &At, access: &OneAccess) {
        let mut state = hold(&self.state);
        if state.in_matrix {
            return;
        }
        let goes_on = state.pending.first().is_none_or(|first| first.kind == access.kind)
            && (state.pending.is_empty() || state.pending_instruction == at.instruction);
        if !goes_on {
            state.flush();
        }
        state.pending_instruction = at.instruction;
        state.pending.push(*access);
    }

    fn matrix_access(&mut self, at: &At, access: &MatrixAccess<'_>) {
        let mut state = hold(&self.state);
        state.flush();
        state.in_matrix = true;
        state.matrix(at.instruction, access);
    }

    fn barrier_passed(&mut self, _workgroup: [u32; 3]) {
        let mut state = hold(&self.state);
        state.flush();
        state.barriers += 1;
    }

    fn workgroup_ended(&mut self, _workgroup: [u32; 3]) {
        hold(&self.state).flush();
    }

    fn matrix(&mut self, at: &At, event: &MatrixEvent) {
        if event.operation == "CooperativeMatrixMulAdd" {
            let [m, n, k] = event.shape.map(u64::from);
            *hold(&self.state).operations.entry(at.instruction).or_default() += 2 * m * n * k;
        }
    }
}

/// What a lane accesses: addresses and sizes.
type Parts = Vec<Option<(u64, u32)>>;

impl State {
    /// The instruction that ran has ended: what its lanes accessed is one access of all of them.
    fn flush(&mut self) {
        let Some(kind) = self.pending.first().map(|access| access.kind) else { return };
        let pending = std::mem::take(&mut self.pending);
        let mut memories: BTreeMap<Region, BTreeMap<u32, Parts>> = BTreeMap::new();
        for access in &pending {
            let (memory, _) = access.region();
            let lanes = memories.entry(memory).or_default();
            lanes.entry(access.invocation.index).or_default().push(Some((access.address, access.size)));
        }
        for (memory, lanes) in memories {
            let bytes = lanes.values().flatten().flatten().map(|(_, size)| u64::from(*size)).sum();
            let lanes: Vec<Lane> = lanes.into_iter().map(|(number, parts)| Lane { number, parts }).collect();
            self.add((self.pending_instruction, memory, kind), bytes, lanes, None);
        }
        // The room is used again.
        self.pending = pending;
        self.pending.clear();
    }

    fn matrix(&mut self, instruction: u32, access: &MatrixAccess<'_>) {
        let MatrixAccess { kind, type_, owners, placement, addresses } = access;
        let Some(&first) = addresses.iter().flatten().next() else { return };
        let (memory, _) = Region::of(first);
        let address = |element: u32| *addresses.get(element as usize)?;
        let lanes = lanes(type_, owners, &address);
        let banks = self.banks.filter(|_| memory == Region::Shared);
        let requests = requests_of(type_, *kind, (&lanes, self.subgroup_size), banks, &address);
        let bytes = addresses.iter().flatten().count() as u64 * u64::from(type_.component.bytes());
        let key = (instruction, memory, *kind);
        self.add(key, bytes, lanes, Some((**type_, requests)));
        let Some(access) = self.accesses.get_mut(&key) else { return };
        if let Some(note) = owners.note()
            && !access.notes.iter().any(|known| known == note)
        {
            access.notes.push(note.to_owned());
        }
        let by_rows = placement.filter(|it| matches!(it.layout, Layout::RowMajor | Layout::ColumnMajor));
        let Some(placement) = by_rows else {
            access.has_other_layouts = true;
            return;
        };
        match memory {
            Region::Buffer(_) => {
                let rows = if placement.layout == Layout::RowMajor { type_.rows } else { type_.columns };
                let start =
                    |row: u32| placement.address.wrapping_add(u64::from(row).wrapping_mul(placement.stride));
                access.rows += u64::from(rows);
                access.unaligned_rows +=
                    (0..rows).filter(|row| !start(*row).is_multiple_of(SECTOR)).count() as u64;
            }
            Region::Shared => access.add_placement(**type_, owners, placement),
            Region::PushConstants | Region::Nowhere => {}
        }
    }

    /// What all lanes of a subgroup, or of the workgroup, access by one instruction, and the requests of a matrix.
    fn add(&mut self, key: Key, bytes: u64, lanes: Vec<Lane>, matrix: Option<(MatrixType, Vec<Request>)>) {
        let (_, memory, kind) = key;
        if !matches!(memory, Region::Shared | Region::Buffer(_)) {
            return;
        }
        let ranges = || {
            let parts = lanes.iter().flat_map(|lane| lane.parts.iter().flatten());
            parts.map(|(address, size)| {
                let (_, offset) = Region::of(*address);
                (offset, offset + u64::from(*size))
            })
        };
        let array = self.array_of(memory, ranges().next().map_or(0, |(start, _)| start));
        let banks = self.banks.filter(|_| memory == Region::Shared && kind != AccessKind::Atomic);
        let type_ = matrix.as_ref().map(|(type_, _)| *type_);
        let access = self.accesses.entry(key).or_insert_with(|| Access::new(key, array, type_));
        access.times += 1;
        access.bytes += bytes;
        if access.array != array {
            access.array = None;
        }
        if let Region::Buffer(buffer) = memory {
            let (touched, needed) = sectors(ranges().collect());
            access.sectors += touched;
            access.needed_sectors += needed;
            let touches = self.buffers.entry(buffer).or_default();
            for (start, end) in ranges() {
                if kind != AccessKind::Write {
                    touches.read.add(start, end - start);
                }
                if kind != AccessKind::Read {
                    touches.written.add(start, end - start);
                }
            }
            touches.bytes_read += if kind == AccessKind::Write { 0 } else { bytes };
            touches.bytes_written += if kind == AccessKind::Read { 0 } else { bytes };
        }
        let within = array.and_then(|array| self.arrays.get(array)).map(|array| array.offset);
        let of_lanes = |access: &mut Access| {
            let mut all = Vec::new();
            for subgroup in subgroups(&lanes, self.subgroup_size) {
                if let Some(start) = within {
                    access.add_pattern(&subgroup, start);
                }
                all.extend(requests(&subgroup));
            }
            all
        };
        let requests = matrix.map_or_else(|| of_lanes(access), |(_, requests)| requests);
        for request in requests {
            *access.requests.entry(request.width).or_default() += 1;
            if let Some(banks) = banks {
                access.passes.get_or_insert_default().add(banks.passes(&request));
            }
        }
    }

    fn array_of(&self, memory: Region, offset: u64) -> Option<usize> {
        if memory != Region::Shared {
            return None;
        }
        self.arrays.iter().position(|array| (array.offset..array.offset + array.size).contains(&offset))
    }
}

impl Access {
    fn new((instruction, memory, kind): Key, array: Option<usize>, matrix: Option<MatrixType>) -> Access {
        Access {
            instruction,
            memory,
            array,
            kind,
            matrix,
            times: 0,
            requests: BTreeMap::new(),
            bytes: 0,
            passes: None,
            sectors: 0,
            needed_sectors: 0,
            rows: 0,
            unaligned_rows: 0,
            strided: Vec::new(),
            patterns: FxHashMap::default(),
            lost_patterns: 0,
            has_other_layouts: false,
            notes: Vec::new(),
        }
    }

    /// Keeps what the lanes of a subgroup access in an array that begins at an offset of shared memory.
    fn add_pattern(&mut self, lanes: &[Lane], start: u64) {
        let within = |lane: &Lane| {
            let part = |&(address, size): &(u64, u32)| (Region::of(address).1.wrapping_sub(start), size);
            Lane { number: lane.number, parts: lane.parts.iter().map(|it| it.as_ref().map(part)).collect() }
        };
        let pattern: Vec<Lane> = lanes.iter().map(within).collect();
        let known = self.patterns.len();
        match self.patterns.entry(pattern) {
            Entry::Occupied(mut known) => *known.get_mut() += 1,
            Entry::Vacant(_) if known >= MOST_PATTERNS => self.lost_patterns += 1,
            Entry::Vacant(place) => {
                place.insert(1);
            }
        }
    }

    fn add_placement(&mut self, type_: MatrixType, owners: &Arc<Map>, placement: Placement) {
        let same = |(known, _): &&mut (Strided, u64)| {
            let other = &known.placement;
            known.type_ == type_
                && (other.address, other.layout, other.stride)
                    == (placement.address, placement.layout, placement.stride)
        };
        let is_full = self.strided.len() >= MOST_PATTERNS;
        match self.strided.iter_mut().find(same) {
            Some((_, times)) => *times += 1,
            None if is_full => self.lost_patterns += 1,
            None => self.strided.push((Strided { type_, owners: owners.clone(), placement }, 1)),
        }
    }
}
