//! Functions that are core instructions on their arguments: relations, bits, extended arithmetic, matrices, selection.

use coopmat_analysis::types::TypeKind;
use rspirv::dr::Operand;
use rspirv::spirv::{Capability, Op, Scope, Word};

use super::BuiltinCall;
use super::glsl450::spread_scalars;
use crate::codegen::{Codegen, Emit};

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let name = call.function.name;
    match name {
        "matrixCompMult" => return component_product(codegen, call),
        "umulExtended" | "imulExtended" | "uaddCarry" | "usubBorrow" => return extended(codegen, call),
        _ => {}
    }
    if let Some(newer) = call.newer {
        let values = codegen.argument_values(call.arguments)?;
        let ty = codegen.type_id(call.ty)?;
        if newer == coopmat_spirv::beyond::Op::BitcastExtractEXT {
            // The numbers stand in the registry; rspirv has no name for them yet.
            codegen.b.capability_number(coopmat_spirv::beyond::Capability::BitcastExtractEXT as u32);
        }
        return Ok(codegen.b.value(newer, ty, &values));
    }
    let Some(op) = call.op else { return Err(codegen.unsupported_builtin(call)) };
    for &argument in call.arguments {
        if let Some(scalar) = codegen.types.component(codegen.ty(argument)) {
            codegen.b.computes_with(scalar);
        }
    }
    let mut values = codegen.argument_values(call.arguments)?;
    let ty = codegen.type_id(call.ty)?;
    match op {
        // `mix(x, y, a)`: where `a` holds, `y`.
        Op::Select => match *values.as_slice() {
            [x, y, a] => values = [a, y, x].into_iter().collect(),
            _ => return Err(codegen.unsupported_builtin(call)),
        },
        Op::FMod => spread_scalars(codegen, call, &mut values)?,
        Op::ReadClockKHR => {
            codegen.b.extension("SPV_KHR_shader_clock");
            codegen.b.capability(Capability::ShaderClockKHR);
            let scope = if name.contains("Realtime") { Scope::Device } else { Scope::Subgroup };
            values.push(codegen.uint_constant(scope as u32));
        }
        Op::ExpectKHR | Op::AssumeTrueKHR => {
            codegen.b.extension("SPV_KHR_expect_assume");
            codegen.b.capability(Capability::ExpectAssumeKHR);
            if op == Op::AssumeTrueKHR {
                codegen.b.effect(op, &values);
                return Ok(0);
            }
        }
        // A dot product of scalars is their product.
        Op::Dot => {
            let scalars = call.arguments.iter().all(|&x| codegen.types.as_scalar(codegen.ty(x)).is_some());
            if scalars {
                return Ok(codegen.b.value(Op::FMul, ty, &values));
            }
        }
        Op::Any | Op::All | Op::IsHelperInvocationEXT => {}
        _ => {}
    }
    Ok(codegen.b.value_with(op, ty, values.into_iter().map(Operand::IdRef).collect()))
}

fn component_product(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let TypeKind::Matrix { component, columns, rows } = *codegen.types.kind(call.ty) else {
        return Err(codegen.unsupported_builtin(call));
    };
    let values = codegen.argument_values(call.arguments)?;
    codegen.by_column(call.ty, component, columns, rows, &values, |codegen, column, parts| {
        Ok(codegen.b.value(Op::FMul, column, parts))
    })
}

/// Carry, borrow and the high half of a product come as the second result.
fn extended(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some(op) = call.op else { return Err(codegen.unsupported_builtin(call)) };
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
