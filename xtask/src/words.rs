//! Markdown stays readable beside other windows: no line of it is as long as 200 columns.

use std::fs;
use std::process::Command;

use crate::shell;

const COLUMNS: usize = 200;

/// Files with longer lines, and why.
const LONG: &[(&str, &str)] = &[
    ("docs/benchmarks.md", "its figures are written by `cargo xtask bench`"),
    ("codegen/spirv/docs/", "an entry is a line, as the program reads it"),
    ("analysis/diagnostics/preprocessor-expansion-depth.md", "its example is one deep line"),
];

fn long(path: &str, text: &str) -> Vec<String> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.chars().count()));
    let long = lines.filter(|(_, columns)| *columns >= COLUMNS);
    long.map(|(line, columns)| format!("{path}:{line}: {columns} columns")).collect()
}

#[test]
fn no_line_of_markdown_is_too_long() {
    let mut git = Command::new("git");
    git.current_dir(shell::root()).args(["ls-files", "*.md"]);
    let files = shell::output(&mut git).unwrap();
    assert!(files.lines().count() > 100, "{files}");
    let mut needed = vec![false; LONG.len()];
    let mut found = Vec::new();
    for path in files.lines() {
        // A file that was deleted and not yet committed is listed still.
        let Ok(text) = fs::read_to_string(shell::root().join(path)) else { continue };
        let lines = long(path, &text);
        match LONG.iter().position(|(start, _)| path.starts_with(start)) {
            Some(known) => needed[known] |= !lines.is_empty(),
            None => found.extend(lines),
        }
    }
    assert!(found.is_empty(), "break these lines, or make a list of the table:\n{}", found.join("\n"));
    for ((path, _), needed) in LONG.iter().zip(needed) {
        assert!(needed, "{path} has no long lines any more");
    }
}

#[test]
fn columns_are_characters() {
    assert_eq!(long("a.md", &"ö".repeat(199)), Vec::<String>::new());
    assert_eq!(long("a.md", &format!("short\n{}\n", "ö".repeat(200))), ["a.md:2: 200 columns"]);
}
