// All read what one of them writes, which writes again while others still read.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { float values[]; };

shared float scale;

void main() {
    uint own = gl_LocalInvocationIndex;
    for (uint i = 0; i < 4; ++i) {
        if (own == 0) {
            scale = values[i];
//          ^^^^^ missing-barrier: in the next iteration of the loop, where it was still read by others: invocation 0 writes what invocation 63 reads
        }
        barrier();
        values[own + 4] *= scale;
    }
}
