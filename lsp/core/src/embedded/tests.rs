//! Shaders of C++ and Rust files, with the text that each becomes.

use expect_test::{Expect, expect};

use super::{Language, regions};
use crate::positions::LineTable;

/// What is found: names, stages and notes, and the text with `·` for blanks; and that every place is the file's.
fn check(language: Language, text: &str, expected: &Expect) {
    let mut shown = String::new();
    for region in regions(language, text) {
        shown += &format!("{} {}", region.name, region.stage.extension());
        if let Some(part) = &region.part {
            let place = &text[part.range.clone()];
            shown += &format!(" [{} {place:?}: {}]", part.code.id, part.message);
        }
        region.options.defines.iter().for_each(|(name, value)| shown += &format!(" -D{name}={value}"));
        region.options.include.iter().for_each(|folder| shown += &format!(" -I{folder}"));
        shown += "\n";
        let lines = region.text.lines().skip_while(|line| line.trim().is_empty());
        for line in lines {
            let line = line.trim_end();
            let code = line.trim_start();
            shown += format!("  {}{code}", "·".repeat(line.len() - code.len())).trim_end();
            shown += "\n";
        }
        let (own, of_file) = (LineTable::new(&region.text), LineTable::new(text));
        for (at, letter) in region.text.char_indices().filter(|(_, letter)| !letter.is_whitespace()) {
            let place = region.in_file(at);
            for encoding in [super::super::positions::Encoding::Utf8, Default::default()] {
                let found = own.position(&region.text, at, encoding);
                if (region.range.start..region.range.end).contains(&(at + region.shift)) {
                    assert_eq!(found, of_file.position(text, place, encoding), "{letter:?}");
                }
            }
        }
    }
    expected.assert_eq(&shown);
}

fn cpp(text: &str, expected: &Expect) {
    check(Language::Cpp, text, expected);
}

fn rust(text: &str, expected: &Expect) {
    check(Language::Rust, text, expected);
}

#[test]
fn delimiters_and_comments_mark_raw_strings() {
    cpp(
        r###"
#include <string>
static const char* kAdd = R"glsl(#version 460
layout(local_size_x = 32) in;
void main() {}
)glsl";
constexpr auto scale{/* glsl */ R"(
#version 460
void main() { gl_Position = vec4(0); }
)"};
auto other = compile(/* glsl frag */ R"x(
#version 460
void main() {}
)x"sv);
// R"glsl(void main() {})glsl" is no shader here, nor "R\"glsl(x)glsl\"" or R"(void main() {})".
const char *plain = R"(void main() {})"; int n = 1'000'000; char c = '"';
"###,
        &expect![[r#"
            kAdd comp
              ·································#version 460
              layout(local_size_x = 32) in;
              void main() {}
            scale vert
              #version 460
              void main() { gl_Position = vec4(0); }
            other frag
              #version 460
              void main() {}
        "#]],
    );
}

#[test]
fn joined_strings_are_one_shader() {
    cpp(
        r###"
const char* a =
    "#version 460\n"
    "#define N 4\n"  // how many
    R"glsl(
void main() {
)glsl"
    "  int x = N; \t // the rest\n"
    "}\n";
const char* b = /* glsl */ "#version 460\n"
    "#define ADD(a, b) \\\n"
    "    ((a) + "
    "(b))\n"
    "void main() { int i = ADD(1, 2); // one\n int j = 2; }";
const char* c = /* glsl */ "#version 460\nvoid main() {}";
"###,
        &expect![[r#"
            a comp
              ·····#version 460
              ·····#define N 4
  
              void main() {
  
              ·······int x = N;    // the rest
              ·····}
            b comp
              ····························#version 460
              ·····#define ADD(a, b)     \
              ·········((a) + \
              ·····(b))
              ·····void main() { int i = ADD(1, 2); /* one*/ int j = 2; }
            c comp [embedded-part "v": a line of GLSL ends or continues within this line of the program, so errors of the shader are not reported: write each line of GLSL on a line of its own, or use a raw string]
              ····························#version 460  void main() {}
        "#]],
    );
}

#[test]
fn what_is_not_written_down_is_told() {
    cpp(
        r###"
std::string a = std::string(HEAD) + R"glsl(void main() {})glsl";
std::string b = R"glsl(#version 460
void main() { int x = )glsl" + std::to_string(n) + R"glsl(; })glsl";
auto c = std::format(R"glsl(#version 460
void main() {{ int x = {}; }})glsl", 1);
auto d = R"glsl(#version 460
#define N )glsl" STRINGIZE(N) R"glsl(
void main() {})glsl";
out << "prefix" << R"glsl(#version 460
void main() {})glsl";
auto e = HEAD R"glsl(#version 460
void main() {})glsl";
auto f = R"glsl(float half_of(float x) { return x / 2; })glsl";
auto g = R"glsl(#version 330
void main() {})glsl";
auto h = R"glsl(#version 450
uniform float x;
void main() {})glsl";
"###,
        &expect![[r#"
            a comp [embedded-part "+": part of this shader is not known here: what comes before `+` inserts text, so errors of the shader are not reported]
              ···········································void main() {}
            b comp [embedded-part "std::to_string(n)": part of this shader is not known here: `std::to_string(n)` inserts text, so errors of the shader are not reported]
              ·······················#version 460
              void main() { int x =                                     ; }
            c comp [embedded-part "format": part of this shader is not known here: `format` inserts text, so errors of the shader are not reported]
              ····························#version 460
              void main() {{ int x = {}; }}
            d comp [embedded-part "STRINGIZE(N)": part of this shader is not known here: `STRINGIZE(N)` inserts text, so errors of the shader are not reported]
              ················#version 460
              #define N
              void main() {}
            5 comp [embedded-part "<<": part of this shader is not known here: what comes before `<<` inserts text, so errors of the shader are not reported]
              ········prefix            #version 460
              void main() {}
            e comp
              ·····················#version 460
              void main() {}
            f comp [embedded-fragment "": this GLSL has no `main`: it is part of a shader, and its errors are reported for the whole shader]
              ················float half_of(float x) { return x / 2; }
            g comp [embedded-part "": this is a shader for OpenGL, judging by its `#version 330`, so its errors are not reported]
              ················#version 330
              void main() {}
            h comp [embedded-part "": this is a shader for OpenGL, as its interface variables have no `layout`, so its errors are not reported]
              ················#version 450
              uniform float x;
              void main() {}
        "#]],
    );
}

