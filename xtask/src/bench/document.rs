//! docs/benchmarks.md and docs/benchmarks.json of the figures of a run. What stands outside the marks of the document is written by people.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Result, bail};
use serde_json::json;

use super::figures::{Better, Figure, median, quantile};
use super::machine;
use crate::shell;

const MARKS: [&str; 2] = ["<!-- figures -->\n", "<!-- end of the figures -->"];

/// Where the committed figures are.
pub fn baseline() -> std::path::PathBuf {
    shell::root().join("docs/benchmarks.json")
}

/// Figures by subject, with what is to be said about each in words.
pub fn write(subjects: &[(&str, Vec<Figure>, Vec<String>)]) -> Result<()> {
    let mut text = String::new();
    writeln!(text, "| | |\n|---|---|")?;
    for (what, value) in machine::rows() {
        writeln!(text, "| {what} | {value} |")?;
    }
    for (words, figures, notes) in subjects {
        writeln!(text, "\n### {words}\n")?;
        if !figures.is_empty() {
            text += &table(figures)?;
        }
        for note in notes {
            writeln!(text, "\n{note}")?;
        }
    }
    let path = shell::root().join("docs/benchmarks.md");
    let document = fs::read_to_string(&path)?;
    let (Some((head, _)), Some((_, tail))) = (document.split_once(MARKS[0]), document.split_once(MARKS[1]))
    else {
        bail!("{} has no marks for the figures", path.display());
    };
    fs::write(&path, format!("{head}{}{text}\n{}{tail}", MARKS[0], MARKS[1]))?;
    let figures: Vec<_> = subjects.iter().flat_map(|(_, figures, _)| figures).map(Figure::json).collect();
    let json = json!({"machine": machine::rows().into_iter().collect::<std::collections::BTreeMap<_, _>>(), "figures": figures});
    fs::write(baseline(), serde_json::to_string_pretty(&json)? + "\n")?;
    println!("wrote {} and {}", path.display(), baseline().display());
    Ok(())
}

pub fn table(figures: &[Figure]) -> Result<String> {
    let mut text =
        "| | ours | peer | | ratio, and the middle half of the rounds |\n|---|---|---|---|---|\n".to_owned();
    for figure in figures {
        let value = |values: &[f64]| {
            let (middle, low, high) = (median(values), quantile(values, 0.25), quantile(values, 0.75));
            match values.len() {
                0 | 1 => format!("{} {}", number(middle), figure.unit),
                _ => format!("{} {} ({} to {})", number(middle), figure.unit, number(low), number(high)),
            }
        };
        let (peer, name) = match &figure.peer {
            Some(peer) => (value(&peer.values), peer.name.as_str()),
            None => (String::new(), ""),
        };
        let ratio = figure.ratios().map_or(String::new(), |ratio| {
            let more = if figure.better == Better::More { ", more is better" } else { "" };
            format!("{:.2} ({:.2} to {:.2}){more}", ratio.median, ratio.low, ratio.high)
        });
        writeln!(text, "| {} | {} | {peer} | {name} | {ratio} |", figure.what, value(&figure.ours))?;
    }
    Ok(text)
}

/// Three digits that say something.
fn number(value: f64) -> String {
    match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
