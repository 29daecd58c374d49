#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// D = A * B + C with signed bytes and 32-bit sums: exact, and wrapped around where a sum does not fit.

layout(local_size_x = 32) in;

const uint M = 16;
const uint N = 16;
const uint K = 32;

layout(binding = 0) readonly buffer InputA { int8_t inputA[]; };
layout(binding = 1) readonly buffer InputB { int8_t inputB[]; };
layout(binding = 2) readonly buffer InputC { int inputC[]; };
layout(binding = 3) writeonly buffer Output { int outputD[]; };

layout(push_constant) uniform Params { uint columns; uint depth; };

void main() {
    uint row = gl_WorkGroupID.y * M;
    uint column = gl_WorkGroupID.x * N;

    coopmat<int8_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> a;
    coopmat<int8_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB> b;
    coopmat<int, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> sum;
    coopMatLoad(sum, inputC, row * columns + column, columns, gl_CooperativeMatrixLayoutRowMajor);
    for (uint k = 0; k < depth; k += K) {
        coopMatLoad(a, inputA, row * depth + k, depth, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, inputB, column * depth + k, depth, gl_CooperativeMatrixLayoutColumnMajor);
        sum = coopMatMulAdd(a, b, sum);
    }
    coopMatStore(sum, outputD, row * columns + column, columns, gl_CooperativeMatrixLayoutRowMajor);
}
