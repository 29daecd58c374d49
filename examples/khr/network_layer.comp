#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// The product of one layer of a network, without bias and activation: network_layer.run.toml runs it for two layers, with
// network_activation.comp in between.

layout(local_size_x = 32) in;

layout(constant_id = 0) const uint DEPTH = 64; // inputs of the layer
layout(constant_id = 1) const uint WIDTH = 64; // its outputs

const uint TILE = 16;

layout(binding = 0) readonly buffer Inputs { float16_t inputs[]; };
layout(binding = 1) readonly buffer Weights { float16_t weights[]; };
layout(binding = 2) writeonly buffer Products { float products[]; };

void main() {
    uint row = gl_WorkGroupID.y * TILE;
    uint column = gl_WorkGroupID.x * TILE;

    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < DEPTH; k += TILE) {
        coopMatLoad(a, inputs, row * DEPTH + k, DEPTH, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, weights, k * WIDTH + column, WIDTH, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(a, b, sum);
    }
    coopMatStore(sum, products, row * WIDTH + column, WIDTH, gl_CooperativeMatrixLayoutRowMajor);
}
