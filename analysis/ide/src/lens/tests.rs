//! Snapshots: each lens with the word that it stands above.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use coopmat_analysis::analyze;
use coopmat_analysis::fixture::Fixture;

fn check(source: &str, expected: Expect) {
    let fixture = Fixture::parse(source);
    let root = fixture.root();
    let analysis = analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
    let mut shown = String::new();
    for (file, source) in analysis.files().iter() {
        for lens in lenses(&analysis, file) {
            let word = &source.text[std::ops::Range::<usize>::from(lens.range)];
            let title = lens
                .title
                .unwrap_or_else(|| format!("{} references", references(&analysis, file, lens.range).len()));
            writeln!(shown, "{} `{word}`: {title}", source.path).unwrap();
        }
    }
    expected.assert_eq(&shown);
}

const MATRICES: &str = "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 128) in;
layout(constant_id = 0) const uint BM = 64;
shared float16_t tile[BM * 64];
shared bool flag;
shared float nobody[4096];
struct Pair { coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sums[2]; };
void other() { coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> x = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0); x = x; }
void helper(inout Pair p, coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a) {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopMatLoad(b, tile, 0, 64, gl_CooperativeMatrixLayoutRowMajor);
    p.sums[0] = coopMatMulAdd(a, b, p.sums[0]);
}
void main() {
    Pair p;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a[BM / 32];
    flag = true;
    a[0] = coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(0.0);
    helper(p, a[0]);
    helper(p, a[1]);
}
";

#[test]
fn an_entry_point_with_and_without_a_device() {
    check(
        &format!("//! device: nvidia-h200\n{MATRICES}"),
        expect![[r#"
        /main.comp `#version 460`: configuration `fixture`, device nvidia-h200
        /main.comp `Pair`: 2 references
        /main.comp `other`: 0 references
        /main.comp `helper`: 2 references
        /main.comp `main`: shared memory 8,196 bytes of 49,152
        /main.comp `main`: 5 matrices: 40 components, 112 bytes in each invocation
    "#]],
    );
    check(
        MATRICES,
        expect![[r#"
            /main.comp `#version 460`: configuration `fixture`
            /main.comp `Pair`: 2 references
            /main.comp `other`: 0 references
            /main.comp `helper`: 2 references
            /main.comp `main`: shared memory 8,196 bytes
            /main.comp `main`: 5 matrices of 1,280 elements together (set a subgroup size or a device to see what an invocation holds)
            /main.comp `main`: accepted by 8 of 12 device profiles, 1 not known
        "#]],
    );
}

#[test]
fn cooperative_vectors_are_counted() {
    let vectors = "#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint N = 16;
struct Layer { coopvecNV<float16_t, N> input, output; };
void main() {
    Layer layers[3];
    coopvecNV<int8_t, 5> packed = coopvecNV<int8_t, 5>(0);
    layers[0].input = coopvecNV<float16_t, N>(packed[0]);
}
";
    check(
        vectors,
        expect![[r#"
        /main.comp `#version 460`: configuration `fixture`
        /main.comp `Layer`: 1 references
        /main.comp `main`: 7 cooperative vectors: 101 components, 197 bytes in each invocation
        /main.comp `main`: accepted by 0 of 12 device profiles, 12 not known
    "#]],
    );
    check(&vectors.replace("{\n    Layer", "{\n    coopmat<float, gl_ScopeSubgroup, 8, 4, gl_MatrixUseAccumulator> m;\n    m = m;\n    Layer")
        .replace("#extension GL_NV", "#extension GL_KHR_cooperative_matrix : require\n#extension GL_KHR_memory_scope_semantics : require\n#extension GL_NV"), expect![[r#"
            /main.comp `#version 460`: configuration `fixture`
            /main.comp `Layer`: 1 references
            /main.comp `main`: 1 matrix of 32 elements together (set a subgroup size or a device to see what an invocation holds); 7 cooperative vectors: 101 components, 197 bytes in each invocation
            /main.comp `main`: accepted by 0 of 12 device profiles, 1 not known
        "#]]);
}

#[test]
fn values_of_specialization_constants_are_told_and_defaults_that_nobody_runs() {
    let shader = "//! define: X
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint TM = 4;
layout(constant_id = 1) const uint TK = 2;
layout(constant_id = 2) const uint UNUSED = 1;
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, TM, TK, gl_MatrixUseA> a;
}
";
    check(
        shader,
        expect![[r#"
        /main.comp `#version 460`: configuration `fixture`
        /main.comp `main`: no device profile accepts the defaults TM = 4, TK = 2: choose other values
    "#]],
    );
    let given = shader.replace("//! define: X", "//! spec: TM=16\n//! spec: 1=16\n//! spec: OTHER=1");
    check(
        &given,
        expect![[r#"
            /main.comp `#version 460`: configuration `fixture`, TM = 16, TK = 16
            /main.comp `main`: accepted by 8 of 12 device profiles
        "#]],
    );
}

#[test]
fn references_through_headers_and_macros() {
    check(
        "//! google-include
//- /main.comp
#version 460
#include \"types.glsl\"
#define CALL(x) twice(x)
layout(std430, binding = 0) buffer Data { Pair pairs[]; } data;
float twice(float x);
float twice(float x) { return x + x; }
void main() { data.pairs[0].x = CALL(1.0) + twice(2.0); }
//- /types.glsl
struct Pair { float x; };
void nobody(Pair p) {}
",
        expect![[r#"
            /main.comp `#version 460`: configuration `fixture`
            /main.comp `twice`: 2 references
            /types.glsl ``: configuration `fixture`, as part of main.comp
            /types.glsl `Pair`: 2 references
            /types.glsl `nobody`: 0 references
        "#]],
    );
}

#[test]
fn shared_memory_follows_the_values_of_the_configuration() {
    let source = "#version 460
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint BM = 64;
shared vec3 tile[BM];
void main() { tile[0] = vec3(0.0); }
";
    check(
        source,
        expect![[r#"
        /main.comp `#version 460`: configuration `fixture`
        /main.comp `main`: shared memory 768 bytes, up to 1,024 with padding
    "#]],
    );
    check(
        &format!("//! spec: 0=128\n{source}"),
        expect![[r#"
        /main.comp `#version 460`: configuration `fixture`, BM = 128
        /main.comp `main`: shared memory 1,536 bytes, up to 2,048 with padding
    "#]],
    );
}
