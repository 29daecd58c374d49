#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// A product is left out where an invocation has nothing to do.
// The mistake: the invocations of one subgroup do not agree, but a matrix operation takes all of them.

layout(local_size_x = 32) in;

layout(binding = 0) readonly buffer Input { float16_t values[]; };
layout(binding = 1) readonly buffer Flags { uint flags[]; };
layout(binding = 2) writeonly buffer Output { float result[]; };

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c =
        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    coopMatLoad(a, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    if (flags[gl_SubgroupInvocationID] != 0) {
        c = coopMatMulAdd(a, b, c);
    }
    coopMatStore(c, result, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
