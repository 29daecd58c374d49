#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// The products of one slice of K: each workgroup in z adds up its part of the sum. gemm_split_k_reduce.comp adds the slices. A product with few
// tiles and a long K keeps more of a device busy like this.

layout(local_size_x = 32) in;

const uint TILE = 16;

layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2) writeonly buffer Partial { float partialSums[]; };

layout(push_constant) uniform Params {
    uint rows;
    uint columns;
    uint depth;
    uint slice; // of K, for each workgroup in z
};

void main() {
    uint row = gl_WorkGroupID.y * TILE;
    uint column = gl_WorkGroupID.x * TILE;
    uint first = gl_WorkGroupID.z * slice;

    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>(0.0);
    for (uint k = first; k < first + slice; k += TILE) {
        coopMatLoad(a, inputA, row * depth + k, depth, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, inputB, k * columns + column, columns, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(a, b, sum);
    }
    uint start = gl_WorkGroupID.z * rows * columns;
    coopMatStore(sum, partialSums, start + row * columns + column, columns, gl_CooperativeMatrixLayoutRowMajor);
}
