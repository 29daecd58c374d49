// Whatever the size of the workgroup, neighbours do not wait for each other.
#version 450
layout(local_size_x = 64, local_size_x_id = 0) in;
layout(constant_id = 1) const uint STRIDE = 3;
layout(binding = 0) buffer Values { float values[]; };

shared float staged[1024 * STRIDE];

void main() {
    uint own = gl_LocalInvocationIndex;
    staged[own * STRIDE] = values[own];
    values[own] = staged[(own ^ 1) * STRIDE];
//                ^^^^^^^^^^^^^^^^^^^^^^^^^^ missing-barrier: `staged` is read here, where it was written before by other invocations: invocation 0 reads what invocation 1 writes
}
