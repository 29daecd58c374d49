//! What is offered at a place, and what the text becomes.

mod arguments;
mod coordinates;

use expect_test::{Expect, expect};

use super::{Action, actions};
use coopmat_analysis::Analysis;
use coopmat_analysis::fixture::Fixture;
use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};

const HEADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint BK = 16;
layout(std430, binding = 0) buffer Weights { f16vec2 weights[]; } w;
";

/// The text with `$0` (a cursor) or `«...»` (a selection) behind the header, analysed.
fn place(text: &str, header: &str) -> (Fixture, Analysis, FileRange) {
    let text = format!("{header}{text}");
    let (start, end) = match text.find("$0") {
        Some(at) => (at, at),
        None => {
            let start = text.find('«').expect("a cursor or a selection");
            (start, text.replacen('«', "", 1).find('»').expect("the end of the selection"))
        }
    };
    let text = text.replace("$0", "").replace(['«', '»'], "");
    let fixture = Fixture::parse(&text);
    let root = fixture.root();
    let analysis = coopmat_analysis::analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
    let range = TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32));
    (fixture, analysis, FileRange { file: FileId::ROOT, range })
}

/// The text after an action.
fn apply(text: &str, action: &Action) -> String {
    assert!(action.edits.iter().all(|edit| edit.range.file == FileId::ROOT));
    crate::edit::apply(text, action.edits.iter())
}

fn check_in(header: &str, text: &str, expected: Expect) {
    let (fixture, analysis, range) = place(text, header);
    let offered = actions(&analysis, range);
    show(&fixture, &analysis, &offered, expected);
}

/// Titles, new lines, and how the number of errors changes.
fn show(fixture: &Fixture, analysis: &Analysis, offered: &[Action], expected: Expect) {
    let source = fixture.root().text.clone();
    let mut out = String::new();
    for action in offered {
        let fixes = action.fixes.as_ref().map_or(String::new(), |fixed| format!(" for {}", fixed.code.id));
        // Who offers a fix says so on the diagnostic's page, where an example shows it.
        let allows = action.title.starts_with("Allow `");
        assert!(allows || action.fixes.as_ref().is_none_or(|fixed| fixed.code.fix.is_some()), "{action:?}");
        let preferred = if action.preferred { ", preferred" } else { "" };
        out.push_str(&format!("# {} ({}{fixes}{preferred})\n", action.title, action.kind.name()));
        let changed = apply(&source, action);
        for line in changed.lines() {
            if !source.lines().any(|old| old == line) {
                out.push_str(&format!("{line}\n"));
            }
        }
        let after =
            coopmat_analysis::analyze("/main.comp", changed.as_str().into(), &fixture.config, fixture, None);
        let errors = |analysis: &Analysis| {
            let severe = coopmat_analysis::diagnostics::Severity::Error;
            analysis.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severe).count()
        };
        let (before, after) = (errors(analysis), errors(&after));
        if before != after {
            out.push_str(&format!("errors: {before} -> {after}\n"));
        }
    }
    expected.assert_eq(&out);
}

/// Every action at the marked place: its title, the lines that are new in the text, and how the number of errors changes.
fn check(text: &str, expected: Expect) {
    check_in(HEADER, text, expected);
}

const MATRICES: &str = "
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a = coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(1.0);
    coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB> b = coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB>(1.0);
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> d = coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>(1.0);
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
";

