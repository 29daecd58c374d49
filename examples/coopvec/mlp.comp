#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require

// A small network, evaluated by each invocation for a pixel of its own: three layers, whose matrices lie in the layout that the device likes best for
// inferencing. No invocation waits for another, and a whole subgroup is not needed.

layout(local_size_x = 64) in;

const uint INPUTS = 16;
const uint HIDDEN = 32;
const uint OUTPUTS = 8;

layout(binding = 0) readonly buffer Inputs { float16_t inputs[]; };
layout(binding = 1) readonly buffer Layer0 { float16_t weights0[]; };
layout(binding = 2) readonly buffer Layer1 { float16_t weights1[]; };
layout(binding = 3) readonly buffer Layer2 { float16_t weights2[]; };
layout(binding = 4) readonly buffer Biases { float16_t biases[]; };
layout(binding = 5) writeonly buffer Outputs { float16_t outputs[]; };

layout(push_constant) uniform Parameters { uint pixels; };

// The values in memory, and the layout of the matrices. Offsets are counted in bytes.
const int F16 = gl_ComponentTypeFloat16NV;
const int OPTIMAL = gl_CooperativeVectorMatrixLayoutInferencingOptimalNV;
const uint SIZE = 2;

void main() {
    uint pixel = gl_GlobalInvocationID.x;
    if (pixel >= pixels) {
        return;
    }

    coopvecNV<float16_t, INPUTS> features;
    coopVecLoadNV(features, inputs, pixel * INPUTS * SIZE);

    const coopvecNV<float16_t, HIDDEN> zero = coopvecNV<float16_t, HIDDEN>(float16_t(0.0));
    coopvecNV<float16_t, HIDDEN> hidden;
    coopVecMatMulAddNV(hidden, features, F16, weights0, 0, F16, biases, 0, F16, HIDDEN, INPUTS, OPTIMAL, false, 0);
    hidden = max(hidden, zero);
    coopVecMatMulAddNV(hidden, hidden, F16, weights1, 0, F16, biases, HIDDEN * SIZE, F16, HIDDEN, HIDDEN, OPTIMAL,
                       false, 0);
    hidden = max(hidden, zero);

    coopvecNV<float16_t, OUTPUTS> colours;
    coopVecMatMulAddNV(colours, hidden, F16, weights2, 0, F16, biases, 2 * HIDDEN * SIZE, F16, OUTPUTS, HIDDEN,
                       OPTIMAL, false, 0);
    coopVecStoreNV(tanh(colours), outputs, pixel * OUTPUTS * SIZE);
}
