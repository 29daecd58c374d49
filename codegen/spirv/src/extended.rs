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

/// The number of an instruction of a set, by its name, newer ones included.
pub(crate) fn any_number(set: &str, name: &str) -> Option<u32> {
    let newer = || grammar::DEBUG_INFO.iter().find(|(_, known)| is_debug_info(set) && *known == name);
    number(set, name).or_else(|| newer().map(|(number, _)| *number))
}

/// Whether a set tells of the source.
pub fn is_debugging(set: &str) -> bool {
    is_debug_info(set) || set == "OpenCL.DebugInfo.100"
}

/// Whether instructions of a set have literals among their operands; those of others have ids alone.
pub(crate) fn has_literals(set: &str) -> bool {
    matches!(set, "OpenCL.DebugInfo.100" | "DebugInfo" | "OpenCL.std")
}

/// The name of an instruction of a set, such as `FMin` of `GLSL.std.450`.
pub fn name(set: &str, number: u32) -> Option<&'static str> {
    let newer = || grammar::DEBUG_INFO.iter().find(|(known, _)| is_debug_info(set) && *known == number);
    class(set, number).map(|class| class.opname).or_else(|| newer().map(|(_, name)| *name))
}
