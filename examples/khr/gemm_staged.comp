#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// D = A * B for matrices of any size, as kernels for real work do it. A workgroup computes a block of D, each of its subgroups several tiles
// of it, so that a tile that was loaded is multiplied several times. Blocks of A and B lie in shared memory twice: while all subgroups
// multiply one copy, the invocations fetch the next block, which goes to the other copy. Zeros stand for what lies outside of A and B, and
// blocks at the edge of D leave by way of shared memory. All sizes are specialization constants.

layout(local_size_x = 128, local_size_x_id = 0) in;

// What the device multiplies in one step.
layout(constant_id = 1) const uint TILE_M = 16;
layout(constant_id = 2) const uint TILE_N = 16;
layout(constant_id = 3) const uint TILE_K = 16;
// Tiles of D in the registers of one subgroup.
layout(constant_id = 4) const uint TILES_DOWN = 2;
layout(constant_id = 5) const uint TILES_ACROSS = 2;
// How the subgroups of a workgroup share out its block.
layout(constant_id = 6) const uint SUBGROUPS_DOWN = 2;
layout(constant_id = 7) const uint SUBGROUPS_ACROSS = 2;
// Columns of A and rows of B that are staged together.
layout(constant_id = 8) const uint DEPTH = 16;

const uint ROWS = SUBGROUPS_DOWN * TILES_DOWN * TILE_M;
const uint COLUMNS = SUBGROUPS_ACROSS * TILES_ACROSS * TILE_N;
// The padding spreads neighbouring rows over the banks, and leaves each at a multiple of 16 bytes.
const uint STRIDE = DEPTH + 8;
const uint SIZE_A = ROWS * STRIDE;
const uint SIZE_B = COLUMNS * STRIDE;
const uint INVOCATIONS = gl_WorkGroupSize.x;
// Elements that one invocation fetches of each block, whose size is a multiple of the workgroup's.
const uint SHARE_A = ROWS * DEPTH / INVOCATIONS;
const uint SHARE_B = COLUMNS * DEPTH / INVOCATIONS;

// A is stored by rows, B by columns: both with K first.
layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2) writeonly buffer Output { float outputD[]; };

layout(push_constant) uniform Params {
    uint rows;
    uint columns;
    uint depth;
};

shared float16_t stagedA[2 * SIZE_A];
shared float16_t stagedB[2 * SIZE_B];
shared float edge[SUBGROUPS_DOWN * SUBGROUPS_ACROSS * TILE_M * TILE_N];

// The next block, in the registers of the invocations.
float16_t fetchedA[SHARE_A];
float16_t fetchedB[SHARE_B];

void fetch(const uint firstRow, const uint firstColumn, const uint k) {
    for (uint i = 0; i < SHARE_A; ++i) {
        uint place = i * INVOCATIONS + gl_LocalInvocationIndex;
        uint row = firstRow + place / DEPTH;
        uint column = k + place % DEPTH;
        fetchedA[i] = row < rows && column < depth ? inputA[row * depth + column] : float16_t(0.0);
    }
    for (uint i = 0; i < SHARE_B; ++i) {
        uint place = i * INVOCATIONS + gl_LocalInvocationIndex;
        uint column = firstColumn + place / DEPTH;
        uint row = k + place % DEPTH;
        fetchedB[i] = column < columns && row < depth ? inputB[column * depth + row] : float16_t(0.0);
    }
}

void stage(const uint copy) {
    for (uint i = 0; i < SHARE_A; ++i) {
        uint place = i * INVOCATIONS + gl_LocalInvocationIndex;
        stagedA[copy * SIZE_A + place / DEPTH * STRIDE + place % DEPTH] = fetchedA[i];
    }
    for (uint i = 0; i < SHARE_B; ++i) {
        uint place = i * INVOCATIONS + gl_LocalInvocationIndex;
        stagedB[copy * SIZE_B + place / DEPTH * STRIDE + place % DEPTH] = fetchedB[i];
    }
}

