#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Loads and multiply-adds alone, as compilers unroll them: a subgroup makes 4 x 4 matrices of 16 x 16, each a variable of its own.
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Sizes { uint n; };

#define LAYOUT gl_CooperativeMatrixLayoutRowMajor
#define SUM(i, j) coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum##i##j = \
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
#define RIGHT(j) coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> right##j; \
    coopMatLoad(right##j, b, k * n + column + j * 16, n, LAYOUT);
#define LEFT(i) coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> left##i; \
    coopMatLoad(left##i, a, (row + i * 16) * n + k, n, LAYOUT);
#define MULTIPLY(i, j) sum##i##j = coopMatMulAdd(left##i, right##j, sum##i##j);
#define STORE(i, j) coopMatStore(sum##i##j, c, (row + i * 16) * n + column + j * 16, n, LAYOUT);
#define ALONG(STEP, i) STEP(i, 0) STEP(i, 1) STEP(i, 2) STEP(i, 3)

void main() {
    uint row = gl_WorkGroupID.y * 64, column = gl_WorkGroupID.x * 64;
    ALONG(SUM, 0) ALONG(SUM, 1) ALONG(SUM, 2) ALONG(SUM, 3)
    for (uint k = 0; k < n; k += 16) {
        RIGHT(0) RIGHT(1) RIGHT(2) RIGHT(3)
        LEFT(0) ALONG(MULTIPLY, 0)
        LEFT(1) ALONG(MULTIPLY, 1)
        LEFT(2) ALONG(MULTIPLY, 2)
        LEFT(3) ALONG(MULTIPLY, 3)
    }
    ALONG(STORE, 0) ALONG(STORE, 1) ALONG(STORE, 2) ALONG(STORE, 3)
}
