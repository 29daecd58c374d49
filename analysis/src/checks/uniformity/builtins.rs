//! How the values of built-in variables and the results of built-in functions differ between invocations.
//!
//! Functions go by the instruction that they become, and by the operand that tells reductions from inclusive and exclusive scans, which share
//! instructions. `codegen/tests/uniformity.rs` holds what is said here against the table of instructions.

use crate::extensions::{BuiltinFunction, BuiltinVariable, FixedOperand, Rule, instructions};
use crate::hir::LocalSize;
use crate::symbolic::Symbols;
use crate::text::TextRange;

use super::cause::{CauseId, Causes, Step};
use super::own::Own;
use super::value::{Many, Spread, Value, Within};

/// Invocations in each dimension, where no specialization changes it.
pub(super) fn known_dimensions(size: &LocalSize, symbols: &Symbols) -> [Option<i64>; 3] {
    std::array::from_fn(|dimension| {
        let dimension = &size.dims[dimension];
        match (dimension.value, dimension.constant_id) {
            (_, Some(_)) => None,
            (Some(value), None) => symbols.as_int(value),
            // GLSL 4.60, section 4.4.1.4: 1 where it is not declared. A header does not declare it.
            (None, None) => size.range.map(|_| 1),
        }
    })
}

/// `one_subgroup` says that the workgroup is surely no larger than a subgroup.
pub(super) fn variable(
    variable: &BuiltinVariable,
    range: TextRange,
    dimensions: [Option<i64>; 3],
    one_subgroup: bool,
    causes: &mut Causes,
) -> Many {
    use Spread::{Differs, Distinct, Same, Unknown};
    let mut source = |name: &str, subgroup: Spread, workgroup: Spread| {
        let cause = causes.add(Step::Source, name, range, CauseId::NONE);
        let own = |spread| if spread >= Differs { cause } else { CauseId::NONE };
        Value {
            subgroup: Within::new(subgroup, cause),
            workgroup: Within::new(workgroup, cause),
            own: Own { subgroup: own(subgroup), workgroup: own(workgroup), ..Own::NONE },
            ..Value::SAME
        }
    };
    let across = |value: Value| Value { own: Own { across: !one_subgroup, ..value.own }, ..value };
    match variable.decoration {
        "SubgroupLocalInvocationId" | "SubGroupInvocationARB" => {
            Many::one(Value { unit: true, ..source(variable.name, Distinct, Differs) })
        }
        "LocalInvocationIndex" => {
            if dimensions == [Some(1); 3] {
                return Many::SAME;
            }
            Many::one(across(Value { unit: true, blocks: true, ..source(variable.name, Distinct, Distinct) }))
        }
        "LocalInvocationId" | "GlobalInvocationId" => Many::of((0..3).map(|dimension| {
            let others = (0..3).filter(|&other| other != dimension);
            let alone = others.map(|other| dimensions[other]).all(|size| size == Some(1));
            let (subgroup, workgroup) = match (dimension, dimensions[dimension]) {
                (_, Some(1)) => (Same, Same),
                (0, _) if alone => (Distinct, Distinct),
                // Invocations of a subgroup are neighbours, first of all in x.
                (0, Some(_)) => (Differs, Differs),
                (_, Some(_)) => (Unknown, Differs),
                (_, None) => (Unknown, Unknown),
            };
            let name = format!("{}.{}", variable.name, ['x', 'y', 'z'][dimension]);
            if dimension == 0 && dimensions[0].is_none() && !alone {
                // A size that specialization gives is as good as never 1.
                let Value { own, .. } = across(source(&name, Distinct, Distinct));
                return Value { unit: true, blocks: true, own, ..Value::unknown() };
            }
            across(Value { unit: true, blocks: true, ..source(&name, subgroup, workgroup) })
        })),
        "SubgroupId" => {
            if dimensions == [Some(1); 3] {
                return Many::SAME;
            }
            Many::one(across(Value { unit: true, ..source(variable.name, Same, Distinct) }))
        }
        "SubgroupEqMask" | "SubgroupGeMask" | "SubgroupGtMask" | "SubgroupLeMask" | "SubgroupLtMask" => {
            let mask = source(variable.name, Differs, Differs);
            let mask = Value { own: Own { folded: true, ..mask.own }, ..mask };
            // A subgroup of up to 32 leaves the other components as they are.
            let rest = Value::unknown();
            Many { count: 4, parts: [mask, rest, rest, rest] }
        }
        "WorkgroupId" | "NumWorkgroups" | "WorkgroupSize" | "NumSubgroups" | "SubgroupSize" | "DrawID"
        | "DeviceIndex" => Many::SAME,
        _ => Many::unknown(),
    }
}

