// All read what one of them writes, and wait before it writes again.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { float values[]; };

shared float scale;

void main() {
    uint own = gl_LocalInvocationIndex;
    for (uint i = 0; i < 4; ++i) {
        if (own == 0) {
            scale = values[i];
        }
        barrier();
        values[own + 4] *= scale;
        barrier();
    }
}
