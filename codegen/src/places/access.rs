//! How memory is accessed: `coherent`, `volatile`, alignments, and the operands that say so.

use coopmat_analysis::hir::{Coherence, MemoryQualifiers};
use coopmat_spirv::Capability;
use rspirv::dr::Operand;
use rspirv::spirv::{ImageFormat, MemoryAccess, Scope, StorageClass};
use smallvec::SmallVec;

use super::Place;
use crate::codegen::Codegen;

/// How memory is accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub coherent: bool,
    /// For whom, where that is said.
    pub coherence: Coherence,
    pub volatile: bool,
    pub nonuniform: bool,
    /// Alignments and distances of physical addresses, all or-ed: the lowest bit is the alignment. 0 where none is needed.
    pub align: u32,
    /// Of an image variable.
    pub format: ImageFormat,
}

impl Default for Access {
    fn default() -> Self {
        Access {
            coherent: false,
            coherence: Coherence::Unstated,
            volatile: false,
            nonuniform: false,
            align: 0,
            format: ImageFormat::Unknown,
        }
    }
}

impl Access {
    pub fn of(memory: &MemoryQualifiers) -> Access {
        Access {
            coherent: memory.coherent,
            coherence: memory.coherence,
            volatile: memory.volatile,
            ..Access::default()
        }
    }

    pub(super) fn and(mut self, memory: &MemoryQualifiers) -> Access {
        // Of several qualifiers the widest holds: `coherent` alone says it for all.
        if memory.coherent && (!self.coherent || width(memory.coherence) > width(self.coherence)) {
            self.coherence = memory.coherence;
        }
        self.coherent |= memory.coherent;
        self.volatile |= memory.volatile;
        self
    }
}

/// How many share what is coherent.
fn width(coherence: Coherence) -> u32 {
    match coherence {
        Coherence::NonPrivate => 0,
        Coherence::Subgroup => 1,
        Coherence::ShaderCall => 2,
        Coherence::Workgroup => 3,
        Coherence::QueueFamily => 4,
        Coherence::Device => 5,
        Coherence::Unstated => 6,
    }
}

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
        let mut align = None;
        if place.class == StorageClass::PhysicalStorageBuffer {
            bits |= MemoryAccess::ALIGNED;
            let all = place.access.align.max(1);
            align = Some(all & all.wrapping_neg());
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
