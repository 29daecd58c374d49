//! Our modules beside glslang's: every variant of llama.cpp's shaders, and glslang's own tests of compute shaders. Both do the same, ours are
//! valid, both come back from our reader and our text, and ours are not larger.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use coopmat_analysis::Analyzer;
use coopmat_corpus::differ::{Accepted, Comparison, Depth, Difference, compare};
use coopmat_corpus::shaders::{Origin, Shader, Shaders};
use coopmat_corpus::tools::{Tools, rspirv_reads};
use rayon::prelude::*;

use crate::front_end::FrontEnd;
use crate::places::Places;
use crate::sizes::{Sizes, print_sizes};

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    places: Places,
    #[command(flatten)]
    tools: Tools,
    /// Only shaders whose name contains this; prints their first difference
    #[arg(long)]
    only: Option<String>,
    /// Only every n-th shader
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// With `--only`: print all differences, not just the first
    #[arg(long)]
    all: bool,
    /// Send only every n-th pair of modules through spirv-dis and spirv-as
    #[arg(long, default_value_t = 1)]
    round_trips: usize,
}

/// What was found about one shader.
#[derive(Default)]
struct Outcome {
    comparison: Comparison,
    sizes: Sizes,
    /// Why there is nothing to compare.
    failure: Option<String>,
    /// What our compiler refuses.
    refused: Option<String>,
    /// What is wrong with the modules by themselves.
    complaints: Vec<String>,
    /// Whether rspirv's own reader knows everything in our module.
    known_to_rspirv: bool,
}

/// What stands in the table for a shader that glslang compiles and we do not.
const NOT_COMPILED: &str = "not compiled";

/// One kind of difference over all shaders.
struct Kind<'o> {
    times: u64,
    shaders: Vec<&'o str>,
    example: &'o Difference,
}

pub fn run(options: &Options) -> Result<()> {
    let mut shaders = Shaders::read(&options.places.sources)?;
    let list = std::mem::take(&mut shaders.list);
    let chosen: Vec<&Shader> = list
        .iter()
        .filter(|shader| options.only.as_ref().is_none_or(|only| shader.name.contains(only.as_str())))
        .step_by(options.every.max(1))
        .collect();
    let accepted = Accepted::read(&options.places.accepted)?;
    for side in ["ours", "glslang"] {
        fs::create_dir_all(options.places.folder.join(side))?;
    }
    let analyzer = Analyzer::default();
    let outcomes: Vec<Outcome> = chosen
        .par_iter()
        .enumerate()
        .map(|(index, shader)| {
            let mut outcome = Outcome::default();
            let round_trip = index % options.round_trips.max(1) == 0;
            if let Err(error) = examine(&shaders, &analyzer, shader, options, round_trip, &mut outcome) {
                outcome.failure = Some(format!("{error:#}"));
            }
            outcome
        })
        .collect();

    let mut wrong = print_failures(&chosen, &outcomes);
    if options.only.is_some() {
        print_first(&chosen, &outcomes, options.all);
    }
    let mut kinds: BTreeMap<(Option<usize>, String), Kind> = BTreeMap::new();
    let mut used = BTreeSet::new();
    for (shader, outcome) in chosen.iter().zip(&outcomes) {
        let Some(refused) = &outcome.refused else { continue };
        let row = accepted.row(NOT_COMPILED, &shader.name);
        used.extend(row);
        wrong += usize::from(row.is_none());
        println!(
            "{}{}: {NOT_COMPILED}: {refused}",
            if row.is_none() { "NOT LISTED " } else { "" },
            shader.name
        );
    }
    for (shader, outcome) in chosen.iter().zip(&outcomes) {
        for difference in &outcome.comparison.differences {
            let row = accepted.row(&difference.kind(), &shader.name);
            used.extend(row);
            let kind = kinds.entry((row, difference.kind())).or_insert_with(|| Kind {
                times: 0,
                shaders: Vec::new(),
                example: difference,
            });
            kind.times += difference.times;
            if kind.shaders.last() != Some(&shader.name.as_str()) {
                kind.shaders.push(&shader.name);
            }
        }
    }
    println!("differences that are meant:");
    for ((row, name), kind) in &kinds {
        if row.is_some() {
            println!(
                "{:6} times in {:4} shaders ({}): {name}",
                kind.times,
                kind.shaders.len(),
                some(&kind.shaders)
            );
        }
    }
    for ((row, _), kind) in &kinds {
        if row.is_none() {
            wrong += 1;
            println!(
                "NOT LISTED, in {} shaders ({}): {}",
                kind.shaders.len(),
                some(&kind.shaders),
                kind.example
            );
        }
    }
    if options.only.is_none() && options.every <= 1 {
        for kind in accepted.others(&used) {
            wrong += 1;
            println!("listed in {}, but not there: {kind}", options.places.accepted.display());
        }
    }
    let compared = outcomes.iter().filter(|outcome| outcome.failure.is_none() && outcome.refused.is_none());
    let same = compared.clone().filter(|outcome| outcome.comparison.differences.is_empty()).count();
    let known = compared.clone().filter(|outcome| outcome.known_to_rspirv).count();
    let operations: usize = outcomes.iter().map(|outcome| outcome.comparison.operations).sum();
    println!("{known} of our modules hold nothing that rspirv's reader lacks");
    let sizes: Vec<(&str, Sizes)> =
        chosen.iter().zip(&outcomes).map(|(shader, outcome)| (shader.name.as_str(), outcome.sizes)).collect();
    wrong += print_sizes(&sizes);
    println!(
        "{} shaders compared with {operations} operations, {same} do the same, {wrong} things are wrong",
        compared.count()
    );
    if wrong > 0 { bail!("{wrong} things are wrong") } else { Ok(()) }
}

