//! Every access to memory: bounds, alignment, races, undefined values.

use smallvec::SmallVec;

use super::FindingKind;
use super::order::Storage;
use super::race::{Lack, Pair};
use super::shadow::{Cell, Stamp, Who};
use crate::machine::{Context, Mask, Plane};
use crate::memory::{EMPTY_DESCRIPTOR, PUSH_CONSTANTS, SHARED, parts};
use crate::observer::AccessKind;
use crate::program::types::Scalar;

impl Context<'_, '_> {
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
            let element =
                element.map_or(String::new(), |(row, column)| format!(" for element ({row}, {column})"));
            match cx.env.memory.size(parts(address).0) {
                Some(end) => {
                    let place = cx.offset_of(address);
                    format!("{what} {size} bytes at {place}{element}, which has {end} bytes")
                }
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
            if !self.check_place(kind, lane, address, size) {
                continue;
            }
            match kind {
                AccessKind::Read => undefined |= Mask::from(self.check_read(lane, address, size)) << lane,
                AccessKind::Write => {}
                AccessKind::Atomic => self.check_write(lane, address, size, true, false),
            }
        }
        undefined
    }

    /// Bounds and alignment of an access; whether it is inside.
    pub(super) fn check_place(&mut self, kind: AccessKind, lane: usize, address: u64, size: u32) -> bool {
        if !self.check_bounds(kind, lane, address, u64::from(size), None) {
            return false;
        }
        if size > 1 && !address.is_multiple_of(u64::from(size)) {
            self.find_with(FindingKind::Misaligned, lane, None, |cx| {
                let place = cx.offset_of(address);
                format!("{place} is not a multiple of {size}, the size of what is accessed")
            });
        }
        true
    }

    /// Whether all lanes read aligned places inside one buffer that nobody writes: nothing can be wrong with that.
    fn reads_only_what_stays(&self, size: u32, addresses: &[(usize, u64)]) -> bool {
        let Some(&(_, first)) = addresses.first() else { return true };
        let (allocation, _) = parts(first);
        if allocation != PUSH_CONSTANTS && !self.env.report.checks.shadow.is_constant(allocation) {
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
        let (allocation, _) = parts(address);
        if allocation == PUSH_CONSTANTS || self.env.report.checks.shadow.is_constant(allocation) {
            return false;
        }
        let touch = Touch::new(self, self.who(lane), allocation, false);
        self.check_read_by(&touch, lane, address, size, None)
    }

    /// The same of somebody who is known.
    pub(super) fn check_read_by(
        &mut self,
        touch: &Touch,
        lane: usize,
        address: u64,
        size: u32,
        element: Option<(u32, u32)>,
    ) -> bool {
        let (allocation, offset) = parts(address);
        let mut suspects = Suspects::new();
        let mut undefined = false;
        let shadow = &mut self.env.report.checks.shadow;
        let is_undefined = shadow.undefined_writes(allocation);
        for (at, cell) in (offset..).zip(shadow.cells(allocation, offset, u64::from(size))) {
            undefined |= is_undefined(at, cell.write);
            touch.suspect(cell.write, touch.sees_coherence, &mut suspects);
            cell.note_read(touch.own, touch.lanes);
        }
        if let Some((writer, lack)) = self.worst(touch, &suspects, true) {
            let pair = Pair { address, size, element, does: "reads", did: "wrote", other: writer, lack };
            self.race(lane, touch, &pair);
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
        let changes = self.env.settings.strict || self.env.memory.read(address, size) != bits & mask;
        self.check_write(lane, address, size, changes, undefined);
    }

    /// Notes a write; where it changes nothing, no race is told.
    pub(super) fn check_write(
        &mut self,
        lane: usize,
        address: u64,
        size: u32,
        changes: bool,
        undefined: bool,
    ) {
        let touch = Touch::new(self, self.who(lane), parts(address).0, undefined);
        self.check_write_by(&touch, lane, address, size, changes, None);
    }

    /// The same of somebody who is known.
    pub(super) fn check_write_by(
        &mut self,
        touch: &Touch,
        lane: usize,
        address: u64,
        size: u32,
        changes: bool,
        element: Option<(u32, u32)>,
    ) {
        let (allocation, offset) = parts(address);
        let inside = || touch.storage == Storage::Image || self.env.memory.contains(address, u64::from(size));
        if allocation == PUSH_CONSTANTS || !inside() {
            return;
        }
        let own = touch.own;
        let (mut writers, mut readers) = (Suspects::new(), Suspects::new());
        for cell in self.env.report.checks.shadow.cells(allocation, offset, u64::from(size)) {
            if changes {
                for reader in [cell.read, cell.other_read] {
                    if !touch.replaces(reader) {
                        touch.suspect(reader, false, &mut readers);
                    }
                }
                touch.suspect(cell.write, touch.sees_coherence, &mut writers);
            }
            // What is not atomic stays so, though its invocation goes on with atomic operations.
            let before = cell.write;
            let stays = own.atomic()
                && !before.atomic()
                && before.who() == own.who()
                && before.epoch() >= touch.settled.max(touch.start);
            *cell = Cell { write: if stays { before } else { own }, ..Cell::default() };
        }
        let written = self.worst(touch, &writers, true).map(|found| (found, "wrote"));
        let found = written.or_else(|| self.worst(touch, &readers, false).map(|found| (found, "read")));
        if let Some(((other, lack), did)) = found {
            let pair = Pair { address, size, element, does: "writes", did, other, lack };
            self.race(lane, touch, &pair);
        }
    }

    /// Who a lane is.
    pub(super) fn who(&self, lane: usize) -> Who {
        let index = self.checked_invocation(lane).index;
        match self.nested {
            0 => Who::Invocation(index),
            _ if self.env.report.checks.together => Who::Workgroup,
            _ => Who::Element(index),
        }
    }

    /// What lacks for an invocation to see what another wrote, though barriers order the two (Vulkan, Location-Ordered).
    fn coherence(&self, touch: &Touch, written: Stamp) -> Option<Lack> {
        let private = |stamp: Stamp| {
            !stamp.atomic() && self.env.program.private_accesses.contains(&stamp.instruction())
        };
        let (first, second) = (private(written), private(touch.own));
        (touch.sees_coherence && (first || second)).then_some(Lack::Coherence(first, second))
    }

    /// Of those that may have to do with an access, the one from which most lacks; `wrote` where they are writes.
    fn worst(&self, touch: &Touch, suspects: &Suspects, wrote: bool) -> Option<(Stamp, Lack)> {
        let order = &self.env.report.checks.shadow.order;
        let mut worst: Option<(Stamp, Lack)> = None;
        for &stamp in suspects {
            let lack = if stamp.epoch() < touch.start {
                Some(Lack::Workgroups)
            } else {
                let [first, second] = [stamp.who(), touch.own.who()].map(|who| who.subgroup(touch.lanes));
                let gap = order.gap(touch.storage, stamp.epoch(), first, second);
                match gap {
                    Some((distance, gap)) => Some(Lack::Order(distance, gap)),
                    None if wrote => self.coherence(touch, stamp),
                    None => None,
                }
            };
            if let Some(lack) = lack
                && worst.is_none_or(|(_, known)| known.rank() < lack.rank())
            {
                worst = Some((stamp, lack));
            }
        }
        worst
    }
}

/// Accesses before, of somebody else, that nothing at hand orders.
type Suspects = SmallVec<[Stamp; 4]>;

/// Who accesses memory, and which accesses before it need a second look.
pub(super) struct Touch {
    pub own: Stamp,
    pub storage: Storage,
    start: u32,
    settled: u32,
    lanes: u32,
    /// Whether accesses of other workgroups count: not where atomics may order them.
    workgroups: bool,
    /// A matrix is stored where the same one was loaded: what it was made of has been read by then.
    pub in_place: bool,
    /// Whether it is asked that memory be coherent where barriers order accesses to it.
    sees_coherence: bool,
    /// A function over elements makes it: time began anew with its call.
    nested: bool,
}

impl Touch {
    pub fn new(cx: &Context, who: Who, allocation: u64, undefined: bool) -> Touch {
        let checks = &cx.env.report.checks;
        let shadow = &checks.shadow;
        let storage = Storage::of(allocation);
        Touch {
            own: Stamp::new(shadow.epoch, who, cx.origin, checks.atomic, undefined),
            storage,
            start: shadow.workgroup_start(),
            settled: shadow.order.settled(storage),
            lanes: cx.env.settings.subgroup_size.max(1),
            workgroups: !cx.env.program.has_buffer_atomics,
            in_place: false,
            sees_coherence: cx.env.settings.strict && storage != Storage::Shared,
            nested: cx.nested > 0,
        }
    }

    /// The same access where what is written is undefined.
    pub fn undefined(&self) -> Touch {
        Touch { own: self.own.of_undefined(), ..*self }
    }

    #[inline]
    fn suspect(&self, stamp: Stamp, also_settled: bool, suspects: &mut Suspects) {
        if stamp.is_none() || stamp.atomic() && self.own.atomic() {
            return;
        }
        if stamp.epoch() < self.start {
            if self.storage == Storage::Shared || !self.workgroups {
                return;
            }
        } else if !also_settled && stamp.epoch() < self.settled || self.is_own(stamp) {
            return;
        }
        if !suspects.contains(&stamp) {
            suspects.push(stamp);
        }
    }

    /// Whether the same party has its own order: an invocation has, and what is one instruction.
    fn is_own(&self, stamp: Stamp) -> bool {
        if stamp.who() != self.own.who() {
            return false;
        }
        let now = stamp.epoch() == self.own.epoch();
        match stamp.who() {
            Who::Invocation(_) => true,
            Who::Element(_) => now,
            Who::Subgroup(_) | Who::Workgroup => {
                now && (self.nested || stamp.instruction() == self.own.instruction())
            }
        }
    }

    fn replaces(&self, reader: Stamp) -> bool {
        self.in_place && reader.who() == self.own.who()
    }
}
