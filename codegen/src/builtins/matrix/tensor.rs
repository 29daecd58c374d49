//! Tensor layouts and views, and the loads and stores that go through them.

use coopmat_analysis::hir::{Const, ExprId, ExprKind};
use coopmat_analysis::types::{Scalar, TypeKind};
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{MemoryAccess, TensorAddressingOperands, Word};

use super::memory::element_pointer;
use super::operands::{NV2, required, stored};
use crate::builtins::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};

/// The address that the element offset leads to is a multiple of this.
const ALIGNMENT: u32 = 16;

/// `createTensorLayoutNV` and `createTensorViewNV`: the arguments are in the type.
pub(super) fn create(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let ty = codegen.type_id(call.ty)?;
    let op = instruction(codegen, call)?;
    Ok(codegen.b.value(op, ty, &[]))
}

/// `setTensorLayout...NV`, `sliceTensorLayoutNV`, `setTensorView...NV`: the object, then 32-bit integers.
pub(super) fn set(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let op = instruction(codegen, call)?;
    let mut operands = Vec::with_capacity(call.arguments.len());
    for &argument in call.arguments {
        let expr = codegen.expr(argument);
        operands.push(
            match (codegen.types.as_scalar(expr.ty), expr.constant.as_ref().and_then(Const::as_int)) {
                (Some(_), Some(known)) => codegen.integer_constant(Scalar::Uint32, known),
                (Some(Scalar::Uint32) | None, _) => codegen.value(argument)?,
                (Some(scalar), None) => {
                    let value = codegen.value(argument)?;
                    codegen.convert_scalars(value, scalar, Scalar::Uint32, 1)?
                }
            },
        );
    }
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value(op, ty, &operands))
}

fn instruction(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Opcode> {
    call.op.ok_or_else(|| codegen.unsupported_builtin(call))
}

/// `coopMatLoadTensorNV(m, buf, elementOffset, layout [, view] [, decodeFunc [, decodeVectorFunc]])`
pub(super) fn load(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let matrix = required(codegen, call, 0)?;
    stored(codegen, matrix, |codegen, ty| {
        let access = access(codegen, call, false)?;
        // What is clipped keeps its value.
        let object = codegen.value(matrix)?;
        let ty = codegen.type_id(ty)?;
        Ok(codegen.b.value_with(Opcode::CooperativeMatrixLoadTensorNV, ty, access.operands(object)))
    })
}

/// `coopMatStoreTensorNV(m, buf, elementOffset, layout [, view])`
pub(super) fn store(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let matrix = required(codegen, call, 0)?;
    let object = codegen.value(matrix)?;
    let access = access(codegen, call, true)?;
    codegen.b.effect_with(Opcode::CooperativeMatrixStoreTensorNV, access.operands(object));
    Ok(0)
}

/// The operands that loads and stores share.
struct Access {
    pointer: Word,
    layout: Word,
    memory: Vec<Operand>,
    addressing: Vec<Operand>,
}

impl Access {
    fn operands(self, object: Word) -> Vec<Operand> {
        let mut operands: Vec<Operand> = [self.pointer, object, self.layout].map(Operand::IdRef).into();
        operands.extend(self.memory);
        operands.extend(self.addressing);
        operands
    }
}

fn access(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, store: bool) -> Emit<Access> {
    let (buffer, offset) = (required(codegen, call, 1)?, required(codegen, call, 2)?);
    let layout = required(codegen, call, 3)?;
    codegen.b.extension(NV2);
    codegen.b.capability(Capability::CooperativeMatrixTensorAddressingNV);
    let (place, pointer) = element_pointer(codegen, buffer, offset, ALIGNMENT)?;
    let layout = codegen.value(layout)?;
    // Both masks are always there.
    let mut memory = codegen.memory_operands(&place, store).to_vec();
    if memory.is_empty() {
        memory.push(Operand::MemoryAccess(MemoryAccess::NONE));
    }
    let addressing = addressing(codegen, call.arguments.get(4..).unwrap_or_default())?;
    Ok(Access { pointer, layout, memory, addressing })
}

/// The arguments after the layout: a view, a function that decodes one element, one that decodes several.
fn addressing(codegen: &mut Codegen<'_>, arguments: &[ExprId]) -> Emit<Vec<Operand>> {
    let mut mask = TensorAddressingOperands::NONE;
    let mut ids = Vec::new();
    for &argument in arguments {
        if let TypeKind::TensorView { .. } = codegen.types.kind(codegen.ty(argument)) {
            mask |= TensorAddressingOperands::TENSOR_VIEW;
            ids.push(codegen.value(argument)?);
        } else if let ExprKind::FunctionName { .. } = codegen.expr(argument).kind {
            if mask.contains(TensorAddressingOperands::DECODE_FUNC) {
                codegen.b.extension("SPV_NV_cooperative_matrix_decode_vector");
                codegen.b.capability(Capability::CooperativeMatrixDecodeVectorNV);
                mask |= coopmat_spirv::grammar::DECODE_VECTOR_FUNC;
            } else {
                codegen.b.capability(Capability::CooperativeMatrixBlockLoadsNV);
                mask |= TensorAddressingOperands::DECODE_FUNC;
            }
            ids.push(codegen.named_function(argument)?.0);
        } else {
            return Err(codegen.inconsistent("an argument that is neither a view nor a function"));
        }
    }
    let mut operands = vec![Operand::TensorAddressingOperands(mask)];
    operands.extend(ids.into_iter().map(Operand::IdRef));
    Ok(operands)
}
