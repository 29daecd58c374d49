//! The matrix types and products of a module against the rows that a device advertises (`VkCooperativeMatrixPropertiesKHR`
//! and `VkCooperativeMatrixFlexibleDimensionsPropertiesNV`): what is in no row is undefined behaviour.

use coopmat_analysis::devices::{DeviceProfile, MatrixTypes};
use coopmat_analysis::types::Scalar;
use coopmat_spirv::dr::{Instruction, Operand};
use coopmat_spirv::spirv::{CooperativeMatrixOperands, FPEncoding, Op};
use rustc_hash::FxHashMap;

use crate::module::Program;

/// A matrix type whose sizes are known.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Matrix {
    component: Scalar,
    scope: u32,
    rows: u32,
    columns: u32,
    /// 0 A, 1 B, 2 accumulator.
    usage: u32,
}

/// # Errors
/// The first type or product that the device does not advertise.
pub(crate) fn check(program: &Program, profile: &DeviceProfile) -> Result<(), String> {
    let invocations = program.local_size().map(|size| size.iter().product::<u32>());
    let device = Device { profile, invocations };
    let mut types: FxHashMap<u32, Matrix> = FxHashMap::default();
    for instruction in &program.module.types_global_values {
        if instruction.class.opcode == Op::TypeCooperativeMatrixKHR
            && let Some(id) = instruction.result_id
            && let Some(matrix) = matrix(program, instruction)
        {
            if !device.has_type(matrix) {
                return Err(format!(
                    "{} has no cooperative matrix of {}; `coopmat-analyzer devices` lists those it supports",
                    profile.title,
                    describe(matrix)
                ));
            }
            types.insert(id, matrix);
        }
    }
    let blocks = program.module.functions.iter().flat_map(|function| &function.blocks);
    let mut values: FxHashMap<u32, Matrix> = FxHashMap::default();
    let mut products = Vec::new();
    for instruction in blocks.flat_map(|block| &block.instructions) {
        if let (Some(id), Some(ty)) = (instruction.result_id, instruction.result_type)
            && let Some(matrix) = types.get(&ty)
        {
            values.insert(id, *matrix);
            if instruction.class.opcode == Op::CooperativeMatrixMulAddKHR {
                products.push((instruction, *matrix));
            }
        }
    }
    let constants = program.module.types_global_values.iter();
    let parameters = program.module.functions.iter().flat_map(|function| &function.parameters);
    for instruction in constants.chain(parameters) {
        if let (Some(id), Some(ty)) = (instruction.result_id, instruction.result_type)
            && let Some(matrix) = types.get(&ty)
        {
            values.insert(id, *matrix);
        }
    }
    for (product, result) in products {
        let operand = |index| Program::operand(product, index).and_then(|id| values.get(&id)).copied();
        let (Some(a), Some(b), Some(c)) = (operand(0), operand(1), operand(2)) else { continue };
        let mask = match product.operands.get(3) {
            Some(Operand::CooperativeMatrixOperands(mask)) => *mask,
            _ => CooperativeMatrixOperands::empty(),
        };
        if !device.has_product(a, b, c, result, mask) {
            let saturating = mask.contains(CooperativeMatrixOperands::SATURATING_ACCUMULATION_KHR);
            return Err(format!(
                "{} does not multiply {} by {} into {}{}; `coopmat-analyzer devices` lists what it supports",
                profile.title,
                describe(a),
                describe(b),
                describe(result),
                if saturating { ", saturating" } else { "" }
            ));
        }
    }
    Ok(())
}

struct Device<'a> {
    profile: &'a DeviceProfile,
    /// Of a workgroup, where it is known.
    invocations: Option<u32>,
}

