//! Cooperative vectors: products, sums, loads and stores beside the same in Rust.

use coopmat_simulator::numerics::{Mode, Numerics};
use coopmat_simulator::{CooperativeVectorMatrixLayout, Execution, Progress};

use crate::support::Run;

const HEAD: &str = "#extension GL_NV_cooperative_vector : require
layout(local_size_x = 4) in;
layout(binding = 0) buffer Weights { float weights[]; };
layout(binding = 1) buffer Values { float values[]; };
layout(binding = 2) buffer Results { float results[]; };
";

/// 3 rows of 4 columns, 16 bytes apart, and a bias of 3 behind them.
fn weights() -> Vec<f32> {
    (0..15).map(|at| at as f32 * 0.5 - 3.0).collect()
}

#[test]
fn each_invocation_multiplies_its_own_vector() {
    let source = format!(
        "{HEAD}
        void main() {{
            uint lane = gl_LocalInvocationIndex;
            coopvecNV<float, 4> x;
            coopVecLoadNV(x, values, lane * 16);
            coopvecNV<float, 3> y;
            coopVecMatMulAddNV(y, x, gl_ComponentTypeFloat32NV, weights, 0, gl_ComponentTypeFloat32NV, weights, 48,
                gl_ComponentTypeFloat32NV, 3, 4, gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 16);
            y = max(y, coopvecNV<float, 3>(0.0)) * 2.0;
            for (int i = 0; i < y.length(); i++) results[lane * 3 + i] = y[i];
        }}"
    );
    let values: Vec<f32> = (0..16).map(|at| (at * at % 7) as f32 - 2.0).collect();
    let outcome = Run::new(&source).floats(&weights()).floats(&values).zeros(12).run();
    let w = weights();
    let mut wanted = Vec::new();
    for x in values.chunks(4) {
        for row in 0..3 {
            let sum = (0..4).fold(w[12 + row], |sum, k| sum + w[row * 4 + k] * x[k]);
            wanted.push(sum.max(0.0) * 2.0);
        }
    }
    assert_eq!(outcome.floats(2), wanted);
}

#[test]
fn columns_are_lines_in_the_column_major_layout() {
    let source = format!(
        "{HEAD}
        void main() {{
            coopvecNV<float, 3> x = coopvecNV<float, 3>(values[0], values[1], values[2]);
            coopvecNV<float, 4> y;
            coopVecMatMulNV(y, x, gl_ComponentTypeFloat32NV, weights, 0, gl_ComponentTypeFloat32NV, 4, 3,
                gl_CooperativeVectorMatrixLayoutColumnMajorNV, false, 16);
            coopVecStoreNV(y, results, 0);
        }}"
    );
    let values = [1.0, -2.0, 0.5];
    let outcome = Run::new(&source).floats(&weights()).floats(&values).zeros(4).run();
    let w = weights();
    let wanted: Vec<f32> =
        (0..4).map(|row| (0..3).fold(0.0, |sum, k| sum + w[k * 4 + row] * values[k])).collect();
    assert_eq!(outcome.floats(2), wanted);
}

#[test]
fn packed_bytes_are_multiplied_exactly_and_numbers_saturate() {
    let source = format!(
        "{HEAD}
        void main() {{
            coopvecNV<uint, 2> x = coopvecNV<uint, 2>(0x80ff017fu, 0x03fe0205u);
            coopvecNV<int, 1> y;
            coopVecMatMulNV(y, x, gl_ComponentTypeSignedInt8PackedNV, weights, 0, gl_ComponentTypeSignedInt8NV, 1, 8,
                gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 16);
            coopvecNV<int, 1> z;
            coopVecMatMulNV(z, coopvecNV<float, 8>(values[0], values[1], values[2], values[3], values[4], 0, 0, 0),
                gl_ComponentTypeSignedInt8NV, weights, 0, gl_ComponentTypeSignedInt8NV, 1, 8,
                gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 16);
            results[0] = float(y[0]);
            results[1] = float(z[0]);
        }}"
    );
    let matrix: [i8; 16] = [1, -2, 3, -4, 5, 6, -7, 127, 0, 0, 0, 0, 0, 0, 0, 0];
    let bytes: Vec<u8> = matrix.iter().map(|value| *value as u8).collect();
    let values = [300.0, -300.0, 2.5, 3.5, -0.5];
    let outcome = Run::new(&source).bytes(&bytes).floats(&values).zeros(2).run();
    let packed: [i32; 8] = [0x7f, 1, -1, -128, 5, 2, -2, 3];
    // The largest and the smallest of 8 bits; ties go to the even number.
    let saturated: [i32; 8] = [127, -128, 2, 4, 0, 0, 0, 0];
    let dot = |x: [i32; 8]| x.iter().zip(&matrix).map(|(x, w)| x * i32::from(*w)).sum::<i32>() as f32;
    assert_eq!(outcome.floats(2), [dot(packed), dot(saturated)]);
}

