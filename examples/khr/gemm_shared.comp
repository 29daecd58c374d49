#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// A workgroup of four subgroups computes 32 x 32 elements. All of its invocations copy the next 16 columns of A and rows of B to
// shared memory, and each subgroup multiplies its quarter from there.

layout(local_size_x = 128) in;

const uint TILE = 16;
const uint BLOCK = 32;
// The padding keeps rows of neighbouring tiles apart.
const uint STRIDE_A = TILE + 8;
const uint STRIDE_B = BLOCK + 8;

layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2) writeonly buffer Output { float outputD[]; };

layout(push_constant) uniform Params { uint columns; uint depth; };

shared float16_t stagedA[BLOCK * STRIDE_A];
shared float16_t stagedB[TILE * STRIDE_B];

void main() {
    uint firstRow = gl_WorkGroupID.y * BLOCK;
    uint firstColumn = gl_WorkGroupID.x * BLOCK;
    uint row = (gl_SubgroupID / 2) * TILE;
    uint column = (gl_SubgroupID % 2) * TILE;

    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < depth; k += TILE) {
        for (uint i = gl_LocalInvocationIndex; i < BLOCK * TILE; i += gl_WorkGroupSize.x) {
            stagedA[i / TILE * STRIDE_A + i % TILE] = inputA[(firstRow + i / TILE) * depth + k + i % TILE];
            stagedB[i / BLOCK * STRIDE_B + i % BLOCK] = inputB[(k + i / BLOCK) * columns + firstColumn + i % BLOCK];
        }
        barrier();
        coopMatLoad(a, stagedA, row * STRIDE_A, STRIDE_A, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, stagedB, column, STRIDE_B, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(a, b, sum);
        barrier();
    }
    uint start = (firstRow + row) * columns + firstColumn + column;
    coopMatStore(sum, outputD, start, columns, gl_CooperativeMatrixLayoutRowMajor);
}
