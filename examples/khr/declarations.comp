#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// The ways to write a matrix type: sizes as numbers, sizes that a pipeline sets, and a size that is computed. An argument in
// angle brackets is a unary expression, so whatever has an operator stands in parentheses.

layout(local_size_x = 32) in;

layout(constant_id = 0) const int SCOPE = gl_ScopeSubgroup;
layout(constant_id = 1) const int ROWS = 16;
layout(constant_id = 2) const int COLUMNS = 8;
layout(constant_id = 3) const int TALL = 1;

layout(binding = 0) buffer Output { float result[]; };

coopmat<float32_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> sums;
coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA> left;
coopmat<float16_t, SCOPE, ROWS, COLUMNS, gl_MatrixUseB> right;
coopmat<float16_t, gl_ScopeSubgroup, 16, (TALL > 0 ? 16 : 8), gl_MatrixUseAccumulator> chosen;

void main() {
    sums = coopmat<float32_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>(1.0);
    left = coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA>(0.5);
    right = coopmat<float16_t, SCOPE, ROWS, COLUMNS, gl_MatrixUseB>(2.0);
    chosen = coopmat<float16_t, gl_ScopeSubgroup, 16, (TALL > 0 ? 16 : 8), gl_MatrixUseAccumulator>(0.0);

    sums = sums * float(left[0]) + coopmat<float32_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>(float(right[0] + chosen[0]));
    coopMatStore(sums, result, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
}
