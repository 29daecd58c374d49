#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Element by element, for each workgroup: a + b, a - b, a * b, a / b, a * 0.3, -a of 16x16 accumulators of T.

layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer InputA { T inputA[]; };
layout(binding = 1) readonly buffer InputB { T inputB[]; };
layout(binding = 2) writeonly buffer Output { T outputD[]; };

void main() {
    uint i = gl_WorkGroupID.x * 256;
    coopmat<T, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> a, b;
    coopMatLoad(a, inputA, i, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, inputB, i, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(a + b, outputD, 6 * i, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(a - b, outputD, 6 * i + 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(a * b, outputD, 6 * i + 512, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(a / b, outputD, 6 * i + 768, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(a * T(0.3), outputD, 6 * i + 1024, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(-a, outputD, 6 * i + 1280, 16, gl_CooperativeMatrixLayoutRowMajor);
}
