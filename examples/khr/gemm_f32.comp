#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// D = alpha * A * B + beta * C in single precision. B is transposed: it is stored as N rows of K.

layout(local_size_x = 32) in;

const uint M = 16;
const uint N = 16;
const uint K = 8;

layout(binding = 0) readonly buffer InputA { float inputA[]; };
layout(binding = 1) readonly buffer InputB { float inputB[]; };
layout(binding = 2) readonly buffer InputC { float inputC[]; };
layout(binding = 3) writeonly buffer Output { float outputD[]; };

layout(push_constant) uniform Params {
    uint columns;
    uint depth;
    float alpha;
    float beta;
};

void main() {
    uint row = gl_WorkGroupID.y * M;
    uint column = gl_WorkGroupID.x * N;

    coopmat<float, gl_ScopeSubgroup, M, K, gl_MatrixUseA> a;
    coopmat<float, gl_ScopeSubgroup, K, N, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> c;
    coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < depth; k += K) {
        coopMatLoad(a, inputA, row * depth + k, depth, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, inputB, column * depth + k, depth, gl_CooperativeMatrixLayoutColumnMajor);
        sum = coopMatMulAdd(a, b, sum);
    }
    coopMatLoad(c, inputC, row * columns + column, columns, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(sum * alpha + c * beta, outputD, row * columns + column, columns, gl_CooperativeMatrixLayoutRowMajor);
}
