//! Operations among the invocations of a subgroup (GL_KHR_shader_subgroup and its extensions, GL_ARB_shader_ballot,
//! GL_ARB_shader_group_vote, GL_AMD_shader_ballot).

use coopmat_analysis::extensions::{BuiltinFunction, FixedOperand};
use coopmat_analysis::types::{Scalar, Ty};
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{GroupOperation, Scope, Word};

use super::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};
use crate::target::SpirvVersion;

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let name = call.function.name;
    let Some(op) = call.op else { return Err(codegen.unsupported_builtin(call)) };
    if let Opcode::SubgroupBallotKHR
    | Opcode::SubgroupFirstInvocationKHR
    | Opcode::SubgroupReadInvocationKHR
    | Opcode::SubgroupAllKHR
    | Opcode::SubgroupAnyKHR
    | Opcode::SubgroupAllEqualKHR = op
    {
        return without_scope(codegen, call, op);
    }
    if is_of_amd(op) {
        return by_component(codegen, call, op);
    }
    codegen.needs_version(SpirvVersion::V1_3, &format!("`{name}`"))?;
    let operation = group_operation(call.function);
    capabilities(codegen, op, operation);
    for &argument in call.arguments {
        if let Some(scalar) = codegen.types.component(codegen.ty(argument)) {
            codegen.b.computes_with(scalar);
        }
    }
    let mut values = codegen.argument_values(call.arguments)?;
    if matches!(op, Opcode::GroupNonUniformBroadcast | Opcode::GroupNonUniformQuadBroadcast)
        && call.argument(1).is_some_and(|id| codegen.expr(id).constant.is_none())
    {
        codegen.needs_version(SpirvVersion::V1_5, &format!("`{name}` with an id that is not constant"))?;
    }
    let scope = codegen.uint_constant(Scope::Subgroup as u32);
    let ty = codegen.type_id(call.ty)?;
    let mut operands = vec![Operand::IdRef(scope)];
    if let Some(operation) = operation {
        operands.push(Operand::GroupOperation(operation));
    }
    if op == Opcode::GroupNonUniformQuadSwap {
        let partners = [FixedOperand::Horizontal, FixedOperand::Vertical, FixedOperand::Diagonal];
        let Some(direction) = partners.iter().position(|&partner| call.function.has(partner)) else {
            return Err(codegen.unsupported_builtin(call));
        };
        values.push(codegen.uint_constant(direction as u32));
    }
    operands.extend(values.into_iter().map(Operand::IdRef));
    // Quad votes have the quad in their name, and partitions are of the subgroup always.
    if matches!(
        op,
        Opcode::GroupNonUniformQuadAllKHR
            | Opcode::GroupNonUniformQuadAnyKHR
            | Opcode::GroupNonUniformPartitionEXT
    ) {
        operands.remove(0);
    }
    Ok(codegen.b.value_with(op, ty, operands))
}

/// How the values of a subgroup are combined: all, those up to here, those before, those of a cluster or a partition.
fn group_operation(function: &BuiltinFunction) -> Option<GroupOperation> {
    function.operands.iter().find_map(|operand| {
        Some(match operand {
            FixedOperand::Reduce => GroupOperation::Reduce,
            FixedOperand::InclusiveScan => GroupOperation::InclusiveScan,
            FixedOperand::ExclusiveScan => GroupOperation::ExclusiveScan,
            FixedOperand::ClusteredReduce => GroupOperation::ClusteredReduce,
            FixedOperand::PartitionedReduce => GroupOperation::PartitionedReduceNV,
            FixedOperand::PartitionedInclusiveScan => GroupOperation::PartitionedInclusiveScanNV,
            FixedOperand::PartitionedExclusiveScan => GroupOperation::PartitionedExclusiveScanNV,
            FixedOperand::Device
            | FixedOperand::Workgroup
            | FixedOperand::Subgroup
            | FixedOperand::Buffers
            | FixedOperand::Shared
            | FixedOperand::Images
            | FixedOperand::Counters
            | FixedOperand::Horizontal
            | FixedOperand::Vertical
            | FixedOperand::Diagonal
            | FixedOperand::Packed
            | FixedOperand::Gather4x1
            | FixedOperand::GatherD
            | FixedOperand::GatherH2
            | FixedOperand::GatherV2 => return None,
        })
    })
}

