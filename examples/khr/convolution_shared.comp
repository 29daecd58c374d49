#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// A convolution as a matrix product, with the input patch staged through shared memory: the padding at the border is written
// there as zeros, because a matrix load has no way to skip elements.

layout(local_size_x = 32) in;

const uint TILE_M = 16;
const uint TILE_N = 16;
const uint TILE_K = 16;
const int FILTER_HEIGHT = 3;
const int FILTER_WIDTH = 3;
const uint STRIDE_SHARED = TILE_K + 8;

layout(binding = 0) readonly buffer Input { float16_t pixels[]; };
layout(binding = 1) readonly buffer Weights { float16_t weights[]; };
layout(binding = 2) writeonly buffer Output { float result[]; };

layout(push_constant) uniform Params {
    int width;
    int height;
    uint channels;
    uint strideOut;
};

shared float16_t patchA[TILE_M * STRIDE_SHARED];

void stage(int y, int x0, uint step) {
    for (uint i = gl_LocalInvocationIndex; i < TILE_M * TILE_K; i += gl_WorkGroupSize.x) {
        uint row = i / TILE_K;
        uint channel = i % TILE_K;
        int x = x0 + int(row);
        bool inside = x >= 0 && x < width && y >= 0 && y < height;
        uint source = (uint(max(y, 0)) * uint(width) + uint(max(x, 0))) * channels + step + channel;
        patchA[row * STRIDE_SHARED + channel] = inside ? pixels[source] : float16_t(0.0);
    }
}

void main() {
    int outRow = int(gl_WorkGroupID.y);
    int outColumn = int(gl_WorkGroupID.x * TILE_M);

    coopmat<float16_t, gl_ScopeSubgroup, TILE_M, TILE_K, gl_MatrixUseA> matA;
    coopmat<float16_t, gl_ScopeSubgroup, TILE_K, TILE_N, gl_MatrixUseB> matB;
    coopmat<float, gl_ScopeSubgroup, TILE_M, TILE_N, gl_MatrixUseAccumulator> matC =
        coopmat<float, gl_ScopeSubgroup, TILE_M, TILE_N, gl_MatrixUseAccumulator>(0.0);

    for (uint step = 0; step < channels; step += TILE_K) {
        for (int filterRow = 0; filterRow < FILTER_HEIGHT; ++filterRow) {
            for (int filterColumn = 0; filterColumn < FILTER_WIDTH; ++filterColumn) {
                barrier();
                stage(outRow + filterRow - FILTER_HEIGHT / 2, outColumn + filterColumn - FILTER_WIDTH / 2, step);
                barrier();

                uint tap = uint(filterRow * FILTER_WIDTH + filterColumn);
                coopMatLoad(matA, patchA, 0, STRIDE_SHARED, gl_CooperativeMatrixLayoutRowMajor);
                coopMatLoad(matB, weights, tap * TILE_N * channels + step, channels, gl_CooperativeMatrixLayoutColumnMajor);
                matC = coopMatMulAdd(matA, matB, matC);
            }
        }
    }
    uint start = uint(outRow * width + outColumn) * strideOut;
    coopMatStore(matC, result, start, strideOut, gl_CooperativeMatrixLayoutRowMajor);
}
