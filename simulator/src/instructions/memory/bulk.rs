//! Loads and stores of all lanes at once, where all addresses lie in one allocation and nobody watches.

use crate::machine::{Context, MAXIMUM_LANES, Plane, lanes_of};
use crate::memory::{address, parts};
use crate::observer::AccessKind;
use crate::program::Leaf;

/// Where the lanes of an instruction load or store: offsets in one allocation, at which the whole value is inside for every lane that takes
/// part.
pub(super) struct Span<'p> {
    allocation: u64,
    offsets: [u32; MAXIMUM_LANES],
    leaves: &'p [Leaf],
    step: u32,
}

impl<'p> Span<'p> {
    /// None where it has to be done lane by lane.
    pub fn new(cx: &mut Context, pointer: Plane, offset: u32, leaves: &'p [Leaf], step: u32) -> Option<Self> {
        if cx.env.wants.memory || cx.env.settings.checked || !cx.registers.agrees(pointer + 1) {
            return None;
        }
        if cx.registers.whole() && cx.registers.is_uniform(pointer) {
            return None;
        }
        let address = u64::from(cx.registers.any(pointer + 1)) << 32;
        let (allocation, start) = parts(address);
        let end = cx.env.memory.size(allocation)?;
        let mut last = 0;
        for (index, leaf) in leaves.iter().enumerate() {
            let more = if step == 0 { leaf.offset } else { (index as u32).checked_mul(step)? };
            last = last.max(u64::from(more) + u64::from(leaf.scalar.bytes()));
        }
        let mut offsets = [0; MAXIMUM_LANES];
        let farthest = cx.registers.offsets(pointer, &mut offsets);
        // Before the offsets may wrap.
        let inside = start == 0 && u64::from(farthest) + u64::from(offset) + last <= end.min(1 << 32);
        if !inside {
            return None;
        }
        offsets.iter_mut().for_each(|place| *place = place.wrapping_add(offset));
        Some(Span { allocation, offsets, leaves, step })
    }

    fn more(&self, index: usize) -> u32 {
        if self.step == 0 { self.leaves[index].offset } else { index as u32 * self.step }
    }

    /// Whether a scalar and the next one are the two halves of a word of memory in every lane.
    fn is_pair(&self, index: usize, aligned: bool) -> bool {
        aligned
            && self.leaves[index].scalar.bytes() == 2
            && self.leaves.get(index + 1).is_some_and(|leaf| leaf.scalar.bytes() == 2)
            && self.more(index).is_multiple_of(4)
            && self.more(index + 1) == self.more(index) + 2
    }

    fn is_aligned(&self, cx: &Context) -> bool {
        self.offsets[..cx.registers.lanes()].iter().fold(0, |all, offset| all | offset) % 4 == 0
    }

    pub fn load(&self, cx: &mut Context, result: Plane) {
        let lanes = cx.registers.lanes();
        let taking_part = u64::from(cx.registers.taking_part());
        let aligned = self.is_aligned(cx);
        let mut words = [0; MAXIMUM_LANES];
        let mut index = 0;
        while let Some(leaf) = self.leaves.get(index) {
            let size = leaf.scalar.bytes();
            cx.count_bytes(AccessKind::Read, u64::from(size) * taking_part);
            let (offsets, plane) = (&self.offsets[..lanes], result + leaf.plane);
            let more = self.more(index);
            if self.is_pair(index, aligned) {
                cx.count_bytes(AccessKind::Read, u64::from(size) * taking_part);
                cx.env.memory.gather(self.allocation, offsets, more, 4, &mut words[..lanes]);
                let (low, high) = (words.map(|word| word & 0xffff), words.map(|word| word >> 16));
                cx.registers.set_words(plane, &low);
                cx.registers.set_words(result + self.leaves[index + 1].plane, &high);
                index += 2;
                continue;
            }
            cx.env.memory.gather(self.allocation, offsets, more, size.min(4), &mut words[..lanes]);
            cx.registers.set_words(plane, &words);
            if size == 8 {
                cx.env.memory.gather(self.allocation, offsets, more + 4, 4, &mut words[..lanes]);
                cx.registers.set_words(plane + 1, &words);
            }
            index += 1;
        }
    }

    pub fn store(&self, cx: &mut Context, value: Plane) {
        let lanes = cx.registers.lanes();
        let taking_part = u64::from(cx.registers.taking_part());
        let aligned = self.is_aligned(cx);
        let mut words = [0; MAXIMUM_LANES];
        let mut index = 0;
        while let Some(leaf) = self.leaves.get(index) {
            let size = leaf.scalar.bytes();
            cx.count_bytes(AccessKind::Write, u64::from(size) * taking_part);
            let (offsets, plane) = (&self.offsets[..lanes], value + leaf.plane);
            let more = self.more(index);
            words[..lanes].copy_from_slice(cx.registers.plane(plane));
            if size == 8 {
                // Both halves of a lane before those of the next one: places may overlap.
                let high: [u32; MAXIMUM_LANES] = {
                    let mut high = [0; MAXIMUM_LANES];
                    high[..lanes].copy_from_slice(cx.registers.plane(plane + 1));
                    high
                };
                for lane in lanes_of(cx.registers.mask()).take_while(|lane| *lane < lanes) {
                    let address = address(self.allocation, u64::from(offsets[lane] + more));
                    let bits = u64::from(words[lane]) | u64::from(high[lane]) << 32;
                    cx.env.memory.write(address, 8, bits);
                }
                index += 1;
                continue;
            }
            let mut size = size;
            if self.is_pair(index, aligned) {
                cx.count_bytes(AccessKind::Write, u64::from(size) * taking_part);
                let next = value + self.leaves[index + 1].plane;
                for (word, high) in words.iter_mut().zip(cx.registers.plane(next)) {
                    *word = *word & 0xffff | high << 16;
                }
                size = 4;
                index += 1;
            }
            let select = cx.registers.select();
            cx.env.memory.scatter(self.allocation, (offsets, more), select, size, &words[..lanes]);
            index += 1;
        }
    }
}
