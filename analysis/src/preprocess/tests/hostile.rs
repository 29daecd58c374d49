//! Bounds: whatever the text, the work ends soon and something is said.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::config::Configuration;
use crate::preprocess::preprocess;
use crate::sources::{FileLoader, NoFiles};

use super::{check_diagnostics, run};

fn ids(source: &str) -> Vec<&'static str> {
    let (_, done) = run(source);
    let mut ids: Vec<_> = done.diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
    ids.dedup();
    ids
}

/// `#define A1 A0 A0`, and so on: 2^n tokens.
fn doubling(count: usize, call: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for level in 1..=count {
        let _ = writeln!(text, "{}", call(level));
    }
    text
}

#[test]
fn doubling_macros_end() {
    let objects = doubling(60, |n| format!("#define A{n} A{} A{}", n - 1, n - 1));
    assert_eq!(ids(&format!("{objects}A60")), ["preprocessor-expansion-limit"]);
    let calls = doubling(60, |n| format!("#define F{n}(x) F{}(x x)", n - 1));
    assert_eq!(ids(&format!("#define F0(x)\n{calls}F60(a)")), ["preprocessor-expansion-limit"]);
    let in_condition = format!("{objects}#if A60\n#endif\n");
    assert_eq!(ids(&in_condition), ["preprocessor-expansion-limit"]);
    let pasting = doubling(60, |n| format!("#define P{n}(x) P{}(x##x)", n - 1));
    let text = format!("#define P0(x) x\n{pasting}P60(a)");
    assert_eq!(ids(&text), ["preprocessor-expansion-limit", "preprocessor-paste"]);
}

#[test]
fn nothing_is_given_when_a_limit_stops_the_work() {
    let (_, done) = run(&format!("{}A60", doubling(60, |n| format!("#define A{n} A{} A{}", n - 1, n - 1))));
    assert!(done.incomplete && done.text.is_empty());
}

