//! What the trials of editors have in common: the shader, the blocks of docs/editors.md, a server that is listened to.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::shell;

/// What is opened: the mistake is a shape's.
pub const MISTAKE: &str = "examples/mistakes/indexed-shape-mismatch.comp";

/// The code blocks of docs/editors.md: heading, language, text.
pub fn blocks(text: &str) -> Vec<(&str, &str, &str)> {
    let sections = text.split("\n## ").skip(1);
    sections
        .flat_map(|section| {
            let heading = section.lines().next().unwrap_or_default();
            // Odd pieces are between fences.
            section.split("```").skip(1).step_by(2).filter_map(move |block| {
                let (language, text) = block.split_once('\n')?;
                // Commands are the book's, which runs them or says why not.
                (!language.starts_with("sh")).then_some((heading, language, text))
            })
        })
        .collect()
}

/// The first code block in a language under a heading of docs/editors.md.
pub fn snippet(heading: &str, language: &str) -> Result<String> {
    let text = fs::read_to_string(shell::root().join("docs/editors.md"))?;
    let found = blocks(&text).into_iter().find(|block| (block.0, block.1) == (heading, language));
    let (_, _, block) =
        found.with_context(|| format!("docs/editors.md has no {language} under {heading}"))?;
    Ok(block.to_owned())
}

/// A folder for PATH in which `coopmat-analyzer` keeps what it is sent.
pub struct Recorder {
    pub bin: PathBuf,
    log: PathBuf,
}

impl Recorder {
    pub fn new(folder: &Path, server: &Path) -> Result<Recorder> {
        use std::os::unix::fs::PermissionsExt as _;
        let (bin, log) = (folder.join("bin"), folder.join("sent.log"));
        fs::create_dir_all(&bin)?;
        let script = format!("#!/bin/sh\ntee '{}' | '{}' \"$@\"\n", log.display(), server.display());
        let path = bin.join("coopmat-analyzer");
        fs::write(&path, script)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(Recorder { bin, log })
    }

    /// PATH with the program in it.
    pub fn path(&self) -> Result<OsString> {
        path_with(&self.bin)
    }

    pub fn has(&self, text: &str) -> bool {
        fs::read(&self.log).is_ok_and(|sent| String::from_utf8_lossy(&sent).contains(text))
    }

    /// The editor's way to the server ends in these words; half a minute is enough for any.
    pub fn waits_for(&self, text: &str) -> Result<()> {
        for _ in 0..300 {
            if self.has(text) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        ensure!(self.has(text), "the editor has not sent `{text}`");
        Ok(())
    }
}

pub fn path_with(folder: &Path) -> Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::join_paths(std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&path)))?)
}

/// What a program said to either side, where it has to end well.
pub fn said(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {}", shell::describe(command)))?;
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    ensure!(output.status.success(), "{}:\n{said}", shell::describe(command));
    Ok(said)
}
