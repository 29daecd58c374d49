//! Every access to memory: bounds, alignment, races, undefined values.

use super::FindingKind;
use super::shadow::{Cell, Stamp};
use crate::machine::{Context, Invocation, Mask, Plane, Target};
use crate::memory::{BUFFERS, EMPTY_DESCRIPTOR, PUSH_CONSTANTS, SHARED, parts};
use crate::observer::AccessKind;
use crate::program::types::Scalar;

impl Context<'_, '_> {
    /// What an allocation is called.
    pub(crate) fn allocation_name(&self, allocation: u64) -> String {
        match allocation {
            SHARED => return "shared memory".to_owned(),
            PUSH_CONSTANTS => return "the push constants".to_owned(),
            _ => {}
        }
        if let Some(heap) = self.env.heaps.heap(allocation) {
            return heap.name().to_owned();
        }
        let address = crate::memory::address(allocation, 0);
        let program = self.env.program;
        let found = self.env.descriptors.iter().position(|target| *target == Target::Buffer(address));
        let name = found.and_then(|index| program.descriptors.get(index)).and_then(|&(set, binding, _)| {
            let bindings = &program.interface.bindings;
            bindings.iter().find(|known| (known.set, known.binding) == (set, binding))
        });
        if let (None, Some(place)) = (&name, found.and_then(|number| self.env.heaps.place(number as u32))) {
            return format!("the buffer at {place}");
        }
        match name {
            Some(binding) if !binding.name.is_empty() => format!("buffer {}", binding.name),
            Some(binding) => format!("the buffer at set {}, binding {}", binding.set, binding.binding),
            None if allocation >= BUFFERS => format!("buffer {}", allocation - BUFFERS),
            None => "no memory".to_owned(),
        }
    }

    /// Whether bytes are inside, and a finding where they are not. `element` says which one of a matrix it is.
    pub(crate) fn check_bounds(
        &mut self,
        kind: AccessKind,
        lane: usize,
        address: u64,
        size: u64,
        element: Option<(u32, u32)>,
    ) -> bool {
        if self.env.memory.contains(address, size) {
            return true;
        }
        // That the heap has no descriptor there has been told.
        if parts(address).0 == EMPTY_DESCRIPTOR {
            return false;
        }
        self.find_with(FindingKind::OutOfBounds, lane, None, |cx| {
            let what = match kind {
                AccessKind::Read => "reads",
                AccessKind::Write => "writes",
                AccessKind::Atomic => "updates",
            };
            let (allocation, offset) = parts(address);
            let element =
                element.map_or(String::new(), |(row, column)| format!(" for element ({row}, {column})"));
            match cx.env.memory.size(allocation) {
                Some(end) => format!(
                    "{what} {size} bytes at offset {offset} of {}{element}, which has {end} bytes",
                    cx.allocation_name(allocation)
                ),
                None => {
                    format!(
                        "{what} {size} bytes{element} at the address {address:#x}, where there is no memory"
                    )
                }
            }
        });
        false
    }

    /// Bounds, alignment and races of an instruction's accesses. Writes are looked at one by one as they happen: see
    /// [`Context::check_scalar_store`].
    pub(crate) fn check_access(&mut self, kind: AccessKind, size: u32, addresses: &[(usize, u64)]) -> Mask {
        let mut undefined = 0;
        if kind == AccessKind::Read && self.reads_only_what_stays(size, addresses) {
            return 0;
        }
        for &(lane, address) in addresses {
            if !self.check_bounds(kind, lane, address, u64::from(size), None) {
                continue;
            }
            if size > 1 && !address.is_multiple_of(u64::from(size)) {
                self.find_with(FindingKind::Misaligned, lane, None, |cx| {
                    let (allocation, offset) = parts(address);
                    let name = cx.allocation_name(allocation);
                    format!(
                        "offset {offset} of {name} is not a multiple of {size}, the size of what is accessed"
                    )
                });
            }
            match kind {
                AccessKind::Read => undefined |= Mask::from(self.check_read(lane, address, size)) << lane,
                AccessKind::Write => {}
                AccessKind::Atomic => self.check_write(lane, address, size, true, false, false),
            }
        }
        undefined
    }

