//! Layouts of descriptor sets, pools, sets, updates, templates.

use std::collections::BTreeMap;
use std::sync::Arc;

use ash::vk::{self, DescriptorType};
use coopmat_simulator::Sampler;

use crate::driver::Driver;
use crate::fault::Fault;

#[derive(Clone)]
pub struct LayoutBinding {
    pub kind: DescriptorType,
    /// Immutable samplers, as they were when the layout was made; none without.
    pub samplers: Vec<Sampler>,
    /// Descriptors; bytes of an inline uniform block.
    pub count: u32,
    pub variable: bool,
}

pub struct SetLayout {
    pub bindings: BTreeMap<u32, LayoutBinding>,
    pub push: bool,
}

/// What a descriptor is of.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Descriptor {
    /// Nothing was written, or VK_NULL_HANDLE.
    #[default]
    Nothing,
    /// A part of a buffer; `u64::MAX` for the rest of it.
    Buffer {
        buffer: u64,
        offset: u64,
        size: u64,
    },
    /// An inline uniform block.
    Bytes(Vec<u8>),
    /// A view of an image, with its sampler if it is of that type.
    Image {
        view: u64,
        layout: vk::ImageLayout,
        sampler: Sampling,
    },
    Sampler(Sampling),
    /// A view of a buffer.
    Texels(u64),
}

/// The sampler of a descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Sampling {
    #[default]
    None,
    By(u64),
    /// An immutable one of the layout.
    Fixed(Sampler),
}

impl Descriptor {
    /// What it is called.
    pub fn words(&self) -> &'static str {
        match self {
            Descriptor::Nothing => "nothing",
            Descriptor::Buffer { .. } => "a buffer",
            Descriptor::Bytes(_) => "an inline uniform block",
            Descriptor::Image { .. } => "an image",
            Descriptor::Sampler(_) => "a sampler",
            Descriptor::Texels(_) => "a view of a buffer",
        }
    }
}

/// The descriptors of a set, by binding.
pub type Contents = BTreeMap<u32, Vec<Descriptor>>;

pub struct Pool {
    pub sets: Vec<u64>,
    pub most: u32,
    pub may_free: bool,
}

pub struct DescriptorSet {
    pub layout: Arc<SetLayout>,
    pub contents: Contents,
    pub pool: u64,
}

/// Where a write begins, and what it writes.
#[derive(Clone)]
pub struct Write {
    pub binding: u32,
    pub element: u32,
    pub kind: DescriptorType,
    /// Descriptors to write, or a block with the bytes.
    pub descriptors: Vec<Descriptor>,
}

#[derive(Clone)]
pub struct TemplateEntry {
    pub binding: u32,
    pub element: u32,
    pub count: u32,
    pub kind: DescriptorType,
    pub offset: usize,
    pub stride: usize,
}

pub struct Template {
    pub entries: Vec<TemplateEntry>,
}

pub fn is_buffer(kind: DescriptorType) -> bool {
    matches!(
        kind,
        DescriptorType::STORAGE_BUFFER
            | DescriptorType::UNIFORM_BUFFER
            | DescriptorType::STORAGE_BUFFER_DYNAMIC
            | DescriptorType::UNIFORM_BUFFER_DYNAMIC
    )
}

pub fn is_dynamic(kind: DescriptorType) -> bool {
    matches!(kind, DescriptorType::STORAGE_BUFFER_DYNAMIC | DescriptorType::UNIFORM_BUFFER_DYNAMIC)
}

pub fn is_texels(kind: DescriptorType) -> bool {
    matches!(kind, DescriptorType::UNIFORM_TEXEL_BUFFER | DescriptorType::STORAGE_TEXEL_BUFFER)
}

impl SetLayout {
    /// Descriptors of a new set.
    pub fn empty(&self, variable: Option<u32>) -> Contents {
        let of = |binding: &LayoutBinding| match binding.kind {
            DescriptorType::INLINE_UNIFORM_BLOCK => vec![Descriptor::Bytes(vec![0; binding.count as usize])],
            DescriptorType::SAMPLER if !binding.samplers.is_empty() => {
                binding.samplers.iter().map(|one| Descriptor::Sampler(Sampling::Fixed(*one))).collect()
            }
            _ => {
                let count = variable.filter(|_| binding.variable).unwrap_or(binding.count);
                vec![Descriptor::Nothing; count as usize]
            }
        };
        self.bindings.iter().map(|(number, binding)| (*number, of(binding))).collect()
    }

