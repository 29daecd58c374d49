//! The sources call what the tables provide by the constants that are made of the tables, and never a function by its name.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use coopmat_analysis::extensions;

/// Files that write names of extensions, constants or variables as text, each for a reason.
const WRITTEN: [(&str, &str); 10] = [
    ("analysis/build/", "makes the tables"),
    ("analysis/src/extensions/lookup.rs", "says what names of built-ins begin with"),
    ("analysis/src/preprocess/cache.rs", "macros of the profile, which are no extensions"),
    ("codegen/spirv/src/text/", "names for modules of any origin: stands on no table of GLSL"),
    (
        "lsp/core/src/embedded/judge.rs",
        "tells a stage by words, those of APIs and stages without a table among them",
    ),
    ("simulator/src/debugger/", "names for modules of any origin: the simulator sees no GLSL"),
    ("xtask/book/src/generated/diagnostics.rs", "a title of the book"),
    ("xtask/corpus/src/glslang.rs", "finds words in texts of others, by beginnings as well"),
    ("xtask/fuzz/", "words of damaged input"),
    ("xtask/rules/", "writes expressions of GLSL"),
];

/// Files that write names of functions as text.
const CALLED: [(&str, &str); 5] = [
    (
        "lsp/core/src/embedded/judge.rs",
        "tells a stage by words, those of APIs and stages without a table among them",
    ),
    ("simulator/src/matrix/checked.rs", "words of findings: the simulator sees no GLSL"),
    ("xtask/fuzz/", "words of damaged input"),
    ("xtask/rules/", "writes calls in GLSL, and what a table of measurements calls them"),
    ("xtask/book/", "titles"),
];

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !matches!(name, "tests" | "test" | "target" | "node_modules" | "benches" | "fixtures") {
                sources(&path, into);
            }
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            into.push(path);
        }
    }
}

/// The string literals of a source, before the tests in it; comments have none.
fn literals(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")).flat_map(
        |(number, line)| line.split('"').skip(1).step_by(2).map(move |literal| (number + 1, literal)),
    )
}

/// The sources of the repository with their text, but for those that begin with one of some paths.
fn repository(but: &[(&str, &str)]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in ["analysis", "codegen", "lsp", "recipe", "simulator", "xtask", "playground-web/wasm"] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 300, "the sources are where they were");
    let named = files.into_iter().map(|file| {
        let name = file.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        (name, fs::read_to_string(&file).unwrap())
    });
    named.filter(|(name, _)| !but.iter().any(|(beginning, _)| name.starts_with(beginning))).collect()
}

/// The literals that are names, with their places.
fn written(allowed: &[(&str, &str)], is_name: impl Fn(&str) -> bool) -> String {
    let mut found = String::new();
    for (name, text) in repository(allowed) {
        for (line, literal) in literals(&text).filter(|(_, literal)| is_name(literal)) {
            let _ = writeln!(found, "{name}:{line}: \"{literal}\"");
        }
    }
    found
}

#[test]
fn extensions_constants_and_variables_are_called_by_generated_names() {
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_name = |literal: &str| {
        is_word(literal)
            && (literal.starts_with("gl_")
                || extensions::extension(literal).is_some_and(|id| id != extensions::ids::GLSL))
    };
    let found = written(&WRITTEN, is_name);
    assert!(
        found.is_empty(),
        "write `extensions::ids::...`, `constants::...`, `values::...`, `sets::...` or `variables::...` instead of\n{found}"
    );
}

/// Code knows a function by its rule, its instruction and its operands. Names in lower case are words of other things as well.
#[test]
fn no_function_is_known_by_its_name() {
    let is_name = |literal: &str| {
        literal.bytes().any(|byte| byte.is_ascii_uppercase()) && extensions::functions(literal).len() > 0
    };
    let mut found = written(&CALLED, is_name);
    for (name, text) in repository(&[]) {
        // A shader's own function is found by name: `main`.
        let compares = |line: &str| {
            [
                "function.name.starts_with(",
                "function.name.ends_with(",
                "function.name.contains(",
                "function.name.strip_",
                "function.name == \"",
                "function.name != \"",
                "match function.name",
                "match call.function.name",
            ]
            .iter()
            .any(|comparison| line.contains(comparison))
                && !line.contains("\"main\"")
        };
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| compares(line)) {
            let _ = writeln!(found, "{name}:{}: {}", index + 1, line.trim());
        }
    }
    assert!(
        found.is_empty(),
        "give the entries in `analysis/extensions/` what tells them apart instead of\n{found}"
    );
}
