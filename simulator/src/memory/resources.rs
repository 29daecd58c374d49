//! What a dispatch reads and writes: buffers and images at their bindings, push constants.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::heap::{Described, HeapContents};
use super::{BUFFERS, Buffer, Heap, Image, ImageId, Part, Sampler, address};

/// A buffer of some [`Resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub(crate) u32);

/// A descriptor: set, binding, index in the array of descriptors.
type Descriptor = (u32, u32, u32);

/// What a dispatch reads and writes.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) bound: FxHashMap<Descriptor, BufferId>,
    pub(crate) images: Vec<Image>,
    pub(crate) bound_images: FxHashMap<Descriptor, ImageId>,
    pub(crate) samplers: FxHashMap<Descriptor, Sampler>,
    pub(crate) push_constants: Vec<u8>,
    /// By [`Heap`].
    pub(crate) heaps: [HeapContents; 2],
}

impl Resources {
    /// Nothing: no buffers, no images, no push constants.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a buffer with these contents.
    pub fn buffer(&mut self, bytes: &[u8]) -> BufferId {
        self.buffers.push(Buffer::new(bytes));
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// Adds a buffer that is a [`Resources::set_part`] of another.
    pub fn part(&mut self, of: BufferId, bytes: Range<u64>) -> BufferId {
        let part = self.buffer(&[]);
        self.set_part(part, of, bytes);
        part
    }

    /// Makes a buffer these bytes of another one, for descriptors and addresses that are of one memory: what is written to the one, the other holds, and
    /// accesses outside of the part are outside. It begins at a multiple of 4 bytes, otherwise at the one before, and ends with the other buffer.
    pub fn set_part(&mut self, buffer: BufferId, of: BufferId, bytes: Range<u64>) {
        let (of, before) = self.whole(of);
        let (start, end) = (bytes.start.saturating_add(before), bytes.end.saturating_add(before));
        let end = end.min(self.size(of));
        let start = start.min(end) / 4 * 4;
        if let Some(slot) = self.buffers.get_mut(buffer.0 as usize).filter(|_| buffer != of) {
            *slot = Buffer::part(Part { of: of.0, first: (start / 4) as usize }, end - start);
        }
    }

    /// The buffer that a part is of, and the byte that it begins at; of other buffers themselves.
    pub fn whole(&self, buffer: BufferId) -> (BufferId, u64) {
        match self.buffers.get(buffer.0 as usize).and_then(Buffer::part_of) {
            Some(Part { of, first }) => (BufferId(of), first as u64 * 4),
            None => (buffer, 0),
        }
    }

    /// Gives a buffer other contents, of whatever size. Parts of it have to be made anew.
    pub fn set_bytes(&mut self, buffer: BufferId, bytes: &[u8]) {
        if let Some(slot) = self.buffers.get_mut(buffer.0 as usize) {
            *slot = Buffer::new(bytes);
        }
    }

    /// Lets a descriptor be the whole of a buffer.
    pub fn bind(&mut self, set: u32, binding: u32, index: u32, buffer: BufferId) {
        self.bound.insert((set, binding, index), buffer);
    }

    /// Nothing is bound any more, and parts of buffers that were added last are gone. Buffers, images and what is in heaps stay, for another dispatch.
    pub fn unbind(&mut self) {
        self.bound.clear();
        self.bound_images.clear();
        self.samplers.clear();
        while self.buffers.pop_if(|last| last.part_of().is_some()).is_some() {}
    }

    /// Adds an image with these contents.
    pub fn image(&mut self, image: Image) -> ImageId {
        self.images.push(image);
        ImageId(self.images.len() as u32 - 1)
    }

    /// Lets a descriptor be an image: set, binding, index in the array of descriptors.
    pub fn bind_image(&mut self, set: u32, binding: u32, index: u32, image: ImageId) {
        self.bound_images.insert((set, binding, index), image);
    }

    /// Lets a descriptor of a sampler, or of an image with its sampler, sample so. Without that the nearest texel is taken, and the one at the edge
    /// outside.
    pub fn bind_sampler(&mut self, set: u32, binding: u32, index: u32, sampler: Sampler) {
        self.samplers.insert((set, binding, index), sampler);
    }

    /// Puts the descriptor of a buffer into the resource heap, so many bytes from its start.
    pub fn describe(&mut self, offset: u32, buffer: BufferId) {
        self.heaps[Heap::Resource as usize].describe(offset, Described::Buffer(buffer));
    }

    /// The same for an image.
    pub fn describe_image(&mut self, offset: u32, image: ImageId) {
        self.heaps[Heap::Resource as usize].describe(offset, Described::Image(image));
    }

    /// Writes data into a heap, which grows as is needed.
    pub fn write_heap(&mut self, heap: Heap, offset: usize, bytes: &[u8]) {
        self.heaps[heap as usize].write(offset, bytes);
    }

    /// Replaces the push constants; a program says in its [`crate::Interface`] how many bytes it takes.
    pub fn push_constants(&mut self, bytes: &[u8]) {
        self.push_constants = bytes.to_vec();
    }

    /// The device address of a buffer, to be placed into push constants or other buffers.
    pub fn address(&self, buffer: BufferId) -> u64 {
        address(BUFFERS + u64::from(buffer.0), 0)
    }

    /// The bytes of a buffer.
    pub fn size(&self, buffer: BufferId) -> u64 {
        self.buffers.get(buffer.0 as usize).map_or(0, Buffer::size)
    }

    /// What a buffer holds now.
    pub fn bytes(&self, buffer: BufferId) -> Vec<u8> {
        let size = self.size(buffer) as usize;
        let (whole, first) = self.whole(buffer);
        let mut bytes = self.buffers.get(whole.0 as usize).map(Buffer::bytes).unwrap_or_default();
        bytes.drain(..(first as usize).min(bytes.len()));
        bytes.truncate(size);
        bytes
    }

    /// Writes over a part of a buffer, as far as it reaches: addresses of other buffers, for instance, which are known only
    /// when these have been added.
    pub fn write(&mut self, buffer: BufferId, offset: usize, bytes: &[u8]) {
        let (buffer, first) = self.whole(buffer);
        let offset = offset + first as usize;
        if let Some(slot) = self.buffers.get_mut(buffer.0 as usize) {
            let mut all = slot.bytes();
            for (old, new) in all.iter_mut().skip(offset).zip(bytes) {
                *old = *new;
            }
            *slot = Buffer::new(&all);
        }
    }

    /// An image as it is now.
    pub fn image_of(&self, image: ImageId) -> Option<&Image> {
        self.images.get(image.0 as usize)
    }
}
