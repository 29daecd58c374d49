//! A call of a built-in function, as the families get it.

use coopmat_analysis::extensions::BuiltinFunction;
use coopmat_analysis::hir::ExprId;
use coopmat_analysis::types::Ty;
use coopmat_spirv::Opcode;

/// A call of a built-in function.
pub(crate) struct BuiltinCall<'c> {
    pub function: &'static BuiltinFunction,
    pub arguments: &'c [ExprId],
    /// Of the result.
    pub ty: Ty,
    /// The instruction that the tables name.
    pub op: Option<Opcode>,
    /// Its number in GLSL.std.450.
    pub extended: Option<u32>,
}

impl BuiltinCall<'_> {
    /// An argument by its place; `None` where it was left out.
    pub fn argument(&self, index: usize) -> Option<ExprId> {
        self.arguments.get(index).copied()
    }
}
