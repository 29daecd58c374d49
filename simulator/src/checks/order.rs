//! What barriers order: which accesses of a workgroup come before which others (Vulkan, Memory Model, Synchronizes-With).
//!
//! A control barrier makes invocations wait. It orders their accesses as well where what came before is released and what follows is
//! acquired, in a scope that holds both invocations, with the storage class of the accesses: by the control barrier itself, or by memory
//! barriers before and after it. GLSL (4.60, 8.16) asks for `barrier()` and a memory barrier, without a word on which side: one that both
//! acquires and releases is taken on either.

use coopmat_spirv::spirv::{MemorySemantics, Scope};

use crate::memory::{IMAGES, SHARED};

/// The kind of memory that an access is to, as far as barriers tell kinds apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// Shared memory (`WorkgroupMemory`).
    Shared,
    /// Buffers, by descriptors and by addresses (`UniformMemory`).
    Buffer,
    /// Texels of images (`ImageMemory`).
    Image,
}

impl Storage {
    /// All kinds.
    pub const ALL: [Storage; 3] = [Storage::Shared, Storage::Buffer, Storage::Image];

    /// The kind of an allocation.
    pub fn of(allocation: u64) -> Storage {
        match allocation {
            SHARED => Storage::Shared,
            IMAGES.. => Storage::Image,
            _ => Storage::Buffer,
        }
    }
}

/// How far apart two invocations are that have to be ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Distance {
    /// Both are of one subgroup.
    Subgroup,
    /// They are, or may be, of two.
    Workgroup,
}

/// The memory that a barrier orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Semantics {
    pub scope: u32,
    pub bits: u32,
}

impl Default for Semantics {
    fn default() -> Self {
        Semantics { scope: Scope::Invocation as u32, bits: 0 }
    }
}

impl Semantics {
    fn has(self, bits: MemorySemantics) -> bool {
        self.bits & bits.bits() != 0
    }

    pub fn acquires(self) -> bool {
        use MemorySemantics as Bits;

        self.has(Bits::ACQUIRE | Bits::ACQUIRE_RELEASE | Bits::SEQUENTIALLY_CONSISTENT)
    }

    pub fn releases(self) -> bool {
        use MemorySemantics as Bits;

        self.has(Bits::RELEASE | Bits::ACQUIRE_RELEASE | Bits::SEQUENTIALLY_CONSISTENT)
    }

    pub fn stores(self, storage: Storage) -> bool {
        self.has(match storage {
            Storage::Shared => MemorySemantics::WORKGROUP_MEMORY,
            Storage::Buffer => MemorySemantics::UNIFORM_MEMORY,
            Storage::Image => MemorySemantics::IMAGE_MEMORY,
        })
    }

    /// Whether its scope holds both.
    pub fn reaches(self, distance: Distance) -> bool {
        match distance {
            Distance::Subgroup => self.scope != Scope::Invocation as u32,
            Distance::Workgroup => {
                self.scope != Scope::Invocation as u32 && self.scope != Scope::Subgroup as u32
            }
        }
    }
}

/// What lacks between two accesses, from what is least to what is most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Both have waited, at a barrier that orders something else; whether the whole workgroup did.
    Memory(Semantics, bool),
    /// Only one subgroup has waited, and there are two.
    Narrow,
    /// Nobody has waited.
    Barrier,
}

impl Gap {
    /// For comparison: what lacks most is greatest.
    pub fn rank(self) -> u8 {
        match self {
            Gap::Memory(..) => 0,
            Gap::Narrow => 1,
            Gap::Barrier => 2,
        }
    }
}

/// What is known of one subgroup. Numbers are epochs; what happened before them is meant.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// The last memory barrier that releases, and the last that acquires as well.
    release: u32,
    fence: u32,
    /// The last control barrier.
    waited: u32,
    /// Accesses of the subgroup that are ordered with all that follow, whoever makes them.
    visible: u32,
    /// Accesses of the subgroup that the last control barrier handed on, for those that acquire after it.
    released: u32,
    /// For what the subgroup accesses now: the last control barrier after which it has acquired.
    acquired: u32,
    /// The same, where the memory barrier releases as well.
    seen: u32,
}

impl Row {
    fn memory_barrier(&mut self, now: u32, acquires: bool, releases: bool) {
        if releases {
            self.release = now;
        }
        if acquires {
            self.acquired = self.waited;
        }
        if acquires && releases {
            self.fence = now;
            self.seen = self.waited;
        }
    }

    fn control_barrier(&mut self, now: u32, acquires: bool, releases: bool) {
        self.waited = now;
        self.released = if releases { now } else { self.released.max(self.release) };
        let visible = if acquires { self.released } else { self.fence };
        self.visible = self.visible.max(visible);
    }
}

/// Of one storage class and one distance: a row for each subgroup.
type Table = Vec<Row>;

fn index(storage: Storage, distance: Distance) -> usize {
    storage as usize * 2 + distance as usize
}

const TABLES: usize = Storage::ALL.len() * 2;

/// Every table.
fn all() -> impl Iterator<Item = (Storage, Distance)> {
    let both = |storage| [(storage, Distance::Subgroup), (storage, Distance::Workgroup)];
    Storage::ALL.into_iter().flat_map(both)
}

