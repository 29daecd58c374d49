//! Cooperative matrices: loads and stores, multiply-add, constructors, and what the extensions add.
//!
//! | module | does |
//! |---|---|
//! | `memory` | loads and stores with a stride (KHR, NV version 1, Arm's layouts) |
//! | `convert` | constructors, changes of component type and use, transposes |
//! | `tensor` | tensor layouts and views, loads and stores through them |
//! | `elements` | reductions and calls for each element |
//! | `operands` | arguments and results of such calls |
//! | `qcom` | arrays and matrices of GL_QCOM_cooperative_matrix_conversion |

mod convert;
mod elements;
mod memory;
pub(super) mod operands;
mod qcom;
mod tensor;

use coopmat_analysis::extensions::{Rule, values};
use coopmat_analysis::types::{Coopmat, Scalar, ScalarClass, Ty, TypeKind};
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{CooperativeMatrixOperands, Word};

use super::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};
use operands::{MAINTENANCE, literal};

pub(crate) use convert::saturated as saturated_conversion;

const SATURATING: u32 = values::GL_MATRIX_OPERANDS_SATURATING_ACCUMULATION as u32;

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some(rule) = call.function.rule else { return Err(codegen.unsupported_builtin(call)) };
    match rule {
        Rule::CoopMatCoordinate => coordinate(codegen, call),
        Rule::CoopMatLoad | Rule::CoopMatLoadNv => memory::load(codegen, call),
        Rule::CoopMatStore | Rule::CoopMatStoreNv => memory::store(codegen, call),
        Rule::CoopMatMulAdd => multiply_add(codegen, call),
        Rule::CoopMatMulAddNv => {
            let values = codegen.argument_values(call.arguments)?;
            let ty = codegen.type_id(call.ty)?;
            Ok(codegen.b.value(Opcode::CooperativeMatrixMulAddNV, ty, &values))
        }
        Rule::CoopMatLoadTensor => tensor::load(codegen, call),
        Rule::CoopMatStoreTensor => tensor::store(codegen, call),
        Rule::CreateTensorLayout | Rule::CreateTensorView => tensor::create(codegen, call),
        Rule::SetTensorLayout | Rule::SetTensorView => tensor::set(codegen, call),
        Rule::CoopMatReduce => elements::reduce(codegen, call),
        Rule::CoopMatPerElement => elements::per_element(codegen, call),
        Rule::CoopMatTranspose => convert::transpose(codegen, call),
        Rule::BitcastQcom
        | Rule::ExtractSubArrayQcom
        | Rule::VectorToCoopmatQcom
        | Rule::CoopmatToVectorQcom => qcom::lower(codegen, call),
        // The rules of other families.
        Rule::CoopVecMatMul
        | Rule::CoopVecAccumulate
        | Rule::CoopVecLoad
        | Rule::CoopVecStore
        | Rule::Atomic
        | Rule::Barrier
        | Rule::Subgroup
        | Rule::SubgroupClustered
        | Rule::DebugPrintf
        | Rule::Abort
        | Rule::TensorAccessArm
        | Rule::TensorSizeArm
        | Rule::Convert
        | Rule::NotAnalysed => Err(codegen.unsupported_builtin(call)),
    }
}

/// `coopMatMulAdd`: the operands say which components are signed, as SPIR-V's integer types need not.
fn multiply_add(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let [a, b, c, ..] = *call.arguments else {
        return Err(codegen.inconsistent("a multiply-add with too few matrices"));
    };
    let given = match call.argument(3) {
        Some(operands) => literal(codegen, operands, "`matrixOperands`")?,
        None => 0,
    };
    let mut operands = CooperativeMatrixOperands::empty();
    for (ty, bit) in [
        (codegen.ty(a), CooperativeMatrixOperands::MATRIX_A_SIGNED_COMPONENTS_KHR),
        (codegen.ty(b), CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR),
        (codegen.ty(c), CooperativeMatrixOperands::MATRIX_C_SIGNED_COMPONENTS_KHR),
        (call.ty, CooperativeMatrixOperands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR),
    ] {
        if codegen.types.component(ty).map(Scalar::class) == Some(ScalarClass::Signed) {
            operands |= bit;
        }
    }
    if given & SATURATING != 0 {
        operands |= CooperativeMatrixOperands::SATURATING_ACCUMULATION_KHR;
    }
    let mut words = vec![
        Operand::IdRef(codegen.value(a)?),
        Operand::IdRef(codegen.value(b)?),
        Operand::IdRef(codegen.value(c)?),
    ];
    if !operands.is_empty() {
        words.push(Operand::CooperativeMatrixOperands(operands));
    }
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value_with(Opcode::CooperativeMatrixMulAddKHR, ty, words))
}

/// `coopMatGetCoordinateEXT`
fn coordinate(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    if call.op != Some(Opcode::CooperativeMatrixGetCoordinateEXT) {
        return Err(codegen.unsupported_builtin(call));
    }
    codegen.b.extension(MAINTENANCE);
    codegen.b.capability(Capability::CooperativeMatrixGetCoordinateEXT);
    let values = codegen.argument_values(call.arguments)?;
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value(Opcode::CooperativeMatrixGetCoordinateEXT, ty, &values))
}

impl<'a> Codegen<'a> {
    fn matrix_component(&self, ty: Ty) -> Option<Scalar> {
        match *self.types.kind(ty) {
            TypeKind::CoopmatNv(matrix) => self.nv_component(matrix.class, matrix.bits),
            _ => self.types.component(ty),
        }
    }

    fn as_coopmat(&self, ty: Ty) -> Option<Coopmat> {
        match *self.types.kind(ty) {
            TypeKind::Coopmat(matrix) => Some(matrix),
            _ => None,
        }
    }

    /// Whether the shader has a type of cooperative matrices or vectors. These come with the Vulkan memory model: the memory operands of
    /// their loads and stores, and the scopes of the barriers between them, are defined in its terms.
    pub fn has_cooperative_types(types: &coopmat_analysis::types::Types) -> bool {
        let cooperative = |kind: &TypeKind| {
            matches!(kind, TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) | TypeKind::CoopVec(..))
        };
        types.all().any(cooperative)
    }
}
