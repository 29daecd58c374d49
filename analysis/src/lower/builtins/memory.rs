//! The memory that a matrix is loaded from or stored to: where it lies, what it consists of, whether it may be accessed.

use crate::diagnostics::codes;
use crate::hir::{ExprId, ExprKind, GlobalId, MemoryQualifiers, Storage, StructId, StructKind};
use crate::lower::Lowerer;
use crate::types::{Scalar, Ty, TypeKind};

use super::matrix;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
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
pub(crate) struct MemoryPlace {
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
        Storage::Other => Memory::Unknown,
    }
}

/// Follows an l-value to the variable or the reference that it lies in.
pub(crate) fn place_of(lowerer: &Lowerer<'_>, expr: ExprId) -> MemoryPlace {
    let mut place = MemoryPlace { memory: Memory::Unknown, writeonly: false, at_start: true };
    let mut expr = expr;
    loop {
        let node = &lowerer.body.exprs[expr];
        let base = match &node.kind {
            ExprKind::Index { base, .. } => {
                place.at_start = false;
                *base
            }
            ExprKind::Convert { operand } => *operand,
            ExprKind::Member { base, structure, member } => {
                add_member(lowerer, &mut place, *structure, *member);
                *base
            }
            ExprKind::BlockMember(global, member) => {
                if let TypeKind::Struct(structure) = *lowerer.types.kind(global_type(lowerer, *global)) {
                    add_member(lowerer, &mut place, structure, *member);
                }
                add_global(lowerer, &mut place, *global);
                return place;
            }
            ExprKind::Global(global) => {
                add_global(lowerer, &mut place, *global);
                return place;
            }
            ExprKind::Local(local) => {
                let parameter = lowerer.body.locals[*local].parameter;
                place.memory = Memory::Other(if parameter { "a parameter" } else { "a local variable" });
                return place;
            }
            ExprKind::Error => return place,
            _ => {
                place.memory = Memory::Other("a value without a place in memory");
                return place;
            }
        };
        if matches!(lowerer.types.kind(lowerer.type_of(base)), TypeKind::Reference(_)) {
            place.memory = Memory::BufferReference;
            return place;
        }
        expr = base;
    }
}

fn global_type(lowerer: &Lowerer<'_>, global: GlobalId) -> Ty {
    lowerer.module.globals[global].ty
}

fn add_qualifiers(place: &mut MemoryPlace, memory: MemoryQualifiers) {
    place.writeonly |= memory.writeonly;
}

fn add_member(lowerer: &Lowerer<'_>, place: &mut MemoryPlace, structure: StructId, member: u32) {
    place.at_start &= member == 0;
    let structure = &lowerer.module.structs[structure];
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

fn add_global(lowerer: &Lowerer<'_>, place: &mut MemoryPlace, global: GlobalId) {
    let global = &lowerer.module.globals[global];
    add_qualifiers(place, global.memory);
    place.memory = of_storage(global.storage);
}

/// Checks that the array of a load or store lies in buffer or shared memory and may be read. That a store's array may be
/// written is checked with the call's other results.
pub(super) fn check_place(
    lowerer: &mut Lowerer<'_>,
    buffer: ExprId,
    function: &str,
    store: bool,
) -> MemoryPlace {
    let place = place_of(lowerer, buffer);
    let range = lowerer.range_of(buffer);
    let related = matrix::declarations(lowerer, &[buffer]);
    if let Memory::Other(what) = place.memory {
        lowerer.report_with(
            &codes::COOPMAT_MEMORY_CLASS,
            range,
            format!("`{function}` accesses buffer or shared memory, but this is {what}"),
            related,
        );
    } else if !store && place.writeonly {
        lowerer.report_with(
            &codes::COOPMAT_MEMORY_ACCESS,
            range,
            format!("`{function}` reads this memory, but it is declared `writeonly`"),
            related,
        );
    }
    place
}

/// The elements of an array in memory: their component type and how many components each has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub ty: Ty,
    pub component: Scalar,
    pub count: u32,
}

impl Element {
    /// Bytes of one element. A vector of 3 has the size of 4 in std430; it is not allowed where this matters.
    pub fn bytes(self) -> u64 {
        u64::from(self.component.bytes()) * u64::from(self.count)
    }
}

/// The element of the array that a load or store is given. What is not an array is reported; so is an element type that
/// `coopMatLoad` does not have, unless any will do.
pub(super) fn check_element(
    lowerer: &mut Lowerer<'_>,
    buffer: ExprId,
    function: &str,
    any_element: bool,
) -> Option<Element> {
    let (ty, range) = (lowerer.type_of(buffer), lowerer.range_of(buffer));
    let TypeKind::Array(element, _) = *lowerer.types.kind(ty) else {
        if !lowerer.types.is_error(ty) {
            let found = lowerer.display(ty);
            let related = matrix::declarations(lowerer, &[buffer]);
            lowerer.report_with(
                &codes::COOPMAT_MEMORY_ELEMENT,
                range,
                format!("`{function}` takes an array and an offset into it, but this is `{found}`"),
                related,
            );
        }
        return None;
    };
    if lowerer.types.is_error(element) {
        return None;
    }
    let found =
        lowerer.types.as_vector(element).map(|(component, count)| Element { ty: element, component, count });
    if any_element {
        return found;
    }
    if let Some(element) = found
        && matches!(element.count, 1 | 2 | 4)
        && element.component != Scalar::Bool
    {
        return Some(element);
    }
    let name = lowerer.display(element);
    let related = matrix::declarations(lowerer, &[buffer]);
    lowerer.report_with(
        &codes::COOPMAT_MEMORY_ELEMENT,
        range,
        format!(
            "`{function}` takes an array of numbers or of vectors of 2 or 4 numbers, but its elements are `{name}`"
        ),
        related,
    );
    None
}
