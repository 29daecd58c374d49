#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// A function over every component of a matrix. Which components an invocation holds is the device's choice; how many there
// are, `length()` tells.

layout(local_size_x = 32) in;

layout(binding = 0) buffer Values { float16_t values[]; };

float16_t leaky(float16_t x) {
    return x < float16_t(0.0) ? x * float16_t(0.125) : x;
}

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator> m;
    coopMatLoad(m, values, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    for (int i = 0; i < m.length(); ++i) {
        m[i] = leaky(m[i]);
    }
    coopMatStore(m, values, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
}
