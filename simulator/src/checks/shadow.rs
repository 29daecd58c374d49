//! Who accessed each byte last, and since when.
//!
//! Time is counted in epochs: every barrier begins one, and so does every workgroup. `order` says which epochs barriers put before others.

use std::sync::Arc;

use super::order::{Order, Semantics};
use super::written::WrittenBytes;
use crate::memory::{BUFFERS, IMAGES, SHARED};

/// Who makes an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// One invocation.
    Invocation(u32),
    /// Some invocation of the subgroup that begins with this one, which calls a function for an element of a matrix. Those of one call are not
    /// told apart.
    Element(u32),
    /// Any invocation of the subgroup that begins with this one: which of them accesses an element of a matrix, the implementation says
    /// (Vulkan, Cooperative Matrix Memory Access).
    Subgroup(u32),
    /// Any invocation of the workgroup.
    Workgroup,
}

impl Who {
    /// The invocation that is named for it.
    pub fn invocation(self) -> u32 {
        match self {
            Who::Invocation(index) | Who::Element(index) | Who::Subgroup(index) => index,
            Who::Workgroup => 0,
        }
    }

    /// The subgroup that it surely is of.
    pub fn subgroup(self, lanes: u32) -> Option<usize> {
        match self {
            Who::Workgroup => None,
            _ => Some((self.invocation() / lanes) as usize),
        }
    }
}

/// One access: when, by whom, where in the module. Zero is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp(u64);

const INSTRUCTION_BITS: u32 = 18;
const INVOCATION_BITS: u32 = 12;
const WHO_SHIFT: u32 = INSTRUCTION_BITS + INVOCATION_BITS;
const ATOMIC: u64 = 1 << (WHO_SHIFT + 2);
const UNDEFINED: u64 = 1 << (WHO_SHIFT + 3);
const EPOCH_SHIFT: u32 = WHO_SHIFT + 4;
const LAST_EPOCH: u32 = (1 << (64 - EPOCH_SHIFT)) - 1;

impl Stamp {
    pub fn new(epoch: u32, who: Who, instruction: u32, atomic: bool, undefined: bool) -> Stamp {
        let instruction = u64::from(instruction.min((1 << INSTRUCTION_BITS) - 1));
        let kind = match who {
            Who::Invocation(_) => 0,
            Who::Element(_) => 1,
            Who::Subgroup(_) => 2,
            Who::Workgroup => 3,
        };
        let invocation = u64::from(who.invocation().min((1 << INVOCATION_BITS) - 1));
        let flags = if atomic { ATOMIC } else { 0 } | if undefined { UNDEFINED } else { 0 };
        let epoch = u64::from(epoch.min(LAST_EPOCH)) << EPOCH_SHIFT;
        Stamp(epoch | flags | kind << WHO_SHIFT | invocation << INSTRUCTION_BITS | instruction)
    }

    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    pub fn epoch(self) -> u32 {
        (self.0 >> EPOCH_SHIFT) as u32
    }

    pub fn who(self) -> Who {
        let index = self.invocation();
        match self.0 >> WHO_SHIFT & 3 {
            0 => Who::Invocation(index),
            1 => Who::Element(index),
            2 => Who::Subgroup(index),
            _ => Who::Workgroup,
        }
    }

    pub fn invocation(self) -> u32 {
        (self.0 >> INSTRUCTION_BITS) as u32 & ((1 << INVOCATION_BITS) - 1)
    }

    pub fn instruction(self) -> u32 {
        self.0 as u32 & ((1 << INSTRUCTION_BITS) - 1)
    }

    pub fn atomic(self) -> bool {
        self.0 & ATOMIC != 0
    }

    pub fn undefined(self) -> bool {
        self.0 & UNDEFINED != 0
    }

    /// The same access, where what is written is undefined.
    pub fn of_undefined(self) -> Stamp {
        Stamp(self.0 | UNDEFINED)
    }

