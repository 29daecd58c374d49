#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// A tile whose shape, component count and loop bounds come with the pipeline: one module for every device.

layout(local_size_x_id = 0) in;

layout(constant_id = 1) const uint ROWS = 16;
layout(constant_id = 2) const uint COLUMNS = 16;
layout(constant_id = 3) const uint DEPTH = 16;
layout(constant_id = 4) const uint STEPS = 1;
layout(constant_id = 5) const float SCALE = 1.0;

const uint STRIDE_A = DEPTH * STEPS;

layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2) writeonly buffer Output { float outputD[]; };

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, ROWS, DEPTH, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, DEPTH, COLUMNS, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, ROWS, COLUMNS, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeSubgroup, ROWS, COLUMNS, gl_MatrixUseAccumulator>(0.0);
    for (uint step = 0; step < STEPS; ++step) {
        coopMatLoad(a, inputA, step * DEPTH, STRIDE_A, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, inputB, step * DEPTH * COLUMNS, COLUMNS, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(a, b, sum);
    }
    for (uint i = 0; i < sum.length(); ++i) {
        sum[i] *= SCALE;
    }
    coopMatStore(sum, outputD, 0, COLUMNS, gl_CooperativeMatrixLayoutRowMajor);
}
