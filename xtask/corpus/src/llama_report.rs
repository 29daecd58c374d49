//! llama.cpp's variants: glslang accepts all of them, so no error is right.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use coopmat_analysis::Analyzer;
use coopmat_analysis::diagnostics::Severity;
use coopmat_corpus::check::{Distinct, Outcome, check, surface_error_nodes};
use coopmat_corpus::llama::Llama;
use rayon::prelude::*;

use crate::common::Common;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// The document that judges every warning: `ID` and `FILE:LINE` of each has to be in it
    #[arg(long)]
    judged: Option<PathBuf>,
    /// Print the places of information and hints too, not only how many there are
    #[arg(long)]
    hints: bool,
    /// Only the first variant of each source
    #[arg(long)]
    quick: bool,
}

pub fn run(options: &Options) -> Result<bool> {
    let mut llama = Llama::read(&options.common.sources)?;
    llama.variants.retain(|variant| options.common.chosen(&format!("{} {}", variant.source, variant.name)));
    if options.quick {
        llama.keep_one_of_each();
    }
    let analyzer = Analyzer::default();
    let start = Instant::now();
    let outcomes: Vec<Outcome> = llama
        .variants
        .par_iter()
        .map(|variant| check(&analyzer, &llama.files, &variant.source, &variant.configuration()))
        .collect();
    let elapsed = start.elapsed();

    let mut distinct = Distinct::default();
    for (variant, outcome) in llama.variants.iter().zip(&outcomes) {
        for finding in &outcome.findings {
            distinct.add(&variant.name, finding);
        }
    }
    println!("errors at {} places:", distinct.count(Severity::Error));
    distinct.print(Severity::Error, options.common.limit);
    distinct.print_ids(Severity::Error);
    println!("warnings at {} places:", distinct.count(Severity::Warning));
    distinct.print(Severity::Warning, options.common.limit);
    println!("information and hints:");
    for severity in [Severity::Information, Severity::Hint] {
        distinct.print_ids(severity);
        if options.hints {
            distinct.print(severity, options.common.limit);
        }
    }

    let unjudged = match &options.judged {
        Some(document) => count_unjudged(&distinct, &fs::read_to_string(document)?),
        None => 0,
    };
    println!("places with warnings that docs/corpus.md does not judge: {unjudged}");

    let names = |wrong: fn(&Outcome) -> bool| -> Vec<&str> {
        let pairs = llama.variants.iter().zip(&outcomes);
        pairs.filter(|(_, outcome)| wrong(outcome)).map(|(variant, _)| variant.name.as_str()).collect()
    };
    let with_errors = names(|outcome| outcome.errors().next().is_some());
    let with_error_nodes = names(|outcome| outcome.error_nodes > 0);
    let panicked = names(|outcome| outcome.panicked);
    print_surface(&llama);
    print_times(&llama, &outcomes, elapsed);
    let first = |names: &[&str]| names.iter().take(5).copied().collect::<Vec<_>>().join(" ");
    println!(
        "variants with error nodes after preprocessing: {} {}",
        with_error_nodes.len(),
        first(&with_error_nodes)
    );
    println!("variants whose analysis panicked: {} {}", panicked.len(), first(&panicked));
    println!(
        "{} variants checked, {} with errors {}",
        outcomes.len(),
        with_errors.len(),
        first(&with_errors)
    );
    Ok(!outcomes.is_empty()
        && unjudged == 0
        && with_errors.is_empty()
        && panicked.is_empty()
        && with_error_nodes.is_empty())
}

/// Warnings whose id and place are not both in the document.
fn count_unjudged(distinct: &Distinct, document: &str) -> usize {
    let warnings = distinct.sites(Severity::Warning);
    let unjudged = warnings.filter(|finding| {
        !document.contains(&format!("`{}`", finding.id))
            || !document.contains(&format!("{}:{}", finding.file, finding.line))
    });
    unjudged.count()
}

/// Error nodes in the files as they stand, which no grammar can avoid altogether: a macro may hold half a statement.
fn print_surface(llama: &Llama) {
    let sources: BTreeSet<&str> = llama
        .files
        .names()
        .into_iter()
        .filter(|name| name.ends_with(".comp") || name.ends_with(".glsl"))
        .collect();
    let mut worst: Vec<(usize, &str)> = sources
        .iter()
        .map(|name| (surface_error_nodes(&llama.files.get(name).unwrap_or_default()), *name))
        .filter(|(count, _)| *count > 0)
        .collect();
    worst.sort_unstable_by(|a, b| b.cmp(a));
    let total: usize = worst.iter().map(|(count, _)| count).sum();
    println!("error nodes without preprocessing: {total} in {} of {} files", worst.len(), sources.len());
    for (count, name) in worst.iter().take(10) {
        println!("  {count:>4} {name}");
    }
}

fn print_times(llama: &Llama, outcomes: &[Outcome], elapsed: Duration) {
    let mut times: Vec<(Duration, &str)> = outcomes
        .iter()
        .zip(&llama.variants)
        .map(|(outcome, variant)| (outcome.time, variant.name.as_str()))
        .collect();
    times.sort_unstable();
    let (Some(median), Some(slowest)) = (times.get(times.len() / 2), times.last()) else { return };
    let sum: Duration = times.iter().map(|(time, _)| *time).sum();
    let bytes: usize = outcomes.iter().map(|outcome| outcome.expanded).sum();
    println!(
        "{:.1} MB after preprocessing; {:.2} s in all threads together, {:.2} s elapsed; median {:.2} ms, slowest {:.1} ms ({})",
        bytes as f64 / 1e6,
        sum.as_secs_f64(),
        elapsed.as_secs_f64(),
        median.0.as_secs_f64() * 1e3,
        slowest.0.as_secs_f64() * 1e3,
        slowest.1,
    );
}
