#version 460
// Addresses in push constants, and behind them; parts of a buffer at two bindings.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 8) in;
layout(buffer_reference, std430) buffer Values { float at[]; };
layout(buffer_reference, std430) buffer Node { uvec2 next; float scale; };
layout(push_constant) uniform Push { Node first; uint count; };
layout(binding = 0) readonly buffer Low { float low[]; };
layout(binding = 1) readonly buffer High { float high[]; };
layout(binding = 2) buffer Out { float sums[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    Values values = Values(first.next);
    if (i < count) sums[i] = values.at[i] * first.scale + low[i] + high[i];
}
