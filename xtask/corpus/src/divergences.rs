//! `docs/divergences.md`: where the analysis and glslang differ on purpose, one row of a table for each place.
//!
//! A row is `| file | lines | who reports | rule and reason |`; lines are numbers and ranges, `12, 15-18`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

#[derive(Debug, Default)]
pub struct Divergences(BTreeSet<(String, u32)>);

impl Divergences {
    pub fn read(path: &Path) -> Result<Divergences> {
        let text = fs::read_to_string(path).with_context(|| format!("no {}", path.display()))?;
        Divergences::parse(&text)
    }

    fn parse(text: &str) -> Result<Divergences> {
        let mut places = BTreeSet::new();
        // The sections that follow have tables of their own.
        let text = text.split("\n## ").next().unwrap_or(text);
        for line in text.lines() {
            let cells: Vec<_> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
            let [file, lines, _who, reason] = cells[..] else { continue };
            let file = file.trim_matches('`');
            // The table's head and the line below it.
            if !file.contains('.') {
                continue;
            }
            anyhow::ensure!(!reason.is_empty(), "{file}: a divergence without a reason");
            for part in lines.split(',').map(str::trim) {
                let (first, last) = part.split_once('-').unwrap_or((part, part));
                let number =
                    |text: &str| text.trim().parse::<u32>().with_context(|| format!("not a line: {part}"));
                places.extend((number(first)?..=number(last)?).map(|line| (file.to_owned(), line)));
            }
        }
        Ok(Divergences(places))
    }

    pub fn contains(&self, file: &str, line: u32) -> bool {
        self.0.contains(&(file.to_owned(), line))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.0.iter().map(|(file, line)| (file.as_str(), *line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn rows_name_lines_and_ranges() {
        let table = "Text.\n\n| File | Lines | Who | Why |\n|---|---|---|---|\n| `a.comp` | 3, 7-8 | glslang | section 6.1 |\n";
        let divergences = Divergences::parse(table).expect("a table");
        let places: Vec<_> = divergences.iter().collect();
        assert_eq!(places, [("a.comp", 3), ("a.comp", 7), ("a.comp", 8)]);
    }

    #[test]
    fn a_reason_is_required() {
        assert!(Divergences::parse("| a.comp | 3 | glslang | |\n").is_err());
    }

    /// Whoever asks for glslang's refusals is told of each one that is listed, or the row says why not; and nothing is told that is not listed.
    #[test]
    fn refusals_of_glslang_name_what_is_told_of_them() {
        use coopmat_analysis::config::Like;
        use coopmat_analysis::diagnostics::codes;

        let text = &rows::expanded(include_str!("../../../docs/divergences.md"));
        let ids: Vec<&str> =
            codes::ALL.iter().filter(|code| code.like == Some(Like::Glslang)).map(|code| code.id).collect();
        let named = |text: &str, id: &str| text.contains(&format!("`{id}`"));
        let refuses = |line: &&str| {
            let cells: Vec<&str> = line.split(" | ").collect();
            let who = cells.get(2).is_some_and(|who| *who == "glslang");
            let second = cells
                .get(1)
                .is_some_and(|does| does.starts_with("refuses it") || does.starts_with("takes them for"));
            let valid_here = cells.get(2).is_some_and(|here| !here.starts_with("an error"));
            line.starts_with('|') && (line.contains("`glslang rejects: ") || who || second && valid_here)
        };
        let rows: Vec<&str> = text.lines().filter(refuses).collect();
        assert!(rows.len() > 20, "{}", rows.len());
        for row in rows {
            let told = ids.iter().any(|id| named(row, id)) || row.contains("Not reported: ");
            assert!(told, "neither a refusal that `--like glslang` tells nor `Not reported:` in {row}");
        }
        for id in ids {
            assert!(named(text, id), "docs/divergences.md has no row for {id}");
        }
    }
}
