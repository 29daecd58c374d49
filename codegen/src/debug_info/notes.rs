//! What the debugger is told about functions and their variables.

use coopmat_analysis::text::TextRange;
use coopmat_analysis::types::Ty;
use rspirv::spirv::Word;

/// What the debugger is told about locals and functions, gathered while they are compiled.
#[derive(Default)]
pub(crate) struct DebugNotes {
    pub functions: Vec<DebugFunction>,
}

pub(crate) struct DebugFunction {
    pub id: Word,
    pub name: String,
    pub place: TextRange,
    pub return_type: Ty,
    pub parameters: Vec<Ty>,
    pub locals: Vec<DebugLocal>,
}

pub(crate) struct DebugLocal {
    /// A variable, or the value itself.
    pub id: Word,
    pub name: String,
    pub ty: Ty,
    pub place: TextRange,
    /// Counted from 1.
    pub argument: Option<u32>,
    pub is_value: bool,
}
