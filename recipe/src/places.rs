//! Which line of which file each instruction of a module comes from, as far as the module tells (`OpLine`).

use std::collections::HashMap;

use coopmat_spirv::dr::{Module, Operand};
use coopmat_spirv::spirv::Op;

use crate::report::SourcePlace;

/// The places of all instructions, by their index in the module.
pub fn of_lines(module: &Module) -> Vec<Option<SourcePlace>> {
    let mut names = HashMap::new();
    let mut here = None;
    let places = module.all_inst_iter().map(|instruction| {
        match (instruction.class.opcode, instruction.operands.as_slice()) {
            (Op::String, [Operand::LiteralString(name)]) => {
                names.insert(instruction.result_id, name.clone());
            }
            (
                Op::Line,
                [Operand::IdRef(file), Operand::LiteralBit32(line), Operand::LiteralBit32(column)],
            ) => {
                let path = names.get(&Some(*file)).cloned().unwrap_or_default();
                here = Some(SourcePlace { path, line: *line, column: *column });
            }
            (Op::NoLine | Op::FunctionEnd, _) => here = None,
            _ => {}
        }
        here.clone()
    });
    places.collect()
}
