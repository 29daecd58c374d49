//! Memory: buffers, a workgroup's shared memory, push constants, and the one address space that they share.
//!
//! A virtual address is `allocation << 40 | offset`: allocations have gaps of guard addresses between them, and an address is never
//! a host pointer. Accesses outside an allocation read zero and write nothing.

mod access;
mod buffer;
mod descriptor;
mod heap;
mod image;
mod resources;
mod sampler;
mod texels;

pub(crate) use access::{Linear, Memory, Placed};
pub use buffer::Buffer;
pub(crate) use buffer::Part;
pub use descriptor::DESCRIPTOR_SIZE;
pub(crate) use descriptor::Target;
pub use heap::Heap;
pub(crate) use heap::{Heaps, place_in_heap};
pub use image::{Channel, Image, ImageId};
pub use resources::{BufferId, Resources};
pub use sampler::{AddressMode, Border, Filter, Sampler};

/// Bits of an address that are the offset in its allocation.
pub const OFFSET_BITS: u32 = 40;

/// The allocation of the running workgroup's shared memory.
pub const SHARED: u64 = 1;
/// The allocation of the push constants.
pub const PUSH_CONSTANTS: u64 = 2;
/// No allocation: where a descriptor leads that is not there.
pub const EMPTY_DESCRIPTOR: u64 = 3;
/// The allocation of the first buffer.
pub const BUFFERS: u64 = 16;

/// The allocation that texels of the first image are of, for checked mode alone: a texel is one place of it, and no address leads there.
pub const IMAGES: u64 = 1 << 20;

pub fn address(allocation: u64, offset: u64) -> u64 {
    allocation << OFFSET_BITS | offset
}

/// An address whose memory may be a part of a buffer, as that of the buffer.
pub(crate) fn whole(buffers: &[Buffer], address: u64) -> u64 {
    let (allocation, offset) = parts(address);
    let number = allocation.checked_sub(BUFFERS).and_then(|number| usize::try_from(number).ok());
    match number.and_then(|number| buffers.get(number)?.part_of()) {
        Some(Part { of, first }) => self::address(BUFFERS + u64::from(of), offset + first as u64 * 4),
        None => address,
    }
}

/// The first descriptor that leads to a buffer, or else to a part of it.
pub(crate) fn described(descriptors: &[Target], buffers: &[Buffer], address: u64) -> Option<usize> {
    let place = |test: &dyn Fn(u64) -> bool| {
        descriptors.iter().position(|target| matches!(target, Target::Buffer(to) if test(*to)))
    };
    let part = || place(&|to| parts(whole(buffers, to)).0 == parts(address).0);
    place(&|to| to == address).or_else(part)
}

/// An address as allocation and offset.
pub fn parts(address: u64) -> (u64, u64) {
    (address >> OFFSET_BITS, address & ((1 << OFFSET_BITS) - 1))
}
