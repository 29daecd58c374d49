//! The table of `docs/spirv.md` with the differences that are meant: one row for each kind of difference.
//!
//! A row is `| kind | shaders | reason |`. The kind is what the comparison prints, in backticks; shaders are names, where `*`
//! stands for any text.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// The heading that the table stands under.
const HEADING: &str = "## Beside glslang, operation by operation";

pub struct Accepted {
    rows: Vec<(String, Vec<String>)>,
}

impl Accepted {
    pub fn read(path: &Path) -> Result<Accepted> {
        let text = fs::read_to_string(path).with_context(|| format!("no {}", path.display()))?;
        Accepted::parse(&text)
    }

    fn parse(text: &str) -> Result<Accepted> {
        let (_, section) = text.split_once(HEADING).with_context(|| format!("no section `{HEADING}`"))?;
        let section = section.split("\n## ").next().unwrap_or(section);
        let mut rows = Vec::new();
        for line in section.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<_> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
            let [kind, shaders, reason] = cells[..] else { anyhow::bail!("not three cells: {line}") };
            ensure!(!reason.is_empty(), "{kind}: a difference without a reason");
            let shaders = shaders.split(',').map(|name| name.trim().trim_matches('`').to_owned()).collect();
            rows.push((kind.trim_matches('`').to_owned(), shaders));
        }
        Ok(Accepted { rows })
    }

    /// The row that has a kind of difference in a shader.
    pub fn row(&self, kind: &str, shader: &str) -> Option<usize> {
        let stands = |(known, shaders): &(String, Vec<String>)| {
            known == kind && shaders.iter().any(|pattern| matches(pattern, shader))
        };
        self.rows.iter().position(stands)
    }

    /// The kinds of the rows that are not among these.
    pub fn others(&self, used: &BTreeSet<usize>) -> Vec<&str> {
        let rows = self.rows.iter().enumerate().filter(|(index, _)| !used.contains(index));
        rows.map(|(_, (kind, _))| kind.as_str()).collect()
    }
}

/// Whether a name is what a pattern says; `*` stands for any text.
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            name.char_indices().map(|(at, _)| at).chain([name.len()]).any(|at| matches(rest, &name[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_names_a_kind_and_shaders() {
        let text = format!(
            "# Title\n\n{HEADING}\n\nText.\n\n| difference | shaders | reason |\n|---|---|---|\n| `OpLoad: pointer` | `a.comp`, `b*_cm2` | because |\n\n## Next\n\n| `no` | row | here |\n"
        );
        let accepted = Accepted::parse(&text).expect("a table");
        assert_eq!(accepted.row("OpLoad: pointer", "a.comp"), Some(0));
        assert_eq!(accepted.row("OpLoad: pointer", "b_f16_cm2"), Some(0));
        assert_eq!(accepted.row("OpLoad: pointer", "b_f16_cm1"), None);
        assert_eq!(accepted.row("OpStore: pointer", "a.comp"), None);
        assert_eq!(accepted.others(&BTreeSet::from([0])), Vec::<&str>::new());
        assert_eq!(accepted.others(&BTreeSet::new()), ["OpLoad: pointer"]);
    }
}
