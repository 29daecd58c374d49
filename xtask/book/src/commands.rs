//! Runs the commands of a chapter, one block after the other, in a folder with a copy of the examples.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::paths;

/// The columns of the terminal that the book's commands believe to have.
const COLUMNS: &str = "120";

pub struct Folder {
    folder: TempDir,
    path: std::ffi::OsString,
}

pub struct Output {
    /// What was written to standard output and to standard error, in this order.
    pub text: String,
    pub code: Option<i32>,
}

impl Folder {
    pub fn new(program: &Path) -> Result<Folder> {
        let folder = tempfile::tempdir()?;
        let program = program.canonicalize().with_context(|| format!("there is no {}", program.display()))?;
        copy(&paths::root().join("examples"), &folder.path().join("work/examples"))?;
        let programs = folder.path().join("bin");
        fs::create_dir(&programs)?;
        fs::copy(&program, programs.join(program.file_name().context("the program has no name")?))?;
        let before = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&before)))?;
        Ok(Folder { folder, path })
    }

    /// A file that a block shows and later commands read.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        fs::write(self.folder.path().join("work").join(name), text)
            .with_context(|| format!("cannot write {name}"))
    }

    /// Everything in one shell, which stops at the first command that fails.
    pub fn run(&self, commands: &str) -> Result<Output> {
        let output = Command::new("sh")
            .args(["-e", "-c", commands])
            .current_dir(self.folder.path().join("work"))
            .env("PATH", &self.path)
            .env("HOME", self.folder.path())
            .env("COLUMNS", COLUMNS)
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .output()
            .context("cannot start sh")?;
        let text = [output.stdout, output.stderr].concat();
        Ok(Output { text: String::from_utf8_lossy(&text).into_owned(), code: output.status.code() })
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let destination = to.join(path.file_name().context("a file without a name")?);
        if path.is_dir() {
            copy(&path, &destination)?;
        } else {
            fs::copy(&path, &destination)?;
        }
    }
    Ok(())
}

/// A command of a `console` block, and what is shown below it.
#[derive(Debug, PartialEq, Eq)]
pub struct Shown {
    pub command: String,
    pub output: String,
}

/// `$ ` begins a command, a backslash at the end of its line continues it; the rest is output.
pub fn shown(text: &str) -> Option<Vec<Shown>> {
    let mut list: Vec<Shown> = Vec::new();
    let mut continued = false;
    for line in text.lines() {
        let command = if continued { Some(line) } else { line.strip_prefix("$ ") };
        match (command, continued) {
            (Some(command), false) => {
                list.push(Shown { command: command.to_owned(), output: String::new() });
            }
            (Some(command), true) => {
                let last = list.last_mut()?;
                last.command.push('\n');
                last.command.push_str(command);
            }
            (None, _) => {
                let last = list.last_mut()?;
                last.output.push_str(line);
                last.output.push('\n');
            }
        }
        continued = command.is_some_and(|command| command.ends_with('\\'));
    }
    Some(list)
}

/// Whether an output is what the book shows: `…` alone in a line stands for any lines, within a line for any words. Blanks at the ends of
/// lines do not count.
pub fn matches(expected: &str, found: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect()
    };
    let (expected, found) = (lines(expected), lines(found));
    glob(&expected, &found, &|line| line.trim() == "…", &|expected, found| {
        let expected: Vec<char> = expected.chars().collect();
        let found: Vec<char> = found.chars().collect();
        glob(&expected, &found, &|char| *char == '…', &|a, b| a == b)
    })
}

/// Wildcards that stand for any number of items.
fn glob<T>(pattern: &[T], items: &[T], any: &dyn Fn(&T) -> bool, same: &dyn Fn(&T, &T) -> bool) -> bool {
    // The last wildcard, and how far the items went when it was met.
    let (mut at, mut item) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while item < items.len() {
        if at < pattern.len() && any(&pattern[at]) {
            retry = Some((at, item));
            at += 1;
        } else if at < pattern.len() && same(&pattern[at], &items[item]) {
            at += 1;
            item += 1;
        } else if let Some((wildcard, taken)) = retry {
            retry = Some((wildcard, taken + 1));
            (at, item) = (wildcard + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(any)
}

#[cfg(test)]
mod tests {
    use super::{Shown, matches, shown};

    #[test]
    fn commands_and_their_output_are_told_apart() {
        let list = shown("$ a \\\n  b\none\n\ntwo\n$ c\n").unwrap();
        assert_eq!(
            list,
            [
                Shown { command: "a \\\n  b".into(), output: "one\n\ntwo\n".into() },
                Shown { command: "c".into(), output: String::new() }
            ]
        );
        assert_eq!(shown("output without a command\n"), None);
    }

    #[test]
    fn what_is_left_out_may_be_anything() {
        assert!(matches("a\n…\nd\n", "a\nb\nc\nd\n"));
        assert!(matches("a\n…\n", "a\n"));
        assert!(matches("took … ms\n", "took 12.5 ms\n"));
        assert!(!matches("took … ms\n", "took 12.5 s\n"));
        assert!(!matches("a\n", "a\nb\n"));
        assert!(!matches("a\nb\n", "a\n"));
    }
}
