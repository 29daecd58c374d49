//! glslang's tests of stages other than compute: how many compile, whether spirv-val accepts the modules, and whether they do what glslang's do.
//!
//! What counts are the tests that glslang compiles for Vulkan as whole programs; tests of OpenGL are in the same folder, and not among them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use anyhow::Result;
use coopmat_analysis::Analyzer;
use coopmat_analysis::config::Stage;
use coopmat_corpus::differ::{Accepted, Depth, Difference, compare};
use coopmat_corpus::glslang::{Glslang as Tests, Test};
use coopmat_corpus::shaders::located;
use coopmat_corpus::tools::{Glslang, Validator};
use rayon::prelude::*;

use crate::common::Common;

/// The heading of the table in `docs/spirv.md`.
const HEADING: &str = "## Beside glslang, in other stages";

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    validator: Validator,
    #[command(flatten)]
    glslang: Glslang,
    /// The document with the differences that are meant
    #[arg(long)]
    accepted: PathBuf,
    /// A folder for modules
    #[arg(long)]
    folder: PathBuf,
}

/// What became of a test.
#[derive(Default)]
struct Outcome {
    /// Why it is not compiled.
    refused: Option<String>,
    /// What spirv-val says about our module.
    invalid: Option<String>,
    /// Why glslang's program makes no module.
    without: Option<String>,
    differences: Vec<Difference>,
}

/// The tests of a stage by what became of them.
#[derive(Default)]
struct Count {
    tests: usize,
    compiled: usize,
    valid: usize,
    compared: usize,
    alike: usize,
    listed: usize,
}

pub fn run(options: &Options) -> Result<bool> {
    let tests = Tests::read(&options.common.sources)?;
    let accepted = Accepted::read_below(&options.accepted, HEADING)?;
    for side in ["ours", "glslang"] {
        fs::create_dir_all(options.folder.join(side))?;
    }
    let chosen: Vec<&Test> = tests
        .tests
        .iter()
        .filter(|test| test.linked && test.rejected.is_none() && test.stage != Stage::Compute)
        .filter(|test| options.common.chosen(&test.file))
        .collect();
    let analyzer = Analyzer::default();
    let outcomes: Vec<Result<Outcome>> =
        chosen.par_iter().map(|test| examine(&analyzer, &tests, test, options)).collect();
    let mut counts: BTreeMap<Stage, Count> = BTreeMap::new();
    let mut refusals: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut unlisted: BTreeMap<String, (Vec<&str>, String)> = BTreeMap::new();
    let mut used = BTreeSet::new();
    let mut wrong = 0;
    for (test, outcome) in chosen.iter().zip(outcomes) {
        let outcome = outcome?;
        let count = counts.entry(test.stage).or_default();
        count.tests += 1;
        if let Some(reason) = outcome.refused {
            refusals.entry(reason).or_default().push(&test.file);
            continue;
        }
        count.compiled += 1;
        match outcome.invalid {
            Some(complaint) => {
                wrong += 1;
                println!("INVALID {}: {complaint}", test.file);
            }
            None => count.valid += 1,
        }
        if let Some(reason) = outcome.without {
            println!("glslang makes no module of {}: {reason}", test.file);
            continue;
        }
        count.compared += 1;
        let rows: Vec<Option<usize>> = outcome
            .differences
            .iter()
            .map(|difference| accepted.row(&difference.kind(), &test.file))
            .collect();
        used.extend(rows.iter().flatten());
        match () {
            () if outcome.differences.is_empty() => count.alike += 1,
            () if rows.iter().all(Option::is_some) => count.listed += 1,
            () => {}
        }
        for (difference, row) in outcome.differences.iter().zip(rows) {
            if row.is_none() {
                let kind =
                    unlisted.entry(difference.kind()).or_insert_with(|| (Vec::new(), difference.to_string()));
                if kind.0.last() != Some(&test.file.as_str()) {
                    kind.0.push(&test.file);
                }
            }
        }
    }
    let mut refusals: Vec<(String, Vec<&str>)> = refusals.into_iter().collect();
    refusals.sort_by_key(|(_, files)| std::cmp::Reverse(files.len()));
    for (reason, files) in refusals.iter().take(options.common.limit) {
        println!("{:5} not compiled, as {}: {reason}", files.len(), files[0]);
    }
    for (files, example) in unlisted.values().take(options.common.limit) {
        println!("NOT LISTED, in {} tests, as {}: {example}", files.len(), files.join(", "));
    }
    wrong += unlisted.len();
    if options.common.only.is_none() {
        for kind in accepted.others(&used) {
            wrong += 1;
            println!("listed in {}, but not there: {kind}", options.accepted.display());
        }
    }
    println!("stage                      tests  compiled  valid  compared  alike  listed");
    for (stage, count) in &counts {
        let Count { tests, compiled, valid, compared, alike, listed } = count;
        println!("{:25}{tests:7}{compiled:10}{valid:7}{compared:10}{alike:7}{listed:8}", stage.name());
    }
    let sum = |of: fn(&Count) -> usize| counts.values().map(of).sum::<usize>();
    println!(
        "{} tests of other stages: {} compiled, {} valid, {} compared, {} do the same, {} differ as listed; {wrong} things are wrong",
        sum(|count| count.tests),
        sum(|count| count.compiled),
        sum(|count| count.valid),
        sum(|count| count.compared),
        sum(|count| count.alike),
        sum(|count| count.listed)
    );
    Ok(wrong == 0)
}

fn examine(analyzer: &Analyzer, tests: &Tests, test: &Test, options: &Options) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let configuration = test.configuration();
    let text = tests.files.get(&test.file).unwrap_or_default();
    let analysis = analyzer.analyze(&test.file, text, &configuration, &tests.files, None);
    let ours = match coopmat_codegen::compile(&analysis, &coopmat_codegen::Options::default()) {
        Ok(compiled) => coopmat_spirv::assemble(&compiled.module)?,
        Err(errors) => {
            outcome.refused = errors.first().map(|error| match options.common.only {
                Some(_) => located(&analysis, error),
                None => error.message.clone(),
            });
            return Ok(outcome);
        }
    };
    let path = options.folder.join("ours").join(format!("{}.spv", test.file));
    fs::write(&path, coopmat_spirv::to_bytes(&ours))?;
    outcome.invalid = options.validator.complaint(&path, configuration.target_env, true)?;
    let theirs = options.folder.join("glslang").join(format!("{}.spv", test.file));
    let source = options.common.sources.join("glslang/Test").join(&test.file);
    if let Err(error) = options.glslang.compile_numbered(&source, &configuration, &theirs) {
        outcome.without = Some(error.to_string().lines().take(2).collect::<Vec<_>>().join(" "));
        return Ok(outcome);
    }
    let words: Vec<u32> = fs::read(&theirs)?
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    outcome.differences = compare(&ours, &words, Depth::Effects).map_err(anyhow::Error::msg)?.differences;
    Ok(outcome)
}
