#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_bfloat16 : require
#extension GL_EXT_float_e4m3 : require

layout(local_size_x = 32) in;
layout(binding = 0) buffer Values { uint values[]; };

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA> half_a;
    coopmat<float16_t, gl_ScopeSubgroup, 8, 16, gl_MatrixUseB> half_b;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> floats = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0);
    coopMatLoad(half_a, values, 0, 4, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(half_b, values, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    floats = coopMatMulAdd(half_a, half_b, floats);
    coopMatStore(floats, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);

    coopmat<int8_t, gl_ScopeSubgroup, 16, 32, gl_MatrixUseA> signed_a;
    coopmat<uint8_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB> unsigned_b;
    coopmat<uint8_t, gl_ScopeSubgroup, 16, 32, gl_MatrixUseA> unsigned_a;
    coopmat<int32_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sums;
    coopmat<uint32_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> unsigned_sums;
    coopMatLoad(signed_a, values, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(unsigned_a, values, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(unsigned_b, values, 0, 4, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(sums, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(unsigned_sums, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    sums = coopMatMulAdd(signed_a, unsigned_b, sums);
    sums = coopMatMulAdd(signed_a, unsigned_b, sums, gl_MatrixOperandsSaturatingAccumulation);
    unsigned_sums = coopMatMulAdd(unsigned_a, unsigned_b, unsigned_sums, 0);
    coopMatStore(sums, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(unsigned_sums, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);

    coopmat<bfloat16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA> brain_a;
    coopmat<bfloat16_t, gl_ScopeSubgroup, 8, 16, gl_MatrixUseB> brain_b;
    coopMatLoad(brain_a, values, 0, 4, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(brain_b, values, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopmat<floate4m3_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA> small_a;
    coopmat<floate4m3_t, gl_ScopeSubgroup, 8, 16, gl_MatrixUseB> small_b;
    coopMatLoad(small_a, values, 0, 2, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(small_b, values, 0, 4, gl_CooperativeMatrixLayoutRowMajor);
    floats = coopMatMulAdd(brain_a, brain_b, floats);
    floats = coopMatMulAdd(small_a, small_b, floats);
    coopMatStore(floats, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
