//! GL_KHR_cooperative_matrix: loads and stores, arithmetic, conversions, constants.

use super::support::*;
use coopmat_simulator::matrix::Component;

/// From memory, through a matrix, to memory: each element lands where row, column, layout and stride say.
#[test]
fn loads_and_stores_in_both_layouts() {
    for component in [F16, F32, S8, U32, BF16, E4M3, E5M2] {
        for use_ in ["A", "B", "Accumulator"] {
            let (rows, columns, stride) = (16, 8, 24);
            let input = small(component, 600, 1);
            let source = format!(
                "{}layout(local_size_x = 64) in;
                layout(binding = 0, scalar) buffer In {{ {type_} a[]; }};
                layout(binding = 1, scalar) buffer Rows {{ {type_} rows[]; }};
                layout(binding = 2, scalar) buffer Columns {{ {type_} columns[]; }};
                void main() {{
                    coopmat<{type_}, gl_ScopeSubgroup, {rows}, {columns}, gl_MatrixUse{use_}> m;
                    coopMatLoad(m, a, 5, {stride}, gl_CooperativeMatrixLayoutRowMajor);
                    coopMatStore(m, rows, 0, {columns}, gl_CooperativeMatrixLayoutRowMajor);
                    coopMatLoad(m, a, 3, {stride}, gl_CooperativeMatrixLayoutColumnMajor);
                    coopMatStore(m, columns, 2, {rows}, gl_CooperativeMatrixLayoutColumnMajor);
                }}",
                extensions(component),
                type_ = glsl(component),
            );
            let empty = bytes(component, vec![0.0; 130]);
            let result = run(&source, &[bytes(component, input.clone()), empty.clone(), empty]);
            let (by_rows, by_columns) = (numbers(component, &result[1]), numbers(component, &result[2]));
            for row in 0..rows {
                for column in 0..columns {
                    assert_eq!(by_rows[row * columns + column], input[5 + row * stride + column]);
                    assert_eq!(by_columns[2 + column * rows + row], input[3 + column * stride + row]);
                }
            }
            assert_eq!((by_rows[128], by_columns[1]), (0.0, 0.0));
        }
    }
}

