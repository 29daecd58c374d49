#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// The components of a matrix are set one after the other.
// The mistake: the loop counts to a number that is right for another subgroup size; what is left over was never written.

layout(local_size_x = 32) in;

layout(binding = 0) writeonly buffer Output { float result[]; };

layout(push_constant) uniform Params { int components; };

void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    for (int i = 0; i < components; ++i) {
        m[i] = 1.0;
    }
    coopMatStore(m, result, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
