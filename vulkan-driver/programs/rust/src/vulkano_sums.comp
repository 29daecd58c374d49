// Prefix sums of a buffer, times a factor, by one workgroup.
#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint factor; };

shared uint sums[64];

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint before = 0;
    for (uint first = 0; first < values.length(); first += gl_WorkGroupSize.x) {
        uint index = first + lane;
        uint value = index < values.length() ? values[index] : 0;
        uint sum = subgroupInclusiveAdd(value);
        if (gl_SubgroupInvocationID == gl_SubgroupSize - 1) sums[gl_SubgroupID] = sum;
        barrier();
        uint all = 0;
        for (uint subgroup = 0; subgroup < gl_NumSubgroups; ++subgroup) {
            if (subgroup < gl_SubgroupID) sum += sums[subgroup];
            all += sums[subgroup];
        }
        if (index < values.length()) values[index] = (before + sum) * factor;
        before += all;
        barrier();
    }
}
