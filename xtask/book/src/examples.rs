//! Tries what the chapters show: runs commands and compares what they print, analyses shaders, reads TOML and JSON, and looks up every
//! command that is only mentioned.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use coopmat_analysis::Analyzer;
use coopmat_analysis::diagnostics::{Tag, codes};
use coopmat_analysis::fixture::{Reported, compare};
use coopmat_analysis::project::Project;

use crate::blocks::reason;
use crate::chapters::Book;
use crate::commands::{Folder, Output, matches, shown};
use crate::markdown::{self, Block};
use crate::paths;
use crate::usage::{self, Program};

/// Shown beside the book.
const OTHERS: &[&str] = &["README.md"];

const CHANGELOG: &str = "CHANGELOG.md";

/// What the shell blocks may begin with to be looked up.
const PROGRAM: &str = "coopmat-analyzer";
const CHORES: &str = "cargo xtask";

#[derive(Default)]
struct Tally {
    counts: BTreeMap<&'static str, usize>,
    faults: Vec<String>,
}

impl Tally {
    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }
}

/// Judges every chapter that is written by hand; generated ones have their own tests.
pub fn check(program: &Path, chores: &Path, update: bool) -> Result<Vec<String>> {
    let book = Book::read()?;
    let programs = [Program::new(PROGRAM, program), Program::new(CHORES, chores)];
    let mut tally = Tally::default();
    for source in sources(&book) {
        let path = paths::root().join(&source);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {source}"))?;
        // Made when the first block needs it: the blocks of a chapter see what those before them wrote.
        let mut folder = None;
        let mut edits = Vec::new();
        for block in markdown::blocks(&text) {
            let place = format!("{source}:{}", block.line);
            match judge(&block, program, &programs, &mut folder, &mut tally) {
                Ok(None) => {}
                Ok(Some(printed)) if update => {
                    edits.push((block.range.clone(), refilled(&text, &block, &printed)))
                }
                Ok(Some(printed)) => {
                    let found = printed.concat();
                    tally.faults.push(format!("{place}: the commands print something else (`cargo xtask book --update` writes it down):\n{found}"));
                }
                Err(error) => tally.faults.push(format!("{place}: {error:#}")),
            }
        }
        // What was true of a version stays in the changelog.
        let spans = if source == CHANGELOG { Vec::new() } else { markdown::spans(&text) };
        for (span, line) in spans {
            if span.starts_with(PROGRAM) || span.starts_with(CHORES) {
                tally.count("commands within sentences");
                if let Some(fault) = usage::judge(&programs, &span) {
                    tally.faults.push(format!("{source}:{line}: {fault}"));
                }
            }
        }
        if !edits.is_empty() {
            fs::write(&path, markdown::replace(&text, edits))?;
            println!("wrote {source}");
        }
    }
    let counts: Vec<String> = tally.counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
    println!("tried: {}", counts.join(", "));
    Ok(tally.faults)
}

/// The files with chapters that people write.
pub fn sources(book: &Book) -> Vec<String> {
    let written = book.chapters.iter().filter(|chapter| chapter.generator.is_none());
    OTHERS.iter().map(|&path| path.to_owned()).chain(written.map(|chapter| chapter.source.clone())).collect()
}

/// `Some`: what each command of a `console` block printed, where it is not what is shown.
fn judge(
    block: &Block,
    program: &Path,
    programs: &[Program],
    folder: &mut Option<Folder>,
    tally: &mut Tally,
) -> Result<Option<Vec<String>>> {
    anyhow::ensure!(
        block.info.is_some(),
        "a code block without a language: fence it, with `text` if it is nothing else"
    );
    if let Some(name) = block.attribute("file") {
        opened(folder, program)?.write(name, &block.text)?;
    }
    match block.language() {
        "sh" | "console" => return commands(block, program, programs, folder, tally),
        "toml" => {
            tally.count("TOML files");
            toml(block)?;
        }
        "json" => {
            tally.count("JSON texts");
            serde_json::from_str::<serde_json::Value>(&block.text).context("this is no JSON")?;
        }
        "glsl" => {
            if block.text.contains("void main") {
                tally.count("shaders");
                shader(&block.text).map_err(|difference| anyhow::anyhow!("{difference}"))?;
            } else {
                tally.count("parts of shaders, not analysed");
            }
        }
        "cpp" | "rust" => {
            tally.count("programs with shaders in strings");
            strings(block, program)?;
        }
        // Of editors and build servers: their tests hold them, as docs/editors.md says.
        "lua" | "vim" | "elisp" | "ini" | "yaml" | "js" | "ts" | "html" | "text" => {
            tally.count("other texts, not tried")
        }
        other => anyhow::bail!("nothing is known about blocks of `{other}`"),
    }
    Ok(None)
}

fn opened<'a>(folder: &'a mut Option<Folder>, program: &Path) -> Result<&'a mut Folder> {
    Ok(match folder {
        Some(folder) => folder,
        None => folder.insert(Folder::new(program)?),
    })
}

