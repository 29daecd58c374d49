#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// softmax(Q * transpose(K) * scale) * V in one pass over the keys, so that the scores never reach memory. Each subgroup keeps a tile of queries
// and what was summed for it in matrices; keys and values come through shared memory for all subgroups. Nobody knows which invocation holds
// which element of a matrix, so the scores of a step go through shared memory, where each row is shared out among neighbouring
// invocations. They keep the row's largest score and the sum of its weights; what was summed before is scaled whenever a larger
// score comes. A subgroup has at least as many invocations as a tile has rows.

layout(local_size_x = 128, local_size_x_id = 0) in;

layout(constant_id = 1) const uint SUBGROUPS = 4;
// Rows, columns and depth of what the device multiplies in one step.
layout(constant_id = 2) const uint TILE = 16;
// Keys of one step, and elements of a key.
layout(constant_id = 3) const uint KEYS = 32;
layout(constant_id = 4) const uint HEAD = 64;
// Whether a query sees only the keys up to its own place.
layout(constant_id = 5) const bool CAUSAL = true;

const uint QUERIES = SUBGROUPS * TILE;
const uint STEPS = HEAD / TILE;
// The padding spreads neighbouring rows over the banks, and leaves each at a multiple of 16 bytes.
const uint STRIDE = HEAD + 8;
const uint STRIDE_SCORES = KEYS + 4;
const uint STRIDE_WEIGHTS = KEYS + 8;
// Less than any score, and finite: differences of it are numbers.
const float HIDDEN = -1.0e30;

// [heads, tokens, HEAD] each.
layout(binding = 0) readonly buffer Queries { float16_t queries[]; };
layout(binding = 1) readonly buffer Keys { float16_t keys[]; };
layout(binding = 2) readonly buffer Values { float16_t values[]; };
layout(binding = 3) writeonly buffer Output { float result[]; };

layout(push_constant) uniform Params {
    uint queryCount;
    uint keyCount;
    float scale;
};

shared float16_t stagedKeys[KEYS * STRIDE];
shared float16_t stagedValues[KEYS * STRIDE];
// A part for each subgroup.
shared float scores[QUERIES * STRIDE_SCORES];
shared float16_t weights[QUERIES * STRIDE_WEIGHTS];
shared float factors[QUERIES];

// What the subgroup wrote to its part of shared memory is there for all of it.
void meet() {
    subgroupMemoryBarrierShared();
    subgroupBarrier();
}

void stage(const uint head, const uint firstKey) {
    for (uint i = gl_LocalInvocationIndex; i < KEYS * HEAD; i += gl_WorkGroupSize.x) {
        uint key = i / HEAD;
        uint place = key * STRIDE + i % HEAD;
        bool inside = firstKey + key < keyCount;
        uint from = (head * keyCount + firstKey) * HEAD + i;
        stagedKeys[place] = inside ? keys[from] : float16_t(0.0);
        stagedValues[place] = inside ? values[from] : float16_t(0.0);
    }
}

