#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// A product of small matrices.
// The mistake: no device that is meant multiplies 16 x 4 by 4 x 16; the shape comes with the pipeline, so nothing tells before.

layout(local_size_x = 32) in;

layout(constant_id = 0) const uint DEPTH = 16;

layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2) writeonly buffer Output { float result[]; };

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, DEPTH, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, DEPTH, 16, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c =
        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    coopMatLoad(a, inputA, 0, DEPTH, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, inputB, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    c = coopMatMulAdd(a, b, c);
    coopMatStore(c, result, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
