//! The table of `docs/divergences.md` about generated calls.
//!
//! A row is `| of | rule | difference | reason |`. `*` stands for any text in the first three cells; the first one may name several, and
//! the third is `glslang accepts: ` and our diagnostic, `glslang refuses: ` and its first error, `glslang crashes`, or a kind of difference
//! of two modules. The document is the only place where a difference is listed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use coopmat_corpus::differ::matches;

const HEADING: &str = "## Generated calls";

pub struct Listed {
    rows: Vec<Row>,
}

struct Row {
    of: Vec<String>,
    rule: String,
    what: String,
}

impl Listed {
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
                // An operator's name may have the character that separates cells.
                .replace("\\|", "\u{1}")
                .split('|')
                .map(|cell| cell.trim().replace('\u{1}', "|"))
                .collect();
            let [of, rule, what, reason] = &cells[..] else { anyhow::bail!("not four cells: {line}") };
            ensure!(!reason.is_empty(), "{of}: a difference without a reason");
            let of = of.split("`, `").map(|name| name.trim().trim_matches('`').to_owned()).collect();
            rows.push(Row { of, rule: rule.clone(), what: what.trim_matches('`').to_owned() });
        }
        Ok(Listed { rows })
    }

    /// The row that has a difference.
    pub fn row(&self, of: &str, rule: &str, what: &str) -> Option<usize> {
        self.rows.iter().position(|row| {
            row.of.iter().any(|pattern| matches(pattern, of))
                && matches(&row.rule, rule)
                && matches(&row.what, what)
        })
    }

    /// The rows that are not among these.
    pub fn others(&self, used: &BTreeSet<usize>) -> Vec<String> {
        let rows = self.rows.iter().enumerate().filter(|(index, _)| !used.contains(index));
        rows.map(|(_, row)| format!("{} | {} | {}", row.of.join(", "), row.rule, row.what)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_names_functions_a_rule_and_a_difference() {
        let text = format!(
            "# Title\n\n{HEADING}\n\n| Of | Rule | Difference | Reason |\n|---|---|---|---|\n\
             | `coopMat*`, `coopmat: a \\| b` | valid | `glslang refuses: '*' : no such type` | because |\n\n## Next\n"
        );
        let listed = Listed::parse(&text).expect("a table");
        assert_eq!(listed.row("coopMatLoad", "valid", "glslang refuses: 'double' : no such type"), Some(0));
        assert_eq!(listed.row("coopmat: a | b", "valid", "glslang refuses: 'x' : no such type"), Some(0));
        assert_eq!(listed.row("coopMatLoad", "valid", "glslang refuses: 'x' : too long"), None);
        assert_eq!(listed.row("coopMatLoad", "another rule", "glslang refuses: 'x' : no such type"), None);
        assert_eq!(listed.row("coopMatLoad", "valid", "glslang crashes"), None);
        assert_eq!(listed.others(&BTreeSet::new()).len(), 1);
    }
}
