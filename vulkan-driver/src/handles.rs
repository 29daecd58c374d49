//! Handles. What a program holds is a number: the place of an object in a table, the generation of that place, and the kind of object. A number
//! that was freed, was never made or is of something else is found out before anything is looked at.
//!
//! Dispatchable handles are pointers, since the loader writes a pointer of its own to the first word of what they point to. They are looked up by
//! their address, and what they point to is never freed, so that an old address is never given out again.

use std::sync::atomic::AtomicUsize;

use rustc_hash::FxHashMap;

use crate::fault::Fault;

/// What a driver writes to the first word of a dispatchable object: `ICD_LOADER_MAGIC` of the loader's interface (vk_icd.h).
const LOADER_MAGIC: usize = 0x01CD_C0DE;

/// Kinds of objects, as messages call them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Instance = 1,
    PhysicalDevice,
    Device,
    Queue,
    CommandBuffer,
    Memory,
    Buffer,
    BufferView,
    Sampler,
    SetLayout,
    Pool,
    Set,
    Template,
    PipelineLayout,
    Module,
    Cache,
    Pipeline,
    CommandPool,
    Fence,
    Semaphore,
    Event,
    QueryPool,
    PrivateData,
    Messenger,
    Image,
    ImageView,
}

impl Kind {
    const NAMES: [&str; 26] = [
        "VkInstance",
        "VkPhysicalDevice",
        "VkDevice",
        "VkQueue",
        "VkCommandBuffer",
        "VkDeviceMemory",
        "VkBuffer",
        "VkBufferView",
        "VkSampler",
        "VkDescriptorSetLayout",
        "VkDescriptorPool",
        "VkDescriptorSet",
        "VkDescriptorUpdateTemplate",
        "VkPipelineLayout",
        "VkShaderModule",
        "VkPipelineCache",
        "VkPipeline",
        "VkCommandPool",
        "VkFence",
        "VkSemaphore",
        "VkEvent",
        "VkQueryPool",
        "VkPrivateDataSlot",
        "VkDebugUtilsMessengerEXT",
        "VkImage",
        "VkImageView",
    ];

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize - 1]
    }

    fn name_of(number: u64) -> Option<&'static str> {
        Self::NAMES.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }
}

const INDEX_BITS: u32 = 32;
const GENERATION_BITS: u32 = 24;

struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

/// The objects of a kind.
pub struct Table<T> {
    kind: Kind,
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

impl<T> Table<T> {
    pub fn new(kind: Kind) -> Self {
        Table { kind, slots: Vec::new(), free: Vec::new() }
    }

    fn handle(&self, index: u32, generation: u32) -> u64 {
        u64::from(self.kind as u8) << (INDEX_BITS + GENERATION_BITS)
            | u64::from(generation) << INDEX_BITS
            | u64::from(index)
    }

    /// Adds an object, and gives its handle.
    pub fn add(&mut self, value: T) -> u64 {
        if let Some(index) = self.free.pop() {
            let slot = &mut self.slots[index as usize];
            slot.value = Some(value);
            let generation = slot.generation;
            return self.handle(index, generation);
        }
        self.slots.push(Slot { generation: 1, value: Some(value) });
        self.handle(self.slots.len() as u32 - 1, 1)
    }

    fn place(&self, handle: u64) -> Result<usize, Fault> {
        let kind = self.kind.name();
        let index = (handle & ((1 << INDEX_BITS) - 1)) as usize;
        let generation = (handle >> INDEX_BITS & ((1 << GENERATION_BITS) - 1)) as u32;
        let of = handle >> (INDEX_BITS + GENERATION_BITS);
        if handle == 0 {
            return Err(Fault::misuse(format!("expected a {kind}, found VK_NULL_HANDLE")));
        }
        if of != self.kind as u64 {
            return Err(match Kind::name_of(of) {
                Some(other) if self.generation_of(handle).is_some() || other != kind => {
                    Fault::misuse(format!("expected a {kind}, found a {other} ({handle:#x})"))
                }
                _ => Fault::misuse(format!("expected a {kind}, found {handle:#x}, which was never made")),
            });
        }
        match self.slots.get(index) {
            Some(slot) if slot.generation == generation && slot.value.is_some() => Ok(index),
            Some(slot) if generation <= slot.generation && generation > 0 => {
                Err(Fault::misuse(format!("the {kind} {handle:#x} is used after it was freed or destroyed")))
            }
            _ => Err(Fault::misuse(format!("expected a {kind}, found {handle:#x}, which was never made"))),
        }
    }

