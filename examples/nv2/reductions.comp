#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require

// Rows, columns, squares and all of a matrix, reduced by functions of the shader.

layout(local_size_x = 32) in;

layout(binding = 0) readonly buffer Input { float values[]; };
layout(binding = 1) writeonly buffer Rows { float rows[]; };
layout(binding = 2) writeonly buffer Columns { float columns[]; };
layout(binding = 3) writeonly buffer Squares { float squares[]; };
layout(binding = 4) writeonly buffer All { float all[]; };

float plus(const in float a, const in float b) {
    return a + b;
}

float larger(const in float a, const in float b) {
    return max(a, b);
}

float smaller(const in float a, const in float b) {
    return min(a, b);
}

void main() {
    coopmat<float, gl_ScopeSubgroup, 32, 32, gl_MatrixUseAccumulator> m, reduced;
    coopMatLoad(m, values, 0, 32, gl_CooperativeMatrixLayoutRowMajor);

    coopMatReduceNV(reduced, m, gl_CooperativeMatrixReduceRowNV, plus);
    coopMatStore(reduced, rows, 0, 32, gl_CooperativeMatrixLayoutRowMajor);
    coopMatReduceNV(reduced, m, gl_CooperativeMatrixReduceColumnNV, larger);
    coopMatStore(reduced, columns, 0, 32, gl_CooperativeMatrixLayoutRowMajor);
    coopMatReduceNV(reduced, m, gl_CooperativeMatrixReduceRowAndColumnNV, smaller);
    coopMatStore(reduced, all, 0, 32, gl_CooperativeMatrixLayoutRowMajor);

    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> pooled;
    coopMatReduceNV(pooled, m, gl_CooperativeMatrixReduce2x2NV, larger);
    coopMatStore(pooled, squares, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
