//! Allocations, buffers and their addresses.

use std::sync::Arc;

use ash::vk;

use crate::block::{ALIGNMENT, Block};
use crate::driver::Driver;
use crate::fault::Fault;
use crate::ranges::Ranges;

/// Types of memory: each program finds what it looks for. All is the host's memory, coherent and cached, except that the second type cannot be
/// mapped, as memory of a device.
pub const TYPES: [vk::MemoryPropertyFlags; 2] = [
    vk::MemoryPropertyFlags::from_raw(
        vk::MemoryPropertyFlags::DEVICE_LOCAL.as_raw()
            | vk::MemoryPropertyFlags::HOST_VISIBLE.as_raw()
            | vk::MemoryPropertyFlags::HOST_COHERENT.as_raw()
            | vk::MemoryPropertyFlags::HOST_CACHED.as_raw(),
    ),
    vk::MemoryPropertyFlags::DEVICE_LOCAL,
];

/// Both types, as a mask.
pub const ALL_TYPES: u32 = (1 << TYPES.len()) - 1;

pub struct Memory {
    pub block: Arc<Block>,
    pub type_index: u32,
    pub mapped: bool,
    /// The bytes that commands wrote. None if the host may have written, as the memory was mapped, or if nobody watches.
    pub written: Option<Ranges>,
}

pub struct Buffer {
    pub size: u64,
    pub usage: vk::BufferUsageFlags,
    /// The memory's handle, and where the buffer begins in it.
    pub bound: Option<(u64, u64)>,
    /// Its place in `Driver::addressed`, once its address was asked for or is possible.
    pub slot: Option<usize>,
}

/// The simulator's number of the first buffer's allocation, and the bits below it: `coopmat_simulator` gives addresses by the order in which
/// buffers are added, which [`address`] repeats. A test compares.
const FIRST_ALLOCATION: u64 = 16;
const OFFSET_BITS: u32 = 40;
/// The simulator has so many buffers at most: images come after them.
pub const MOST_ADDRESSED: usize = (1 << 20) - FIRST_ALLOCATION as usize - 4096;

/// The device address of a slot.
pub fn address(slot: usize) -> u64 {
    (FIRST_ALLOCATION + slot as u64) << OFFSET_BITS
}

/// What `vkGetBufferMemoryRequirements` says.
pub fn requirements(size: u64) -> vk::MemoryRequirements {
    vk::MemoryRequirements {
        size: size.next_multiple_of(ALIGNMENT),
        alignment: ALIGNMENT,
        memory_type_bits: ALL_TYPES,
    }
}

