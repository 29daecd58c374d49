//! Who accessed each byte last, and since when.
//!
//! Time is counted in epochs: every barrier begins one, and so does every workgroup. Accesses of two invocations are ordered when a barrier
//! of both lies between them.

use crate::memory::SHARED;

/// One access: when, by whom, where in the module. Zero is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp(u64);

const INSTRUCTION_BITS: u32 = 18;
const INVOCATION_BITS: u32 = 12;

impl Stamp {
    pub fn new(epoch: u32, invocation: u32, instruction: u32, atomic: bool, undefined: bool) -> Stamp {
        let instruction = u64::from(instruction.min((1 << INSTRUCTION_BITS) - 1));
        let invocation = u64::from(invocation.min((1 << INVOCATION_BITS) - 1));
        let flags = u64::from(atomic) | u64::from(undefined) << 1;
        Stamp(u64::from(epoch) << 32 | flags << 30 | invocation << INSTRUCTION_BITS | instruction)
    }

    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    pub fn epoch(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub fn invocation(self) -> u32 {
        (self.0 >> INSTRUCTION_BITS) as u32 & ((1 << INVOCATION_BITS) - 1)
    }

    pub fn instruction(self) -> u32 {
        self.0 as u32 & ((1 << INSTRUCTION_BITS) - 1)
    }

    pub fn atomic(self) -> bool {
        self.0 >> 30 & 1 != 0
    }

    pub fn undefined(self) -> bool {
        self.0 >> 31 & 1 != 0
    }
}

/// What is known of one byte: its last writer, and two different readers since then.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cell {
    pub write: Stamp,
    pub read: Stamp,
    pub other_read: Stamp,
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
    pages: usize,
    pub epoch: u32,
    /// The first epoch of each workgroup that has begun.
    pub workgroups: Vec<(u32, [u32; 3])>,
    /// The epoch that the workgroup's last barrier began, and each subgroup's own.
    pub barrier: u32,
    pub subgroups: Vec<u32>,
    /// Buffers that are only read, and those whose bytes are undefined until they are written.
    pub constant: Vec<u64>,
    pub undefined: Vec<u64>,
}

impl Shadow {
    pub fn begin_workgroup(&mut self, id: [u32; 3], subgroups: usize) {
        self.epoch = self.epoch.saturating_add(1);
        self.workgroups.push((self.epoch, id));
        self.barrier = self.epoch;
        self.subgroups.clear();
        self.subgroups.resize(subgroups, self.epoch);
    }

    /// The whole workgroup has passed a barrier.
    pub fn pass_barrier(&mut self) {
        self.epoch = self.epoch.saturating_add(1);
        self.barrier = self.epoch;
    }

    /// A subgroup has passed one of its own.
    pub fn pass_subgroup_barrier(&mut self, subgroup: u32) {
        self.epoch = self.epoch.saturating_add(1);
        if let Some(epoch) = self.subgroups.get_mut(subgroup as usize) {
            *epoch = self.epoch;
        }
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
        let index = allocation as usize;
        if index >= self.allocations.len() {
            if allocation > 1 << 16 {
                return &mut [];
            }
            self.allocations.resize_with(index + 1, Vec::new);
        }
        let (page, start) = ((offset / PAGE) as usize, (offset % PAGE) as usize);
        let Some(pages) = self.allocations.get_mut(index) else { return &mut [] };
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

    /// Whether a byte of an allocation holds nothing that is defined, from its last write.
    pub fn undefined_writes(&self, allocation: u64) -> impl Fn(Stamp) -> bool + use<> {
        let (start, starts_undefined) = (self.workgroup_start(), self.undefined.contains(&allocation));
        move |written| match allocation {
            SHARED => written.epoch() < start || written.undefined(),
            _ => starts_undefined && written.is_none(),
        }
    }

    /// Bytes that are kept.
    pub fn bytes(&self) -> u64 {
        self.pages as u64 * PAGE * size_of::<Cell>() as u64
    }

    /// The last write of a byte.
    pub fn last_write(&self, allocation: u64, offset: u64) -> Option<Stamp> {
        let pages = self.allocations.get(allocation as usize)?;
        let cells = pages.get((offset / PAGE) as usize)?.as_deref()?;
        cells.get((offset % PAGE) as usize).map(|cell| cell.write).filter(|write| !write.is_none())
    }
}
