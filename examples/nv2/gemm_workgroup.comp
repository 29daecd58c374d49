#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require

// D = A * B with one matrix of 64 x 64 for a whole workgroup. The tensors' sizes are no multiples of the tile's: what a load
// finds outside is zero, what a store would put outside is dropped.

layout(local_size_x = 128) in;

const uint M = 64;
const uint N = 64;
const uint K = 32;
const uint CLAMP = gl_CooperativeMatrixClampModeConstantNV;

layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2) writeonly buffer Output { float outputD[]; };

layout(push_constant) uniform Params {
    uint rows;
    uint columns;
    uint depth;
};

void main() {
    tensorLayoutNV<2, CLAMP> layoutA = createTensorLayoutNV(2, CLAMP);
    tensorLayoutNV<2, CLAMP> layoutB = createTensorLayoutNV(2, CLAMP);
    tensorLayoutNV<2, CLAMP> layoutD = createTensorLayoutNV(2, CLAMP);
    layoutA = setTensorLayoutDimensionNV(layoutA, rows, depth);
    layoutB = setTensorLayoutDimensionNV(layoutB, depth, columns);
    layoutD = setTensorLayoutDimensionNV(layoutD, rows, columns);

    uint row = gl_WorkGroupID.y * M;
    uint column = gl_WorkGroupID.x * N;
    coopmat<float16_t, gl_ScopeWorkgroup, M, K, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeWorkgroup, K, N, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeWorkgroup, M, N, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeWorkgroup, M, N, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < depth; k += K) {
        coopMatLoadTensorNV(a, inputA, 0, sliceTensorLayoutNV(layoutA, row, M, k, K));
        coopMatLoadTensorNV(b, inputB, 0, sliceTensorLayoutNV(layoutB, k, K, column, N));
        sum = coopMatMulAdd(a, b, sum);
    }
    coopMatStoreTensorNV(sum, outputD, 0, sliceTensorLayoutNV(layoutD, row, M, column, N));
}
