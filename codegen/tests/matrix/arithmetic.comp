#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

layout(local_size_x = 32) in;
layout(constant_id = 0) const uint N = 16;
layout(constant_id = 1) const float factor = 2.0;
layout(binding = 0) buffer Values { float values[]; };
layout(binding = 1) buffer Numbers { int numbers[]; };

coopmat<float, gl_ScopeSubgroup, 16, N, gl_MatrixUseAccumulator> twice(coopmat<float, gl_ScopeSubgroup, 16, N, gl_MatrixUseAccumulator> m) {
    return m + m;
}

void main() {
    coopmat<float, gl_ScopeSubgroup, 16, N, gl_MatrixUseAccumulator> m;
    coopMatLoad(m, values, 0, N, gl_CooperativeMatrixLayoutRowMajor);
    m = m + m;
    m -= m * m;
    m = -(m / m);
    m = 2.0 * m;
    m *= factor;
    m = twice(m);
    for (int i = 0; i < m.length(); ++i) {
        m[i] = max(m[i], 0.0);
    }
    m[0] += twice(m)[1];
    coopMatStore(m, values, 0, N, gl_CooperativeMatrixLayoutRowMajor);

    coopmat<int, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> n = coopmat<int, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(3);
    coopMatLoad(n, numbers, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    n = n / n - n;
    n = n * -2;
    coopMatStore(n, numbers, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    numbers[0] = n[0] + n.length();
}