fn capabilities(codegen: &mut Codegen<'_>, op: Opcode, operation: Option<GroupOperation>) {
    codegen.b.capability(Capability::GroupNonUniform);
    let capability = match op {
        Opcode::GroupNonUniformElect => return,
        Opcode::GroupNonUniformAll | Opcode::GroupNonUniformAny | Opcode::GroupNonUniformAllEqual => {
            Capability::GroupNonUniformVote
        }
        Opcode::GroupNonUniformBroadcast
        | Opcode::GroupNonUniformBroadcastFirst
        | Opcode::GroupNonUniformBallot
        | Opcode::GroupNonUniformInverseBallot
        | Opcode::GroupNonUniformBallotBitExtract
        | Opcode::GroupNonUniformBallotBitCount
        | Opcode::GroupNonUniformBallotFindLSB
        | Opcode::GroupNonUniformBallotFindMSB => Capability::GroupNonUniformBallot,
        Opcode::GroupNonUniformShuffle | Opcode::GroupNonUniformShuffleXor => {
            Capability::GroupNonUniformShuffle
        }
        Opcode::GroupNonUniformShuffleUp | Opcode::GroupNonUniformShuffleDown => {
            Capability::GroupNonUniformShuffleRelative
        }
        Opcode::GroupNonUniformQuadBroadcast | Opcode::GroupNonUniformQuadSwap => {
            Capability::GroupNonUniformQuad
        }
        Opcode::GroupNonUniformQuadAllKHR | Opcode::GroupNonUniformQuadAnyKHR => {
            codegen.b.extension("SPV_KHR_quad_control");
            codegen.b.capability(Capability::GroupNonUniformVote);
            Capability::QuadControlKHR
        }
        Opcode::GroupNonUniformRotateKHR => {
            codegen.b.extension("SPV_KHR_subgroup_rotate");
            Capability::GroupNonUniformRotateKHR
        }
        Opcode::GroupNonUniformPartitionEXT => {
            codegen.b.extension("SPV_NV_shader_subgroup_partitioned");
            Capability::GroupNonUniformPartitionedEXT
        }
        _ => match operation {
            Some(
                GroupOperation::PartitionedReduceNV
                | GroupOperation::PartitionedInclusiveScanNV
                | GroupOperation::PartitionedExclusiveScanNV,
            ) => {
                codegen.b.extension("SPV_NV_shader_subgroup_partitioned");
                Capability::GroupNonUniformPartitionedEXT
            }
            Some(GroupOperation::ClusteredReduce) => Capability::GroupNonUniformClustered,
            Some(GroupOperation::Reduce | GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan)
            | None => Capability::GroupNonUniformArithmetic,
        },
    };
    codegen.b.capability(capability);
}

/// The instructions of SPV_AMD_shader_ballot, and those of the kernel language that it allows in shaders.
fn is_of_amd(op: Opcode) -> bool {
    matches!(
        op,
        Opcode::GroupIAdd
            | Opcode::GroupFAdd
            | Opcode::GroupFMin
            | Opcode::GroupUMin
            | Opcode::GroupSMin
            | Opcode::GroupFMax
            | Opcode::GroupUMax
            | Opcode::GroupSMax
            | Opcode::GroupIAddNonUniformAMD
            | Opcode::GroupFAddNonUniformAMD
            | Opcode::GroupFMinNonUniformAMD
            | Opcode::GroupUMinNonUniformAMD
            | Opcode::GroupSMinNonUniformAMD
            | Opcode::GroupFMaxNonUniformAMD
            | Opcode::GroupUMaxNonUniformAMD
            | Opcode::GroupSMaxNonUniformAMD
    )
}

/// They take scalars (SPV_AMD_shader_ballot, section 3.32.21).
fn by_component(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, op: Opcode) -> Emit<Word> {
    let (Some((scalar, length)), Some(operation)) =
        (codegen.types.as_vector(call.ty), group_operation(call.function))
    else {
        return Err(codegen.unsupported_builtin(call));
    };
    let &[value] = codegen.argument_values(call.arguments)?.as_slice() else {
        return Err(codegen.unsupported_builtin(call));
    };
    codegen.b.extension("SPV_AMD_shader_ballot");
    codegen.b.capability(Capability::Groups);
    codegen.b.computes_with(scalar);
    let scope = codegen.uint_constant(Scope::Subgroup as u32);
    let component = codegen.scalar_type(scalar);
    let mut results = Vec::with_capacity(length as usize);
    for index in 0..length {
        let part = if length == 1 { value } else { codegen.extract(component, value, index) };
        let operands = vec![Operand::IdRef(scope), Operand::GroupOperation(operation), Operand::IdRef(part)];
        results.push(codegen.b.value_with(op, component, operands));
    }
    if let [result] = results[..] {
        return Ok(result);
    }
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value(Opcode::CompositeConstruct, ty, &results))
}

/// The older instructions, whose scope is always the subgroup.
fn without_scope(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, op: Opcode) -> Emit<Word> {
    let vote = matches!(op, Opcode::SubgroupAllKHR | Opcode::SubgroupAnyKHR | Opcode::SubgroupAllEqualKHR);
    if vote {
        codegen.b.extension("SPV_KHR_subgroup_vote");
        codegen.b.capability(Capability::SubgroupVoteKHR);
    } else {
        codegen.b.extension("SPV_KHR_shader_ballot");
        codegen.b.capability(Capability::SubgroupBallotKHR);
    }
    let values = codegen.argument_values(call.arguments)?;
    if op == Opcode::SubgroupBallotKHR {
        // Four words in SPIR-V, 64 bits in GL_ARB_shader_ballot.
        let words = codegen.vector_type(Scalar::Uint32, 4);
        let ballot = codegen.b.value(op, words, &values);
        let low = codegen.vector_type(Scalar::Uint32, 2);
        let operands = vec![
            Operand::IdRef(ballot),
            Operand::IdRef(ballot),
            Operand::LiteralBit32(0),
            Operand::LiteralBit32(1),
        ];
        let low = codegen.b.value_with(Opcode::VectorShuffle, low, operands);
        return bits_as(codegen, low, call.ty);
    }
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value(op, ty, &values))
}

fn bits_as(codegen: &mut Codegen<'_>, value: Word, ty: Ty) -> Emit<Word> {
    let ty = codegen.type_id(ty)?;
    Ok(codegen.b.value(Opcode::Bitcast, ty, &[value]))
}
