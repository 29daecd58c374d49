//! The table of `docs/divergences.md` about edited shaders: one row for each kind of disagreement that stays.
//!
//! A row is `| kind | as in | reason |`. The kind is what the command prints, in backticks, where `*` stands for any text.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use crate::rows::{self, matches};

/// The heading that the table stands under.
const HEADING: &str = "## Edited shaders";

pub struct Listed {
    rows: Vec<String>,
}

impl Listed {
    /// # Errors
    /// As [`rows::read`].
    pub fn read(path: &Path) -> Result<Listed> {
        Ok(Listed::of(rows::read(path, HEADING)?))
    }

    fn of(rows: Vec<[String; 3]>) -> Listed {
        Listed { rows: rows.into_iter().map(|[kind, ..]| kind.trim_matches('`').to_owned()).collect() }
    }

    /// The row that has a kind, by the kind's name.
    pub fn row(&self, kind: &str) -> Option<usize> {
        self.rows.iter().position(|row| matches(row, kind))
    }

    /// The rows that are not among these. A small sample does not meet every kind.
    pub fn others(&self, used: &BTreeSet<usize>) -> Vec<&String> {
        rows::others(&self.rows, used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_the_row_that_names_it() {
        let row = ["`glslang rejects: *no such*`", "`a`", "because"].map(str::to_owned);
        let listed = Listed::of(vec![row]);
        assert_eq!(listed.row("glslang rejects: 'x' : no such type"), Some(0));
        assert_eq!(listed.row("glslang accepts: x"), None);
        assert_eq!(listed.others(&BTreeSet::new()), ["glslang rejects: *no such*"]);
    }
}