    /// The same bits for accesses of the same party.
    fn party(self) -> u64 {
        self.0 >> INSTRUCTION_BITS & ((1 << (INVOCATION_BITS + 2)) - 1)
    }
}

/// What is known of one byte: its last writer, and two different readers since then.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cell {
    pub write: Stamp,
    pub read: Stamp,
    pub other_read: Stamp,
}

impl Cell {
    /// A read. Of the readers before, those of another subgroup stay: they have most to do with whoever writes next.
    pub fn note_read(&mut self, own: Stamp, lanes: u32) {
        let (party, group) = (own.party(), |stamp: Stamp| stamp.who().subgroup(lanes));
        if self.read.is_none() || self.read.party() == party {
            self.read = own;
        } else if self.other_read.is_none() || self.other_read.party() == party {
            self.other_read = own;
        } else if group(self.read) == group(own) && group(self.other_read) != group(own) {
            self.read = own;
        } else if group(self.other_read) == group(own) && group(self.read) != group(own) {
            self.other_read = own;
        } else if self.read.epoch() < self.other_read.epoch() {
            self.read = own;
        } else {
            self.other_read = own;
        }
    }
}

/// Bytes of a page.
const PAGE: u64 = 1 << 10;
/// Pages that are kept; bytes beyond are not watched.
const MOST_PAGES: usize = 1 << 14;

/// The pages of an allocation, those that somebody touched.
type Pages = Vec<Option<Box<[Cell]>>>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    allocations: Vec<Pages>,
    /// Those of images, where a cell is of a texel.
    images: Vec<Pages>,
    pages: usize,
    pub epoch: u32,
    /// The first epoch of each workgroup that has begun.
    pub workgroups: Vec<(u32, [u32; 3])>,
    /// What barriers of the running workgroup order.
    pub order: Order,
    /// Buffers and images that are only read, and those whose bytes are undefined until they are written.
    pub constant: Vec<u64>,
    pub undefined: Vec<u64>,
    /// What was written before the dispatch.
    pub before: WrittenBytes,
    /// By the number of a buffer, if any is a part of another: of which, and from which byte on. What is known is known of the whole.
    pub parts: Vec<Option<(u64, u64)>>,
}

impl Shadow {
    pub fn begin_workgroup(&mut self, id: [u32; 3], subgroups: usize) {
        let epoch = self.next_epoch();
        self.workgroups.push((epoch, id));
        self.order.begin(subgroups, epoch);
    }

    /// Time goes on.
    pub fn next_epoch(&mut self) -> u32 {
        self.epoch = (self.epoch + 1).min(LAST_EPOCH);
        self.epoch
    }

    /// The whole workgroup has passed a control barrier.
    pub fn pass_barrier(&mut self, semantics: Semantics) {
        let now = self.next_epoch();
        self.order.workgroup_barrier(now, semantics);
    }

    /// A subgroup has passed a control barrier of its own.
    pub fn pass_subgroup_barrier(&mut self, subgroup: u32, semantics: Semantics) {
        let now = self.next_epoch();
        self.order.subgroup_barrier(now, subgroup, semantics);
    }

    /// A subgroup has passed a memory barrier.
    pub fn pass_memory_barrier(&mut self, subgroup: u32, semantics: Semantics) {
        let now = self.next_epoch();
        self.order.memory_barrier(now, subgroup, semantics);
    }

    pub fn workgroup_start(&self) -> u32 {
        self.workgroups.last().map_or(0, |(epoch, _)| *epoch)
    }

    /// The workgroup that ran in an epoch.
    pub fn workgroup_of(&self, epoch: u32) -> [u32; 3] {
        let after = self.workgroups.partition_point(|(first, _)| *first <= epoch);
        after.checked_sub(1).and_then(|index| self.workgroups.get(index)).map_or([0; 3], |(_, id)| *id)
    }

