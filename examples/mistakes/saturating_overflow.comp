#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Products of 16-bit numbers are added up to 32 bits, and saturate.
// The mistake: only the last addition, that of C, saturates; a sum of products that does not fit by itself leaves the result undefined.

layout(local_size_x = 32) in;

layout(binding = 0) readonly buffer InputA { int16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { int16_t inputB[]; };
layout(binding = 2) buffer Sums { int sums[]; };

void main() {
    coopmat<int16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<int16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopmat<int, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;
    coopMatLoad(a, inputA, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, inputB, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(c, sums, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    c = coopMatMulAdd(a, b, c, gl_MatrixOperandsSaturatingAccumulation);
    coopMatStore(c, sums, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
