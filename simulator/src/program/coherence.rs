//! Which accesses are private: to memory that is neither `coherent` nor `volatile`, so that other invocations need not see what is written
//! there (Vulkan, Private vs. Non-Private; GLSL 4.60, 4.10). Where that is not known, an access is taken for one that is not.

use coopmat_spirv::dr::{Instruction as Source, Operand};
use coopmat_spirv::spirv::{Decoration, ImageOperands, MemoryAccess, Op, StorageClass};
use rustc_hash::FxHashMap;

use super::lowering::Lowering;

impl Lowering<'_> {
    fn is_decorated(&self, id: u32) -> bool {
        self.annotations.has(id, Decoration::Coherent) || self.annotations.has(id, Decoration::Volatile)
    }

    /// Notes the variables of the module whose accesses are private, and the types of addresses that lead to such memory.
    pub(super) fn note_private_memory(&mut self) {
        // What a pointer or an array is of.
        let mut parts: FxHashMap<u32, u32> = FxHashMap::default();
        let mut coherent_structures: FxHashMap<u32, bool> = FxHashMap::default();
        for source in &self.module.types_global_values {
            let Some(id) = source.result_id else { continue };
            match (source.class.opcode, &source.operands[..]) {
                (Op::TypeArray | Op::TypeRuntimeArray, [Operand::IdRef(of), ..])
                | (Op::TypePointer, [_, Operand::IdRef(of), ..]) => {
                    parts.insert(id, *of);
                }
                (Op::TypeStruct, members) => {
                    let is_decorated = |member: u32| {
                        [Decoration::Coherent, Decoration::Volatile]
                            .iter()
                            .any(|one| self.annotations.of_member(id, member, *one).is_some())
                    };
                    coherent_structures.insert(id, (0..members.len() as u32).any(is_decorated));
                }
                _ => {}
            }
        }
        let is_private = |type_: u32| {
            let mut type_ = type_;
            // As deep as types can be.
            for _ in 0..64 {
                match parts.get(&type_) {
                    Some(of) => type_ = *of,
                    None => break,
                }
            }
            !coherent_structures.get(&type_).copied().unwrap_or(false)
        };
        for source in &self.module.types_global_values {
            let Some(id) = source.result_id else { continue };
            match (source.class.opcode, &source.operands[..]) {
                (Op::Variable, [Operand::StorageClass(class), ..])
                    if matches!(
                        class,
                        StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::UniformConstant
                    ) && !self.is_decorated(id)
                        && source.result_type.is_some_and(is_private) =>
                {
                    self.private.insert(id);
                }
                (Op::TypePointer, [Operand::StorageClass(StorageClass::PhysicalStorageBuffer), ..])
                    if is_private(id) =>
                {
                    self.private.insert(id);
                }
                _ => {}
            }
        }
    }

    /// Notes what an instruction makes of private memory, or that it accesses it.
    pub(super) fn note_private(&mut self, source: &Source) {
        let of_private = source.operands.iter().any(|operand| match operand {
            Operand::IdRef(id) => self.private.contains(id),
            _ => false,
        });
        let address = source.result_type.is_some_and(|type_| self.private.contains(&type_));
        let made = match source.class.opcode {
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::CopyObject => of_private,
            // An address that was in memory, or a handle.
            Op::Load if address => true,
            Op::Load if of_private && self.is_handle(source) => true,
            Op::ConvertUToPtr | Op::Bitcast => address,
            Op::SampledImage | Op::Image => of_private,
            _ => false,
        };
        if made {
            self.private.extend(source.result_id);
            return;
        }
        let shared = source.operands.iter().any(|operand| match operand {
            Operand::MemoryAccess(bits) => {
                bits.intersects(MemoryAccess::NON_PRIVATE_POINTER | MemoryAccess::VOLATILE)
            }
            Operand::ImageOperands(bits) => {
                bits.intersects(ImageOperands::NON_PRIVATE_TEXEL | ImageOperands::VOLATILE_TEXEL)
            }
            _ => false,
        });
        if of_private && !shared {
            self.data.private_accesses.insert(self.origin);
        }
    }

    /// Whether a value is an image.
    fn is_handle(&self, source: &Source) -> bool {
        use super::types::Type;

        let type_ = source.result_type.and_then(|type_| self.types().by_id(type_).ok());
        type_.is_some_and(|type_| {
            matches!(self.types().get(type_), Type::Image(_) | Type::SampledImage(_) | Type::Sampler)
        })
    }
}