impl Device<'_> {
    fn has_type(&self, matrix: Matrix) -> bool {
        let Matrix { component, scope, rows, columns, usage } = matrix;
        let fits = |types: &MatrixTypes| {
            let wanted = match usage {
                0 => [types.a, types.a],
                1 => [types.b, types.b],
                _ => [types.c, types.result],
            };
            i64::from(scope) == types.scope.value()
                && wanted.iter().any(|wanted| same_width(*wanted, component))
        };
        let sizes = |m: u32, n: u32, k: u32| match usage {
            0 => [m, k],
            1 => [k, n],
            _ => [m, n],
        };
        let fixed = self.profile.cooperative_matrix_properties.iter();
        let mut flexible = self.profile.cooperative_matrix_flexible_dimensions_properties.iter();
        fixed.into_iter().any(|row| fits(&row.types) && sizes(row.m, row.n, row.k) == [rows, columns])
            || flexible.any(|row| {
                let [granule, other] = sizes(row.m, row.n, row.k);
                fits(&row.types)
                    && self.right_size(row.workgroup_invocations)
                    && rows.is_multiple_of(granule)
                    && columns.is_multiple_of(other)
            })
    }

    fn has_product(
        &self,
        a: Matrix,
        b: Matrix,
        c: Matrix,
        result: Matrix,
        mask: CooperativeMatrixOperands,
    ) -> bool {
        type Mask = CooperativeMatrixOperands;
        let signed = |matrix: Matrix, bit: Mask| with_sign(matrix.component, mask.contains(bit));
        let wanted = [
            signed(a, Mask::MATRIX_A_SIGNED_COMPONENTS_KHR),
            signed(b, Mask::MATRIX_B_SIGNED_COMPONENTS_KHR),
            signed(c, Mask::MATRIX_C_SIGNED_COMPONENTS_KHR),
            signed(result, Mask::MATRIX_RESULT_SIGNED_COMPONENTS_KHR),
        ];
        let saturating = mask.contains(Mask::SATURATING_ACCUMULATION_KHR);
        let fits = |types: &MatrixTypes| {
            [types.a, types.b, types.c, types.result] == wanted
                && types.saturating == saturating
                && types.scope.value() == i64::from(a.scope)
        };
        let (m, n, k) = (a.rows, b.columns, a.columns);
        let fixed = self.profile.cooperative_matrix_properties.iter();
        let mut flexible = self.profile.cooperative_matrix_flexible_dimensions_properties.iter();
        fixed.into_iter().any(|row| fits(&row.types) && [row.m, row.n, row.k] == [m, n, k])
            || flexible.any(|row| {
                fits(&row.types)
                    && self.right_size(row.workgroup_invocations)
                    && m.is_multiple_of(row.m)
                    && n.is_multiple_of(row.n)
                    && k.is_multiple_of(row.k)
            })
    }

    /// Whether a row is for workgroups of this size; 0 is for those of any.
    fn right_size(&self, wanted: u32) -> bool {
        wanted == 0 || self.invocations.is_none_or(|invocations| invocations == wanted)
    }
}

fn matrix(program: &Program, ty: &Instruction) -> Option<Matrix> {
    let value = |index| Program::operand(ty, index).and_then(|id| program.size(id));
    let component = scalar(program.definition(Program::operand(ty, 0)?)?)?;
    Some(Matrix { component, scope: value(1)?, rows: value(2)?, columns: value(3)?, usage: value(4)? })
}

pub(crate) fn scalar(ty: &Instruction) -> Option<Scalar> {
    let width = Program::operand(ty, 0)?;
    Some(match (ty.class.opcode, width) {
        (Op::TypeInt, _) => {
            let signed = Program::operand(ty, 1)? != 0;
            match width {
                8 => with_sign(Scalar::Uint8, signed),
                16 => with_sign(Scalar::Uint16, signed),
                32 => with_sign(Scalar::Uint32, signed),
                64 => with_sign(Scalar::Uint64, signed),
                _ => return None,
            }
        }
        (Op::TypeFloat, _) => match (width, ty.operands.get(1)) {
            (16, None) => Scalar::Float16,
            (32, None) => Scalar::Float32,
            (64, None) => Scalar::Float64,
            (_, Some(Operand::FPEncoding(FPEncoding::BFloat16KHR))) => Scalar::BFloat16,
            (_, Some(Operand::FPEncoding(FPEncoding::Float8E4M3EXT))) => Scalar::FloatE4M3,
            (_, Some(Operand::FPEncoding(FPEncoding::Float8E5M2EXT))) => Scalar::FloatE5M2,
            _ => return None,
        },
        _ => return None,
    })
}

/// In SPIR-V the signs of integers are an operand of the multiplication.
pub(crate) fn with_sign(scalar: Scalar, signed: bool) -> Scalar {
    match (scalar, signed) {
        (Scalar::Int8 | Scalar::Uint8, true) => Scalar::Int8,
        (Scalar::Int8 | Scalar::Uint8, false) => Scalar::Uint8,
        (Scalar::Int16 | Scalar::Uint16, true) => Scalar::Int16,
        (Scalar::Int16 | Scalar::Uint16, false) => Scalar::Uint16,
        (Scalar::Int32 | Scalar::Uint32, true) => Scalar::Int32,
        (Scalar::Int32 | Scalar::Uint32, false) => Scalar::Uint32,
        (Scalar::Int64 | Scalar::Uint64, true) => Scalar::Int64,
        (Scalar::Int64 | Scalar::Uint64, false) => Scalar::Uint64,
        (other, _) => other,
    }
}

fn same_width(one: Scalar, other: Scalar) -> bool {
    with_sign(one, false) == with_sign(other, false)
}

fn describe(matrix: Matrix) -> String {
    let usage = match matrix.usage {
        0 => "A",
        1 => "B",
        _ => "accumulator",
    };
    let scope = match matrix.scope {
        1 => "device",
        2 => "workgroup",
        3 => "subgroup",
        _ => "another",
    };
    format!("{}x{} {:?} (use {usage}, {scope} scope)", matrix.rows, matrix.columns, matrix.component)
}
