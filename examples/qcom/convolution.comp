#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_QCOM_cooperative_matrix_conversion : require

// A convolution over an image of height x width x channels. Each invocation reads the inputs of one output pixel into an array, with
// zeros outside the image, and the subgroup's arrays become the rows of matrix A: nothing goes through shared memory.

layout(local_size_x = 64) in;

const uint TILE_M = 64;
const uint TILE_N = 64;
const uint TILE_K = 8;
const uint FILTER_H = 3;
const uint FILTER_W = 3;
const int STRIDE = 1;
const int DILATION = 1;
const int LAYOUT_K_FIRST = gl_CooperativeMatrixLayoutColumnMajor;

layout(binding = 0) readonly buffer InputA { float inputA[]; };
layout(binding = 1) readonly buffer InputB { float inputB[]; };
layout(binding = 2) writeonly buffer Output { float result[]; };

layout(push_constant) uniform Params {
    int inputHeight;
    int inputWidth;
    uint totalK;
    uint strideA;
    uint strideB;
    uint strideOut;
    uint column;
};

void main() {
    uint pixel = gl_WorkGroupID.x * TILE_M + gl_SubgroupInvocationID;
    int outRow = int(pixel) / inputWidth;
    int outColumn = int(pixel) % inputWidth;

    coopmat<float, gl_ScopeSubgroup, TILE_M, TILE_N, gl_MatrixUseAccumulator> matC =
        coopmat<float, gl_ScopeSubgroup, TILE_M, TILE_N, gl_MatrixUseAccumulator>(0.0);

    for (uint step = 0; step < totalK; step += TILE_K) {
        uint startB = column * FILTER_H * FILTER_W * strideB + step;
        for (uint filterRow = 0; filterRow < FILTER_H; ++filterRow) {
            for (uint filterColumn = 0; filterColumn < FILTER_W; ++filterColumn) {
                coopmat<float, gl_ScopeSubgroup, TILE_K, TILE_N, gl_MatrixUseB> matB;
                coopMatLoad(matB, inputB, startB, FILTER_H * FILTER_W * strideB, LAYOUT_K_FIRST);

                int row = STRIDE * outRow + DILATION * (int(filterRow) - int(FILTER_H / 2));
                int col = STRIDE * outColumn + DILATION * (int(filterColumn) - int(FILTER_W / 2));
                float vecA[TILE_K];
                if (row < 0 || row >= inputHeight || col < 0 || col >= inputWidth) {
                    for (uint i = 0; i < TILE_K; ++i) {
                        vecA[i] = 0.0;
                    }
                } else {
                    for (uint i = 0; i < TILE_K; ++i) {
                        vecA[i] = inputA[uint(row * inputWidth + col) * strideA + step + i];
                    }
                }

                coopmat<float, gl_ScopeSubgroup, TILE_M, TILE_K, gl_MatrixUseA> matA;
                vectorToCoopmatQCOM(vecA, matA);
                matC = coopMatMulAdd(matA, matB, matC);

                startB += strideB;
            }
        }
    }
    coopMatStore(matC, result, gl_WorkGroupID.x * TILE_M * strideOut + column, strideOut, gl_CooperativeMatrixLayoutRowMajor);
}
