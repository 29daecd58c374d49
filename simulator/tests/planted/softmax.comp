// Scores of a product become weights row by row, and the weights are multiplied again.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) buffer C { float c[]; };

shared float scores[32][16];
shared float16_t weights[32][16];

void main() {
    uint own = gl_LocalInvocationIndex, sub = gl_SubgroupID;
    MATRIX(float16_t, A) left;
    MATRIX(float16_t, B) right;
    coopMatLoad(left, a, sub * 1024, 64, ROWS);
    coopMatLoad(right, b, 0, 16, COLUMNS);
    MATRIX(float, Accumulator) s = coopMatMulAdd(left, right, MATRIX(float, Accumulator)(0.0));
    coopMatStore(s, scores[sub * 16], 0, 16, ROWS);
    barrier(); // scores
    if (own < 32) {
        float largest = -3.0e38, total = 0.0;
        for (uint j = 0; j < 16; ++j) largest = max(largest, scores[own][j]);
        for (uint j = 0; j < 16; ++j) total += exp(scores[own][j] - largest);
        for (uint j = 0; j < 16; ++j)
            weights[own][j] = float16_t(exp(scores[own][j] - largest) / total);
    }
    barrier(); // weights
    coopMatLoad(left, weights[sub * 16], 0, 16, ROWS);
    coopMatLoad(right, b, 256, 16, ROWS);
    s = coopMatMulAdd(left, right, MATRIX(float, Accumulator)(0.0));
    coopMatStore(s, c, sub * 256, 16, ROWS);
}
