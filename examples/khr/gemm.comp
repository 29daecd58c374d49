#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// D = A * B + C with one tile of D per subgroup. A is row-major, B is column-major ("K first"): both advance along K by
// adding to the start.

layout(local_size_x = 128) in;

layout(constant_id = 0) const uint TILE_M = 16;
layout(constant_id = 1) const uint TILE_N = 16;
layout(constant_id = 2) const uint TILE_K = 16;

layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2) readonly buffer InputC { float inputC[]; };
layout(binding = 3) writeonly buffer Output { float outputD[]; };

layout(push_constant) uniform Params {
    uint totalK;
    uint tilesPerRow;
    uint strideA;
    uint strideB;
    uint strideC;
    uint strideD;
};

const int ROW_FIRST = gl_CooperativeMatrixLayoutRowMajor;
const int COLUMN_FIRST = gl_CooperativeMatrixLayoutColumnMajor;

void main() {
    uint tile = gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID;
    uint row = (tile / tilesPerRow) * TILE_M;
    uint column = (tile % tilesPerRow) * TILE_N;

    coopmat<float16_t, gl_ScopeSubgroup, TILE_M, TILE_K, gl_MatrixUseA> matA;
    coopmat<float16_t, gl_ScopeSubgroup, TILE_K, TILE_N, gl_MatrixUseB> matB;
    coopmat<float, gl_ScopeSubgroup, TILE_M, TILE_N, gl_MatrixUseAccumulator> matC;

    coopMatLoad(matC, inputC, row * strideC + column, strideC, ROW_FIRST);
    for (uint k = 0; k < totalK; k += TILE_K) {
        uint startA = row * strideA + k;
        uint startB = column * strideB + k;
        coopMatLoad(matA, inputA, startA, strideA, ROW_FIRST);
        coopMatLoad(matB, inputB, startB, strideB, COLUMN_FIRST);
        matC = coopMatMulAdd(matA, matB, matC);
    }
    coopMatStore(matC, outputD, row * strideD + column, strideD, ROW_FIRST);
}
