#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require

// A product in which each subgroup keeps DOWN x ACROSS tiles of the result. With one tile, two factors are loaded for each multiply-add; with 4 x 4, eight for sixteen.
// 8 x 8 tiles load sixteen for 64, but take 512 registers of each invocation. docs/performance.md shows what `run --profile` reports of each.

layout(local_size_x = 32) in;

layout(constant_id = 0) const uint DOWN = 4;
layout(constant_id = 1) const uint ACROSS = 4;

const uint TILE = 16;

layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2) writeonly buffer Output { float outputD[]; };

layout(push_constant) uniform Params { uint columns; uint depth; };

void main() {
    uint row = gl_WorkGroupID.y * DOWN * TILE;
    uint column = gl_WorkGroupID.x * ACROSS * TILE;
    coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator> sums[DOWN * ACROSS];
    [[unroll]] for (uint i = 0; i < DOWN * ACROSS; i++) {
        sums[i] = coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>(0.0);
    }
    for (uint k = 0; k < depth; k += TILE) {
        coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB> b[ACROSS];
        [[unroll]] for (uint across = 0; across < ACROSS; across++) {
            coopMatLoad(b[across], inputB, k * columns + column + across * TILE, columns, gl_CooperativeMatrixLayoutRowMajor);
        }
        [[unroll]] for (uint down = 0; down < DOWN; down++) {
            coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA> a;
            coopMatLoad(a, inputA, (row + down * TILE) * depth + k, depth, gl_CooperativeMatrixLayoutRowMajor);
            [[unroll]] for (uint across = 0; across < ACROSS; across++) {
                sums[down * ACROSS + across] = coopMatMulAdd(a, b[across], sums[down * ACROSS + across]);
            }
        }
    }
    [[unroll]] for (uint down = 0; down < DOWN; down++) {
        [[unroll]] for (uint across = 0; across < ACROSS; across++) {
            uint start = (row + down * TILE) * columns + column + across * TILE;
            coopMatStore(sums[down * ACROSS + across], outputD, start, columns, gl_CooperativeMatrixLayoutRowMajor);
        }
    }
}
