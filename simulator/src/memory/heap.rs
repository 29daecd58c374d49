//! Descriptor heaps: bytes in which descriptors lie at offsets, among data. What a descriptor's bytes are is the simulator's own affair.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::descriptor::{DESCRIPTOR_SIZE, Target};
use super::{BUFFERS, Buffer, BufferId, ImageId, Resources, address, parts};

/// A heap of descriptors (SPV_EXT_descriptor_heap).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heap {
    /// `ResourceHeapEXT`: buffers, images, textures.
    Resource,
    /// `SamplerHeapEXT`.
    Sampler,
}

impl Heap {
    /// Both.
    pub const ALL: [Heap; 2] = [Heap::Resource, Heap::Sampler];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Heap::Resource => "the resource heap",
            Heap::Sampler => "the sampler heap",
        }
    }
}

/// What a descriptor in a heap is of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Described {
    Buffer(BufferId),
    Image(ImageId),
}

/// What a host has put into a heap.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeapContents {
    bytes: Vec<u8>,
    descriptors: BTreeMap<u32, Described>,
    /// The buffer that its bytes became.
    buffer: Option<BufferId>,
}

impl HeapContents {
    pub fn describe(&mut self, offset: u32, of: Described) {
        self.grow(offset as usize + DESCRIPTOR_SIZE as usize);
        self.descriptors.insert(offset, of);
    }

    pub fn write(&mut self, offset: usize, bytes: &[u8]) {
        self.grow(offset + bytes.len());
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn grow(&mut self, end: usize) {
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
    }
}

/// The heaps of a run: where they lie, and which descriptors are where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heaps {
    /// The allocations of both, where the program has them.
    allocations: [Option<u64>; 2],
    by_address: FxHashMap<u64, u32>,
    /// The number of the first descriptor; the others follow it.
    first: u32,
    /// The addresses of all.
    addresses: Vec<u64>,
}

impl Heaps {
    /// Gives heaps a place in memory, and their descriptors numbers behind those of bindings.
    pub fn new(resources: &mut Resources, used: [bool; 2], descriptors: &mut Vec<Target>) -> Heaps {
        let mut heaps = Heaps { first: descriptors.len() as u32, ..Heaps::default() };
        for heap in Heap::ALL.into_iter().filter(|heap| used[*heap as usize]) {
            let contents = &mut resources.heaps[heap as usize];
            let id = *contents.buffer.get_or_insert_with(|| {
                resources.buffers.push(Buffer::new(&contents.bytes));
                BufferId(resources.buffers.len() as u32 - 1)
            });
            let allocation = BUFFERS + u64::from(id.0);
            heaps.allocations[heap as usize] = Some(allocation);
            for (&offset, of) in &contents.descriptors {
                let at = address(allocation, u64::from(offset));
                heaps.by_address.insert(at, descriptors.len() as u32);
                heaps.addresses.push(at);
                descriptors.push(match of {
                    Described::Buffer(buffer) => Target::Buffer(address(BUFFERS + u64::from(buffer.0), 0)),
                    Described::Image(image) => Target::Image(image.0),
                });
            }
        }
        heaps
    }

    /// Where a heap begins.
    pub fn start(&self, heap: Heap) -> Option<u64> {
        self.allocations[heap as usize].map(|allocation| address(allocation, 0))
    }

    /// The number of the descriptor that begins at an address.
    pub fn descriptor(&self, at: u64) -> Option<u32> {
        self.by_address.get(&at).copied()
    }

    /// Which heap an allocation is.
    pub fn heap(&self, allocation: u64) -> Option<Heap> {
        Heap::ALL.into_iter().find(|heap| self.allocations[*heap as usize] == Some(allocation))
    }

    /// Where the descriptor of a number lies, in words.
    pub fn place(&self, number: u32) -> Option<String> {
        let at = *self.addresses.get(number.checked_sub(self.first)? as usize)?;
        let (allocation, offset) = parts(at);
        Some(format!("{} of {}", place_in_heap(offset), self.heap(allocation)?.name()))
    }
}

/// As findings tell it: the index counts descriptors.
pub(crate) fn place_in_heap(offset: u64) -> String {
    let size = u64::from(DESCRIPTOR_SIZE);
    match offset % size {
        0 => format!("index {} (byte {offset})", offset / size),
        _ => format!("byte {offset}"),
    }
}
