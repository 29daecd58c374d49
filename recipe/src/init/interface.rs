//! What the interface of a shader asks for, with nothing known of what the shader does.

use std::collections::{BTreeMap, BTreeSet};

use coopmat_simulator::program::types::{Type, TypeId, Types};
use coopmat_simulator::{BindingKind, Heap, Program};

use super::values::Path;
use crate::blocks::{BlockFormat, UNSUPPORTED};
use crate::component::Component;
use crate::interface::{Leaf, LeafKind, component, element, leaves};
use crate::model::{
    Address, Buffer, ElementType, Field, FieldValue, Fields, Fill, HeapPlace, Integers, Number, Recipe,
    Uniform,
};

/// Elements of a buffer whose length the shader leaves open.
pub const OPEN: i64 = 4096;

/// Texels of an image in each direction.
const SIDE: i64 = 16;

/// Members that are given a value one by one.
const MOST: usize = 64;

/// A member of the push constants that is one number, a part of a vector, or an address.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub path: Path,
    /// As recipes call it: parts of a vector have the vector's name.
    pub name: String,
    /// None of addresses.
    pub component: Option<Component>,
    /// What an address leads to.
    pub behind: Option<TypeId>,
}

/// The members of the push constants, without those in arrays.
pub fn members(program: &Program) -> Vec<Member> {
    let mut members = Vec::new();
    if let Some((_, id)) = program.interface().push_constants {
        add_members(program.types(), id, &mut Vec::new(), "", &mut members);
    }
    members
}

fn add_members(types: &Types, id: TypeId, path: &mut Path, name: &str, members: &mut Vec<Member>) {
    if path.len() > 8 || members.len() >= MOST {
        return;
    }
    let mut add = |path: &Path, component: Option<Component>, behind: Option<TypeId>| {
        members.push(Member { path: path.clone(), name: name.to_owned(), component, behind });
    };
    match types.get(id) {
        Type::Structure { members: parts, .. } => {
            for (number, part) in (0u32..).zip(parts) {
                let own = part.name.clone().unwrap_or_else(|| format!("member{number}"));
                path.push(number);
                let inside = if name.is_empty() { own } else { format!("{name}.{own}") };
                add_members(types, part.type_, path, &inside, members);
                path.pop();
            }
        }
        Type::Vector { component: part, count } => {
            for number in 0..*count {
                path.push(number);
                add(path, component(types.get(*part)), None);
                path.pop();
            }
        }
        Type::Pointer { pointee, .. } => add(path, None, *pointee),
        scalar => {
            if let Some(component) = component(scalar) {
                add(path, Some(component), None);
            }
        }
    }
}

/// The end of the name of a buffer behind an address.
pub fn behind(path: &Path) -> String {
    let indices: Vec<String> = path.iter().map(u32::to_string).collect();
    format!("_at_{}", indices.join("_"))
}

/// What the elements of a buffer are, where they are all the same: numbers, or blocks of ggml by their size.
pub fn element_of(types: &Types, id: TypeId) -> Option<ElementType> {
    let numbers = element(types, id);
    // Bytes may be those of blocks: of mxfp4, all of them are.
    let block = blocks(types, id).filter(|_| numbers.is_none_or(|it| it == Component::U8));
    block.map(ElementType::Block).or_else(|| numbers.map(ElementType::Component))
}

/// The format of blocks whose structure is an array's only element.
fn blocks(types: &Types, id: TypeId) -> Option<BlockFormat> {
    let Type::Structure { members, .. } = types.get(id) else { return None };
    let [only] = members.as_slice() else { return None };
    let Type::RuntimeArray { element, stride: Some(stride) } = types.get(only.type_) else { return None };
    matches!(types.get(*element), Type::Structure { .. }).then_some(())?;
    // Every block has scales or steps of fewer than 32 bits.
    let is_small = |leaf: &Leaf| matches!(leaf.kind, LeafKind::Number(component) if component.size() < 4);
    leaves(types, *element).iter().any(is_small).then_some(())?;
    BlockFormat::ALL.into_iter().find(|format| format.bytes() == *stride as usize)
}

