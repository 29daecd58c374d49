#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_bfloat16 : enable

// Every invocation stores its length and its elements of a matrix that was loaded from a buffer. T is the component type, USE the
// use, SCOPE the scope.

#ifndef SCOPE
#define SCOPE gl_ScopeSubgroup
#endif

layout(local_size_x_id = 2) in;
layout(constant_id = 0) const uint M = 16;
layout(constant_id = 1) const uint N = 16;
layout(constant_id = 2) const uint INVOCATIONS = 32;
// Room for the elements of one invocation.
layout(constant_id = 3) const uint ROOM = 64;

layout(binding = 0) readonly buffer Input { T inputC[]; };
layout(binding = 1) writeonly buffer Elements { T elements[]; };
layout(binding = 2) writeonly buffer Lengths { uint lengths[]; };

void main() {
    uint i = gl_WorkGroupID.x;
    coopmat<T, SCOPE, M, N, USE> m;
    coopMatLoad(m, inputC, i * M * N, N, gl_CooperativeMatrixLayoutRowMajor);
    uint at = i * INVOCATIONS + gl_LocalInvocationIndex;
    lengths[at] = uint(m.length());
    for (uint e = 0; e < m.length(); ++e) {
        elements[at * ROOM + e] = m[e];
    }
}
