//! What a shader wants to be given, by the names that it has for it.

use coopmat_simulator::numerics::Format;
use coopmat_simulator::program::types::{Type, TypeId, Types};
use coopmat_simulator::program::{Binding, Program};

use crate::component::Component;

/// Deeper structures, and more members, are not named one by one.
const DEEPEST: usize = 8;
const MOST: usize = 4096;

/// A member of a block that holds numbers: one, or several of the same type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// With the structures that it is in: `params.scale`.
    pub name: String,
    /// Bytes from the start of the block.
    pub offset: usize,
    /// What one number is.
    pub kind: LeafKind,
    /// Numbers: components of a vector, elements of an array.
    pub count: usize,
    /// Bytes from one to the next.
    pub stride: usize,
}

/// What a member holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    /// Numbers.
    Number(Component),
    /// Addresses of buffers.
    Address,
}

impl LeafKind {
    /// Bytes of one.
    pub fn size(self) -> usize {
        match self {
            LeafKind::Number(component) => component.size(),
            LeafKind::Address => 8,
        }
    }

    /// As recipes write a number's type; `address` of an address.
    pub fn name(self) -> &'static str {
        match self {
            LeafKind::Number(component) => component.name(),
            LeafKind::Address => "address",
        }
    }
}

/// The members of a block, in the order of their declaration; arrays of unknown length are left out.
pub fn leaves(types: &Types, id: TypeId) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    add_leaves(types, id, "", 0, 0, &mut leaves);
    leaves
}

fn add_leaves(types: &Types, id: TypeId, name: &str, offset: usize, depth: usize, leaves: &mut Vec<Leaf>) {
    if depth > DEEPEST || leaves.len() >= MOST {
        return;
    }
    let mut leaf = |kind: LeafKind, count: usize, stride: usize| {
        leaves.push(Leaf { name: name.to_owned(), offset, kind, count, stride });
    };
    match types.get(id) {
        Type::Structure { members, .. } => {
            for (number, member) in members.iter().enumerate() {
                let own = member.name.clone().unwrap_or_else(|| format!("member{number}"));
                let path = if name.is_empty() { own } else { format!("{name}.{own}") };
                add_leaves(types, member.type_, &path, offset + member.offset as usize, depth + 1, leaves);
            }
        }
        Type::Array { element, length, stride } => {
            let step = stride.map(|stride| stride as usize);
            match scalar(types, *element) {
                Some(kind) => leaf(kind, *length as usize, step.unwrap_or(kind.size())),
                None => {
                    let Some(step) = step else { return };
                    for index in 0..(*length as usize).min(MOST) {
                        add_leaves(
                            types,
                            *element,
                            &format!("{name}[{index}]"),
                            offset + index * step,
                            depth + 1,
                            leaves,
                        );
                    }
                }
            }
        }
        Type::Vector { component, count } => {
            if let Some(kind) = scalar(types, *component) {
                leaf(kind, *count as usize, kind.size());
            }
        }
        _ => {
            if let Some(kind) = scalar(types, id) {
                leaf(kind, 1, kind.size());
            }
        }
    }
}

fn scalar(types: &Types, id: TypeId) -> Option<LeafKind> {
    Some(match types.get(id) {
        Type::Pointer { .. } => LeafKind::Address,
        other => LeafKind::Number(component(other)?),
    })
}

/// The component type of a scalar, where recipes know it.
pub fn component(scalar: &Type) -> Option<Component> {
    Some(match scalar {
        Type::Bool => Component::U32,
        Type::Integer { width, signed } => match (width, signed) {
            (8, true) => Component::S8,
            (8, false) => Component::U8,
            (16, true) => Component::S16,
            (16, false) => Component::U16,
            (32, true) => Component::S32,
            (32, false) => Component::U32,
            (64, true) => Component::S64,
            (64, false) => Component::U64,
            _ => return None,
        },
        Type::Float(format) => match format {
            Format::F64 => Component::F64,
            Format::F32 => Component::F32,
            Format::F16 => Component::F16,
            Format::BF16 => Component::Bf16,
            Format::E4M3 => Component::E4m3,
            Format::E5M2 => Component::E5m2,
            Format::E2M3 | Format::E3M2 | Format::E2M1 | Format::UE8M0 | Format::MxInt8 => return None,
        },
        _ => return None,
    })
}

/// What the elements of a buffer are, when they are all of one type.
pub fn element(types: &Types, id: TypeId) -> Option<Component> {
    let mut found = None;
    same_element(types, id, 0, &mut found).then_some(found)?
}

fn same_element(types: &Types, id: TypeId, depth: usize, found: &mut Option<Component>) -> bool {
    if depth > DEEPEST {
        return false;
    }
    match types.get(id) {
        Type::Structure { members, .. } => {
            members.iter().all(|member| same_element(types, member.type_, depth + 1, found))
        }
        Type::Array { element: part, .. }
        | Type::RuntimeArray { element: part, .. }
        | Type::Vector { component: part, .. }
        | Type::Matrix { column: part, .. } => same_element(types, *part, depth + 1, found),
        other => match (component(other), *found) {
            (Some(component), None) => {
                *found = Some(component);
                true
            }
            (Some(component), Some(before)) => component == before,
            (None, _) => false,
        },
    }
}

/// The names by which a recipe may call a binding: the variable's or block's, and that of its first member.
pub fn names<'p>(program: &'p Program, binding: &'p Binding) -> impl Iterator<Item = &'p str> {
    let members = match program.types().get(binding.type_) {
        Type::Structure { members, .. } => members.first().and_then(|member| member.name.as_deref()),
        _ => None,
    };
    std::iter::once(binding.name.as_str()).chain(members)
}

/// Whether a block ends with an array of unknown length.
pub fn is_open(types: &Types, id: TypeId) -> bool {
    match types.get(id) {
        Type::Structure { members, .. } => {
            members.last().is_some_and(|member| matches!(types.get(member.type_), Type::RuntimeArray { .. }))
        }
        _ => false,
    }
}