fn toml(block: &Block) -> Result<()> {
    toml::from_str::<toml::Table>(&block.text).context("invalid TOML")?;
    if block.attribute("recipe").is_some() {
        coopmat_recipe::parse(&block.text)
            .map_err(|error| anyhow::anyhow!("no recipe: {}", error.message))?;
    }
    if block.attribute("project").is_some() {
        let mistakes = Project::parse(&block.text, "/").err().unwrap_or_default();
        let words: Vec<String> = mistakes.into_iter().map(|mistake| mistake.message).collect();
        anyhow::ensure!(words.is_empty(), "no project file: {}", words.join("; "));
    }
    Ok(())
}

/// A program of C++ or Rust has shaders in strings, in which nothing is wrong.
fn strings(block: &Block, program: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(if block.language() == "rust" { "example.rs" } else { "example.cpp" });
    fs::write(&file, &block.text)?;
    let output = Command::new(program).arg("check").arg(&file).output()?;
    let words =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "check does not pass: {words}");
    Ok(())
}

/// A shader has the diagnostics that it marks, and no others; what is merely unused is left out.
fn shader(text: &str) -> Result<(), String> {
    let analyzer = Analyzer::default();
    compare(text, |path, text, config, loader| {
        let mut analysis = analyzer.analyze(path, text.clone(), config, loader, None);
        coopmat_codegen::device::add_diagnostics(&mut analysis);
        let mut diagnostics = coopmat_codegen::told(&analysis).diagnostics;
        diagnostics.retain(|diagnostic| {
            diagnostic.code.tag != Some(Tag::Unnecessary) && diagnostic.code != &codes::COOPMAT_UNWRITTEN
        });
        Reported::new(analysis.files(), diagnostics)
    })
}

fn commands(
    block: &Block,
    program: &Path,
    programs: &[Program],
    folder: &mut Option<Folder>,
    tally: &mut Tally,
) -> Result<Option<Vec<String>>> {
    let console = block.language() == "console";
    let list = if console {
        shown(&block.text).context("the first line of a console block begins with `$ `")?
    } else {
        Vec::new()
    };
    let lines: Vec<&str> = match console {
        true => list.iter().map(|shown| shown.command.as_str()).collect(),
        false => block.text.lines().collect(),
    };
    for line in &lines {
        let line = line.split(" #").next().unwrap_or(line).trim();
        if let Some(fault) = usage::judge(programs, line) {
            anyhow::bail!("{fault}");
        }
    }
    if let Some(name) = block.attribute("untested") {
        tally.count("blocks of commands that are not run");
        reason(name).with_context(|| format!("`{name}` is no reason for not running a command"))?;
        return Ok(None);
    }
    let folder = opened(folder, program)?;
    let wanted: i32 = block.attribute("exit").map_or(Ok(0), str::parse).context("exit= is no number")?;
    if !console {
        tally.count("blocks of commands");
        expect(&folder.run(&block.text)?, wanted)?;
        return Ok(None);
    }
    let mut printed = Vec::new();
    let mut same = true;
    for (index, shown) in list.iter().enumerate() {
        tally.count("commands with their output");
        let output = folder.run(&shown.command)?;
        expect(&output, if index + 1 == list.len() { wanted } else { 0 })?;
        let text = if output.text.is_empty() || output.text.ends_with('\n') {
            output.text
        } else {
            output.text + "\n"
        };
        let as_shown = matches(&shown.output, &text);
        same &= as_shown;
        let text = if as_shown { &shown.output } else { &text };
        printed.push(format!("$ {}\n{text}", shown.command));
    }
    Ok((!same).then_some(printed))
}

fn expect(output: &Output, wanted: i32) -> Result<()> {
    anyhow::ensure!(
        output.code == Some(wanted),
        "ended with {}, not with {wanted}:\n{}",
        output.code.map_or("a signal".to_owned(), |code| code.to_string()),
        output.text
    );
    Ok(())
}

/// The block with other contents.
fn refilled(text: &str, block: &Block, printed: &[String]) -> String {
    let whole = &text[block.range.clone()];
    let fence: String = whole.chars().take_while(|&char| char == '`' || char == '~').collect();
    let end = if whole.ends_with('\n') { "\n" } else { "" };
    format!("{fence}{}\n{}{fence}{end}", block.info.as_deref().unwrap_or_default(), printed.concat())
}

#[cfg(test)]
mod tests {
    use super::{shader, toml};
    use crate::markdown::blocks;

    #[test]
    fn recipes_project_files_and_shaders_are_read() {
        let judge = |text: &str| toml(&blocks(text)[0]).map_err(|error| format!("{error:#}"));
        assert_eq!(judge("```toml recipe\ndispatch = [1]\n```\n"), Ok(()));
        assert!(judge("```toml recipe\ndispach = [1]\n```\n").unwrap_err().contains("dispach"));
        assert_eq!(judge("```toml project\ntarget-env = \"vulkan1.3\"\n```\n"), Ok(()));
        assert!(judge("```toml project\ntarget = 1\n```\n").unwrap_err().contains("target"));
        assert!(judge("```toml\na = \n```\n").is_err());
        assert_eq!(shader("#version 450\nvoid main() { int x = 1; }\n"), Ok(()));
        assert!(shader("#version 450\nvoid main() { int x = 1.5; }\n").is_err());
    }
}