/// What is not known of blocks of which only the size is known.
pub fn other_formats(format: BlockFormat) -> String {
    let same = BlockFormat::ALL.iter().filter(|it| it.bytes() == format.bytes()).map(|it| it.name());
    let unsupported = UNSUPPORTED.iter().filter(|(_, bytes)| *bytes == format.bytes()).map(|(name, _)| *name);
    let same: Vec<&str> = same.chain(unsupported).collect();
    format!("whether these blocks of {} bytes are {}", format.bytes(), same.join(" or "))
}

/// Random numbers that suit a type.
pub fn fill(element: ElementType, seed: u64) -> Fill {
    match element {
        ElementType::Component(component) if component.is_integer() => {
            let (low, high) = if component.is_signed() { (-8, 7) } else { (0, 15) };
            Fill::Integers(Integers { seed, low, high })
        }
        _ => Fill::Uniform(Uniform { seed, low: Number::Integer(-1), high: Number::Integer(1) }),
    }
}

/// A recipe that runs: one workgroup, buffers that the shader only reads full of random numbers, zeros in the others.
pub fn derived(program: &Program) -> Recipe {
    described(program).0
}

/// The same, with what is not known of buffers by their names.
pub fn described(program: &Program) -> (Recipe, BTreeMap<String, Vec<String>>) {
    let types = program.types();
    let mut recipe = Recipe { dispatch: vec![Number::Integer(1); 3], ..Recipe::default() };
    let mut notes = BTreeMap::new();
    let mut bindings: Vec<_> = program.interface().bindings.iter().collect();
    bindings.sort_by_key(|binding| (binding.set, binding.binding));
    for binding in bindings {
        let taken =
            |buffer: &Buffer| (buffer.set, buffer.binding) == (Some(binding.set), Some(binding.binding));
        if recipe.buffers.iter().any(taken) {
            continue;
        }
        match binding.kind {
            BindingKind::StorageBuffer
            | BindingKind::UniformBuffer
            | BindingKind::StorageImage
            | BindingKind::SampledImage => {}
            BindingKind::Sampler => continue,
        }
        let mut name = binding.name.clone();
        if name.is_empty() || recipe.buffers.iter().any(|buffer| buffer.name == name) {
            name = format!("buffer{}_{}", binding.set, binding.binding);
        }
        let mut buffer =
            Buffer { name, set: Some(binding.set), binding: Some(binding.binding), ..Buffer::default() };
        if let (Some(component), Some(directions)) =
            (crate::plan::channel(program, binding), crate::plan::directions(program, binding))
        {
            // A small image with all channels.
            buffer.element = Some(ElementType::Component(component));
            buffer.shape = vec![Number::Integer(SIDE); directions];
            buffer.shape.push(Number::Integer(4));
            if binding.readonly || binding.kind == BindingKind::SampledImage {
                let seed = u64::from(binding.binding) + 1;
                let (low, high) = (Number::Integer(0), Number::Integer(1));
                buffer.fill = Some(match component.is_integer() {
                    true => fill(ElementType::Component(component), seed),
                    false => Fill::Uniform(Uniform { seed, low, high }),
                });
            }
        } else {
            let unknown = describe(types, binding.type_, &mut buffer, binding.size, true);
            notes.entry(buffer.name.clone()).or_insert_with(Vec::new).extend(unknown);
            if let Some(element) = buffer.element.filter(|_| binding.readonly && !buffer.shape.is_empty())
                && (element != ElementType::Component(Component::U8)
                    || element_of(types, binding.type_).is_some())
            {
                buffer.fill = Some(fill(element, u64::from(binding.binding) + 1));
            }
        }
        recipe.buffers.push(buffer);
    }
    if program.interface().heaps[Heap::Resource as usize] {
        // What lies where, only the host knows.
        recipe.buffers.push(Buffer {
            name: "heap0".to_owned(),
            heap: Some(HeapPlace::Index(Number::Integer(0))),
            element: Some(ElementType::Component(Component::F32)),
            shape: vec![Number::Integer(OPEN)],
            ..Buffer::default()
        });
    }
    let Some((_, id)) = program.interface().push_constants else { return (recipe, notes) };
    let mut fields = BTreeMap::new();
    for leaf in leaves(types, id) {
        if let LeafKind::Number(_) = leaf.kind {
            fields.insert(leaf.name, FieldValue::One(Number::Integer(1)));
        }
    }
    let mut seen = BTreeSet::new();
    for member in members(program).into_iter().filter(|member| member.component.is_none()) {
        let name = format!("{}{}", member.name.replace(['.', '[', ']'], "_"), behind(&member.path));
        if !seen.insert(name.clone()) {
            continue;
        }
        let mut buffer = Buffer { name: name.clone(), ..Buffer::default() };
        let unknown = match member.behind {
            Some(type_) => describe(types, type_, &mut buffer, 0, false),
            None => Some("what this address leads to".to_owned()),
        };
        if buffer.element.is_none() && buffer.fields.is_none() {
            bytes(&mut buffer, OPEN);
        }
        notes.entry(name.clone()).or_insert_with(Vec::new).extend(unknown);
        recipe.buffers.push(buffer);
        fields.insert(member.name, FieldValue::Address(Address { address: name, plus: 0 }));
    }
    recipe.push_constants = Some(Fields::Named(fields));
    (recipe, notes)
}

