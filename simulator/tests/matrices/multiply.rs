//! coopMatMulAdd, over component types, modes and shapes.

use coopmat_simulator::Settings;
use coopmat_simulator::matrix::Component;
use coopmat_simulator::numerics::{Mode, Numerics};

use super::support::*;

struct Multiply {
    a: Component,
    b: Component,
    result: Component,
    shape: [usize; 3],
    operands: &'static str,
}

impl Multiply {
    fn source(&self) -> String {
        let [m, n, k] = self.shape;
        let mut extensions: Vec<&str> = [self.a, self.b, self.result].map(extensions).into();
        extensions.dedup();
        format!(
            "{}layout(local_size_x = 64) in;
            layout(binding = 0, scalar) buffer A {{ {a} a[]; }};
            layout(binding = 1, scalar) buffer B {{ {b} b[]; }};
            layout(binding = 2, scalar) buffer C {{ {c} c[]; }};
            layout(binding = 3, scalar) buffer D {{ {c} d[]; }};
            void main() {{
                coopmat<{a}, gl_ScopeSubgroup, {m}, {k}, gl_MatrixUseA> x;
                coopmat<{b}, gl_ScopeSubgroup, {k}, {n}, gl_MatrixUseB> y;
                coopmat<{c}, gl_ScopeSubgroup, {m}, {n}, gl_MatrixUseAccumulator> z;
                coopMatLoad(x, a, 0, {k}, gl_CooperativeMatrixLayoutRowMajor);
                coopMatLoad(y, b, 0, {k}, gl_CooperativeMatrixLayoutColumnMajor);
                coopMatLoad(z, c, 0, {n}, gl_CooperativeMatrixLayoutRowMajor);
                z = coopMatMulAdd(x, y, z{operands});
                coopMatStore(z, d, 0, {n}, gl_CooperativeMatrixLayoutRowMajor);
            }}",
            extensions.concat(),
            a = glsl(self.a),
            b = glsl(self.b),
            c = glsl(self.result),
            operands = self.operands,
        )
    }

    /// A, B, C, and room for the result.
    fn buffers(&self, a: &[f64], b: &[f64], c: &[f64]) -> [Vec<u8>; 4] {
        let of = |component, values: &[f64]| bytes(component, values.iter().copied());
        let c = of(self.result, c);
        let room = vec![0; c.len()];
        [of(self.a, a), of(self.b, b), c, room]
    }

    /// The exact sums, before they are rounded or cut to the result's type.
    fn expected(&self, a: &[f64], b: &[f64], c: &[f64]) -> Vec<f64> {
        let [m, n, k] = self.shape;
        let sum = |index: usize| -> f64 {
            let (row, column) = (index / n, index % n);
            c[index] + (0..k).map(|step| a[row * k + step] * b[column * k + step]).sum::<f64>()
        };
        (0..m * n).map(sum).collect()
    }
}

/// Inputs for which nothing is rounded: every mode gives the exact sums.
#[test]
fn component_types_and_modes() {
    let cases = [
        (F16, F16, F32),
        (F16, F16, F16),
        (BF16, BF16, F32),
        (E4M3, E4M3, F32),
        (E5M2, E4M3, F32),
        (F32, F32, F32),
        (S8, S8, S32),
        (U8, U8, U32),
        (S8, U8, S32),
        (U8, S8, S32),
        (S32, S32, S32),
    ];
    for (a, b, result) in cases {
        let multiply = Multiply { a, b, result, shape: [16, 8, 32], operands: "" };
        let [m, n, k] = multiply.shape;
        let (values_a, values_b, values_c) =
            (small(a, m * k, 1), small(b, k * n, 2), small(result, m * n, 3));
        let buffers = multiply.buffers(&values_a, &values_b, &values_c);
        let expected = multiply.expected(&values_a, &values_b, &values_c);
        let program = compile(&multiply.source());
        for mode in Mode::ALL {
            let settings = Settings { numerics: Numerics::with_mode(mode), ..settings(32, "shuffled") };
            let (output, _) = run_with(&program, &buffers, settings);
            assert_eq!(numbers(result, &output[3]), expected, "{a:?} {b:?} {result:?} {mode:?}");
        }
        assert_eq!(numbers(result, &run(&multiply.source(), &buffers)[3]), expected);
    }
}