    /// Whether all lanes read aligned places inside one buffer that nobody writes: nothing can be wrong with that.
    fn reads_only_what_stays(&self, size: u32, addresses: &[(usize, u64)]) -> bool {
        let Some(&(_, first)) = addresses.first() else { return true };
        let (allocation, _) = parts(first);
        let constant = &self.env.report.checks.shadow.constant;
        if allocation != PUSH_CONSTANTS && !constant.contains(&allocation) {
            return false;
        }
        let Some(end) = self.env.memory.size(allocation) else { return false };
        addresses.iter().all(|&(_, address)| {
            let (other, offset) = parts(address);
            other == allocation
                && offset + u64::from(size) <= end
                && offset.is_multiple_of(u64::from(size.max(1)))
        })
    }

    /// Notes a read, and gives whether a byte of it is undefined.
    pub(crate) fn check_read(&mut self, lane: usize, address: u64, size: u32) -> bool {
        let (allocation, offset) = parts(address);
        if allocation == PUSH_CONSTANTS || self.env.report.checks.shadow.constant.contains(&allocation) {
            return false;
        }
        let (own, me) = self.stamp(lane, false);
        let atomic = self.env.report.checks.atomic;
        let mut conflict = None;
        let mut undefined = false;
        let rules = Rules::new(self, allocation, me);
        let is_undefined = self.env.report.checks.shadow.undefined_writes(allocation);
        for cell in self.env.report.checks.shadow.cells(allocation, offset, u64::from(size)) {
            let written = cell.write;
            undefined |= is_undefined(written);
            if rules.conflict(written) && !(atomic && written.atomic()) {
                conflict = Some(written);
            }
            note_read(cell, own);
        }
        if let Some(writer) = conflict {
            self.race(lane, address, size, writer, "reads", "wrote");
        }
        undefined
    }

    /// Notes a write of a value just before it happens: races with it are only told when it changes something.
    pub(crate) fn check_scalar_store(
        &mut self,
        lane: usize,
        address: u64,
        scalar: Scalar,
        bits: u64,
        plane: Plane,
    ) {
        let size = scalar.bytes();
        let undefined = self.registers.undefined(plane) >> lane & 1 != 0;
        if undefined && parts(address).0 != SHARED {
            self.find_undefined(lane, "what is stored");
        }
        if let Scalar::Float(format) = scalar
            && !undefined
        {
            let value = format.to_f64(bits);
            if !value.is_finite() {
                self.note_special_store(value.is_nan(), 1 << lane);
            }
        }
        let mask = if size >= 8 { u64::MAX } else { (1 << (size * 8)) - 1 };
        let changes = self.env.memory.read(address, size) != bits & mask;
        self.check_write(lane, address, size, changes, undefined, false);
    }

    /// The same for an element of a matrix, whose invocations have one instruction in common.
    pub(crate) fn check_write(
        &mut self,
        lane: usize,
        address: u64,
        size: u32,
        changes: bool,
        undefined: bool,
        together: bool,
    ) {
        let (allocation, offset) = parts(address);
        if allocation == PUSH_CONSTANTS || !self.env.memory.contains(address, u64::from(size)) {
            return;
        }
        let (own, me) = self.stamp(lane, undefined);
        let atomic = self.env.report.checks.atomic;
        let rules = Rules::new(self, allocation, me);
        let (mut written, mut read) = (None, None);
        for cell in self.env.report.checks.shadow.cells(allocation, offset, u64::from(size)) {
            for reader in [cell.read, cell.other_read] {
                if changes && rules.conflict(reader) && !(atomic && reader.atomic()) {
                    read = Some(reader);
                }
            }
            let same = together && cell.write.instruction() == own.instruction() && rules.is_near(cell.write);
            if changes && rules.conflict(cell.write) && !(atomic && cell.write.atomic()) && !same {
                written = Some(cell.write);
            }
            // What is not atomic stays so, though its invocation goes on with atomic operations.
            let before = cell.write;
            let stays =
                atomic && !before.atomic() && before.invocation() == me && before.epoch() >= rules.barrier;
            *cell = Cell { write: if stays { before } else { own }, ..Cell::default() };
        }
        if let Some(writer) = written {
            self.race(lane, address, size, writer, "writes", "wrote");
        } else if let Some(reader) = read {
            self.race(lane, address, size, reader, "writes", "read");
        }
    }

