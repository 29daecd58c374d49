//! GL_QCOM_cooperative_matrix_conversion: arrays of the invocations and matrices.

use super::support::*;
use coopmat_simulator::{FindingKind, Settings};

const QCOM: &str = "#extension GL_QCOM_cooperative_matrix_conversion : require\n";

/// Row i from invocation i, column i for use B; and back.
#[test]
fn arrays_to_matrices_and_back() {
    // Of each component type: the length that makes 8 words.
    for (component, length) in [(F32, 8), (F16, 16), (S8, 32), (U8, 32)] {
        for use_ in ["A", "B"] {
            let (rows, columns) = if use_ == "A" { (8, length) } else { (length, 8) };
            let type_ = glsl(component);
            let source = format!(
                "{QCOM}layout(local_size_x = 8) in;
                layout(binding = 0) buffer A {{ uint a[]; }};
                layout(binding = 1, scalar) buffer B {{ {type_} b[]; }};
                layout(binding = 2) buffer C {{ uint c[]; }};
                void main() {{
                    uint words[8];
                    for (int i = 0; i < 8; ++i) words[i] = a[gl_SubgroupInvocationID * 8 + i];
                    coopmat<{type_}, gl_ScopeSubgroup, {rows}, {columns}, gl_MatrixUse{use_}> m;
                    vectorToCoopmatQCOM(words, m);
                    coopMatStore(m, b, 0, {columns}, gl_CooperativeMatrixLayoutRowMajor);
                    uint again[8];
                    coopmatToVectorQCOM(m, again);
                    for (int i = 0; i < 8; ++i) c[gl_SubgroupInvocationID * 8 + i] = again[i];
                }}"
            );
            let input = small(component, 8 * length, 2);
            let memory = bytes(component, input.clone());
            let program = compile(&source);
            let (result, _) =
                run_with(&program, &[memory.clone(), vec![0; 256], vec![0; 256]], settings(8, "shuffled"));
            let output = numbers(component, &result[1]);
            for row in 0..rows {
                for column in 0..columns {
                    let (invocation, place) = if use_ == "A" { (row, column) } else { (column, row) };
                    assert_eq!(
                        output[row * columns + column],
                        input[invocation * length + place],
                        "{component:?} {use_}"
                    );
                }
            }
            assert_eq!(result[2], memory);
        }
    }
}

/// Elements of the matrix's own type, and an accumulator's.
#[test]
fn arrays_of_components() {
    let source = format!(
        "{QCOM}layout(local_size_x = 32) in;
        layout(binding = 0) buffer A {{ float a[]; }};
        layout(binding = 1) buffer B {{ float b[]; }};
        void main() {{
            float line[16];
            for (int i = 0; i < 16; ++i) line[i] = a[gl_SubgroupInvocationID * 16 + i];
            coopmat<float, gl_ScopeSubgroup, 32, 16, gl_MatrixUseAccumulator> m;
            vectorToCoopmatQCOM(line, m);
            m = m + m;
            coopmatToVectorQCOM(m, line);
            for (int i = 0; i < 16; ++i) b[gl_SubgroupInvocationID * 16 + i] = line[i];
        }}"
    );
    let input = small(F32, 512, 3);
    let (result, _) =
        run_with(&compile(&source), &[bytes(F32, input.clone()), vec![0; 2048]], settings(32, "plain"));
    let output = numbers(F32, &result[1]);
    assert!((0..512).all(|index| output[index] == 2.0 * input[index]));
}

/// bitcastQCOM keeps the bytes, extractSubArrayQCOM takes a run of elements, in each invocation from its own start.
#[test]
fn bits_and_parts_of_arrays() {
    let source = format!(
        "{QCOM}layout(local_size_x = 32) in;
        layout(binding = 0) buffer A {{ uint a[]; }};
        layout(binding = 1) buffer B {{ float16_t b[]; }};
        layout(binding = 2) buffer C {{ uint c[]; }};
        void main() {{
            uint words[8];
            for (int i = 0; i < 8; ++i) words[i] = a[i];
            float16_t halves[16];
            bitcastQCOM(words, halves);
            if (gl_SubgroupInvocationID == 0) for (int i = 0; i < 16; ++i) b[i] = halves[i];
            uint part[4];
            extractSubArrayQCOM(words, int(gl_SubgroupInvocationID % 5), part);
            for (int i = 0; i < 4; ++i) c[gl_SubgroupInvocationID * 4 + i] = part[i];
        }}"
    );
    let input = bytes(F16, small(F16, 16, 1));
    let (result, _) =
        run_with(&compile(&source), &[input.clone(), vec![0; 32], vec![0; 512]], settings(32, "plain"));
    assert_eq!(result[1], input);
    let words = numbers(U32, &input);
    for (index, value) in numbers(U32, &result[2]).into_iter().enumerate() {
        assert_eq!(value, words[index / 4 % 5 + index % 4]);
    }
}

/// Checked mode: a part that reaches beyond the array.
#[test]
fn parts_beyond_the_end_are_found() {
    let source = format!(
        "{QCOM}layout(local_size_x = 32) in;
        layout(binding = 0) buffer A {{ uint a[]; }};
        void main() {{
            uint words[8];
            for (int i = 0; i < 8; ++i) words[i] = a[i];
            uint part[4];
            extractSubArrayQCOM(words, int(a[0]), part);
            a[gl_SubgroupInvocationID] = part[0];
        }}"
    );
    let settings = Settings { checked: true, ..settings(32, "plain") };
    let (_, findings) = run_with(&compile(&source), &[bytes(U32, (0..32).map(|_| 5.0))], settings);
    assert_eq!(findings[0].message, "4 elements from 5 of an array of 8");
}

/// Checked mode tells of what is undefined, and leaves it as it is: results are those of a run without it.
#[test]
fn undefined_rows_keep_their_elements() {
    let source = format!(
        "{QCOM}layout(local_size_x = 32) in;
        layout(binding = 0) buffer B {{ float b[]; }};
        void main() {{
            coopmat<float, gl_ScopeSubgroup, 32, 16, gl_MatrixUseAccumulator> unwritten, m;
            m = unwritten + coopmat<float, gl_ScopeSubgroup, 32, 16, gl_MatrixUseAccumulator>(2.0);
            float line[16];
            coopmatToVectorQCOM(m, line);
            for (int i = 0; i < 16; ++i) b[gl_SubgroupInvocationID * 16 + i] = line[i];
        }}"
    );
    let program = compile(&source);
    let run = |checked| {
        let settings = Settings { checked, ..settings(32, "plain") };
        let (result, findings) = run_with(&program, &[vec![0; 2048]], settings);
        (numbers(F32, &result[0]), findings)
    };
    assert_eq!(run(false), (vec![2.0; 512], Vec::new()));
    let (result, findings) = run(true);
    assert_eq!(result, [2.0; 512]);
    // Each invocation has a row: what is undefined is the matrix, not what the conversion leaves out.
    assert!(!findings.is_empty());
    assert!(findings.iter().all(|finding| finding.kind == FindingKind::Uninitialised), "{findings:?}");
}
