//! Functions that are one core instruction on their arguments as they are.

use rspirv::spirv::Word;

use super::BuiltinCall;
use crate::codegen::{Codegen, Emit};

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some(op) = call.op else { return Err(codegen.unsupported_builtin(call)) };
    let values = codegen.argument_values(call.arguments)?;
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value(op, ty, &values))
}