    fn stamp(&self, lane: usize, undefined: bool) -> (Stamp, u32) {
        let index = self.checked_invocation(lane).index;
        let checks = &self.env.report.checks;
        (Stamp::new(checks.shadow.epoch, index, self.origin, checks.atomic, undefined), index)
    }

    #[cold]
    fn race(&mut self, lane: usize, address: u64, size: u32, other: Stamp, does: &str, did: &str) {
        let shadow = &self.env.report.checks.shadow;
        let workgroup = shadow.workgroup_of(other.epoch());
        let party = Invocation { workgroup, index: other.invocation() };
        let here = workgroup == self.env.workgroup;
        let reads = does == "reads" || did == "read";
        let kind = if here && reads { FindingKind::MissingBarrier } else { FindingKind::DataRace };
        self.find_with(kind, lane, Some((other.instruction(), party)), |cx| {
            let (allocation, offset) = parts(address);
            let name = cx.allocation_name(allocation);
            let lanes = cx.env.settings.subgroup_size;
            let who = other.invocation();
            let own = cx.checked_invocation(lane).index;
            let together = who / lanes == own / lanes;
            if !here {
                let [x, y, z] = workgroup;
                return format!(
                    "{does} {size} bytes at offset {offset} of {name}, which invocation {who} of workgroup ({x}, {y}, {z}) {did}; workgroups do not wait for each other: split the dispatch, or use atomics"
                );
            }
            let advice = match (reads, together) {
                (true, false) => "there is no barrier between the two: add barrier()",
                (true, true) => {
                    "there is no barrier between the two: add subgroupBarrier() or barrier(), even though they are in one subgroup"
                }
                (false, _) => "it is undefined which value remains: let only one of them write, or use an atomic operation",
            };
            format!("{does} {size} bytes at offset {offset} of {name}, which invocation {who} {did}; {advice}")
        });
    }
}

/// Which stamps are of accesses that nothing orders with those of an invocation.
struct Rules {
    me: u32,
    shared: bool,
    start: u32,
    barrier: u32,
    own_barrier: u32,
    lanes: u32,
    /// Whether accesses of other workgroups count: not where atomics may order them.
    workgroups: bool,
}

impl Rules {
    fn new(cx: &Context, allocation: u64, me: u32) -> Rules {
        let shadow = &cx.env.report.checks.shadow;
        let own = shadow.subgroups.get(cx.subgroup as usize).copied().unwrap_or(0);
        Rules {
            me,
            shared: allocation == SHARED,
            start: shadow.workgroup_start(),
            barrier: shadow.barrier,
            own_barrier: own,
            lanes: cx.env.settings.subgroup_size.max(1),
            workgroups: !cx.env.program.has_buffer_atomics,
        }
    }

    /// Of the same subgroup, since it last waited.
    fn is_near(&self, stamp: Stamp) -> bool {
        stamp.epoch() >= self.start && stamp.invocation() / self.lanes == self.me / self.lanes
    }

    fn conflict(&self, stamp: Stamp) -> bool {
        if stamp.is_none() {
            return false;
        }
        if stamp.epoch() < self.start {
            return !self.shared && self.workgroups;
        }
        stamp.invocation() != self.me
            && stamp.epoch() >= self.barrier
            && (stamp.invocation() / self.lanes != self.me / self.lanes || stamp.epoch() >= self.own_barrier)
    }
}

fn note_read(cell: &mut Cell, own: Stamp) {
    if cell.read.epoch() != own.epoch() || cell.read.invocation() == own.invocation() {
        if !cell.read.is_none() && cell.read.invocation() != own.invocation() {
            cell.other_read = cell.read;
        }
        cell.read = own;
    } else {
        cell.other_read = own;
    }
}
