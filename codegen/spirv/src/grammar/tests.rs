//! The overlay lists what rspirv lacks and no more, and its facts are those of the specifications.

use rspirv::grammar::OperandKind;
use rspirv::spirv::{self, Op, TensorAddressingOperands};

use super::overlay::newer_enumerants;
use super::*;

/// When this fails, rspirv has learned something: drop it here.
#[test]
fn rspirv_still_lacks_what_is_listed() {
    for newer in NEWER {
        assert!(Op::from_u32(newer.opcode as u32).is_none(), "{:?}", newer.opcode);
    }
    for entry in newer_enumerants() {
        let known = match entry.kind {
            OperandKind::Capability => spirv::Capability::from_u32(entry.value).is_some(),
            OperandKind::Decoration => spirv::Decoration::from_u32(entry.value).is_some(),
            OperandKind::ExecutionMode => spirv::ExecutionMode::from_u32(entry.value).is_some(),
            OperandKind::FPEncoding => spirv::FPEncoding::from_u32(entry.value).is_some(),
            OperandKind::SourceLanguage => spirv::SourceLanguage::from_u32(entry.value).is_some(),
            OperandKind::LinkageType => spirv::LinkageType::from_u32(entry.value).is_some(),
            OperandKind::LoopControl => spirv::LoopControl::from_bits(entry.value).is_some(),
            OperandKind::TensorAddressingOperands => {
                TensorAddressingOperands::from_bits(entry.value).is_some()
            }
            other => panic!("say how to ask rspirv about {other:?}"),
        };
        assert!(!known, "{}", entry.name);
    }
}

/// Who has a result makes it for somebody; who has none does something, or says something of what stands around it.
#[test]
fn an_instruction_without_a_result_is_never_superfluous() {
    for &opcode in Opcode::ALL {
        let class = opcode.class().unwrap_or_else(|| panic!("no class of {opcode:?}"));
        let has_result = class.operands.iter().any(|operand| operand.kind == OperandKind::IdResult);
        // What continues a composite belongs to the instruction before it.
        let continues = class.opname.contains("Continued") || opcode == Opcode::TypeForwardPointer;
        assert!(
            has_result || continues || opcode.facts().effect == Effect::Acts,
            "{opcode:?} has no result, so that it may not go for want of a use"
        );
    }
}

/// "All dynamic instances of an instruction with an operand or result that is an object of this type must be executed such that
/// all the invocations in the 'Scope' instance are active or none of them are." (SPV_KHR_cooperative_matrix,
/// OpTypeCooperativeMatrixKHR)
#[test]
fn instructions_on_cooperative_matrices_are_executed_by_all_of_the_scope() {
    let on_matrices = [
        Opcode::CooperativeMatrixLoadKHR,
        Opcode::CooperativeMatrixStoreKHR,
        Opcode::CooperativeMatrixMulAddKHR,
        Opcode::CooperativeMatrixLoadTensorNV,
        Opcode::CooperativeMatrixStoreTensorNV,
        Opcode::CooperativeMatrixReduceNV,
        Opcode::CooperativeMatrixPerElementOpNV,
        Opcode::CooperativeMatrixConvertNV,
        Opcode::CooperativeMatrixTransposeNV,
        Opcode::CooperativeMatrixGetCoordinateEXT,
        Opcode::CompositeConstructCoopMatQCOM,
        Opcode::CompositeExtractCoopMatQCOM,
        Opcode::FAdd,
        Opcode::FConvert,
        Opcode::MatrixTimesScalar,
        Opcode::CompositeConstruct,
        Opcode::CompositeExtract,
    ];
    for opcode in on_matrices {
        assert_eq!(opcode.facts().together, Together::Matrix, "{opcode:?}");
    }
    // These take the type, or pointers alone.
    for opcode in [Opcode::CooperativeMatrixLengthKHR, Opcode::AccessChain, Opcode::CreateTensorLayoutNV] {
        assert_eq!(opcode.facts().together, Together::Apart, "{opcode:?}");
    }
}

/// SPIR-V 3.52.20 and 3.52.21: "if Execution is Workgroup or larger", and the group instructions, "all invocations of this module
/// within Execution must reach this point of execution".
#[test]
fn barriers_and_group_instructions_name_the_scope_that_executes_them() {
    for opcode in [Opcode::ControlBarrier, Opcode::GroupAll, Opcode::GroupIAdd, Opcode::GroupAsyncCopy] {
        assert_eq!(opcode.facts().together, Together::Scope, "{opcode:?}");
        let operands = opcode.class().map_or(&[][..], |class| class.operands);
        let first = operands
            .iter()
            .find(|operand| !matches!(operand.kind, OperandKind::IdResultType | OperandKind::IdResult));
        assert_eq!(first.map(|operand| operand.kind), Some(OperandKind::IdScope), "{opcode:?}");
    }
    for opcode in [Opcode::GroupNonUniformBallot, Opcode::GroupNonUniformShuffle, Opcode::SubgroupBallotKHR] {
        assert_eq!(opcode.facts().together, Together::Active, "{opcode:?}");
    }
}

/// A vote, a ballot and a broadcast have one answer for all active invocations; where each has its own, nothing says otherwise.
#[test]
fn results_are_uniform_where_the_instruction_says_so() {
    for opcode in
        [Opcode::GroupNonUniformAll, Opcode::GroupNonUniformBallot, Opcode::GroupNonUniformBroadcastFirst]
    {
        assert_eq!(opcode.facts().uniform, Uniform::Subgroup, "{opcode:?}");
    }
    for opcode in
        [Opcode::GroupNonUniformElect, Opcode::AtomicIAdd, Opcode::CooperativeMatrixGetCoordinateEXT]
    {
        assert_eq!(opcode.facts().uniform, Uniform::Varies, "{opcode:?}");
    }
    assert_eq!(Opcode::IAdd.facts().uniform, Uniform::Operands);
    assert_eq!(Opcode::Load.facts().uniform, Uniform::Memory);
}
