//! The chapter that lists what of the book no test runs, each with its reason.

use std::fmt::Write as _;
use std::fs;

use anyhow::Result;

use crate::blocks::{REASONS, reason};
use crate::chapters::Book;
use crate::{examples, markdown, paths};

/// The file that this chapter stands for.
const SOURCE: &str = "xtask/book/src/untested.rs";

pub fn text(book: &Book) -> Result<String> {
    let mut out = String::from(
        "# What is not run\n\nEvery command in this book is run by `cargo xtask book --check`, over a copy of the examples, and what is shown below a command is compared with \
         what it prints. These are not:\n",
    );
    let mut found: Vec<(String, String)> = Vec::new();
    for source in examples::sources(book) {
        let text = fs::read_to_string(paths::root().join(&source))?;
        for block in markdown::blocks(&text) {
            let Some(name) = block.attribute("untested") else { continue };
            for line in block.text.lines().map(|line| line.split(" #").next().unwrap_or(line).trim()) {
                if !line.is_empty() {
                    let link = paths::relative(SOURCE, &source);
                    let row = format!("- `{}` in [{source}]({link})", line.trim_start_matches("$ "));
                    found.push((name.to_owned(), row));
                }
            }
        }
    }
    for (name, _) in REASONS {
        let rows: Vec<&String> = found.iter().filter(|(key, _)| key == name).map(|(_, row)| row).collect();
        if rows.is_empty() {
            continue;
        }
        let words = reason(name).unwrap_or_default();
        let (first, rest) = words.split_at(1);
        let _ = writeln!(out, "\n## {}{rest}\n", first.to_uppercase());
        for row in rows {
            let _ = writeln!(out, "{row}");
        }
    }
    out.push_str(
        "\nCommands within a sentence are not run either: that the programs have such commands and options is checked. Settings of editors are held by the tests of \
         [the editors](../../../docs/editors.md), where it says so there.\n",
    );
    Ok(out)
}
