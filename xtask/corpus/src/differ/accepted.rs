//! The table of `docs/spirv.md` with the differences that are meant: one row for each kind of difference.
//!
//! A row is `| kind | shaders | reason |`. The kind is what the comparison prints, in backticks; shaders are names, where `*`
//! stands for any text.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use crate::rows::{self, matches};

/// The heading that the table stands under.
const HEADING: &str = "## Beside glslang, operation by operation";

pub struct Accepted {
    rows: Vec<(String, Vec<String>)>,
}

impl Accepted {
    /// # Errors
    /// As [`rows::read`].
    pub fn read(path: &Path) -> Result<Accepted> {
        Accepted::read_below(path, HEADING)
    }

    /// The table of another heading.
    ///
    /// # Errors
    /// As [`rows::read`].
    pub fn read_below(path: &Path, heading: &str) -> Result<Accepted> {
        Ok(Accepted::of(rows::read(path, heading)?))
    }

    fn of(rows: Vec<[String; 3]>) -> Accepted {
        let row =
            |[kind, shaders, _]: [String; 3]| (kind.trim_matches('`').to_owned(), rows::names(&shaders));
        Accepted { rows: rows.into_iter().map(row).collect() }
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
        rows::others(&self.rows, used).into_iter().map(|(kind, _)| kind.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_names_a_kind_and_shaders() {
        let row = ["`OpLoad: pointer`", "`a.comp`, `b*_cm2`", "because"].map(str::to_owned);
        let accepted = Accepted::of(vec![row]);
        assert_eq!(accepted.row("OpLoad: pointer", "a.comp"), Some(0));
        assert_eq!(accepted.row("OpLoad: pointer", "b_f16_cm2"), Some(0));
        assert_eq!(accepted.row("OpLoad: pointer", "b_f16_cm1"), None);
        assert_eq!(accepted.row("OpStore: pointer", "a.comp"), None);
        assert_eq!(accepted.others(&BTreeSet::from([0])), Vec::<&str>::new());
        assert_eq!(accepted.others(&BTreeSet::new()), ["OpLoad: pointer"]);
    }
}
