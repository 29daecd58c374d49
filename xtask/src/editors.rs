//! The settings of editors in docs/editors.md, tried in these editors; and the steps of the GitHub action and the hooks.

mod emacs;
mod helix;
mod integration;
mod kate;
mod neovim;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::shell;
use crate::test::Count;

/// What is opened: the mistake is a shape's.
const MISTAKE: &str = "examples/mistakes/indexed-shape-mismatch.comp";

/// With a folder to work in, and the server.
type Check = fn(&Path, &Path) -> Result<()>;

/// A block of docs/editors.md: its heading, its language.
type Block = (&'static str, &'static str);

struct Tried {
    name: &'static str,
    check: Check,
    /// What it tries.
    blocks: &'static [Block],
}

const CHECKS: &[Tried] = &[
    Tried { name: "Neovim with the plugin", check: neovim::plugin, blocks: &[("Neovim", "vim")] },
    Tried { name: "Neovim without it", check: neovim::plain, blocks: &[("Neovim", "lua")] },
    Tried { name: "Helix", check: helix::check, blocks: &[("Helix", "toml")] },
    Tried { name: "Emacs", check: emacs::check, blocks: &[("Emacs", "elisp")] },
    Tried { name: "Kate", check: kate::check, blocks: &[("Kate", "json"), ("Kate", "ini")] },
    Tried {
        name: "GitHub action",
        check: integration::action,
        blocks: &[("Continuous integration", "yaml")],
    },
    Tried { name: "pre-commit hooks", check: integration::hooks, blocks: &[("pre-commit", "yaml")] },
];

/// What stands above blocks that nobody has tried.
#[cfg(test)]
const UNTRIED: &str = "Not checked:";

pub fn test() -> Result<Count> {
    let folder = shell::target().join("editors");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let server = shell::server()?;
    let mut count = Count::default();
    for Tried { name, check, blocks } in CHECKS {
        let own = folder.join(name.replace(' ', "-"));
        let result = fs::create_dir_all(&own).map_err(Into::into).and_then(|()| check(&own, &server));
        match result {
            Ok(()) => {
                let languages: Vec<&str> = blocks.iter().map(|(_, language)| *language).collect();
                println!("ok      {name}: {}", languages.join(", "));
                count.passed += 1;
            }
            Err(error) => {
                println!("FAILED  {name}: {error:#}");
                count.failed += 1;
            }
        }
    }
    Ok(count)
}

/// The code blocks of docs/editors.md: heading, language, text.
fn blocks(text: &str) -> Vec<(&str, &str, &str)> {
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
fn snippet(heading: &str, language: &str) -> Result<String> {
    let text = fs::read_to_string(shell::root().join("docs/editors.md"))?;
    let found = blocks(&text).into_iter().find(|block| (block.0, block.1) == (heading, language));
    let (_, _, block) =
        found.with_context(|| format!("docs/editors.md has no {language} under {heading}"))?;
    Ok(block.to_owned())
}

/// A folder for PATH in which `coopmat-analyzer` keeps what it is sent.
struct Recorder {
    bin: PathBuf,
    log: PathBuf,
}

impl Recorder {
    fn new(folder: &Path, server: &Path) -> Result<Recorder> {
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
    fn path(&self) -> Result<OsString> {
        path_with(&self.bin)
    }

    fn has(&self, text: &str) -> bool {
        fs::read(&self.log).is_ok_and(|sent| String::from_utf8_lossy(&sent).contains(text))
    }

    /// The editor's way to the server ends in these words; half a minute is enough for any.
    fn waits_for(&self, text: &str) -> Result<()> {
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

fn path_with(folder: &Path) -> Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::join_paths(std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&path)))?)
}

/// What a program said to either side, where it has to end well.
fn said(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {}", shell::describe(command)))?;
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    ensure!(output.status.success(), "{}:\n{said}", shell::describe(command));
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_of_settings_is_tried_or_marked() {
        let text = fs::read_to_string(shell::root().join("docs/editors.md")).unwrap();
        let tried: Vec<Block> = CHECKS.iter().flat_map(|one| one.blocks).copied().collect();
        let all = blocks(&text);
        for (heading, language, _) in &all {
            let start = text.find(&format!("\n## {heading}\n")).unwrap() + 1;
            let section = text[start..].split("\n## ").next().unwrap();
            let marked = section.contains(UNTRIED);
            assert_ne!(
                marked,
                tried.contains(&(heading, language)),
                "the {language} under {heading} has to be tried by a check in CHECKS, or else its section says `{UNTRIED}` and why"
            );
            assert!(
                marked || section.contains("ried by the tests"),
                "{heading} does not say that it is tried"
            );
        }
        for one in tried {
            assert!(
                all.iter().any(|(heading, language, _)| (*heading, *language) == one),
                "no block {one:?}"
            );
        }
    }

    /// What no test has an editor for is at least well-formed, and names settings that there are.
    #[test]
    fn untried_settings_are_well_formed() {
        let text = fs::read_to_string(shell::root().join("docs/editors.md")).unwrap();
        let schema = fs::read_to_string(shell::root().join("lsp/core/settings.schema.json")).unwrap();
        let json: Vec<_> = blocks(&text).into_iter().filter(|(_, language, _)| *language == "json").collect();
        assert!(!json.is_empty());
        for (heading, _, block) in json {
            let value: serde_json::Value =
                serde_json::from_str(block).unwrap_or_else(|error| panic!("{heading}: {error}"));
            let words = value.to_string();
            assert!(words.contains("coopmat-analyzer"), "{heading}");
            if words.contains("googleInclude") {
                assert!(schema.contains("\"googleInclude\""), "{heading}");
            }
        }
    }
}
