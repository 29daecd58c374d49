//! What a type is made of.

use rustc_hash::FxHashSet;

use crate::ids::{StructId, StructKey, Table};
use crate::types::{Ty, TypeKind, Types};

use super::Struct;

/// What `look` finds first in a type, in what its arrays have for elements, and in the members of its structures, in the order of their declaration.
///
/// Each structure is taken apart once: one that is a member twice, in another that is a member twice, and so on, would have no end.
pub fn find_part<T>(
    types: &Types,
    structs: &Table<StructKey, Struct>,
    ty: Ty,
    mut look: impl FnMut(Ty) -> Option<T>,
) -> Option<T> {
    let mut seen: FxHashSet<StructId> = FxHashSet::default();
    let mut left = vec![ty];
    while let Some(ty) = left.pop() {
        if let Some(found) = look(ty) {
            return Some(found);
        }
        match *types.kind(ty) {
            TypeKind::Array(element, _) => left.push(element),
            TypeKind::Struct(structure) if seen.insert(structure) => {
                left.extend(structs[structure].members.iter().rev().map(|member| member.ty));
            }
            _ => {}
        }
    }
    None
}

/// Whether a type is, or is made of, something that `is_it` says of.
pub fn has_part(
    types: &Types,
    structs: &Table<StructKey, Struct>,
    ty: Ty,
    mut is_it: impl FnMut(Ty) -> bool,
) -> bool {
    find_part(types, structs, ty, |part| is_it(part).then_some(())).is_some()
}