#[test]
fn sums_of_all_invocations_add_up_in_memory() {
    let source = format!(
        "{HEAD}
        void main() {{
            coopvecNV<float, 3> v = coopvecNV<float, 3>(float(gl_LocalInvocationIndex));
            v[2] = 1.0;
            coopVecReduceSumAccumulateNV(v, results, 16);
        }}"
    );
    let outcome = Run::new(&source).floats(&weights()).zeros(1).floats(&[9.0; 8]).run();
    assert_eq!(outcome.floats(2), [9.0, 9.0, 9.0, 9.0, 15.0, 15.0, 13.0, 9.0]);
}

/// The numbers of a matrix where an optimal layout has them, from its rows.
fn laid_out<T: Copy + Default>(layout: CooperativeVectorMatrixLayout, rows: &[&[T]]) -> Vec<T> {
    let shape = (rows.len() as u32, rows[0].len() as u32);
    let mut numbers = vec![T::default(); CooperativeVectorMatrixLayout::room(shape.0, shape.1) as usize];
    for (row, line) in rows.iter().enumerate() {
        for (column, value) in line.iter().enumerate() {
            numbers[layout.offset(shape, (row as u32, column as u32), 1, 0) as usize] = *value;
        }
    }
    numbers
}

const INFERENCING: CooperativeVectorMatrixLayout = CooperativeVectorMatrixLayout::InferencingOptimal;
const TRAINING: CooperativeVectorMatrixLayout = CooperativeVectorMatrixLayout::TrainingOptimal;

#[test]
fn matrices_in_optimal_layouts_are_multiplied_and_transposed() {
    let source = format!(
        "{HEAD}
        #define F32 gl_ComponentTypeFloat32NV
        #define INFERENCING gl_CooperativeVectorMatrixLayoutInferencingOptimalNV
        #define TRAINING gl_CooperativeVectorMatrixLayoutTrainingOptimalNV
        layout(binding = 3) buffer Second {{ float second[]; }};
        void main() {{
            coopvecNV<float, 3> x = coopvecNV<float, 3>(values[0], values[1], values[2]);
            coopvecNV<float, 10> y;
            coopvecNV<float, 3> z;
            if (gl_LocalInvocationIndex == 0) {{
                coopVecMatMulNV(y, x, F32, weights, 0, F32, 10, 3, INFERENCING, true, 0);
                coopVecMatMulNV(z, y, F32, weights, 0, F32, 3, 10, INFERENCING, false, 0);
                for (int i = 0; i < 10; i++) results[i] = y[i];
                for (int i = 0; i < 3; i++) results[10 + i] = z[i];
            }} else if (gl_LocalInvocationIndex == 1) {{
                coopVecMatMulNV(y, x, F32, second, 0, F32, 10, 3, TRAINING, true, 7);
                coopVecMatMulNV(z, y, F32, second, 0, F32, 3, 10, TRAINING, false, 7);
                for (int i = 0; i < 10; i++) results[13 + i] = y[i];
                for (int i = 0; i < 3; i++) results[23 + i] = z[i];
            }}
        }}"
    );
    let numbers: Vec<f32> = (0..30).map(|at| ((at * 7) % 11) as f32 - 5.0).collect();
    let rows: Vec<&[f32]> = numbers.chunks(10).collect();
    let x = [1.0f32, -2.0, 0.5];
    let y: Vec<f32> = (0..10).map(|column| (0..3).map(|k| rows[k][column] * x[k]).sum()).collect();
    let z: Vec<f32> = rows.iter().map(|row| row.iter().zip(&y).map(|(w, y)| w * y).sum()).collect();
    let run = Run::new(&source).floats(&laid_out(INFERENCING, &rows)).floats(&x).zeros(26);
    let outcome = run.floats(&laid_out(TRAINING, &rows)).run();
    assert_eq!(outcome.floats(2), [y.clone(), z.clone(), y, z].concat());
}