#[test]
fn deep_nesting_ends() {
    let calls = format!("#define F(x) x\n{}1{}", "F(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(ids(&calls), ["preprocessor-expansion-limit"]);
    let open = format!("#define F(x) x\n{}", "F(".repeat(100_000));
    assert_eq!(ids(&open), ["preprocessor-macro-unterminated"]);
    let chain = doubling(100_000, |n| format!("#define A{n} A{}", n - 1));
    assert_eq!(ids(&format!("{chain}A100000")), ["preprocessor-expansion-depth"]);
    let conditions = format!("{}x\n{}", "#if 1\n".repeat(100_000), "#endif\n".repeat(100_000));
    assert_eq!(ids(&conditions), [""; 0]);
    let open = "#if 0\n".repeat(100_000);
    assert_eq!(ids(&open), ["preprocessor-unterminated-conditional"]);
    let stray = "#else\n".repeat(100_000);
    assert_eq!(ids(&stray), ["preprocessor-unbalanced-conditional"]);
}

#[test]
fn a_name_that_calls_itself_ends() {
    assert_eq!(ids("#define f(x) f(x) f(x)\nf(f(f(f(1))))"), [""; 0]);
    assert_eq!(ids("#define a b\n#define b a\na b"), [""; 0]);
}

#[test]
fn includes_that_go_round_end() {
    check_diagnostics(
        "//! google-include
//- /main.comp
int x;
#include \"a.glsl\"
int y;
//- /a.glsl
#include \"b.glsl\"
#include \"b.glsl\"
//- /b.glsl
#include \"a.glsl\"
//       ^^^^^^^^ preprocessor-include-depth: includes itself
#include \"a.glsl\"
",
    );
}

#[test]
fn includes_that_multiply_end() {
    struct Tree;
    impl FileLoader for Tree {
        fn load(&self, path: &str) -> Option<Arc<str>> {
            let level: u32 = path.trim_start_matches('/').parse().ok()?;
            Some(format!("#include \"{0}\"\n#include \"{0}\"\nint x;\n", level + 1).into())
        }
    }
    let config = Configuration { google_include: true, ..Configuration::default() };
    let done = preprocess("/1", "#include \"/2\"\n".into(), &config, &Tree);
    let ids: Vec<_> = done.diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
    assert_eq!(ids, ["preprocessor-include-limit"]);
    assert!(done.incomplete);

    struct Wide;
    impl FileLoader for Wide {
        fn load(&self, path: &str) -> Option<Arc<str>> {
            let level: u32 = path.trim_start_matches('/').parse().ok()?;
            let next = format!("#include \"/{}\"\n", level + 1);
            Some(if level < 30 { next.repeat(2).into() } else { "".into() })
        }
    }
    let done = preprocess("/1", "#include \"/2\"\n".into(), &config, &Wide);
    let ids: Vec<_> = done.diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
    assert_eq!(ids, ["preprocessor-include-limit"]);
}

#[test]
fn a_large_program_is_refused() {
    let large = "a".repeat(9 << 20);
    assert_eq!(ids(&large), ["preprocessor-output-limit"]);
}

#[test]
fn many_mistakes_are_cut() {
    let (_, done) = run(&"@\n".repeat(100_000));
    assert_eq!(done.diagnostics.len(), 1_000);
}

/// A small generator, so that the inputs are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// The source map must answer for every range, whatever the text.
fn survive(source: &str) {
    let config = Configuration { google_include: true, ..Configuration::default() };
    let done = preprocess("/main.comp", source.into(), &config, &NoFiles);
    let len = done.text.len() as u32;
    for start in (0..=len).step_by(7) {
        for end in [start, start + 1, start + 20, len] {
            if start <= end && end <= len {
                let range = crate::text::TextRange::new(start.into(), end.into());
                let place = done.map.to_file(range);
                assert!(usize::from(place.primary.range.end()) <= source.len());
            }
        }
    }
    for offset in (0..source.len() as u32).step_by(5) {
        let file = crate::text::FileId::ROOT;
        done.map.to_expanded(crate::text::FilePosition { file, offset: offset.into() });
    }
    for diagnostic in &done.diagnostics {
        assert!(usize::from(diagnostic.location.range.end()) <= source.len(), "{diagnostic:?}");
    }
    for usage in &done.macro_uses {
        done.expansion_text(usage);
    }
    done.conditionals(crate::text::FileId::ROOT);
}

#[test]
fn random_bytes_do_no_harm() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..300 {
        let bytes: Vec<u8> = (0..random.below(200)).map(|_| random.below(256) as u8).collect();
        survive(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn random_tokens_do_no_harm() {
    const PIECES: &[&str] = &[
        "#",
        "##",
        "#define ",
        "#undef ",
        "#if ",
        "#ifdef ",
        "#ifndef ",
        "#elif ",
        "#else",
        "#endif",
        "#include ",
        "#version ",
        "#extension ",
        "#line ",
        "#pragma once",
        "#error ",
        "defined",
        "(",
        ")",
        "(",
        ")",
        ",",
        "a",
        "b",
        "F",
        "G",
        "H",
        "F(",
        "G(",
        "H(x, y)",
        "F(x)",
        "__LINE__",
        "__FILE__",
        "__VERSION__",
        "1",
        "0x1F",
        "2.5",
        "+",
        "-",
        "/",
        "%",
        "<",
        ">",
        "&&",
        "\"s\"",
        "\"",
        "'",
        "\n",
        "\n",
        "\n",
        "\n",
        " ",
        " ",
        "\\\n",
        "//",
        "/*",
        "*/",
        "ä",
        "450",
        "es",
        ":",
        "all",
        "require",
        "#define F(x) x",
        "#define G(x, y) x##y #x F(y)\n",
        "#define H F(a)\n",
        "#define a b\n",
        "#define b a F\n",
        "\r",
        "\r\n",
        "\u{feff}",
        "@",
    ];
    let mut random = Random(42);
    for _ in 0..2_000 {
        let source: String = (0..random.below(80)).map(|_| PIECES[random.below(PIECES.len())]).collect();
        survive(&source);
    }
}