#[test]
fn rust_has_strings_and_macros() {
    rust(
        r####"
const ADD: &str = /* glsl */ r#"#version 460
void main() {}
"#;
static SCALE: &'static str = // glsl comp
    "#version 460
void main() { \
    int x = 1; }";
mod cs {
    vulkano_shaders::shader! {
        ty: "compute",
        src: r"
            #version 460
            void main() {}
        ",
    }
}
mod both {
    vulkano_shaders::shader! {
        shaders: {
            first: { ty: "vertex", src: "#version 460
                void main() { gl_Position = vec4(0); }" },
            second: { ty: "fragment", path: "x.frag" },
            third: { ty: "compute", define: [("N", "4"), (r"M", "a b",)], include: ["inc"], src: r"#version 460
                void main() { int n = N; }" },
            fourth: { ty: "compute", define: [("N", n)], src: r"#version 460
                void main() { int n = N; }" },
        },
    }
}
let inline = glsl! {
    #version 460
    void main() { float x = 'a' /* } */; }
};
let string = glsl!(r"#version 460
    void main() {}");
fn f<'a>(x: &'a str) -> char { '"' } /* /* nested */ glsl! {} */
let whole = /* glsl */ concat!("#version 460\n", "void main() {}", include_str!("x"));
"####,
        &expect![[r#"
            ADD comp
              ································#version 460
              void main() {}
            SCALE comp
              ·····#version 460
              void main() { \
              ····int x = 1; }
            cs comp
              ············#version 460
              ············void main() {}

            first vert
              ·········································#version 460
              ················void main() { gl_Position = vec4(0); }
            third comp -DN=4 -DM=a b -Iinc
              ···································································································#version 460
              ················void main() { int n = N; }
            fourth comp [embedded-part "define": part of this shader is not known here: `define` inserts text, so errors of the shader are not reported]
              ································································#version 460
              ················void main() { int n = N; }
            inline comp
              ····#version 460
              ····void main() { float x = 'a' /* } */; }
            string comp
              ·····················#version 460
              ····void main() {}
            whole comp [embedded-part "include_str!(\"x\")": part of this shader is not known here: `include_str!("x")` inserts text, so errors of the shader are not reported]
              ································#version 460      void main() {}
        "#]],
    );
}

#[test]
fn a_directive_ends_with_its_line() {
    cpp(
        r###"
#include "shader.h" // shared with the host

/* The first of all. */
const char* a = R"glsl(#version 460
void main() {})glsl";
#define NAME "abc"
const char* b = R"glsl(#version 460
void main() {})glsl";
#error "x"
const char* c = R"glsl(#version 460
void main() {})glsl";
  # pragma message("hi") \
    "there"
const char* d = R"glsl(#version 460
void main() {})glsl";
#define SHADER(n) R"glsl(#version 460
#define N 1
void main() {})glsl"
extern "C" const char* e;
extern "C" const char* f = R"glsl(#version 460
void main() {})glsl";
std::string operator"" _g(const char* text, size_t) { return text; }
const char* g = R"glsl(#version 460
void main() {})glsl";
"###,
        &expect![[r#"
            a comp
              ·······················#version 460
              void main() {}
            b comp
              ·······················#version 460
              void main() {}
            c comp
              ·······················#version 460
              void main() {}
            d comp
              ·······················#version 460
              void main() {}
            5 comp
              ·························#version 460
              #define N 1
              void main() {}
            f comp
              ··································#version 460
              void main() {}
            g comp
              ·······················#version 460
              void main() {}
        "#]],
    );
}

