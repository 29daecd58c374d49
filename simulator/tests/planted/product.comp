// 32x64 times 64x16: tiles of both go through shared memory, and each subgroup has 16 rows.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) buffer C { float c[]; };

shared float16_t tile_a[32][16];
shared float16_t tile_b[16][16];

void main() {
    uint own = gl_LocalInvocationIndex, sub = gl_SubgroupID;
    MATRIX(float16_t, A) ma;
    MATRIX(float16_t, B) mb;
    MATRIX(float, Accumulator) sum = MATRIX(float, Accumulator)(0.0);
    for (uint k = 0; k < 64; k += 16) {
        for (uint i = own; i < 512; i += 64)
            tile_a[i / 16][i % 16] = a[i / 16 * 64 + k + i % 16];
        for (uint i = own; i < 256; i += 64)
            tile_b[i / 16][i % 16] = b[k * 16 + i];
        barrier(); // loaded
        coopMatLoad(ma, tile_a[sub * 16], 0, 16, ROWS);
        coopMatLoad(mb, tile_b[0], 0, 16, ROWS);
        sum = coopMatMulAdd(ma, mb, sum);
        barrier(); // used
    }
    coopMatStore(sum, c, sub * 256, 16, ROWS);
}
