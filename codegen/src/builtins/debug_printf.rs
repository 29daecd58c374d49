//! `debugPrintfEXT`.

use rspirv::spirv::Word;

use super::BuiltinCall;
use crate::codegen::{Codegen, Emit};

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    Err(codegen.unsupported_builtin(call))
}
