//! GL_NV_cooperative_matrix2 without tensors: uses, transposes, reductions, functions for each element, workgroup scope.

use super::support::*;

const NV2: &str = "#extension GL_NV_cooperative_matrix2 : require\n";

/// An accumulator becomes an operand, also of another component type, also transposed.
#[test]
fn uses_and_transposes() {
    for (from, to) in [(F32, F32), (F32, F16), (F16, F16), (S32, S8)] {
        for scope in ["Subgroup", "Workgroup"] {
            let (a, b) = (glsl(from), glsl(to));
            let source = format!(
                "{NV2}layout(local_size_x = 128) in;
                layout(binding = 0) buffer A {{ {a} a[]; }};
                layout(binding = 1) buffer B {{ {b} first[]; }};
                layout(binding = 2) buffer C {{ {a} turned[]; }};
                layout(binding = 3) buffer D {{ {b} second[]; }};
                void main() {{
                    coopmat<{a}, gl_Scope{scope}, 16, 8, gl_MatrixUseAccumulator> m;
                    coopMatLoad(m, a, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
                    coopmat<{b}, gl_Scope{scope}, 16, 8, gl_MatrixUseA> x = coopmat<{b}, gl_Scope{scope}, 16, 8, gl_MatrixUseA>(m);
                    coopmat<{b}, gl_Scope{scope}, 16, 8, gl_MatrixUseB> y = coopmat<{b}, gl_Scope{scope}, 16, 8, gl_MatrixUseB>(m);
                    coopmat<{a}, gl_Scope{scope}, 8, 16, gl_MatrixUseB> z;
                    coopMatTransposeNV(z, m);
                    coopMatStore(x, first, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
                    coopMatStore(z, turned, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
                    coopMatStore(y, second, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
                }}"
            );
            let input = small(from, 128, 2);
            let room = vec![0; 512];
            let result = run(&source, &[bytes(from, input.clone()), room.clone(), room.clone(), room]);
            for (index, &given) in input.iter().enumerate() {
                let expected = nearest(to, given);
                assert_eq!(numbers(to, &result[1])[index], expected);
                assert_eq!(numbers(to, &result[3])[index], expected);
                assert_eq!(numbers(from, &result[2])[index % 8 * 16 + index / 8], given);
            }
        }
    }
}

/// Rows, columns, everything and 2x2; the result's dimensions may differ along what was reduced.
#[test]
fn reductions() {
    let cases = [
        ("Row", 16, 8),
        ("Row", 16, 24),
        ("Column", 16, 8),
        ("Column", 4, 8),
        ("RowAndColumn", 16, 8),
        ("RowAndColumn", 8, 16),
        ("2x2", 8, 4),
    ];
    let functions = [
        ("a + b", 0.0, (|a, b| a + b) as fn(f64, f64) -> f64),
        ("max(a, b)", f64::MIN, f64::max),
        ("min(a, b)", f64::MAX, f64::min),
    ];
    for component in [F32, F16] {
        for (mode, rows, columns) in cases {
            for (body, start, combine) in functions {
                for scope in ["Subgroup", "Workgroup"] {
                    if scope == "Workgroup" && (component != F32 || body != "a + b") {
                        continue;
                    }
                    let type_ = glsl(component);
                    let source = format!(
                        "{NV2}layout(local_size_x = 64) in;
                        layout(binding = 0) buffer A {{ {type_} a[]; }};
                        layout(binding = 1) buffer B {{ {type_} b[]; }};
                        {type_} combine(const in {type_} a, const in {type_} b) {{ return {body}; }}
                        void main() {{
                            coopmat<{type_}, gl_Scope{scope}, 16, 8, gl_MatrixUseAccumulator> m;
                            coopmat<{type_}, gl_Scope{scope}, {rows}, {columns}, gl_MatrixUseAccumulator> r;
                            coopMatLoad(m, a, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
                            coopMatReduceNV(r, m, gl_CooperativeMatrixReduce{mode}NV, combine);
                            coopMatStore(r, b, 0, {columns}, gl_CooperativeMatrixLayoutRowMajor);
                        }}"
                    );
                    let input = small(component, 128, 3);
                    let room = vec![0; rows * columns * component.bytes() as usize];
                    let output =
                        numbers(component, &run(&source, &[bytes(component, input.clone()), room])[1]);
                    for row in 0..rows {
                        for column in 0..columns {
                            let taken = |r: usize, c: usize| match mode {
                                "Row" => r == row,
                                "Column" => c == column,
                                "2x2" => r / 2 == row && c / 2 == column,
                                _ => true,
                            };
                            let values = (0..128)
                                .filter(|index| taken(index / 8, index % 8))
                                .map(|index| input[index]);
                            let expected = values.fold(start, combine);
                            assert_eq!(
                                output[row * columns + column],
                                expected,
                                "{mode} {body} ({row}, {column})"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// A function of row, column, element, another matrix's element and further operands; it may store to memory.
#[test]
fn functions_for_each_element() {
    for scope in ["Subgroup", "Workgroup"] {
        let source = format!(
            "{NV2}layout(local_size_x = 64) in;
            layout(binding = 0) buffer A {{ float a[]; }};
            layout(binding = 1) buffer B {{ float b[]; }};
            layout(binding = 2) buffer C {{ float seen[]; }};
            struct Factors {{ float first; float second; }};
            float next(const in uint32_t row, const in uint32_t column, const in float element, const in float other, const in Factors factors) {{
                seen[row * 8 + column] = element;
                if (row > column) return element * factors.first;
                return element + other * factors.second;
            }}
            void main() {{
                coopmat<float, gl_Scope{scope}, 16, 8, gl_MatrixUseAccumulator> m, n;
                coopMatLoad(m, a, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
                coopMatLoad(n, b, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
                coopMatPerElementNV(m, m, next, n, Factors(3.0, a[0]));
                coopMatStore(m, b, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
            }}"
        );
        let (a, b) = (small(F32, 128, 1), small(F32, 128, 2));
        let program = compile(&source);
        for size in [8, 16, 32, 64] {
            // One subgroup alone, because all write the same.
            let (result, _) = run_with(
                &program,
                &[bytes(F32, a.clone()), bytes(F32, b.clone()), vec![0; 512]],
                settings(size, "shuffled"),
            );
            if scope == "Subgroup" && size != 64 {
                continue;
            }
            let output = numbers(F32, &result[1]);
            assert_eq!(numbers(F32, &result[2]), a);
            for row in 0..16 {
                for column in 0..8 {
                    let index = row * 8 + column;
                    let expected = if row > column { a[index] * 3.0 } else { a[index] + b[index] * a[0] };
                    assert_eq!(output[index], expected);
                }
            }
        }
    }
}

/// A matrix of a workgroup: each invocation writes its elements, and all of them are there when the subgroups meet.
#[test]
fn workgroup_scope_merges_what_invocations_wrote() {
    let source = format!(
        "{NV2}layout(local_size_x = 128) in;
        layout(binding = 0) buffer A {{ float16_t a[]; }};
        layout(binding = 1) buffer B {{ float16_t b[]; }};
        layout(binding = 2) buffer C {{ float c[]; }};
        void main() {{
            coopmat<float16_t, gl_ScopeWorkgroup, 32, 16, gl_MatrixUseA> x;
            coopmat<float16_t, gl_ScopeWorkgroup, 16, 64, gl_MatrixUseB> y;
            coopMatLoad(x, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(y, b, 0, 64, gl_CooperativeMatrixLayoutRowMajor);
            for (int i = 0; i < x.length(); ++i) x[i] = x[i] * float16_t(2);
            coopmat<float, gl_ScopeWorkgroup, 32, 64, gl_MatrixUseAccumulator> sum =
                coopmat<float, gl_ScopeWorkgroup, 32, 64, gl_MatrixUseAccumulator>(1.0);
            for (int i = 0; i < 3; ++i) sum = coopMatMulAdd(x, y, sum);
            for (int i = 0; i < sum.length(); ++i) sum[i] = -sum[i];
            coopMatStore(sum, c, 0, 64, gl_CooperativeMatrixLayoutRowMajor);
        }}"
    );
    let (a, b) = (small(F16, 512, 1), small(F16, 1024, 2));
    let result = run(&source, &[bytes(F16, a.clone()), bytes(F16, b.clone()), vec![0; 32 * 64 * 4]]);
    let output = numbers(F32, &result[2]);
    for row in 0..32 {
        for column in 0..64 {
            let product: f64 = (0..16).map(|k| 2.0 * a[row * 16 + k] * b[k * 64 + column]).sum();
            assert_eq!(output[row * 64 + column], -(3.0 * product + 1.0));
        }
    }
}
