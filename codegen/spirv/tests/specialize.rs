//! Specialization of modules that glslang made, and of modules that make no sense.

use crate::support::MODULES;
use coopmat_spirv::spirv::Op;
use coopmat_spirv::{Values, assemble, dr, load_bytes, specialization_constants, specialize};

fn is_specialized(instruction: &dr::Instruction) -> bool {
    matches!(
        instruction.class.opcode,
        Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse | Op::SpecConstantComposite
    )
}

#[test]
fn default_values_leave_no_specialization_constant() {
    let mut folded = 0;
    for (name, bytes) in MODULES {
        let module = load_bytes(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let constants = specialization_constants(&module);
        folded += constants.len();
        let values = Values { defaults: true, ..Values::default() };
        let specialized = specialize(module, &values).unwrap_or_else(|error| panic!("{name}: {error}"));
        let left = &specialized.module;
        assert!(!left.all_inst_iter().any(is_specialized), "{name}");
        assert_eq!(specialized.origins.len(), left.all_inst_iter().count(), "{name}");
        assert!(specialization_constants(left).is_empty(), "{name}");
        assert!(assemble(left).is_ok(), "{name}");
    }
    assert!(folded > 0, "some module has specialization constants");
}

#[test]
fn no_values_change_nothing() {
    for (name, bytes) in MODULES {
        let module = load_bytes(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let before = assemble(&module);
        let specialized =
            specialize(module, &Values::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(assemble(&specialized.module), before, "{name}");
    }
}
