#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = 32) in;

const uint TILE = 16;

struct Origin {
    uint row;
    uint column;
};

layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };

layout(push_constant) uniform Sizes {
    uint m;
    uint n;
    uint k;
} sizes;

shared float16_t tileA[TILE * TILE];
shared float16_t tileB[TILE * TILE];

Origin origin(uint workgroup) {
    uint columns = sizes.n / TILE;
    return Origin(workgroup / columns * TILE, workgroup % columns * TILE);
}

void main() {
    Origin at = origin(gl_WorkGroupID.x);
    coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator> sum;
    sum = coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>(0.0);
    for (uint step = 0; step < sizes.k; step += TILE) {
        [[unroll]] for (uint i = gl_LocalInvocationIndex; i < TILE * TILE; i += 32) {
            uint row = i / TILE, column = i % TILE;
            if (at.row + row < sizes.m) {
                tileA[i] = a[(at.row + row) * sizes.k + step + column];
            } else {
                tileA[i] = float16_t(0.0);
            }
            tileB[i] = b[(step + row) * sizes.n + at.column + column];
        }
        barrier();
        coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA> left;
        coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB> right;
        coopMatLoad(left, tileA, 0, TILE, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(right, tileB, 0, TILE, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(left, right, sum);
        barrier();
    }
    coopMatStore(sum, c, at.row * sizes.n + at.column, sizes.n, gl_CooperativeMatrixLayoutRowMajor);
}
