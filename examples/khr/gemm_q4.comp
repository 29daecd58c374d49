#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Activations times weights in q4_K blocks, as language models are kept: 256 weights of four bits, in eight groups with a scale and a minimum
// of six bits each, and two factors for all of them. A step takes one group of each row. Each invocation unpacks words of four
// weights into shared memory, from where a tile of them is loaded once and multiplied with several tiles of activations.

layout(local_size_x = 128, local_size_x_id = 0) in;

layout(constant_id = 1) const uint SUBGROUPS = 4;
// Rows, columns and depth of what the device multiplies in one step.
layout(constant_id = 2) const uint TILE = 16;
// Tiles of activations that a tile of weights is multiplied with.
layout(constant_id = 3) const uint REUSE = 2;

const uint GROUP = 32;
const uint BLOCK = 256;
const uint TOKENS = REUSE * TILE;
const uint OUTPUTS = SUBGROUPS * TILE;
// The padding spreads neighbouring rows over the banks, and leaves each at a multiple of 16 bytes.
const uint STRIDE = GROUP + 8;

struct Block {
    // Of the scales, of the minima.
    f16vec2 factors;
    // Eight scales and eight minima of six bits.
    uint packedScales[3];
    // 32 bytes hold two groups: one in their lower halves, one in the upper ones.
    uint quants[32];
};

layout(binding = 0, std430) readonly buffer Activations { float activations[]; };
layout(binding = 1, std430) readonly buffer Weights { Block blocks[]; };
layout(binding = 2, std430) writeonly buffer Output { float result[]; };

layout(push_constant) uniform Params {
    uint tokens;
    uint outputs;
    // A multiple of 256.
    uint depth;
};

shared float16_t stagedActivations[TOKENS * STRIDE];
shared float16_t stagedWeights[OUTPUTS * STRIDE];
shared float edge[SUBGROUPS * TILE * TILE];

uint scaleByte(const uint block, const uint i) {
    return bitfieldExtract(blocks[block].packedScales[i / 4], int(i % 4 * 8), 8);
}

// Scale and minimum of a group. The upper bits of the last four lie above the six bits of the first four.
vec2 scaleAndMinimum(const uint block, const uint group) {
    uint scale;
    uint minimum;
    if (group < 4) {
        scale = scaleByte(block, group) & 63;
        minimum = scaleByte(block, group + 4) & 63;
    } else {
        uint low = scaleByte(block, group + 4);
        scale = (low & 15) | (scaleByte(block, group - 4) >> 6 << 4);
        minimum = (low >> 4) | (scaleByte(block, group) >> 6 << 4);
    }
    return vec2(blocks[block].factors) * vec2(scale, minimum);
}

void stage(const uint firstToken, const uint firstOutput, const uint k) {
    for (uint i = gl_LocalInvocationIndex; i < TOKENS * GROUP; i += gl_WorkGroupSize.x) {
        uint token = firstToken + i / GROUP;
        uint from = token * depth + k + i % GROUP;
        stagedActivations[i / GROUP * STRIDE + i % GROUP] = float16_t(token < tokens ? activations[from] : 0.0);
    }
    uint group = k % BLOCK / GROUP;
    for (uint i = gl_LocalInvocationIndex; i < OUTPUTS * GROUP / 4; i += gl_WorkGroupSize.x) {
        uint row = i / (GROUP / 4);
        uint word = i % (GROUP / 4);
        f16vec4 weights = f16vec4(0.0);
        if (firstOutput + row < outputs) {
            uint block = ((firstOutput + row) * depth + k) / BLOCK;
            vec2 known = scaleAndMinimum(block, group);
            uint packed = blocks[block].quants[group / 2 * (GROUP / 4) + word];
            vec4 quants = vec4(unpack8(packed >> (group % 2 * 4) & 0x0F0F0F0Fu));
            weights = f16vec4(quants * known.x - known.y);
        }
        for (uint j = 0; j < 4; ++j) {
            stagedWeights[row * STRIDE + word * 4 + j] = weights[j];
        }
    }
}

void main() {
    uint firstToken = gl_WorkGroupID.y * TOKENS;
    uint firstOutput = gl_WorkGroupID.x * OUTPUTS;
    uint own = gl_SubgroupID * TILE;

    coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator> sums[REUSE];
    for (uint i = 0; i < REUSE; ++i) {
        sums[i] = coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>(0.0);
    }
    for (uint k = 0; k < depth; k += GROUP) {
        stage(firstToken, firstOutput, k);
        barrier();
        for (uint step = 0; step < GROUP; step += TILE) {
            coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB> weight;
            coopMatLoad(weight, stagedWeights, own * STRIDE + step, STRIDE, gl_CooperativeMatrixLayoutColumnMajor);
            for (uint i = 0; i < REUSE; ++i) {
                coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA> activation;
                coopMatLoad(activation, stagedActivations, i * TILE * STRIDE + step, STRIDE,
                            gl_CooperativeMatrixLayoutRowMajor);
                sums[i] = coopMatMulAdd(activation, weight, sums[i]);
            }
        }
        barrier();
    }

    // Matrices are stored to multiples of 16 bytes. All subgroups take the same way, so that all come to the same barriers.
    bool whole = firstToken + TOKENS <= tokens && firstOutput + OUTPUTS <= outputs && outputs % 4 == 0;
    uint column = firstOutput + own;
    for (uint i = 0; i < REUSE; ++i) {
        uint row = firstToken + i * TILE;
        if (whole) {
            coopMatStore(sums[i], result, row * outputs + column, outputs, gl_CooperativeMatrixLayoutRowMajor);
            continue;
        }
        coopMatStore(sums[i], edge, own * TILE, TILE, gl_CooperativeMatrixLayoutRowMajor);
        subgroupMemoryBarrierShared();
        subgroupBarrier();
        for (uint e = gl_SubgroupInvocationID; e < TILE * TILE; e += gl_SubgroupSize) {
            uint r = row + e / TILE;
            uint c = column + e % TILE;
            if (r < tokens && c < outputs) {
                result[r * outputs + c] = edge[own * TILE + e];
            }
        }
        subgroupBarrier();
    }
}
