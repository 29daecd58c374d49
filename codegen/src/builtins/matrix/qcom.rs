//! The four functions of GL_QCOM_cooperative_matrix_conversion. Each reads its first argument and writes its last.

use coopmat_analysis::extensions::sets;
use coopmat_analysis::types::TypeKind;
use coopmat_spirv::{Capability, Opcode};
use rspirv::spirv::Word;

use super::operands::stored;
use crate::builtins::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};

pub(super) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let op = match call.op {
        Some(
            op @ (Opcode::BitCastArrayQCOM
            | Opcode::ExtractSubArrayQCOM
            | Opcode::CompositeConstructCoopMatQCOM
            | Opcode::CompositeExtractCoopMatQCOM),
        ) => op,
        _ => return Err(codegen.unsupported_builtin(call)),
    };
    let Some((&result, inputs)) = call.arguments.split_last() else {
        return Err(codegen.inconsistent("a call without arguments"));
    };
    let is_refused = |codegen: &Codegen<'_>, ty| match codegen.types.kind(ty) {
        TypeKind::Coopmat(matrix) => {
            let usage = codegen.types.symbols.as_int(matrix.usage);
            usage.is_some_and(|usage| sets::GL_MATRIX_USE.with_value(usage).is_none())
        }
        _ => false,
    };
    if call.arguments.iter().any(|&argument| is_refused(codegen, codegen.ty(argument))) {
        return Err(codegen.fail("a matrix is converted by its use, and this one has none that there is"));
    }
    codegen.b.extension("SPV_QCOM_cooperative_matrix_conversion");
    codegen.b.capability(Capability::CooperativeMatrixConversionQCOM);
    stored(codegen, result, |codegen, ty| {
        let values = codegen.argument_values(inputs)?;
        let ty = codegen.type_id(ty)?;
        Ok(codegen.b.value(op, ty, &values))
    })
}
