#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Two subgroups stage a tile in shared memory, and each multiplies with all of it.
// The mistake: nobody waits for the other half.

layout(local_size_x = 64) in;

layout(binding = 0) readonly buffer Input { float16_t values[]; };
layout(binding = 1) writeonly buffer Output { float result[]; };

shared float16_t staged[256];

void main() {
    for (uint i = gl_LocalInvocationIndex; i < 256; i += gl_WorkGroupSize.x) {
        staged[i] = values[i];
    }
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopMatLoad(a, staged, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, values, gl_SubgroupID * 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c =
        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    c = coopMatMulAdd(a, b, c);
    coopMatStore(c, result, gl_SubgroupID * 256, 16, gl_CooperativeMatrixLayoutRowMajor);
}
