//! Cooperative vectors: products, sums, loads and stores beside the same in Rust.

use coopmat_simulator::{Execution, Progress};

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

#[test]
fn optimal_layouts_are_refused_in_words() {
    let source = format!(
        "{HEAD}
        void main() {{
            coopvecNV<float, 3> v = coopvecNV<float, 3>(1.0);
            coopVecOuterProductAccumulateNV(v, v, results, 0, 0, gl_CooperativeVectorMatrixLayoutTrainingOptimalNV,
                gl_ComponentTypeFloat32NV);
        }}"
    );
    let (mut execution, _): (Execution, _) =
        Run::new(&source).floats(&weights()).zeros(1).zeros(16).execution();
    let error = match execution.run(1_000_000) {
        Err(error) => error.to_string(),
        Ok(Progress::Finished | Progress::Running { .. }) => panic!("the outer product ran"),
    };
    assert!(error.contains("optimal layout are not run"), "{error}");
}
