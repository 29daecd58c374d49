//! glslang's tests: what it accepts has no error of ours; where it rejects, our errors are on the same lines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::Result;
use coopmat_analysis::Analyzer;
use coopmat_corpus::check::{Outcome, check};
use coopmat_corpus::divergences::Divergences;
use coopmat_corpus::glslang::{Glslang, Test, Topic};
use rayon::prelude::*;

use crate::common::Common;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// The table of places where the analysis differs on purpose
    #[arg(long)]
    divergences: PathBuf,
}

/// How one test compares.
#[derive(Default)]
struct Comparison {
    /// Lines where both report an error.
    agreed: usize,
    /// Lines that differ and stand in the table.
    excused: BTreeSet<u32>,
    /// Lines where only glslang reports.
    missing: BTreeSet<u32>,
    /// Lines where only the analysis reports.
    extra: BTreeSet<u32>,
}

impl Comparison {
    fn equal(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty()
    }

    /// Whether the test agrees as far as its topic asks.
    fn suffices(&self, test: &Test, outcome: &Outcome) -> bool {
        match (test.topic, test.rejected.is_some()) {
            (Topic::Matrix | Topic::CooperativeVector, _) => self.equal(),
            (Topic::Compute, false) => self.extra.is_empty(),
            (Topic::OtherStage, false) => {
                outcome.error_nodes == 0 || (self.extra.is_empty() && !self.excused.is_empty())
            }
            // Which of glslang's errors are found is counted; what is an error here alone is in the table.
            (Topic::Compute | Topic::OtherStage, true) => self.extra.is_empty(),
        }
    }
}

pub fn run(options: &Options) -> Result<bool> {
    let mut glslang = Glslang::read(&options.common.sources)?;
    glslang.tests.retain(|test| options.common.chosen(&test.file));
    let divergences = Divergences::read(&options.divergences)?;
    let analyzer = Analyzer::default();
    let outcomes: Vec<Outcome> = glslang
        .tests
        .par_iter()
        .map(|test| {
            let mut outcome = check(&analyzer, &glslang.files, &test.file, &test.configuration());
            // What another shader of the stage may have, which the test is not linked with.
            let of_others = ["missing-main", "missing-layout"];
            outcome.findings.retain(|finding| test.linked || !of_others.contains(&finding.id));
            outcome
        })
        .collect();

    let mut rows: BTreeMap<(Topic, bool), Row> = BTreeMap::new();
    let mut unused: BTreeSet<(&str, u32)> = divergences.iter().collect();
    let mut excused = 0;
    let mut good = !glslang.tests.is_empty();
    let mut printed = 0;
    for (test, outcome) in glslang.tests.iter().zip(&outcomes) {
        let comparison = compare(test, outcome, &divergences);
        for line in &comparison.excused {
            unused.remove(&(test.file.as_str(), *line));
        }
        excused += comparison.excused.len();
        let fails = outcome.panicked || !comparison.suffices(test, outcome);
        let row = rows.entry((test.topic, test.rejected.is_some())).or_default();
        row.add(outcome, &comparison, fails);
        good &= !fails;
        if fails || options.common.only.is_some() {
            if printed < options.common.limit {
                print_test(&glslang, test, outcome, &comparison);
            }
            printed += 1;
        }
    }
    if printed > options.common.limit {
        println!("... and {} more tests", printed - options.common.limit);
    }
    print_table(&rows);
    print_false_errors(&glslang.tests, &outcomes);
    println!("{} other files are HLSL, OpenGL, or several units linked together", glslang.skipped);
    println!("{excused} lines differ on purpose (docs/divergences.md)");
    if options.common.only.is_none() && !unused.is_empty() {
        good = false;
        println!("in docs/divergences.md, but both agree now:");
        for (file, line) in unused {
            println!("  {file}:{line}");
        }
    }
    let failing: usize = rows.values().map(|row| row.failing).sum();
    println!("{} tests compared, {failing} differ where they must not", glslang.tests.len());
    Ok(good)
}

