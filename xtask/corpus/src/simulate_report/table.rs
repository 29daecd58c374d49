//! The document: the table of the runs, which it holds between two marks, and the judgements of what checked mode finds.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context, Result};

pub const BEGIN: &str = "<!-- runs -->\n";
pub const END: &str = "<!-- end of runs -->";

#[derive(Clone, Copy, Default)]
pub struct Cell {
    /// Of the first run, with the default modes.
    pub error: f64,
    pub largest: f64,
    pub runs: usize,
}

pub struct Row {
    pub variant: &'static str,
    pub how: String,
    pub sizes: String,
    pub subgroup: u32,
    pub ours: Cell,
    pub glslang: Cell,
}

pub fn markdown(rows: &[Row]) -> String {
    let mut text = "| variant | with | sizes | subgroups of | ours | glslang's | under all modes |\n|---|---|---|---|---|---|---|\n".to_owned();
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.1e} | {:.1e} | {:.1e} |",
            row.variant,
            row.how,
            row.sizes,
            row.subgroup,
            row.ours.error,
            row.glslang.error,
            row.ours.largest.max(row.glslang.largest)
        );
    }
    let runs: usize = rows.iter().map(|row| row.ours.runs + row.glslang.runs).sum();
    let variants: std::collections::BTreeSet<&str> = rows.iter().map(|row| row.variant).collect();
    let _ = writeln!(text, "\n{} rows, {} variants, {runs} runs.", rows.len(), variants.len());
    text
}

/// The document with another table.
///
/// # Errors
/// That it has no place for one.
pub fn put(document: &str, table: &str) -> Result<String> {
    let (before, rest) = document.split_once(BEGIN).context("the document has no `<!-- runs -->`")?;
    let (_, after) = rest.split_once(END).context("the document has no `<!-- end of runs -->`")?;
    Ok(format!("{before}{BEGIN}{table}{END}{after}"))
}

/// The kind of a finding, the file and the line.
pub type Found = (String, String, u32);

/// Rows `| `kind` | file | lines | judgement |`; lines are numbers and ranges, `12, 15-18`.
pub struct Judgements(Vec<Judgement>);

struct Judgement {
    kind: String,
    file: String,
    lines: Vec<(u32, u32)>,
}

impl Judgements {
    pub fn read(document: &str) -> Judgements {
        let row = |line: &str| {
            let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
            let [kind, file, lines, judgement] = cells[..] else { return None };
            let kind = kind.strip_prefix('`')?.strip_suffix('`')?;
            let range = |part: &str| {
                let (first, last) = part.split_once('-').unwrap_or((part, part));
                Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
            };
            let lines = lines.split(',').map(range).collect::<Option<Vec<_>>>()?;
            (!judgement.is_empty()).then(|| Judgement { kind: kind.to_owned(), file: file.to_owned(), lines })
        };
        Judgements(document.lines().filter_map(row).collect())
    }

    /// The row that judges a finding.
    pub fn of(&self, kind: &str, file: &str, line: u32) -> Option<usize> {
        self.0.iter().position(|row| {
            let within = row.lines.iter().any(|(first, last)| (*first..=*last).contains(&line));
            row.kind == kind && row.file == file && within
        })
    }

    /// Prints what no row judges, neither of these nor of `shared`, and rows of these that nothing needs any more where everything was run. `of` is what findings
    /// are listed by. How much there is of both.
    pub fn unjudged(
        &self,
        shared: Option<&Judgements>,
        findings: &BTreeMap<Found, (String, Vec<String>)>,
        of: &str,
        whole: bool,
    ) -> usize {
        let mut failed = 0;
        let mut used = BTreeSet::new();
        for ((kind, file, line), (message, names)) in findings {
            let judged = self.of(kind, file, *line);
            used.extend(judged);
            if judged.is_none() && shared.is_none_or(|shared| shared.of(kind, file, *line).is_none()) {
                failed += 1;
                println!(
                    "NOT JUDGED: `{kind}` at {file}:{line} in {} {of}, first in {}: {message}",
                    names.len(),
                    names[0]
                );
            }
        }
        println!("checked mode finds something at {} places", findings.len());
        for row in self.others(&used).iter().filter(|_| whole) {
            failed += 1;
            println!("judged, but not found: {row}");
        }
        failed
    }

    /// Rows that are not among these.
    fn others(&self, used: &BTreeSet<usize>) -> Vec<String> {
        let rows = self.0.iter().enumerate().filter(|(number, _)| !used.contains(number));
        rows.map(|(_, row)| format!("`{}` in {}", row.kind, row.file)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_takes_the_place_of_the_one_before() {
        let document = format!("# Runs\n\n{BEGIN}| old |\n{END}\nmore\n");
        assert_eq!(
            put(&document, "| new |\n").expect("a place"),
            format!("# Runs\n\n{BEGIN}| new |\n{END}\nmore\n")
        );
        assert!(put("# Runs", "").is_err());
    }

    #[test]
    fn a_row_judges_the_lines_that_it_names() {
        let rows = "| finding | file | lines | judgement |\n|---|---|---|---|\n| `out-of-bounds` | a.glsl | 3, 5-7 | Right. |";
        let judgements = Judgements::read(rows);
        let judged = |kind, line| judgements.of(kind, "a.glsl", line);
        assert_eq!((judged("out-of-bounds", 3), judged("out-of-bounds", 6)), (Some(0), Some(0)));
        assert_eq!((judged("out-of-bounds", 4), judged("data-race", 3)), (None, None));
        assert_eq!(judgements.others(&[0].into()), Vec::<String>::new());
    }
}
