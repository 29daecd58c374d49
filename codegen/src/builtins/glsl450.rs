//! Functions of the extended instruction set GLSL.std.450 (mathematics, packing, bits).

use coopmat_analysis::extensions::ParameterDirection;
use coopmat_analysis::types::{Scalar, TypeKind};
use rspirv::spirv::{GlslStd450Op, Op, Word};

use super::BuiltinCall;
use crate::builder::ExtSet;
use crate::codegen::{Codegen, Emit};

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    // `frexp` and `ldexp` of 16-bit floats stand in one entry of the tables.
    if call.function.name == "ldexp" {
        let mut values = codegen.argument_values(call.arguments)?;
        if let (Some(exponent), Some(&argument)) = (values.get_mut(1), call.arguments.get(1)) {
            // The instruction takes exponents of 32 bits.
            if let Some((scalar, length)) = codegen.types.as_vector(codegen.ty(argument)) {
                *exponent = codegen.convert_scalars(*exponent, scalar, Scalar::Int32, length)?;
            }
        }
        let ty = codegen.type_id(call.ty)?;
        return Ok(codegen.b.ext_inst(ExtSet::Glsl450, GlslStd450Op::Ldexp as u32, ty, &values));
    }
    let Some(number) = call.extended else { return Err(codegen.unsupported_builtin(call)) };
    if call.function.parameters.iter().any(|parameter| parameter.direction != ParameterDirection::In) {
        return with_second_result(codegen, call);
    }
    let mut values = codegen.argument_values(call.arguments)?;
    spread_scalars(codegen, call, &mut values)?;
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.ext_inst(ExtSet::Glsl450, number, ty, &values))
}

/// `min(vec4, float)`: the instructions have operands of the result's type only.
pub(super) fn spread_scalars(
    codegen: &mut Codegen<'_>,
    call: &BuiltinCall<'_>,
    values: &mut [Word],
) -> Emit<()> {
    let is_vector = match codegen.types.as_vector(call.ty) {
        Some((_, length)) => length > 1,
        // Of a specialized length.
        None => matches!(codegen.types.kind(call.ty), TypeKind::LongVector(..)),
    };
    if !is_vector || !takes_vectors(call) {
        return Ok(());
    }
    let scalar = codegen.types.component(call.ty);
    for (value, &argument) in values.iter_mut().zip(call.arguments) {
        let ty = codegen.ty(argument);
        if codegen.types.as_scalar(ty).is_some_and(|given| Some(given) == scalar) {
            *value = codegen.spread(*value, ty, call.ty)?;
        }
    }
    Ok(())
}

/// Whether all operands have the result's type; `refract` has a scalar.
fn takes_vectors(call: &BuiltinCall<'_>) -> bool {
    call.function.name != "refract"
}

/// `modf` and `frexp`: the forms that give a structure need no variable to point at.
fn with_second_result(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let (&[x, second], "modf" | "frexp") = (call.arguments, call.function.name) else {
        return Err(codegen.unsupported_builtin(call));
    };
    let op = if call.function.name == "modf" { GlslStd450Op::ModfStruct } else { GlslStd450Op::FrexpStruct };
    let value = codegen.value(x)?;
    let first_ty = codegen.type_id(call.ty)?;
    // The exponents that the instruction gives have 32 bits.
    let narrow = match codegen.types.as_vector(codegen.ty(second)) {
        Some((scalar @ Scalar::Int16, length)) => Some((scalar, length)),
        _ => None,
    };
    let second_ty = match narrow {
        Some((_, length)) => codegen.vector_type(Scalar::Int32, length),
        None => codegen.type_id(codegen.ty(second))?,
    };
    let both = codegen.pair_type(first_ty, second_ty);
    let results = codegen.b.ext_inst(ExtSet::Glsl450, op as u32, both, &[value]);
    let mut written = codegen.extract(second_ty, results, 1);
    if let Some((scalar, length)) = narrow {
        written = codegen.convert_scalars(written, Scalar::Int32, scalar, length)?;
    }
    let mut place = codegen.required_place(second)?;
    codegen.store(&mut place, written)?;
    Ok(codegen.extract(first_ty, results, 0))
}

impl Codegen<'_> {
    /// The structure that instructions with two results give.
    pub fn pair_type(&mut self, first: Word, second: Word) -> Word {
        let mut known = std::mem::take(&mut self.table.result_structs);
        let id = self.result_struct_type(&[first, second], &mut known);
        self.table.result_structs = known;
        id
    }

    /// An instruction with two results of one type, as in extended arithmetic.
    pub fn two_results(&mut self, op: Op, ty: Word, operands: &[Word]) -> (Word, Word) {
        let both = self.pair_type(ty, ty);
        let results = self.b.value(op, both, operands);
        (self.extract(ty, results, 0), self.extract(ty, results, 1))
    }
}