    /// How many dynamic offsets a set of it takes.
    pub fn dynamic(&self) -> u32 {
        self.bindings.values().filter(|binding| is_dynamic(binding.kind)).map(|binding| binding.count).sum()
    }

    /// Writes descriptors into a set; those beyond the end of a binding go on in the next one (Vulkan, "Consecutive Binding Updates").
    pub fn write(&self, contents: &mut Contents, write: &Write) -> Result<(), Fault> {
        let mut binding = write.binding;
        let mut element = write.element as usize;
        let Some(declared) = self.bindings.get(&binding) else {
            return Err(Fault::misuse(format!("the layout of the set has no binding {binding}")));
        };
        if declared.kind != write.kind {
            return Err(Fault::misuse(format!(
                "binding {binding}: expected descriptorType {}, as the layout says, found {}",
                declared.kind.as_raw(),
                write.kind.as_raw()
            )));
        }
        if write.kind == DescriptorType::INLINE_UNIFORM_BLOCK {
            let (Some(Descriptor::Bytes(block)), Some(Descriptor::Bytes(bytes))) =
                (contents.get_mut(&binding).and_then(|list| list.first_mut()), write.descriptors.first())
            else {
                return Err(Fault::misuse(format!("binding {binding}: no bytes are given")));
            };
            return match block.get_mut(element..element + bytes.len()) {
                Some(part) => {
                    part.copy_from_slice(bytes);
                    Ok(())
                }
                None => Err(Fault::misuse(format!(
                    "binding {binding}: {} bytes from byte {element} are not inside of the block of {} bytes",
                    bytes.len(),
                    block.len()
                ))),
            };
        }
        for descriptor in &write.descriptors {
            loop {
                let Some(list) = contents.get_mut(&binding) else {
                    return Err(Fault::misuse(format!(
                        "more descriptors are written than the layout has from binding {} on",
                        write.binding
                    )));
                };
                match list.get_mut(element) {
                    Some(slot) => {
                        *slot = descriptor.clone();
                        let fixed = self.bindings.get(&binding).and_then(|known| known.samplers.get(element));
                        if let (
                            Some(fixed),
                            Descriptor::Image { sampler, .. } | Descriptor::Sampler(sampler),
                        ) = (fixed, slot)
                        {
                            *sampler = Sampling::Fixed(*fixed);
                        }
                        element += 1;
                        break;
                    }
                    None => {
                        element -= list.len().min(element);
                        binding += 1;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Driver {
    pub fn allocate_set(&mut self, pool: u64, layout: u64, variable: Option<u32>) -> Result<u64, Fault> {
        let layout = self.set_layouts.get(layout)?.clone();
        let known = self.pools.get(pool)?;
        if known.sets.len() as u32 >= known.most {
            return Err(Fault::plain(vk::Result::ERROR_OUT_OF_POOL_MEMORY));
        }
        let contents = layout.empty(variable);
        let set = self.sets.add(DescriptorSet { layout, contents, pool });
        self.pools.get_mut(pool)?.sets.push(set);
        Ok(set)
    }

    pub fn free_set(&mut self, pool: u64, set: u64) -> Result<(), Fault> {
        if set == 0 {
            return Ok(());
        }
        if self.sets.get(set)?.pool != pool {
            return Err(Fault::misuse("the descriptor set is of another pool"));
        }
        self.sets.remove(set)?;
        self.names.remove(&set);
        let pool = self.pools.get_mut(pool)?;
        pool.sets.retain(|known| *known != set);
        if !pool.may_free {
            return Err(Fault::misuse(
                "the pool was made without VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT, so single sets may not be freed",
            ));
        }
        Ok(())
    }

    pub fn reset_pool(&mut self, pool: u64) -> Result<(), Fault> {
        let sets = std::mem::take(&mut self.pools.get_mut(pool)?.sets);
        for set in sets {
            self.sets.remove(set)?;
        }
        Ok(())
    }

    pub fn destroy_pool(&mut self, pool: u64) -> Result<(), Fault> {
        if pool != 0 {
            self.reset_pool(pool)?;
            self.pools.remove(pool)?;
        }
        Ok(())
    }

    pub fn write_set(&mut self, set: u64, write: &Write) -> Result<(), Fault> {
        self.check_write(&self.sets.get(set)?.layout, write)?;
        let storage =
            matches!(write.kind, DescriptorType::STORAGE_BUFFER | DescriptorType::STORAGE_BUFFER_DYNAMIC);
        let (usage, name) = match storage {
            true => (vk::BufferUsageFlags::STORAGE_BUFFER, "STORAGE_BUFFER"),
            false => (vk::BufferUsageFlags::UNIFORM_BUFFER, "UNIFORM_BUFFER"),
        };
        for descriptor in write.descriptors.iter().filter(|_| is_buffer(write.kind)) {
            if let Descriptor::Buffer { buffer, .. } = descriptor {
                self.expect_usage("vkUpdateDescriptorSets", *buffer, usage, name);
            }
        }
        self.expect_texel_usage("vkUpdateDescriptorSets", write);
        let set = self.sets.get_mut(set)?;
        set.layout.write(&mut set.contents, write)
    }

    /// Whether what a write names exists.
    pub fn check_write(&self, layout: &SetLayout, write: &Write) -> Result<(), Fault> {
        // What is written beside an immutable sampler means nothing.
        let fixed = layout.bindings.get(&write.binding).is_some_and(|known| !known.samplers.is_empty());
        for descriptor in &write.descriptors {
            match descriptor {
                Descriptor::Buffer { buffer, .. } => drop(self.buffers.get(*buffer)?),
                Descriptor::Image { view, sampler, .. } => {
                    self.image_views.get(*view)?;
                    if let Sampling::By(sampler) = sampler
                        && !fixed
                    {
                        self.samplers.get(*sampler)?;
                    }
                }
                Descriptor::Sampler(Sampling::By(sampler)) if !fixed => drop(self.samplers.get(*sampler)?),
                Descriptor::Texels(view) => drop(self.buffer_views.get(*view)?),
                Descriptor::Nothing | Descriptor::Bytes(_) | Descriptor::Sampler(_) => {}
            }
        }
        Ok(())
    }

    /// Tells of images and buffers that were not made for the descriptors that they become.
    fn expect_texel_usage(&mut self, call: &str, write: &Write) {
        for descriptor in &write.descriptors {
            match descriptor {
                Descriptor::Image { view, .. } => {
                    let wanted = match write.kind {
                        DescriptorType::STORAGE_IMAGE => vk::ImageUsageFlags::STORAGE,
                        _ => vk::ImageUsageFlags::SAMPLED,
                    };
                    if let Ok(image) = self.image_views.get(*view).map(|view| view.image) {
                        self.expect_image_usage(call, image, wanted);
                    }
                }
                Descriptor::Texels(view) => {
                    let (usage, name) = match write.kind {
                        DescriptorType::STORAGE_TEXEL_BUFFER => {
                            (vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER, "STORAGE_TEXEL_BUFFER")
                        }
                        _ => (vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER, "UNIFORM_TEXEL_BUFFER"),
                    };
                    if let Ok(buffer) = self.buffer_views.get(*view).map(|view| view.buffer) {
                        self.expect_usage(call, buffer, usage, name);
                    }
                }
                _ => {}
            }
        }
    }

    pub fn copy_set(
        &mut self,
        (source, from, from_element): (u64, u32, u32),
        (target, to, to_element): (u64, u32, u32),
        count: u32,
    ) -> Result<(), Fault> {
        let source = self.sets.get(source)?;
        let Some(declared) = source.layout.bindings.get(&from) else {
            return Err(Fault::misuse(format!("the set that is copied from has no binding {from}")));
        };
        let kind = declared.kind;
        let list = source.contents.get(&from).map(Vec::as_slice).unwrap_or_default();
        let part = |start: usize, count: usize| list.get(start..start + count).map(<[_]>::to_vec);
        let descriptors = match (kind, list.first()) {
            (DescriptorType::INLINE_UNIFORM_BLOCK, Some(Descriptor::Bytes(bytes))) => {
                let bytes = bytes.get(from_element as usize..(from_element + count) as usize);
                bytes.map(|bytes| vec![Descriptor::Bytes(bytes.to_vec())])
            }
            _ => part(from_element as usize, count as usize),
        };
        let Some(descriptors) = descriptors else {
            return Err(Fault::misuse(format!(
                "{count} descriptors from {from_element} on are not in binding {from}, which has {}",
                list.len()
            )));
        };
        let target = self.sets.get_mut(target)?;
        let write = Write { binding: to, element: to_element, kind, descriptors };
        target.layout.write(&mut target.contents, &write)
    }
}
