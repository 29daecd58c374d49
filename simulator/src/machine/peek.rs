//! Reading and writing memory and registers from outside, without a trace in counts and checks.

use super::{Execution, Registers};
use crate::memory::{BUFFERS, Buffer, PUSH_CONSTANTS, SHARED, address, parts, whole};

impl Execution {
    /// The size of an allocation in bytes; none where there is no such allocation.
    pub(crate) fn allocation_size(&self, allocation: u64) -> Option<u64> {
        match allocation {
            SHARED => Some(self.program.data.shared_size),
            PUSH_CONSTANTS => Some(self.resources.push_constants.len() as u64),
            _ => self.allocated(allocation).map(Buffer::size),
        }
    }

    fn allocated(&self, allocation: u64) -> Option<&Buffer> {
        self.resources.buffers.get(usize::try_from(allocation.checked_sub(BUFFERS)?).ok()?)
    }

    /// An address in a part of a buffer as that in the buffer.
    pub(crate) fn whole(&self, address: u64) -> u64 {
        whole(&self.resources.buffers, address)
    }

    /// Up to eight bytes of memory as the running workgroup sees it; none outside.
    pub(crate) fn peek(&self, at: u64, size: u32) -> Option<u64> {
        let (allocation, offset) = parts(at);
        let end = offset.checked_add(u64::from(size))?;
        if size > 8 || end > self.allocation_size(allocation)? {
            return None;
        }
        let word = |index: u64| {
            let index = usize::try_from(index).ok()?;
            match allocation {
                SHARED => self.workgroup.shared_words().get(index).copied(),
                PUSH_CONSTANTS => {
                    let bytes = self.resources.push_constants.get(index * 4..)?;
                    let mut word = [0; 4];
                    let count = bytes.len().min(4);
                    word[..count].copy_from_slice(&bytes[..count]);
                    Some(u32::from_le_bytes(word))
                }
                _ => {
                    let (of, offset) =
                        parts(whole(&self.resources.buffers, address(allocation, index as u64 * 4)));
                    self.allocated(of)?.word((offset / 4) as usize)
                }
            }
        };
        let mut value = 0u64;
        for index in 0..u64::from(size) {
            let at = offset + index;
            let byte = u64::from(word(at / 4)? >> (at % 4 * 8) & 0xff);
            value |= byte << (index * 8);
        }
        Some(value)
    }

    /// Writes up to eight bytes of memory as the running workgroup sees it; nothing outside.
    pub(crate) fn poke(&mut self, address: u64, size: u32, bits: u64) {
        let end =
            self.allocation_size(parts(address).0).map_or(0, |end| end.saturating_sub(parts(address).1));
        // What is a part of a buffer is written in the buffer.
        let address = whole(&self.resources.buffers, address);
        let (allocation, offset) = parts(address);
        if let Some(index) = allocation.checked_sub(BUFFERS).and_then(|index| usize::try_from(index).ok())
            && let Some(buffer) = self.resources.buffers.get_mut(index)
        {
            // The shader only reads it, but somebody else writes.
            buffer.set_constant(false);
        }
        for index in 0..u64::from(size.min(8)).min(end) {
            let at = offset + index;
            let start = address - offset;
            let Some(word) = self.peek(start + at / 4 * 4, self.tail(allocation, at / 4 * 4)) else { return };
            let shift = at % 4 * 8;
            let word = word as u32 & !(0xff << shift) | ((bits >> (index * 8)) as u32 & 0xff) << shift;
            let number = (at / 4) as usize;
            if allocation == SHARED {
                if let Some(slot) = self.workgroup.shared_words_mut().get_mut(number) {
                    *slot = word;
                }
            } else if let Some(buffer) = self.allocated(allocation) {
                buffer.set_words(number, &[word]);
            }
        }
    }

    /// Bytes of the word at an offset that are in its allocation.
    fn tail(&self, allocation: u64, offset: u64) -> u32 {
        self.allocation_size(allocation).unwrap_or(0).saturating_sub(offset).min(4) as u32
    }

    /// The registers of a subgroup of the running workgroup.
    pub(crate) fn registers_mut(&mut self, subgroup: u32) -> Option<&mut Registers> {
        self.workgroup.subgroups.get_mut(subgroup as usize).map(|subgroup| &mut subgroup.registers)
    }

    /// Whether checked mode knows that nobody has written these bytes of memory that begins undefined.
    pub(crate) fn is_unwritten(&self, address: u64, size: u32) -> bool {
        let (allocation, offset) = parts(address);
        let shadow = &self.report.checks.shadow;
        if !self.settings.checked || !shadow.begins_undefined(allocation) {
            return false;
        }
        let written = |byte: u64| {
            let since = if allocation == SHARED { shadow.workgroup_start() } else { 0 };
            shadow
                .last_write(allocation, offset + byte)
                .is_some_and(|write| write.epoch() >= since && !write.undefined())
        };
        !(0..u64::from(size)).all(written)
    }
}
