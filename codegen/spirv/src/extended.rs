//! Names of the instructions in extended sets.

use rspirv::grammar::{ExtInstOp, ExtendedInstruction, InstructionTable, ext_inst_table};

use crate::grammar;

/// The versions of the debugging set share their numbers.
fn is_debug_info(set: &str) -> bool {
    set.starts_with("NonSemantic.Shader.DebugInfo.")
}

/// The table of a set by the name under which it is imported.
pub fn table(set: &str) -> Option<&'static InstructionTable<ExtInstOp>> {
    ext_inst_table(if is_debug_info(set) { "NonSemantic.Shader.DebugInfo.100" } else { set })
}

/// The grammar of an instruction of a set.
pub fn class(set: &str, number: u32) -> Option<&'static ExtendedInstruction<'static>> {
    table(set)?.lookup_opcode(number)
}

/// The number of an instruction of a set, by its name.
pub fn number(set: &str, name: &str) -> Option<u32> {
    Some(table(set)?.iter().find(|class| class.opname == name)?.opcode.into())
}

/// The name of an instruction of a set, such as `FMin` of `GLSL.std.450`.
pub fn name(set: &str, number: u32) -> Option<&'static str> {
    let newer = || grammar::DEBUG_INFO.iter().find(|(known, _)| is_debug_info(set) && *known == number);
    class(set, number).map(|class| class.opname).or_else(|| newer().map(|(_, name)| *name))
}
