#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require

layout(local_size_x = 128) in;
layout(binding = 0) buffer Values { float values[]; };

float sum(const in float a, const in float b) { return a + b; }
float scaled(const in uint32_t row, const in uint32_t column, const in float element, const in float other, const in float factor) {
    return row < column ? element + other : element * factor;
}

void main() {
    coopmat<float, gl_ScopeWorkgroup, 64, 32, gl_MatrixUseAccumulator> m, n;
    coopmat<float, gl_ScopeWorkgroup, 32, 64, gl_MatrixUseB> transposed;
    coopmat<float, gl_ScopeWorkgroup, 32, 16, gl_MatrixUseAccumulator> halved;
    coopMatLoad(m, values, 0, 32, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(n, values, 0, 32, gl_CooperativeMatrixLayoutRowMajor);
    coopMatReduceNV(m, m, gl_CooperativeMatrixReduceRowNV, sum);
    coopMatReduceNV(m, m, gl_CooperativeMatrixReduceRowAndColumnNV, sum);
    coopMatReduceNV(halved, m, gl_CooperativeMatrixReduce2x2NV, sum);
    coopMatPerElementNV(m, m, scaled, n, 2.0);
    coopMatTransposeNV(transposed, m);
    coopMatStore(transposed, values, 0, 64, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(halved, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
