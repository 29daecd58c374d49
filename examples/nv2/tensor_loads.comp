#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require

// One product of workgroup scope: A through a layout, B through a transposing view, a bias per column, and a softmax's row maximum.

layout(local_size_x = 128) in;

const uint M = 64;
const uint N = 64;
const uint K = 32;

layout(binding = 0) readonly buffer InputA { float16_t inputA[]; };
layout(binding = 1) readonly buffer InputB { float16_t inputB[]; };
layout(binding = 2) writeonly buffer Output { float result[]; };

layout(push_constant) uniform Params {
    uint rows;
    uint columns;
    uint depth;
};

float addBias(const in uint32_t row, const in uint32_t column, const in float value, const in float bias) {
    return value + bias * float(column);
}

float larger(const in float a, const in float b) {
    return max(a, b);
}

void main() {
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> layoutA = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> layoutB = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> layoutD = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    layoutA = setTensorLayoutDimensionNV(layoutA, rows, depth);
    layoutB = setTensorLayoutDimensionNV(layoutB, columns, depth);
    layoutD = setTensorLayoutDimensionNV(layoutD, rows, columns);
    tensorViewNV<2, false, 1, 0> transposed = createTensorViewNV(2, false, 1, 0);

    uint row = gl_WorkGroupID.y * M;
    uint column = gl_WorkGroupID.x * N;
    coopmat<float16_t, gl_ScopeWorkgroup, M, K, gl_MatrixUseA> matA;
    coopmat<float16_t, gl_ScopeWorkgroup, K, N, gl_MatrixUseB> matB;
    coopmat<float, gl_ScopeWorkgroup, M, N, gl_MatrixUseAccumulator> matC =
        coopmat<float, gl_ScopeWorkgroup, M, N, gl_MatrixUseAccumulator>(0.0);

    for (uint k = 0; k < depth; k += K) {
        coopMatLoadTensorNV(matA, inputA, 0, sliceTensorLayoutNV(layoutA, row, M, k, K));
        coopMatLoadTensorNV(matB, inputB, 0, sliceTensorLayoutNV(layoutB, column, N, k, K), transposed);
        matC = coopMatMulAdd(matA, matB, matC);
    }

    coopMatPerElementNV(matC, matC, addBias, 0.5);
    coopmat<float, gl_ScopeWorkgroup, M, N, gl_MatrixUseAccumulator> rowMaximum;
    coopMatReduceNV(rowMaximum, matC, gl_CooperativeMatrixReduceRowNV, larger);
    coopMatStoreTensorNV(matC - rowMaximum, result, 0, sliceTensorLayoutNV(layoutD, row, M, column, N));
}
