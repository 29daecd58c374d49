//! How expressions are understood: types, conversions, overloads and values, as the typed program's text shows them.

use coopmat_analysis::config::Configuration;
use coopmat_analysis::diagnostics::{Diagnostic, Severity};
use coopmat_analysis::fixture::{Reported, compare};
use coopmat_analysis::hir::dump::dump;
use coopmat_analysis::sources::NoFiles;
use coopmat_analysis::{Analysis, analyze};
use expect_test::{Expect, expect};

use crate::fixtures;

const HEADER: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_long_vector : require
#extension GL_EXT_bfloat16 : require
layout(local_size_x_id = 7, local_size_y = 2) in;
layout(constant_id = 0) const uint BK = 32;
layout(constant_id = 1) const int WM = 64;
layout(constant_id = 2) const bool FAST = true;
layout(constant_id = 3) const float SCALE = 0.5;
";

fn run(body: &str) -> Analysis {
    let text = format!("{HEADER}{body}");
    analyze("/main.comp", text.into(), &Configuration::default(), &NoFiles, None)
}

/// Checks the statements of `main`, which must be valid.
fn check(statements: &str, expected: Expect) {
    let analysis = run(&format!("void main() {{\n{statements}\n}}\n"));
    let errors: Vec<&str> = analysis
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| diagnostic.message.as_str())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    expected.assert_eq(&dump(&analysis.module));
}

