//! device: nvidia-h200
// Features of VK_EXT_cooperative_matrix_maintenance1, on a device that has VK_NV_cooperative_matrix2: they have the same names, but a module that declares
// SPV_EXT_cooperative_matrix_maintenance1 needs the extension. The functions of GL_NV_cooperative_matrix2 need that one's.
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_cooperative_matrix_maintenance1 : require
layout(local_size_x = 32) in;

layout(set = 0, binding = 0, std430) buffer Data {
    float data[];
};

float sum(const in float a, const in float b) {
    return a + b;
}

float twice(const in uint row, const in uint column, const in float element) {
    return element * 2.0;
}

void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    coopMatLoad(m, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatReduceEXT(m, m, gl_CooperativeMatrixReduceRowEXT, sum);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ device-feature: NVIDIA H200 (Hopper) does not have the feature `cooperativeMatrixReductions` of VK_EXT_cooperative_matrix_maintenance1
    coopMatPerElementEXT(m, m, twice);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ device-feature: `cooperativeMatrixPerElementOperations` of VK_EXT_cooperative_matrix_maintenance1
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a = coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(m);
//                                                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ device-feature: `cooperativeMatrixConversions` of VK_EXT_cooperative_matrix_maintenance1
    uvec2 at = coopMatGetCoordinateEXT(m, 0);
//             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ device-feature: `cooperativeMatrixGetCoordinate` of VK_EXT_cooperative_matrix_maintenance1
    data[at.x] = float(a[0]);
    coopMatStore(m, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
