#version 460

// Adds up the slices of a product: the second dispatch of gemm_split_k.run.toml.

layout(local_size_x = 64) in;

layout(binding = 0) readonly buffer Sliced { float slicedSums[]; };
layout(binding = 1) writeonly buffer Output { float outputD[]; };

layout(push_constant) uniform Params {
    uint count; // elements of a slice
    uint slices;
};

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index >= count)
        return;
    float sum = 0.0;
    for (uint slice = 0; slice < slices; ++slice)
        sum += slicedSums[slice * count + index];
    outputD[index] = sum;
}
