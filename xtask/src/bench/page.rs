//! The playground's sizes and speed, from the built page in a real Chromium, beside what they may be. The table of `docs/playground.md` is written from them.

use std::fs;

use anyhow::{Context, Result, bail};

use super::figures::{Figure, Found};
use crate::{dist, playground, shell};

/// What is measured, in milliseconds: the name in the report, words, the budget.
const BUDGETS: [(&str, &str, f64); 4] = [
    ("interactive", "from the address to the editor, nothing kept", 1000.0),
    ("first-diagnostics", "from there to the first diagnostics", 150.0),
    ("keystroke", "from a keystroke to its diagnostics, median of the examples", 16.0),
    ("run", "a run of the default example", 100.0),
];

/// The speed of the page, where there is one; a budget is no peer, so nothing here is a ratio.
pub fn figures() -> Result<Found> {
    let mut found = Found::default();
    if !playground::folder().join("dist/index.html").exists() {
        found.note("There is no page to measure: `cargo xtask dist` makes it.");
        return Ok(found);
    }
    let text = measured()?;
    let mut budgets = Vec::new();
    for (name, words, budget) in BUDGETS {
        let Some(value) = value(&text, name) else {
            found.note(format!("{words}: not measured."));
            continue;
        };
        found.figures.push(Figure::times(&format!("page/{name}"), words, vec![value]));
        budgets.push(format!("{words} {budget:.0} ms"));
    }
    found.note(format!("Medians, in Chromium. The budgets: {}.", budgets.join("; ")));
    Ok(found)
}

/// Runs the page in Chromium; the report.
fn measured() -> Result<String> {
    let report = shell::target().join("playground/budgets.txt");
    shell::run(&mut playground::tool("vitest", &["run", "--config", "vitest.budgets.config.ts"]))?;
    fs::read_to_string(&report).with_context(|| format!("no {}", report.display()))
}

fn value(report: &str, name: &str) -> Option<f64> {
    let line = report.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|value| value.parse().ok())
}

/// `require`: whether a figure over its budget is an error.
pub fn run(require: bool) -> Result<()> {
    let dist = playground::folder().join("dist");
    if !dist.join("index.html").exists() {
        bail!("there is no page to measure: run `cargo xtask dist` first");
    }
    let sizes = dist::sizes(&dist, false)?;
    let text = measured()?;
    dist::report(&sizes);
    let mut over = dist::over_budget(&sizes);
    let mut rows: Vec<(&str, String, String)> = Vec::new();
    println!("{:>10} {:>10}", "ms", "budget");
    for (name, words, budget) in BUDGETS {
        let Some(value) = value(&text, name) else {
            over.push(format!("{name} was not measured"));
            continue;
        };
        println!("{value:>10.1} {budget:>10.0}  {words}");
        rows.push((words, format!("{value:.1} ms"), format!("{budget:.0} ms")));
        if value > budget {
            over.push(format!("{words}: {value:.1} ms, {budget:.0} are allowed"));
        }
    }
    let marks = text.lines().filter_map(|line| line.strip_prefix("mark-")).collect::<Vec<_>>();
    println!("where a visit's time goes, in milliseconds from its address: {}", marks.join(", "));
    for (words, size, limit) in dist::budgets(&sizes) {
        rows.push((words, kilobytes(size), kilobytes(limit)));
    }
    for words in &over {
        println!("over budget: {words}");
    }
    if require {
        // A check changes no file.
        if !over.is_empty() {
            bail!("the page is over its budgets");
        }
        return Ok(());
    }
    write(&rows)
}

fn kilobytes(bytes: u64) -> String {
    format!("{:.0} kB", bytes as f64 / 1000.0)
}

const BEGIN: &str = "<!-- budgets: written by `cargo xtask bench --playground` -->";
const END: &str = "<!-- end of budgets -->";

/// Puts the table in the place of the one in the documentation.
fn write(rows: &[(&str, String, String)]) -> Result<()> {
    let path = shell::root().join("docs/playground.md");
    let text = fs::read_to_string(&path)?;
    let (before, rest) = text.split_once(BEGIN).context("docs/playground.md has no place for the table")?;
    let (_, after) = rest.split_once(END).context("the table in docs/playground.md has no end")?;
    let cores = std::thread::available_parallelism()?;
    let mut table = format!("\nMedians, on {cores} cores:\n\n| | measured | budget |\n|---|---|---|\n");
    for (words, measured, budget) in rows {
        table.push_str(&format!("| {words} | {measured} | {budget} |\n"));
    }
    fs::write(&path, format!("{before}{BEGIN}\n{table}\n{END}{after}"))?;
    println!("The table of {} is up to date.", path.display());
    Ok(())
}
