#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Loads and multiply-adds alone: a subgroup makes one matrix of 16 x 16.
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Sizes { uint n; };

void main() {
    uint row = gl_WorkGroupID.y * 16, column = gl_WorkGroupID.x * 16;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> left;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> right;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < n; k += 16) {
        coopMatLoad(left, a, row * n + k, n, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(right, b, k * n + column, n, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(left, right, sum);
    }
    coopMatStore(sum, c, row * n + column, n, gl_CooperativeMatrixLayoutRowMajor);
}