#[test]
fn a_condition_between_strings_is_told() {
    cpp(
        r###"
const char* between = /* glsl */ "#version 460\n"
#ifdef FAST
    "#define N 4\n"
#else
    "#define N 8\n"
#endif
    "void main() {}\n";
const char* alternatives =
#if FAST
    R"glsl(#version 460
void main() {})glsl"
#else
    R"glsl(#version 460
void main() { int slow; })glsl"
#endif
    ;
const char* common = HEAD
#if FAST
    R"glsl(void main() { int fast;)glsl"
#elif SLOW
    R"glsl(void main() { int slow;)glsl"
#endif
    "}";
const char* included = R"glsl(#version 460
void main() {)glsl"
#include "body.inc"
;
"###,
        &expect![[r##"
            between comp [embedded-part "#ifdef FAST": there is a preprocessor condition between the strings of this shader (`#ifdef FAST`), so its errors are not reported]
              ··································#version 460

              ·····#define N 4

              ·····#define N 8

              ·····void main() {}
            alternatives comp
              ···········#version 460
              void main() {}
            alternatives-2 comp
              ···········#version 460
              void main() { int slow; }
            common comp [embedded-part "#elif SLOW": there is a preprocessor condition between the strings of this shader (`#elif SLOW`), so its errors are not reported]
              ···········void main() { int fast;
            common-2 comp [embedded-part "#endif": there is a preprocessor condition between the strings of this shader (`#endif`), so its errors are not reported]
              ···········void main() { int slow;     \
              ·····\
              ·····}
            included comp [embedded-part "#include \"body.inc\"": part of this shader is not known here: `#include "body.inc"` inserts text, so errors of the shader are not reported]
              ······························#version 460
              void main() {
        "##]],
    );
}

#[test]
fn what_is_plainly_left_out_is_not_looked_at() {
    cpp(
        r###"
#if 0 // don't
const char* a = R"glsl(#version 460
void main() { nothing; })glsl";
#if X
#else
const char* b = R"glsl(#version 460
void main() { nothing; })glsl";
#endif
#else
const char* c = R"glsl(#version 460
void main() {})glsl";
#endif
#if 1
const char* d = /* glsl */ "#version 460\n"
#if 0
    "nothing;\n"
#endif
    "void main() {}\n";
#else
const char* e = R"glsl(#version 460
void main() { nothing; })glsl";
#endif
#if 0
#elif Y
const char* f = R"glsl(#version 460
void main() {})glsl";
#endif
"###,
        &expect![[r#"
            c comp
              ·······················#version 460
              void main() {}
            d comp
              ····························#version 460



              ·····void main() {}
            f comp
              ·······················#version 460
              void main() {}
        "#]],
    );
}

