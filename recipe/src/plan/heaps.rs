//! What a recipe puts into descriptor heaps (GL_EXT_descriptor_heap, GL_EXT_structured_descriptor_heap).

use coopmat_simulator::{DESCRIPTOR_SIZE, Heap};

use super::Plan;
use crate::model::{Buffer, HeapBytes, HeapPlace, Number};
use crate::read::{Fault, Place};

/// Bytes of the largest heap.
const MOST: usize = 64 << 20;

/// Where something lies in a heap, in bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlannedHeap {
    /// The descriptor of a buffer or an image, in the resource heap.
    Descriptor(u32),
    /// The bytes themselves.
    Data(Heap, u32),
}

impl PlannedHeap {
    /// As it reads in a sentence.
    pub fn place(self) -> String {
        match self {
            PlannedHeap::Descriptor(offset) => match offset % DESCRIPTOR_SIZE {
                0 => format!("index {} of the resource heap", offset / DESCRIPTOR_SIZE),
                _ => format!("byte {offset} of the resource heap"),
            },
            PlannedHeap::Data(Heap::Resource, offset) => format!("byte {offset} of the resource heap"),
            PlannedHeap::Data(Heap::Sampler, offset) => format!("byte {offset} of the sampler heap"),
        }
    }
}

impl Plan {
    /// Where a buffer of the recipe lies in a heap, if it does.
    pub(super) fn heap_place(&self, buffer: &Buffer, place: &Place) -> Result<Option<PlannedHeap>, Fault> {
        let Some(heap) = &buffer.heap else {
            if buffer.image.is_some() {
                let message =
                    "`image` is for descriptors in a heap: for a binding, the shader says what it is";
                return Err(place.then("image").fail(message));
            }
            return Ok(None);
        };
        let at = place.then("heap");
        if buffer.set.is_some() || buffer.binding.is_some() || buffer.index.is_some() {
            return Err(at.fail("what is in a heap has no `set`, `binding` or `index`"));
        }
        let bytes = |number: &Number, size: usize| {
            let number = self.sizes.whole(number, &at)?;
            let offset = number.checked_mul(size).filter(|offset| *offset < MOST);
            let offset = offset.and_then(|offset| u32::try_from(offset).ok());
            offset.ok_or_else(|| at.fail(format!("a heap has at most {} MiB", MOST >> 20)))
        };
        let found = match heap {
            HeapPlace::Index(index) => PlannedHeap::Descriptor(bytes(index, DESCRIPTOR_SIZE as usize)?),
            HeapPlace::At(HeapBytes::Offset(offset)) => PlannedHeap::Descriptor(bytes(offset, 1)?),
            HeapPlace::At(HeapBytes::Data(offset)) => PlannedHeap::Data(Heap::Resource, bytes(offset, 1)?),
            HeapPlace::At(HeapBytes::SamplerData(offset)) => {
                PlannedHeap::Data(Heap::Sampler, bytes(offset, 1)?)
            }
        };
        let heap = match found {
            PlannedHeap::Descriptor(_) => Heap::Resource,
            PlannedHeap::Data(heap, _) => heap,
        };
        if !self.uses_heap(heap) {
            let name = if heap == Heap::Resource { "resource" } else { "sampler" };
            return Err(at.fail(format!("the shader takes nothing from the {name} heap")));
        }
        if let (PlannedHeap::Data(..), Some(_)) = (found, buffer.image) {
            return Err(place.then("image").fail("data in a heap is not an image"));
        }
        if let Some(other) = self.buffers.iter().find(|other| other.heap == Some(found)) {
            let message = format!("`{}` is at {} as well", other.name, found.place());
            return Err(at.fail(message));
        }
        Ok(Some(found))
    }

    /// Whether a shader takes something from a heap.
    pub fn uses_heap(&self, heap: Heap) -> bool {
        self.dispatches.iter().any(|dispatch| dispatch.program.interface().heaps[heap as usize])
    }

    /// Whatever the shader takes from the resource heap, the recipe has put something there.
    pub(super) fn check_heaps(&self) -> Result<(), Fault> {
        if self.uses_heap(Heap::Resource) && self.buffers.iter().all(|buffer| buffer.heap.is_none()) {
            return Err(Place::top("buffers").fail(
                "the shader takes descriptors from the resource heap, and the recipe puts nothing there: add `[[buffers]]` with `heap = 0`, the index of a descriptor",
            ));
        }
        Ok(())
    }
}
