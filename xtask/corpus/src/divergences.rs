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
}
