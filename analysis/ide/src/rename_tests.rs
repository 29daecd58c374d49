//! Renames within one analysis: fixtures with a cursor, and what each file becomes, or why not. The server does the same over
//! many analyses.

use std::sync::Arc;

use expect_test::{Expect, expect};

use crate::navigation_tests::at_cursor;
use crate::rename::{Digest, check_new_name, explain, prepare};
use crate::usages::{Closure, GroupKind, Piece, Place};
use coopmat_analysis::fixture::Fixture;
use coopmat_analysis::sources::FileLoader;
use coopmat_analysis::{Analysis, analyze};

struct Renamed<'a> {
    fixture: &'a Fixture,
    texts: Vec<(Arc<str>, String)>,
}

impl FileLoader for Renamed<'_> {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        match self.texts.iter().find(|(name, _)| **name == *path) {
            Some((_, text)) => Some(text.as_str().into()),
            None => self.fixture.load(path),
        }
    }
}

fn rename(source: &str, new_name: &str) -> Result<Vec<(Arc<str>, String)>, String> {
    let (before, position) = at_cursor(source);
    let target = prepare(&before, position)?;
    check_new_name(new_name, target.is_macro)?;
    let pieces = [Piece::of(&before, &target.name)];
    let closure = Closure::of_name(&pieces, &[Place::new(&before, target.place)]);
    if closure.uses.is_empty() {
        return Err("no configuration compiles this code".to_owned());
    }
    for &(_, group) in &closure.groups {
        let group = &pieces[0].groups[group];
        if let GroupKind::Builtin(words) = group.kind {
            return Err(format!("also {words}"));
        }
        if let Some(reason) = &group.unwritten {
            return Err(reason.clone());
        }
    }
    let (certain, _) = closure.settle_loose(&pieces);
    let mut places: Vec<&Place> = closure.uses.keys().chain(&certain).collect();
    places.sort();
    places.dedup();
    let fixture = Fixture::parse(source);
    let mut texts: Vec<(Arc<str>, String)> = Vec::new();
    for place in places.iter().rev() {
        if texts.iter().all(|(path, _)| *path != place.path) {
            let text = fixture.load(&place.path).expect("a file of the fixture");
            texts.push((place.path.clone(), text.to_string()));
        }
        let (_, text) = texts.iter_mut().find(|(path, _)| *path == place.path).expect("just added");
        text.replace_range(std::ops::Range::<usize>::from(place.range), new_name);
    }
    let renamed = Renamed { fixture: &fixture, texts };
    let root = fixture.root();
    let text = renamed.load(&root.path).expect("the root");
    let after: Analysis = analyze(&root.path, text, &fixture.config, &renamed, None);
    let name = &target.name;
    if Digest::of(&before, name, new_name) != Digest::of(&after, name, new_name) {
        let (message, place) = explain(&before, &after, name, new_name);
        return Err(format!("{message} ({}:{:?})", place.path, place.range));
    }
    Ok(renamed.texts)
}

fn check(source: &str, new_name: &str, expected: Expect) {
    let shown = match rename(source, new_name) {
        Ok(mut texts) => {
            texts.sort();
            texts.iter().map(|(path, text)| format!("//- {path}\n{text}")).collect()
        }
        Err(message) => format!("refused: {message}\n"),
    };
    expected.assert_eq(&shown);
}

