//! What the check of uniformity says of built-in functions against what the table of instructions says of the instructions that they become.

use std::collections::BTreeSet;

use coopmat_analysis::checks::{SameResult, same_result};
use coopmat_analysis::extensions::{FixedOperand, all_functions};
use coopmat_spirv::Opcode;
use coopmat_spirv::grammar::Uniform;

#[test]
fn results_are_as_uniform_as_those_of_their_instructions() {
    let mut differences = BTreeSet::new();
    let mut compared = 0;
    for (_, function) in all_functions() {
        let Some(opcode) = function.instruction.strip_prefix("Op").and_then(Opcode::named) else { continue };
        compared += 1;
        let instruction = opcode.facts().uniform;
        let result = same_result(function);
        let agree = match (instruction, result) {
            (Uniform::Nothing, _) => true,
            // Of one invocation, which an argument names: that has to be the same.
            (Uniform::Subgroup, SameResult::Arguments) => {
                matches!(opcode, Opcode::GroupNonUniformBroadcast | Opcode::SubgroupReadInvocationKHR)
            }
            (Uniform::Subgroup, result) => result == SameResult::Subgroup,
            (Uniform::Operands | Uniform::Memory, result) => result == SameResult::Arguments,
            // An instruction of a group is a reduction or a scan by its operand.
            (Uniform::Varies, SameResult::Subgroup) => function.has(FixedOperand::Reduce),
            // Each may get its own: to claim nothing more is right.
            (Uniform::Varies, _) => true,
        };
        if !agree {
            differences
                .insert(format!("{}: {instruction:?}, {result:?} ({})", function.instruction, function.name));
        }
    }
    assert!(compared > 100, "{compared}");
    assert!(differences.is_empty(), "{differences:#?}");
}
