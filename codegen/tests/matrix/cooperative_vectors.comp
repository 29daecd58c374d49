#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
#extension GL_NV_cooperative_vector : require

layout(local_size_x = 32) in;
layout(constant_id = 0) const uint N = 8;
layout(binding = 0) buffer Weights { float16_t weights[]; };
layout(binding = 1) buffer Values { float values[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Rows { coherent float16_t row[]; };
layout(push_constant) uniform Push { Rows rows; };
shared uint staged[64];

coopvecNV<float16_t, 8> relu(coopvecNV<float16_t, 8> v) { return max(v, coopvecNV<float16_t, 8>(0)); }

void main() {
    coopvecNV<float16_t, 16> x = coopvecNV<float16_t, 16>(values[0]);
    x[3] = float16_t(values[1]) + x[gl_LocalInvocationIndex];
    coopvecNV<float16_t, 8> y;
    coopVecMatMulAddNV(y, x, gl_ComponentTypeFloat16NV, weights, 64, gl_ComponentTypeFloat16NV, weights, 512, gl_ComponentTypeFloat16NV,
        8, 16, gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 32);
    y = relu(y) * float16_t(2.0);
    coopvecNV<int, N> sums;
    coopVecMatMulNV(sums, coopvecNV<uint, 2>(staged[0], staged[1]), gl_ComponentTypeSignedInt8PackedNV, rows.row, 0,
        gl_ComponentTypeSignedInt8NV, N, 8, gl_CooperativeVectorMatrixLayoutInferencingOptimalNV, true, 0);
    sums = (sums << sums) * 3 & -sums;
    coopvecNV<float, N> numbers = coopvecNV<float, N>(sums);
    coopvecNV<float, 5> parts = coopvecNV<float, 5>(vec2(values[2]), mat2(values[3]));
    coopvecNV<uint8_t, 5> narrow = coopvecNV<uint8_t, 5>(coopvecNV<int, 5>(parts));
    coopVecStoreNV(numbers, staged, 16);
    coopVecLoadNV(x, rows.row, 32);
    coopVecStoreNV(narrow, values, 256);
    coopVecOuterProductAccumulateNV(y, x, weights, 1024, 0, gl_CooperativeVectorMatrixLayoutTrainingOptimalNV, gl_ComponentTypeFloat16NV);
    coopVecReduceSumAccumulateNV(y, weights, 2048);
    values[numbers.length()] = float(y[7]);
}