#[test]
fn operands_are_converted_to_a_common_type() {
    check(
        "int i = 1; uint u = 2u; float f = 3.0; float16_t h = float16_t(1.0); uint8_t b = uint8_t(1); int16_t s = int16_t(2);
        i + u; i + f; u * f; h + f; b + i; b + s; s + u; h * s; i < u; i == f; i << u; b << i;
        f += i; u -= i; i *= s;",
        expect![[r#"
            void main
                int i := 1
                uint u := 2
                float f := 3.0
                float16_t h := float16_t(1.0)
                uint8_t b := uint8_t(1)
                int16_t s := int16_t(2)
                (i as uint + u): uint
                (i as float + f): float
                (u as float * f): float
                (h as float + f): float
                (b as int + i): int
                (b as int16_t + s): int16_t
                (s as uint + u): uint
                (h * s as float16_t): float16_t
                (i as uint < u): bool
                (i as float == f): bool
                (i << u): int
                (b << i): uint8_t
                f += i as float: float
                u -= i as uint: uint
                i *= s as int: int
        "#]],
    );
}

#[test]
fn vectors_and_matrices_multiply_as_in_linear_algebra() {
    check(
        "mat3x2 m; vec3 c; vec2 r; mat2x3 n;
        m * c; r * m; m * n; m * 2.0; 2.0 * m; m + m; c * 2; c * c; dot(c, c); cross(c, c); m[1]; m[1][0]; c.zx; transpose(m);
        mat2(1, 2, 3, 4) * vec2(5, 6); mat2(2.0) * mat2(1, 2, 3, 4);",
        expect![[r#"
            void main
                mat3x2 m
                vec3 c
                vec2 r
                mat2x3 n
                (m * c): vec2
                (r * m): vec3
                (m * n): mat2
                (m * 2.0): mat3x2
                (2.0 * m): mat3x2
                (m + m): mat3x2
                (c * 2 as float): vec3
                (c * c): vec3
                dot(c, c): float
                cross(c, c): vec3
                m[1]: vec2
                m[1][0]: float
                c.zx: vec2
                transpose(m): mat2x3
                (mat2(1, 2, 3, 4) * vec2(5, 6)): vec2 = {23.0, 34.0}
                (mat2(2.0) * mat2(1, 2, 3, 4)): mat2 = {{2.0, 4.0}, {6.0, 8.0}}
        "#]],
    );
}

#[test]
fn integers_are_folded_in_their_width() {
    check(
        "const int a = 7 / 2 + 7 % 4 * 3; const uint b = 0u - 1u; const int c = 0x7FFFFFFF + 1; const uint8_t d = uint8_t(255) + uint8_t(2);
        const int e = -7 >> 1; const uint f = ~0u >> 28; const int64_t g = 1l << 40; const bool h = b > 3u && a != 4;
        const ivec3 i = ivec3(1, 2, 3) * 2 + ivec3(vec3(0.5)); const int j = i.z + i[0]; const int k = min(max(j, 3), 5); const int l = true ? 1 : 2;
        const int m = int(3.99); const float n = float(1) / 3; const float16_t o = float16_t(1.0) / float16_t(3.0); const uint p = bitCount(255u) + findMSB(256u);",
        expect![[r#"
            void main
                int a := ((7 / 2) + ((7 % 4) * 3)) = 12
                uint b := (0 - 1) = 4294967295
                int c := (2147483647 + 1) = -2147483648
                uint8_t d := (uint8_t(255) + uint8_t(2)) = 1
                int e := (-7 >> 1) = -4
                uint f := (~0 >> 28) = 15
                int64_t g := (1 << 40) = 1099511627776
                bool h := ((b > 3) && (a != 4)) = true
                ivec3 i := ((ivec3(1, 2, 3) * 2) + ivec3(vec3(0.5))) = {2, 4, 6}
                int j := (i.z + i[0]) = 8
                int k := min(max(j, 3), 5) = 5
                int l := (true ? 1 : 2) = 1
                int m := int(3.990000009536743) = 3
                float n := (float(1) / 3 as float) = 0.3333333432674408
                float16_t o := (float16_t(1.0) / float16_t(3.0)) = 0.333251953125
                uint p := (bitCount(255) + findMSB(256)) as uint = 16
        "#]],
    );
}

#[test]
fn what_depends_on_specialization_stays_a_symbol() {
    check(
        "const uint a = BK / 2 + BK / 2; const uint b = (BK + 4) * 2 - 8; const uint c = BK << 1; const int d = FAST ? WM : 2 * WM; const bool e = BK > 16u && true;
        const int f = min(WM, 16) + int(BK); const float g = SCALE * 2.0; const uint h = gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z;
        const int i = WM % 3 - WM % 3; const uint64_t j = uint64_t(BK) + 1ul; float k[BK / 2]; k.length(); const bool l = !FAST || (WM & 1) == 0;",
        expect![[r#"
            void main
                uint a := ((BK / 2 as uint) + (BK / 2 as uint)) = 2 * (BK / 2)
                uint b := (((BK + 4 as uint) * 2 as uint) - 8 as uint) = 2 * BK
                uint c := (BK << 1) = 2 * BK
                int d := (FAST ? WM : (2 * WM)) = FAST ? WM : 2 * WM
                bool e := ((BK > 16) && true) = 16 < BK
                int f := (min(WM, 16) + int(BK)) = BK + min(WM, 16)
                float g := (SCALE * 2.0) = specialized
                uint h := ((gl_WorkGroupSize.x * gl_WorkGroupSize.y) * gl_WorkGroupSize.z) = 2 * gl_WorkGroupSize.x
                int i := ((WM % 3) - (WM % 3)) = 0
                uint64_t j := (uint64_t(BK) + 1) = specialized
                float[BK / 2] k
                k.length(): int = BK / 2
                bool l := (!FAST || ((WM & 1) == 0)) = !(FAST) || (0 == (WM & 1))
        "#]],
    );
}

#[test]
fn the_best_overload_is_called() {
    check(
        "float f = 1.0; int i = 2; uint u = 3u; float16_t h; vec3 v; f16vec3 w; bool b; bvec3 c;
        max(f, 1); max(i, u); max(v, 0.5); clamp(v, 0.0, 1.0); mix(v, v, c); mix(f, f, b); abs(i); abs(h); min(w, h); pow(v, vec3(2.0)); floatBitsToUint(v);
        mod(f, 2); atan(f, f); any(lessThan(v, vec3(1))); fma(h, h, h); uint carry; uaddCarry(u, u, carry);",
        expect![[r#"
            void main
                float f := 1.0
                int i := 2
                uint u := 3
                float16_t h
                vec3 v
                f16vec3 w
                bool b
                bvec3 c
                max(f, 1 as float): float
                max(i as uint, u): uint
                max(v, 0.5): vec3
                clamp(v, 0.0, 1.0): vec3
                mix(v, v, c): vec3
                mix(f, f, b): float
                abs(i): int
                abs(h): float16_t
                min(w, h): f16vec3
                pow(v, vec3(2.0)): vec3
                floatBitsToUint(v): uvec3
                mod(f, 2 as float): float
                atan(f, f): float
                any(lessThan(v, vec3(1))): bool
                fma(h, h, h): float16_t
                uint carry
                uaddCarry(u, u, carry): uint
        "#]],
    );
}

#[test]
fn the_texts_own_functions_are_called() {
    let analysis = run("float scale(float x, float by) { return x * by; }
        float scale(vec2 x, float by) { return x.x * by; }
        void split(float x, out int whole, inout float rest) { whole = int(x); rest += x - whole; }
        float max(vec4 v) { return max(max(v.x, v.y), max(v.z, v.w)); }
        void main() {
            int whole; float rest = 0.0;
            scale(1, 2); scale(vec2(1), 2); split(1.5, whole, rest); max(vec4(1)); max(1, 2);
        }
        ");
    expect![[r#"
        float scale
            return (x * by)
        float scale
            return (x.x * by)
        void split
            whole = int(x): int
            rest += (x - whole as float): float
        float max
            return max(max(v.x, v.y), max(v.z, v.w))
        void main
            int whole
            float rest := 0.0
            scale(1 as float, 2 as float): float
            scale(vec2(1), 2 as float): float
            split(1.5, whole, rest): void
            max(vec4(1)): float
            max(1, 2): int = 2
    "#]]
    .assert_eq(&dump(&analysis.module));
}

#[test]
fn constructors_take_components() {
    check(
        "vec2 p = vec2(1.0, 2.0); const vec4 a = vec4(vec2(1, 2), 3, 4); const vec3 b = vec3(a); const mat2 c = mat2(a); const mat3 d = mat3(c); const float e = float(a); const bvec2 f = bvec2(vec2(0, 3));
        float g[] = float[](1, p.x, 3.0); float h[2][2] = {{1, 2}, {3, 4}}; const int i = int[](4, 5, 6)[1] + int[2](7, 8).length();
        vector<float, 6> j = vector<float, 6>(1.0); vector<int, 5> k = {1, 2, 3, 4, 5}; bfloat16_t l = bfloat16_t(1.5);",
        expect![[r#"
            void main
                vec2 p := vec2(1.0, 2.0)
                vec4 a := vec4(vec2(1, 2), 3, 4) = {1.0, 2.0, 3.0, 4.0}
                vec3 b := vec3(a) = {1.0, 2.0, 3.0}
                mat2 c := mat2(a) = {{1.0, 2.0}, {3.0, 4.0}}
                mat3 d := mat3(c) = {{1.0, 2.0, 0.0}, {3.0, 4.0, 0.0}, {0.0, 0.0, 1.0}}
                float e := float(a) = 1.0
                bvec2 f := bvec2(vec2(0, 3)) = {false, true}
                float[3] g := float[3](1 as float, p.x, 3.0)
                float[2][2] h := {{1 as float, 2 as float}, {3 as float, 4 as float}}
                int i := (int[3](4, 5, 6)[1] + int[2](7, 8).length()) = 7
                vector<float, 6> j := vector<float, 6>(1.0)
                vector<int, 5> k := {1, 2, 3, 4, 5}
                bfloat16_t l := bfloat16_t(1.5)
        "#]],
    );
}

#[test]
fn matrices_of_invocations_have_few_operators() {
    check(
        "coopmat<float16_t, gl_ScopeSubgroup, 16, (BK / 2), gl_MatrixUseA> a = coopmat<float16_t, gl_ScopeSubgroup, 16, (BK / 2), gl_MatrixUseA>(0.0);
        coopmat<float, gl_ScopeSubgroup, 16, (BK / 2), gl_MatrixUseA> b = coopmat<float, gl_ScopeSubgroup, 16, (BK / 2), gl_MatrixUseA>(a);
        a = a + a * a; a *= float16_t(2.0); b = 2.0 * -b; a[0] += float16_t(1.0);
        for (int i = 0; i < a.length(); ++i) { b[i] = a[i]; }",
        expect![[r#"
            void main
                coopmat<float16_t, gl_ScopeSubgroup, 16, BK / 2, gl_MatrixUseA> a := coopmat<float16_t, gl_ScopeSubgroup, 16, BK / 2, gl_MatrixUseA>(0.0)
                coopmat<float, gl_ScopeSubgroup, 16, BK / 2, gl_MatrixUseA> b := coopmat<float, gl_ScopeSubgroup, 16, BK / 2, gl_MatrixUseA>(a)
                a = (a + (a * a)): coopmat<float16_t, gl_ScopeSubgroup, 16, BK / 2, gl_MatrixUseA>
                a *= float16_t(2.0): coopmat<float16_t, gl_ScopeSubgroup, 16, BK / 2, gl_MatrixUseA>
                b = (2.0 * -b): coopmat<float, gl_ScopeSubgroup, 16, BK / 2, gl_MatrixUseA>
                a[0] += float16_t(1.0): float16_t
                int i := 0
                for (i < a.length()); ++i
                    b[i] = a[i] as float: float
        "#]],
    );
}

#[test]
fn references_are_addresses() {
    let analysis = run("layout(buffer_reference, std430, buffer_reference_align = 4) buffer Node { int value; Node next; };
        layout(push_constant) uniform P { Node first; uint64_t address; } p;
        void main() {
            Node n = p.first + 1; n = Node(p.address); uint64_t a = uint64_t(n); n[2].value = 3; n.next.next.value += 1; n - p.first; uvec2(n);
        }
        ");
    expect![[r#"
        void main
            Node n := (p.first + 1)
            n = Node(p.address): Node
            uint64_t a := uint64_t(n)
            n[2].value = 3: int
            n.next.next.value += 1: int
            (n - p.first): int64_t
            uvec2(n): uvec2
    "#]]
    .assert_eq(&dump(&analysis.module));
}

#[test]
fn initializers_give_sizes() {
    check(
        "int a[] = {1, 2, 3}; int b[][2] = {{1, 2}, {3, 4}}; const struct Pair { int x; float y; } c[] = {{1, 2}, {3, 4}}; float d = c[1].y; float e[3] = float[](1, 2, 3); e == e;
        mat2 f = {{1, 0}, {0, 1}}; const int g = a.length() + b.length() + b[0].length();",
        expect![[r#"
            void main
                int[3] a := {1, 2, 3}
                int[2][2] b := {{1, 2}, {3, 4}}
                Pair[2] c := {{1, 2 as float}, {3, 4 as float}} = {{1, 2.0}, {3, 4.0}}
                float d := c[1].y
                float[3] e := float[3](1 as float, 2 as float, 3 as float)
                (e == e): bool
                mat2 f := {{1 as float, 0 as float}, {0 as float, 1 as float}}
                int g := ((a.length() + b.length()) + b[0].length()) = 7
        "#]],
    );
}

/// Every fixture: each line that is marked gets exactly what it marks, every other line gets no error and no warning.
#[test]
fn fixtures_get_what_they_mark() {
    fixtures::check(&["expressions"], |source| {
        let result = compare(source, |path, text, config, loader| {
            let analysis = analyze(path, text, config, loader, None);
            let told = |diagnostic: &&Diagnostic| diagnostic.severity <= Severity::Warning;
            Reported::new(analysis.files(), analysis.all_diagnostics().filter(told).cloned().collect())
        });
        result.err()
    });
}

/// However long, however deep: an answer, and soon.
#[test]
fn hostile_expressions_are_bounded() {
    let nested = |open: &str, close: &str| format!("{}i{}", open.repeat(3000), close.repeat(3000));
    let sums = [
        format!("i{}", " + i".repeat(10_000)),
        format!("(i{})", ", i".repeat(10_000)),
        format!("WM{}", " * WM + 1".repeat(2_000)),
        format!("WM{}", " / 3 % 5".repeat(2_000)),
        format!("int[]({}1)", "1, ".repeat(20_000)),
    ];
    for expression in sums {
        let analysis = run(&format!("void main() {{ int i = 0; {expression}; }}"));
        assert!(analysis.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error));
    }
    for (open, close) in
        [("(", ")"), ("abs(", ")"), ("-(", ")"), ("i = ", ""), ("true ? i : ", ""), ("~", "")]
    {
        let expression = nested(open, close);
        let analysis = run(&format!("void main() {{ int i = 0; i = {expression}; }}"));
        let deep = |diagnostic: &Diagnostic| diagnostic.code.id == "nesting-too-deep";
        assert_eq!(analysis.diagnostics.iter().filter(|diagnostic| deep(diagnostic)).count(), 1, "{open}");
    }
    // Each symbol holds the one before it twice.
    let doubled: String =
        (1..100).map(|i| format!("const int S{i} = S{0} / 3 + S{0} / 5;\n", i - 1)).collect();
    run(&format!("const int S0 = WM;\n{doubled}void main() {{ float a[S99]; float b[S99] = a; }}"));
}
