//! Snapshots of what is offered at a cursor. Each line is `label | kind | detail`, the best first.

use expect_test::{Expect, expect};

use super::{Completions, Insert, completions};
use coopmat_analysis::fixture::Fixture;
use coopmat_analysis::text::FilePosition;

const HEADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(constant_id = 3) const uint BM = 64;
const uint TILES = 4;
layout(std430, binding = 0) buffer Weights { uint count; f16vec2 weights[]; } w;
";

pub(super) fn complete(source: &str) -> Completions {
    let fixture = Fixture::parse(source);
    let root = fixture.root();
    let analysis = coopmat_analysis::analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
    let (file, offset) = fixture.cursor.expect("a cursor");
    let file = analysis.files().find(&fixture.files[file].path).expect("the file is read");
    completions(&analysis, FilePosition { file, offset })
}

/// The labels in the order of their ranks, those that satisfy `wanted`.
fn shown(completions: &Completions, wanted: impl Fn(&super::Item) -> bool) -> String {
    let mut items: Vec<_> = completions.items.iter().filter(|item| wanted(item)).collect();
    items.sort_by(|a, b| (a.rank, &a.label).cmp(&(b.rank, &b.label)));
    let mut out = String::new();
    for item in items {
        out.push_str(&item.label);
        out.push_str(&format!(" | {:?}", item.kind));
        if !item.detail.is_empty() {
            out.push_str(&format!(" | {}", item.detail));
        }
        out.push('\n');
    }
    out
}

/// The first items at `$0` in a text that follows the header.
#[track_caller]
fn best(text: &str, count: usize, expected: Expect) {
    let completions = complete(&format!("{HEADER}{text}"));
    let all = shown(&completions, |_| true);
    let first: String = all.split_inclusive('\n').take(count).collect();
    expected.assert_eq(&first);
}

/// Everything at `$0`.
#[track_caller]
fn all(text: &str, expected: Expect) {
    best(text, usize::MAX, expected);
}

fn labels(text: &str) -> Vec<String> {
    complete(&format!("{HEADER}{text}")).items.iter().map(|item| item.label.to_string()).collect()
}

#[track_caller]
fn offers(text: &str, wanted: &[&str], unwanted: &[&str]) {
    let labels = labels(text);
    for name in wanted {
        assert!(labels.iter().any(|label| label == name), "`{name}` is missing at {text}");
    }
    for name in unwanted {
        assert!(!labels.iter().any(|label| label == name), "`{name}` is offered at {text}");
    }
}

#[test]
fn locals_are_seen_from_their_declaration_to_the_end_of_their_block() {
    offers(
        "float f(float given) { { float gone; } for (uint i = 0; i < 4; ++i) { float inner; } float before = 1; $0\n float behind; }",
        &["given", "before", "w", "BM"],
        &["gone", "i", "inner", "behind"],
    );
    offers("void f() { for (uint i = 0; i < 4; ++i) { float inner = i; $0 } }", &["i", "inner"], &[]);
    offers("void f() { for (uint i = 0; i < 4; ++i) w.count = $0; }", &["i"], &[]);
}

