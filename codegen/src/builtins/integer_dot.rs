//! Integer dot products (GL_EXT_integer_dot_product, SPV_KHR_integer_dot_product).

use coopmat_analysis::extensions::FixedOperand;
use coopmat_analysis::types::{Scalar, ScalarClass};
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{PackedVectorFormat, Word};

use super::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};
use crate::target::SpirvVersion;

const EXTENSION: &str = "SPV_KHR_integer_dot_product";

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let &[a, b, ..] = call.arguments else { return Err(codegen.unsupported_builtin(call)) };
    let packed = call.function.has(FixedOperand::Packed);
    let (Some((left, length)), Some((right, _))) =
        (codegen.types.as_vector(codegen.ty(a)), codegen.types.as_vector(codegen.ty(b)))
    else {
        return Err(codegen.unsupported_builtin(call));
    };
    let signed = |scalar: Scalar| scalar.class() == ScalarClass::Signed;
    let mut values = codegen.argument_values(call.arguments)?;
    let accumulates = values.len() > 2;
    let op = match (signed(left), signed(right), accumulates) {
        (false, false, false) => Opcode::UDot,
        (false, false, true) => Opcode::UDotAccSat,
        (true, true, false) => Opcode::SDot,
        (true, true, true) => Opcode::SDotAccSat,
        (_, _, false) => Opcode::SUDot,
        (_, _, true) => Opcode::SUDotAccSat,
    };
    // The mixed instructions have the signed operand first.
    if !signed(left) && signed(right) {
        values.swap(0, 1);
    }
    for scalar in [left, right] {
        // The packed forms have integers of 32 bits; of vectors of four bytes the input's capability says all.
        if packed || left.bits() != 8 || length != 4 {
            codegen.b.computes_with(scalar);
        }
    }
    codegen.capability(Capability::DotProduct, EXTENSION, SpirvVersion::V1_6);
    let input = if packed {
        Capability::DotProductInput4x8BitPacked
    } else if left.bits() == 8 && length == 4 {
        Capability::DotProductInput4x8Bit
    } else {
        Capability::DotProductInputAll
    };
    codegen.capability(input, EXTENSION, SpirvVersion::V1_6);
    let ty = codegen.type_id(call.ty)?;
    let mut operands: Vec<Operand> = values.into_iter().map(Operand::IdRef).collect();
    if packed {
        operands.push(Operand::PackedVectorFormat(PackedVectorFormat::PackedVectorFormat4x8Bit));
    }
    Ok(codegen.b.value_with(op, ty, operands))
}
