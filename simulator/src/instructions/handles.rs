//! Pointers, images and samplers as values: who takes them.

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::{Opcode, opcode};

/// Whether an instruction gives pointers, images and samplers on as they are, or knows what to do with them.
pub(crate) fn passes_on(source: &Source) -> bool {
    matches!(
        opcode(source),
        Opcode::Variable
            | Opcode::Undef
            | Opcode::Load
            | Opcode::Store
            | Opcode::Phi
            | Opcode::Select
            | Opcode::CopyObject
            | Opcode::CopyLogical
            | Opcode::CompositeConstruct
            | Opcode::CompositeConstructReplicateEXT
            | Opcode::CompositeExtract
            | Opcode::CompositeInsert
            | Opcode::FunctionCall
            | Opcode::ReturnValue
            | Opcode::PtrEqual
            | Opcode::PtrNotEqual
            | Opcode::SampledImage
            | Opcode::Image
            | Opcode::ImageRead
            | Opcode::ImageWrite
            | Opcode::ImageFetch
            | Opcode::ImageSampleExplicitLod
            | Opcode::ImageSampleImplicitLod
            | Opcode::ImageSampleProjExplicitLod
            | Opcode::ImageSampleProjImplicitLod
            | Opcode::ImageGather
            | Opcode::ImageQuerySize
            | Opcode::ImageQuerySizeLod
            | Opcode::ImageQueryLevels
            | Opcode::ImageQuerySamples
            | Opcode::FreezeKHR
            | Opcode::PoisonKHR
    )
}
