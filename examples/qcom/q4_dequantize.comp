#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_QCOM_cooperative_matrix_conversion : require

// Blocks of 32 weights of four bits with one scale. An invocation unpacks one block and feeds it to the matrix in two halves of 16.

layout(local_size_x = 64) in;

const uint TILE_M = 64;
const uint TILE_N = 64;
const uint TILE_K = 16;

struct Block {
    float16_t scale;
    uint16_t quants[8];
};

layout(binding = 0, std430) readonly buffer Weights { Block blocks[]; };
layout(binding = 1, std430) readonly buffer Activations { float activations[]; };
layout(binding = 2, std430) writeonly buffer Output { float16_t result[]; };

layout(push_constant) uniform Params {
    uint totalK;
    uint positionA;
    uint positionB;
    uint strideA;
    uint strideB;
    uint strideOut;
};

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, TILE_M, TILE_K, gl_MatrixUseA> matA;
    coopmat<float16_t, gl_ScopeSubgroup, TILE_K, TILE_N, gl_MatrixUseB> matB;
    coopmat<float16_t, gl_ScopeSubgroup, TILE_M, TILE_N, gl_MatrixUseAccumulator> matC =
        coopmat<float16_t, gl_ScopeSubgroup, TILE_M, TILE_N, gl_MatrixUseAccumulator>(0.0);

    float16_t blockA[32], rowA[TILE_K], columnB[TILE_K];
    for (uint step = 0; step < totalK; step += TILE_K) {
        for (uint k = 0; k < TILE_K; ++k) {
            columnB[k] = float16_t(activations[positionB + step + gl_SubgroupInvocationID * strideB + k]);
        }

        if (step % 32 == 0) {
            uint index = (positionA + step) / 32 + gl_SubgroupInvocationID * strideA / 32;
            float scale = float(blocks[index].scale);
            for (uint i = 0; i < 4; ++i) {
                uint word = uint(blocks[index].quants[2 * i]) | (uint(blocks[index].quants[2 * i + 1]) << 16);
                vec4 low = (vec4(unpack8(word & 0x0F0F0F0Fu)) - 8.0) * scale;
                vec4 high = (vec4(unpack8((word >> 4) & 0x0F0F0F0Fu)) - 8.0) * scale;
                for (uint j = 0; j < 4; ++j) {
                    blockA[4 * i + j] = float16_t(low[j]);
                    blockA[4 * i + j + 16] = float16_t(high[j]);
                }
            }
        }

        extractSubArrayQCOM(blockA, int(step % 32), rowA);
        vectorToCoopmatQCOM(rowA, matA);
        vectorToCoopmatQCOM(columnB, matB);
        matC = coopMatMulAdd(matA, matB, matC);
    }
    coopMatStore(matC, result, 0, strideOut, gl_CooperativeMatrixLayoutRowMajor);
}
