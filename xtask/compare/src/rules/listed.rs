//! The table of `docs/divergences.md` about generated calls.
//!
//! A row is `| of | rule | difference | reason |`. `*` stands for any text in the first three cells; the first one may name several, and
//! the third is `glslang accepts: ` and our diagnostic, `glslang rejects: ` and its first error, `glslang crashes`, or a kind of difference
//! of two modules. The document is the only place where a difference is listed.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use coopmat_corpus::rows::{self, matches};

const HEADING: &str = "## Generated calls";

pub struct Listed {
    rows: Vec<Row>,
}

struct Row {
    of: Vec<String>,
    rule: String,
    what: String,
    /// What `--like glslang` tells of it.
    refusals: Vec<String>,
}

impl Listed {
    pub fn read(path: &Path) -> Result<Listed> {
        Ok(Listed::of(rows::read(path, HEADING)?))
    }

    fn of(rows: Vec<[String; 4]>) -> Listed {
        let row = |[of, rule, what, reason]: [String; 4]| Row {
            of: rows::names(&of),
            rule,
            what: what.trim_matches('`').to_owned(),
            refusals: rows::refusals(&reason),
        };
        Listed { rows: rows.into_iter().map(row).collect() }
    }

    /// The row that has a difference.
    pub fn row(&self, of: &str, rule: &str, what: &str) -> Option<usize> {
        self.rows.iter().position(|row| {
            row.of.iter().any(|pattern| matches(pattern, of))
                && matches(&row.rule, rule)
                && matches(&row.what, what)
        })
    }

    /// The ids that a row's reason names, one of which `--like glslang` tells.
    pub fn refusals(&self, row: usize) -> &[String] {
        self.rows.get(row).map_or(&[], |row| &row.refusals)
    }

    /// The rows that are not among these.
    pub fn others(&self, used: &BTreeSet<usize>) -> Vec<String> {
        let told = |row: &Row| format!("{} | {} | {}", row.of.join(", "), row.rule, row.what);
        rows::others(&self.rows, used).into_iter().map(told).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_names_functions_a_rule_and_a_difference() {
        let row = [
            "`coopMat*`, `coopmat: a | b`",
            "valid",
            "`glslang rejects: '*' : no such type`",
            "because: `glslang-x`",
        ];
        let listed = Listed::of(vec![row.map(str::to_owned)]);
        assert_eq!(listed.row("coopMatLoad", "valid", "glslang rejects: 'double' : no such type"), Some(0));
        assert_eq!(listed.row("coopmat: a | b", "valid", "glslang rejects: 'x' : no such type"), Some(0));
        assert_eq!(listed.row("coopMatLoad", "valid", "glslang rejects: 'x' : too long"), None);
        assert_eq!(listed.row("coopMatLoad", "another rule", "glslang rejects: 'x' : no such type"), None);
        assert_eq!(listed.row("coopMatLoad", "valid", "glslang crashes"), None);
        assert_eq!(listed.refusals(0), ["glslang-x"]);
        assert_eq!(listed.others(&BTreeSet::new()).len(), 1);
    }
}
