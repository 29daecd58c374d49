//! What an observer sees of matrix operations: operands, results, and where tensor loads go.

use std::sync::{Arc, Mutex};

use coopmat_simulator::matrix::tensor::Place;
use coopmat_simulator::observer::{Addressing, At, MatrixValues, Wants};
use coopmat_simulator::{Execution, Observer, Progress, Resources};

use super::support::*;

/// Writes what it sees as lines.
struct Watcher(Arc<Mutex<Vec<String>>>);

impl Observer for Watcher {
    fn wants(&self) -> Wants {
        Wants { values: true, ..Wants::default() }
    }

    fn matrix_values(&mut self, at: &At, values: &MatrixValues<'_>) {
        let first = |matrix: &Arc<coopmat_simulator::matrix::Matrix>| matrix.number(0).to_string();
        let operands: Vec<String> = values.operands.iter().map(first).collect();
        let mut line = format!("{}({})", values.operation, operands.join(", "));
        if let Some(result) = values.result {
            line += &format!(" = {}", first(result));
        }
        if let Some(memory) = values.memory {
            line += &format!(", {} at {}", memory.name, memory.offset);
            if let Addressing::Tensor(tensor) = &memory.addressing {
                let shown = tensor.elements.iter().take(2).map(|(wanted, place)| match place {
                    Place::Element { index, .. } => {
                        format!("{:?} -> {index}", wanted.map(|at| (at[0], at[1])))
                    }
                    other => format!("{:?} {other:?}", wanted.map(|at| (at[0], at[1]))),
                });
                line += &format!(": {}", shown.collect::<Vec<_>>().join("; "));
            }
        }
        for array in [values.array, values.array_result].into_iter().flatten() {
            line += &format!(" [{} x {} bits, {} invocations]", array.length, array.width, array.lanes);
        }
        if let Some(vectors) = values.vectors {
            let shape = |matrix: &Arc<coopmat_simulator::matrix::Matrix>| {
                let type_ = matrix.type_();
                format!("{}x{} {}", type_.rows, type_.columns, type_.component.name())
            };
            let shapes: Vec<String> = values.operands.iter().chain(values.result).map(shape).collect();
            line += &format!("\n    lanes {:b}: {}", at.mask, shapes.join(", "));
            if !vectors.interpretations.is_empty() {
                line += &format!(", interpreted as {:?}", vectors.interpretations);
            }
            if let Some(starts) = &vectors.starts {
                line += &format!(", {} at {:?}", starts.name, starts.offsets);
            }
            if let Some(Addressing::VectorMatrix { layout, stride, transposed }) =
                values.memory.map(|memory| &memory.addressing)
            {
                line += &format!(", {layout:?}, stride {stride}, transposed: {transposed}");
            }
        }
        self.0.lock().expect("one thread").push(line);
    }
}

fn watch(source: &str, buffers: &[Vec<u8>], subgroup_size: u32) -> Vec<String> {
    let program = compile(source);
    let mut resources = Resources::new();
    for (binding, bytes) in buffers.iter().enumerate() {
        let id = resources.buffer(bytes);
        resources.bind(0, binding as u32, 0, id);
    }
    let mut execution = Execution::new(&program, resources, settings(subgroup_size, "plain"), [1, 1, 1])
        .expect("resources that fit");
    let seen = Arc::new(Mutex::new(Vec::new()));
    execution.observe(Box::new(Watcher(seen.clone())));
    while execution.run(1 << 20).expect("a run") != Progress::Finished {}
    seen.lock().expect("one thread").clone()
}