#[test]
fn outer_products_of_all_invocations_add_up_in_every_layout() {
    for (layout, name, stride) in [
        (INFERENCING, "InferencingOptimal", 0),
        (TRAINING, "TrainingOptimal", 0),
        (CooperativeVectorMatrixLayout::RowMajor, "RowMajor", 48),
        (CooperativeVectorMatrixLayout::ColumnMajor, "ColumnMajor", 16),
    ] {
        let source = format!(
            "{HEAD}
            void main() {{
                float lane = float(gl_LocalInvocationIndex);
                coopvecNV<float16_t, 3> a = coopvecNV<float16_t, 3>(float16_t(lane), float16_t(1.0), float16_t(-0.5));
                coopvecNV<float16_t, 9> b;
                for (int i = 0; i < 9; i++) b[i] = float16_t(float(i) + lane * 10.0);
                coopVecOuterProductAccumulateNV(a, b, results, 16, {stride},
                    gl_CooperativeVectorMatrixLayout{name}NV, gl_ComponentTypeFloat32NV);
            }}"
        );
        let outcome = Run::new(&source).floats(&weights()).zeros(1).floats(&[0.25; 132]).run();
        let found = outcome.floats(2);
        for row in 0..3u32 {
            for column in 0..9u32 {
                let products = (0..4).map(|lane| {
                    let lane = lane as f32;
                    [lane, 1.0, -0.5][row as usize] * (column as f32 + lane * 10.0)
                });
                let at = 16 + layout.offset((3, 9), (row, column), 4, stride);
                assert_eq!(found[at as usize / 4], 0.25 + products.sum::<f32>(), "{name} {row} {column}");
            }
        }
        assert_eq!(found.iter().filter(|value| **value == 0.25).count(), 132 - 27, "{name}");
    }
}

#[test]
fn half_sums_round_each_product_and_each_sum() {
    let source = format!(
        "{HEAD}
        void main() {{
            if (gl_LocalInvocationIndex > 1) return;
            coopvecNV<float16_t, 1> a = coopvecNV<float16_t, 1>(float16_t(1.0009765625));
            coopVecOuterProductAccumulateNV(a, a, results, 0, 0, gl_CooperativeVectorMatrixLayoutTrainingOptimalNV,
                gl_ComponentTypeFloat16NV);
            coopVecReduceSumAccumulateNV(a, results, 128);
        }}"
    );
    // 2048 of 16 bits before: half of what is added is lost each time.
    let mut before = vec![0u32; 40];
    (before[0], before[32]) = (0x6800, 0x6800);
    let outcome = Run::new(&source).zeros(1).zeros(1).words(&before).run();
    let found = outcome.words(2);
    // 1.0009765625 squared is 1.001953125 + 2^-20, rounded to 1.001953125; 2048 + that lies nearest to 2050, as 2050 + that to 2052.
    assert_eq!((found[0], found[32]), (0x6802, 0x6802));
}

/// What a shader's one product gives, of `m` components of `made`, for an input.
fn product(input: &str, made: &str, m: u32, call: &str, weights: &[u8]) -> Vec<u32> {
    let source = format!(
        "{HEAD}
        #define ROWS gl_CooperativeVectorMatrixLayoutRowMajorNV
        #define TRAINING gl_CooperativeVectorMatrixLayoutTrainingOptimalNV
        void main() {{
            coopvecNV<{made}, {m}> y;
            {input};
            {call};
            for (int i = 0; i < {m}; i++) results[i] = float(y[i]);
        }}"
    );
    let outcome = Run::new(&source).bytes(weights).zeros(1).zeros(m as usize).run();
    outcome.floats(2).into_iter().map(|value| value as i64 as u32).collect()
}

