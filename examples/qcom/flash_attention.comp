#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_QCOM_cooperative_matrix_conversion : require

// Attention in one pass over the keys, 64 of them at a time. A step's scores leave the accumulator as one row per invocation; the row's
// largest score and its sum so far are kept, what was summed before is scaled to the new largest score, and the weights go back
// in slices of eight columns as the left factor of the second product. The sum is divided out once, at the end.

layout(local_size_x = 64) in;

const uint KEYS = 64;
const uint SLICE = 8;

layout(binding = 0) readonly buffer Queries { float queries[]; };
layout(binding = 1) readonly buffer Keys { float keys[]; };
layout(binding = 2) readonly buffer Values { float values[]; };
layout(binding = 3) writeonly buffer Output { float result[]; };

layout(push_constant) uniform Params {
    uint keyCount;
    uint depth;
    float scale;
};

void main() {
    uint firstQuery = gl_WorkGroupID.x * 64;
    coopmat<float, gl_ScopeSubgroup, 64, 8, gl_MatrixUseA> left;
    coopmat<float, gl_ScopeSubgroup, 8, 64, gl_MatrixUseB> right;
    coopmat<float, gl_ScopeSubgroup, 64, 64, gl_MatrixUseAccumulator> sums =
        coopmat<float, gl_ScopeSubgroup, 64, 64, gl_MatrixUseAccumulator>(0.0);

    float largest = -1.0e30;
    float weight = 0.0;
    float row[64];
    for (uint key = 0; key < keyCount; key += KEYS) {
        coopmat<float, gl_ScopeSubgroup, 64, 64, gl_MatrixUseAccumulator> scores =
            coopmat<float, gl_ScopeSubgroup, 64, 64, gl_MatrixUseAccumulator>(0.0);
        for (uint k = 0; k < depth; k += SLICE) {
            coopMatLoad(left, queries, firstQuery * depth + k, depth, gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(right, keys, key * depth + k, depth, gl_CooperativeMatrixLayoutColumnMajor);
            scores = coopMatMulAdd(left, right, scores);
        }

        coopmatToVectorQCOM(scores, row);
        float newLargest = largest;
        for (uint i = 0; i < 64; ++i) {
            row[i] *= scale;
            newLargest = max(newLargest, row[i]);
        }
        float shrink = exp(largest - newLargest);
        weight *= shrink;
        for (uint i = 0; i < 64; ++i) {
            row[i] = exp(row[i] - newLargest);
            weight += row[i];
        }
        largest = newLargest;

        float rescaled[64];
        coopmatToVectorQCOM(sums, rescaled);
        for (uint i = 0; i < 64; ++i) {
            rescaled[i] *= shrink;
        }
        vectorToCoopmatQCOM(rescaled, sums);

        float slice[8];
        for (int i = 0; i < 8; ++i) {
            extractSubArrayQCOM(row, i * 8, slice);
            vectorToCoopmatQCOM(slice, left);
            coopMatLoad(right, values, (key + uint(i) * SLICE) * 64, 64, gl_CooperativeMatrixLayoutRowMajor);
            sums = coopMatMulAdd(left, right, sums);
        }
    }

    coopmatToVectorQCOM(sums, row);
    for (uint i = 0; i < 64; ++i) {
        result[(firstQuery + gl_SubgroupInvocationID) * 64 + i] = row[i] / weight;
    }
}
