#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require

layout(local_size_x = 32) in;
layout(buffer_reference) buffer Pointed { float16_t pointed[]; };
// Neither a binding nor, for an array in the middle, a size: the next free number, and one element.
buffer First { float16_t middle[]; Pointed after; float16_t last[]; };
layout(binding = 0) buffer Second { float16_t values[]; };
buffer Third { float16_t more[]; };

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m;
    coopMatLoad(m, middle, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(m, after.pointed, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(m, last, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(m, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(m, more, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