    /// The cells of an access that lies within one page; the page is made where there is room.
    pub fn cells(&mut self, allocation: u64, offset: u64, size: u64) -> &mut [Cell] {
        let (allocation, offset) = self.whole(allocation, offset);
        let (all, index) = match allocation.checked_sub(IMAGES) {
            Some(image) => (&mut self.images, image as usize),
            None => (&mut self.allocations, allocation as usize),
        };
        if index >= all.len() {
            if index > 1 << 16 {
                return &mut [];
            }
            all.resize_with(index + 1, Vec::new);
        }
        let (page, start) = ((offset / PAGE) as usize, (offset % PAGE) as usize);
        let Some(pages) = all.get_mut(index) else { return &mut [] };
        if page >= pages.len() {
            if page > 1 << 22 {
                return &mut [];
            }
            pages.resize(page + 1, None);
        }
        if pages[page].is_none() {
            if self.pages >= MOST_PAGES {
                return &mut [];
            }
            self.pages += 1;
            pages[page] = Some(vec![Cell::default(); PAGE as usize].into());
        }
        let end = (start + size as usize).min(PAGE as usize);
        pages[page].as_deref_mut().and_then(|cells| cells.get_mut(start..end)).unwrap_or_default()
    }

    /// A byte of a part of a buffer as that of the buffer.
    fn whole(&self, allocation: u64, offset: u64) -> (u64, u64) {
        let number = allocation.wrapping_sub(BUFFERS) as usize;
        let part = self.parts.get(number).copied().flatten();
        part.map_or((allocation, offset), |(of, first)| (of, first + offset))
    }

    /// Whether nobody may write there.
    pub fn is_constant(&self, allocation: u64) -> bool {
        self.constant.contains(&self.whole(allocation, 0).0)
    }

    /// Whether its bytes are undefined until they are written.
    pub fn begins_undefined(&self, allocation: u64) -> bool {
        allocation == SHARED || self.undefined.contains(&self.whole(allocation, 0).0)
    }

    fn pages_of(&self, allocation: u64) -> Option<&Pages> {
        match allocation.checked_sub(IMAGES) {
            Some(image) => self.images.get(image as usize),
            None => self.allocations.get(allocation as usize),
        }
    }

    /// Whether a byte of an allocation holds nothing that is defined, from its offset and its last write.
    pub fn undefined_writes(&self, allocation: u64) -> impl Fn(u64, Stamp) -> bool + use<> {
        let (start, starts_undefined) = (self.workgroup_start(), self.begins_undefined(allocation));
        let (of, first) = self.whole(allocation, 0);
        let before = self.before.of(of);
        move |offset, written| match allocation {
            SHARED => written.epoch() < start || written.undefined(),
            _ => starts_undefined && written.is_none() && !before(first + offset),
        }
    }

    /// Which bytes of an allocation of this size are written by now. Those of pages that are not watched count as such.
    pub fn written(&self, allocation: u64, size: u64) -> Arc<[u64]> {
        let before = self.before.of(allocation);
        let pages = self.pages_of(allocation);
        let full = self.pages >= MOST_PAGES;
        let is_written = |offset: u64| {
            let page = pages.and_then(|pages| pages.get((offset / PAGE) as usize)?.as_deref());
            let cell = page.and_then(|cells| cells.get((offset % PAGE) as usize));
            before(offset) || cell.map_or(full, |cell| !cell.write.is_none())
        };
        let word = |first: u64| (0..64).fold(0, |word, bit| word | u64::from(is_written(first + bit)) << bit);
        (0..size.div_ceil(64)).map(|index| word(index * 64)).collect()
    }

    /// Bytes that are kept.
    pub fn bytes(&self) -> u64 {
        self.pages as u64 * PAGE * size_of::<Cell>() as u64
    }

    /// The last write of a byte.
    pub fn last_write(&self, allocation: u64, offset: u64) -> Option<Stamp> {
        let (allocation, offset) = self.whole(allocation, offset);
        let pages = self.pages_of(allocation)?;
        let cells = pages.get((offset / PAGE) as usize)?.as_deref()?;
        cells.get((offset % PAGE) as usize).map(|cell| cell.write).filter(|write| !write.is_none())
    }
}
