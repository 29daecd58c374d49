#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Several products at once: the third direction of the dispatch counts matrices, which lie a batch stride apart. One B serves all.

layout(local_size_x = 32) in;

const uint TILE = 16;

layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2) writeonly buffer Output { float outputD[]; };

layout(push_constant) uniform Params {
    uint columns;
    uint depth;
    uint batchStrideA;
    uint batchStrideB;
    uint batchStrideD;
};

void main() {
    uint row = gl_WorkGroupID.y * TILE;
    uint column = gl_WorkGroupID.x * TILE;
    uint startA = gl_WorkGroupID.z * batchStrideA;
    uint startB = gl_WorkGroupID.z * batchStrideB;
    uint startD = gl_WorkGroupID.z * batchStrideD;

    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < depth; k += TILE) {
        coopMatLoad(a, inputA, startA + row * depth + k, depth, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, inputB, startB + k * columns + column, columns, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(a, b, sum);
    }
    coopMatStore(sum, outputD, startD + row * columns + column, columns, gl_CooperativeMatrixLayoutRowMajor);
}
