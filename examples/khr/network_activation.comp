#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Bias and activation between two layers, rounded to half precision for the next product: a dispatch of network_layer.run.toml.

layout(local_size_x = 64) in;

layout(binding = 0) readonly buffer Products { float products[]; };
layout(binding = 1) readonly buffer Bias { float bias[]; };
layout(binding = 2) writeonly buffer Hidden { float16_t hidden[]; };

layout(push_constant) uniform Params {
    uint width;
};

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index >= products.length())
        return;
    hidden[index] = float16_t(max(products[index] + bias[index % width], 0.0));
}
