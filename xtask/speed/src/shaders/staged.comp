#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Four subgroups make 64 x 64 elements; all invocations copy 32 columns of A and rows of B to shared memory, eight bytes each time.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { f16vec4 a[]; };
layout(binding = 1) readonly buffer B { f16vec4 b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Sizes { uint n; };

const uint TILE = 64, DEPTH = 32;
shared f16vec4 tileA[TILE * DEPTH / 4];
shared f16vec4 tileB[DEPTH * TILE / 4];

void main() {
    uint row = gl_WorkGroupID.y * TILE, column = gl_WorkGroupID.x * TILE;
    uint down = gl_SubgroupID / 2 * 32, across = gl_SubgroupID % 2 * 32;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> left[2];
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> right[2];
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum[4];
    for (uint i = 0; i < 4; i++) {
        sum[i] = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    }
    for (uint k = 0; k < n; k += DEPTH) {
        for (uint i = gl_LocalInvocationIndex; i < TILE * DEPTH / 4; i += 128) {
            tileA[i] = a[((row + i / (DEPTH / 4)) * n + k) / 4 + i % (DEPTH / 4)];
            tileB[i] = b[((k + i / (TILE / 4)) * n + column) / 4 + i % (TILE / 4)];
        }
        barrier();
        for (uint step = 0; step < DEPTH; step += 16) {
            for (uint i = 0; i < 2; i++) {
                coopMatLoad(left[i], tileA, ((down + i * 16) * DEPTH + step) / 4, DEPTH / 4,
                            gl_CooperativeMatrixLayoutRowMajor);
                coopMatLoad(right[i], tileB, (step * TILE + across + i * 16) / 4, TILE / 4,
                            gl_CooperativeMatrixLayoutRowMajor);
            }
            for (uint i = 0; i < 4; i++) {
                sum[i] = coopMatMulAdd(left[i / 2], right[i % 2], sum[i]);
            }
        }
        barrier();
    }
    for (uint i = 0; i < 4; i++) {
        coopMatStore(sum[i], c, (row + down + i / 2 * 16) * n + column + across + i % 2 * 16, n,
                     gl_CooperativeMatrixLayoutRowMajor);
    }
}
