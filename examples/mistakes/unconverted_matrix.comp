#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require

// A layer of a network, whose weights are in the layout that the device likes best.
// The mistake: the application has copied the rows of the matrix into the buffer, and has not converted them to that layout. It takes more room, so that
// the last rows are outside, and the first ones are not where they should be. The recipe lacks `layout = "inferencing-optimal"`, the application a call
// of vkConvertCooperativeVectorMatrixNV.

layout(local_size_x = 32) in;

const uint INPUTS = 20;
const uint OUTPUTS = 12;

layout(binding = 0) readonly buffer Inputs { float16_t inputs[]; };
layout(binding = 1) readonly buffer Layer { float16_t weights[]; };
layout(binding = 2) writeonly buffer Outputs { float16_t outputs[]; };

const int F16 = gl_ComponentTypeFloat16NV;
const int OPTIMAL = gl_CooperativeVectorMatrixLayoutInferencingOptimalNV;

// Vectors begin at multiples of 16 bytes.
const uint INPUT_BYTES = 48;
const uint OUTPUT_BYTES = 32;

void main() {
    uint pixel = gl_GlobalInvocationID.x;
    coopvecNV<float16_t, INPUTS> features;
    coopVecLoadNV(features, inputs, pixel * INPUT_BYTES);
    coopvecNV<float16_t, OUTPUTS> colours;
    coopVecMatMulNV(colours, features, F16, weights, 0, F16, OUTPUTS, INPUTS, OPTIMAL, false, 0);
    coopVecStoreNV(colours, outputs, pixel * OUTPUT_BYTES);
}
