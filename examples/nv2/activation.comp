#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require

// A function of each element that knows the element's place: a bias for each column, then x * sigmoid(slope * x).

layout(local_size_x = 32) in;

const uint M = 16;
const uint N = 32;

layout(binding = 0) readonly buffer Input { float16_t values[]; };
layout(binding = 1) readonly buffer Bias { float bias[]; };
layout(binding = 2) writeonly buffer Output { float16_t result[]; };

layout(push_constant) uniform Params { float slope; };

float activate(const in uint32_t row, const in uint32_t column, const in float value, const in float steepness) {
    float biased = value + bias[column];
    return biased / (1.0 + exp(-steepness * biased));
}

void main() {
    uint start = gl_WorkGroupID.x * M * N;
    coopmat<float16_t, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> halves;
    coopMatLoad(halves, values, start, N, gl_CooperativeMatrixLayoutRowMajor);
    coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> m =
        coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(halves);
    coopMatPerElementNV(m, m, activate, slope);
    halves = coopmat<float16_t, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(m);
    coopMatStore(halves, result, start, N, gl_CooperativeMatrixLayoutRowMajor);
}