#[test]
fn a_mark_stands_before_all_that_is_put_together() {
    cpp(
        r###"
f(/* glsl */ HEAD "void main() {}", "other");
auto a = /* glsl */ std::string(HEAD) + "void main() {}";
auto b = /* glsl frag */ std::string("#version 460\n") + "void main() {}\n" + TAIL;
// glsl
static const char* const c[] =
    "#version 460\n"
    "void main() {}\n";
int n; // glsl
const char* d = "none";
// glsl

const char* e = "none";
// glsl
puts("none");
// glsl
if (language == "none") {}
"###,
        &expect![[r#"
            1 comp [embedded-part "HEAD": part of this shader is not known here: `HEAD` inserts text, so errors of the shader are not reported]
              ···················void main() {}
            a comp [embedded-part "+": part of this shader is not known here: what comes before `+` inserts text, so errors of the shader are not reported]
              ·········································void main() {}
            b frag [embedded-part "TAIL": part of this shader is not known here: `TAIL` inserts text, so errors of the shader are not reported]
              ······································#version 460        void main() {}
            c comp
              ·····#version 460
              ·····void main() {}
        "#]],
    );
}

#[test]
fn a_mark_stands_before_rust_s_declarations() {
    rust(
        r###"
// glsl
const A: &str = "#version 460
void main() {}";
// glsl comp
#[rustfmt::skip]
pub(crate) static B: &'static str = concat!("#version 460
", "void main() {}");
let c = /* glsl */ HEAD.to_owned() + "void main() {}";
let d = /* glsl */ &format!("#version 460
void main() {{}}");
let e = match language {
    // glsl
    Language::Glsl => "none",
};
"###,
        &expect![[r#"
            A comp
              ·················#version 460
              void main() {}
            B comp
              ·············································#version 460
              ····void main() {}
            3 comp [embedded-part "+": part of this shader is not known here: what comes before `+` inserts text, so errors of the shader are not reported]
              ······································void main() {}
            d comp [embedded-part "format": part of this shader is not known here: `format` inserts text, so errors of the shader are not reported]
              ·····························#version 460
              void main() {{}}
        "#]],
    );
}

#[test]
fn names_are_told_apart() {
    cpp(
        "f(R\"glsl(#version 460\nvoid main() {})glsl\"); auto s = R\"glsl(#version 460\nvoid main() {})glsl\"; { auto s = R\"glsl(#version 460\nvoid main() {})glsl\"; } struct T t = { .src = R\"glsl(#version 460\nvoid main() {})glsl\" }; const char s2[] = R\"glsl(#version 460\nvoid main() {})glsl\";",
        &expect![[r#"
            1 comp
              ·········#version 460
              void main() {}
            s comp
              ·······································#version 460
              void main() {}
            s-2 comp
              ········································#version 460
              void main() {}
            src comp
              ·····················································#version 460
              void main() {}
            s2 comp
              ·················································#version 460
              void main() {}
        "#]],
    );
}

#[test]
fn columns_count_what_is_not_ascii() {
    cpp(
        "/* größe \u{1F600} */ auto s = R\"glsl(#version 460 // é\r\nvoid main() {})glsl\";\r\n\rauto é = R\"glsl(#version 460\nvoid main() {})glsl\";",
        &expect![[r#"
            s comp
              ···/*öße 😀*/                  #version 460 // é
              void main() {}
            2 comp
              ···/*é*/        #version 460
              void main() {}
        "#]],
    );
}

#[test]
fn hostile_files_are_read_in_time() {
    let start = std::time::Instant::now();
    let long = 1 << 20;
    for text in [
        "R\"glsl(".repeat(long / 7),
        format!("R\"glsl({}", "x".repeat(long)),
        format!("R\"{}(void main() {{}}){}\" glsl", "glsl".repeat(5), "glsl".repeat(5)),
        "/* glsl */ \"a\" + (".repeat(long / 18),
        "/* glsl */ \"a\" ".repeat(long / 15),
        "glsl!{".repeat(long / 6),
        "shader!{a:{".repeat(long / 11),
        "glsl \"\\".repeat(long / 8),
        "/*glsl*/ f(".repeat(long / 11),
        "/*glsl*/\"\".f(".repeat(long / 14),
        "glsl 'a".repeat(long / 7),
        "\"\"+glsl<<".repeat(long / 9),
        "glsl = { = [ ".repeat(long / 13) + "/* glsl */ \"\"",
        "#if glsl\n".repeat(long / 9),
        "\"glsl\"\n#else\n".repeat(long / 13),
        "#ifdef glsl\n\"a\"\n#else\n".repeat(long / 23) + &"#endif\n".repeat(long / 23),
        "#define glsl(a \"b\"\n".repeat(long / 19),
    ] {
        for language in [Language::Cpp, Language::Rust] {
            for region in regions(language, &text) {
                assert!(region.text.len() <= text.len() + 2);
            }
        }
    }
    // Without optimisation, on a machine that does other work as well.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn a_note_has_whole_letters() {
    cpp(
        "f(/* glsl */ \"#version 460\\né\");",
        &expect![[r#"
        1 comp [embedded-part "é": a line of GLSL ends or continues within this line of the program, so errors of the shader are not reported: write each line of GLSL on a line of its own, or use a raw string]
          ··············#version 460  é
    "#]],
    );
}
