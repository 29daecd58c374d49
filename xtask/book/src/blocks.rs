//! What a code block's info string says: its language, how it is tried, or why it is not.
//!
//! | info string | means |
//! |---|---|
//! | `sh` | commands, run one after the other over a copy of the examples; all have to succeed |
//! | `console` | commands behind `$ `, and what each of them prints; `…` stands for anything |
//! | `sh exit=1` | the last command ends with this code |
//! | `sh untested=network` | not run, for one of [`REASONS`] |
//! | `glsl file=NAME` | and written to a file, for the commands further down |
//! | `toml recipe`, `toml project` | read as a recipe, as a project file |
//! | `glsl` | a whole shader is clean |
//!
//! Where readers may see info strings (README.md), what follows the language stands in a comment in the line before: `<!-- untested=network -->`.

use crate::markdown;

/// Why a command of the book is not run by its test.
pub const REASONS: &[(&str, &str)] = &[
    (
        "chore",
        "a chore of the repository: a step of `cargo xtask test`, or one that takes minutes; that it exists, with these options, is checked",
    ),
    ("network", "needs a network"),
    ("installs", "installs something on the machine"),
    ("editor", "needs an editor; the tests of the editors do the same"),
    ("device", "needs a Vulkan device"),
    ("release", "needs the files of a release"),
    ("tool", "needs another program, which may not be on the machine"),
    ("build", "needs a build's own files"),
];

pub fn reason(name: &str) -> Option<&'static str> {
    REASONS.iter().find(|(key, _)| *key == name).map(|(_, words)| *words)
}

/// Code blocks with info strings that mdBook's highlighter knows.
pub fn for_mdbook(text: &str) -> String {
    let mut edits = Vec::new();
    for block in markdown::blocks(text) {
        let Some(info) = &block.info else { continue };
        let language = match block.language() {
            // The nearest that it has.
            "glsl" => "cpp",
            "jsonc" => "json",
            "mermaid" => continue,
            other => other,
        };
        if language == info {
            continue;
        }
        if let Some(at) = text[block.range.clone()].find(info.as_str()) {
            let start = block.range.start + at;
            edits.push((start..start + info.len(), language.to_owned()));
        }
    }
    markdown::replace(text, edits)
}

#[cfg(test)]
mod tests {
    #[test]
    fn info_strings_become_languages() {
        let text = "```sh untested=network\na\n```\n\n```glsl\nb\n```\n";
        assert_eq!(super::for_mdbook(text), "```sh\na\n```\n\n```cpp\nb\n```\n");
    }
}
