//! What a host has to supply: bindings, push constants, specialization constants.

use super::types::TypeId;

/// What a host has to supply, and what a run looks like from outside.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    pub workgroup_size: [u32; 3],
    pub bindings: Vec<Binding>,
    /// The push constants' size in bytes and their type.
    pub push_constants: Option<(u32, TypeId)>,
    pub specialization: Vec<SpecializationConstant>,
    /// The subgroup size that the module asks for.
    pub subgroup_size: Option<u32>,
}

/// A descriptor, or an array of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    pub set: u32,
    pub binding: u32,
    /// Of the variable, or of its block's type where the variable has none.
    pub name: String,
    pub kind: BindingKind,
    /// Descriptors in the array; 1 without one, none where the shader leaves it open.
    pub count: Option<u32>,
    pub readonly: bool,
    /// Bytes of a buffer without its array of unknown length.
    pub size: u64,
    /// The type of what one descriptor refers to.
    pub type_: TypeId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    StorageBuffer,
    UniformBuffer,
    StorageImage,
    SampledImage,
    Sampler,
}

/// A specialization constant.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecializationConstant {
    /// `SpecId`.
    pub id: u32,
    pub name: Option<String>,
    pub type_: TypeId,
    /// The bits of the value that the module gives it.
    pub default: u64,
    /// The bits of the value that it has in this program.
    pub value: u64,
}
