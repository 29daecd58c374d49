//! Places in memory as the source calls them: the variable of shared memory and the index in it, the buffer, the block that an address is
//! taken for.

use crate::machine::Context;
use crate::memory::{BUFFERS, IMAGES, PUSH_CONSTANTS, SHARED, Target, described, parts};
use crate::program::SharedVariable;
use crate::program::types::{MatrixLayout, Type, TypeId, Types};

/// How deep a path goes.
const DEPTH: u32 = 8;

/// The part of a value that a byte belongs to: `[3][17]`, `.scale`.
fn path(types: &Types, type_: TypeId, matrix: MatrixLayout, offset: u64, depth: u32) -> String {
    if depth == 0 {
        return String::new();
    }
    match types.get(type_) {
        Type::Array { element, .. } | Type::RuntimeArray { element, .. } => {
            let stride = types.stride(type_, matrix).max(1);
            let inside = path(types, *element, matrix, offset % stride, depth - 1);
            format!("[{}]{inside}", offset / stride)
        }
        Type::Vector { component, .. } => {
            let size = types.size(*component, matrix).max(1);
            format!("[{}]", offset / size)
        }
        Type::Structure { members, .. } => {
            let ends = |member: &crate::program::types::Member| {
                u64::from(member.offset) + types.size(member.type_, member.matrix)
            };
            let found =
                members.iter().find(|member| u64::from(member.offset) <= offset && offset < ends(member));
            match found {
                Some(member) => {
                    let inside = offset - u64::from(member.offset);
                    let inside = path(types, member.type_, member.matrix, inside, depth - 1);
                    match &member.name {
                        Some(name) => format!(".{name}{inside}"),
                        None => String::new(),
                    }
                }
                None => String::new(),
            }
        }
        _ => String::new(),
    }
}

impl Context<'_, '_> {
    /// What an allocation is called.
    pub(crate) fn allocation_name(&self, allocation: u64) -> String {
        match allocation {
            SHARED => return "shared memory".to_owned(),
            PUSH_CONSTANTS => return "the push constants".to_owned(),
            _ => {}
        }
        if let Some(heap) = self.env.heaps.heap(allocation) {
            return heap.name().to_owned();
        }
        let program = self.env.program;
        let descriptors = self.env.descriptors;
        let (noun, found) = match allocation.checked_sub(IMAGES) {
            Some(image) => {
                ("image", descriptors.iter().position(|target| *target == Target::Image(image as u32)))
            }
            None => {
                let address = crate::memory::address(allocation, 0);
                ("buffer", described(descriptors, self.env.memory.buffers, address))
            }
        };
        let name = found.and_then(|index| program.descriptors.get(index)).and_then(|&(set, binding, _)| {
            let bindings = &program.interface.bindings;
            bindings.iter().find(|known| (known.set, known.binding) == (set, binding))
        });
        if let (None, Some(place)) = (&name, found.and_then(|number| self.env.heaps.place(number as u32))) {
            return format!("the {noun} at {place}");
        }
        match name {
            Some(binding) if !binding.name.is_empty() => format!("{noun} {}", binding.name),
            Some(binding) => format!("the {noun} at set {}, binding {}", binding.set, binding.binding),
            None if allocation >= IMAGES => format!("image {}", allocation - IMAGES),
            None if allocation >= BUFFERS => {
                let number = allocation - BUFFERS;
                match program.reference_blocks.get(&self.origin) {
                    Some(block) => format!("buffer {number}, a block `{block}`"),
                    None => format!("buffer {number}"),
                }
            }
            None => "no memory".to_owned(),
        }
    }

    /// The variables of shared memory that a byte belongs to: several where blocks share their memory.
    pub(super) fn shared_variables(&self, offset: u64) -> impl Iterator<Item = &SharedVariable> {
        let variables = self.env.program.shared_variables.iter();
        variables
            .filter(move |variable| variable.offset <= offset && offset - variable.offset < variable.size)
    }

    /// An offset, and what it is one of.
    pub(super) fn offset_of(&self, address: u64) -> String {
        let (allocation, offset) = parts(address);
        let name = self.allocation_name(allocation);
        match self.shared_name(address) {
            Some(place) => format!("offset {offset} of {name} ({place})"),
            None => format!("offset {offset} of {name}"),
        }
    }

    /// A place: the variable and its part where they have a name, otherwise an offset.
    pub(super) fn place_name(&self, address: u64) -> String {
        if parts(address).0 >= IMAGES {
            return self.texel_name(address);
        }
        self.shared_name(address).unwrap_or_else(|| self.offset_of(address))
    }

    /// A texel, by its coordinates and the name of its image.
    fn texel_name(&self, address: u64) -> String {
        let (allocation, index) = parts(address);
        let image = self.env.images.get((allocation - IMAGES) as usize);
        let (level, at) = image.map_or((0, [0; 3]), |image| image.place(index));
        let at = super::images::coordinates(image, level, at);
        format!("texel {at} of {}", self.allocation_name(allocation))
    }

    fn shared_name(&self, address: u64) -> Option<String> {
        let (SHARED, offset) = parts(address) else { return None };
        let variable = self.shared_variables(offset).next()?;
        let inside = offset - variable.offset;
        let types = &self.env.program.types;
        let path = path(types, variable.type_, MatrixLayout::default(), inside, DEPTH);
        // The members of a block without a name of its own are known by their own names.
        match (variable.name.as_str(), path.strip_prefix('.')) {
            ("", Some(member)) => Some(format!("`{member}`")),
            ("", None) => None,
            (name, _) => Some(format!("`{name}{path}`")),
        }
    }
}
