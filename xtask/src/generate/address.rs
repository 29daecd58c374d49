//! The page's public address in the texts that show it. It is said once, in the root `Cargo.toml`; Markdown has it in definitions of links, which are
//! written anew from there: `[playground]: ADDRESS`, and `[online book]: ADDRESS/book/`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::shell;

/// The labels, and what stands behind the address for each.
const LABELS: [(&str, &str); 2] = [("[playground]: ", ""), ("[online book]: ", "book/")];

/// `workspace.metadata.playground.address`, which ends in a slash.
pub fn public() -> Result<String> {
    let mut cargo = shell::cargo(["metadata", "--format-version", "1", "--no-deps", "--locked"]);
    let metadata: serde_json::Value = serde_json::from_str(&shell::output(&mut cargo)?)?;
    let address = metadata["metadata"]["playground"]["address"].as_str();
    let address = address.context("Cargo.toml has no address in [workspace.metadata.playground]")?;
    ensure!(
        address.starts_with("https://") && address.ends_with('/'),
        "[workspace.metadata.playground]: `{address}` does not begin with https:// and end in a slash"
    );
    Ok(address.to_owned())
}

/// Brings the definitions in all Markdown up to date. With `check`, only collects the files that differ.
pub fn write(check: bool) -> Result<Vec<PathBuf>> {
    let address = public()?;
    let mut stale = Vec::new();
    for path in markdown()? {
        let old = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let new = with_address(&old, &address);
        if new == old {
            continue;
        }
        if check {
            stale.push(path);
        } else {
            fs::write(&path, new)?;
            eprintln!("wrote {}", path.display());
        }
    }
    Ok(stale)
}

fn with_address(text: &str, address: &str) -> String {
    let line = |line: &str| {
        let known = LABELS.iter().find(|(label, _)| line.starts_with(label));
        known.map_or_else(|| line.to_owned(), |(label, below)| format!("{label}{address}{below}"))
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn markdown() -> Result<Vec<PathBuf>> {
    tracked("*.md")
}

/// The files of the repository, those that are not committed yet as well.
fn tracked(pattern: &str) -> Result<Vec<PathBuf>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", pattern];
    let names = shell::output(shell::command("git", arguments).current_dir(shell::root()))?;
    let paths = names.split_terminator('\0').map(|name| shell::root().join(name));
    Ok(paths.filter(|path| path.is_file()).collect())
}

#[cfg(test)]
mod tests {
    use super::{LABELS, public, tracked, with_address, write};
    use crate::shell;

    #[test]
    fn a_definition_is_written_anew_and_nothing_else() {
        let text = "See [the page][playground].\n\n[playground]: https://a.example/\n[online book]: x\n[other]: https://a.example/\n";
        let new = "See [the page][playground].\n\n[playground]: https://b.example/p/\n[online book]: https://b.example/p/book/\n[other]: https://a.example/\n";
        assert_eq!(with_address(text, "https://b.example/p/"), new);
    }

    #[test]
    fn texts_have_the_address_of_the_setting() {
        let stale = write(true).unwrap();
        assert!(stale.is_empty(), "run `cargo xtask generate`: {stale:?}");
    }

    /// Where a fork would have to look for it.
    #[test]
    fn the_address_stands_nowhere_else() {
        let address = public().unwrap();
        for path in tracked("*").unwrap() {
            let name = path.strip_prefix(shell::root()).unwrap().display().to_string();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            for line in text.lines().filter(|line| line.contains(address.trim_end_matches('/'))) {
                let setting = name == "Cargo.toml" && line.starts_with("address = ");
                let generated =
                    name.ends_with(".md") && LABELS.iter().any(|(label, _)| line.starts_with(label));
                assert!(setting || generated, "{name} has the page's address in its own words: {line}");
            }
        }
    }

    /// Pictures aside, it is the first thing that a reader can follow.
    #[test]
    fn the_readme_leads_there_first() {
        let readme = std::fs::read_to_string(shell::root().join("README.md")).unwrap();
        let mut opened = readme.match_indices('[').map(|(at, _)| at);
        let first = opened.find(|&at| !readme[..at].ends_with('!')).expect("a link");
        let (_, target) = readme[first..].split_once(']').unwrap();
        assert!(target.starts_with("[playground]"), "{}", &readme[first..]);
    }
}
