//! Functions that are core instructions on their arguments: relations, bits, extended arithmetic, matrices, selection.

use coopmat_analysis::extensions::FixedOperand;
use coopmat_analysis::types::{Scalar, TypeKind};
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{Scope, Word};

use super::call::BuiltinCall;
use super::glsl450::spread_scalars;
use crate::codegen::{Codegen, Emit};

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some(op) = call.op else { return Err(codegen.unsupported_builtin(call)) };
    if op == Opcode::BitcastExtractEXT {
        let values = codegen.argument_values(call.arguments)?;
        let ty = codegen.type_id(call.ty)?;
        codegen.b.capability(Capability::BitcastExtractEXT);
        return Ok(codegen.b.value(op, ty, &values));
    }
    match op {
        Opcode::FMul => return component_product(codegen, call),
        Opcode::UMulExtended | Opcode::SMulExtended | Opcode::IAddCarry | Opcode::ISubBorrow => {
            return extended(codegen, call, op);
        }
        _ => {}
    }
    for &argument in call.arguments {
        if let Some(scalar) = codegen.types.component(codegen.ty(argument)) {
            codegen.b.computes_with(scalar);
        }
    }
    let mut values = codegen.argument_values(call.arguments)?;
    let ty = codegen.type_id(call.ty)?;
    match op {
        // `mix(x, y, a)`: where `a` holds, `y`.
        Opcode::Select => match *values.as_slice() {
            [x, y, a] => values = [a, y, x].into_iter().collect(),
            _ => return Err(codegen.unsupported_builtin(call)),
        },
        Opcode::FMod => spread_scalars(codegen, call, &mut values)?,
        Opcode::ReadClockKHR => {
            codegen.b.extension("SPV_KHR_shader_clock");
            codegen.b.capability(Capability::ShaderClockKHR);
            let scope = if call.function.has(FixedOperand::Device) { Scope::Device } else { Scope::Subgroup };
            values.push(codegen.uint_constant(scope as u32));
        }
        Opcode::ExpectKHR | Opcode::AssumeTrueKHR => {
            codegen.b.extension("SPV_KHR_expect_assume");
            codegen.b.capability(Capability::ExpectAssumeKHR);
            if op == Opcode::AssumeTrueKHR {
                codegen.b.effect(op, &values);
                return Ok(0);
            }
        }
        coopmat_spirv::family!(IntegerFunction) => {
            codegen.b.extension("SPV_INTEL_shader_integer_functions2");
            codegen.b.capability(Capability::IntegerFunctions2INTEL);
            // `multiply32x16` takes its second factor in 16 bits, too, while the instruction's operands are of one type.
            let second = call.arguments.get(1).and_then(|&y| codegen.types.as_vector(codegen.ty(y)));
            let result = codegen.types.as_vector(call.ty);
            if let (Opcode::UMul32x16INTEL | Opcode::IMul32x16INTEL, Some((from, length)), Some((to, _))) =
                (op, second, result)
                && let [_, y] = values.as_mut_slice()
            {
                *y = codegen.convert_scalars(*y, from, to, length)?;
            }
        }
        // A dot product of scalars is their product.
        Opcode::Dot => {
            let scalars = call.arguments.iter().all(|&x| codegen.types.as_scalar(codegen.ty(x)).is_some());
            let small = codegen.types.component(call.ty) == Some(Scalar::BFloat16);
            match (scalars, small) {
                (true, false) => return Ok(codegen.b.value(Opcode::FMul, ty, &values)),
                // There is no multiplication of such numbers; that of 32 bits is exact before it is rounded.
                (true, true) => {
                    let mut wide: Vec<Word> = Vec::with_capacity(2);
                    for value in values {
                        wide.push(codegen.convert_scalars(value, Scalar::BFloat16, Scalar::Float32, 1)?);
                    }
                    let float = codegen.float_type();
                    let product = codegen.b.value(Opcode::FMul, float, &wide);
                    return codegen.convert_scalars(product, Scalar::Float32, Scalar::BFloat16, 1);
                }
                (false, true) => codegen.b.capability(Capability::BFloat16DotProductKHR),
                (false, false) => {}
            }
        }
        Opcode::DPdx
        | Opcode::DPdy
        | Opcode::Fwidth
        | Opcode::DPdxCoarse
        | Opcode::DPdyCoarse
        | Opcode::FwidthCoarse
        | Opcode::DPdxFine
        | Opcode::DPdyFine
        | Opcode::FwidthFine => return derivative(codegen, call, op, &values),
        _ => {}
    }
    Ok(codegen.b.value_with(op, ty, values.into_iter().map(Operand::IdRef).collect()))
}

/// A derivative; the instructions take numbers of 32 bits.
fn derivative(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, op: Opcode, values: &[Word]) -> Emit<Word> {
    if codegen.derivatives_are_zero() {
        let ty = codegen.type_id(call.ty)?;
        return Ok(codegen.null_constant(ty));
    }
    codegen.needs_derivatives(call.function.name)?;
    if !matches!(op, Opcode::DPdx | Opcode::DPdy | Opcode::Fwidth) {
        codegen.b.capability(Capability::DerivativeControl);
    }
    let (Some((scalar, length)), &[value]) = (codegen.types.as_vector(call.ty), values) else {
        return Err(codegen.unsupported_builtin(call));
    };
    if scalar == Scalar::Float64 {
        return Err(codegen.fail("Vulkan has no derivatives of 64-bit numbers: convert to `float`"));
    }
    let value = codegen.convert_scalars(value, scalar, Scalar::Float32, length)?;
    let ty = codegen.vector_type(Scalar::Float32, length);
    let result = codegen.b.value(op, ty, &[value]);
    codegen.convert_scalars(result, Scalar::Float32, scalar, length)
}

fn component_product(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let TypeKind::Matrix { component, columns, rows } = *codegen.types.kind(call.ty) else {
        return Err(codegen.unsupported_builtin(call));
    };
    let values = codegen.argument_values(call.arguments)?;
    codegen.by_column(call.ty, component, columns, rows, &values, |codegen, column, parts| {
        Ok(codegen.b.value(Opcode::FMul, column, parts))
    })
}

/// Carry, borrow and the high half of a product come as the second result.
fn extended(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, op: Opcode) -> Emit<Word> {
    let [x, y, outs @ ..] = call.arguments else { return Err(codegen.unsupported_builtin(call)) };
    let Some(&first_out) = outs.first() else { return Err(codegen.unsupported_builtin(call)) };
    let (x, y) = (codegen.value(*x)?, codegen.value(*y)?);
    let ty = codegen.type_id(codegen.ty(first_out))?;
    let (low, high) = codegen.two_results(op, ty, &[x, y]);
    let mut place = codegen.required_place(first_out)?;
    codegen.store(&mut place, high)?;
    if let Some(&low_out) = outs.get(1) {
        let mut place = codegen.required_place(low_out)?;
        codegen.store(&mut place, low)?;
        return Ok(0);
    }
    Ok(low)
}