void main() {
    uint firstRow = gl_WorkGroupID.y * ROWS;
    uint firstColumn = gl_WorkGroupID.x * COLUMNS;
    // The subgroup's tiles in the block.
    uint down = gl_SubgroupID / SUBGROUPS_ACROSS * TILES_DOWN * TILE_M;
    uint across = gl_SubgroupID % SUBGROUPS_ACROSS * TILES_ACROSS * TILE_N;

    coopmat<float, gl_ScopeSubgroup, TILE_M, TILE_N, gl_MatrixUseAccumulator> sums[TILES_DOWN * TILES_ACROSS];
    for (uint i = 0; i < TILES_DOWN * TILES_ACROSS; ++i) {
        sums[i] = coopmat<float, gl_ScopeSubgroup, TILE_M, TILE_N, gl_MatrixUseAccumulator>(0.0);
    }

    fetch(firstRow, firstColumn, 0);
    stage(0);
    barrier();
    uint copy = 0;
    for (uint k = 0; k < depth; k += DEPTH) {
        bool more = k + DEPTH < depth;
        if (more) {
            fetch(firstRow, firstColumn, k + DEPTH);
        }
        for (uint step = 0; step < DEPTH; step += TILE_K) {
            coopmat<float16_t, gl_ScopeSubgroup, TILE_M, TILE_K, gl_MatrixUseA> a[TILES_DOWN];
            for (uint i = 0; i < TILES_DOWN; ++i) {
                uint start = copy * SIZE_A + (down + i * TILE_M) * STRIDE + step;
                coopMatLoad(a[i], stagedA, start, STRIDE, gl_CooperativeMatrixLayoutRowMajor);
            }
            for (uint j = 0; j < TILES_ACROSS; ++j) {
                coopmat<float16_t, gl_ScopeSubgroup, TILE_K, TILE_N, gl_MatrixUseB> b;
                uint start = copy * SIZE_B + (across + j * TILE_N) * STRIDE + step;
                coopMatLoad(b, stagedB, start, STRIDE, gl_CooperativeMatrixLayoutColumnMajor);
                for (uint i = 0; i < TILES_DOWN; ++i) {
                    sums[i * TILES_ACROSS + j] = coopMatMulAdd(a[i], b, sums[i * TILES_ACROSS + j]);
                }
            }
        }
        if (more) {
            // Nobody reads this copy: the last barrier stands behind the multiplications with it.
            stage(1 - copy);
        }
        barrier();
        copy = 1 - copy;
    }

    // Matrices are stored to multiples of 16 bytes. All subgroups take the same way, so that all come to the same barriers.
    bool whole = firstRow + ROWS <= rows && firstColumn + COLUMNS <= columns && columns % 4 == 0;
    uint own = gl_SubgroupID * TILE_M * TILE_N;
    for (uint i = 0; i < TILES_DOWN; ++i) {
        for (uint j = 0; j < TILES_ACROSS; ++j) {
            uint row = firstRow + down + i * TILE_M;
            uint column = firstColumn + across + j * TILE_N;
            if (whole) {
                coopMatStore(sums[i * TILES_ACROSS + j], outputD, row * columns + column, columns,
                             gl_CooperativeMatrixLayoutRowMajor);
                continue;
            }
            coopMatStore(sums[i * TILES_ACROSS + j], edge, own, TILE_N, gl_CooperativeMatrixLayoutRowMajor);
            subgroupMemoryBarrierShared();
            subgroupBarrier();
            for (uint e = gl_SubgroupInvocationID; e < TILE_M * TILE_N; e += gl_SubgroupSize) {
                uint r = row + e / TILE_N;
                uint c = column + e % TILE_N;
                if (r < rows && c < columns) {
                    outputD[r * columns + c] = edge[own + e];
                }
            }
            subgroupBarrier();
        }
    }
}
