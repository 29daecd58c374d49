#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Products of bytes are added to sums that are near the largest integer, and saturate.
// The mistake: sums of several steps saturate in between, and what is subtracted afterwards is missing: the order of the sums counts.

layout(local_size_x = 32) in;

layout(binding = 0) readonly buffer InputA { int8_t inputA[]; };
layout(binding = 1) readonly buffer InputB { int8_t inputB[]; };
layout(binding = 2) buffer Sums { int sums[]; };

void main() {
    coopmat<int8_t, gl_ScopeSubgroup, 16, 32, gl_MatrixUseA> a;
    coopmat<int8_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB> b;
    coopmat<int, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;
    coopMatLoad(a, inputA, 0, 32, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, inputB, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(c, sums, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    c = coopMatMulAdd(a, b, c, gl_MatrixOperandsSaturatingAccumulation);
    coopMatStore(c, sums, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
