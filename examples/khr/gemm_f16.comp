#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// D = A * B in half precision throughout: less memory for the accumulators, and sums that round at 11 bits.

layout(local_size_x = 32) in;

const uint TILE = 16;

layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2) writeonly buffer Output { float16_t outputD[]; };

layout(push_constant) uniform Params { uint columns; uint depth; };

void main() {
    uint row = gl_WorkGroupID.y * TILE;
    uint column = gl_WorkGroupID.x * TILE;

    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB> b;
    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator> sum =
        coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < depth; k += TILE) {
        coopMatLoad(a, inputA, row * depth + k, depth, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, inputB, k * columns + column, columns, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(a, b, sum);
    }
    coopMatStore(sum, outputD, row * columns + column, columns, gl_CooperativeMatrixLayoutRowMajor);
}
