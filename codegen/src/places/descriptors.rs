//! The capabilities of indexing arrays of descriptors.

use coopmat_analysis::types::{ImageDim, Opaque, OpaqueClass, TypeKind};
use coopmat_spirv::Capability;
use rspirv::spirv::StorageClass;

use super::Place;
use crate::codegen::Codegen;
use crate::target::SpirvVersion;

impl<'a> Codegen<'a> {
    /// Declares what decorating a place as NonUniform needs, and what an array of descriptors needs that is indexed so.
    pub(super) fn nonuniform_descriptors(&mut self, place: &Place) {
        let of_array = match place.class {
            _ if !place.chain.is_empty() => None,
            StorageClass::StorageBuffer => Some(Capability::StorageBufferArrayNonUniformIndexing),
            StorageClass::Uniform => Some(Capability::UniformBufferArrayNonUniformIndexing),
            StorageClass::UniformConstant => Some(match self.opaque_of(place.ty) {
                Some(Opaque { class: OpaqueClass::Image, dim: ImageDim::Buffer, .. }) => {
                    Capability::StorageTexelBufferArrayNonUniformIndexing
                }
                Some(Opaque { class: OpaqueClass::Image, .. }) => {
                    Capability::StorageImageArrayNonUniformIndexing
                }
                Some(Opaque { dim: ImageDim::Buffer, .. }) => {
                    Capability::UniformTexelBufferArrayNonUniformIndexing
                }
                _ => Capability::SampledImageArrayNonUniformIndexing,
            })
            .filter(|_| {
                self.opaque_of(place.ty)
                    .is_none_or(|opaque| opaque.class != OpaqueClass::AccelerationStructure)
            }),
            _ => None,
        };
        for capability in std::iter::once(Capability::ShaderNonUniform).chain(of_array) {
            self.capability(capability, "SPV_EXT_descriptor_indexing", SpirvVersion::V1_5);
        }
    }

    /// Declares the capability for indexing arrays of descriptors by more than constants.
    pub(super) fn dynamic_descriptors(&mut self, place: &Place) {
        if !place.chain.is_empty() || !matches!(self.types.kind(place.ty), TypeKind::Array(..)) {
            return;
        }
        let texels = |codegen: &mut Self, capability| {
            codegen.capability(capability, "SPV_EXT_descriptor_indexing", SpirvVersion::V1_5);
        };
        match (place.class, self.opaque_of(place.ty)) {
            (StorageClass::StorageBuffer, _) => {
                self.b.capability(Capability::StorageBufferArrayDynamicIndexing);
            }
            // Before SPIR-V 1.3 storage buffers are of this class, too.
            (StorageClass::Uniform, _) if self.is_storage_buffer(place.base) => {
                self.b.capability(Capability::StorageBufferArrayDynamicIndexing);
            }
            (StorageClass::Uniform, _) => self.b.capability(Capability::UniformBufferArrayDynamicIndexing),
            // Arrays of acceleration structures need nothing.
            (StorageClass::UniformConstant, Some(opaque))
                if opaque.class == OpaqueClass::AccelerationStructure => {}
            (StorageClass::UniformConstant, Some(opaque)) => match (opaque.class, opaque.dim) {
                (OpaqueClass::Image, ImageDim::Buffer) => {
                    texels(self, Capability::StorageTexelBufferArrayDynamicIndexing);
                }
                (OpaqueClass::Image, _) => {
                    self.b.capability(Capability::StorageImageArrayDynamicIndexing);
                }
                (_, ImageDim::Buffer) => texels(self, Capability::UniformTexelBufferArrayDynamicIndexing),
                _ => self.b.capability(Capability::SampledImageArrayDynamicIndexing),
            },
            _ => {}
        }
    }
}
