#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_QCOM_cooperative_matrix_conversion : require

// The rows of a matrix go to the invocations, one each.
// The mistake: the matrix has 32 rows, and the subgroup 64 invocations; what the others get is undefined.

layout(local_size_x = 64) in;

layout(binding = 0) readonly buffer Input { float values[]; };
layout(binding = 1) writeonly buffer Output { float result[]; };

void main() {
    coopmat<float, gl_ScopeSubgroup, 32, 8, gl_MatrixUseA> m;
    coopMatLoad(m, values, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    float row[8];
    coopmatToVectorQCOM(m, row);
    for (uint i = 0; i < 8; ++i) {
        result[gl_SubgroupInvocationID * 8 + i] = row[i];
    }
}
