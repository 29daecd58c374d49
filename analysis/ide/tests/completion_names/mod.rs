//! In the examples, completion offers every name that stands there, also while the line is being written; and no place of any text
//! is one that completion or signature help cannot be asked at.

mod sampling;

use std::path::Path;
use std::sync::Arc;

use coopmat_analysis::analyze;
use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::NoFiles;
use coopmat_analysis::text::{FileId, FilePosition, TextSize};
use coopmat_ide::completion::{completions, completions_after};
use coopmat_ide::signature::signature_help;
use sampling::{Cut, sample};

/// The examples with their paths.
fn examples() -> Vec<(String, Arc<str>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut found = Vec::new();
    for folder in std::fs::read_dir(folder).unwrap().flatten() {
        let Ok(files) = std::fs::read_dir(folder.path()) else { continue };
        for file in files.flatten().filter(|file| file.path().extension().is_some_and(|it| it == "comp")) {
            let text = std::fs::read_to_string(file.path()).unwrap();
            found.push((file.path().to_string_lossy().into_owned(), text.into()));
        }
    }
    found
}

#[test]
fn names_of_the_examples_are_offered() {
    let (mut asked, mut missed) = (0, Vec::new());
    for (path, text) in examples() {
        for (cut, step) in [(Cut::Name, 7), (Cut::Line, 11)] {
            let outcome = sample(&path, &text, &Configuration::default(), &NoFiles, (step, cut, false));
            asked += outcome.asked;
            missed.extend(outcome.missed.into_iter().map(|miss| (path.clone(), cut, miss)));
        }
    }
    assert!(asked > 100, "{asked}");
    assert!(missed.len() * 50 < asked, "{} of {asked}: {missed:#?}", missed.len());
}

fn ask_at(path: &str, text: &str, offsets: impl Iterator<Item = usize>) {
    let analysis = analyze(path, text.into(), &Configuration::default(), &NoFiles, None);
    for offset in offsets.filter(|&offset| text.is_char_boundary(offset)) {
        let position = FilePosition { file: FileId::ROOT, offset: TextSize::new(offset as u32) };
        completions(&analysis, position);
        for typed in ['.', ' '] {
            completions_after(&analysis, position, typed);
        }
        signature_help(&analysis, position);
    }
}

#[test]
fn every_place_can_be_asked_at() {
    for (path, text) in examples() {
        ask_at(&path, &text, (0..=text.len()).step_by(11));
        // As far as somebody has written it.
        for end in (0..text.len()).step_by(397).filter(|&end| text.is_char_boundary(end)) {
            ask_at(&path, &text[..end], std::iter::once(end));
        }
    }
}

#[test]
fn hostile_places_can_be_asked_at() {
    let deep = format!("void main() {{ x = {}", "(a[".repeat(3000));
    let generic = format!("void main() {{ {}", "coopmat<".repeat(3000));
    for text in [
        "",
        "#",
        "#\\\n",
        "#define",
        "#define f(",
        "#define f(a) \\\n a.",
        "#include",
        "#include <",
        "#extension :",
        "#if (",
        "layout(",
        "layout(=",
        "[[",
        "]]",
        "}}}}",
        ")))",
        ">>>>",
        "a.",
        ".",
        "a..",
        "..b",
        "1.",
        "a(b)(c).",
        "coopmat<>",
        "\"",
        "/*",
        "//",
        "struct",
        "{",
        "f({",
        "vec4(1).xyzw.",
        "é.é",
        "void main() { for (;;",
        "case",
        "#version",
        "#line \"",
        "\u{feff}#",
        &deep,
        &generic,
    ] {
        let step = (text.len() / 12).max(1);
        ask_at("/main.comp", text, (0..=text.len()).step_by(step).chain(std::iter::once(text.len())));
    }
}
