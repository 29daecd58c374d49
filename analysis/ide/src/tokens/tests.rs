//! Snapshots: each word with what it is, in the order of the text.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use coopmat_analysis::analyze;
use coopmat_analysis::fixture::Fixture;

/// Shows the tokens of the file that holds `$0`, from there on, without punctuation and literals.
fn check(source: &str, expected: Expect) {
    let fixture = Fixture::parse(source);
    let root = fixture.root();
    let analysis = analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
    let (index, from) = fixture.cursor.expect("a cursor");
    let file = analysis.files().find(&fixture.files[index].path).expect("the file takes part");
    let text = analysis.files()[file].text.clone();
    let surface = Surface::new(text.clone(), None);
    let within = TextRange::new(from, TextSize::of(&*text));
    let all = tokens(&analysis, file, &surface, None);
    let part = tokens(&analysis, file, &surface, Some(within));
    assert!(all.ends_with(&part), "a part of the file has the tokens of the whole");
    assert!(all.windows(2).all(|pair| pair[0].range.end() <= pair[1].range.start()));
    let mut shown = String::new();
    for token in part {
        if matches!(token.kind, TokenKind::Operator | TokenKind::Number) {
            continue;
        }
        let word = &text[std::ops::Range::<usize>::from(token.range)];
        write!(shown, "{word}: {}", token.kind.name()).unwrap();
        for modifier in token.modifiers.names() {
            write!(shown, " {modifier}").unwrap();
        }
        shown.push('\n');
    }
    expected.assert_eq(&shown);
}