#[test]
fn interpretations_of_64_bits_are_exact() {
    // 2^40 times 3 and -5, in doubles: beyond the digits of an f32 until they cancel out.
    let doubles: Vec<u8> = [(1i64 << 40) as f64 + 1.0, -((1i64 << 40) as f64), 0.0, 0.0]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let call = "coopVecMatMulNV(y, x, gl_ComponentTypeFloat64NV, weights, 0, gl_ComponentTypeFloat64NV, 1, 2, ROWS, false, 16)";
    let x = "coopvecNV<float, 2> x = coopvecNV<float, 2>(3.0)";
    assert_eq!(product(x, "float", 1, call, &doubles), [3]);
    // Integers wrap at the precision of the result; the input saturates at 0 without a sign.
    let longs: Vec<u8> = [(1i64 << 33) + 7, -1, 0, 0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let call = "coopVecMatMulNV(y, x, gl_ComponentTypeSignedInt64NV, weights, 0, gl_ComponentTypeSignedInt64NV, 1, 2, ROWS, false, 16)";
    let x = "coopvecNV<int, 2> x = coopvecNV<int, 2>(3, -2)";
    assert_eq!(product(x, "int", 1, call, &longs), [21 + 2]);
    let call = call.replace("x, gl_ComponentTypeSignedInt64NV", "x, gl_ComponentTypeUnsignedInt64NV");
    assert_eq!(product(x, "int", 1, &call, &longs), [21]);
}

#[test]
fn eight_bit_floats_saturate_and_round_to_even() {
    // 1 in E4M3 (bias 7) and in E5M2 (bias 15).
    for (kind, one, largest) in [("FloatE4M3", 0x38u8, 448u32), ("FloatE5M2", 0x3c, 57344)] {
        let mut weights = vec![0; 64];
        for row in 0..4 {
            weights[TRAINING.offset((4, 4), (row, row), 1, 0) as usize] = one;
        }
        let kind = format!("gl_ComponentType{kind}NV");
        let call = format!("coopVecMatMulNV(y, x, {kind}, weights, 0, {kind}, 4, 4, TRAINING, false, 0)");
        let x = "coopvecNV<float, 4> x = coopvecNV<float, 4>(1000000.0, 17.0, 19.0, 0.0)";
        // Beside 16 lie 18 of three digits and 20 of two; 19 lies between 18 and 20.
        assert_eq!(product(x, "float", 4, &call, &weights), [largest, 16, 20, 0], "{kind}");
    }
}

#[test]
fn integers_saturate_to_their_interpretation() {
    let weights: Vec<u8> = [1u16, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let call = "coopVecMatMulNV(y, x, gl_ComponentTypeSignedInt16NV, weights, 0, gl_ComponentTypeSignedInt16NV, 3, 3, ROWS, false, 16)";
    let x = "coopvecNV<int, 3> x = coopvecNV<int, 3>(100000, -100000, 7)";
    assert_eq!(product(x, "int", 3, call, &weights), [32767, -32768i32 as u32, 7]);
    // An unsigned input is never negative.
    let x = "coopvecNV<uint, 3> x = coopvecNV<uint, 3>(0xffffffffu, 5, 7)";
    assert_eq!(product(x, "int", 3, call, &weights), [32767, 5, 7]);
    let call = call.replace("x, gl_ComponentTypeSignedInt16NV", "x, gl_ComponentTypeUnsignedInt8NV");
    let x = "coopvecNV<float, 3> x = coopvecNV<float, 3>(-3.0, 254.5, 300.0)";
    assert_eq!(product(x, "int", 3, &call, &weights), [0, 254, 255]);
}

#[test]
fn a_bias_has_an_interpretation_of_its_own() {
    // Weights of bytes, and 16 bytes further on a bias of 32 bits.
    let mut weights = vec![1u8, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    weights.extend((-1_000_000i32).to_le_bytes());
    let call = "coopVecMatMulAddNV(y, x, gl_ComponentTypeSignedInt8NV, weights, 0, gl_ComponentTypeSignedInt8NV, weights, 16,
        gl_ComponentTypeSignedInt32NV, 1, 4, ROWS, false, 16)";
    let x = "coopvecNV<float, 4> x = coopvecNV<float, 4>(1.0, 10.0, 100.0, -100.0)";
    assert_eq!(product(x, "int", 1, call, &weights), [(1 + 20 + 300 - 400 - 1_000_000) as u32]);
}

#[test]
fn each_invocation_may_have_a_matrix_of_its_own() {
    let source = format!(
        "{HEAD}
        void main() {{
            uint lane = gl_LocalInvocationIndex;
            coopvecNV<float, 1> x = coopvecNV<float, 1>(float(lane + 1));
            coopVecMatMulNV(x, x, gl_ComponentTypeFloat32NV, weights, lane % 3 * 64, gl_ComponentTypeFloat32NV, 1, 1,
                gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 16);
            results[lane] = x[0];
        }}"
    );
    let mut weights = vec![0.0; 48];
    (weights[0], weights[16], weights[32]) = (2.0, 3.0, 5.0);
    let outcome = Run::new(&source).floats(&weights).zeros(1).zeros(4).run();
    assert_eq!(outcome.floats(2), [2.0, 6.0, 15.0, 8.0]);
}

#[test]
fn sizes_and_layouts_may_be_specialized() {
    let source = format!(
        "{HEAD}
        layout(constant_id = 0) const uint M = 2;
        layout(constant_id = 1) const uint K = 3;
        layout(constant_id = 2) const int LAYOUT = gl_CooperativeVectorMatrixLayoutRowMajorNV;
        void main() {{
            coopvecNV<float, K> x = coopvecNV<float, K>(2.0);
            coopvecNV<float, M> y;
            coopVecMatMulNV(y, x, gl_ComponentTypeFloat32NV, weights, 0, gl_ComponentTypeFloat32NV, M, K, LAYOUT, false, 16);
            coopVecStoreNV(y, results, 0);
        }}"
    );
    let rows: [&[f32]; 3] = [&[1.0, 2.0], &[3.0, 4.0], &[5.0, 6.0]];
    let run = Run::new(&source).floats(&laid_out(TRAINING, &rows)).zeros(1).zeros(4);
    let run = run.specialize(0, 3).specialize(1, 2).specialize(2, u64::from(TRAINING.number()));
    assert_eq!(run.run().floats(2), [6.0, 14.0, 22.0, 0.0]);
}

#[test]
fn memory_may_be_known_by_its_address() {
    let source = format!(
        "{HEAD}
        layout(buffer_reference, std430, buffer_reference_align = 64) buffer Reference {{ float reference[]; }};
        layout(push_constant) uniform Addresses {{ Reference matrix; Reference sums; }};
        void main() {{
            coopvecNV<float, 2> x = coopvecNV<float, 2>(1.0, 10.0);
            coopvecNV<float, 2> y;
            coopVecMatMulNV(y, x, gl_ComponentTypeFloat32NV, matrix.reference, 64, gl_ComponentTypeFloat32NV, 2, 2,
                gl_CooperativeVectorMatrixLayoutInferencingOptimalNV, false, 0);
            coopVecReduceSumAccumulateNV(y, sums.reference, 16);
        }}"
    );
    let mut weights = vec![0.0; 16];
    weights.extend(laid_out(INFERENCING, &[&[1.0, 2.0], &[3.0, 4.0]]));
    let mut run = Run::new(&source).floats(&weights).zeros(1).zeros(8);
    let addresses: Vec<u8> = [0, 2]
        .iter()
        .flat_map(|&binding| run.resources.address(run.buffers()[binding]).to_le_bytes())
        .collect();
    run = run.push_constants(&addresses);
    assert_eq!(run.run().floats(2), [0.0, 0.0, 0.0, 0.0, 4.0 * 21.0, 4.0 * 43.0, 0.0, 0.0]);
}

#[test]
fn shared_memory_holds_vectors() {
    let source = format!(
        "{HEAD}
        shared uvec4 rows[8];
        void main() {{
            uint lane = gl_LocalInvocationIndex;
            coopvecNV<double, 3> x = coopvecNV<double, 3>(double(lane) + 0.5);
            x[2] = 1e300LF;
            coopVecStoreNV(x, rows, lane * 32);
            barrier();
            coopvecNV<double, 3> y;
            coopVecLoadNV(y, rows, (3 - lane) * 32);
            results[lane] = float(y[1]) + (y[2] == 1e300LF ? 100.0 : 0.0);
        }}"
    );
    let outcome = Run::new(&source).floats(&weights()).zeros(1).zeros(4).run();
    assert_eq!(outcome.floats(2), [103.5, 102.5, 101.5, 100.5]);
}

/// The error of a run.
fn refused(body: &str) -> String {
    let source = format!("{HEAD} void main() {{ coopvecNV<float, 3> v = coopvecNV<float, 3>(1.0); {body} }}");
    let (mut execution, _): (Execution, _) =
        Run::new(&source).floats(&weights()).zeros(1).zeros(16).execution();
    match execution.run(1_000_000) {
        Err(error) => error.to_string(),
        Ok(Progress::Finished | Progress::Running { .. }) => panic!("it ran"),
    }
}

#[test]
fn what_is_not_run_is_told_in_words() {
    let error = refused(
        "coopVecMatMulNV(v, v, gl_ComponentTypeFloat32NV, weights, 0, gl_ComponentTypeSignedInt8NV, 3, 3,
            gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 16);",
    );
    assert!(error.contains("must all be integers, or all floating point"), "{error}");
    let error = refused(
        "coopVecMatMulNV(v, v, gl_ComponentTypeFloat32NV, weights, 0, gl_ComponentTypeFloat32NV, 3, 3,
            gl_CooperativeVectorMatrixLayoutRowMajorNV, true, 16);",
    );
    assert!(error.contains("cannot be transposed"), "{error}");
    let error = refused(
        "coopVecOuterProductAccumulateNV(v, v, results, 0, 0, gl_CooperativeVectorMatrixLayoutTrainingOptimalNV,
            gl_ComponentTypeSignedInt32NV);",
    );
    assert!(error.contains("products of integers"), "{error}");
}