fn bytes(buffer: &mut Buffer, count: i64) {
    buffer.element = Some(ElementType::Component(Component::U8));
    buffer.shape = vec![Number::Integer(count)];
}

/// Elements, blocks or members, as a type declares them; and what is not known. `named`: whether recipes may call members by their names.
fn describe(types: &Types, id: TypeId, buffer: &mut Buffer, size: u64, named: bool) -> Option<String> {
    let size = i64::try_from(size).unwrap_or(0);
    let last = match types.get(id) {
        Type::Structure { members, .. } => members.last(),
        _ => None,
    };
    let open = last.and_then(|last| match types.get(last.type_) {
        Type::RuntimeArray { element, stride } => Some((last.offset, *element, *stride)),
        _ => None,
    });
    let known = element_of(types, id);
    if let Some(ElementType::Component(component)) = known {
        let sized = size / component.size() as i64;
        buffer.element = Some(ElementType::Component(component));
        let length = match open {
            Some(_) => sized.max(OPEN),
            None => sized.max(i64::from(size == 0) * OPEN),
        };
        buffer.shape = vec![Number::Integer(length)];
        return None;
    }
    if let Some(ElementType::Block(format)) = known {
        buffer.element = Some(ElementType::Block(format));
        buffer.shape = vec![Number::Integer(OPEN)];
        return Some(other_formats(format));
    }
    let leaves = leaves(types, id);
    if leaves.len() <= MOST && !leaves.is_empty() {
        let one = Number::Integer(1);
        buffer.fields = Some(if named {
            Fields::Named(
                leaves.iter().map(|leaf| (leaf.name.clone(), FieldValue::One(one.clone()))).collect(),
            )
        } else {
            let mut list = Vec::new();
            for leaf in &leaves {
                let LeafKind::Number(component) = leaf.kind else { continue };
                for index in 0..leaf.count.min(MOST) {
                    let offset = u32::try_from(leaf.offset + index * leaf.stride).ok();
                    list.push(Field {
                        component: Some(component),
                        value: FieldValue::One(one.clone()),
                        offset,
                    });
                }
            }
            Fields::Listed(list)
        });
        if leaves.iter().any(|leaf| leaf.kind == LeafKind::Address) {
            buffer.fields = None;
        }
    }
    if let Some((offset, part, _)) = open {
        buffer.offset = (offset > 0).then_some(Number::Integer(i64::from(offset)));
        match element(types, part) {
            Some(component) => {
                buffer.element = Some(ElementType::Component(component));
                buffer.shape = vec![Number::Integer(OPEN)];
            }
            None => {
                bytes(buffer, OPEN);
                return Some("what the bytes of its structures shall be".to_owned());
            }
        }
        return None;
    }
    if buffer.fields.is_none() {
        bytes(buffer, size.max(OPEN));
        return Some("what its bytes shall be".to_owned());
    }
    None
}
