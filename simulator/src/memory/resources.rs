//! What a dispatch reads and writes: buffers and images at their bindings, push constants.

use rustc_hash::FxHashMap;

use super::heap::{Described, HeapContents};
use super::{BUFFERS, Buffer, Heap, Image, ImageId, Sampler, address};

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
    /// Where descriptors begin in their buffers, if it is not at the first byte.
    pub(crate) begins: FxHashMap<Descriptor, u64>,
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

    /// Lets a descriptor be the whole of a buffer.
    pub fn bind(&mut self, set: u32, binding: u32, index: u32, buffer: BufferId) {
        self.bound.insert((set, binding, index), buffer);
        self.begins.remove(&(set, binding, index));
    }

    /// Lets a descriptor be a buffer from a byte on, up to its end: for hosts whose descriptors are parts of one memory that overlap.
    pub fn bind_from(&mut self, (set, binding, index): (u32, u32, u32), buffer: BufferId, offset: u64) {
        self.bound.insert((set, binding, index), buffer);
        self.begins.insert((set, binding, index), offset);
    }

    /// Nothing is bound any more. Buffers, images and what is in heaps stay, for another dispatch.
    pub fn unbind(&mut self) {
        self.bound.clear();
        self.begins.clear();
        self.bound_images.clear();
        self.samplers.clear();
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

    /// What a buffer holds now.
    pub fn bytes(&self, buffer: BufferId) -> Vec<u8> {
        self.buffers.get(buffer.0 as usize).map(Buffer::bytes).unwrap_or_default()
    }

    /// Writes over a part of a buffer, as far as it reaches: addresses of other buffers, for instance, which are known only
    /// when these have been added.
    pub fn write(&mut self, buffer: BufferId, offset: usize, bytes: &[u8]) {
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
