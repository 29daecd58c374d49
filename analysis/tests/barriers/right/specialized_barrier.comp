// A barrier that a specialization may leave out, where there is one subgroup alone.
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const bool WAITS = true;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(binding = 0) buffer Values { float values[]; };

shared float staged[64];

void main() {
    uint own = gl_LocalInvocationIndex;
    staged[own] = values[own];
    if (WAITS) {
        barrier();
    }
    values[own] = staged[own ^ 1];
    if (SUBGROUP < gl_WorkGroupSize.x) {
        barrier();
    }
    staged[own ^ 1] += values[own];
}
