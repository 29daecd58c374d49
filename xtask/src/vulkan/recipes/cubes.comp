#version 460
// Cubes by a direction, across their edges too; gathers and projections.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform samplerCube picture;
layout(binding = 1) uniform sampler2D plane;
layout(binding = 2) buffer Out { vec4 sums[]; };
layout(binding = 3) buffer Out2 { vec4 gathered[]; };
layout(binding = 4) uniform samplerCube nearest;
layout(binding = 5) buffer Out3 { vec4 near[]; };
void main() {
    uvec3 id = gl_GlobalInvocationID;
    int index = int((id.z * 8 + id.y) * 8 + id.x);
    vec2 p = (vec2(id.xy) + 0.37) / 4.0 - 1.0;
    vec3 d[6] = vec3[6](vec3(1, p), vec3(-1, p), vec3(p.x, 1, p.y), vec3(p.x, -1, p.y), vec3(p, 1), vec3(p, -1));
    sums[index] = textureLod(picture, d[id.z] * 1.7, float(id.x) / 8.0);
    near[index] = textureLod(nearest, d[id.z] * 1.7, 0.0);
    gathered[index] = textureGather(plane, p * 1.5, 1) + textureProjLod(plane, vec3(p, 0.7), 0.0);
}
