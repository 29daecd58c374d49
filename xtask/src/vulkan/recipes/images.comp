#version 460
// Levels, layers, volumes, buffers of texels, samplers with their image and alone: what is loaded, sampled, stored and counted.
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1, rgba8) uniform image2D small;
layout(binding = 2, r32f) uniform image3D volume;
layout(binding = 3) uniform sampler smooth_;
layout(binding = 4) uniform texture2DArray layers;
layout(binding = 5) uniform textureBuffer texels;
layout(binding = 6, r32ui) uniform uimageBuffer counts;
layout(binding = 7) buffer Out { vec4 sums[]; };
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec2 c = (vec2(at) + 0.3) / 6.0;
    vec4 sum = textureLod(picture, c, float(at.x) * 0.25);
    sum += textureLod(sampler2DArray(layers, smooth_), vec3(c * 1.7 - 0.5, at.y % 3), 0.0);
    sum += texelFetch(texels, at.x);
    imageStore(small, at, sum * 0.25);
    if (at.y < 4) imageStore(volume, ivec3(at.x % 4, at.y % 4, at.x / 4), imageLoad(volume, ivec3(at.x % 4, at.y % 4, at.x / 4)) + 1.0);
    imageAtomicAdd(counts, at.y, uint(at.x));
    sums[at.y * 8 + at.x] = sum;
}