/// Strides are in units of what the pointer points to, whatever the component type.
#[test]
fn strides_count_the_elements_of_the_buffer() {
    let input = small(F16, 512, 3);
    let source = "layout(local_size_x = 64) in;
        layout(binding = 0) buffer In { uvec4 a[]; };
        layout(binding = 1) buffer Out { float16_t b[]; };
        void main() {
            coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m;
            coopMatLoad(m, a, 1, 3, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(m, b, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
        }";
    let result = run(source, &[bytes(F16, input.clone()), bytes(F16, vec![0.0; 256])]);
    let output = numbers(F16, &result[1]);
    for row in 0..16 {
        for column in 0..16 {
            assert_eq!(output[row * 16 + column], input[8 + row * 24 + column]);
        }
    }
}

/// A stride of zero loads the same line again and again.
#[test]
fn a_stride_of_zero() {
    let input = small(F32, 16, 2);
    let source = "layout(local_size_x = 64) in;
        layout(binding = 0) buffer In { float a[]; };
        layout(binding = 1) buffer Out { float b[]; };
        void main() {
            coopmat<float, gl_ScopeSubgroup, 8, 16, gl_MatrixUseAccumulator> m;
            coopMatLoad(m, a, 0, 0, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(m, b, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
        }";
    let result = run(source, &[bytes(F32, input.clone()), bytes(F32, vec![0.0; 128])]);
    let output = numbers(F32, &result[1]);
    assert!((0..128).all(|index| output[index] == input[index % 16]));
}

/// Buffers, shared memory and buffer references are the same to a matrix.
#[test]
fn storage_classes() {
    let input = small(F16, 256, 3);
    let source = "layout(local_size_x = 64) in;
        layout(buffer_reference, scalar) buffer Reference { float16_t at[]; };
        layout(binding = 0) buffer In { float16_t a[]; };
        layout(binding = 1) buffer Out { float16_t b[]; };
        layout(push_constant) uniform Push { Reference from; Reference to; };
        shared float16_t between[16 * 24];
        void main() {
            coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m, n, o;
            coopMatLoad(m, from.at, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(m, between, 4, 24, gl_CooperativeMatrixLayoutColumnMajor);
            controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
            coopMatLoad(n, between, 4, 24, gl_CooperativeMatrixLayoutColumnMajor);
            coopMatStore(n, to.at, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
        }";
    let input = bytes(F16, input);
    let result = run(source, &[input.clone(), vec![0; 512]]);
    assert_eq!(result[1], input);
}

/// SPV_ARM_cooperative_matrix_layouts: blocks of 64 bytes, interleaved.
#[test]
fn arm_layouts() {
    let input: Vec<f64> = (0..256).map(f64::from).collect();
    for stride in [1, 2] {
        for layout in ["RowBlockedInterleaved", "ColumnBlockedInterleaved"] {
            let source = format!(
                "#extension GL_ARM_cooperative_matrix_layouts : require
                layout(local_size_x = 64) in;
                layout(binding = 0) buffer In {{ float16_t a[]; }};
                layout(binding = 1) buffer Out {{ float16_t b[]; }};
                void main() {{
                    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m;
                    coopMatLoad(m, a, 0, {stride}, gl_CooperativeMatrixLayout{layout}ARM);
                    coopMatStore(m, b, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
                }}"
            );
            let result = run(&source, &[bytes(F16, input.clone()), vec![0; 512]]);
            let output = numbers(F16, &result[1]);
            for row in 0..16 {
                for column in 0..16 {
                    // Blocks of 4 rows and 8 columns: 4 down, 2 across.
                    let (block_row, block_column) = (row / 4, column / 8);
                    let block = if layout.starts_with("Row") {
                        block_row * 2 + block_column
                    } else {
                        block_column * 4 + block_row
                    };
                    let word = row % 4 * 4 + column % 8 / 2;
                    let group = block / stride * stride * 16;
                    let expected = (group + word * stride + block % stride) * 2 + column % 2;
                    assert_eq!(
                        output[row * 16 + column],
                        expected as f64,
                        "{layout} {stride} ({row}, {column})"
                    );
                }
            }
        }
    }
}

fn elementwise(component: Component, body: &str, inputs: [&[f64]; 2], output: Component) -> Vec<f64> {
    let source = format!(
        "{}{}layout(local_size_x = 64) in;
        layout(binding = 0, scalar) buffer A {{ {type_} a[]; }};
        layout(binding = 1, scalar) buffer B {{ {type_} b[]; }};
        layout(binding = 2, scalar) buffer C {{ {out} c[]; }};
        void main() {{
            coopmat<{type_}, gl_ScopeSubgroup, 8, 16, gl_MatrixUseAccumulator> x, y;
            coopMatLoad(x, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(y, b, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopmat<{out}, gl_ScopeSubgroup, 8, 16, gl_MatrixUseAccumulator> z = {body};
            coopMatStore(z, c, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
        }}",
        extensions(component),
        if output == component { "" } else { extensions(output) },
        type_ = glsl(component),
        out = glsl(output),
    );
    let [a, b] = inputs.map(|values| bytes(component, values.iter().copied()));
    numbers(output, &run(&source, &[a, b, vec![0; 128 * output.bytes() as usize]])[2])
}

/// Each operation on every component type that has arithmetic.
#[test]
fn arithmetic_is_element_by_element() {
    for component in [F16, F32, S8, U8, S32, U32] {
        let a = small(component, 128, 1);
        let b: Vec<f64> = small(component, 128, 4)
            .into_iter()
            .map(|value| if value == 0.0 { 2.0 } else { value })
            .collect();
        type Expected = fn(f64, f64) -> f64;
        let divide: Expected = if component.is_float() { |a, b| a / b } else { |a, b| (a / b).trunc() };
        let operations: [(&str, Expected); 5] = [
            ("x + y", |a, b| a + b),
            ("x - y", |a, b| a - b),
            ("x * y", |a, b| a * b),
            ("x / y", divide),
            ("-x", |a, _| -a),
        ];
        for (body, expected) in operations {
            if body == "-x" && matches!(component, Component::Integer { signed: false, .. }) {
                continue;
            }
            let result = elementwise(component, body, [&a, &b], component);
            for index in 0..128 {
                let expected = nearest(component, expected(a[index], b[index]));
                assert_eq!(result[index], expected, "{component:?} {body} {} {}", a[index], b[index]);
            }
        }
        let result = elementwise(component, &format!("x * {}(3)", glsl(component)), [&a, &b], component);
        assert!((0..128).all(|index| result[index] == nearest(component, a[index] * 3.0)));
    }
}

/// Between component types, to the nearest that the target has.
#[test]
fn conversions() {
    let cases = [
        (F32, F16),
        (F16, F32),
        (F32, BF16),
        (BF16, F32),
        (F32, E4M3),
        (E5M2, F32),
        (F16, E5M2),
        (F32, S32),
        (S32, F32),
        (U32, F16),
        (F16, U8),
        (S8, S32),
        (S32, S8),
        (U8, F16),
        (S32, U32),
        (U32, S32),
        (S8, U8),
        (F16, BF16),
    ];
    for (from, to) in cases {
        let input: Vec<f64> = match (from, to) {
            (Component::Float(_), Component::Integer { signed: false, .. }) => {
                small(from, 128, 2).iter().map(|v| v.abs()).collect()
            }
            (Component::Float(_), _) => {
                (0..128).map(|index| nearest(from, f64::from(index) * 0.37 - 20.0)).collect()
            }
            _ => small(from, 128, 2),
        };
        let body = format!("coopmat<{}, gl_ScopeSubgroup, 8, 16, gl_MatrixUseAccumulator>(x)", glsl(to));
        let result = elementwise(from, &body, [&input, &input], to);
        for (index, value) in input.iter().enumerate() {
            let expected = if to.is_float() { *value } else { value.trunc() };
            assert_eq!(result[index], nearest(to, expected), "{from:?} to {to:?}: {value}");
        }
    }
}

/// Out of range, E4M3 has NaN and E5M2 infinity; saturated, both have their largest number.
#[test]
fn small_floats_saturate_where_asked() {
    let input: Vec<f64> = (0..128).map(|index| f64::from(index * index * 20 - 100_000)).collect();
    for (component, largest) in [(E4M3, 448.0), (E5M2, 57344.0)] {
        let type_ = glsl(component);
        let source = format!(
            "{}layout(local_size_x = 64) in;
            layout(binding = 0) buffer A {{ float a[]; }};
            layout(binding = 1, scalar) buffer B {{ {type_} plain[]; }};
            layout(binding = 2, scalar) buffer C {{ {type_} saturated[]; }};
            void main() {{
                coopmat<float, gl_ScopeSubgroup, 8, 16, gl_MatrixUseA> x;
                coopmat<{type_}, gl_ScopeSubgroup, 8, 16, gl_MatrixUseA> y;
                coopMatLoad(x, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
                y = coopmat<{type_}, gl_ScopeSubgroup, 8, 16, gl_MatrixUseA>(x);
                coopMatStore(y, plain, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
                saturatedConvertEXT(y, x);
                coopMatStore(y, saturated, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            }}",
            extensions(component)
        );
        let result = run(&source, &[bytes(F32, input.clone()), vec![0; 128], vec![0; 128]]);
        let (plain, saturated) = (numbers(component, &result[1]), numbers(component, &result[2]));
        for (index, value) in input.iter().enumerate() {
            let expected = nearest(component, *value);
            assert!(plain[index] == expected || plain[index].is_nan() && expected.is_nan());
            let clamped = if expected.is_finite() { expected } else { largest * value.signum() };
            assert_eq!(saturated[index], clamped, "{value}");
        }
    }
}

/// A constructor from a scalar, constants of the module, arrays and structures of matrices, functions with matrices.
#[test]
fn values_that_are_matrices() {
    let source = "layout(local_size_x = 64) in;
        layout(binding = 0) buffer A { float a[]; };
        layout(binding = 1) buffer B { float b[]; };
        #define M coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>
        struct Pair { M first; M second; };
        const M ONES = M(1.0);
        M twice(M x) { x = x + x; return x; }
        void both(inout M x, out M y) { y = x; x = twice(x); }
        void main() {
            M x, y;
            coopMatLoad(x, a, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
            M list[3];
            list[0] = ONES;
            list[1] = x;
            list[2] = M(a[0]);
            both(list[1], y);
            Pair pair = Pair(list[1], y + list[0]);
            coopMatStore(pair.first, b, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(pair.second, b, 64, 8, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(list[2], b, 128, 8, gl_CooperativeMatrixLayoutRowMajor);
            int which = int(b[0]) * 0 + 1;
            coopMatStore(list[which], b, 192, 8, gl_CooperativeMatrixLayoutRowMajor);
        }";
    let input = small(F32, 64, 5);
    let result = run(source, &[bytes(F32, input.clone()), vec![0; 1024]]);
    let output = numbers(F32, &result[1]);
    for index in 0..64 {
        assert_eq!(output[index], 2.0 * input[index]);
        assert_eq!(output[64 + index], input[index] + 1.0);
        assert_eq!(output[128 + index], input[0]);
        assert_eq!(output[192 + index], 2.0 * input[index]);
    }
}

/// Several workgroups' worth of subgroups, each with its own matrix.
#[test]
fn every_subgroup_has_its_own() {
    let source = "layout(local_size_x = 128) in;
        layout(binding = 0) buffer A { float a[]; };
        layout(binding = 1) buffer B { float b[]; };
        void main() {
            coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> m;
            coopMatLoad(m, a, gl_SubgroupID * 64, 8, gl_CooperativeMatrixLayoutRowMajor);
            m = m * float(gl_SubgroupID + 1);
            coopMatStore(m, b, gl_SubgroupID * 64, 8, gl_CooperativeMatrixLayoutColumnMajor);
        }";
    let input = small(F32, 64 * 16, 2);
    let program = compile(source);
    for size in [8, 16, 32, 64] {
        let subgroups = 128 / size as usize;
        let (result, _) =
            run_with(&program, &[bytes(F32, input.clone()), vec![0; 4096]], settings(size, "shuffled"));
        let output = numbers(F32, &result[1]);
        for subgroup in 0..subgroups {
            for index in 0..64 {
                let expected = input[subgroup * 64 + index] * (subgroup + 1) as f64;
                assert_eq!(output[subgroup * 64 + index % 8 * 8 + index / 8], expected);
            }
        }
    }
}

/// SPV_NV_cooperative_matrix, the first version: no use, booleans for layouts.
#[test]
fn nv_version_1() {
    let source = "#extension GL_NV_cooperative_matrix : require
        layout(local_size_x = 64) in;
        layout(binding = 0) buffer A { float16_t a[]; };
        layout(binding = 1) buffer B { float16_t b[]; };
        layout(binding = 2) buffer C { float c[]; };
        layout(binding = 3) buffer D { float d[]; };
        void main() {
            fcoopmatNV<16, gl_ScopeSubgroup, 16, 8> x;
            fcoopmatNV<16, gl_ScopeSubgroup, 8, 8> y;
            fcoopmatNV<32, gl_ScopeSubgroup, 16, 8> z;
            coopMatLoadNV(x, a, 0, 8, false);
            coopMatLoadNV(y, b, 0, 8, true);
            coopMatLoadNV(z, c, 0, 8, false);
            z = coopMatMulAddNV(x, y, z);
            for (int i = 0; i < z.length(); ++i) z[i] = z[i] * 2.0;
            coopMatStoreNV(z, d, 0, 8, false);
        }";
    let (a, b, c) = (small(F16, 128, 1), small(F16, 64, 2), small(F32, 128, 3));
    let result =
        run(source, &[bytes(F16, a.clone()), bytes(F16, b.clone()), bytes(F32, c.clone()), vec![0; 512]]);
    let output = numbers(F32, &result[3]);
    for row in 0..16 {
        for column in 0..8 {
            let sum: f64 = (0..8).map(|k| a[row * 8 + k] * b[column * 8 + k]).sum();
            assert_eq!(output[row * 8 + column], 2.0 * (sum + c[row * 8 + column]));
        }
    }
}
