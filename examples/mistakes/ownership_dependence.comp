#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// A row number is added to each element.
// The mistake: the row is guessed from the invocation and the component, as it happens to be on one device.

layout(local_size_x = 32) in;

layout(binding = 0) buffer Values { float values[]; };

layout(push_constant) uniform Params { uint columns; };

void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    coopMatLoad(m, values, 0, columns, gl_CooperativeMatrixLayoutRowMajor);
    for (int i = 0; i < m.length(); ++i) {
        uint place = uint(i) * gl_SubgroupSize + gl_SubgroupInvocationID;
        m[i] = m[i] + float(place / 16);
    }
    coopMatStore(m, values, 0, columns, gl_CooperativeMatrixLayoutRowMajor);
}
