#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// A tile of 16 columns goes to a matrix whose rows are a push constant apart.
// The mistake: the caller gives 8, so each row is written over the end of the one before.

layout(local_size_x = 32) in;

layout(binding = 0) readonly buffer Input { float values[]; };
layout(binding = 1) writeonly buffer Output { float result[]; };

layout(push_constant) uniform Params { uint stride; };

void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    coopMatLoad(m, values, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(m, result, 0, stride, gl_CooperativeMatrixLayoutRowMajor);
}
