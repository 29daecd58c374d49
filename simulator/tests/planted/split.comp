// Each subgroup multiplies half of the depth; all add up, and a few go on with the sums.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) buffer C { float c[]; };

shared float partial[2][16][16];

void main() {
    uint own = gl_LocalInvocationIndex, sub = gl_SubgroupID;
    MATRIX(float16_t, A) ma;
    MATRIX(float16_t, B) mb;
    MATRIX(float, Accumulator) sum = MATRIX(float, Accumulator)(0.0);
    for (uint k = sub * 2; k < sub * 2 + 2; ++k) {
        coopMatLoad(ma, a, k * 16, 64, ROWS);
        coopMatLoad(mb, b, k * 256, 16, ROWS);
        sum = coopMatMulAdd(ma, mb, sum);
    }
    coopMatStore(sum, partial[sub][0], 0, 16, ROWS);
    barrier(); // partial sums
    for (uint i = own; i < 256; i += 64)
        c[i] = partial[0][i / 16][i % 16] + partial[1][i / 16][i % 16];
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease); // sums
    uint shift = own % 4u;
    int rows = int(own) / 32 + 1;
    if (own < 16)
        c[256 + own] = c[own * 16] + float(1u << shift) + float(int(own) / rows) + float(int(c[own]));
}