impl Driver {
    pub fn allocate(&mut self, size: u64, type_index: u32) -> Result<u64, Fault> {
        if type_index as usize >= TYPES.len() {
            return Err(Fault::misuse(format!(
                "memoryTypeIndex is {type_index}: expected less than {}",
                TYPES.len()
            )));
        }
        if size == 0 {
            return Err(Fault::misuse("allocationSize is 0: expected at least 1 byte"));
        }
        let out_of_memory = Fault::plain(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
        let all = self.allocated.checked_add(size).filter(|all| *all <= self.facts.memory_limit);
        let Some(all) = all else { return Err(out_of_memory) };
        let Some(block) = Block::new(size) else { return Err(out_of_memory) };
        self.allocated = all;
        let written = self.watches().then(Ranges::default);
        Ok(self.memories.add(Memory { block: Arc::new(block), type_index, mapped: false, written }))
    }

    pub fn free(&mut self, memory: u64) -> Result<(), Fault> {
        self.hazards.forget(memory);
        if let Some(memory) = self.memories.remove_any(memory)? {
            self.allocated -= memory.block.size();
        }
        Ok(())
    }

    /// The address of a byte of an allocation in this process.
    pub fn map(&mut self, memory: u64, offset: u64, size: u64) -> Result<*mut std::ffi::c_void, Fault> {
        let memory = self.memories.get_mut(memory)?;
        if !TYPES[memory.type_index as usize].contains(vk::MemoryPropertyFlags::HOST_VISIBLE) {
            return Err(Fault::misuse(format!("memory of type {} cannot be mapped", memory.type_index))
                .with(vk::Result::ERROR_MEMORY_MAP_FAILED));
        }
        if memory.mapped {
            return Err(
                Fault::misuse("the memory is mapped already").with(vk::Result::ERROR_MEMORY_MAP_FAILED)
            );
        }
        let all = memory.block.size();
        let inside = offset < all
            && (size == vk::WHOLE_SIZE || offset.checked_add(size).is_some_and(|end| end <= all));
        if !inside {
            return Err(Fault::misuse(format!(
                "offset {offset} and size {size} are not inside of the allocation of {all} bytes"
            ))
            .with(vk::Result::ERROR_MEMORY_MAP_FAILED));
        }
        memory.mapped = true;
        memory.written = None;
        Ok(memory.block.address(offset))
    }

    pub fn unmap(&mut self, memory: u64) -> Result<(), Fault> {
        let memory = self.memories.get_mut(memory)?;
        if !memory.mapped {
            return Err(Fault::misuse("the memory is not mapped"));
        }
        memory.mapped = false;
        Ok(())
    }

    pub fn create_buffer(&mut self, size: u64, usage: vk::BufferUsageFlags) -> Result<u64, Fault> {
        if size == 0 {
            return Err(Fault::misuse("the size of a buffer is 0: expected at least 1 byte"));
        }
        if size > self.facts.memory_limit {
            return Err(Fault::plain(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
        }
        let handle = self.buffers.add(Buffer { size, usage, bound: None, slot: None });
        if usage.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS) {
            if self.addressed.len() >= MOST_ADDRESSED {
                self.buffers.remove(handle)?;
                return Err(Fault::missing(format!(
                    "more than {MOST_ADDRESSED} buffers with addresses in one process"
                ))
                .with(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
            }
            self.addressed.push(Some(handle));
            self.buffers.get_mut(handle)?.slot = Some(self.addressed.len() - 1);
        }
        Ok(handle)
    }

    pub fn destroy_buffer(&mut self, buffer: u64) -> Result<(), Fault> {
        if let Some(Buffer { slot: Some(slot), .. }) = self.buffers.remove_any(buffer)? {
            self.addressed[slot] = None;
        }
        self.names.remove(&buffer);
        Ok(())
    }

    pub fn bind_buffer(&mut self, buffer: u64, memory: u64, offset: u64) -> Result<(), Fault> {
        let all = self.memories.get(memory)?.block.size();
        let buffer = self.buffers.get_mut(buffer)?;
        if buffer.bound.is_some() {
            return Err(Fault::misuse("the buffer is bound to memory already"));
        }
        if !offset.is_multiple_of(ALIGNMENT) {
            return Err(Fault::misuse(format!(
                "memoryOffset is {offset}: expected a multiple of {ALIGNMENT}, as vkGetBufferMemoryRequirements says"
            )));
        }
        if offset.checked_add(buffer.size).is_none_or(|end| end > all) {
            return Err(Fault::misuse(format!(
                "a buffer of {} bytes at offset {offset} is not inside of the allocation of {all} bytes",
                buffer.size
            )));
        }
        buffer.bound = Some((memory, offset));
        Ok(())
    }

    /// Tells of a buffer that is used for what it was not made for. It is used nevertheless, as every driver does.
    pub fn expect_usage(&mut self, call: &str, buffer: u64, wanted: vk::BufferUsageFlags, name: &str) {
        if self.buffers.get(buffer).is_ok_and(|known| !known.usage.contains(wanted)) {
            self.tell(
                call,
                &Fault::misuse(format!("the buffer was made without VK_BUFFER_USAGE_{name}_BIT")),
            );
        }
    }

    pub fn buffer_address(&self, buffer: u64) -> Result<u64, Fault> {
        let known = self.buffers.get(buffer)?;
        match known.slot {
            Some(slot) => Ok(address(slot)),
            None => Err(Fault::misuse(
                "the buffer was made without VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, so it has no address",
            )),
        }
    }

    /// The memory of a range of a buffer: the block, and where the range begins and ends in it.
    pub fn range(&self, buffer: u64, offset: u64, size: u64) -> Result<(u64, Arc<Block>, u64, u64), Fault> {
        let known = self.buffers.get(buffer)?;
        let Some((memory, start)) = known.bound else {
            return Err(Fault::misuse(format!("the buffer {buffer:#x} is used, but not bound to memory")));
        };
        let block = self.memories.get(memory)?.block.clone();
        let size = if size == vk::WHOLE_SIZE { known.size.saturating_sub(offset) } else { size };
        let end = offset.checked_add(size).filter(|end| *end <= known.size);
        let Some(end) = end else {
            return Err(Fault::misuse(format!(
                "{size} bytes from offset {offset} are not inside of the buffer of {} bytes",
                known.size
            )));
        };
        Ok((memory, block, start + offset, start + end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_the_simulator() {
        let mut resources = coopmat_simulator::Resources::new();
        for slot in 0..3 {
            let buffer = resources.buffer(&[0; 8]);
            assert_eq!(address(slot), resources.address(buffer));
        }
    }
}
