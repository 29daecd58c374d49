//! Which diagnostics the rule of a built-in gives, by itself or by the checks of finished bodies: hovers list them. `tests/rule_codes.rs` holds this against
//! what is reported.

use crate::diagnostics::Code;
use crate::diagnostics::codes::*;
use crate::extensions::Rule;

/// What calls of a built-in with this rule may be told, beyond what holds for every call and for every matrix.
pub fn rule_codes(rule: Rule) -> Vec<&'static Code> {
    match rule {
        // What is written has to be an l-value, as in any assignment; what is read is a rule of its own.
        Rule::CoopMatLoad => {
            let mut codes = rule_codes(Rule::CoopMatStore);
            codes.push(&COOPMAT_MEMORY_ACCESS);
            codes
        }
        Rule::CoopMatStore => vec![
            &COOPMAT_MEMORY_CLASS,
            &COOPMAT_MEMORY_ELEMENT,
            &COOPMAT_LAYOUT_CONSTANT,
            &COOPMAT_LAYOUT_VALUE,
            &COOPMAT_STRIDE,
            &COOPMAT_ALIGNMENT,
            &COOPMAT_EXTENT,
            &COOPMAT_UNIFORM_OPERAND,
        ],
        Rule::CoopMatMulAdd => vec![
            &COOPMAT_ARGUMENT,
            &COOPMAT_OPERAND_USE,
            &COOPMAT_MULADD_SHAPE,
            &COOPMAT_MULADD_SCOPE,
            &COOPMAT_MULADD_COMPONENT,
            &COOPMAT_MULADD_OPERANDS,
        ],
        Rule::CoopMatLoadTensor => vec![
            &COOPMAT_MEMORY_CLASS,
            &COOPMAT_MEMORY_ELEMENT,
            &NV_TENSOR_ARGUMENTS,
            &NV_TENSOR_ALIGNMENT,
            &NV_TENSOR_UNSET,
            &NV_TENSOR_SHAPE,
            &NV_CALLBACK_PARAMETER,
            &NV_CALLBACK_TANGLED,
            &NV_DECODE_MEMORY,
            &NV_DECODE_BLOCK,
            &NV_DECODE_SIGNATURE,
            &NV_DECODE_VECTOR,
        ],
        Rule::CoopMatStoreTensor => vec![
            &COOPMAT_MEMORY_CLASS,
            &COOPMAT_MEMORY_ELEMENT,
            &NV_TENSOR_ARGUMENTS,
            &NV_TENSOR_ALIGNMENT,
            &NV_TENSOR_UNSET,
            &NV_TENSOR_SHAPE,
            &NV_BLOCK_STORE,
        ],
        Rule::CoopMatReduce => vec![
            &NV_REDUCE_MASK,
            &NV_REDUCE_USE,
            &NV_REDUCE_COMPONENT,
            &NV_REDUCE_SHAPE,
            &NV_COMBINE_SIGNATURE,
            &NV_CALLBACK_FUNCTION,
            &NV_CALLBACK_PARAMETER,
            &NV_CALLBACK_TANGLED,
        ],
        Rule::CoopMatPerElement => vec![
            &NV_ELEMENT_SIGNATURE,
            &NV_ELEMENT_ARGUMENTS,
            &NV_ELEMENT_RESULT,
            &NV_CALLBACK_FUNCTION,
            &NV_CALLBACK_PARAMETER,
            &NV_CALLBACK_TANGLED,
        ],
        Rule::CoopMatTranspose => vec![&NV_TRANSPOSE_SHAPE, &NV_TRANSPOSE_USE],
        Rule::CoopMatCoordinate => vec![&COOPMAT_ARGUMENT, &COOPMAT_ELEMENT_INDEX],
        Rule::CreateTensorLayout => {
            vec![&NV_TENSOR_CONSTANT, &NV_TENSOR_CLAMP, &NV_TENSOR_DIMENSION, &NV_TENSOR_UNSET]
        }
        Rule::CreateTensorView => {
            vec![&NV_TENSOR_ARGUMENTS, &NV_TENSOR_CONSTANT, &NV_TENSOR_VIEW_PERMUTATION]
        }
        Rule::SetTensorLayout => {
            vec![
                &TYPE_MISMATCH,
                &NV_TENSOR_ARGUMENTS,
                &NV_TENSOR_SIZE,
                &NV_TENSOR_SLICE,
                &NV_TENSOR_STRIDE,
                &NV_CLAMP_VALUE,
                &NV_TENSOR_UNSET,
                &NV_TENSOR_SHAPE,
                &NV_BLOCK_ORDER,
            ]
        }
        Rule::SetTensorView => vec![&NV_TENSOR_ARGUMENTS, &NV_TENSOR_SIZE],
        Rule::BitcastQcom => vec![&QCOM_ARRAY, &QCOM_ELEMENT_TYPE, &QCOM_BITCAST_SIZE],
        Rule::ExtractSubArrayQcom => vec![
            &QCOM_ARRAY,
            &QCOM_ELEMENT_TYPE,
            &QCOM_SUBARRAY_ELEMENT,
            &QCOM_SUBARRAY_RANGE,
            &QCOM_SUBARRAY_ALIGNMENT,
            &QCOM_SUBARRAY_DEVICE,
        ],
        Rule::VectorToCoopmatQcom | Rule::CoopmatToVectorQcom => vec![
            &COOPMAT_ARGUMENT,
            &QCOM_ARRAY,
            &QCOM_COMPONENT_TYPE,
            &QCOM_VECTOR_ELEMENT,
            &QCOM_VECTOR_LENGTH,
            &QCOM_FIXED_DIMENSION,
            &QCOM_SUBGROUP_SIZE,
            &QCOM_SUBGROUP_SCOPE,
        ],
        Rule::CoopMatLoadNv | Rule::CoopMatStoreNv => {
            vec![&COOPMAT_MEMORY_CLASS, &COOPMAT_MEMORY_ELEMENT, &COOPMAT_LAYOUT_CONSTANT]
        }
        Rule::CoopMatMulAddNv => vec![&COOPMAT_NV_OPERAND, &COOPMAT_MULADD_SCOPE, &COOPMAT_MULADD_SHAPE],
        Rule::CoopVecMatMul => vec![
            &CONSTANT_REQUIRED,
            &COOPVEC_MEMORY,
            &COOPVEC_COMPONENT,
            &COOPVEC_SIZE,
            &COOPVEC_VALUE,
            &COOPVEC_LAYOUT,
            &COOPVEC_ALIGNMENT,
        ],
        Rule::CoopVecAccumulate => vec![
            &CONSTANT_REQUIRED,
            &COOPVEC_MEMORY,
            &COOPVEC_COMPONENT,
            &COOPVEC_VALUE,
            &COOPVEC_LAYOUT,
            &COOPVEC_ALIGNMENT,
        ],
        Rule::CoopVecLoad | Rule::CoopVecStore => vec![&COOPVEC_MEMORY, &COOPVEC_ALIGNMENT],
        Rule::Atomic => {
            vec![&ATOMIC_MEMORY, &CONSTANT_REQUIRED, &IMAGE_FORMAT, &MEMORY_ACCESS, &MEMORY_SEMANTICS]
        }
        Rule::Barrier => vec![&CONSTANT_REQUIRED, &MEMORY_SEMANTICS, &DIVERGENT_BARRIER, &BARRIER_SCOPE],
        Rule::TensorAccessArm => {
            vec![&TYPE_MISMATCH, &CONSTANT_REQUIRED, &NO_MATCHING_OVERLOAD, &MEMORY_ACCESS]
        }
        Rule::TensorSizeArm => vec![&TYPE_MISMATCH, &CONSTANT_REQUIRED, &INDEX_OUT_OF_RANGE],
        Rule::Abort => vec![&TYPE_MISMATCH],
        Rule::Convert => vec![&SATURATED_CONVERT],
        Rule::SubgroupClustered => vec![&SUBGROUP_CLUSTER_SIZE],
        Rule::Subgroup | Rule::DebugPrintf | Rule::NotAnalysed => vec![],
    }
}
