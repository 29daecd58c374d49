//! The table of `docs/divergences.md` about edited shaders: one row for each kind of disagreement that stays.
//!
//! A row is `| kind | as in | reason |`. The kind is what the command prints, in backticks, where `*` stands for any text.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::differ::matches;

/// The heading that the table stands under.
const HEADING: &str = "## Edited shaders";

pub struct Listed {
    rows: Vec<String>,
}

impl Listed {
    /// # Errors
    /// There is no such document, or no such table in it, or a row gives no reason.
    pub fn read(path: &Path) -> Result<Listed> {
        let text = fs::read_to_string(path).with_context(|| format!("no {}", path.display()))?;
        Listed::parse(&text)
    }

    fn parse(text: &str) -> Result<Listed> {
        let (_, section) = text.split_once(HEADING).with_context(|| format!("no section `{HEADING}`"))?;
        let section = section.split("\n## ").next().unwrap_or(section);
        let mut rows = Vec::new();
        for line in section.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<String> = line
                .trim()
                .trim_start_matches('|')
                .trim_end_matches('|')
                // An operator in an example may be the character that separates cells.
                .replace("\\|", "\u{1}")
                .split('|')
                .map(|cell| cell.trim().replace('\u{1}', "|"))
                .collect();
            let [kind, example, reason] = &cells[..] else { anyhow::bail!("not three cells: {line}") };
            ensure!(!reason.is_empty() && !example.is_empty(), "{kind}: a kind without example or reason");
            rows.push(kind.trim_matches('`').to_owned());
        }
        Ok(Listed { rows })
    }

    /// The row that has a kind, by the kind's name.
    pub fn row(&self, kind: &str) -> Option<usize> {
        self.rows.iter().position(|row| matches(row, kind))
    }

    /// The rows that are not among these. A small sample does not meet every kind.
    pub fn others(&self, used: &BTreeSet<usize>) -> Vec<&str> {
        let rows = self.rows.iter().enumerate().filter(|(index, _)| !used.contains(index));
        rows.map(|(_, row)| row.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_a_kind_an_example_and_a_reason() {
        let text = format!(
            "# Title\n\n{HEADING}\n\n| Kind | As in | Reason |\n|---|---|---|\n\
             | `glslang refuses: *no such*` | `a \\| b` | because |\n\n## Next\n\n| `not` | this | row |\n"
        );
        let listed = Listed::parse(&text).expect("a table");
        assert_eq!(listed.row("glslang refuses: 'x' : no such type"), Some(0));
        assert_eq!(listed.row("glslang accepts: x"), None);
        assert_eq!(listed.others(&BTreeSet::new()), ["glslang refuses: *no such*"]);
    }

    #[test]
    fn a_row_without_a_reason_is_refused() {
        assert!(Listed::parse(&format!("{HEADING}\n| `x` | y | |\n")).is_err());
    }
}
