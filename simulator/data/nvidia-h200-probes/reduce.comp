#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require

// One reduction for each workgroup. T is the component type, MASK the directions, LEFT and RIGHT the factors of the operands of
// the combining function, which say how often an element was on either side: with one element 1 and the others 0, the result is
// LEFT^l * RIGHT^r. TO_M and TO_N are the sizes of the result.

#ifndef T
#define T float
#endif
#ifndef MASK
#define MASK gl_CooperativeMatrixReduceRowNV
#endif
#ifndef LEFT
#define LEFT 2
#define RIGHT 1
#endif
#ifndef SCOPE
#define SCOPE gl_ScopeSubgroup
#endif

layout(local_size_x_id = 2) in;
layout(constant_id = 0) const uint M = 16;
layout(constant_id = 1) const uint N = 16;
layout(constant_id = 2) const uint INVOCATIONS = 32;
layout(constant_id = 3) const uint TO_M = 16;
layout(constant_id = 4) const uint TO_N = 16;

layout(binding = 0) readonly buffer Input { T inputC[]; };
layout(binding = 1) writeonly buffer Output { T outputD[]; };

T combine(const in T a, const in T b) {
    return T(LEFT) * a + T(RIGHT) * b;
}

void main() {
    uint i = gl_WorkGroupID.x;
    coopmat<T, SCOPE, M, N, gl_MatrixUseAccumulator> c;
    coopmat<T, SCOPE, TO_M, TO_N, gl_MatrixUseAccumulator> d;
    coopMatLoad(c, inputC, i * M * N, N, gl_CooperativeMatrixLayoutRowMajor);
    coopMatReduceNV(d, c, MASK, combine);
    coopMatStore(d, outputD, i * TO_M * TO_N, TO_N, gl_CooperativeMatrixLayoutRowMajor);
}