/// The first names of a list.
fn some(names: &[&str]) -> String {
    let shown = names.get(..4).unwrap_or(names).join(", ");
    if names.len() > 4 { format!("{shown}, ...") } else { shown }
}

fn print_failures(chosen: &[&Shader], outcomes: &[Outcome]) -> usize {
    let mut wrong = 0;
    for (shader, outcome) in chosen.iter().zip(outcomes) {
        for text in outcome.failure.iter().chain(&outcome.complaints) {
            println!("{}: {text}", shader.name);
            wrong += 1;
        }
    }
    wrong
}

fn print_first(chosen: &[&Shader], outcomes: &[Outcome], all: bool) {
    for (shader, outcome) in chosen.iter().zip(outcomes) {
        let differences = &outcome.comparison.differences;
        let shown = if all { differences.len() } else { differences.len().min(1) };
        for difference in &differences[..shown] {
            println!("{}: {difference}", shader.name);
        }
    }
}

fn examine(
    shaders: &Shaders,
    analyzer: &Analyzer,
    shader: &Shader,
    options: &Options,
    round_trip: bool,
    outcome: &mut Outcome,
) -> Result<()> {
    let glslang = FrontEnd::new(shaders.files(shader))?;
    let theirs = glslang.compile(&shader.source, &shader.configuration).context("glslang")?;
    let ours = match shaders.compile(analyzer, shader) {
        Ok(compiled) => coopmat_spirv::assemble(&compiled.module)?,
        Err(errors) => {
            outcome.refused = Some(errors.join("; "));
            return Ok(());
        }
    };
    outcome.sizes = Sizes::of(&ours, &theirs)?;
    outcome.comparison = compare(&ours, &theirs, depth(shader)).map_err(anyhow::Error::msg)?;
    outcome.known_to_rspirv = rspirv_reads(&ours)?;

    let path = write(&options.places.folder.join("ours"), shader, &ours)?;
    // glslang's tests ask for everything that a device may have.
    let features = shader.origin == Origin::Glslang;
    let target = shader.configuration.target_env;
    let mut complaints = Vec::new();
    if let Err(error) = options.tools.validator.validate(&path, target, features) {
        complaints.push(format!("our module: {error:#}"));
    }
    let their_path = write(&options.places.folder.join("glslang"), shader, &theirs)?;
    if round_trip {
        for (whose, path) in [("our", &path), ("glslang's", &their_path)] {
            if let Err(error) = options.tools.round_trip(path) {
                complaints.push(format!("{whose} module: {error:#}"));
            }
        }
    }
    outcome.complaints = complaints;
    Ok(())
}

/// llama.cpp's shaders are compared by what others see of them, glslang's tests, which are small, by all that they compute.
fn depth(shader: &Shader) -> Depth {
    match shader.origin {
        Origin::Llama => Depth::Effects,
        Origin::Glslang => Depth::Computations,
    }
}

fn write(folder: &Path, shader: &Shader, words: &[u32]) -> Result<PathBuf> {
    let path = folder.join(format!("{}.spv", shader.name));
    fs::write(&path, coopmat_spirv::to_bytes(words))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}
