// What an invocation has written, it may read again; so may a subgroup what is its own, once its invocations have waited.
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) buffer C { float c[]; };
layout(push_constant) uniform Params { uint depth; uint width; uint count; uint fast; } p;
shared float16_t tile_a[32 * 16];
shared float16_t tile_b[16 * 32];
shared float staged[32 * 32];

#define MATRIX(T, M, N, USE) coopmat<T, gl_ScopeSubgroup, M, N, USE>

void main() {
    uint own = gl_LocalInvocationIndex;
    uint row = gl_SubgroupID / 2 * 16, column = gl_SubgroupID % 2 * 16;
    MATRIX(float16_t, 16, 16, gl_MatrixUseA) ma;
    MATRIX(float16_t, 16, 16, gl_MatrixUseB) mb;
    MATRIX(float, 16, 16, gl_MatrixUseAccumulator) sum = MATRIX(float, 16, 16, gl_MatrixUseAccumulator)(0.0);
    for (uint k = 0; k < p.depth; k += 16) {
        for (uint i = own; i < 512; i += 128) {
            tile_a[i] = a[i / 16 * p.depth + k + i % 16];
            tile_b[i] = b[(k + i / 32) * p.width + i % 32];
        }
        barrier();
        coopMatLoad(ma, tile_a, row * 16, 16, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(mb, tile_b, column, 32, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(ma, mb, sum);
        barrier();
    }
    coopMatStore(sum, staged, gl_SubgroupID * 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    subgroupBarrier();
    for (uint i = gl_SubgroupInvocationID; i < 256; i += 32) {
        c[gl_SubgroupID * 256 + i] = staged[gl_SubgroupID * 256 + i];
    }
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
    staged[own] = 1.0;
    c[own] += staged[own];
}
