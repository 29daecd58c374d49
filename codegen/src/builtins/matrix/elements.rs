//! Reductions, and calls of a function for each element.

use coopmat_analysis::extensions::ids;
use coopmat_analysis::types::TypeKind;
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{CooperativeMatrixReduce, Word};

use super::operands::{MAINTENANCE, NV2, literal, required, stored};
use crate::builtins::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};

/// The extension that brings a function's instruction; the capabilities have the same number in both.
fn declare(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, capability: Capability) {
    let maintenance = call.function.is_provided_by(ids::GL_EXT_COOPERATIVE_MATRIX_MAINTENANCE1);
    codegen.b.extension(if maintenance { MAINTENANCE } else { NV2 });
    codegen.b.capability(capability);
}

/// `coopMatReduceNV(result, m, mask, combineOp)`
pub(super) fn reduce(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let (result, matrix) = (required(codegen, call, 0)?, required(codegen, call, 1)?);
    let (mask, function) = (required(codegen, call, 2)?, required(codegen, call, 3)?);
    declare(codegen, call, Capability::CooperativeMatrixReductionsNV);
    stored(codegen, result, |codegen, ty| {
        let value = codegen.value(matrix)?;
        let mask = CooperativeMatrixReduce::from_bits_retain(literal(codegen, mask, "`reduceMask`")?);
        let (function, _) = codegen.named_function(function)?;
        let ty = codegen.type_id(ty)?;
        let operands =
            vec![Operand::IdRef(value), Operand::CooperativeMatrixReduce(mask), Operand::IdRef(function)];
        Ok(codegen.b.value_with(Opcode::CooperativeMatrixReduceNV, ty, operands))
    })
}

/// `coopMatPerElementNV(result, m, elemOp, ...)`
pub(super) fn per_element(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let (result, matrix) = (required(codegen, call, 0)?, required(codegen, call, 1)?);
    let function = required(codegen, call, 2)?;
    declare(codegen, call, Capability::CooperativeMatrixPerElementOperationsNV);
    stored(codegen, result, |codegen, ty| {
        let value = codegen.value(matrix)?;
        let (id, function) = codegen.named_function(function)?;
        let mut operands = vec![value, id];
        let parameters = &codegen.hir.functions[function].parameters;
        // The function's first parameters are row, column and element.
        for (place, &argument) in call.arguments[3..].iter().enumerate() {
            let (from, given) = (codegen.ty(argument), codegen.value(argument)?);
            operands.push(match (codegen.types.kind(from), parameters.get(place + 3)) {
                // Of a matrix the function gets the corresponding element.
                (TypeKind::Coopmat(_), _) | (_, None) => given,
                (_, Some(parameter)) => codegen.convert_value(given, from, parameter.ty)?,
            });
        }
        let ty = codegen.type_id(ty)?;
        Ok(codegen.b.value(Opcode::CooperativeMatrixPerElementOpNV, ty, &operands))
    })
}
