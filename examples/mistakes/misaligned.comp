#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// A matrix is loaded from the middle of a buffer.
// The mistake: the start is no multiple of 16 bytes, which the load may rely on.

layout(local_size_x = 32) in;

layout(binding = 0) readonly buffer Input { float16_t values[]; };
layout(binding = 1) writeonly buffer Output { float16_t result[]; };

layout(push_constant) uniform Params { uint start; };

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    coopMatLoad(m, values, start, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(m, result, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
