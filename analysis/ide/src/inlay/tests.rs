//! Snapshots: the text with its hints in guillemets.

use expect_test::{Expect, expect};

use super::*;
use coopmat_analysis::analyze;
use coopmat_analysis::fixture::Fixture;

const ALL: HintOptions = HintOptions {
    shapes: true,
    parameter_names: true,
    implicit_conversions: true,
    values: true,
    layout: true,
};
const NONE: HintOptions = HintOptions {
    shapes: false,
    parameter_names: false,
    implicit_conversions: false,
    values: false,
    layout: false,
};

const HEADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(constant_id = 0) const uint BK = 32;
";

/// Shows the lines behind the header with their hints.
fn check(text: &str, options: &HintOptions, expected: Expect) {
    let fixture = Fixture::parse(&format!("{HEADER}{text}"));
    let root = fixture.root();
    let analysis = analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
    let from = root.text.find("= 32;\n").map_or(0, |at| at + 6);
    let whole = TextRange::up_to(TextSize::of(&*root.text));
    let all = hints(&analysis, FileId::ROOT, whole, options);
    let mut shown = root.text.to_string();
    for hint in all.iter().rev() {
        shown.insert_str(hint.offset.into(), &format!("«{}»", hint.label));
    }
    expected.assert_eq(&shown[from..]);
    // A part has the hints of the whole, as far as they lie in it.
    let mut at = TextSize::new(0);
    let mut of_lines = Vec::new();
    for line in root.text.split_inclusive('\n') {
        let range = TextRange::at(at, TextSize::of(line));
        of_lines.extend(hints(&analysis, FileId::ROOT, range, options));
        at = range.end();
    }
    assert_eq!(of_lines, all);
}

