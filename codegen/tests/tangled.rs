//! Which built-in functions the analysis takes for tangled against what the table of instructions says of the instructions that they become.

use std::collections::BTreeSet;

use coopmat_analysis::checks::is_tangled;
use coopmat_analysis::extensions::{Rule, all_functions};
use coopmat_spirv::Opcode;
use coopmat_spirv::grammar::Together;

#[test]
fn functions_are_tangled_where_their_instructions_are_executed_together() {
    let mut differences = BTreeSet::new();
    let mut compared = 0;
    for (_, function) in all_functions() {
        let Some(opcode) = function.instruction.strip_prefix("Op").and_then(Opcode::named) else { continue };
        compared += 1;
        let together = match opcode.facts().together {
            Together::Apart => false,
            // An operator on numbers is the same instruction.
            Together::Matrix => function.rule.is_some_and(Rule::is_matrix_operation),
            Together::Active | Together::Neighbours | Together::Scope => true,
        };
        if together != is_tangled(function) {
            let said = if together { "executed together" } else { "each for itself" };
            differences.insert(format!("{}: {said} ({})", function.instruction, function.name));
        }
    }
    assert!(compared > 100, "{compared}");
    assert!(differences.is_empty(), "{differences:#?}");
}
