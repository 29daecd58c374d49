//! The products of cooperative vectors of a module against the rows that a device advertises (`VkCooperativeVectorPropertiesNV`): what is in no
//! row is undefined behaviour.

use coopmat_analysis::devices::{DeviceProfile, Interpretation};
use coopmat_analysis::types::Scalar;
use coopmat_spirv::dr::{Instruction, Operand};
use coopmat_spirv::spirv::{CooperativeMatrixOperands, Op};
use rustc_hash::FxHashMap;

use crate::module::Program;
use crate::shapes::{scalar, with_sign};

/// # Errors
/// The first product that the device does not advertise.
pub(crate) fn check(program: &Program, profile: &DeviceProfile) -> Result<(), String> {
    let mut values: FxHashMap<u32, u32> = FxHashMap::default();
    let functions = &program.module.functions;
    let instructions = functions.iter().flat_map(|function| {
        let body = function.blocks.iter().flat_map(|block| &block.instructions);
        function.parameters.iter().chain(body)
    });
    let all = program.module.types_global_values.iter().chain(instructions);
    for instruction in all {
        if let (Some(id), Some(ty)) = (instruction.result_id, instruction.result_type) {
            values.insert(id, ty);
        }
        let bias = match instruction.class.opcode {
            Op::CooperativeVectorMatrixMulNV => false,
            Op::CooperativeVectorMatrixMulAddNV => true,
            _ => continue,
        };
        if let Some(Err(product)) = one(program, profile, &values, instruction, bias) {
            return Err(format!(
                "{} does not multiply {product}; `coopmat-analyzer devices` lists what it supports",
                profile.title
            ));
        }
    }
    Ok(())
}

/// Whether a product is one of the rows, else what it is; nothing where its operands are not known.
fn one(
    program: &Program,
    profile: &DeviceProfile,
    values: &FxHashMap<u32, u32>,
    product: &Instruction,
    bias: bool,
) -> Option<Result<(), String>> {
    let signed = product.operands.iter().find_map(|operand| match operand {
        Operand::CooperativeMatrixOperands(mask) => Some(*mask),
        _ => None,
    });
    let signed = |bit| signed.is_some_and(|mask| mask.contains(bit));
    let component = |vector: u32, bit| {
        let component = Program::operand(program.definition(vector)?, 0)?;
        let component = scalar(program.definition(component)?)?;
        // Types of SPIR-V need not say which integers are signed: the instruction does.
        Some(if signed(bit) { with_sign(component, true) } else { component })
    };
    let interpretation =
        |index: usize| Interpretation::of_vulkan(program.size(Program::operand(product, index)?)?);
    // Input, its interpretation, matrix, offset, interpretation; bias, offset, interpretation; M, K, layout, transpose, stride.
    let input = component(
        *values.get(&Program::operand(product, 0)?)?,
        CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR,
    )?;
    let result =
        component(product.result_type?, CooperativeMatrixOperands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR)?;
    let (input_as, matrix_as) = (interpretation(1)?, interpretation(4)?);
    let bias_as = if bias { Some(interpretation(7)?) } else { None };
    let transpose = Program::operand(product, if bias { 11 } else { 8 })?;
    let transpose =
        matches!(program.definition(transpose)?.class.opcode, Op::ConstantTrue | Op::SpecConstantTrue);
    let fits = profile.cooperative_vector_properties.iter().any(|row| {
        (row.input_type, row.input_interpretation, row.matrix_interpretation, row.result_type)
            == (input, input_as, matrix_as, result)
            && bias_as.is_none_or(|bias| bias == row.bias_interpretation)
            && (row.transpose || !transpose)
    });
    let describe = |scalar: Scalar| format!("{scalar:?}").to_lowercase();
    Some(if fits {
        Ok(())
    } else {
        Err(format!(
            "a vector of {} as {} by a {}matrix of {}{} into {}",
            describe(input),
            input_as.name(),
            if transpose { "transposed " } else { "" },
            matrix_as.name(),
            bias_as.map_or(String::new(), |bias| format!(", bias {}", bias.name())),
            describe(result)
        ))
    })
}
