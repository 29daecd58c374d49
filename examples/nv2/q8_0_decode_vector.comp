#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_long_vector : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_NV_cooperative_matrix_decode_vector : require

// A tensor of blocks, each with a scale and 32 signed bytes, loaded as half-precision floats. The load may call either function: the one
// that decodes a single element, or the one that reads 16 bits and decodes two.

layout(local_size_x = 32) in;

const uint ROWS = 256;
const uint COLUMNS = 1024;
const uint M = 16;
const uint N = 32;

// The same 34 bytes, as bytes and as pairs of bytes.
layout(buffer_reference, std430, buffer_reference_align = 2) readonly buffer BlockBytes {
    float16_t scale;
    int8_t quants[32];
};
layout(buffer_reference, std430, buffer_reference_align = 2) readonly buffer BlockPairs {
    float16_t scale;
    int16_t pairs[16];
};

layout(binding = 0, std430) readonly buffer Weights { uint16_t data[]; } weights;
layout(binding = 1, std430) writeonly buffer Output { float16_t result[]; };

float16_t decodeOne(const in BlockBytes block, const in uint32_t blockCoord[2], const in uint32_t coordInBlock[2]) {
    return float16_t(block.quants[coordInBlock[1]]) * block.scale;
}

vector<float16_t, 2> decodeTwo(const in BlockPairs block, const in uint32_t blockCoord[2], const in uint32_t coordInBlock[2]) {
    // The second coordinate is even here, so one pair holds both elements.
    uint pair = uint(block.pairs[coordInBlock[1] >> 1]);
    return vector<float16_t, 2>(float16_t(int8_t(pair & 0xFFu)), float16_t(int8_t((pair >> 8) & 0xFFu))) * block.scale;
}

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, M, N, gl_MatrixUseA> tile;

    tensorLayoutNV<2> t = createTensorLayoutNV(2);
    t = setTensorLayoutBlockSizeNV(t, 1, 32);
    t = setTensorLayoutDimensionNV(t, ROWS, COLUMNS);
    t = sliceTensorLayoutNV(t, gl_WorkGroupID.y * M, M, gl_WorkGroupID.x * N, N);
    coopMatLoadTensorNV(tile, weights.data, 0, t, decodeOne, decodeTwo);

    uint start = gl_WorkGroupID.y * M * COLUMNS + gl_WorkGroupID.x * N;
    coopMatStore(tile, result, start, COLUMNS, gl_CooperativeMatrixLayoutRowMajor);
}
