#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_bfloat16 : enable

// One multiply-add for each workgroup: D = A * B + C. AB and ACC are component types, SCOPE the scope.

#ifndef AB
#define AB float16_t
#endif
#ifndef ACC
#define ACC float
#endif
#ifndef SCOPE
#define SCOPE gl_ScopeSubgroup
#endif

layout(local_size_x_id = 3) in;
layout(constant_id = 0) const uint M = 16;
layout(constant_id = 1) const uint N = 16;
layout(constant_id = 2) const uint K = 16;
layout(constant_id = 3) const uint INVOCATIONS = 32;

layout(binding = 0) readonly buffer InputA { AB inputA[]; };
layout(binding = 1) readonly buffer InputB { AB inputB[]; };
layout(binding = 2) readonly buffer InputC { ACC inputC[]; };
layout(binding = 3) writeonly buffer Output { ACC outputD[]; };

void main() {
    uint i = gl_WorkGroupID.x;
    coopmat<AB, SCOPE, M, K, gl_MatrixUseA> a;
    coopmat<AB, SCOPE, K, N, gl_MatrixUseB> b;
    coopmat<ACC, SCOPE, M, N, gl_MatrixUseAccumulator> c;
    coopMatLoad(a, inputA, i * M * K, K, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, inputB, i * K * N, N, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(c, inputC, i * M * N, N, gl_CooperativeMatrixLayoutRowMajor);
    c = coopMatMulAdd(a, b, c);
    coopMatStore(c, outputD, i * M * N, N, gl_CooperativeMatrixLayoutRowMajor);
}
