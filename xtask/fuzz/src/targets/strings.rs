//! Shaders in strings of C++ and Rust: where they are found, what they are called, and that their characters stand where the file has them.

use std::collections::HashSet;

use coopmat_server::embedded::{Language, Region, regions};

use super::inputs::mutate_text;
use crate::mutate;
use crate::random::Random;
use crate::seeds::Seeds;
use crate::target::{Effort, Target, Unit};

pub const TARGET: Target = Target {
    name: "strings",
    about: "files of C++ and Rust with shaders in strings: places, names and texts of the shaders",
    unit: Unit::Text,
    run,
    generate,
    mutate: mutate_text,
};

fn run(bytes: &[u8], _: Effort) {
    let text = String::from_utf8_lossy(bytes);
    // Either lexer meets whatever there is.
    for language in [Language::Cpp, Language::Rust] {
        let found = regions(language, &text);
        let mut names = HashSet::new();
        let mut last = 0;
        for region in &found {
            assert!(names.insert(&region.name), "two shaders are called {}", region.name);
            assert!(region.range.start >= last, "{} stands before the shader before it", region.name);
            last = region.range.start;
            check(region, &text);
        }
    }
}

fn check(region: &Region, text: &str) {
    let name = &region.name;
    assert!(!name.is_empty() && !name.contains(['/', '.', '\n']), "{name:?} is no name");
    let whole = text.get(region.range.clone());
    assert!(whole.is_some(), "{name}: {:?} is no part of the file", region.range);
    let mut behind = region.range.start;
    for piece in &region.pieces {
        assert!(piece.range.start >= behind && piece.range.end <= region.range.end, "{name}: {piece:?}");
        assert!(text.get(piece.range.clone()).is_some(), "{name}: {piece:?} cuts a character");
        behind = piece.range.end;
    }
    if let Some(part) = &region.part {
        assert!(text.get(part.range.clone()).is_some(), "{name}: {:?} is no part of the file", part.range);
        return;
    }
    // Lines are those of the file, and a raw literal stands in them as it is.
    for piece in region.pieces.iter().filter(|piece| piece.end.is_some()) {
        let start = piece.range.start.checked_sub(region.shift);
        let own = start.and_then(|start| region.text.get(start..start + piece.range.len()));
        assert_eq!(own, text.get(piece.range.clone()), "{name}");
    }
    let before = text.get(..region.range.start).unwrap_or_default();
    let first = region.text.len() - region.text.trim_start().len();
    let lines = |text: &str| text.replace("\r\n", "\n").matches(['\n', '\r']).count();
    let own = lines(region.text.get(..first).unwrap_or_default());
    assert!(own >= lines(before), "{name}: begins before its line");
}

fn generate(random: &mut Random, seeds: &Seeds) -> Vec<u8> {
    let mut text = String::new();
    for number in 0..=random.below(3) {
        let shader = seeds.shader(random);
        let shader = match random.one_in(3) {
            true => mutate::shader(shader, random, seeds),
            false => shader.lines().take(1 + random.below(12)).collect::<Vec<_>>().join("\n"),
        };
        let lines = |end: &str| -> String {
            let escaped = shader.lines().map(|line| line.replace('\\', "\\\\").replace('"', "\\\""));
            escaped.map(|line| format!("\"{line}{end}\"\n")).collect()
        };
        text += &match random.below(12) {
            0 => format!("const char* s{number} = R\"glsl({shader})glsl\";\n"),
            1 => format!("auto s{number} = /* glsl frag */ R\"x({shader})x\" + name + R\"({shader})\";\n"),
            2 => format!("// glsl\nconst char* s{number}[] = {{\n{}}};\n", lines("\\n")),
            3 => format!("f(/* glsl */ {} << n << {});\n", lines("\\n"), lines("")),
            4 => format!("const S: &str = /* glsl */ r##\"{shader}\"##;\n"),
            5 => format!("mod m{number} {{ glsl! {{ {shader} }} }}\n"),
            6 => format!(
                "mod m{number} {{ v::shader! {{ ty: \"compute\", define: [(\"A\", \"1\")], src: r\"{shader}\" }} }}\n"
            ),
            7 => {
                format!("s::shader!(shaders: {{ a: {{ src: {} }}, b: {{ path: \"x\" }} }});\n", lines("\\n"))
            }
            8 => format!("let s = concat!(/* glsl */ {}, include_str!(\"x\"));\n", lines("\\n\\\n")),
            9 => format!("#define G(x) #x\n/* /* glsl */ '\"' '\\'' \"{shader}\n"),
            10 => format!("std::format(/*glsl*/ u8R\"glsl({shader})glsl\", 1).replace(\"a\", \"b\");\r\n"),
            _ => format!("\u{e9} = /* glsl */ \"\\x41\\u{{41}}\\\n  {shader}\";\r"),
        };
    }
    for _ in 0..random.below(6) {
        let piece = random.pick([
            "\"", "'", "R\"", ")\"", "glsl", "/*", "*/", "//", "\\", "\\\n", "(", ")", "{", "}", "[", "]",
            "#", "r#\"", "\"#", "\n", "\r", "\u{2028}", "+", "<<", ",", "shader!{", "glsl!(", "concat!(",
            "\0", "é",
        ]);
        let at = mutate::floor(&text, random.below(text.len() + 1));
        match random.one_in(3) {
            true => {
                let end = mutate::floor(&text, (at + random.below(9)).min(text.len()));
                text.replace_range(at..end.max(at), piece);
            }
            false => text.insert_str(at, piece),
        }
    }
    text.into_bytes()
}