/// What a function does to the differences in its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The same result in a subgroup, whatever the arguments.
    Subgroup,
    /// Of one invocation, which the second argument names.
    Chosen,
    /// Another result in each invocation.
    Varies,
    /// A difference in the arguments is one in the result.
    Keeps,
    /// Equal arguments give equal results; different ones may.
    Obscures,
}

/// Functions that give different results for different arguments, as good as always.
const KEEPING: &[&str] = &[
    "Exp",
    "Exp2",
    "Log",
    "Log2",
    "Sqrt",
    "InverseSqrt",
    "Sin",
    "Cos",
    "Tan",
    "Asin",
    "Acos",
    "Atan",
    "Sinh",
    "Cosh",
    "Tanh",
    "Pow",
    "Fma",
    "Radians",
    "Degrees",
];

pub(super) fn effect(function: &BuiltinFunction) -> Effect {
    let instruction = function.instruction;
    match function.rule {
        Some(Rule::Atomic) => {
            // Reading one place gives one value; what changes it gives each its own.
            if instruction.starts_with("OpAtomicLoad") || instruction.starts_with("OpAtomicStore") {
                Effect::Keeps
            } else if instruction.starts_with("OpAtomic") {
                Effect::Varies
            } else {
                Effect::Obscures
            }
        }
        Some(Rule::Subgroup | Rule::SubgroupClustered) => subgroup_effect(function),
        // Tensor layouts and views are what they are made of.
        Some(
            Rule::CreateTensorLayout | Rule::CreateTensorView | Rule::SetTensorLayout | Rule::SetTensorView,
        ) => Effect::Keeps,
        _ => {
            let known = instruction.strip_prefix("GLSL.std.450 ").is_some_and(|name| {
                KEEPING.contains(&name) || name.starts_with("Pack") || name.starts_with("Unpack")
            }) || matches!(
                instruction,
                instructions::OP_BITCAST | instructions::OP_BIT_REVERSE | "OpFma"
            );
            if known { Effect::Keeps } else { Effect::Obscures }
        }
    }
}

fn subgroup_effect(function: &BuiltinFunction) -> Effect {
    let any = |operands: &[FixedOperand]| operands.iter().any(|&operand| function.has(operand));
    let Some(operation) = function.instruction.strip_prefix("OpGroupNonUniform") else {
        // SPV_KHR_shader_ballot, SPV_KHR_subgroup_vote and SPV_AMD_shader_ballot.
        return match function.instruction {
            instructions::OP_SUBGROUP_ALL_KHR
            | instructions::OP_SUBGROUP_ANY_KHR
            | instructions::OP_SUBGROUP_ALL_EQUAL_KHR
            | instructions::OP_SUBGROUP_BALLOT_KHR
            | instructions::OP_SUBGROUP_FIRST_INVOCATION_KHR => Effect::Subgroup,
            instructions::OP_SUBGROUP_READ_INVOCATION_KHR => Effect::Chosen,
            instructions::SPV_AMD_SHADER_BALLOT_WRITE_INVOCATION_AMD
            | instructions::SPV_AMD_SHADER_BALLOT_MBCNT_AMD => Effect::Varies,
            // GL_AMD_shader_ballot's sums, minima and maxima.
            _ if function.has(FixedOperand::Reduce) => Effect::Subgroup,
            _ if any(&[FixedOperand::InclusiveScan, FixedOperand::ExclusiveScan]) => Effect::Varies,
            _ => Effect::Obscures,
        };
    };
    match operation {
        "Elect" | "InverseBallot" => Effect::Varies,
        "Broadcast" | "Shuffle" | "BallotBitExtract" => Effect::Chosen,
        "BroadcastFirst" | "All" | "Any" | "AllEqual" | "Ballot" => Effect::Subgroup,
        "BallotFindLSB" | "BallotFindMSB" => Effect::Keeps,
        "BallotBitCount" if any(&[FixedOperand::Reduce]) => Effect::Keeps,
        _ if any(&[FixedOperand::InclusiveScan, FixedOperand::ExclusiveScan]) => Effect::Varies,
        _ if any(&[
            FixedOperand::ClusteredReduce,
            FixedOperand::PartitionedReduce,
            FixedOperand::PartitionedInclusiveScan,
            FixedOperand::PartitionedExclusiveScan,
        ]) =>
        {
            Effect::Obscures
        }
        _ if operation.starts_with("Quad") => Effect::Obscures,
        "ShuffleXor" | "ShuffleUp" | "ShuffleDown" | "RotateKHR" | "PartitionNV" => Effect::Obscures,
        _ => Effect::Subgroup,
    }
}