/// The mode of NVIDIA's Hopper GPUs, as an H100 (driver 580.159.04) computes: see docs/simulator.md.
fn of_hopper(body: &str, values: &[f32]) -> Vec<u32> {
    let source = format!("{HEAD}\nvoid main() {{ {body} }}");
    let mut run = Run::new(&source).bytes(&[0x38; 16]).floats(values).zeros(40);
    run.settings.numerics = Numerics::with_mode(Mode::NvidiaHopper);
    run.run().words(2)
}

#[test]
fn on_hopper_a_subgroup_adds_up_before_its_sums_go_to_memory() {
    let body = "
        coopvecNV<float16_t, 1> a = coopvecNV<float16_t, 1>(float16_t(values[gl_LocalInvocationIndex]));
        coopVecReduceSumAccumulateNV(a, results, 0);
        coopVecOuterProductAccumulateNV(a, coopvecNV<float16_t, 1>(float16_t(1.0)), results, 64, 0,
            gl_CooperativeVectorMatrixLayoutTrainingOptimalNV, gl_ComponentTypeFloat16NV);";
    let found = of_hopper(body, &[2048.0, 1.0, 1.0, 1.0]);
    // Vectors in pairs: 2048 + 1 is 2048 in 16 bits, but 1 + 1 is not lost beside it. In order, all three ones would be.
    assert_eq!(found[0], 0x6801);
    // The first of three waits: (1 + 1) and 2048, of which nothing is lost.
    let of_three = body.replace("coopVecReduce", "if (gl_LocalInvocationIndex < 3) coopVecReduce");
    assert_eq!(of_hopper(&of_three, &[2048.0, 1.0, 1.0, 1.0])[0], 0x6801);
    // Outer products eight invocations at a time, rounded once: 2051 lies between 2050 and 2052.
    assert_eq!(found[16], 0x6802);
}

#[test]
fn on_hopper_halves_are_multiplied_by_bytes_as_they_are() {
    // 0x38 is 1 in E4M3, of which 1.0625 is no number.
    let body = "
        coopvecNV<float16_t, 1> x = coopvecNV<float16_t, 1>(float16_t(1.0625));
        coopvecNV<float16_t, 1> y;
        coopVecMatMulNV(y, x, gl_ComponentTypeFloatE4M3NV, weights, 0, gl_ComponentTypeFloatE4M3NV, 1, 1,
            gl_CooperativeVectorMatrixLayoutInferencingOptimalNV, false, 0);
        results[0] = float(y[0]);";
    assert_eq!(of_hopper(body, &[0.0])[0], 1.0625f32.to_bits());
}