/// Shapes from one element to what only flexible dimensions allow.
#[test]
fn shapes() {
    for shape in [[1, 1, 1], [8, 8, 4], [16, 16, 16], [17, 5, 3], [64, 32, 48]] {
        let multiply = Multiply { a: F16, b: F16, result: F32, shape, operands: "" };
        let [m, n, k] = shape;
        let (a, b, c) = (small(F16, m * k, 4), small(F16, k * n, 5), small(F32, m * n, 6));
        let buffers = multiply.buffers(&a, &b, &c);
        assert_eq!(numbers(F32, &run(&multiply.source(), &buffers)[3]), multiply.expected(&a, &b, &c));
    }
}

/// Integers wrap; with gl_MatrixOperandsSaturatingAccumulation the addition of C stops at the ends.
#[test]
fn wrapping_and_saturating() {
    let limit = f64::from(i32::MAX);
    let (a, b) = (vec![127.0; 8 * 16], vec![127.0; 16 * 8]);
    let c: Vec<f64> = (0..64).map(|index| if index % 2 == 0 { limit - 5.0 } else { -7.0 }).collect();
    for (operands, saturates) in [("", false), (", gl_MatrixOperandsSaturatingAccumulation", true)] {
        let multiply = Multiply { a: S8, b: S8, result: S32, shape: [8, 8, 16], operands };
        let output = numbers(S32, &run(&multiply.source(), &multiply.buffers(&a, &b, &c))[3]);
        for (index, exact) in multiply.expected(&a, &b, &c).into_iter().enumerate() {
            let expected = if saturates { exact.min(limit) } else { nearest(S32, exact) };
            assert_eq!(output[index], expected);
        }
    }
}

/// An overflow before C is added makes a saturating result undefined: checked mode says where.
#[test]
fn overflow_before_saturation_is_found() {
    let big = f64::from(i32::MAX);
    let multiply = Multiply {
        a: S32,
        b: S32,
        result: S32,
        shape: [8, 8, 8],
        operands: ", gl_MatrixOperandsSaturatingAccumulation",
    };
    let mut a = vec![1.0; 64];
    a[8 * 3] = big;
    a[8 * 3 + 1] = big;
    let buffers = multiply.buffers(&a, &[1.0; 64], &[0.0; 64]);
    let settings = Settings { checked: true, ..settings(64, "plain") };
    let (_, findings) = run_with(&compile(&multiply.source()), &buffers, settings);
    let told: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "the sum of products of element (3, 0) does not fit int32_t: with saturation, the result is undefined"
        ]
    );
}

/// A whole product in tiles, with shared memory between: the loop of every kernel.
#[test]
fn a_tiled_product() {
    let size = 64;
    let source = "layout(local_size_x = 64) in;
        layout(binding = 0) buffer A { float16_t a[]; };
        layout(binding = 1) buffer B { float16_t b[]; };
        layout(binding = 2) buffer C { float c[]; };
        const uint N = 64;
        shared float16_t tileA[16 * 16];
        shared float16_t tileB[16 * 16];
        void main() {
            for (uint row = 0; row < N; row += 16) {
                for (uint column = 0; column < N; column += 16) {
                    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum =
                        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
                    for (uint k = 0; k < N; k += 16) {
                        for (uint i = gl_LocalInvocationIndex; i < 256; i += 64) {
                            tileA[i] = a[(row + i / 16) * N + k + i % 16];
                            tileB[i] = b[(k + i / 16) * N + column + i % 16];
                        }
                        barrier();
                        coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x;
                        coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
                        coopMatLoad(x, tileA, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
                        coopMatLoad(y, tileB, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
                        sum = coopMatMulAdd(x, y, sum);
                        barrier();
                    }
                    coopMatStore(sum, c, row * N + column, N, gl_CooperativeMatrixLayoutRowMajor);
                }
            }
        }";
    let (a, b) = (small(F16, size * size, 1), small(F16, size * size, 2));
    let result = run(source, &[bytes(F16, a.clone()), bytes(F16, b.clone()), vec![0; size * size * 4]]);
    let output = numbers(F32, &result[2]);
    for row in 0..size {
        for column in 0..size {
            let expected: f64 = (0..size).map(|k| a[row * size + k] * b[k * size + column]).sum();
            assert_eq!(output[row * size + column], expected);
        }
    }
}
