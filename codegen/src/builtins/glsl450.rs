//! Functions of the extended instruction set GLSL.std.450 (mathematics, packing, bits).

use coopmat_analysis::extensions::ParameterDirection;
use coopmat_analysis::types::{Scalar, ScalarClass, TypeKind};
use coopmat_spirv::{Capability, Opcode};
use rspirv::spirv::{GlslStd450Op, Word};

use super::call::BuiltinCall;
use crate::builder::ExtSet;
use crate::codegen::{Codegen, Emit};

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some(number) = call.extended else { return Err(codegen.unsupported_builtin(call)) };
    let op = GlslStd450Op::from_u32(number);
    if op == Some(GlslStd450Op::Ldexp) {
        let mut values = codegen.argument_values(call.arguments)?;
        if let (Some(exponent), Some(&argument)) = (values.get_mut(1), call.arguments.get(1)) {
            // The instruction takes exponents of 32 bits.
            if let Some((scalar, length)) = codegen.types.as_vector(codegen.ty(argument)) {
                *exponent = codegen.convert_scalars(*exponent, scalar, Scalar::Int32, length)?;
            }
        }
        let ty = codegen.type_id(call.ty)?;
        return Ok(codegen.b.ext_inst(ExtSet::Glsl450, number, ty, &values));
    }
    if let Some(GlslStd450Op::FindSMsb | GlslStd450Op::FindUMsb) = op {
        return highest_bit(codegen, call);
    }
    if call.function.parameters.iter().any(|parameter| parameter.direction != ParameterDirection::In) {
        return with_second_result(codegen, call, number);
    }
    if let Some(
        GlslStd450Op::InterpolateAtCentroid
        | GlslStd450Op::InterpolateAtSample
        | GlslStd450Op::InterpolateAtOffset,
    ) = op
    {
        return interpolate(codegen, call, number);
    }
    let mut values = codegen.argument_values(call.arguments)?;
    spread_scalars(codegen, call, &mut values)?;
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.ext_inst(ExtSet::Glsl450, number, ty, &values))
}

/// `interpolateAtCentroid` and its kin take the input itself, of which components are taken afterwards.
fn interpolate(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, number: u32) -> Emit<Word> {
    let Some((&interpolant, others)) = call.arguments.split_first() else {
        return Err(codegen.unsupported_builtin(call));
    };
    codegen.b.capability(Capability::InterpolationFunction);
    let mut place = codegen.required_place(interpolant)?;
    let swizzle = place.take_swizzle();
    let whole = place.ty;
    let pointer = codegen.pointer(&mut place)?;
    let mut operands = vec![pointer];
    operands.extend(codegen.argument_values(others)?);
    let ty = codegen.type_id(whole)?;
    let value = codegen.b.ext_inst(ExtSet::Glsl450, number, ty, &operands);
    match swizzle {
        Some(swizzle) => codegen.shuffle(value, whole, swizzle),
        None => Ok(value),
    }
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
    call.extended != Some(GlslStd450Op::Refract as u32)
}

/// `modf` and `frexp`: the forms that give a structure need no variable to point at.
fn with_second_result(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, number: u32) -> Emit<Word> {
    let (&[x, second], Some(GlslStd450Op::ModfStruct | GlslStd450Op::FrexpStruct)) =
        (call.arguments, GlslStd450Op::from_u32(number))
    else {
        return Err(codegen.unsupported_builtin(call));
    };
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
    // Parts of a structure of small numbers are taken out, which storage alone does not allow.
    codegen.b.computes_in(first_ty);
    let both = codegen.pair_type(first_ty, second_ty);
    let results = codegen.b.ext_inst(ExtSet::Glsl450, number, both, &[value]);
    let mut written = codegen.extract(second_ty, results, 1);
    if let Some((scalar, length)) = narrow {
        written = codegen.convert_scalars(written, Scalar::Int32, scalar, length)?;
    }
    let mut place = codegen.required_place(second)?;
    codegen.store(&mut place, written)?;
    Ok(codegen.extract(first_ty, results, 0))
}