#[test]
fn a_member_is_renamed_in_macros_arguments_and_inactive_code() {
    check(
        "//! google-include: true
//- /main.comp
#version 460
#include \"types.glsl\"
layout(binding = 0) buffer Data { block_q data[]; };
#define GET(b) b.d
#define PASS(x) (x)
void main() {
    float d = GET(data[0]) + PASS(data[1].d);
#if 0
    d += data[2].d;
#endif
    data[3].d = d;
}
//- /types.glsl
struct block_q { float $0d; };
",
        "delta",
        expect![[r#"
            //- /main.comp
            #version 460
            #include "types.glsl"
            layout(binding = 0) buffer Data { block_q data[]; };
            #define GET(b) b.delta
            #define PASS(x) (x)
            void main() {
                float d = GET(data[0]) + PASS(data[1].delta);
            #if 0
                d += data[2].delta;
            #endif
                data[3].delta = d;
            }
            //- /types.glsl
            struct block_q { float delta; };
        "#]],
    );
}

#[test]
fn what_may_be_another_member_in_inactive_code_is_left_alone() {
    check(
        "#version 460
struct A { float $0d; };
struct B { float d; };
void main() {
    A a; a.d = 1.0;
#if 0
    other.d = 2.0;
#endif
}
",
        "delta",
        expect![[r#"
            //- /main.comp
            #version 460
            struct A { float delta; };
            struct B { float d; };
            void main() {
                A a; a.delta = 1.0;
            #if 0
                other.d = 2.0;
            #endif
            }
        "#]],
    );
}

#[test]
fn a_place_that_stands_for_two_things_takes_both_along() {
    check(
        "#version 460
struct A { float $0d; };
struct B { float d; };
#define GET(x) x.d
void main() { A a; B b; a.d = 1.0; b.d = 2.0; float s = GET(a) + GET(b); }
",
        "delta",
        expect![[r#"
            //- /main.comp
            #version 460
            struct A { float delta; };
            struct B { float delta; };
            #define GET(x) x.delta
            void main() { A a; B b; a.delta = 1.0; b.delta = 2.0; float s = GET(a) + GET(b); }
        "#]],
    );
    check(
        "#version 460
struct A { float $0x; };
#define GET(v) v.x
void main() { A a; a.x = 1.0; vec2 v = vec2(1.0); float s = GET(a) + GET(v); }
",
        "first",
        expect![[r#"
            refused: also a swizzle of vector components
        "#]],
    );
}

#[test]
fn blocks_instances_functions_and_parameters() {
    let shader = "#version 460
layout(binding = 0) buffer Blo$ck { float value; } inst$ance;
float f(float x);
float f(float x) { return x; }
float f(int x) { return 1.0; }
void main() { instance.value = f(1.0) + f(2); }
";
    check(
        &shader.replace("inst$ance", "instance").replace("Blo$ck", "Blo$0ck"),
        "Buffer",
        expect![[r#"
        //- /main.comp
        #version 460
        layout(binding = 0) buffer Buffer { float value; } instance;
        float f(float x);
        float f(float x) { return x; }
        float f(int x) { return 1.0; }
        void main() { instance.value = f(1.0) + f(2); }
    "#]],
    );
    check(
        &shader.replace("inst$ance", "inst$0ance").replace("Blo$ck", "Block"),
        "buffer_",
        expect![[r#"
        //- /main.comp
        #version 460
        layout(binding = 0) buffer Block { float value; } buffer_;
        float f(float x);
        float f(float x) { return x; }
        float f(int x) { return 1.0; }
        void main() { buffer_.value = f(1.0) + f(2); }
    "#]],
    );
    let plain = shader.replace("inst$ance", "instance").replace("Blo$ck", "Block");
    // One overload, with its prototype.
    check(
        &plain.replace("f(1.0)", "$0f(1.0)"),
        "g",
        expect![[r#"
        //- /main.comp
        #version 460
        layout(binding = 0) buffer Block { float value; } instance;
        float g(float x);
        float g(float x) { return x; }
        float f(int x) { return 1.0; }
        void main() { instance.value = g(1.0) + f(2); }
    "#]],
    );
    check(
        &plain.replace("{ return x; }", "{ return $0x; }"),
        "input_",
        expect![[r#"
        //- /main.comp
        #version 460
        layout(binding = 0) buffer Block { float value; } instance;
        float f(float x);
        float f(float input_) { return input_; }
        float f(int x) { return 1.0; }
        void main() { instance.value = f(1.0) + f(2); }
    "#]],
    );
}

#[test]
fn macros_and_their_parameters() {
    let shader = "#version 460
#define SI$ZE 4
#ifdef SIZE
#define TIMES(n$n) (nn * SIZE)
#endif
#undef OTHER
int x = TIMES(2) + SIZE;
#if defined(SIZE) && SIZE > 5
int y = SIZE;
#endif
";
    check(
        &shader.replace("SI$ZE", "SI$0ZE").replace("n$n", "nn"),
        "COUNT",
        expect![[r#"
        //- /main.comp
        #version 460
        #define COUNT 4
        #ifdef COUNT
        #define TIMES(nn) (nn * COUNT)
        #endif
        #undef OTHER
        int x = TIMES(2) + COUNT;
        #if defined(COUNT) && COUNT > 5
        int y = COUNT;
        #endif
    "#]],
    );
    check(
        &shader.replace("SI$ZE", "SIZE").replace("n$n", "n$0n"),
        "count",
        expect![[r#"
        //- /main.comp
        #version 460
        #define SIZE 4
        #ifdef SIZE
        #define TIMES(count) (count * SIZE)
        #endif
        #undef OTHER
        int x = TIMES(2) + SIZE;
        #if defined(SIZE) && SIZE > 5
        int y = SIZE;
        #endif
    "#]],
    );
    // The name of another macro: the text would be expanded in another way.
    check(
        &shader.replace("SI$ZE", "SI$0ZE").replace("n$n", "nn"),
        "TIMES",
        expect![[r#"
        refused: `4` would become `TIMES` (/main.comp:98..106)
    "#]],
    );
}

#[test]
fn captures_and_clashes_are_found() {
    check(
        "#version 460
float scale = 2.0;
float f(float $0x) { return x * scale; }
",
        "scale",
        expect![[r#"
            refused: `scale` would refer to another declaration (/main.comp:62..67)
        "#]],
    );
    check(
        "#version 460
float $0scale = 2.0;
float f(float x) { return x * scale; }
",
        "x",
        expect![[r#"
            refused: `x` would refer to another declaration (/main.comp:62..67)
        "#]],
    );
    check(
        "#version 460\nfloat $0a = 2.0;\nfloat b = 1.0;\n",
        "b",
        expect![[r#"
        refused: `b` is already declared in this scope, as a variable (/main.comp:34..35)
    "#]],
    );
    check(
        "#version 460\nstruct S { float $0a; float b; };\n",
        "b",
        expect![[r#"
        refused: there is already a member called `b` (/main.comp:39..40)
    "#]],
    );
    check(
        "#version 460\n#define M 1\nfloat $0a = 2.0;\nfloat c = a;\n",
        "M",
        expect![[r#"
        refused: `a` would become `1` (/main.comp:31..32)
    "#]],
    );
}

#[test]
fn pasting_is_no_rename() {
    check(
        "#version 460
#define DECLARE(n) float n; float n##_2;
DECLARE($0a)
float x = a + a_2;
",
        "b",
        expect![[r#"
            refused: `a_2` would become `b_2` (/main.comp:54..64)
        "#]],
    );
    check(
        "#version 460
#define DECLARE(n) float n##_2;
DECLARE(a)
float x = $0a_2;
",
        "b",
        expect![[r#"
            refused: the macro `DECLARE` puts `a_2` together with `##`
        "#]],
    );
}

#[test]
fn names_that_are_not_the_shaders_own() {
    let refused = |text: &str, expected: Expect| check(text, "other", expected);
    refused(
        "#version 460\nvoid main() { float x = m$0in(1.0, 2.0); }",
        expect![[r#"
        refused: `min` is a built-in function: it cannot be renamed
    "#]],
    );
    refused(
        "#version 460\nvoid main() { uint x = gl_Local$0InvocationIndex; }",
        expect![[r#"
        refused: `gl_LocalInvocationIndex` is a built-in variable: it cannot be renamed
    "#]],
    );
    refused(
        "#version 460\nvoid main() { vec2 v = vec2(1.0).x$0y; }",
        expect![[r#"
        refused: `xy` is a swizzle of vector components: it cannot be renamed
    "#]],
    );
    refused(
        "#version 460\nvoid ma$0in() { }",
        expect![[r#"
        refused: `main` is the entry point: it cannot be renamed
    "#]],
    );
    refused(
        "#version 460\nvoid main() { f$0or (;;) { } }",
        expect![[r#"
        refused: `for` is a keyword: it cannot be renamed
    "#]],
    );
    refused(
        "#version 460\n#extension GL_KHR_$0memory_scope_semantics : require\n",
        expect![[r#"
        refused: `GL_KHR_memory_scope_semantics` is the name of an extension: it cannot be renamed
    "#]],
    );
    refused(
        "//! define: SIZE=4\n#version 460\nint x = SI$0ZE;\n",
        expect![[r#"
        refused: the configuration `fixture` defines `SIZE`: rename it there first
    "#]],
    );
    refused(
        "//! define: NAME=value\n#version 460\nint NAME; int x = v$0alue;\n",
        expect![[r#"
        refused: the configuration `fixture` names `value` in its macro `NAME`: change it there first
    "#]],
    );
    refused(
        "#version 460\n#if 0\nint nowh$0ere;\n#endif\n",
        expect![[r#"
            refused: no configuration compiles this code
        "#]],
    );
    refused(
        "#version 460\n// a com$0ment\n",
        expect![[r#"
        refused: there is no name here
    "#]],
    );
}
