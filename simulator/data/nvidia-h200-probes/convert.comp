#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_bfloat16 : enable
#extension GL_NV_cooperative_matrix2 : enable

// One conversion of a 16x16 accumulator of FROM for each workgroup, to a matrix of TO and of the use USE.

#ifndef USE
#define USE gl_MatrixUseAccumulator
#endif

layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Input { FROM inputC[]; };
layout(binding = 1) writeonly buffer Output { TO outputD[]; };

void main() {
    uint i = gl_WorkGroupID.x * 256;
    coopmat<FROM, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;
    coopMatLoad(c, inputC, i, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopmat<TO, gl_ScopeSubgroup, 16, 16, USE> d = coopmat<TO, gl_ScopeSubgroup, 16, 16, USE>(c);
    coopMatStore(d, outputD, i, 16, gl_CooperativeMatrixLayoutRowMajor);
}
