#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_QCOM_cooperative_matrix_conversion : require

// The same 32 bytes as floats, as half-precision floats and as words.

layout(local_size_x = 64) in;

layout(binding = 0) buffer Words { uint words[]; };

void main() {
    uint base = gl_SubgroupInvocationID * 8;
    uint32_t bits[8];
    for (uint i = 0; i < 8; ++i) {
        bits[i] = words[base + i];
    }

    float singles[8];
    bitcastQCOM(bits, singles);
    for (uint i = 0; i < 8; ++i) {
        singles[i] *= 0.5;
    }
    bitcastQCOM(singles, bits);

    float16_t halves[16];
    bitcastQCOM(bits, halves);
    halves[0] = float16_t(0.0);
    bitcastQCOM(halves, bits);

    for (uint i = 0; i < 8; ++i) {
        words[base + i] = bits[i];
    }
}
