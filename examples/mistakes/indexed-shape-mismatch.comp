#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

// One 16x16 tile of C = A * B per subgroup, two columns of accumulators at a time.
// The mistake: `b` was declared with 32 rows, but `a` has 16 columns.

layout(local_size_x = 32) in;

layout(set = 0, binding = 0) readonly buffer InputA { float16_t dataA[]; };
layout(set = 0, binding = 1) readonly buffer InputB { float16_t dataB[]; };
layout(set = 0, binding = 2) buffer Output { float dataC[]; };

layout(push_constant) uniform Shape { uint strideA, strideB, strideC, depth; };

const uint M = 16, N = 16, K = 16;

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> a[2];
    coopmat<float16_t, gl_ScopeSubgroup, 32, N, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> sums[2];

    for (uint i = 0; i < 2; ++i) {
        sums[i] = coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(0.0);
    }
    for (uint k = 0; k < depth; k += K) {
        coopMatLoad(b, dataB, k * strideB, strideB, gl_CooperativeMatrixLayoutRowMajor);
        for (uint i = 0; i < 2; ++i) {
            coopMatLoad(a[i], dataA, i * M * strideA + k, strideA, gl_CooperativeMatrixLayoutRowMajor);
            sums[i] = coopMatMulAdd(a[i], b, sums[i]);
        }
    }
    for (uint i = 0; i < 2; ++i) {
        coopMatStore(sums[i], dataC, i * M * strideC, strideC, gl_CooperativeMatrixLayoutRowMajor);
    }
}
