//! Locations of inputs and outputs: how many a type takes, and which dimension of an array takes none (GLSL 4.60, section 4.4.1; Vulkan, "Location and
//! Component Assignment").

use crate::hir::{Layout, Storage, Struct, StructKind};
use crate::ids::{StructKey, Table};
use crate::stage::Stage;
use crate::types::{ArrayLength, Scalar, Ty, TypeKind, Types};

/// Structures of structures may double at each level: what has more parts takes as many locations as there are.
const MOST_PARTS: u32 = 50_000;

/// How many locations a type takes, with the default sizes of what is specialized.
pub fn count(types: &Types, structs: &Table<StructKey, Struct>, ty: Ty) -> u32 {
    let mut so_far = SoFar { left: MOST_PARTS, is_specialized: false };
    count_parts(types, structs, ty, &mut so_far).unwrap_or(u32::MAX)
}

/// How many locations a type takes; nothing if that depends on specialization constants.
pub fn fixed_count(types: &Types, structs: &Table<StructKey, Struct>, ty: Ty) -> Option<u32> {
    let mut so_far = SoFar { left: MOST_PARTS, is_specialized: false };
    let count = count_parts(types, structs, ty, &mut so_far).unwrap_or(u32::MAX);
    (!so_far.is_specialized).then_some(count)
}

struct SoFar {
    /// Parts that may still be looked at.
    left: u32,
    /// Whether a length depends on specialization constants.
    is_specialized: bool,
}

fn count_parts(types: &Types, structs: &Table<StructKey, Struct>, ty: Ty, so_far: &mut SoFar) -> Option<u32> {
    so_far.left = so_far.left.checked_sub(1)?;
    Some(match *types.kind(ty) {
        TypeKind::Vector(Scalar::Float64 | Scalar::Int64 | Scalar::Uint64, 3..) => 2,
        TypeKind::Matrix { component, columns, rows } => {
            let column = if component.bits() == 64 && rows > 2 { 2 } else { 1 };
            u32::from(columns) * column
        }
        TypeKind::Array(element, length) => {
            let count = match length {
                ArrayLength::Sized(length) => {
                    so_far.is_specialized |= types.symbols.as_int(length).is_none();
                    types.symbols.default_value(length).unwrap_or(1)
                }
                ArrayLength::Unsized => 1,
            };
            count_parts(types, structs, element, so_far)?.saturating_mul(u32::try_from(count).unwrap_or(1))
        }
        TypeKind::Struct(structure) => {
            let structure = &structs[structure];
            let of_block = match &structure.kind {
                StructKind::Block { layout, .. } => Some(layout),
                _ => None,
            };
            let mut sum: u32 = 0;
            for member in &structure.members {
                let ty = match of_block {
                    Some(layout) => of_one_view(types, member.ty, &[layout, &member.layout]),
                    None => of_one_view(types, member.ty, &[&member.layout]),
                };
                sum = sum.saturating_add(count_parts(types, structs, ty, so_far)?);
            }
            sum
        }
        _ => 1,
    })
}

/// Whether the outermost dimension of an interface variable is over the vertices, or primitives, that the stage sees together.
pub fn is_per_vertex(stage: Stage, storage: Storage, layout: &Layout) -> bool {
    let has = |words: &[&str]| layout.interface.iter().any(|word| words.contains(&word.as_str()));
    match (stage, storage) {
        (Stage::Geometry | Stage::TessControl | Stage::TessEvaluation, Storage::In)
        | (Stage::TessControl, Storage::Out) => !has(&["patch"]),
        (Stage::Mesh, Storage::Out) => true,
        (Stage::Fragment, Storage::In) => has(&["pervertexEXT", "pervertexNV"]),
        _ => false,
    }
}

/// Whether one of these has values for each view (GL_NV_mesh_shader).
pub fn is_per_view(layouts: &[&Layout]) -> bool {
    layouts.iter().any(|layout| layout.interface.iter().any(|word| word == "perviewNV"))
}

/// What has values for each view takes the locations of one (GL_NV_mesh_shader).
pub fn of_one_view(types: &Types, ty: Ty, layouts: &[&Layout]) -> Ty {
    match *types.kind(ty) {
        TypeKind::Array(element, _) if is_per_view(layouts) => element,
        _ => ty,
    }
}
