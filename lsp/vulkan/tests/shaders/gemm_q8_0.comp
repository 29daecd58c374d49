#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
#extension GL_NV_cooperative_matrix2 : require
#ifdef DECODE_VECTOR
#extension GL_NV_cooperative_matrix_decode_vector : require
#endif

// One tile of D = A * B for each workgroup, of workgroup scope. A is decoded while it is loaded: blocks of 32 signed bytes and
// their scale. Tiles that reach past the edges are loaded as zeros and stored in part.

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(constant_id = 0) const uint INVOCATIONS = 128;
layout(constant_id = 1) const uint M = 64;
layout(constant_id = 2) const uint N = 64;
layout(constant_id = 3) const uint K = 32;

layout(buffer_reference, std430, buffer_reference_align = 2) readonly buffer Block {
    float16_t scale;
    int8_t quants[32];
};

layout(binding = 0, std430) readonly buffer Weights { uint16_t weights[]; };
layout(binding = 1, std430) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2, std430) writeonly buffer Output { float outputD[]; };

layout(push_constant) uniform Params {
    uint rows;
    uint columns;
    uint depth;
};

float16_t decodeOne(const in Block block, const in uint32_t blockCoord[2], const in uint32_t coordInBlock[2]) {
    return float16_t(block.quants[coordInBlock[1]]) * block.scale;
}

#ifdef DECODE_VECTOR
f16vec2 decodeTwo(const in Block block, const in uint32_t blockCoord[2], const in uint32_t coordInBlock[2]) {
    uint first = coordInBlock[1];
    return f16vec2(float16_t(block.quants[first]), float16_t(block.quants[first + 1])) * block.scale;
}
#define DECODE decodeOne, decodeTwo
#else
#define DECODE decodeOne
#endif

void main() {
    uint row = gl_WorkGroupID.y * M;
    uint column = gl_WorkGroupID.x * N;

    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> layoutA = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> layoutB = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> layoutD = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    layoutA = setTensorLayoutBlockSizeNV(layoutA, 1, 32);
    layoutA = setTensorLayoutDimensionNV(layoutA, rows, depth);
    layoutB = setTensorLayoutDimensionNV(layoutB, depth, columns);
    layoutD = setTensorLayoutDimensionNV(layoutD, rows, columns);

    coopmat<float, gl_ScopeWorkgroup, M, N, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeWorkgroup, M, N, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < depth; k += K) {
        coopmat<float16_t, gl_ScopeWorkgroup, M, K, gl_MatrixUseA> a;
        coopmat<float16_t, gl_ScopeWorkgroup, K, N, gl_MatrixUseB> b;
        coopMatLoadTensorNV(a, weights, 0, sliceTensorLayoutNV(layoutA, row, M, k, K), DECODE);
        coopMatLoadTensorNV(b, inputB, 0, sliceTensorLayoutNV(layoutB, k, K, column, N));
        sum = coopMatMulAdd(a, b, sum);
    }
    coopMatStoreTensorNV(sum, outputD, 0, sliceTensorLayoutNV(layoutD, row, M, column, N));
}
