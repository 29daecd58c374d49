//! The settings of editors in docs/editors.md, tried in these editors; and the steps of the GitHub action and the hooks.

mod emacs;
mod helix;
mod integration;
mod kate;
mod neovim;
mod trial;

use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::count::Count;
use crate::shell;

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
const UNTRIED: &str = "Not tested:";

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

#[cfg(test)]
mod tests {
    use super::trial::blocks;
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
            assert!(marked || section.contains("Tested"), "{heading} does not say that it is tried");
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
