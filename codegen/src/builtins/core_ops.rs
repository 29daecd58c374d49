//! Functions that are one core instruction on their arguments as they are.

use rspirv::spirv::Word;

use super::BuiltinCall;
use crate::codegen::{Codegen, Emit};

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    use coopmat_analysis::extensions::ParameterDirection;
    let writes = |parameter: &coopmat_analysis::extensions::BuiltinParameter| {
        parameter.direction != ParameterDirection::In
    };
    if call.function.parameters.iter().any(writes) {
        // `umulExtended` and its kin: two results.
        return Err(codegen.unsupported_builtin(call));
    }
    let Some(op) = call.op else { return Err(codegen.unsupported_builtin(call)) };
    let values = codegen.argument_values(call.arguments)?;
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value(op, ty, &values))
}
