#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Two neighbours add up their values in shared memory.
// The mistake: both write the same element at the same time.

layout(local_size_x = 64) in;

layout(binding = 0) readonly buffer Input { float values[]; };
layout(binding = 1) writeonly buffer Output { float result[]; };

shared float pairs[32];

void main() {
    uint own = gl_LocalInvocationIndex;
    pairs[own % 32] = values[own];
    barrier();
    result[own] = pairs[own % 32];
}
