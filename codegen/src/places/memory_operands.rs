//! The operands that say how memory is accessed: `coherent` and `volatile` in the terms of the memory model, alignments.

use coopmat_analysis::hir::Coherence;
use coopmat_analysis::types::TypeKind;
use coopmat_spirv::Capability;
use rspirv::dr::Operand;
use rspirv::spirv::{MemoryAccess, Scope, StorageClass};
use smallvec::SmallVec;

use super::{Access, Place};
use crate::codegen::Codegen;

/// Whether other invocations may see what is written to a storage class: for others no availability can be asked, SPIR-V 1.6,
/// section 3.26 (Memory Operands, NonPrivatePointer).
fn may_be_shared(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::Uniform
            | StorageClass::Workgroup
            | StorageClass::CrossWorkgroup
            | StorageClass::Generic
            | StorageClass::Image
            | StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
    )
}

impl<'a> Codegen<'a> {
    /// The operands that say how memory is accessed.
    pub fn memory_operands(&mut self, place: &Place, store: bool) -> SmallVec<[Operand; 4]> {
        let mut bits = MemoryAccess::NONE;
        let mut operands: SmallVec<[Operand; 4]> = SmallVec::new();
        // The handle of an image is no memory that anything is written to.
        if place.class == StorageClass::UniformConstant {
            return operands;
        }
        if place.access.volatile
            && (self.vulkan_memory_model || place.class == StorageClass::PhysicalStorageBuffer)
        {
            bits |= MemoryAccess::VOLATILE;
        }
        if place.access.nontemporal {
            bits |= MemoryAccess::NONTEMPORAL;
        }
        let mut align = None;
        if place.class == StorageClass::PhysicalStorageBuffer {
            bits |= MemoryAccess::ALIGNED;
            let all = place.access.align.max(1);
            // VUID-StandaloneSpirv-PhysicalStorageBuffer64-06314: no less than what is accessed at once.
            let least = match self.types.kind(place.ty) {
                TypeKind::Reference(_) => 8,
                _ => 1,
            };
            align = Some((all & all.wrapping_neg()).max(least));
        }
        let mut scope = None;
        if self.vulkan_memory_model && may_be_shared(place.class) {
            match self.coherent_scope(&place.access, place.class) {
                Some(found) => {
                    bits |= MemoryAccess::NON_PRIVATE_POINTER;
                    bits |= match store {
                        true => MemoryAccess::MAKE_POINTER_AVAILABLE,
                        false => MemoryAccess::MAKE_POINTER_VISIBLE,
                    };
                    scope = Some(self.uint_constant(found as u32));
                }
                None if place.access.coherent => bits |= MemoryAccess::NON_PRIVATE_POINTER,
                None => {}
            }
        }
        if bits == MemoryAccess::NONE {
            return operands;
        }
        operands.push(Operand::MemoryAccess(bits));
        operands.extend(align.map(Operand::LiteralBit32));
        operands.extend(scope.map(Operand::IdScope));
        operands
    }

    /// For whom an access is coherent in the Vulkan memory model; `None` where it is for nobody.
    pub fn coherent_scope(&mut self, access: &Access, class: StorageClass) -> Option<Scope> {
        let shared = class == StorageClass::Workgroup;
        let private = access.coherence == Coherence::NonPrivate && !access.volatile;
        let coherent = (access.coherent && !private) || access.volatile;
        if !shared && !coherent {
            return None;
        }
        Some(match access.coherence {
            // What is volatile is so for everybody.
            _ if access.volatile => Scope::QueueFamily,
            Coherence::Device => {
                self.b.capability(Capability::VulkanMemoryModelDeviceScope);
                Scope::Device
            }
            Coherence::Workgroup => Scope::Workgroup,
            Coherence::Subgroup => Scope::Subgroup,
            Coherence::ShaderCall => Scope::ShaderCallKHR,
            // Shared memory is coherent for the workgroup without saying so.
            Coherence::Unstated | Coherence::NonPrivate if shared && !coherent => Scope::Workgroup,
            Coherence::Unstated | Coherence::NonPrivate | Coherence::QueueFamily => Scope::QueueFamily,
        })
    }
}
