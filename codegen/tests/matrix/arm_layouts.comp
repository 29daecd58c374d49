#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

layout(local_size_x = 32) in;
layout(binding = 0) buffer Values { float16_t values[]; };

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m;
    coopMatLoad(m, values, 0, 2, gl_CooperativeMatrixLayoutRowBlockedInterleavedARM);
    coopMatStore(m, values, 0, 2, gl_CooperativeMatrixLayoutColumnBlockedInterleavedARM);
}
