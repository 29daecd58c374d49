#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require

// A window of 16 x 16 over a tensor of 12 x 12 that begins four rows and columns before it: what lies outside is a constant, the
// nearest element, the tensor once more, or the tensor in a mirror.

layout(local_size_x = 32) in;

const uint SIZE = 12;
const uint WINDOW = 16;
const int START = -4;

layout(binding = 0) readonly buffer Input { float values[]; };
layout(binding = 1) writeonly buffer Output { float result[]; };

void main() {
    coopmat<float, gl_ScopeSubgroup, WINDOW, WINDOW, gl_MatrixUseAccumulator> window;

    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> constant =
        createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    constant = setTensorLayoutDimensionNV(constant, SIZE, SIZE);
    constant = setTensorLayoutClampValueNV(constant, floatBitsToUint(-1.0));
    coopMatLoadTensorNV(window, values, 0, sliceTensorLayoutNV(constant, START, WINDOW, START, WINDOW));
    coopMatStore(window, result, 0, WINDOW, gl_CooperativeMatrixLayoutRowMajor);

    tensorLayoutNV<2, gl_CooperativeMatrixClampModeClampToEdgeNV> edge =
        createTensorLayoutNV(2, gl_CooperativeMatrixClampModeClampToEdgeNV);
    edge = setTensorLayoutDimensionNV(edge, SIZE, SIZE);
    coopMatLoadTensorNV(window, values, 0, sliceTensorLayoutNV(edge, START, WINDOW, START, WINDOW));
    coopMatStore(window, result, WINDOW * WINDOW, WINDOW, gl_CooperativeMatrixLayoutRowMajor);

    tensorLayoutNV<2, gl_CooperativeMatrixClampModeRepeatNV> repeat =
        createTensorLayoutNV(2, gl_CooperativeMatrixClampModeRepeatNV);
    repeat = setTensorLayoutDimensionNV(repeat, SIZE, SIZE);
    coopMatLoadTensorNV(window, values, 0, sliceTensorLayoutNV(repeat, START, WINDOW, START, WINDOW));
    coopMatStore(window, result, 2 * WINDOW * WINDOW, WINDOW, gl_CooperativeMatrixLayoutRowMajor);

    tensorLayoutNV<2, gl_CooperativeMatrixClampModeMirrorRepeatNV> mirror =
        createTensorLayoutNV(2, gl_CooperativeMatrixClampModeMirrorRepeatNV);
    mirror = setTensorLayoutDimensionNV(mirror, SIZE, SIZE);
    coopMatLoadTensorNV(window, values, 0, sliceTensorLayoutNV(mirror, START, WINDOW, START, WINDOW));
    coopMatStore(window, result, 3 * WINDOW * WINDOW, WINDOW, gl_CooperativeMatrixLayoutRowMajor);
}
