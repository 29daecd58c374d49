#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Weights of four bits are unpacked by the invocations, written to shared memory, and only then loaded as matrix B. That
// detour is what the QCOM conversions avoid.

layout(local_size_x = 32) in;

const uint TILE_M = 16;
const uint TILE_N = 16;
const uint TILE_K = 16;

layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer Quantized { uint packedB[]; };
layout(binding = 2) writeonly buffer Output { float result[]; };

layout(push_constant) uniform Params {
    uint totalK;
    uint strideA;
    uint strideOut;
    float scale;
};

shared float16_t sharedB[TILE_N * TILE_K];

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, TILE_M, TILE_K, gl_MatrixUseA> matA;
    coopmat<float16_t, gl_ScopeSubgroup, TILE_K, TILE_N, gl_MatrixUseB> matB;
    coopmat<float, gl_ScopeSubgroup, TILE_M, TILE_N, gl_MatrixUseAccumulator> matC =
        coopmat<float, gl_ScopeSubgroup, TILE_M, TILE_N, gl_MatrixUseAccumulator>(0.0);

    for (uint step = 0; step < totalK; step += TILE_K) {
        barrier();
        for (uint i = gl_LocalInvocationIndex; i < TILE_N * TILE_K; i += gl_WorkGroupSize.x) {
            uint element = (i / TILE_K) * totalK + step + i % TILE_K;
            uint nibble = (packedB[element / 8] >> (4 * (element % 8))) & 0xFu;
            sharedB[i] = float16_t((float(nibble) - 8.0) * scale);
        }
        barrier();
        coopMatLoad(matA, inputA, step, strideA, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(matB, sharedB, 0, TILE_K, gl_CooperativeMatrixLayoutColumnMajor);
        matC = coopMatMulAdd(matA, matB, matC);
    }
    coopMatStore(matC, result, 0, strideOut, gl_CooperativeMatrixLayoutRowMajor);
}
