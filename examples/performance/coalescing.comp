#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

// The sum of each row of a matrix. If each invocation adds up a row of its own, neighbours read elements that are a row apart, and each load touches as many
// sectors as there are invocations. If the subgroup adds up each row together, neighbours read neighbours. docs/performance.md shows what `run --profile` reports
// of both.

layout(local_size_x = 32) in;

layout(constant_id = 0) const bool TOGETHER = false;

layout(binding = 0) readonly buffer Input { float values[]; };
layout(binding = 1) writeonly buffer Output { float sums[]; };

layout(push_constant) uniform Params { uint columns; };

void main() {
    uint lane = gl_SubgroupInvocationID;
    uint first = gl_WorkGroupID.x * gl_WorkGroupSize.x;
    if (TOGETHER) {
        for (uint row = first; row < first + gl_WorkGroupSize.x; row++) {
            float sum = 0.0;
            for (uint column = lane; column < columns; column += gl_SubgroupSize) {
                sum += values[row * columns + column];
            }
            sum = subgroupAdd(sum);
            if (subgroupElect()) sums[row] = sum;
        }
    } else {
        float sum = 0.0;
        for (uint column = 0; column < columns; column++) {
            sum += values[(first + lane) * columns + column];
        }
        sums[first + lane] = sum;
    }
}
