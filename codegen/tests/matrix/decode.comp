#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_NV_cooperative_matrix_decode_vector : require
#extension GL_EXT_buffer_reference : require

layout(local_size_x = 128) in;
struct Block { float16_t scale; int8_t quants[32]; };
layout(binding = 0) readonly buffer Quantized { Block blocks[]; };
layout(binding = 1) writeonly buffer Output { float16_t result[]; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Reference { Block block; };
layout(push_constant) uniform Push { uint rows; uint columns; };

float16_t decode(const in Reference data, const in uint32_t block[2], const in uint32_t inside[2]) {
    return data.block.scale * float16_t(data.block.quants[inside[1]]);
}

f16vec4 decode4(const in Reference data, const in uint32_t block[2], const in uint32_t inside[2]) {
    uint at = inside[1];
    return data.block.scale * f16vec4(data.block.quants[at], data.block.quants[at + 1], data.block.quants[at + 2], data.block.quants[at + 3]);
}

void main() {
    coopmat<float16_t, gl_ScopeWorkgroup, 64, 32, gl_MatrixUseA> m;
    tensorLayoutNV<2> blocked = createTensorLayoutNV(2);
    tensorViewNV<2> view = createTensorViewNV(2);
    blocked = setTensorLayoutBlockSizeNV(blocked, 1, 32);
    blocked = setTensorLayoutDimensionNV(blocked, rows, columns);
    coopMatLoadTensorNV(m, blocks, 0, sliceTensorLayoutNV(blocked, 0, 64, 0, 32), decode);
    coopMatLoadTensorNV(m, blocks, 0, sliceTensorLayoutNV(blocked, 0, 64, 0, 32), decode, decode4);
    coopMatLoadTensorNV(m, blocks, 0, sliceTensorLayoutNV(blocked, 0, 64, 0, 32), view, decode, decode4);
    coopMatStore(m, result, 0, 32, gl_CooperativeMatrixLayoutRowMajor);
}
