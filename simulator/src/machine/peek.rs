//! Reading memory from outside, without a trace in counts and checks.

use super::Execution;
use crate::memory::{BUFFERS, Buffer, PUSH_CONSTANTS, SHARED, parts};

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

    /// Up to eight bytes of memory as the running workgroup sees it; none outside.
    pub(crate) fn peek(&self, address: u64, size: u32) -> Option<u64> {
        let (allocation, offset) = parts(address);
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
                _ => self.allocated(allocation)?.word(index),
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

    /// Whether checked mode knows that nobody has written these bytes of memory that begins undefined.
    pub(crate) fn is_unwritten(&self, address: u64, size: u32) -> bool {
        let (allocation, offset) = parts(address);
        let shadow = &self.report.checks.shadow;
        let begins_undefined = allocation == SHARED || shadow.undefined.contains(&allocation);
        if !self.settings.checked || !begins_undefined {
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
