#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// A product of one tile whose factors lie in shared memory. Without a padding, rows that a subgroup loads at once begin in the same banks; a padding of 8 elements
// moves each row by 4 banks. docs/performance.md shows what `run --profile` reports of both.

layout(local_size_x = 32) in;

layout(constant_id = 0) const uint PADDING = 0;
// The same again, for times that can be measured.
layout(constant_id = 1) const uint ROUNDS = 1;

const uint TILE = 16;
const uint STRIDE = TILE + PADDING;

layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2) writeonly buffer Output { float outputD[]; };

shared float16_t stagedA[TILE * STRIDE];
shared float16_t stagedB[TILE * STRIDE];

void main() {
    for (uint i = gl_LocalInvocationIndex; i < TILE * TILE; i += gl_WorkGroupSize.x) {
        stagedA[i / TILE * STRIDE + i % TILE] = inputA[i];
        stagedB[i / TILE * STRIDE + i % TILE] = inputB[i];
    }
    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator> zero, sum;
    zero = coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>(0.0);
    for (uint round = 0; round < ROUNDS; round++) {
        barrier();
        coopMatLoad(a, stagedA, 0, STRIDE, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, stagedB, 0, STRIDE, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(a, b, zero);
    }
    // All workgroups have the same result.
    if (gl_WorkGroupID.x == 0) coopMatStore(sum, outputD, 0, TILE, gl_CooperativeMatrixLayoutRowMajor);
}