    fn generation_of(&self, handle: u64) -> Option<u32> {
        let index = (handle & ((1 << INDEX_BITS) - 1)) as usize;
        self.slots.get(index).map(|slot| slot.generation)
    }

    pub fn get(&self, handle: u64) -> Result<&T, Fault> {
        let place = self.place(handle)?;
        self.slots[place].value.as_ref().ok_or_else(|| Fault::misuse("an object is missing".to_owned()))
    }

    pub fn get_mut(&mut self, handle: u64) -> Result<&mut T, Fault> {
        let place = self.place(handle)?;
        self.slots[place].value.as_mut().ok_or_else(|| Fault::misuse("an object is missing".to_owned()))
    }

    /// Takes an object out of the table.
    pub fn remove(&mut self, handle: u64) -> Result<T, Fault> {
        let place = self.place(handle)?;
        let slot = &mut self.slots[place];
        let value = slot.value.take();
        slot.generation += 1;
        // A place whose generations are used up is not used again.
        if slot.generation < 1 << GENERATION_BITS {
            self.free.push(place as u32);
        }
        value.ok_or_else(|| Fault::misuse("an object is missing".to_owned()))
    }

    /// The same where Vulkan allows VK_NULL_HANDLE: nothing happens.
    pub fn remove_any(&mut self, handle: u64) -> Result<Option<T>, Fault> {
        if handle == 0 { Ok(None) } else { self.remove(handle).map(Some) }
    }

    /// All objects that there are.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| {
            Some((self.handle(index as u32, slot.generation), slot.value.as_ref()?))
        })
    }
}

/// The pointers that stand for dispatchable objects.
#[derive(Default)]
pub struct Pointers {
    /// Never freed: the loader may write there at any time.
    #[expect(clippy::vec_box, reason = "each word stays where it is while others are added")]
    words: Vec<Box<AtomicUsize>>,
    known: FxHashMap<u64, u64>,
}

impl Pointers {
    /// A pointer for a handle.
    pub fn add(&mut self, handle: u64) -> u64 {
        let word = Box::new(AtomicUsize::new(LOADER_MAGIC));
        let address = std::ptr::from_ref::<AtomicUsize>(&word) as u64;
        self.words.push(word);
        self.known.insert(address, handle);
        address
    }

    /// The handle that a pointer stands for: itself if it is none, which no table has.
    pub fn handle(&self, pointer: u64) -> u64 {
        self.known.get(&pointer).copied().unwrap_or(pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_that_was_freed_is_not_that_of_the_next_object() {
        let mut table = Table::new(Kind::Buffer);
        let first = table.add("first");
        assert_eq!(table.remove(first).unwrap(), "first");
        let second = table.add("second");
        assert_ne!(first, second);
        assert_eq!(*table.get(second).unwrap(), "second");
        assert!(table.get(first).unwrap_err().message.contains("after it was freed"));
        assert!(table.remove(first).unwrap_err().message.contains("after it was freed"));
    }

    #[test]
    fn what_was_never_made_is_named() {
        let mut buffers = Table::new(Kind::Buffer);
        let mut fences = Table::new(Kind::Fence);
        let (buffer, _) = (buffers.add(1), fences.add(2));
        assert!(fences.get(buffer).unwrap_err().message.contains("expected a VkFence, found a VkBuffer"));
        for wild in [3, u64::MAX, buffer + 1, buffer + (7 << 32)] {
            assert!(buffers.get(wild).unwrap_err().message.contains("never made"), "{wild:#x}");
        }
        assert!(buffers.get(0).unwrap_err().message.contains("VK_NULL_HANDLE"));
        assert!(buffers.remove_any(0).unwrap().is_none());
    }
}
