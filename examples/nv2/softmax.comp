#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require

// The softmax of each row: two reductions, whose result stands in every column, with a function of each element in between.

layout(local_size_x = 32) in;

const uint M = 16;
const uint N = 64;

layout(binding = 0) readonly buffer Input { float scores[]; };
layout(binding = 1) writeonly buffer Output { float result[]; };

float larger(const in float a, const in float b) {
    return max(a, b);
}

float plus(const in float a, const in float b) {
    return a + b;
}

float exponential(const in uint32_t row, const in uint32_t column, const in float value) {
    return exp(value);
}

void main() {
    uint start = gl_WorkGroupID.x * M * N;
    coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> m, largest, sum;
    coopMatLoad(m, scores, start, N, gl_CooperativeMatrixLayoutRowMajor);
    coopMatReduceNV(largest, m, gl_CooperativeMatrixReduceRowNV, larger);
    m = m - largest;
    coopMatPerElementNV(m, m, exponential);
    coopMatReduceNV(sum, m, gl_CooperativeMatrixReduceRowNV, plus);
    coopMatStore(m / sum, result, start, N, gl_CooperativeMatrixLayoutRowMajor);
}