/// The accumulator is added to in place; an observer sees what it was before, and what it is after.
#[test]
fn an_accumulator_before_and_after() {
    let seen = watch(
        "layout(local_size_x = 32) in;
        layout(binding = 0) buffer A { float16_t a[]; };
        layout(binding = 1) buffer D { float d[]; };
        void main() {
            coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x;
            coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
            coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum =
                coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(1.0);
            coopMatLoad(x, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(y, a, 256, 16, gl_CooperativeMatrixLayoutRowMajor);
            for (int k = 0; k < 2; k++) sum = coopMatMulAdd(x, y, sum);
            coopMatStore(sum, d, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
        }",
        &[bytes(F16, [vec![2.0; 256], vec![3.0; 256]].concat()), vec![0; 1024]],
        32,
    );
    let loads =
        ["CooperativeMatrixLoad() = 2, buffer A at 0", "CooperativeMatrixLoad() = 3, buffer A at 512"];
    assert_eq!(seen[seen.len() - 5..seen.len() - 3], loads);
    assert_eq!(
        seen[seen.len() - 3..],
        [
            "CooperativeMatrixMulAdd(2, 3, 1) = 97",
            "CooperativeMatrixMulAdd(2, 3, 97) = 193",
            "CooperativeMatrixStore(193), buffer D at 0",
        ]
    );
}

#[test]
fn where_a_tensor_load_goes() {
    let seen = watch(
        "#extension GL_NV_cooperative_matrix2 : require
        layout(local_size_x = 32) in;
        layout(binding = 0) buffer A { float a[]; };
        void main() {
            coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> m =
                coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>(0.0);
            tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> t =
                createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
            t = setTensorLayoutDimensionNV(t, 4, 10);
            coopMatLoadTensorNV(m, a, 0, sliceTensorLayoutNV(t, 1, 8, -1, 8));
        }",
        &[bytes(F32, (0..40).map(f64::from))],
        32,
    );
    // The first element lies to the left of the tensor, the second one at its row 1.
    assert_eq!(
        seen.last().map(String::as_str),
        Some("CooperativeMatrixLoadTensor(0) = 0, buffer A at 0: Some((1, -1)) Clamped; Some((1, 0)) -> 10")
    );
}

#[test]
fn rows_of_invocations() {
    let seen = watch(
        "#extension GL_QCOM_cooperative_matrix_conversion : require
        layout(local_size_x = 64) in;
        layout(binding = 0) buffer A { uint a[]; };
        void main() {
            uint row[8];
            for (int i = 0; i < 8; i++) row[i] = a[gl_LocalInvocationID.x];
            coopmat<float16_t, gl_ScopeSubgroup, 64, 16, gl_MatrixUseA> m;
            vectorToCoopmatQCOM(row, m);
            coopMatStore(m, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
        }",
        &[vec![0x3c; 2048]],
        64,
    );
    assert!(
        seen.iter().any(|line| line.starts_with("CompositeConstructCoopMat() =")
            && line.ends_with("[8 x 32 bits, 64 invocations]")),
        "{seen:?}"
    );
}

/// A vector of each invocation is a row; invocations that take no part are not in the mask.
#[test]
fn products_of_cooperative_vectors() {
    let seen = watch(
        "#extension GL_NV_cooperative_vector : require
        layout(local_size_x = 4) in;
        layout(binding = 0) buffer W { float w[]; };
        layout(binding = 1) buffer X { float16_t x[]; };
        layout(binding = 2) buffer Y { float16_t y[]; };
        void main() {
            uint lane = gl_LocalInvocationIndex;
            if (lane == 1) return;
            coopvecNV<float16_t, 8> v;
            coopVecLoadNV(v, x, lane * 16);
            coopvecNV<float16_t, 2> sums;
            coopVecMatMulAddNV(sums, v, gl_ComponentTypeFloat16NV, w, 0, gl_ComponentTypeFloat16NV, y, 0,
                gl_ComponentTypeFloat16NV, 2, 8, gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 16);
            sums = max(sums * float16_t(2), coopvecNV<float16_t, 2>(float16_t(0)));
            coopVecStoreNV(sums, y, 16 + lane * 16);
            coopVecReduceSumAccumulateNV(sums, y, 128);
            coopVecOuterProductAccumulateNV(sums, v, w, 64, 0,
                gl_CooperativeVectorMatrixLayoutTrainingOptimalNV, gl_ComponentTypeFloat16NV);
        }",
        &[bytes(F16, vec![0.5; 1024]), bytes(F16, vec![1.0; 32]), bytes(F16, vec![1.0; 128])],
        4,
    );
    expect_test::expect![[r#"
        CooperativeVectorLoad() = 1
            lanes 1101: 4x8 float16_t, buffer X at [0, 0, 32, 48]
        CooperativeVectorMatrixMulAdd(1, 1, 0.5, 1) = 5, buffer W at 0
            lanes 1101: 4x8 float16_t, 4x8 float16_t, 2x8 float16_t, 4x2 float16_t, 4x2 float16_t, interpreted as [0, 0, 0], buffer Y at [0, 0, 0, 0], RowMajor, stride 16, transposed: false
        VectorTimesScalar(5, 2) = 10
            lanes 1101: 4x2 float16_t, 4x1 float16_t, 4x2 float16_t
        FMax(10, 0) = 10
            lanes 1101: 4x2 float16_t, 4x2 float16_t, 4x2 float16_t
        CooperativeVectorStore(10)
            lanes 1101: 4x2 float16_t, buffer Y at [16, 0, 48, 64]
        CooperativeVectorReduceSumAccumulate(10, 1) = 31
            lanes 1101: 4x2 float16_t, 1x2 float16_t, 1x2 float16_t, buffer Y at [128, 0, 128, 128]
        CooperativeVectorOuterProductAccumulate(10, 1, 0.5) = 30.5, buffer W at 64
            lanes 1101: 4x2 float16_t, 4x8 float16_t, 2x8 float16_t, 2x8 float16_t, interpreted as [0], TrainingOptimal, stride 0, transposed: false"#]].assert_eq(&seen.join("\n"));
}
