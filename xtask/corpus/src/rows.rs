//! Tables of documents that chores read: what differs on purpose stands there alone, each row with its reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// The rows below a heading of a document: `| cell | cell | reason |`, the first cell in backticks. A reason may be the number of one in the
/// section's list, as [`expanded`] has it.
///
/// # Errors
/// There is no such document, or no such heading in it, or a row has another number of cells, or one that says nothing.
pub fn read<const CELLS: usize>(path: &Path, heading: &str) -> Result<Vec<[String; CELLS]>> {
    let text = fs::read_to_string(path).with_context(|| format!("no {}", path.display()))?;
    parse(&text, heading)
}

/// The rows of a document's text.
///
/// # Errors
/// As [`read`].
pub fn parse<const CELLS: usize>(text: &str, heading: &str) -> Result<Vec<[String; CELLS]>> {
    let text = expanded(text);
    let (_, section) = text.split_once(heading).with_context(|| format!("no section `{heading}`"))?;
    let section = section.split("\n## ").next().unwrap_or(section);
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let cells: Vec<String> = line
            .trim()
            .trim_start_matches('|')
            .trim_end_matches('|')
            // A cell may have the character that separates cells.
            .replace("\\|", "\u{1}")
            .split('|')
            .map(|cell| cell.trim().replace('\u{1}', "|"))
            .collect();
        ensure!(cells.iter().all(|cell| !cell.is_empty()), "a cell that says nothing: {line}");
        cells.try_into().ok().with_context(|| format!("not {CELLS} cells: {line}"))
    })
    .collect()
}

/// A text whose tables have the reasons themselves, where they name them by number: `(7)` in the last cell is item `7.` of the list in the same
/// section. So a reason that many rows share is told once, and rows stay short.
pub fn expanded(text: &str) -> String {
    let sections: Vec<String> = text.split("\n## ").map(with_reasons).collect();
    sections.join("\n## ")
}

fn with_reasons(section: &str) -> String {
    let mut reasons: BTreeMap<&str, String> = BTreeMap::new();
    let mut last = None;
    for line in section.lines() {
        let item = line.split_once(". ").filter(|(number, _)| number.parse::<u32>().is_ok());
        if let Some((number, reason)) = item {
            reasons.insert(number, reason.to_owned());
            last = Some(number);
        } else if let Some(reason) =
            last.filter(|_| line.starts_with("   ")).and_then(|number| reasons.get_mut(number))
        {
            reason.push(' ');
            reason.push_str(line.trim());
        } else {
            last = None;
        }
    }
    let row = |line: &str| {
        let (start, number) = line.strip_suffix(") |")?.rsplit_once("| (")?;
        Some(format!("{start}| {} |", reasons.get(number)?))
    };
    let lines: Vec<String> =
        section.lines().map(|line| row(line).unwrap_or_else(|| line.to_owned())).collect();
    lines.join("\n")
}

/// The names in a cell: `` `one`, `two` ``.
pub fn names(cell: &str) -> Vec<String> {
    cell.split("`, `").map(|name| name.trim().trim_matches('`').to_owned()).collect()
}

/// The ids in a reason of what `--like glslang` tells.
pub fn refusals(reason: &str) -> Vec<String> {
    let quoted = reason.split('`').skip(1).step_by(2);
    quoted.filter(|word| word.starts_with("glslang-")).map(str::to_owned).collect()
}

/// The rows that are not among these.
pub fn others<'r, R>(rows: &'r [R], used: &BTreeSet<usize>) -> Vec<&'r R> {
    let rows = rows.iter().enumerate().filter(|(index, _)| !used.contains(index));
    rows.map(|(_, row)| row).collect()
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
    fn rows_are_those_below_the_heading() {
        let text = "# A\n\n| `x` | no | row |\n\n## B\n\nText.\n\n| Kind | As in | Reason |\n|---|---|---|\n| `a \\| b`, `c` | d | e |\n\n## C\n\n| `no` | row | here |\n";
        let rows: Vec<[String; 3]> = parse(text, "## B").expect("a table");
        assert_eq!(rows, [["`a | b`, `c`", "d", "e"].map(str::to_owned)]);
        assert_eq!(names(&rows[0][0]), ["a | b", "c"]);
    }

    #[test]
    fn a_reason_may_stand_in_a_list_below() {
        let text =
            "## A\n\n1. no\n\n## B\n\n| `x` | y | (1) |\n\nReasons:\n\n1. GLSL, 3.3:\n   a rule.\n2. other\n";
        let rows: Vec<[String; 3]> = parse(text, "## B").expect("a table");
        assert_eq!(rows, [["`x`", "y", "GLSL, 3.3: a rule."].map(str::to_owned)]);
    }

    #[test]
    fn a_row_says_all_that_it_has_to() {
        assert!(parse::<3>("## B\n| `x` | y | |\n", "## B").is_err());
        assert!(parse::<3>("## B\n| `x` | y |\n", "## B").is_err());
        assert!(parse::<3>("## B\n", "## A").is_err());
    }

    #[test]
    fn what_nothing_used_is_left() {
        assert_eq!(others(&["a", "b", "c"], &BTreeSet::from([1])), [&"a", &"c"]);
    }

    #[test]
    fn a_star_is_any_text() {
        assert!(matches("a*b*", "a--b"));
        assert!(!matches("a*b", "a--bc"));
    }
}
