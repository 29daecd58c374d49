#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require

// Two layers of a network, whose biases lie in one buffer.
// The mistake: the second bias begins right after the twelve numbers of the first one, at byte 24. It must begin at a multiple of 16 bytes.

layout(local_size_x = 32) in;

const uint INPUTS = 16;
const uint HIDDEN = 12;
const uint OUTPUTS = 8;

layout(binding = 0) readonly buffer Inputs { float16_t inputs[]; };
layout(binding = 1) readonly buffer Layer0 { float16_t weights0[]; };
layout(binding = 2) readonly buffer Layer1 { float16_t weights1[]; };
layout(binding = 3) readonly buffer Biases { float16_t biases[]; };
layout(binding = 4) writeonly buffer Outputs { float16_t outputs[]; };

const int F16 = gl_ComponentTypeFloat16NV;
const int OPTIMAL = gl_CooperativeVectorMatrixLayoutInferencingOptimalNV;

void main() {
    uint pixel = gl_GlobalInvocationID.x;
    coopvecNV<float16_t, INPUTS> features;
    coopVecLoadNV(features, inputs, pixel * INPUTS * 2);

    coopvecNV<float16_t, HIDDEN> hidden;
    coopVecMatMulAddNV(hidden, features, F16, weights0, 0, F16, biases, 0, F16, HIDDEN, INPUTS, OPTIMAL, false, 0);
    hidden = max(hidden, coopvecNV<float16_t, HIDDEN>(float16_t(0.0)));

    coopvecNV<float16_t, OUTPUTS> colours;
    coopVecMatMulAddNV(colours, hidden, F16, weights1, 0, F16, biases, HIDDEN * 2, F16, OUTPUTS, HIDDEN, OPTIMAL, false, 0);
    coopVecStoreNV(colours, outputs, pixel * OUTPUTS * 2);
}