/// `findMSB`: the instructions take integers of 32 bits. Shorter ones are extended, of longer ones the upper half is looked at first.
fn highest_bit(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let (Some(number), &[argument]) = (call.extended, call.arguments) else {
        return Err(codegen.unsupported_builtin(call));
    };
    let (Some((scalar, length)), Some((result, _))) =
        (codegen.types.as_vector(codegen.ty(argument)), codegen.types.as_vector(call.ty))
    else {
        // Vectors of a specialized length.
        let value = codegen.value(argument)?;
        let ty = codegen.type_id(call.ty)?;
        return Ok(codegen.b.ext_inst(ExtSet::Glsl450, number, ty, &[value]));
    };
    let value = codegen.value(argument)?;
    let signed = scalar.class() == ScalarClass::Signed;
    let int = codegen.vector_type(Scalar::Int32, length);
    let found = match scalar.bits() {
        32 => {
            let ty = codegen.type_id(call.ty)?;
            return Ok(codegen.b.ext_inst(ExtSet::Glsl450, number, ty, &[value]));
        }
        64 => {
            let (long, short) =
                (codegen.vector_type(Scalar::Uint64, length), codegen.vector_type(Scalar::Uint32, length));
            let bools = codegen.vector_type(Scalar::Bool, length);
            let mut bits = value;
            if signed {
                // Of a negative number the highest bit that is 0 counts.
                let own = codegen.vector_type(scalar, length);
                let places = codegen.integer_constant(Scalar::Int32, 63);
                let places = codegen.splat_constant(Scalar::Int32, length, places);
                let sign = codegen.b.value(Opcode::ShiftRightArithmetic, own, &[value, places]);
                let turned = codegen.b.value(Opcode::BitwiseXor, own, &[value, sign]);
                bits = codegen.b.value(Opcode::Bitcast, long, &[turned]);
            }
            let constant = |codegen: &mut Codegen<'_>, scalar, value| {
                let value = codegen.integer_constant(scalar, value);
                codegen.splat_constant(scalar, length, value)
            };
            let places = constant(codegen, Scalar::Uint32, 32);
            let upper = codegen.b.value(Opcode::ShiftRightLogical, long, &[bits, places]);
            let upper = codegen.b.value(Opcode::UConvert, short, &[upper]);
            let lower = codegen.b.value(Opcode::UConvert, short, &[bits]);
            let unsigned = GlslStd450Op::FindUMsb as u32;
            let in_upper = codegen.b.ext_inst(ExtSet::Glsl450, unsigned, int, &[upper]);
            let in_lower = codegen.b.ext_inst(ExtSet::Glsl450, unsigned, int, &[lower]);
            let (zero, more) = (constant(codegen, Scalar::Uint32, 0), constant(codegen, Scalar::Int32, 32));
            let any = codegen.b.value(Opcode::INotEqual, bools, &[upper, zero]);
            let in_upper = codegen.b.value(Opcode::IAdd, int, &[in_upper, more]);
            codegen.b.value(Opcode::Select, int, &[any, in_upper, in_lower])
        }
        _ => {
            let wide = if signed { Scalar::Int32 } else { Scalar::Uint32 };
            let value = codegen.convert_scalars(value, scalar, wide, length)?;
            codegen.b.ext_inst(ExtSet::Glsl450, number, int, &[value])
        }
    };
    codegen.convert_scalars(found, Scalar::Int32, result, length)
}

impl Codegen<'_> {
    /// The structure that instructions with two results give.
    pub fn pair_type(&mut self, first: Word, second: Word) -> Word {
        self.results_type(&[first, second])
    }

    /// The structure that instructions with several results give.
    pub fn results_type(&mut self, members: &[Word]) -> Word {
        let mut known = std::mem::take(&mut self.table.result_structs);
        let id = self.result_struct_type(members, &mut known);
        self.table.result_structs = known;
        id
    }

    /// An instruction with two results of one type, as in extended arithmetic.
    pub fn two_results(&mut self, op: Opcode, ty: Word, operands: &[Word]) -> (Word, Word) {
        let both = self.pair_type(ty, ty);
        let results = self.b.value(op, both, operands);
        (self.extract(ty, results, 0), self.extract(ty, results, 1))
    }
}
