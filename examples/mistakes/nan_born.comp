#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// A row of scores becomes weights: each is divided by the sum.
// The mistake: a row whose scores are all masked has a sum of zero, and 0 / 0 is not a number.

layout(local_size_x = 16) in;

layout(binding = 0) readonly buffer Input { float scores[]; };
layout(binding = 1) writeonly buffer Output { float result[]; };

void main() {
    uint start = gl_LocalInvocationIndex * 16;
    float sum = 0.0;
    for (uint i = 0; i < 16; ++i) {
        sum += scores[start + i];
    }
    for (uint i = 0; i < 16; ++i) {
        result[start + i] = scores[start + i] / sum;
    }
}