#[test]
fn what_fits_the_assignment_comes_first() {
    best(
        "void f() { f16vec2 v; uint n; bool b; n = $0; }",
        3,
        expect![[r#"
            uint | Type
            TILES | Constant | uint
            BM | Constant | uint
        "#]],
    );
}

#[test]
fn members_of_blocks_come_with_their_types() {
    all(
        "void main() { w.$0 }",
        expect![[r#"
            weights | Member | f16vec2[]
            count | Member | uint
        "#]],
    );
    all(
        "struct S { vec3 a; int b; }; S make() { S s; return s; } void main() { make().$0; }",
        expect![[r#"
        a | Member | vec3
        b | Member | int
    "#]],
    );
}

#[test]
fn a_swizzle_of_the_length_that_fits_comes_first() {
    best(
        "void main() { vec4 v; vec2 p = v.$0; }",
        6,
        expect![[r#"
        xy | Member | vec2
        yz | Member | vec2
        zw | Member | vec2
        ba | Member | vec2
        gb | Member | vec2
        rg | Member | vec2
    "#]],
    );
    offers("void main() { vec4 v; v.xz$0; }", &["xzx", "xzw", "xz"], &["rgb_"]);
}

#[test]
fn arguments_offer_the_constants_of_their_parameter() {
    best(
        "void main() { coopmat<float16_t, 3, 16, 16, 0> m; coopMatLoad(m, w.weights, 0, 8, $0",
        3,
        expect![[r#"
            gl_CooperativeMatrixLayoutRowMajor | EnumMember
            gl_CooperativeMatrixLayoutColumnMajor | EnumMember
            gl_CooperativeMatrixLayoutRowBlockedInterleavedARM | EnumMember
        "#]],
    );
    best(
        "void main() { controlBarrier($0",
        6,
        expect![[r#"
            gl_ScopeWorkgroup | EnumMember
            gl_ScopeDevice | EnumMember
            gl_ScopeSubgroup | EnumMember
            gl_ScopeInvocation | EnumMember
            gl_ScopeQueueFamily | EnumMember
            int | Type
        "#]],
    );
}

#[test]
fn arguments_of_macros_offer_what_the_macro_makes_of_them() {
    best(
        "#define MATRIX(n, use) coopmat<float16_t, gl_ScopeSubgroup, n, 16, use>\nvoid main() { MATRIX(16, $0) m; }",
        3,
        expect![[r#"
            gl_MatrixUseA | EnumMember
            gl_MatrixUseB | EnumMember
            gl_MatrixUseAccumulator | EnumMember
        "#]],
    );
}

#[test]
fn memory_comes_first_where_it_is_asked_for() {
    best(
        "shared uint total; shared float16_t tile[64];\nvoid main() { coopmat<float16_t, 3, 16, 16, 0> m; coopMatLoad(m, $0",
        2,
        expect![[r#"
            tile | Variable | float16_t[64]
            w | Variable | Weights
        "#]],
    );
    best(
        "shared uint total; shared float other;\nvoid main() { uint mine; atomicAdd($0",
        2,
        expect![[r#"
            total | Variable | uint
            w | Variable | Weights
        "#]],
    );
}

#[test]
fn operands_of_a_multiply_add_come_by_their_use() {
    best(
        "void main() { coopmat<float16_t, 3, 16, 16, 0> left; coopmat<float16_t, 3, 16, 16, 1> right;
         coopmat<float, 3, 16, 16, 2> sum; sum = coopMatMulAdd(left, $0); }",
        2,
        expect![[r#"
            right | Variable | coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
            w | Variable | Weights
        "#]],
    );
}

#[test]
fn type_arguments_offer_what_fits_each_place() {
    best(
        "void main() { coopmat<$0",
        4,
        expect![[r#"
            float | Type
            float16_t | Type
            uint | Type
            int8_t | Type
        "#]],
    );
    all(
        "void main() { coopmat<float16_t, $0",
        expect![[r#"
            gl_ScopeSubgroup | EnumMember
            gl_ScopeWorkgroup | EnumMember
            TILES | Constant | uint = 4
            BM | Constant | uint, a specialization constant
        "#]],
    );
    all(
        "void main() { coopmat<float16_t, gl_ScopeSubgroup, $0> m; }",
        expect![[r#"
            TILES | Constant | uint = 4
            BM | Constant | uint, a specialization constant
        "#]],
    );
    all(
        "void main() { coopmat<float16_t, gl_ScopeSubgroup, 16, 16, $0> m; }",
        expect![[r#"
            gl_MatrixUseAccumulator | EnumMember
            gl_MatrixUseA | EnumMember
            gl_MatrixUseB | EnumMember
            TILES | Constant | uint = 4
            BM | Constant | uint, a specialization constant
        "#]],
    );
}

#[test]
fn shapes_of_the_target_device_complete_the_whole_list() {
    let completions = complete(&format!(
        "//! device: lavapipe\n{HEADER}void main() {{ coopmat<float16_t, gl_ScopeSubgroup, $0 }}"
    ));
    expect![[r#"
        8 | EnumMember | and multiples: lavapipe
        8, 8, gl_MatrixUseA> | Snippet | lavapipe, rows and columns in multiples of these
        8, 8, gl_MatrixUseB> | Snippet | lavapipe, rows and columns in multiples of these
        8, 8, gl_MatrixUseAccumulator> | Snippet | lavapipe, rows and columns in multiples of these
        TILES | Constant | uint = 4
        BM | Constant | uint, a specialization constant
    "#]]
    .assert_eq(&shown(&completions, |_| true));
    let completions = complete(&format!("//! device: lavapipe\n{HEADER}void main() {{ coop$0 }}"));
    expect![[r#"
        coopmat<int8_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseA> | Snippet | lavapipe, rows and columns in multiples of these
        coopmat<int8_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseB> | Snippet | lavapipe, rows and columns in multiples of these
        coopmat<uint8_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseA> | Snippet | lavapipe, rows and columns in multiples of these
        coopmat<uint8_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseB> | Snippet | lavapipe, rows and columns in multiples of these
        coopmat<float16_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseA> | Snippet | lavapipe, rows and columns in multiples of these
        coopmat<float16_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseB> | Snippet | lavapipe, rows and columns in multiples of these
        coopmat<int, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> | Snippet | lavapipe, rows and columns in multiples of these
        coopmat<uint, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> | Snippet | lavapipe, rows and columns in multiples of these
        coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> | Snippet | lavapipe, rows and columns in multiples of these
        coopmat<float16_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> | Snippet | lavapipe, rows and columns in multiples of these
    "#]].assert_eq(&shown(&completions, |item| item.label.contains('<')));
}

#[test]
fn a_missing_extension_comes_along() {
    let source = "#version 460\nvoid main() { coopMatM$0 }";
    let completions = complete(source);
    let item = completions.items.iter().find(|item| item.label == "coopMatMulAdd").unwrap();
    let names: Vec<_> =
        item.extensions.iter().map(|&id| coopmat_analysis::extensions::extension_by_id(id).name).collect();
    expect!["GL_KHR_cooperative_matrix"].assert_eq(&names.join(" "));
    // In a header whose shader enables it, nothing is missing.
    let completions = complete(
        "//! google-include:\n//- /main.comp\n#version 460\n#extension GL_KHR_cooperative_matrix : enable\n#include \"a.glsl\"\nvoid main() {}\n//- /a.glsl\nvoid f() { coopMatM$0 }",
    );
    let item = completions.items.iter().find(|item| item.label == "coopMatMulAdd").unwrap();
    assert!(item.extensions.is_empty());
}

#[test]
fn functions_with_the_fitting_signature_come_first() {
    best(
        "#extension GL_NV_cooperative_matrix2 : require
        float16_t scale(const in uint row, const in uint column, const in float16_t value) { return value; }
        float16_t largest(const in float16_t a, const in float16_t b) { return max(a, b); }
        float other(float a) { return a; }
        void main() { coopmat<float16_t, 3, 16, 16, 2> m; coopMatPerElementNV(m, m, $0",
        1,
        expect![[r#"
            scale | Function | float16_t scale(const in uint row, const in uint column, const in float16_t value)
        "#]],
    );
}

#[test]
fn calls_are_inserted_with_their_parameters_once() {
    let insert = |text: &str, label: &str| {
        let completions = complete(&format!("{HEADER}{text}"));
        completions.items.into_iter().find(|item| item.label == label).unwrap().insert
    };
    let declared = "float weigh(float a, uint n) { return a; } #define TWICE(x) ((x) * 2)\n";
    assert_eq!(
        insert(&format!("{declared}void main() {{ we$0 }}"), "weigh"),
        Insert::Snippet { snippet: "weigh(${1:a}, ${2:n})$0".to_owned(), plain: "weigh".to_owned() }
    );
    assert_eq!(insert(&format!("{declared}void main() {{ we$0(1, 2); }}"), "weigh"), Insert::Label);
    assert_eq!(insert("void main() { barr$0 }", "barrier"), Insert::Text("barrier()".to_owned()));
}

#[test]
fn directives_are_completed() {
    offers("#$0", &["extension", "include", "ifdef"], &["w"]);
    offers("#ext$0", &["extension"], &["w"]);
    offers("#extension GL_EXT_b$0", &["GL_EXT_bfloat16"], &["w"]);
    offers("#extension GL_EXT_bfloat16 : $0", &["require", "enable", "warn", "disable"], &["w"]);
    offers("#ifdef GL_$0", &["GL_KHR_cooperative_matrix"], &["w"]);
    offers("#define ONE 1\n#if O$0", &["ONE", "defined"], &["w"]);
    offers("#define ONE 1\n#define ADD(a, b) (a + $0", &["ONE", "a", "b", "w", "max"], &[]);
    offers("#define AD$0", &[], &["w", "ONE"]);
    let completions = complete("#version 4$0");
    assert!(completions.items.iter().any(|item| item.label == "460"));
}

#[test]
fn layouts_offer_what_the_declaration_admits() {
    offers("layout($0) in;", &["local_size_x", "local_size_y_id"], &["binding", "std430"]);
    offers(
        "layout($0) buffer B { int x; } b;",
        &["binding", "set", "std430", "buffer_reference"],
        &["local_size_x"],
    );
    offers("layout(b$0) const uint X = 3;", &["constant_id"], &["binding"]);
    offers("layout(binding = $0) buffer B { int x; } b;", &["1", "TILES"], &["binding", "BM"]);
    offers("buffer B { layout($0) int x; } b;", &["offset", "align"], &["binding"]);
    offers("layout(set = 0, $0, r32f) uniform image2D x;", &["binding", "rgba8"], &["std430"]);
}

#[test]
fn nothing_is_offered_where_nothing_can_stand() {
    for text in [
        "// $0",
        "/* $0 */ int x;",
        "void main() { 1$0; }",
        "const int $0",
        "struct S$0",
        "void main() { 1.5$0 }",
    ] {
        assert_eq!(labels(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn regions_that_are_left_out_know_their_own_words() {
    offers(
        "void main() { float outside; \n#ifdef NO\n float here; vec3 there; there.$0\n#endif\n}",
        &["x", "xyz"],
        &[],
    );
    offers(
        "void main() { float outside; \n#ifdef NO\n float here; $0\n int later;\n#endif\n}",
        &["outside", "here", "later"],
        &[],
    );
}

#[test]
fn what_cannot_match_is_left_out() {
    let completions = complete(&format!("{HEADER}void main() {{ cpmatml$0 }}"));
    assert!(completions.incomplete, "the next character asks again");
    expect![[r#"
        coopMatMulAdd | Function
        coopMatMulAddNV | Function | GL_NV_cooperative_matrix
        coopVecMatMulAddNV | Function | GL_NV_cooperative_vector
        coopVecMatMulNV | Function | GL_NV_cooperative_vector
        gl_CooperativeMatrixClampModeClampToEdgeNV | EnumMember | GL_NV_cooperative_matrix2
        gl_CooperativeMatrixLayoutColumnBlockedInterleavedARM | EnumMember
        gl_CooperativeVectorMatrixLayoutInferencingOptimalNV | EnumMember
        gl_CooperativeVectorMatrixLayoutTrainingOptimalNV | EnumMember
    "#]]
    .assert_eq(&sorted(&shown(&completions, |_| true)));
}

/// Where the order does not matter.
fn sorted(lines: &str) -> String {
    let mut lines: Vec<&str> = lines.split_inclusive('\n').collect();
    lines.sort_unstable();
    lines.concat()
}

#[test]
fn broken_text_keeps_its_scope() {
    offers("void main() { uint first; vec4 v; v.$0\n first = 2; }", &["xyz"], &[]);
    offers("void main() { uint first; coopMatLoad($0\n}\nvoid g() { }", &["first"], &[]);
    offers("void main() { uint first; if (fi$0\n}\nvoid g() { }", &["first"], &[]);
    offers("void main() { uint first; for (uint i = 0; i < $0", &["first", "i"], &[]);
    offers("void main() { uint first; first = $0", &["first"], &[]);
    offers("void main() { uint first; uint second = $0", &["first"], &["second"]);
    offers(
        "#define TILE(n) coopmat<float16_t, 3, n, 16, 0>\nvoid main() { TILE(16) m; coopMatLoad($0",
        &["m"],
        &[],
    );
    offers("struct S { int member; }; void main() { S s = S(1); s.$0", &["member"], &[]);
    offers("void main() { uint first; first = $0 uint second; }", &["first"], &[]);
    offers("void main() { uint first; w.weights[fi$0 ; }", &["first"], &[]);
    offers(
        "void main() { for (uint a = 0, b = max(1, 2); ; ) { if (b > $0\n a = 1; } else { a = 2; } } }",
        &["a", "b"],
        &[],
    );
}

#[test]
fn statements_and_declarations_begin_with_their_words() {
    offers("void main() { $0 }", &["for", "if", "return", "float", "const", "w"], &["uniform", "struct"]);
    offers("void $0", &["main"], &["w"]);
    offers("$0", &["layout", "struct", "uniform", "float", "main", "shared"], &["for", "w", "max"]);
    offers("uniform $0", &["float", "image2D"], &["w", "for"]);
    offers("void main() { if (true) { } $0 }", &["else", "for"], &[]);
    offers("[[$0]] void f();", &[], &["w"]);
    offers("void main() { [[un$0]] for (;;) { } }", &["unroll"], &["w"]);
    offers("void f(const $0", &["float", "uint"], &["w"]);
}

#[test]
fn what_has_no_name_yet_is_not_offered() {
    let completions = complete(&format!("{HEADER}buffer Scales {{ scales[]; }};\nvoid main() {{ $0 }}\n"));
    assert!(completions.items.iter().all(|item| !item.label.is_empty()));
}
