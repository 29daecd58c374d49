//! What a host has to supply: bindings, push constants, specialization constants.

use super::types::TypeId;

/// What a host has to supply, and what a run looks like from outside.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// Invocations in each direction, as specialized.
    pub workgroup_size: [u32; 3],
    /// In the order in which the module declares them.
    pub bindings: Vec<Binding>,
    /// The push constants' size in bytes and their type.
    pub push_constants: Option<(u32, TypeId)>,
    /// In the order in which the module declares them.
    pub specialization: Vec<SpecializationConstant>,
    /// Whether the module takes descriptors from the resource heap, and from the sampler heap.
    pub heaps: [bool; 2],
    /// The subgroup size that the module asks for.
    pub subgroup_size: Option<u32>,
}

/// A descriptor, or an array of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// `DescriptorSet`.
    pub set: u32,
    /// `Binding`.
    pub binding: u32,
    /// Of the variable, or of its block's type where the variable has none.
    pub name: String,
    /// What has to be bound.
    pub kind: BindingKind,
    /// Descriptors in the array; 1 without one, none where the shader leaves it open.
    pub count: Option<u32>,
    /// Whether the shader declares that it writes nothing there (`NonWritable`); true of what cannot be written.
    pub readonly: bool,
    /// Bytes of a buffer without its array of unknown length.
    pub size: u64,
    /// The type of what one descriptor refers to.
    pub type_: TypeId,
}

/// What a descriptor refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// `StorageClass::StorageBuffer`, or the older `BufferBlock`.
    StorageBuffer,
    /// `StorageClass::Uniform` with a `Block`.
    UniformBuffer,
    /// An image that is read and written without a sampler (`Sampled` 2).
    StorageImage,
    /// An image that is sampled, with its sampler or without.
    SampledImage,
    /// A sampler alone. Where none is bound, it takes the nearest texel, and the one at the edge outside.
    Sampler,
}

/// A specialization constant.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecializationConstant {
    /// `SpecId`.
    pub id: u32,
    /// `OpName`, where the module has one.
    pub name: Option<String>,
    /// A scalar: a bool, an integer or a floating-point number.
    pub type_: TypeId,
    /// The bits of the value that the module gives it.
    pub default: u64,
    /// The bits of the value that it has in this program.
    pub value: u64,
}