#[test]
fn matrices_show_their_use() {
    check(
        "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(constant_id = 0) const uint ROWS = 16;
$0void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b[2];
    coopmat<float16_t, gl_ScopeSubgroup, ROWS, 16, gl_MatrixUseAccumulator> c;
    c = coopMatMulAdd(a, b[1], c);
    [[unroll]] for (int i = 0; i < c.length(); i++) { c[i] += float16_t(gl_SubgroupInvocationID); }
}
",
        expect![[r#"
            void: type defaultLibrary
            main: function declaration
            coopmat: type defaultLibrary
            float16_t: type defaultLibrary
            gl_ScopeSubgroup: enumMember readonly defaultLibrary
            gl_MatrixUseA: enumMember readonly defaultLibrary
            a: variable declaration matrixA
            coopmat: type defaultLibrary
            float16_t: type defaultLibrary
            gl_ScopeSubgroup: enumMember readonly defaultLibrary
            gl_MatrixUseB: enumMember readonly defaultLibrary
            b: variable declaration matrixB
            coopmat: type defaultLibrary
            float16_t: type defaultLibrary
            gl_ScopeSubgroup: enumMember readonly defaultLibrary
            ROWS: variable readonly specializationConstant
            gl_MatrixUseAccumulator: enumMember readonly defaultLibrary
            c: variable declaration matrixAccumulator
            c: variable matrixAccumulator
            coopMatMulAdd: function defaultLibrary
            a: variable matrixA
            b: variable matrixB
            c: variable matrixAccumulator
            unroll: decorator
            for: keyword
            int: type defaultLibrary
            i: variable declaration
            i: variable
            c: variable matrixAccumulator
            length: method defaultLibrary
            i: variable
            c: variable matrixAccumulator
            i: variable
            float16_t: type defaultLibrary
            gl_SubgroupInvocationID: variable readonly defaultLibrary
        "#]],
    );
}

#[test]
fn storage_and_declarations() {
    check(
        "#version 460
$0layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer Data { float values[]; } data;
layout(binding = 1) uniform Params { int count; };
shared vec4 tile[4]; // tile
const int N = 4;
struct Pair { float x; };
float f(const Pair p, out float r);
float f(const Pair p, out float r) { r = p.x; return data.values[N + count]; }
void main() { float r; tile[0].xy = vec2(f(Pair(1.0), r)); }
",
        expect![[r#"
            layout: keyword
            local_size_x: decorator
            in: keyword
            layout: keyword
            std430: decorator
            binding: decorator
            readonly: keyword
            buffer: keyword
            Data: interface declaration buffer
            float: type defaultLibrary
            values: property declaration readonly buffer
            data: variable declaration readonly buffer
            layout: keyword
            binding: decorator
            uniform: keyword
            Params: interface declaration uniform
            int: type defaultLibrary
            count: property declaration readonly uniform
            shared: keyword
            vec4: type defaultLibrary
            tile: variable declaration shared
            // tile: comment
            const: keyword
            int: type defaultLibrary
            N: variable declaration readonly
            struct: keyword
            Pair: struct declaration
            float: type defaultLibrary
            x: property declaration
            float: type defaultLibrary
            f: function
            const: keyword
            Pair: struct
            p: parameter declaration
            out: keyword
            float: type defaultLibrary
            r: parameter declaration
            float: type defaultLibrary
            f: function declaration
            const: keyword
            Pair: struct
            p: parameter declaration readonly
            out: keyword
            float: type defaultLibrary
            r: parameter declaration
            r: parameter
            p: parameter readonly
            x: property
            return: keyword
            data: variable readonly buffer
            values: property readonly buffer
            N: variable readonly
            count: property readonly uniform
            void: type defaultLibrary
            main: function declaration
            float: type defaultLibrary
            r: variable declaration
            tile: variable shared
            xy: property defaultLibrary
            vec2: type defaultLibrary
            f: function
            Pair: struct
            r: variable
        "#]],
    );
}

#[test]
fn macros_and_their_insides() {
    check(
        "#version 460
$0#define TYPE vec4
#define PLUS(a, b) ((a) + (b) + float(N))
#define NOBODY_USES(x) if (x) return PLUS(x, vec3(1))
#define N 4
#ifdef N
const float z = 1.0;
#else
const int z = 2;
#endif
#if defined(OTHER) && VULKAN
#endif
void main() { TYPE t; float y = PLUS(z, t.x); }
",
        expect![[r#"
            #define: keyword
            TYPE: macro declaration
            vec4: type defaultLibrary
            #define: keyword
            PLUS: macro declaration
            a: parameter declaration
            b: parameter declaration
            a: parameter
            b: parameter
            float: type defaultLibrary
            N: macro
            #define: keyword
            NOBODY_USES: macro declaration
            x: parameter declaration
            if: keyword
            x: parameter
            return: keyword
            PLUS: macro
            x: parameter
            vec3: type defaultLibrary
            #define: keyword
            N: macro declaration
            #ifdef: keyword
            N: macro
            const: keyword
            float: type defaultLibrary
            z: variable declaration readonly
            #else: keyword
            #endif: keyword
            #if: keyword
            defined: keyword
            OTHER: macro
            VULKAN: macro defaultLibrary
            #endif: keyword
            void: type defaultLibrary
            main: function declaration
            TYPE: macro
            t: variable declaration
            float: type defaultLibrary
            y: variable declaration
            PLUS: macro
            z: variable readonly
            t: variable
            x: property defaultLibrary
        "#]],
    );
}

#[test]
fn names_in_headers_mean_what_they_mean_in_the_shader() {
    check(
        "//! google-include
//- /main.comp
#version 460
shared float tile[4];
#include \"types.glsl\"
#include <other.glsl>
void main() { store(1); }
//- /types.glsl
$0void store(int at) { tile[at] = STEP; barrier(); missing(at); }
",
        expect![[r#"
            void: type defaultLibrary
            store: function declaration
            int: type defaultLibrary
            at: parameter declaration
            tile: variable shared
            at: parameter
            barrier: function defaultLibrary
            missing: function
            at: parameter
        "#]],
    );
}

#[test]
fn directives() {
    check(
        "$0#version 460 core
#extension GL_GOOGLE_include_directive : require
#extension GL_NOBODY_knows : enable
#include \"missing.glsl\"
#pragma use_storage_buffer
#undef X
#line 5
/* a
 b */
void main() {}
",
        expect![[r##"
            #version: keyword
            core: keyword
            #extension: keyword
            GL_GOOGLE_include_directive: namespace defaultLibrary
            require: keyword
            #extension: keyword
            GL_NOBODY_knows: namespace
            enable: keyword
            #include: keyword
            "missing.glsl": string
            #pragma: keyword
            #undef: keyword
            X: macro
            #line: keyword
            /* a
             b */: comment
            void: type defaultLibrary
            main: function declaration
        "##]],
    );
}
