#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Loads and multiply-adds alone: a subgroup makes 4 x 4 matrices of 16 x 16.
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Sizes { uint n; };

const uint BLOCKS = 4;

void main() {
    uint row = gl_WorkGroupID.y * 16 * BLOCKS, column = gl_WorkGroupID.x * 16 * BLOCKS;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> left;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> right[BLOCKS];
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum[BLOCKS * BLOCKS];
    for (uint i = 0; i < BLOCKS * BLOCKS; i++) {
        sum[i] = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    }
    for (uint k = 0; k < n; k += 16) {
        for (uint j = 0; j < BLOCKS; j++) {
            coopMatLoad(right[j], b, k * n + column + j * 16, n, gl_CooperativeMatrixLayoutRowMajor);
        }
        for (uint i = 0; i < BLOCKS; i++) {
            coopMatLoad(left, a, (row + i * 16) * n + k, n, gl_CooperativeMatrixLayoutRowMajor);
            for (uint j = 0; j < BLOCKS; j++) {
                sum[i * BLOCKS + j] = coopMatMulAdd(left, right[j], sum[i * BLOCKS + j]);
            }
        }
    }
    for (uint i = 0; i < BLOCKS; i++) {
        for (uint j = 0; j < BLOCKS; j++) {
            coopMatStore(sum[i * BLOCKS + j], c, (row + i * 16) * n + column + j * 16, n,
                         gl_CooperativeMatrixLayoutRowMajor);
        }
    }
}