void main() {
    uint head = gl_WorkGroupID.y;
    uint firstQuery = gl_WorkGroupID.x * QUERIES;
    uint own = gl_SubgroupID * TILE;
    uint ownQuery = firstQuery + own;
    uint ownScores = own * STRIDE_SCORES;
    uint ownWeights = own * STRIDE_WEIGHTS;

    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA> query[STEPS];
    coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator> sums[STEPS];
    for (uint d = 0; d < STEPS; ++d) {
        for (uint i = gl_SubgroupInvocationID; i < TILE * TILE; i += gl_SubgroupSize) {
            uint token = ownQuery + i / TILE;
            uint from = (head * queryCount + token) * HEAD + d * TILE + i % TILE;
            weights[ownWeights + i / TILE * STRIDE_WEIGHTS + i % TILE] =
                token < queryCount ? queries[from] : float16_t(0.0);
        }
        meet();
        coopMatLoad(query[d], weights, ownWeights, STRIDE_WEIGHTS, gl_CooperativeMatrixLayoutRowMajor);
        sums[d] = coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>(0.0);
        meet();
    }

    // The invocation's row, and which of the row's keys it looks at: each `team`-th.
    uint team = gl_SubgroupSize / TILE;
    uint row = gl_SubgroupInvocationID / team;
    uint member = gl_SubgroupInvocationID % team;
    float largest = HIDDEN;
    float total = 0.0;
    coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator> factor;

    // No query of this workgroup sees a key behind the last of them.
    uint end = CAUSAL ? min(keyCount, firstQuery + QUERIES) : keyCount;
    for (uint firstKey = 0; firstKey < end; firstKey += KEYS) {
        stage(head, firstKey);
        barrier();

        for (uint n = 0; n < KEYS; n += TILE) {
            coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator> score =
                coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>(0.0);
            for (uint d = 0; d < STEPS; ++d) {
                coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB> key;
                coopMatLoad(key, stagedKeys, n * STRIDE + d * TILE, STRIDE, gl_CooperativeMatrixLayoutColumnMajor);
                score = coopMatMulAdd(query[d], key, score);
            }
            coopMatStore(score, scores, ownScores + n, STRIDE_SCORES, gl_CooperativeMatrixLayoutRowMajor);
        }
        meet();

        float newLargest = largest;
        for (uint n = member; n < KEYS; n += team) {
            uint key = firstKey + n;
            bool seen = key < keyCount && (!CAUSAL || key <= ownQuery + row);
            uint place = ownScores + row * STRIDE_SCORES + n;
            float score = seen ? scores[place] * scale : HIDDEN;
            scores[place] = score;
            newLargest = max(newLargest, score);
        }
        for (uint mask = 1; mask < team; mask *= 2) {
            newLargest = max(newLargest, subgroupShuffleXor(newLargest, mask));
        }
        float sum = 0.0;
        for (uint n = member; n < KEYS; n += team) {
            float weight = exp(scores[ownScores + row * STRIDE_SCORES + n] - newLargest);
            weights[ownWeights + row * STRIDE_WEIGHTS + n] = float16_t(weight);
            sum += weight;
        }
        for (uint mask = 1; mask < team; mask *= 2) {
            sum += subgroupShuffleXor(sum, mask);
        }
        float shrink = exp(largest - newLargest);
        total = total * shrink + sum;
        largest = newLargest;
        if (member == 0) {
            factors[own + row] = shrink;
        }
        meet();

        // With a stride of 0 all columns are the same one: each row's factor stands at each of its elements.
        coopMatLoad(factor, factors, own, 0, gl_CooperativeMatrixLayoutColumnMajor);
        for (uint d = 0; d < STEPS; ++d) {
            sums[d] = sums[d] * factor;
        }
        for (uint n = 0; n < KEYS; n += TILE) {
            coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA> weight;
            coopMatLoad(weight, weights, ownWeights + n, STRIDE_WEIGHTS, gl_CooperativeMatrixLayoutRowMajor);
            for (uint d = 0; d < STEPS; ++d) {
                coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB> value;
                coopMatLoad(value, stagedValues, n * STRIDE + d * TILE, STRIDE, gl_CooperativeMatrixLayoutRowMajor);
                sums[d] = coopMatMulAdd(weight, value, sums[d]);
            }
        }
        barrier();
    }

    if (member == 0) {
        factors[own + row] = 1.0 / total;
    }
    meet();
    coopMatLoad(factor, factors, own, 0, gl_CooperativeMatrixLayoutColumnMajor);
    uint first = (head * queryCount + ownQuery) * HEAD;
    for (uint d = 0; d < STEPS; ++d) {
        sums[d] = sums[d] * factor;
        // All subgroups take the same way, so that all come to the same barriers.
        if (firstQuery + QUERIES <= queryCount) {
            coopMatStore(sums[d], result, first + d * TILE, HEAD, gl_CooperativeMatrixLayoutRowMajor);
            continue;
        }
        coopMatStore(sums[d], scores, ownScores, STRIDE_SCORES, gl_CooperativeMatrixLayoutRowMajor);
        meet();
        for (uint i = gl_SubgroupInvocationID; i < TILE * TILE; i += gl_SubgroupSize) {
            if (ownQuery + i / TILE < queryCount) {
                result[first + i / TILE * HEAD + d * TILE + i % TILE] =
                    scores[ownScores + i / TILE * STRIDE_SCORES + i % TILE];
            }
        }
        meet();
    }
}
