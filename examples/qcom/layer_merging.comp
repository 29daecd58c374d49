#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_QCOM_cooperative_matrix_conversion : require

// Attention in one pass: the scores of 64 x 64 leave the accumulator as one row per invocation, where the softmax over a row needs
// no other invocation, and go back in eight slices of 8 columns as the left factor of the second product.

layout(local_size_x = 64) in;

const uint TILE_N = 64;
const uint TILE_K = 8;

layout(binding = 0) readonly buffer InputA { float inputA[]; };
layout(binding = 1) readonly buffer InputB { float inputB[]; };
layout(binding = 2) readonly buffer InputD { float inputD[]; };
layout(binding = 3) writeonly buffer Output { float result[]; };

layout(push_constant) uniform Params {
    uint totalN;
    uint totalK;
    uint strideA;
    uint strideB;
    uint strideD;
};

struct Row {
    float values[64];
};

// Keeps the running maximum and sum of a row, and gives the row's weights.
Row onlineSoftmax(float scores[64], inout float largest, inout float sum) {
    float newLargest = largest;
    for (uint i = 0; i < 64; ++i) {
        newLargest = max(newLargest, scores[i]);
    }
    Row row;
    float newSum = sum * exp(largest - newLargest);
    for (uint i = 0; i < 64; ++i) {
        row.values[i] = exp(scores[i] - newLargest);
        newSum += row.values[i];
    }
    largest = newLargest;
    sum = newSum;
    return row;
}

void main() {
    coopmat<float, gl_ScopeSubgroup, 64, 8, gl_MatrixUseA> matA;
    coopmat<float, gl_ScopeSubgroup, 8, 64, gl_MatrixUseB> matB;
    coopmat<float, gl_ScopeSubgroup, 64, 8, gl_MatrixUseA> matCtoA;
    coopmat<float, gl_ScopeSubgroup, 8, 64, gl_MatrixUseB> matD;
    coopmat<float, gl_ScopeSubgroup, 64, 64, gl_MatrixUseAccumulator> matO =
        coopmat<float, gl_ScopeSubgroup, 64, 64, gl_MatrixUseAccumulator>(0.0);

    float largest = -1.0e30;
    float sum = 0.0;
    for (uint stepN = 0; stepN < totalN; stepN += TILE_N) {
        coopmat<float, gl_ScopeSubgroup, 64, 64, gl_MatrixUseAccumulator> matC =
            coopmat<float, gl_ScopeSubgroup, 64, 64, gl_MatrixUseAccumulator>(0.0);
        for (uint stepK = 0; stepK < totalK; stepK += TILE_K) {
            coopMatLoad(matA, inputA, stepK, strideA, gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(matB, inputB, stepN * strideB + stepK, strideB, gl_CooperativeMatrixLayoutColumnMajor);
            matC = coopMatMulAdd(matA, matB, matC);
        }

        float vecC[64];
        coopmatToVectorQCOM(matC, vecC);
        vecC = onlineSoftmax(vecC, largest, sum).values;

        float vecCtoA[8];
        for (int slice = 0; slice < 8; ++slice) {
            coopMatLoad(matD, inputD, (stepN + uint(slice) * TILE_K) * strideD, strideD, gl_CooperativeMatrixLayoutRowMajor);
            extractSubArrayQCOM(vecC, slice * 8, vecCtoA);
            vectorToCoopmatQCOM(vecCtoA, matCtoA);
            matO = coopMatMulAdd(matCtoA, matD, matO);
        }

        // The same with constant starts, for the first and the last slice.
        extractSubArrayQCOM(vecC, 0, vecCtoA);
        extractSubArrayQCOM(vecC, 56, vecCtoA);
    }
    coopMatStore(matO, result, 0, 64, gl_CooperativeMatrixLayoutRowMajor);
}
