//! How much shared memory a workgroup takes: the bytes of the variables themselves, and the most that a device may use for them.
//!
//! How variables are padded is the device's own affair. It uses no more than if they lay one after the other in the standard storage buffer
//! layout, booleans as 32 bits (Vulkan 1.4, "Shader Memory Access", on maxComputeSharedMemorySize).

use rustc_hash::FxHashSet;

use crate::hir::{Callee, Definition, ExprKind, FunctionId, GlobalId, Module, Packing, Storage, StructKind};
use crate::layout::LayoutContext;
use crate::symbolic::Sym;
use crate::text::TextRange;
use crate::types::{ArrayLength, Ty, TypeKind};

/// Bounds the dimensions of a shared array.
const MAX_DIMENSIONS: usize = 64;

/// What the shared variables of some functions take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedMemory {
    /// Bytes of the variables, without padding: no device does with less.
    pub least: u64,
    /// Bytes with the padding of std430: no device takes more.
    pub most: u64,
    /// Whether a variable is left out of both, because its size is not known.
    pub partial: bool,
    /// The name of the largest variable, in the expanded text. `None`: the size of none is known.
    pub largest: Option<TextRange>,
}

/// What the shared variables among `globals` take; `None` where there are none. `value` tells the length of an array.
pub fn shared_memory(
    module: &Module,
    globals: &FxHashSet<GlobalId>,
    mut value: impl FnMut(Sym) -> Option<u64>,
) -> Option<SharedMemory> {
    let mut sum = SharedMemory { least: 0, most: 0, partial: false, largest: None };
    // Blocks in shared memory lie over each other (GL_EXT_shared_memory_block).
    let mut block = (0u64, 0u64);
    let (mut largest, mut any) = (0, false);
    for (id, global) in module.globals.iter() {
        if global.storage != Storage::Shared || !globals.contains(&id) {
            continue;
        }
        any = true;
        let Some(size) = size(module, global.ty, &mut value) else {
            sum.partial = true;
            continue;
        };
        if is_block(module, global.ty) {
            block = (block.0.max(size.least), block.1.max(size.most));
        } else {
            sum.least = sum.least.saturating_add(size.least);
            let start = sum.most.checked_next_multiple_of(size.align.max(1)).unwrap_or(u64::MAX);
            sum.most = start.saturating_add(size.most);
        }
        if sum.largest.is_none() || size.least > largest {
            largest = size.least;
            sum.largest = Some(global.name_range);
        }
    }
    sum.least = sum.least.saturating_add(block.0);
    // A block may begin at any multiple of 16.
    let start =
        if block.1 > 0 { sum.most.checked_next_multiple_of(16).unwrap_or(u64::MAX) } else { sum.most };
    sum.most = start.saturating_add(block.1);
    any.then_some(sum)
}

struct Size {
    least: u64,
    most: u64,
    align: u64,
}

fn size(module: &Module, ty: Ty, value: &mut impl FnMut(Sym) -> Option<u64>) -> Option<Size> {
    let (mut element, mut count) = (ty, 1u64);
    for _ in 0..MAX_DIMENSIONS {
        let TypeKind::Array(inner, ArrayLength::Sized(length)) = *module.types.kind(element) else { break };
        count = count.checked_mul(value(length)?)?;
        element = inner;
    }
    let layout = |packing| {
        LayoutContext { types: &module.types, structs: &module.structs, packing }.type_layout(element, false)
    };
    let (tight, padded) = (layout(Packing::Scalar)?, layout(Packing::Std430)?);
    let stride = padded.size?.checked_next_multiple_of(padded.align.max(1))?;
    Some(Size {
        least: tight.size?.checked_mul(count)?,
        most: stride.checked_mul(count)?,
        align: padded.align,
    })
}

fn is_block(module: &Module, ty: Ty) -> bool {
    matches!(*module.types.kind(ty), TypeKind::Struct(structure)
        if matches!(module.structs[structure].kind, StructKind::Block { .. }))
}

/// Functions that run when an entry point does: it, what it calls, what it hands to matrix operations.
pub fn reachable(module: &Module, entry: FunctionId) -> Vec<FunctionId> {
    let mut seen = FxHashSet::from_iter([entry]);
    let mut list = vec![entry];
    let mut next = 0;
    while let Some(&id) = list.get(next) {
        next += 1;
        let Some(body) = &module.functions[id].body else { continue };
        for (_, expr) in body.exprs.iter() {
            let called = match &expr.kind {
                ExprKind::Call { callee: Callee::Function(called), .. } => *called,
                ExprKind::FunctionName { function: Some(named), .. } => *named,
                _ => continue,
            };
            if seen.insert(called) {
                list.push(called);
            }
        }
    }
    list
}

/// The globals that the functions name.
pub fn used_globals(module: &Module, functions: &[FunctionId]) -> FxHashSet<GlobalId> {
    let bodies = functions.iter().filter_map(|&id| module.functions[id].body.as_deref());
    bodies
        .flat_map(|body| &body.names)
        .filter_map(|name| match name.definition {
            Definition::Global(id) | Definition::BlockMember(id, _) => Some(id),
            _ => None,
        })
        .collect()
}
