#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
#extension GL_NV_cooperative_matrix2 : require

// The product of khr/gemm_q4.comp by whole workgroups: the load of the weights calls a function that unpacks an element of a q4_K block, a
// view makes columns of the rows that they are stored in, and what lies outside of the tensors needs no code.

layout(local_size_x = 128) in;

const uint TOKENS = 32;
const uint OUTPUTS = 64;
const uint DEPTH = 32;
const uint BLOCK = 256;
const uint CLAMP = gl_CooperativeMatrixClampModeConstantNV;

// 256 weights of four bits, in eight groups with a scale and a minimum of six bits each, and two factors for all of them.
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Block {
    f16vec2 factors;
    uint8_t packedScales[12];
    uint8_t quants[128];
};

layout(binding = 0, std430) readonly buffer Activations { float16_t activations[]; };
layout(binding = 1, std430) readonly buffer Weights { uint data[]; } weights;
layout(binding = 2, std430) writeonly buffer Output { float result[]; };

layout(push_constant) uniform Params {
    uint tokens;
    uint outputs;
    // A multiple of 256.
    uint depth;
};

float16_t unpack(const in Block block, const in uint32_t blockCoord[2], const in uint32_t coordInBlock[2]) {
    uint place = coordInBlock[1];
    uint group = place / 32;
    uint scale;
    uint minimum;
    if (group < 4) {
        scale = block.packedScales[group] & 63;
        minimum = block.packedScales[group + 4] & 63;
    } else {
        // The upper bits of the last four groups lie above the six bits of the first four.
        uint low = block.packedScales[group + 4];
        scale = (low & 15) | (uint(block.packedScales[group - 4]) >> 6 << 4);
        minimum = (low >> 4) | (uint(block.packedScales[group]) >> 6 << 4);
    }
    // 32 bytes hold two groups: one in their lower halves, one in the upper ones.
    uint quant = uint(block.quants[group / 2 * 32 + place % 32]) >> (group % 2 * 4) & 15;
    vec2 known = vec2(block.factors) * vec2(scale, minimum);
    return float16_t(float(quant) * known.x - known.y);
}

void main() {
    tensorLayoutNV<2, CLAMP> layoutA = createTensorLayoutNV(2, CLAMP);
    tensorLayoutNV<2, CLAMP> layoutB = createTensorLayoutNV(2, CLAMP);
    tensorLayoutNV<2, CLAMP> layoutD = createTensorLayoutNV(2, CLAMP);
    layoutA = setTensorLayoutDimensionNV(layoutA, tokens, depth);
    layoutB = setTensorLayoutBlockSizeNV(layoutB, 1, BLOCK);
    layoutB = setTensorLayoutDimensionNV(layoutB, outputs, depth);
    layoutD = setTensorLayoutDimensionNV(layoutD, tokens, outputs);
    tensorViewNV<2, false, 1, 0> transposed = createTensorViewNV(2, false, 1, 0);

    uint token = gl_WorkGroupID.y * TOKENS;
    uint first = gl_WorkGroupID.x * OUTPUTS;
    coopmat<float16_t, gl_ScopeWorkgroup, TOKENS, DEPTH, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeWorkgroup, DEPTH, OUTPUTS, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeWorkgroup, TOKENS, OUTPUTS, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeWorkgroup, TOKENS, OUTPUTS, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < depth; k += DEPTH) {
        coopMatLoadTensorNV(a, activations, 0, sliceTensorLayoutNV(layoutA, token, TOKENS, k, DEPTH));
        coopMatLoadTensorNV(b, weights.data, 0, sliceTensorLayoutNV(layoutB, first, OUTPUTS, k, DEPTH), transposed, unpack);
        sum = coopMatMulAdd(a, b, sum);
    }
    coopMatStoreTensorNV(sum, result, 0, sliceTensorLayoutNV(layoutD, token, TOKENS, first, OUTPUTS));
}
