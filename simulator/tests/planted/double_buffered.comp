// The next tile is fetched while this one is multiplied; results leave through the subgroup's part of shared memory.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) buffer C { float c[]; };

shared float16_t tiles[2][16][16];
shared float staged[2][16][16];

void main() {
    uint own = gl_LocalInvocationIndex, sub = gl_SubgroupID;
    MATRIX(float16_t, A) ma;
    MATRIX(float16_t, B) mb;
    MATRIX(float, Accumulator) sum = MATRIX(float, Accumulator)(0.0);
    for (uint i = own; i < 256; i += 64) tiles[0][i / 16][i % 16] = b[i];
    for (uint k = 0; k < 4; ++k) {
        barrier(); // filled
        if (k < 3)
            for (uint i = own; i < 256; i += 64) tiles[(k + 1) % 2][i / 16][i % 16] = b[(k + 1) * 256 + i];
        coopMatLoad(ma, a, sub * 1024 + k * 16, 64, ROWS);
        coopMatLoad(mb, tiles[k % 2][0], 0, 16, ROWS);
        sum = coopMatMulAdd(ma, mb, sum);
    }
    coopMatStore(sum, staged[sub][0], 0, 16, ROWS);
    subgroupBarrier(); // stored
    for (uint i = own % 32; i < 256; i += 32)
        c[sub * 256 + i] = staged[sub][i / 16][i % 16];
}
