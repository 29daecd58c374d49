#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_QCOM_cooperative_matrix_conversion : require

// An accumulator's row of 32 values, cut into the rows of 8 that a matrix of use A takes. The loop at the end does by hand what
// one call does.

layout(local_size_x = 64) in;

layout(binding = 0) buffer Values { float values[]; };

void main() {
    uint base = gl_SubgroupInvocationID * 32;
    float32_t accumulated[32];
    for (uint i = 0; i < 32; ++i) {
        accumulated[i] = values[base + i];
    }

    float32_t part[8];
    extractSubArrayQCOM(accumulated, 0, part);
    float total = part[0];
    extractSubArrayQCOM(accumulated, 8, part);
    total += part[0];
    extractSubArrayQCOM(accumulated, 24, part);
    total += part[0];

    float32_t byHand[8];
    for (uint i = 0; i < 8; ++i) {
        byHand[i] = accumulated[24 + i];
    }
    values[base] = total - byHand[0];
}
