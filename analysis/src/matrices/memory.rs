//! The memory that an l-value lies in: which kind it is, and whether it may be read.

use crate::hir::{Body, ExprId, ExprKind, GlobalId, MemoryQualifiers, Module, Storage, StructId, StructKind};
use crate::types::{TypeKind, Types};

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    StorageBuffer,
    BufferReference,
    Shared,
    /// Something else, which the message names.
    Other(&'static str),
    /// An error that is already reported, or a storage of which nothing is known.
    Unknown,
}

/// Where an array lies.
#[derive(Clone, Copy, Debug)]
pub struct MemoryPlace {
    pub memory: Memory,
    pub writeonly: bool,
    /// Whether it is the very first thing of its block, so that it has the alignment of the descriptor.
    pub at_start: bool,
}

fn of_storage(storage: Storage) -> Memory {
    match storage {
        Storage::Buffer => Memory::StorageBuffer,
        Storage::Shared => Memory::Shared,
        Storage::Private => Memory::Other("a private global variable"),
        Storage::Const => Memory::Other("a constant"),
        Storage::In => Memory::Other("a shader input"),
        Storage::Out => Memory::Other("a shader output"),
        Storage::Uniform => Memory::Other("a uniform block"),
        Storage::PushConstant => Memory::Other("a push constant"),
        Storage::ResourceHeap | Storage::SamplerHeap => Memory::Other("a descriptor heap"),
        Storage::Other => Memory::Unknown,
    }
}

/// Follows an l-value to the variable or the reference that it lies in.
pub fn place_of(module: &Module, types: &Types, body: &Body, expr: ExprId) -> MemoryPlace {
    let mut place = MemoryPlace { memory: Memory::Unknown, writeonly: false, at_start: true };
    let mut expr = expr;
    loop {
        let node = &body.exprs[expr];
        let base = match &node.kind {
            ExprKind::Index { base, .. } => {
                place.at_start = false;
                *base
            }
            ExprKind::Convert { operand } => *operand,
            ExprKind::Swizzle { base, .. } => {
                place.at_start = false;
                *base
            }
            ExprKind::Member { base, structure, member } => {
                add_member(module, &mut place, *structure, *member);
                *base
            }
            ExprKind::BlockMember(global, member) => {
                if let TypeKind::Struct(structure) = *types.kind(module.globals[*global].ty) {
                    add_member(module, &mut place, structure, *member);
                }
                add_global(module, &mut place, *global);
                return place;
            }
            ExprKind::Global(global) => {
                add_global(module, &mut place, *global);
                return place;
            }
            ExprKind::Local(local) => {
                let parameter = body.locals[*local].parameter;
                place.memory = Memory::Other(if parameter { "a parameter" } else { "a local variable" });
                return place;
            }
            ExprKind::Error => return place,
            _ => {
                place.memory = Memory::Other("a value without a place in memory");
                return place;
            }
        };
        match *types.kind(body.exprs[base].ty) {
            TypeKind::Reference(_) => {
                place.memory = Memory::BufferReference;
                return place;
            }
            TypeKind::Struct(structure) => {
                if let Some(storage) = module.structs[structure].buffer_type() {
                    place.memory = of_storage(storage);
                    return place;
                }
            }
            _ => {}
        }
        expr = base;
    }
}

fn add_qualifiers(place: &mut MemoryPlace, memory: MemoryQualifiers) {
    place.writeonly |= memory.writeonly;
}

fn add_member(module: &Module, place: &mut MemoryPlace, structure: StructId, member: u32) {
    place.at_start &= member == 0;
    let structure = &module.structs[structure];
    if let Some(member) = structure.members.get(member as usize) {
        add_qualifiers(place, member.memory);
        place.at_start &= member.layout.offset.is_none_or(|offset| offset == 0);
    }
    match &structure.kind {
        StructKind::Block { memory, .. } | StructKind::Reference { memory, .. } => {
            add_qualifiers(place, *memory);
        }
        StructKind::Plain => {}
    }
}

fn add_global(module: &Module, place: &mut MemoryPlace, global: GlobalId) {
    let global = &module.globals[global];
    add_qualifiers(place, global.memory);
    place.memory = of_storage(global.storage);
}
