#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// D = A * B with half-precision sums over 96 products, in steps of 16.
// The mistake: the largest float16_t is 65504. Operands of up to 64 make larger sums: some of the results are infinite.

layout(local_size_x = 32) in;

layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2) writeonly buffer Output { float16_t outputD[]; };

const uint DEPTH = 96;

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum =
        coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < DEPTH; k += 16) {
        coopMatLoad(a, inputA, k, DEPTH, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, inputB, k * 16, 16, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(a, b, sum);
    }
    coopMatStore(sum, outputD, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