#[test]
fn calls_of_matrix_functions() {
    check(
        "layout(std430, binding = 0) buffer Data { float16_t values[]; } data;
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, (BK / 2), gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, (BK / 2), 8, gl_MatrixUseB> b[2];
    coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator> c;
    uint stride = 16;
    coopMatLoad(a, data.values, 0, stride, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b[0], data.values, 8 * stride, 16, gl_CooperativeMatrixLayoutRowMajor);
    c = coopMatMulAdd(a, b[1], c);
    coopmat<float16_t, gl_ScopeSubgroup, ((BK + 15) & ~15), 8, gl_MatrixUseB> d;
    coopMatLoad(d, data.values, 0, stride, gl_CooperativeMatrixLayoutRowMajor);
}
",
        &ALL,
        expect![[r#"
            layout(std430, binding = 0) buffer Data { float16_t values[]«offset 0, stride 2»; } data;
            void main() {
                coopmat<float16_t, gl_ScopeSubgroup, 16, (BK / 2)«= 16», gl_MatrixUseA> a;
                coopmat<float16_t, gl_ScopeSubgroup, (BK / 2)«= 16», 8, gl_MatrixUseB> b[2];
                coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator> c;
                uint stride = 16;
                coopMatLoad(a«: A 16 x (BK / 2)», data.values, «element:»0, stride, gl_CooperativeMatrixLayoutRowMajor);
                coopMatLoad(b[0]«: B (BK / 2) x 8», data.values, «element:»8 * stride, «stride:»16, gl_CooperativeMatrixLayoutRowMajor);
                c = coopMatMulAdd(a«: A 16 x (BK / 2)», b[1]«: B (BK / 2) x 8», c«: acc 16x8»);
                coopmat<float16_t, gl_ScopeSubgroup, ((BK + 15) & «uint(»~15«)»)«= 32», 8, gl_MatrixUseB> d;
                coopMatLoad(d«: B 32x8», data.values, «element:»0, stride, gl_CooperativeMatrixLayoutRowMajor);
            }
        "#]],
    );
}

#[test]
fn names_of_parameters_unless_they_are_obvious() {
    check(
        "struct Tile { uint rows; uint row_stride; };
void load(uint row, uint stride, out float value, float x) { value = x; }
void main() {
    Tile tile;
    float v, value;
    load(1, tile.row_stride, value, 2.0);
    load(tile.rows, 4 + 4, v, 1.0);
    float m = mix(max(v, 1.0), 2.0, 0.5);
}
",
        &HintOptions { parameter_names: true, ..NONE },
        expect![[r#"
            struct Tile { uint rows; uint row_stride; };
            void load(uint row, uint stride, out float value, float x) { value = x; }
            void main() {
                Tile tile;
                float v, value;
                load(«row:»1, tile.row_stride, value, 2.0);
                load(«row:»tile.rows, «stride:»4 + 4, «out value:»v, 1.0);
                float m = mix(max(v, 1.0), 2.0, 0.5);
            }
        "#]],
    );
}

#[test]
fn implicit_conversions() {
    check(
        "void f(float x, uint y) {}
void main() {
    int i = 3;
    float a = i * 2;
    f(i, i);
    a = 1;
    uint u = uint(i) + i;
}
",
        &HintOptions { implicit_conversions: true, ..NONE },
        expect![[r#"
            void f(float x, uint y) {}
            void main() {
                int i = 3;
                float a = «float(»i * 2«)»;
                f(«float(»i«)», «uint(»i«)»);
                a = 1;
                uint u = uint(i) + «uint(»i«)»;
            }
        "#]],
    );
}

#[test]
fn values_also_through_macros() {
    check(
        "#define TN 8
#define HALF(x) ((x) / 2)
#define TILE coopmat<float16_t, gl_ScopeSubgroup, (BK / 4), TN, gl_MatrixUseA>
const uint N = BK + 1;
const int M = 2 * 3;
const float ONE = 1.0;
layout(local_size_x = M * 4) in;
shared float tile[M][N];
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, TN, HALF(BK), gl_MatrixUseA> a;
    TILE b;
    const int local = M << 1;
    int none = M;
}
",
        &HintOptions { values: true, ..NONE },
        expect![[r#"
            #define TN 8
            #define HALF(x) ((x) / 2)
            #define TILE coopmat<float16_t, gl_ScopeSubgroup, (BK / 4), TN, gl_MatrixUseA>
            const uint N = BK + 1«= 33»;
            const int M = 2 * 3«= 6»;
            const float ONE = 1.0;
            layout(local_size_x = M * 4«= 24») in;
            shared float tile[M«= 6»][N«= 33»];
            void main() {
                coopmat<float16_t, gl_ScopeSubgroup, TN«= 8», HALF(BK)«= 16», gl_MatrixUseA> a;
                TILE b;
                const int local = M << 1«= 12»;
                int none = M;
            }
        "#]],
    );
}

#[test]
fn members_of_blocks() {
    check(
        "struct Inner { vec3 a; float b; };
layout(std430, binding = 0) buffer Data { uint count; vec3 at[4], more; Inner inner[]; } data;
layout(std140, binding = 1) uniform Params { float x[2]; mat3 m; };
",
        &HintOptions { layout: true, ..NONE },
        expect![[r#"
            struct Inner { vec3 a; float b; };
            layout(std430, binding = 0) buffer Data { uint count«offset 0»; vec3 at[4]«offset 16, stride 16», more«offset 80»; Inner inner[]«offset 96, stride 16»; } data;
            layout(std140, binding = 1) uniform Params { float x[2]«offset 0, stride 16»; mat3 m«offset 32, matrix stride 16»; };
        "#]],
    );
}

#[test]
fn nothing_inside_expansions() {
    check(
        "float f(float first, float second) { return first + second; }
#define CALL(x) f(x, 2.0)
#define TWICE(x) ((x) + (x))
void main() {
    float a = CALL(1.0);
    float b = TWICE(f(1.0, 2.0));
}
",
        &ALL,
        expect![[r#"
            float f(float first, float second) { return first + second; }
            #define CALL(x) f(x, 2.0)
            #define TWICE(x) ((x) + (x))
            void main() {
                float a = CALL(«first:»1.0);
                float b = TWICE(f(«first:»1.0, «second:»2.0));
            }
        "#]],
    );
}

#[test]
fn values_that_the_configuration_gives() {
    let text = "//! spec: 0=64
#version 460
layout(constant_id = 0) const uint BK = 32;
layout(constant_id = 1) const uint OTHER = 32;
shared float tile[BK];
";
    let fixture = Fixture::parse(text);
    let root = fixture.root();
    let analysis = analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
    let whole = TextRange::up_to(TextSize::of(&*root.text));
    let hints = hints(&analysis, FileId::ROOT, whole, &HintOptions { values: true, ..NONE });
    let labels: Vec<_> = hints.iter().map(|hint| hint.label.as_str()).collect();
    assert_eq!(labels, ["= 64", "= 64"]);
}

#[test]
fn numbered_parameters_go_on_for_each_dimension() {
    check(
        "#extension GL_NV_cooperative_matrix2 : require
void main() {
    tensorLayoutNV<2> t = createTensorLayoutNV(2);
    t = sliceTensorLayoutNV(t, 1, 2, 3, 4);
}
",
        &HintOptions { parameter_names: true, ..NONE },
        expect![[r#"
            #extension GL_NV_cooperative_matrix2 : require
            void main() {
                tensorLayoutNV<2> t = createTensorLayoutNV(2);
                t = sliceTensorLayoutNV(t, «offset0:»1, «span0:»2, «offset1:»3, «span1:»4);
            }
        "#]],
    );
}

#[test]
fn calls_with_cooperative_vectors() {
    check(
        "#extension GL_NV_cooperative_vector : require
layout(std430, binding = 0) buffer Data { float16_t values[]; };
void main() {
    coopvecNV<float16_t, BK> hidden;
    coopvecNV<float16_t, 16> y;
    coopVecLoadNV(hidden, values, 64);
    coopVecMatMulNV(y, hidden, gl_ComponentTypeFloat16NV, values, 0, gl_ComponentTypeFloat16NV, 16, BK,
        gl_CooperativeVectorMatrixLayoutTrainingOptimalNV, false, 0);
}",
        &HintOptions { shapes: true, parameter_names: true, ..NONE },
        expect![[r#"
            #extension GL_NV_cooperative_vector : require
            layout(std430, binding = 0) buffer Data { float16_t values[]; };
            void main() {
                coopvecNV<float16_t, BK> hidden;
                coopvecNV<float16_t, 16> y;
                coopVecLoadNV(hidden«: BK», values, «offset:»64);
                coopVecMatMulNV(y«: 16», hidden«: BK», gl_ComponentTypeFloat16NV, values, «matrixOffset:»0, gl_ComponentTypeFloat16NV, 16, BK,
                    gl_CooperativeVectorMatrixLayoutTrainingOptimalNV, «transpose:»false, «matrixStride:»0);
            }"#]],
    );
}
