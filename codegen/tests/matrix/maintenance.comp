#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_cooperative_matrix_maintenance1 : require

layout(local_size_x = 32) in;
layout(binding = 0) buffer Values { uint values[]; };

float larger(const in float a, const in float b) { return max(a, b); }
int sum(const in int a, const in int b) { return a + b; }
int8_t larger(const in int8_t a, const in int8_t b) { return max(a, b); }
float next(const in uint32_t row, const in uint32_t column, const in float element) { return element + float(row); }

void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator> m = coopmat<float, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator>(1);
    coopmat<int, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator> n = coopmat<int, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator>(1);
    coopmat<float, gl_ScopeSubgroup, 8, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 8, 16, gl_MatrixUseB> b;
    coopmat<uint8_t, gl_ScopeSubgroup, 8, 16, gl_MatrixUseB> c;
    coopmat<uint, gl_ScopeSubgroup, 8, 16, gl_MatrixUseB> d;
    coopMatReduceEXT(m, m, gl_CooperativeMatrixReduceColumnEXT, larger);
    coopMatReduceEXT(n, n, gl_CooperativeMatrixReduceRowAndColumnEXT, sum);
    coopmat<int8_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator> bytes = coopmat<int8_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator>(n);
    coopmat<int8_t, gl_ScopeSubgroup, 8, 4, gl_MatrixUseAccumulator> fewer;
    coopMatReduceEXT(fewer, bytes, gl_CooperativeMatrixReduce2x2EXT, larger);
    coopmat<float16_t, gl_ScopeSubgroup, 8, 4, gl_MatrixUseA> halves = coopmat<float16_t, gl_ScopeSubgroup, 8, 4, gl_MatrixUseA>(fewer);
    coopmat<uint, gl_ScopeSubgroup, 8, 4, gl_MatrixUseAccumulator> again = coopmat<uint, gl_ScopeSubgroup, 8, 4, gl_MatrixUseAccumulator>(halves);
    coopMatPerElementEXT(m, m, next);
    coopMatTransposeEXT(a, m);
    coopMatTransposeEXT(b, m);
    coopMatTransposeEXT(c, n);
    coopMatTransposeEXT(d, n);
    coopmat<float, gl_ScopeSubgroup, 8, 16, gl_MatrixUseAccumulator> back = coopmat<float, gl_ScopeSubgroup, 8, 16, gl_MatrixUseAccumulator>(a);
    uvec2 at = coopMatGetCoordinateEXT(m, 0);
    values[0] = at.x + at.y;
    coopMatStore(back, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(again, values, 0, 4, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(b, values, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(c, values, 0, 4, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(d, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
