//! Which entries of the catalogue a built-in's rule reports: a hover lists them.

use coopmat_analysis::diagnostics::Code;
use coopmat_analysis::diagnostics::codes::*;
use coopmat_analysis::extensions::Rule;

pub fn of(rule: Rule) -> Vec<&'static Code> {
    match rule {
        Rule::CoopMatLoad => vec![
            &COOPMAT_MEMORY_CLASS,
            &COOPMAT_MEMORY_ELEMENT,
            &COOPMAT_LAYOUT_CONSTANT,
            &COOPMAT_STRIDE,
            &COOPMAT_ALIGNMENT,
        ],
        Rule::CoopMatStore => vec![
            &COOPMAT_MEMORY_CLASS,
            &COOPMAT_MEMORY_ELEMENT,
            &COOPMAT_MEMORY_ACCESS,
            &COOPMAT_LAYOUT_CONSTANT,
            &COOPMAT_STRIDE,
            &COOPMAT_ALIGNMENT,
        ],
        Rule::CoopMatMulAdd => vec![
            &COOPMAT_OPERAND_USE,
            &COOPMAT_MULADD_SHAPE,
            &COOPMAT_MULADD_SCOPE,
            &COOPMAT_MULADD_COMPONENT,
            &COOPMAT_MULADD_OPERANDS,
        ],
        Rule::CoopMatLoadTensor => vec![
            &NV_TENSOR_DIMENSION,
            &NV_TENSOR_STRIDE,
            &NV_TENSOR_ALIGNMENT,
            &NV_DECODE_SIGNATURE,
            &NV_DECODE_VECTOR,
        ],
        Rule::CoopMatStoreTensor => {
            vec![&NV_TENSOR_DIMENSION, &NV_TENSOR_STRIDE, &NV_TENSOR_ALIGNMENT, &NV_BLOCK_STORE]
        }
        Rule::CoopMatReduce => vec![
            &NV_REDUCE_MASK,
            &NV_REDUCE_USE,
            &NV_REDUCE_COMPONENT,
            &NV_REDUCE_SHAPE,
            &NV_COMBINE_SIGNATURE,
            &NV_CALLBACK_TANGLED,
        ],
        Rule::CoopMatPerElement => vec![
            &NV_ELEMENT_SIGNATURE,
            &NV_ELEMENT_ARGUMENTS,
            &NV_ELEMENT_RESULT,
            &NV_CALLBACK_PARAMETER,
            &NV_CALLBACK_TANGLED,
        ],
        Rule::CoopMatTranspose => vec![&NV_TRANSPOSE_SHAPE, &NV_TRANSPOSE_USE],
        Rule::CreateTensorLayout => vec![&NV_TENSOR_TYPE_ARGUMENTS, &NV_TENSOR_CONSTANT, &NV_TENSOR_CLAMP],
        Rule::CreateTensorView => {
            vec![&NV_TENSOR_TYPE_ARGUMENTS, &NV_TENSOR_CONSTANT, &NV_TENSOR_VIEW_PERMUTATION]
        }
        Rule::SetTensorLayout => vec![&NV_TENSOR_ARGUMENTS, &NV_BLOCK_ORDER],
        Rule::SetTensorView => vec![&NV_TENSOR_ARGUMENTS],
        Rule::BitcastQcom => vec![&QCOM_ARRAY, &QCOM_ELEMENT_TYPE, &QCOM_BITCAST_SIZE],
        Rule::ExtractSubArrayQcom => {
            vec![&QCOM_ARRAY, &QCOM_SUBARRAY_ELEMENT, &QCOM_SUBARRAY_RANGE, &QCOM_SUBARRAY_ALIGNMENT]
        }
        Rule::VectorToCoopmatQcom | Rule::CoopmatToVectorQcom => vec![
            &QCOM_COMPONENT_TYPE,
            &QCOM_VECTOR_ELEMENT,
            &QCOM_VECTOR_LENGTH,
            &QCOM_FIXED_DIMENSION,
            &QCOM_SUBGROUP_SIZE,
            &QCOM_SUBGROUP_SCOPE,
        ],
        Rule::CoopMatLoadNv | Rule::CoopMatStoreNv => vec![&COOPMAT_MEMORY_CLASS, &COOPMAT_MEMORY_ELEMENT],
        Rule::CoopMatMulAddNv => vec![&COOPMAT_NV_OPERAND, &COOPMAT_MULADD_SHAPE],
        Rule::Atomic
        | Rule::Barrier
        | Rule::Subgroup
        | Rule::DebugPrintf
        | Rule::Convert
        | Rule::NotAnalysed => vec![],
    }
}
