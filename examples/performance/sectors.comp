#version 460

// Loads of one word from each invocation, STRIDE words apart: the further apart, the more sectors of 32 bytes a subgroup touches, up to one for each invocation.
// docs/performance.md has the times that this took on a GPU.

layout(local_size_x = 256) in;

layout(binding = 0) readonly buffer Input { float values[]; };
layout(binding = 1) writeonly buffer Output { float sums[]; };

layout(push_constant) uniform Params { uint stride; };

// Enough to fill a GPU, whose caches have none of it.
const uint LOADS = 8;

void main() {
    uint own = gl_GlobalInvocationID.x;
    uint all = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    float sum = 0.0;
    for (uint load = 0; load < LOADS; load++) {
        sum += values[(load * all + own) * stride];
    }
    sums[own] = sum;
}
