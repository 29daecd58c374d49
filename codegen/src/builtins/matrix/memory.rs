//! Loads and stores of matrices with a stride.

use coopmat_analysis::hir::ExprId;
use coopmat_analysis::types::{Scalar, Ty, TypeKind};
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{CooperativeMatrixLayout, StorageClass, Word};

use super::operands::{required, stored};
use crate::builtins::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};
use crate::places::Place;

/// `coopMatLoad(m, buf, element, stride, layout)` and `coopMatLoadNV(m, buf, element, stride, colMajor)`
pub(super) fn load(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let matrix = required(codegen, call, 0)?;
    stored(codegen, matrix, |codegen, ty| {
        let (op, operands) = operands(codegen, call, ty, None)?;
        let ty = codegen.type_id(ty)?;
        Ok(codegen.b.value_with(op, ty, operands))
    })
}

/// `coopMatStore(m, buf, element, stride, layout)` and `coopMatStoreNV(m, buf, element, stride, colMajor)`
pub(super) fn store(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let matrix = required(codegen, call, 0)?;
    let (value, ty) = (codegen.value(matrix)?, codegen.ty(matrix));
    let (op, operands) = operands(codegen, call, ty, Some(value))?;
    codegen.b.effect_with(op, operands);
    Ok(0)
}

/// The instruction and its operands. `object` is what is stored.
fn operands(
    codegen: &mut Codegen<'_>,
    call: &BuiltinCall<'_>,
    matrix: Ty,
    object: Option<Word>,
) -> Emit<(Opcode, Vec<Operand>)> {
    let (buffer, element) = (required(codegen, call, 1)?, required(codegen, call, 2)?);
    let (stride, order) = (required(codegen, call, 3)?, required(codegen, call, 4)?);
    let aligned = aligned_to(codegen, matrix, order);
    let (place, pointer) = element_pointer(codegen, buffer, element, aligned)?;
    let stride = codegen.value(stride)?;
    let version1 = matches!(codegen.types.kind(matrix), TypeKind::CoopmatNv(_));
    if !version1 {
        blocked_layout(codegen, order);
    }
    let order = codegen.value(order)?;
    let mut operands: Vec<Operand> = std::iter::once(pointer).chain(object).map(Operand::IdRef).collect();
    let op = match (version1, object) {
        (true, None) => Opcode::CooperativeMatrixLoadNV,
        (true, Some(_)) => Opcode::CooperativeMatrixStoreNV,
        (false, None) => Opcode::CooperativeMatrixLoadKHR,
        (false, Some(_)) => Opcode::CooperativeMatrixStoreKHR,
    };
    // The first version has the stride before the order.
    let pair = if version1 { [stride, order] } else { [order, stride] };
    operands.extend(pair.map(Operand::IdRef));
    operands.extend(codegen.memory_operands(&place, object.is_some()));
    Ok((op, operands))
}

/// Arm's blocked layouts have a capability of their own.
fn blocked_layout(codegen: &mut Codegen<'_>, order: ExprId) {
    let blocked = [
        CooperativeMatrixLayout::RowBlockedInterleavedARM,
        CooperativeMatrixLayout::ColumnBlockedInterleavedARM,
    ];
    let known = codegen.expr(order).constant.as_ref().and_then(|value| value.as_int());
    if known.is_some_and(|known| blocked.iter().any(|&layout| known == i128::from(layout as u32))) {
        codegen.b.extension("SPV_ARM_cooperative_matrix_layouts");
        codegen.b.capability(Capability::CooperativeMatrixLayoutsARM);
    }
}

/// A pointer to one element of an array in memory, and the place that it points to. `aligned`: what the shader guarantees of the
/// address, in bytes.
pub(super) fn element_pointer(
    codegen: &mut Codegen<'_>,
    array: ExprId,
    index: ExprId,
    aligned: u32,
) -> Emit<(Place, Word)> {
    let array_ty = codegen.ty(array);
    let TypeKind::Array(element, _) = *codegen.types.kind(array_ty) else {
        return Err(codegen.inconsistent("a matrix in memory that is no array"));
    };
    let mut place = codegen.required_place(array)?;
    codegen.select_element(&mut place, array_ty, index, element)?;
    if place.class == StorageClass::PhysicalStorageBuffer {
        let known = place.access.align & place.access.align.wrapping_neg();
        place.access.align = known.max(aligned);
    }
    // The pointer is the array's, as those who look at one argument see it.
    let before = codegen.enter(codegen.expr(array).range);
    let pointer = codegen.pointer(&mut place);
    codegen.leave(before);
    Ok((place, pointer?))
}

/// The alignment that a matrix has in memory: the smaller one of 16 bytes and the size of a row, or of a column for column-major
/// (GL_KHR_cooperative_matrix, "Cooperative Matrix Functions"). 1 where that depends on specialization.
fn aligned_to(codegen: &Codegen<'_>, matrix: Ty, order: ExprId) -> u32 {
    let Some(matrix) = codegen.as_coopmat(matrix) else { return 1 };
    let order = codegen.expr(order).constant.as_ref().and_then(|value| value.as_int());
    let length = match order {
        Some(0) => matrix.columns,
        Some(1) => matrix.rows,
        _ => return 1,
    };
    let Some(length) = codegen.types.symbols.as_int(length).and_then(|length| u32::try_from(length).ok())
    else {
        return 1;
    };
    let bytes = length.saturating_mul(Scalar::bytes(matrix.component)).clamp(1, 16);
    bytes & bytes.wrapping_neg()
}
