//! `debugPrintfEXT` (GL_EXT_debug_printf): an instruction of the set NonSemantic.DebugPrintf.

use coopmat_analysis::hir::ExprKind;
use rspirv::spirv::Word;

use super::call::BuiltinCall;
use crate::builder::ExtSet;
use crate::codegen::{Codegen, Emit};
use crate::target::SpirvVersion;

/// The only instruction of the set.
const DEBUG_PRINTF: u32 = 1;

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some((&format, values)) = call.arguments.split_first() else {
        return Err(codegen.unsupported_builtin(call));
    };
    let ExprKind::String(text) = &codegen.expr(format).kind else {
        return Err(codegen.fail("the format of `debugPrintfEXT` must be a string"));
    };
    let mut operands = vec![codegen.b.string(text)];
    operands.extend(codegen.argument_values(values)?);
    if !codegen.target.at_least(SpirvVersion::V1_6) {
        codegen.b.extension("SPV_KHR_non_semantic_info");
    }
    let void = codegen.void_type();
    Ok(codegen.b.ext_inst(ExtSet::DebugPrintf, DEBUG_PRINTF, void, &operands))
}
