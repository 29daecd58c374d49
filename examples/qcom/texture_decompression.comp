#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_QCOM_cooperative_matrix_conversion : require

// Two small layers that turn a texel's features into its colour. The first layer's output leaves the accumulator as one row per
// invocation, passes an activation, and comes back as the second layer's input.

layout(local_size_x = 64) in;

const int LAYOUT_K_FIRST = gl_CooperativeMatrixLayoutColumnMajor;

layout(binding = 0) readonly buffer Features { float16_t features[]; };
layout(binding = 1) readonly buffer Layer0 { float16_t inputB0[]; };
layout(binding = 2) readonly buffer Layer1 { float16_t inputB1[]; };
layout(binding = 3) writeonly buffer Output { float16_t colours[]; };

void main() {
    uint texel = gl_WorkGroupID.x * 64 + gl_SubgroupInvocationID;

    coopmat<float16_t, gl_ScopeSubgroup, 64, 16, gl_MatrixUseA> matA0, matA1;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> matB0, matB1;
    coopmat<float16_t, gl_ScopeSubgroup, 64, 16, gl_MatrixUseAccumulator> matC1, matC2;
    matC1 = coopmat<float16_t, gl_ScopeSubgroup, 64, 16, gl_MatrixUseAccumulator>(0.0);
    matC2 = coopmat<float16_t, gl_ScopeSubgroup, 64, 16, gl_MatrixUseAccumulator>(0.0);

    coopMatLoad(matB0, inputB0, 0, 16, LAYOUT_K_FIRST);
    coopMatLoad(matB1, inputB1, 0, 16, LAYOUT_K_FIRST);

    float16_t vecA0[16];
    for (uint i = 0; i < 16; ++i) {
        vecA0[i] = features[texel * 16 + i];
    }
    vectorToCoopmatQCOM(vecA0, matA0);
    matC1 = coopMatMulAdd(matA0, matB0, matC1);

    float16_t vecA1[16];
    coopmatToVectorQCOM(matC1, vecA1);
    for (uint i = 0; i < 16; ++i) {
        vecA1[i] = max(vecA1[i], float16_t(0.0));
    }
    vectorToCoopmatQCOM(vecA1, matA1);
    matC2 = coopMatMulAdd(matA1, matB1, matC2);

    float16_t vecC2[16];
    coopmatToVectorQCOM(matC2, vecC2);
    for (uint i = 0; i < 16; ++i) {
        colours[texel * 16 + i] = vecC2[i];
    }
}