fn compare(test: &Test, outcome: &Outcome, divergences: &Divergences) -> Comparison {
    let ours: BTreeSet<u32> =
        outcome.errors().filter(|finding| finding.file == test.file).map(|finding| finding.line).collect();
    let none = BTreeSet::new();
    let theirs = test.rejected.as_ref().unwrap_or(&none);
    let (excused, differ): (BTreeSet<u32>, BTreeSet<u32>) =
        ours.symmetric_difference(theirs).partition(|line| divergences.contains(&test.file, **line));
    Comparison {
        agreed: ours.intersection(theirs).count(),
        excused,
        missing: differ.difference(&ours).copied().collect(),
        extra: differ.intersection(&ours).copied().collect(),
    }
}

#[derive(Default)]
struct Row {
    tests: usize,
    same: usize,
    failing: usize,
    agreed: usize,
    missing: usize,
    extra: usize,
    error_nodes: usize,
    panicked: usize,
}

impl Row {
    fn add(&mut self, outcome: &Outcome, comparison: &Comparison, fails: bool) {
        self.tests += 1;
        self.same += usize::from(comparison.equal());
        self.failing += usize::from(fails);
        self.agreed += comparison.agreed;
        self.missing += comparison.missing.len();
        self.extra += comparison.extra.len();
        self.error_nodes += usize::from(outcome.error_nodes > 0);
        self.panicked += usize::from(outcome.panicked);
    }
}

fn print_table(rows: &BTreeMap<(Topic, bool), Row>) {
    println!();
    println!(
        "{:<36} {:>6} {:>6} {:>8} {:>9} {:>9} {:>12} {:>7}",
        "tests", "number", "equal", "lines in", "only in", "only in", "tests with", "panics"
    );
    println!(
        "{:<36} {:>6} {:>6} {:>8} {:>9} {:>9} {:>12} {:>7}",
        "", "", "", "both", "glslang", "ours", "error nodes", ""
    );
    for ((topic, rejected), row) in rows {
        let topic = topic.name();
        let verdict = if *rejected { "-" } else { "+" };
        println!(
            "{verdict} {topic:<34} {:>6} {:>6} {:>8} {:>9} {:>9} {:>12} {:>7}",
            row.tests, row.same, row.agreed, row.missing, row.extra, row.error_nodes, row.panicked
        );
    }
    println!("(+ accepted by glslang, - rejected)");
}

/// Which diagnostics are raised where glslang accepts, by how often.
fn print_false_errors(tests: &[Test], outcomes: &[Outcome]) {
    let mut ids: BTreeMap<(Topic, &str), usize> = BTreeMap::new();
    for (test, outcome) in tests.iter().zip(outcomes).filter(|(test, _)| test.rejected.is_none()) {
        for finding in outcome.errors() {
            *ids.entry((test.topic, finding.id)).or_default() += 1;
        }
    }
    let mut ids: Vec<_> = ids.into_iter().collect();
    ids.sort_by_key(|&((topic, _), count)| (topic, std::cmp::Reverse(count)));
    for ((topic, id), count) in ids {
        println!("  false in {}: {id} {count} times", topic.name());
    }
}

/// What differs, with the analysis' messages and the lines of the source.
fn print_test(glslang: &Glslang, test: &Test, outcome: &Outcome, comparison: &Comparison) {
    let text = glslang.files.get(&test.file).unwrap_or_default();
    println!(
        "{} ({}, {} error nodes{})",
        test.file,
        test.target_env,
        outcome.error_nodes,
        if outcome.panicked { ", PANICKED" } else { "" }
    );
    for line in &comparison.missing {
        let source = text.lines().nth(*line as usize - 1).unwrap_or_default().trim();
        println!("  only glslang, line {line}: {source}");
    }
    for finding in outcome.errors() {
        if finding.file != test.file || comparison.extra.contains(&finding.line) {
            println!("  only ours, {}:{}: {}: {}", finding.file, finding.line, finding.id, finding.message);
            println!("      | {}", finding.text);
        }
    }
}
