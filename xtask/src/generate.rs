//! `cargo xtask generate`: writes the files of the tree that are made from others.
//!
//! Generators write into the target folder first; the result is then compared with the tree or copied into it, so that
//! `--check` and the real run cannot disagree.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

use crate::shell;

mod address;
mod kinds;

/// The oldest format that tree-sitter still generates, so that editors with an older runtime load the parser, too.
const PARSER_ABI: usize = 14;

/// Where Neovim looks for the queries.
const PLUGIN_QUERIES: &str = "editors/nvim/queries/glsl_coopmat";

#[derive(clap::Args)]
pub struct Options {
    /// Change nothing; fail when a generated file is stale
    #[arg(long)]
    pub check: bool,
}

pub fn run(options: &Options) -> Result<()> {
    grammar(options.check)?;
    messages(options.check)
}

/// The parser and what follows from it, which no test of a crate looks at, and the page's address in texts.
pub fn grammar(check: bool) -> Result<()> {
    let mut stale = parser(check)?;
    stale.extend(address::write(check)?);
    if !stale.is_empty() {
        let list: Vec<_> = stale.iter().map(|path| path.display().to_string()).collect();
        bail!("stale: {}; run `cargo xtask generate` and commit the result", list.join(", "));
    }
    Ok(())
}

/// `playground-web/shared/src/messages.ts`: what the page and the module say to each other, from the types of the module. A test makes it, as the
/// declarations are derived for tests alone.
fn messages(check: bool) -> Result<()> {
    let mut test = shell::cargo(["test", "--quiet", "--lib", "the_types_of_typescript"]);
    if !check {
        test.env("UPDATE_EXPECT", "1");
    }
    shell::run(&mut test).context(
        "playground-web/shared/src/messages.ts is stale: run `cargo xtask generate` and commit the result",
    )
}

/// `parser/grammar.js` to `parser/src/`, and from there the constants of the Rust binding; and the queries to the plugin for Neovim, which is to work where it is copied alone.
fn parser(check: bool) -> Result<Vec<PathBuf>> {
    let folder = shell::root().join("parser");
    let output = shell::target().join("generate/parser");
    if output.exists() {
        fs::remove_dir_all(&output)?;
    }
    let mut diagnostics = Vec::new();
    generate_parser_in_directory(
        folder.clone(),
        Some(output.clone()),
        None::<PathBuf>,
        PARSER_ABI,
        None,
        Some("node"),
        true,
        OptLevel::default(),
        &mut diagnostics,
    )
    .with_context(|| format!("cannot generate a parser from {}", folder.join("grammar.js").display()))?;
    for diagnostic in &diagnostics {
        eprintln!("{diagnostic}");
    }
    let binding = shell::target().join("generate/binding");
    fs::create_dir_all(&binding)?;
    fs::write(binding.join("kinds.rs"), kinds::kinds(&fs::read_to_string(output.join("parser.c"))?)?)?;

    let mut stale = Vec::new();
    install(&binding, &folder.join("bindings/rust"), check, &mut stale)?;
    install(&output, &folder.join("src"), check, &mut stale)?;
    install(&folder.join("queries"), &shell::root().join(PLUGIN_QUERIES), check, &mut stale)?;
    Ok(stale)
}

/// Brings every file below `from` to the same place below `to`. With `check`, only collects those that differ.
fn install(from: &Path, to: &Path, check: bool, stale: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let destination = to.join(path.file_name().context("a folder entry without a name")?);
        if path.is_dir() {
            install(&path, &destination, check, stale)?;
            continue;
        }
        let text = fs::read(&path)?;
        if fs::read(&destination).is_ok_and(|old| old == text) {
            continue;
        }
        if check {
            stale.push(destination);
        } else {
            fs::create_dir_all(to)?;
            fs::write(&destination, text)?;
            eprintln!("wrote {}", destination.display());
        }
    }
    Ok(())
}