/// The barriers of a workgroup so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    tables: [Table; TABLES],
    /// What the last control barrier of the workgroup orders, and that of each subgroup or of the workgroup.
    last: Semantics,
    own: Vec<Semantics>,
    /// What is before is ordered with everything, for each kind of memory.
    settled: [u32; Storage::ALL.len()],
}

impl Order {
    /// A workgroup begins: nothing of it is before this epoch.
    pub fn begin(&mut self, subgroups: usize, now: u32) {
        let row = Row { visible: now, ..Row::default() };
        for table in &mut self.tables {
            table.clear();
            table.resize(subgroups, row);
        }
        self.settled = [now; Storage::ALL.len()];
        self.last = Semantics::default();
        self.own.clear();
        self.own.resize(subgroups, Semantics::default());
    }

    pub fn subgroups(&self) -> usize {
        self.own.len()
    }

    fn covers(semantics: Semantics, (storage, distance): (Storage, Distance)) -> (bool, bool) {
        let covers = semantics.stores(storage) && semantics.reaches(distance);
        (covers && semantics.acquires(), covers && semantics.releases())
    }

    /// A subgroup passes a memory barrier.
    pub fn memory_barrier(&mut self, now: u32, subgroup: u32, semantics: Semantics) {
        for pair in all() {
            let (acquires, releases) = Order::covers(semantics, pair);
            let table = &mut self.tables[index(pair.0, pair.1)];
            if let Some(row) = table.get_mut(subgroup as usize) {
                row.memory_barrier(now, acquires, releases);
            }
        }
    }

    /// A subgroup passes a control barrier of its own.
    pub fn subgroup_barrier(&mut self, now: u32, subgroup: u32, semantics: Semantics) {
        for storage in Storage::ALL {
            let pair = (storage, Distance::Subgroup);
            let (acquires, releases) = Order::covers(semantics, pair);
            let table = &mut self.tables[index(pair.0, pair.1)];
            if let Some(row) = table.get_mut(subgroup as usize) {
                row.control_barrier(now, acquires, releases);
            }
            // It is a memory barrier for the others.
            let pair = (storage, Distance::Workgroup);
            let (acquires, releases) = Order::covers(semantics, pair);
            let table = &mut self.tables[index(pair.0, pair.1)];
            if let Some(row) = table.get_mut(subgroup as usize) {
                row.memory_barrier(now, acquires, releases);
            }
        }
        if let Some(own) = self.own.get_mut(subgroup as usize) {
            *own = semantics;
        }
    }

    /// The workgroup passes a control barrier.
    pub fn workgroup_barrier(&mut self, now: u32, semantics: Semantics) {
        for pair in all() {
            let (acquires, releases) = Order::covers(semantics, pair);
            for row in &mut self.tables[index(pair.0, pair.1)] {
                row.control_barrier(now, acquires, releases);
            }
        }
        for storage in Storage::ALL {
            let table = &self.tables[index(storage, Distance::Workgroup)];
            self.settled[storage as usize] = table.iter().map(|row| row.visible).min().unwrap_or(0);
        }
        self.last = semantics;
        self.own.fill(semantics);
    }

    /// The epoch before which all is ordered with everything: for most accesses that is all there is to ask.
    pub fn settled(&self, storage: Storage) -> u32 {
        self.settled[storage as usize]
    }

    /// Whether accesses of an epoch by one subgroup are ordered with what another does now; what lacks where they are not.
    fn pair(
        &self,
        storage: Storage,
        distance: Distance,
        epoch: u32,
        [first, second]: [usize; 2],
    ) -> Option<Gap> {
        let table = &self.tables[index(storage, distance)];
        let (Some(first), Some(row)) = (table.get(first), table.get(second)) else { return None };
        if epoch < first.visible || epoch < row.seen || epoch < first.released.min(row.acquired) {
            return None;
        }
        if epoch < row.waited {
            let wide = self.tables[index(storage, Distance::Workgroup)].first();
            let wide = wide.is_some_and(|row| epoch < row.waited);
            let last = if wide { self.last } else { self.own.get(second).copied().unwrap_or_default() };
            return Some(Gap::Memory(last, wide));
        }
        Some(Gap::Barrier)
    }

    /// What lacks between an access of an epoch and one now, by these subgroups; all subgroups where there is none.
    pub fn gap(
        &self,
        storage: Storage,
        epoch: u32,
        first: Option<usize>,
        second: Option<usize>,
    ) -> Option<(Distance, Gap)> {
        let all = self.subgroups();
        let distance = match (first, second) {
            (Some(first), Some(second)) if first == second => Distance::Subgroup,
            _ if all < 2 => Distance::Subgroup,
            _ => Distance::Workgroup,
        };
        let range = |one: Option<usize>| one.map_or(0..all, |one| one..one + 1);
        let mut worst: Option<Gap> = None;
        for one in range(first) {
            for other in range(second) {
                let gap = self.pair(storage, distance, epoch, [one, other]);
                if gap.map(Gap::rank) > worst.map(Gap::rank) {
                    worst = gap;
                }
            }
        }
        let mut gap = worst?;
        if distance == Distance::Workgroup && gap == Gap::Barrier {
            // Whether one of them has waited by itself.
            let own = &self.tables[index(storage, Distance::Subgroup)];
            let waited =
                |one: Option<usize>| one.and_then(|one| own.get(one)).is_some_and(|row| epoch < row.waited);
            if waited(first) || waited(second) {
                gap = Gap::Narrow;
            }
        }
        Some((distance, gap))
    }
}
