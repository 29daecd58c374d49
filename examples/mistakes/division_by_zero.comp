#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Numbers are divided by the sums of their rows' scales.
// The mistake: a scale can be zero, and dividing an integer by zero gives anything.

layout(local_size_x = 32) in;

layout(binding = 0) readonly buffer Input { int values[]; };
layout(binding = 1) readonly buffer Scales { int scales[]; };
layout(binding = 2) writeonly buffer Output { int result[]; };

void main() {
    uint own = gl_LocalInvocationIndex;
    result[own] = values[own] / scales[own];
}
