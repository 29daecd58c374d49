#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require

// A step in which a network of two layers learns: each invocation evaluates it for a sample, goes back through it with the transposed matrix, and adds its
// share to the gradients of all weights and biases. The next dispatch would subtract them from the weights.

layout(local_size_x = 32) in;

const uint INPUTS = 16;
const uint HIDDEN = 32;
const uint OUTPUTS = 8;
const uint SAMPLES = 128;

layout(binding = 0) readonly buffer Samples { float16_t samples[]; };
layout(binding = 1) readonly buffer Targets { float16_t targets[]; };
layout(binding = 2) readonly buffer Layer0 { float16_t weights0[]; };
layout(binding = 3) readonly buffer Layer1 { float16_t weights1[]; };
layout(binding = 4) readonly buffer Biases { float16_t biases[]; };
layout(binding = 5) buffer Gradients0 { float16_t gradients0[]; };
layout(binding = 6) buffer Gradients1 { float16_t gradients1[]; };
layout(binding = 7) buffer BiasGradients { float16_t bias_gradients[]; };

const int F16 = gl_ComponentTypeFloat16NV;
const int TRAINING = gl_CooperativeVectorMatrixLayoutTrainingOptimalNV;

void main() {
    uint sample_index = gl_GlobalInvocationID.x;
    coopvecNV<float16_t, INPUTS> x;
    coopvecNV<float16_t, OUTPUTS> wanted;
    coopVecLoadNV(x, samples, sample_index * INPUTS * 2);
    coopVecLoadNV(wanted, targets, sample_index * OUTPUTS * 2);

    // Forward.
    const coopvecNV<float16_t, HIDDEN> zero = coopvecNV<float16_t, HIDDEN>(float16_t(0.0));
    coopvecNV<float16_t, HIDDEN> sums;
    coopvecNV<float16_t, OUTPUTS> y;
    coopVecMatMulAddNV(sums, x, F16, weights0, 0, F16, biases, 0, F16, HIDDEN, INPUTS, TRAINING, false, 0);
    coopvecNV<float16_t, HIDDEN> hidden = max(sums, zero);
    coopVecMatMulAddNV(y, hidden, F16, weights1, 0, F16, biases, HIDDEN * 2, F16, OUTPUTS, HIDDEN, TRAINING, false, 0);

    // Backward: half the mean squared error has this derivative, and what a layer gives back goes through its matrix the other way. Its share of
    // the mean keeps sums in the range of float16_t.
    coopvecNV<float16_t, OUTPUTS> delta1 = (y - wanted) * float16_t(1.0 / float(SAMPLES));
    coopvecNV<float16_t, HIDDEN> delta0;
    coopVecMatMulNV(delta0, delta1, F16, weights1, 0, F16, HIDDEN, OUTPUTS, TRAINING, true, 0);
    delta0 = delta0 * step(zero, sums);

    // Every sample adds to the same sums, atomically. GPUs differ in the types that they add up: float16_t is what those of the Hopper
    // generation have (cooperativeVectorTrainingFloat16Accumulation).
    coopVecOuterProductAccumulateNV(delta1, hidden, gradients1, 0, 0, TRAINING, F16);
    coopVecOuterProductAccumulateNV(delta0, x, gradients0, 0, 0, TRAINING, F16);
    coopVecReduceSumAccumulateNV(delta0, bias_gradients, 0);
    coopVecReduceSumAccumulateNV(delta1, bias_gradients, HIDDEN * 2);
}
