//! Instructions of AMD's extended sets, each of which is called like the extension that brings it (SPV_AMD_gcn_shader,
//! SPV_AMD_shader_ballot, SPV_AMD_shader_trinary_minmax): the tables write the set before the instruction.

use coopmat_spirv::{Opcode, extended};
use rspirv::dr::Operand;
use rspirv::spirv::Word;

use super::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};

/// How the instructions begin that this family compiles.
pub(super) const PREFIXES: &[&str] = &["SPV_AMD_"];

pub(super) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let named = call.function.instruction.split_once(' ');
    let Some((set, number)) = named.and_then(|(set, name)| Some((set, extended::number(set, name)?))) else {
        return Err(codegen.unsupported_builtin(call));
    };
    let values = codegen.argument_values(call.arguments)?;
    let ty = codegen.type_id(call.ty)?;
    codegen.b.extension(set);
    let set = codegen.b.named_ext_set(set);
    let mut operands = vec![Operand::IdRef(set), Operand::LiteralExtInstInteger(number)];
    operands.extend(values.into_iter().map(Operand::IdRef));
    Ok(codegen.b.value_with(Opcode::ExtInst, ty, operands))
}