#[test]
fn a_wrong_dimension_can_be_mended_on_either_side() {
    check(
        &format!("void main() {{{MATRICES}    c = coopMatMulAdd(a, $0b, c);\n}}\n"),
        expect![[r#"
            # Declare B (`b`) with 16 rows (quickfix for coopmat-muladd-shape)
                coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b = coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>(1.0);
            errors: 1 -> 0
            # Declare A (`a`) with 32 columns (quickfix for coopmat-muladd-shape)
                coopmat<float16_t, gl_ScopeSubgroup, 16, 32, gl_MatrixUseA> a = coopmat<float16_t, gl_ScopeSubgroup, 16, 32, gl_MatrixUseA>(1.0);
            errors: 1 -> 0
            # Inline `b` (refactor.inline)
                c = coopMatMulAdd(a, coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB>(1.0), c);
        "#]],
    );
}

#[test]
fn operands_in_the_wrong_order_are_swapped_or_declared_otherwise() {
    check(
        &format!("void main() {{{MATRICES}    c = coopMatMulAdd($0d, a, c);\n}}\n"),
        expect![[r#"
            # Swap `a` and `d` (quickfix for coopmat-operand-use, preferred)
                c = coopMatMulAdd(a, d, c);
            errors: 1 -> 0
            # Inline `d` (refactor.inline)
                c = coopMatMulAdd(coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>(1.0), a, c);
        "#]],
    );
}

#[test]
fn a_value_is_converted_by_a_constructor() {
    check(
        "void main() { float16_t x = $01.0; }\n",
        expect![[r#"
            # Convert to `float16_t` (quickfix for type-mismatch, preferred)
            void main() { float16_t x = float16_t(1.0); }
            errors: 1 -> 0
        "#]],
    );
    check(
        "void main() { coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(0.0);\n coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> b = a$0; }\n",
        expect![[r#"
            # Convert to `coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>` (quickfix for coopmat-type-mismatch, preferred)
             coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> b = coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(a); }
            errors: 1 -> 0
            # Inline `a` (refactor.inline)
            void main() { 
             coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> b = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(0.0); }
        "#]],
    );
}

#[test]
fn sizes_that_are_computed_are_written_as_type_arguments_need_them() {
    check(
        "const uint HP = (BK + 15) & ~15;
void main() {
    coopmat<float, gl_ScopeSubgroup, 16, HP, gl_MatrixUseAccumulator> o = coopmat<float, gl_ScopeSubgroup, 16, HP, gl_MatrixUseAccumulator>(0.0);
    o = «o + o»;
}
",
        expect![[r#"
            # Extract into a variable (refactor.extract)
                coopmat<float, gl_ScopeSubgroup, 16, HP, gl_MatrixUseAccumulator> matrix = o + o;
                o = matrix;
        "#]],
    );
}

#[test]
fn a_stride_becomes_the_length_of_a_row_in_elements_of_the_array() {
    check(
        "void main() { coopmat<float16_t, gl_ScopeSubgroup, 16, 32, gl_MatrixUseA> a; coopMatLoad(a, w.weights, 0, $08, gl_CooperativeMatrixLayoutRowMajor); }\n",
        expect![[r#"
            # Set the stride to the length of a row, 16 (quickfix for coopmat-stride, preferred)
            void main() { coopmat<float16_t, gl_ScopeSubgroup, 16, 32, gl_MatrixUseA> a; coopMatLoad(a, w.weights, 0, 16, gl_CooperativeMatrixLayoutRowMajor); }
            # Allow `coopmat-stride` here (quickfix for coopmat-stride)
            // coopmat-analyzer: allow(coopmat-stride)
            # Allow `coopmat-stride` in this file (quickfix for coopmat-stride)
            // coopmat-analyzer: allow(coopmat-stride)
        "#]],
    );
    check(
        "void main() { coopmat<float16_t, gl_ScopeSubgroup, 16, BK, gl_MatrixUseA> a; coopMatLoad(a, w.weights, 0, $04, gl_CooperativeMatrixLayoutRowMajor); }\n",
        expect![[r#"
            # Set the stride to the length of a row, BK / 2 (quickfix for coopmat-stride, preferred)
            void main() { coopmat<float16_t, gl_ScopeSubgroup, 16, BK, gl_MatrixUseA> a; coopMatLoad(a, w.weights, 0, BK / 2, gl_CooperativeMatrixLayoutRowMajor); }
            # Allow `coopmat-stride` here (quickfix for coopmat-stride)
            // coopmat-analyzer: allow(coopmat-stride)
            # Allow `coopmat-stride` in this file (quickfix for coopmat-stride)
            // coopmat-analyzer: allow(coopmat-stride)
        "#]],
    );
}

#[test]
fn a_missing_extension_is_added() {
    check(
        "void main() { float x = subgroup$0Add(1.0); }\n",
        expect![[r#"
            # Add `#extension GL_KHR_shader_subgroup_arithmetic : require` (quickfix for missing-extension, preferred)
            #extension GL_KHR_shader_subgroup_arithmetic : require
            errors: 1 -> 0
        "#]],
    );
}

#[test]
fn parameters_of_an_element_function_become_const_in() {
    let header =
        HEADER.replace("layout(local", "#extension GL_NV_cooperative_matrix2 : require\nlayout(local");
    check_in(
        &header,
        "float16_t twice(const in uint row, in uint column, float16_t value) { return value * float16_t(2.0); }\nvoid main() {\n coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;\n coopMatPerElementNV(c, c, $0twice);\n}\n",
        expect![[r#"
            # Make the parameters of `twice` `const in` (quickfix for nv-callback-parameter, preferred)
            float16_t twice(const in uint row, const in uint column, const in float16_t value) { return value * float16_t(2.0); }
            errors: 1 -> 0
        "#]],
    );
}

#[test]
fn a_parameter_gets_the_length_of_what_is_passed() {
    check(
        "float sum(float v$0alues[]) { return values[0]; }\nvoid main() { float four[4]; sum(four); }\n",
        expect![[r#"
            # Give `values` the length 4 (quickfix for array-size, preferred)
            float sum(float values[4]) { return values[0]; }
            errors: 1 -> 0
        "#]],
    );
}

#[test]
fn an_array_of_a_qcom_conversion_gets_the_length_that_the_matrix_needs() {
    let header = HEADER
        .replace("layout(local", "#extension GL_QCOM_cooperative_matrix_conversion : require\nlayout(local");
    check_in(
        &header,
        "void main() {\n    float16_t row[8];\n    row[0] = float16_t(1.0);\n    coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseA> m;\n    vectorToCoopmatQCOM(r$0ow, m);\n}\n",
        expect![[r#"
            # Declare `row` with the length 16 (quickfix for qcom-vector-length, preferred)
                float16_t row[16];
            errors: 1 -> 0
        "#]],
    );
}

/// A sum of cooperative vectors starts at zero; for other vectors a load may be what is missing.
#[test]
fn a_cooperative_vector_starts_at_zero() {
    let vector =
        "#extension GL_NV_cooperative_vector : require\nvoid main() {\n    coopvecNV<float16_t, BK> v;\n";
    check(
        &format!("{vector}    v += $0v;\n}}\n"),
        expect![[r#"
            # Initialize `v` to zero (quickfix for coopmat-unwritten, preferred)
                coopvecNV<float16_t, BK> v = coopvecNV<float16_t, BK>(0.0);
            # Allow `coopmat-unwritten` here (quickfix for coopmat-unwritten)
                // coopmat-analyzer: allow(coopmat-unwritten)
            # Allow `coopmat-unwritten` in this file (quickfix for coopmat-unwritten)
            // coopmat-analyzer: allow(coopmat-unwritten)
        "#]],
    );
    check(
        &format!("{vector}    coopvecNV<float16_t, BK> w = exp($0v);\n}}\n"),
        expect![[r#"
            # Initialize `v` to zero (quickfix for coopmat-unwritten)
                coopvecNV<float16_t, BK> v = coopvecNV<float16_t, BK>(0.0);
            # Allow `coopmat-unwritten` here (quickfix for coopmat-unwritten)
                // coopmat-analyzer: allow(coopmat-unwritten)
            # Allow `coopmat-unwritten` in this file (quickfix for coopmat-unwritten)
            // coopmat-analyzer: allow(coopmat-unwritten)
        "#]],
    );
}

#[test]
fn an_accumulator_starts_at_zero() {
    let matrix = "coopmat<int, gl_ScopeSubgroup, 16, BK, gl_MatrixUseAccumulator>";
    check(
        &format!("void main() {{\n    {matrix} one, sum;\n    one = $0sum;\n}}\n"),
        expect![[r#"
            # Initialize `sum` to zero (quickfix for coopmat-unwritten, preferred)
                coopmat<int, gl_ScopeSubgroup, 16, BK, gl_MatrixUseAccumulator> one, sum = coopmat<int, gl_ScopeSubgroup, 16, BK, gl_MatrixUseAccumulator>(0);
            # Allow `coopmat-unwritten` here (quickfix for coopmat-unwritten)
                // coopmat-analyzer: allow(coopmat-unwritten)
            # Allow `coopmat-unwritten` in this file (quickfix for coopmat-unwritten)
            // coopmat-analyzer: allow(coopmat-unwritten)
        "#]],
    );
    check(
        &format!("#define SUM {matrix}\nvoid main() {{\n    SUM sum;\n    sum = $0sum + sum;\n}}\n"),
        expect![[r#"
            # Initialize `sum` to zero (quickfix for coopmat-unwritten, preferred)
                SUM sum = SUM(0);
            # Allow `coopmat-unwritten` here (quickfix for coopmat-unwritten)
                // coopmat-analyzer: allow(coopmat-unwritten)
            # Allow `coopmat-unwritten` in this file (quickfix for coopmat-unwritten)
            // coopmat-analyzer: allow(coopmat-unwritten)
        "#]],
    );
    // What is missing of a factor is its load; an array has more than one sum.
    let factor = matrix.replace("Accumulator", "A");
    check(
        &format!("void main() {{\n    {factor} a;\n    a = $0a;\n}}\n"),
        expect![[r#"
        # Allow `coopmat-unwritten` here (quickfix for coopmat-unwritten)
            // coopmat-analyzer: allow(coopmat-unwritten)
        # Allow `coopmat-unwritten` in this file (quickfix for coopmat-unwritten)
        // coopmat-analyzer: allow(coopmat-unwritten)
    "#]],
    );
    check(
        &format!("void main() {{\n    {matrix} sums[2];\n    sums[0] = $0sums[1];\n}}\n"),
        expect![[r#"
        # Allow `coopmat-unwritten` here (quickfix for coopmat-unwritten)
            // coopmat-analyzer: allow(coopmat-unwritten)
        # Allow `coopmat-unwritten` in this file (quickfix for coopmat-unwritten)
        // coopmat-analyzer: allow(coopmat-unwritten)
    "#]],
    );
}

#[test]
fn a_version_that_is_too_low_is_raised() {
    check_in(
        "",
        "#version 330 core\nlayout(local_size_x = 1) in;\nvoid main() { float x = f$0ma(1.0, 2.0, 3.0); }\n",
        expect![[r#"
            # Raise the version to `460` (quickfix for missing-version, preferred)
            #version 460 core
            errors: 1 -> 0
            # Add `#extension GL_ARB_gpu_shader5 : require` (quickfix for missing-version)
            #extension GL_ARB_gpu_shader5 : require
        "#]],
    );
    check_in(
        "",
        "layout(local_size_x = 1) in;\nvoid main() { float x = f$0ma(1.0, 2.0, 3.0); }\n",
        expect![[r#"
            # Add `#version 460` (quickfix for missing-version, preferred)
            #version 460
            errors: 1 -> 0
            # Add `#extension GL_ARB_gpu_shader5 : require` (quickfix for missing-version)
            #extension GL_ARB_gpu_shader5 : require
        "#]],
    );
    check_in(
        "",
        "#version 310 es\nlayout(local_size_x = 1) in;\nvoid main() { float x = f$0ma(1.0, 2.0, 3.0); }\n",
        expect![[r#"
            # Raise the version to `320 es` (quickfix for missing-version, preferred)
            #version 320 es
            # Add `#extension GL_ARB_gpu_shader5 : require` (quickfix for missing-version)
            #extension GL_ARB_gpu_shader5 : require
        "#]],
    );
}

#[test]
fn a_macro_is_expanded_where_it_is_used() {
    check(
        "#define TWICE(x) ((x) * 2)\nvoid main() { int n = TW$0ICE(3 + 4); }\n",
        expect![[r#"
            # Expand the macro `TWICE` (refactor.inline)
            void main() { int n = ((3 + 4) * 2); }
        "#]],
    );
}

#[test]
fn a_variable_is_inlined_when_that_keeps_the_meaning() {
    check(
        "void main() {\n    const uint step = 2 + 3;\n    uint n = st$0ep * 4;\n}\n",
        expect![[r#"
            # Inline `step` (refactor.inline)
                uint n = uint(2 + 3) * 4;
        "#]],
    );
    check("void main() {\n    uint step = 2;\n    uint n = st$0ep * 4;\n    step = n;\n}\n", expect![""]);
    check(
        "void main() {\n    float half_ = 1;\n    float n = ha$0lf_ / 2;\n}\n",
        expect![[r#"
            # Inline `half_` (refactor.inline)
                float n = float(1) / 2;
        "#]],
    );
}

#[test]
fn an_expression_is_extracted() {
    check(
        "void main() {\n    uint n = gl_LocalInvocationID.x * 4;\n    if (n > 3) {\n        n = («n + 5u») * 2u;\n    }\n}\n",
        expect![[r#"
            # Extract into a variable (refactor.extract)
                    uint value = n + 5u;
                    n = (value) * 2u;
        "#]],
    );
    check(
        "void main() {\n    uint n = «3u * BK» + 1u;\n}\n",
        expect![[r#"
            # Extract into a variable (refactor.extract)
                const uint value = 3u * BK;
                uint n = value + 1u;
            # Extract into a constant (refactor.extract)
            const uint VALUE = 3u * BK;

                uint n = VALUE + 1u;
        "#]],
    );
    check(
        "void main() {\n    for (uint i = 0; i < «3u + 4u»; ++i) {}\n}\n",
        expect![[r#"
            # Extract into a constant (refactor.extract)
            const uint VALUE = 3u + 4u;

                for (uint i = 0; i < VALUE; ++i) {}
        "#]],
    );
}

#[test]
fn a_value_that_no_variable_can_hold_is_not_extracted() {
    let header = "#version 450
#extension GL_EXT_shader_16bit_storage : require
layout(binding = 0) buffer Data { float16_t halves[]; };
";
    check_in(header, "void main() {\n    float x = float(«halves[1]»);\n}\n", expect![""]);
}

#[test]
fn a_shader_of_the_older_extension_is_rewritten() {
    let header = "#version 450
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { float16_t data[]; } b;
layout(binding = 1) buffer C { float data[]; } o;
";
    check_in(
        header,
        "void main() {
    fcoopmatNV<16, gl_ScopeSubgroup, 16, 8> m$0A;
    fcoopmatNV<16, gl_ScopeSubgroup, 8, 8> mB;
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 8> mC = fcoopmatNV<32, gl_ScopeSubgroup, 16, 8>(0.0);
    coopMatLoadNV(mA, b.data, 0, 8, false);
    coopMatLoadNV(mB, b.data, 0, 8, true);
    mC = coopMat$0MulAddNV(mA, mB, mC);
    coopMatStoreNV(mC, o.data, 0, 8, false);
}
"
        .replacen("$0", "", 1)
        .as_str(),
        expect![[r#"
            # Replace GL_NV_cooperative_matrix by GL_KHR_cooperative_matrix in this shader (refactor.rewrite)
            #extension GL_KHR_cooperative_matrix : require
                coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA> mA;
                coopmat<float16_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseB> mB;
                coopmat<float, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator> mC = coopmat<float, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator>(0.0);
                coopMatLoad(mA, b.data, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
                coopMatLoad(mB, b.data, 0, 8, gl_CooperativeMatrixLayoutColumnMajor);
                mC = coopMatMulAdd(mA, mB, mC);
                coopMatStore(mC, o.data, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
        "#]],
    );
}

/// What the newer extension has is renamed wherever it stands; GL_KHR_cooperative_matrix came with the older one.
#[test]
fn a_shader_of_the_second_older_extension_is_rewritten() {
    let header = "#version 450
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_NV_cooperative_matrix2 : require
layout(local_size_x = 32) in;
#define ROWS gl_CooperativeMatrixReduceRowNV
#ifdef GL_NV_cooperative_matrix2
#define REDUCE(to, from) coopMatReduceNV(to, from, ROWS, larger)
#endif
float larger(const in float a, const in float b) { return max(a, b); }
float twice(const in uint row, const in uint column, const in float x) { return x * 2.0; }
";
    check_in(
        header,
        "void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(1.0);
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    REDUCE(c, c);
    coopMatReduceNV(c, c, gl_CooperativeMatrixReduceRowNV | gl_CooperativeMatrixReduceColumnNV, larger);
    // coopMatTransposeNV stays in comments.
    coopMat$0TransposeNV(b, c);
    coopMatPerElementNV(c, c, twice);
    b = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>(c);
}
",
        expect![[r#"
            # Replace GL_NV_cooperative_matrix2 by GL_EXT_cooperative_matrix_maintenance1 in this shader (refactor.rewrite)
            #extension GL_EXT_cooperative_matrix_maintenance1 : require
            #extension GL_KHR_cooperative_matrix : require
            #define ROWS gl_CooperativeMatrixReduceRowEXT
            #ifdef GL_EXT_cooperative_matrix_maintenance1
            #define REDUCE(to, from) coopMatReduceEXT(to, from, ROWS, larger)
                coopMatReduceEXT(c, c, gl_CooperativeMatrixReduceRowEXT | gl_CooperativeMatrixReduceColumnEXT, larger);
                coopMatTransposeEXT(b, c);
                coopMatPerElementEXT(c, c, twice);
        "#]],
    );
}

#[test]
fn what_only_the_second_older_extension_has_keeps_its_line() {
    let header = "#version 450
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
layout(local_size_x = 128) in;
float larger(const in float a, const in float b) { return max(a, b); }
";
    let reduction = |scope: &str, further: &str| {
        format!(
            "void main() {{
    coopmat<float, {scope}, 16, 16, gl_MatrixUseAccumulator> c = coopmat<float, {scope}, 16, 16, gl_MatrixUseAccumulator>(1.0);
    coopMat$0ReduceNV(c, c, gl_CooperativeMatrixReduceRowNV, larger);
    {further}
}}
"
        )
    };
    check_in(
        header,
        &reduction("gl_ScopeWorkgroup", ""),
        expect![[r#"
        # Use GL_EXT_cooperative_matrix_maintenance1 in this shader, and keep GL_NV_cooperative_matrix2 for matrices of workgroup scope (refactor.rewrite)
        #extension GL_EXT_cooperative_matrix_maintenance1 : require
            coopMatReduceEXT(c, c, gl_CooperativeMatrixReduceRowEXT, larger);
    "#]],
    );
    let tensor = "tensorLayoutNV<2> t = createTensorLayoutNV(2);";
    check_in(
        header,
        &reduction("gl_ScopeSubgroup", tensor),
        expect![[r#"
        # Use GL_EXT_cooperative_matrix_maintenance1 in this shader, and keep GL_NV_cooperative_matrix2 for `tensorLayoutNV` (refactor.rewrite)
        #extension GL_EXT_cooperative_matrix_maintenance1 : require
            coopMatReduceEXT(c, c, gl_CooperativeMatrixReduceRowEXT, larger);
    "#]],
    );
    let both = format!("{header}#extension GL_EXT_cooperative_matrix_maintenance1 : enable\n");
    check_in(
        &both,
        &reduction("gl_ScopeSubgroup", ""),
        expect![[r#"
        # Replace GL_NV_cooperative_matrix2 by GL_EXT_cooperative_matrix_maintenance1 in this shader (refactor.rewrite)
            coopMatReduceEXT(c, c, gl_CooperativeMatrixReduceRowEXT, larger);
    "#]],
    );
    let vectors = format!("{header}#extension GL_NV_cooperative_matrix_decode_vector : enable\n");
    check_in(
        &vectors,
        &reduction("gl_ScopeSubgroup", ""),
        expect![[r#"
        # Use GL_EXT_cooperative_matrix_maintenance1 in this shader, and keep GL_NV_cooperative_matrix2 for GL_NV_cooperative_matrix_decode_vector (refactor.rewrite)
        #extension GL_EXT_cooperative_matrix_maintenance1 : require
            coopMatReduceEXT(c, c, gl_CooperativeMatrixReduceRowEXT, larger);
    "#]],
    );
    // Nothing but what only that extension has.
    check_in(header, &format!("void main() {{ {} }}\n", tensor.replace("create", "create$0")), expect![""]);
}

#[test]
fn extension_lines_are_brought_into_order() {
    let text = "#version 450
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_EXT_bfloat16 : enable // why
#extension GL_KHR_shader_subgroup_basic : require
#extension $0GL_EXT_float_e4m3 : enable

#extension all : warn
#extension GL_EXT_float_e5m2 : enable
void main() {}
";
    let (fixture, analysis, range) = place(text, "");
    let offered = actions(&analysis, range);
    let [organize] = offered.as_slice() else { panic!("one action: {offered:?}") };
    expect![[r#"
        #version 450
        #extension GL_EXT_bfloat16 : enable // why
        #extension GL_EXT_float_e4m3 : enable
        #extension GL_KHR_shader_subgroup_basic : require

        #extension all : warn
        #extension GL_EXT_float_e5m2 : enable
        void main() {}
    "#]]
    .assert_eq(&apply(&fixture.root().text, organize));
    let ordered = apply(&fixture.root().text, organize);
    let again =
        coopmat_analysis::analyze("/main.comp", ordered.as_str().into(), &fixture.config, &fixture, None);
    assert!(super::organize(&again, FileId::ROOT).is_none(), "once is enough");
}

#[test]
fn extension_lines_keep_the_line_ends_of_their_file() {
    for end in ["\n", "\r\n", "\r"] {
        let lines = [
            "#version 450",
            "#extension GL_EXT_float_e4m3 : enable",
            "#extension $0GL_EXT_bfloat16 : enable",
        ];
        let ordered = [lines[0], "#extension GL_EXT_bfloat16 : enable", lines[1]].join(end);
        for last in ["", end] {
            let (fixture, analysis, _) = place(&(lines.join(end) + last), "");
            let organize = super::organize(&analysis, FileId::ROOT).expect("the lines are out of order");
            assert_eq!(apply(&fixture.root().text, &organize), format!("{ordered}{last}"));
        }
    }
}

#[test]
fn a_diagnostic_is_allowed_above_its_line_with_its_indentation() {
    check(
        "shared int n;\nvoid main() {\n    if (n > 0) {\n        n = 1 <<$0 40;\n    }\n}\n",
        expect![[r#"
            # Allow `shift-out-of-range` here (quickfix for shift-out-of-range)
                    // coopmat-analyzer: allow(shift-out-of-range)
            # Allow `shift-out-of-range` in this file (quickfix for shift-out-of-range)
            // coopmat-analyzer: allow(shift-out-of-range)
        "#]],
    );
}

#[test]
fn a_comment_that_is_there_gets_another_id() {
    check(
        "shared int n;\nvoid main() {\n    // coopmat-analyzer: allow(unused-variable): later\n    int x = 1 <<$0 40;\n}\n",
        expect![[r#"
            # Allow `shift-out-of-range` here (quickfix for shift-out-of-range)
                // coopmat-analyzer: allow(unused-variable, shift-out-of-range): later
            # Allow `shift-out-of-range` in this file (quickfix for shift-out-of-range)
            // coopmat-analyzer: allow(shift-out-of-range)
        "#]],
    );
}

/// Above the first line of code a comment would hold for the whole file.
#[test]
fn at_the_top_a_line_is_allowed_by_a_comment_behind_it() {
    check_in(
        "#version 450\n",
        "const int n = 1 <<$0 40;\nlayout(local_size_x = 1) in;\nvoid main() {}\n",
        expect![[r#"
            # Allow `shift-out-of-range` here (quickfix for shift-out-of-range)
            const int n = 1 << 40; // coopmat-analyzer: allow(shift-out-of-range)
            # Allow `shift-out-of-range` in this file (quickfix for shift-out-of-range)
            // coopmat-analyzer: allow(shift-out-of-range)
        "#]],
    );
}

/// A line goes on behind a backslash, where no comment can stand between.
#[test]
fn a_line_that_goes_on_is_allowed_above_its_start() {
    check(
        "shared int n;\nvoid main() {\n    n = 1 \\\n        <<$0 40;\n}\n",
        expect![[r#"
        # Allow `shift-out-of-range` here (quickfix for shift-out-of-range)
            // coopmat-analyzer: allow(shift-out-of-range)
        # Allow `shift-out-of-range` in this file (quickfix for shift-out-of-range)
        // coopmat-analyzer: allow(shift-out-of-range)
    "#]],
    );
}

#[test]
fn a_comment_that_allows_nothing_is_removed() {
    check(
        "shared int n;\nvoid main() {\n    n = 1 << 4; // coopmat-analyzer: allow(shift-$0out-of-range)\n}\n",
        expect![[r#"
            # Remove this comment (quickfix for unused-allow, preferred)
                n = 1 << 4;
        "#]],
    );
}

#[test]
fn errors_of_the_language_are_not_allowed() {
    check("void main() {\n    int x = $0missing;\n    x++;\n}\n", expect![[r#""#]]);
}

#[test]
fn scalars_beside_matrices_become_what_the_operator_takes() {
    check(
        &format!("void main() {{{MATRICES}    c = c *$0 2;\n}}\n"),
        expect![[r#"
        # Write `2.0` (quickfix for coopmat-operator, preferred)
            c = c * 2.0;
        errors: 1 -> 0
    "#]],
    );
    check(
        &format!("void main() {{{MATRICES}    c +$0= 1.0;\n}}\n"),
        expect![[r#"
        # Construct a matrix from `1.0` (quickfix for coopmat-operator, preferred)
            c += coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(1.0);
        errors: 1 -> 0
    "#]],
    );
    check(
        &format!("void main() {{{MATRICES}    c = 0$0.0;\n}}\n"),
        expect![[r#"
        # Construct a matrix from `0.0` (quickfix for type-mismatch, preferred)
            c = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
        errors: 1 -> 0
    "#]],
    );
}

#[test]
fn methods_are_called_by_their_name() {
    check(
        &format!("void main() {{{MATRICES}    int n = a.len$0gth;\n}}\n"),
        expect![[r#"
        # Write `length()` (quickfix for coopmat-member, preferred)
            int n = a.length();
        errors: 1 -> 0
    "#]],
    );
    check(
        &format!("void main() {{{MATRICES}    int n = a.si$0ze();\n}}\n"),
        expect![[r#"
        # Write `length` (quickfix for no-such-member, preferred)
            int n = a.length();
        errors: 1 -> 0
    "#]],
    );
}

#[test]
fn what_is_suggested_is_written() {
    check(
        "void main() { int total = 1; total = tot$0la + 1; }\n",
        expect![[r#"
        # Replace with `total` (quickfix for undeclared-name, preferred)
        void main() { int total = 1; total = total + 1; }
        errors: 1 -> 0
    "#]],
    );
    check(
        "layout(lcal_siz$0e_x = 1) in;\nvoid main() {}\n",
        expect![[r#"
        # Replace with `local_size_x` (quickfix for unknown-layout, preferred)
        layout(local_size_x = 1) in;
    "#]],
    );
    check_in(
        "",
        "#version 450\n#extension GL_KHR_coop$0erativ_matrix : require\nvoid main() {}\n",
        expect![[r#"
            # Replace with `GL_KHR_cooperative_matrix` (quickfix for unknown-extension, preferred)
            #extension GL_KHR_cooperative_matrix : require
            errors: 1 -> 0
        "#]],
    );
    check_in(
        "",
        "#version 450\n#if 1\n#e$0nd\nvoid main() {}\n",
        expect![[r#"
        # Replace with `#endif` (quickfix for preprocessor-unknown-directive, preferred)
        #endif
        errors: 2 -> 0
    "#]],
    );
}

#[test]
fn a_type_argument_with_an_operator_gets_parentheses() {
    check(
        "const int N = 8;\nvoid main() { coopmat<float, gl_ScopeSubgroup, N *$0 2, 16, gl_MatrixUseA> m; }\n",
        expect![[r#"
            # Write `(N * 2)` (quickfix for type-as-value, preferred)
            void main() { coopmat<float, gl_ScopeSubgroup, (N * 2), 16, gl_MatrixUseA> m; }
            errors: 1 -> 0
        "#]],
    );
}

#[test]
fn inserted_lines_end_as_the_others_do() {
    let text = "#version 450\r\nvoid main() { coopm$0at<float, 3, 16, 16, 0> m; }\r\n";
    let (_, analysis, _) = place(text, "");
    let edit = crate::extension_lines::enable(&analysis, FileId::ROOT, "GL_KHR_cooperative_matrix");
    assert_eq!(edit.text, "\r\n#extension GL_KHR_cooperative_matrix : require");
}
