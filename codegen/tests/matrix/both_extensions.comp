#version 460
// With GL_NV_cooperative_matrix2 beside it: what each conversion needs.
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_EXT_cooperative_matrix_maintenance1 : require

layout(local_size_x = 32) in;
layout(binding = 0) buffer Values { float values[]; };

void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    coopMatLoad(m, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(m);
    m = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(a);
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopMatTransposeNV(b, m);
    coopMatTransposeEXT(a, m);
    coopMatStore(m, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(a, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(b, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
