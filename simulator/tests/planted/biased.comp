// Numbers are scaled on their way to shared memory, and a function adds a bias to each element of the product.
#extension GL_NV_cooperative_matrix2 : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) buffer C { float c[]; };

shared float bias[16];
shared uint count;
shared float16_t tile[16][16];

float biased(const in uint32_t row, const in uint32_t column, const in float element) {
    return element + bias[column];
}

void main() {
    uint own = gl_LocalInvocationIndex, sub = gl_SubgroupID;
    MATRIX(float16_t, A) ma;
    MATRIX(float16_t, B) mb;
    if (own < 16) bias[own] = float(b[own]);
    if (own == 0) count = 0;
    for (uint i = own; i < 256; i += 64)
        tile[i / 16][i % 16] = b[256 + i] * float16_t(0.5);
    barrier(); // staged
    coopMatLoad(ma, a, sub * 1024, 64, ROWS);
    coopMatLoad(mb, tile[0], 0, 16, ROWS);
    MATRIX(float, Accumulator) sum = coopMatMulAdd(ma, mb, MATRIX(float, Accumulator)(0.0));
    coopMatPerElementNV(sum, sum, biased);
    atomicAdd(count, 1u);
    coopMatStore(sum, c, sub * 256, 16, ROWS);
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
    if (own < 32)
        c[own * 16] = c[own * 16 + 1] + float(count);
}
