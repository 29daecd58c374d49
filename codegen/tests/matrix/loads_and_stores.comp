#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require

layout(local_size_x = 32) in;
layout(constant_id = 0) const uint K = 16;

layout(binding = 0) readonly buffer Input { float16_t values[]; };
layout(binding = 1) buffer Vectors { uvec4 vectors[]; };
layout(binding = 2) coherent buffer Coherent { float shared_values[64][256]; };
layout(binding = 3) volatile buffer Volatile { float volatile_values[]; };
layout(buffer_reference, buffer_reference_align = 4) buffer Address { float16_t pointed[]; };
layout(push_constant) uniform Push { Address address; uint start; };

shared f16vec2 tile[16 * 16 / 2];

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, K, 16, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> several[2];

    coopMatLoad(a, values, start, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(a, vectors, 0, 2, gl_CooperativeMatrixLayoutColumnMajor);
    coopMatStore(a, tile, 8, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(a, tile, 8, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(several[start], shared_values[3], 16, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(several[1], shared_values[start], 16, 16, gl_CooperativeMatrixLayoutColumnMajor);
    coopMatLoad(several[0], volatile_values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    // Rows of 32 bytes are aligned to 16 whatever the address says; columns of a specialized length to nothing more than it says.
    coopMatLoad(b, address.pointed, start, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(b, address.pointed, start, 16, gl_CooperativeMatrixLayoutColumnMajor);
}
