#version 460
#extension GL_EXT_long_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_shader_subgroup_partitioned : require

layout(local_size_x = 32) in;
layout(constant_id = 0) const uint N = 5;
layout(binding = 0) buffer Values { float values[]; };

void main() {
    vector<float, 8> eight = vector<float, 8>(values[0]);
    eight = min(eight, 2.0) * values[1];
    vector<float, N> several = vector<float, N>(values[2]);
    several = smoothstep(0.0, values[3], several) + 1.0;
    vector<float16_t, 1> one = vector<float16_t, 1>(float16_t(values[4]));
    i16vec2 exponent;
    f16vec2 fraction = frexp(f16vec2(values[5]), exponent);
    fraction = ldexp(fraction, ivec2(exponent));
    uvec4 same = subgroupPartitionNV(values[6]);
    values[0] = eight[7] + several[2] + float(one[0] + fraction.x) + float(same.x);
}
