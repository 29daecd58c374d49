//! llama.cpp's variants with cooperative matrices on the simulator, judged by ggml itself: its CPU backend makes the inputs and the
//! expected results. Each element has a bound of its own, in proportion to the numbers that it is the sum of.

mod cases;
mod convolution;
mod judge;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use coopmat_analysis::Analyzer;
use coopmat_corpus::llama::{Llama, Variant};
use coopmat_corpus::tools::Glslang;
use coopmat_recipe::component::Component;
use coopmat_recipe::report::Report;
use coopmat_recipe::{Files, Host, Overrides, Plan, PlanError, Tensor, modes, npy, places};
use coopmat_simulator::{Program, ProgramOptions};
use coopmat_spirv::dr;
use rayon::prelude::*;

use crate::common::Common;
use crate::simulate_report::table::Judgements;
use crate::simulate_report::{self, Found, JUDGED, Side};
use cases::Case;
use judge::{Expected, Request};
use table::{Row, Worst};

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    glslang: Glslang,
    /// The program that `cargo xtask corpus --judged` builds of ggml
    #[arg(long)]
    judge: PathBuf,
    /// Modules, recipes and the judge's files are written here, `VARIANT.ours.spv` beside `VARIANT.ours.run.toml`
    #[arg(long)]
    folder: PathBuf,
    /// The document with the table of the runs and the judgements of what checked mode finds
    #[arg(long)]
    document: PathBuf,
    /// Write the table into the document instead of comparing it
    #[arg(long)]
    update: bool,
    /// Only every so manieth case, ours alone, with its first mode and in checked mode
    #[arg(long)]
    sample: Option<usize>,
    /// Only the first of each case's modes
    #[arg(long, conflicts_with = "update")]
    first: bool,
    /// Print the time of each case
    #[arg(long)]
    times: bool,
}

/// The judge's files lie beside the recipe.
struct Beside<'f>(&'f Path);

impl Files for Beside<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        fs::read(self.0.join(path)).map_err(|error| format!("{path}: {error}"))
    }
}

/// What all runs of one case came to.
#[derive(Default)]
struct Outcome {
    runs: usize,
    /// The largest error of each side, in units of the scale.
    worst: BTreeMap<Side, f64>,
    failures: Vec<String>,
    findings: BTreeMap<Found, String>,
}

pub fn run(options: &Options) -> Result<bool> {
    let start = Instant::now();
    let llama = Llama::read(&options.common.sources)?;
    let variants: Vec<&Variant> = llama.variants.iter().filter(|variant| has_matrices(variant)).collect();
    let mut chosen: Vec<(&Variant, Case)> = Vec::new();
    let mut unknown = Vec::new();
    for variant in &variants {
        let cases = cases::of(&variant.name);
        if cases.is_empty() {
            unknown.push(variant.name.as_str());
        }
        chosen.extend(cases.into_iter().map(|case| (*variant, case)));
    }
    println!("{} variants with cooperative matrices; not known: {}", variants.len(), unknown.join(" "));
    chosen.retain(|(_, case)| options.common.chosen(&case.name()));
    if let Some(every) = options.sample {
        chosen = chosen.into_iter().step_by(every.max(1)).collect();
    }
    fs::create_dir_all(options.folder.join("glslang"))?;
    let asked = Instant::now();
    let refused = judge::ask(&options.judge, &options.folder, chosen.iter().map(|(_, case)| &case.request))?;
    println!("ggml has answered after {:.1} s", asked.elapsed().as_secs_f64());
    let outcomes = run_all(&llama, &chosen, &refused, options);

    let text = fs::read_to_string(&options.document).context("no document")?;
    let wrong = table::wrong_in_llama(&text);
    let mut failed = 0;
    let mut findings: BTreeMap<Found, (String, Vec<String>)> = BTreeMap::new();
    for ((_, case), outcome) in chosen.iter().zip(&outcomes) {
        let judged = wrong.contains(&case.variant);
        if judged && outcome.failures.is_empty() {
            failed += 1;
            println!("{}: judged to be wrong, but it is met", case.name());
        }
        for failure in outcome.failures.iter().filter(|_| !judged) {
            failed += 1;
            println!("{}: {failure}", case.name());
        }
        for (key, message) in &outcome.findings {
            let entry = findings.entry(key.clone()).or_insert_with(|| (message.clone(), Vec::new()));
            entry.1.push(case.name());
        }
    }
    let whole = options.common.only.is_none() && !options.first && options.sample.is_none();
    failed += unjudged(&text, &findings, whole);

    let rows = rows(&chosen, &outcomes, &wrong);
    let printed = table::markdown(&rows, variants.len());
    if whole {
        let (before, judged) = text.split_once(JUDGED).context("the document has no such part")?;
        let updated = format!("{before}{JUDGED}{}", simulate_report::table::put(judged, &printed)?);
        if options.update {
            fs::write(&options.document, updated)?;
        } else if updated != text {
            failed += 1;
            println!("{} has another table: --update writes it", options.document.display());
        }
    } else {
        println!("{printed}");
    }
    let runs: usize = outcomes.iter().map(|outcome| outcome.runs).sum();
    println!(
        "{} cases, {runs} runs, {failed} things are wrong, {:.1} s",
        chosen.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(failed == 0 && runs > 0)
}

fn has_matrices(variant: &Variant) -> bool {
    variant.name.ends_with("_cm1") || variant.name.ends_with("_cm2")
}

/// Prints what no row of the document judges, and rows that nothing needs any more.
fn unjudged(document: &str, findings: &BTreeMap<Found, (String, Vec<String>)>, whole: bool) -> usize {
    let (before, own) = document.split_once(JUDGED).unwrap_or((document, ""));
    Judgements::read(own).unjudged(Some(&Judgements::read(before)), findings, "cases", whole)
}

/// Variant by variant, so that each is compiled once and its modules need not be kept.
fn run_all(
    llama: &Llama,
    chosen: &[(&Variant, Case)],
    refused: &BTreeMap<Request, String>,
    options: &Options,
) -> Vec<Outcome> {
    let analyzer = Analyzer::default();
    let groups: Vec<&[(&Variant, Case)]> =
        chosen.chunk_by(|(one, _), (other, _)| one.name == other.name).collect();
    let outcomes: Vec<Vec<Outcome>> = groups
        .par_iter()
        .map(|group| {
            let variant = group[0].0;
            let mut modules = Vec::new();
            let mut failures = Vec::new();
            for side in Side::ALL {
                let compiled = match side {
                    Side::Ours => simulate_report::ours(llama, &analyzer, variant),
                    Side::Glslang if options.sample.is_some() => continue,
                    Side::Glslang => simulate_report::glslangs(
                        variant,
                        &options.common.sources,
                        &options.glslang,
                        &options.folder,
                    ),
                };
                match compiled {
                    Ok(module) => modules.push((side, module)),
                    Err(error) => failures.push(format!("{}: {error:#}", side.name())),
                }
            }
            let judge = |(_, case): &(&Variant, Case)| {
                let mut outcome = Outcome { failures: failures.clone(), ..Outcome::default() };
                if let Some(why) = refused.get(&case.request) {
                    outcome.failures.push(why.clone());
                    return outcome;
                }
                let start = Instant::now();
                if let Err(error) = outcome.judge(case, &modules, options) {
                    outcome.failures.push(format!("{error:#}"));
                }
                if options.times {
                    println!("{:8.2} s {}", start.elapsed().as_secs_f64(), case.name());
                }
                outcome
            };
            group.par_iter().map(judge).collect()
        })
        .collect();
    outcomes.into_iter().flatten().collect()
}

impl Outcome {
    fn judge(&mut self, case: &Case, modules: &[(Side, dr::Module)], options: &Options) -> Result<()> {
        let folder = case.request.folder(&options.folder);
        let expected = judge::expected(&folder)?;
        let elements: usize = case.output.shape.iter().product();
        anyhow::ensure!(
            expected.values.len() == elements && expected.scale.len() == elements,
            "ggml expects {} elements, the variant's result has {elements}",
            expected.values.len()
        );
        let values = expected.values.iter().map(|value| f64::from(*value)).collect();
        let tensor = Tensor::new(case.output.shape.clone(), values).map_err(|error| anyhow!(error))?;
        fs::write(folder.join("expected.npy"), npy::write(&tensor, Component::F32))?;
        for (side, module) in modules {
            self.simulate(case, *side, module, &folder, &expected, options).with_context(|| side.name())?;
        }
        Ok(())
    }

    fn simulate(
        &mut self,
        case: &Case,
        side: Side,
        module: &dr::Module,
        folder: &Path,
        expected: &Expected,
        options: &Options,
    ) -> Result<()> {
        let program =
            Program::new(module, &ProgramOptions::default()).map_err(|error| anyhow!(error.message))?;
        let declared: Vec<u32> =
            program.interface().specialization.iter().map(|constant| constant.id).collect();
        let largest = expected.scale.iter().fold(0.0_f32, |most, scale| most.max(*scale));
        let length = |name: &str| folder.join(name).metadata().map_or(0, |file| file.len());
        let text = case.recipe(&declared, length, case.bound * f64::from(largest));
        let words = coopmat_spirv::assemble(module)?;
        let name = format!("{}.{}", case.variant, side.name());
        fs::write(folder.join(format!("{name}.spv")), coopmat_spirv::to_bytes(&words))?;
        fs::write(folder.join(format!("{name}{}", coopmat_recipe::EXTENSION)), &text)?;
        let recipe = coopmat_recipe::parse(&text)
            .map_err(|error| anyhow!("line {} of the recipe: {}", error.position(&text).0, error.message))?;
        let plan = Plan::new(&recipe, &text, &[module.into()], &Beside(folder), &Overrides::default());
        let plan = plan.map_err(|error| match error {
            PlanError::Recipe(error) => {
                anyhow!("line {} of the recipe: {}", error.position(&text).0, error.message)
            }
            PlanError::Program(_, error) => anyhow!("the module: {}", error.message),
        })?;
        let output = plan.buffers.iter().position(|buffer| buffer.name == "result").context("no result")?;
        let places = places::of_lines(module);
        let first = modes::first(&recipe, plan.subgroup_size);
        let mut claimed = modes::claimed(&recipe, plan.subgroup_size);
        claimed.retain(|modes| {
            let plain = *modes == first || (modes.checked && !options.first);
            // What the other modes do is the simulator's, whoever made the module.
            plain || (side == Side::Ours && !options.first && options.sample.is_none())
        });
        for modes in &claimed {
            let host = Host {
                pool: None,
                observers: Vec::new(),
                place: &|_, instruction| places.get(instruction as usize).cloned().flatten(),
                go_on: &mut |_, _| true,
            };
            let finished = coopmat_recipe::run(&plan, &recipe, modes, host);
            self.runs += 1;
            let shown =
                format!("{} with {}, {}, {}", side.name(), modes.numerics, modes.ownership, modes.decode);
            if let Some(error) = &finished.report.error {
                self.failures.push(format!("{shown}: {}", error.message));
                continue;
            }
            let found = finished.buffers.get(output).context("no bytes of the result")?;
            self.compare(case, side, &shown, found, expected);
            self.add_findings(&finished.report);
        }
        Ok(())
    }

    fn compare(&mut self, case: &Case, side: Side, shown: &str, found: &[u8], expected: &Expected) {
        let mut worst = (0.0, 0, 0.0);
        let mut wrong = 0;
        for (index, word) in found.as_chunks::<4>().0.iter().enumerate() {
            let found = f64::from(f32::from_le_bytes(*word));
            let error = (found - f64::from(expected.values[index])).abs();
            // Sums of nothing are compared as they are.
            let error = error / f64::from(expected.scale[index]).max(1e-6);
            let error = if error.is_nan() { f64::INFINITY } else { error };
            wrong += usize::from(error > case.bound);
            if error > worst.0 {
                worst = (error, index, found);
            }
        }
        let largest = self.worst.entry(side).or_default();
        *largest = largest.max(worst.0);
        if wrong > 0 {
            let place = coopmat_recipe::compare::place(&case.output.shape, worst.1);
            self.failures.push(format!(
                "{shown}: {wrong} of {} elements are off by more than {:.1e}, up to {:.1e}; at {place:?} {} instead of {}",
                expected.values.len(),
                case.bound,
                worst.0,
                worst.2,
                expected.values[worst.1]
            ));
        }
    }

    fn add_findings(&mut self, report: &Report) {
        for finding in &report.findings {
            let (file, line) = finding.place.as_ref().map_or(("", finding.instruction), |place| {
                (simulate_report::file_name(&place.path), place.line)
            });
            let message = format!("{} ({} times)", finding.message, finding.times);
            self.findings.entry((finding.kind.clone(), file.to_owned(), line)).or_insert(message);
        }
    }
}

/// One row for a variant and its types: both shapes together.
fn rows(chosen: &[(&Variant, Case)], outcomes: &[Outcome], wrong: &BTreeSet<String>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for ((_, case), outcome) in chosen.iter().zip(outcomes) {
        let worst = |side| outcome.worst.get(&side).copied().unwrap_or_default();
        // Of a run that did not end there is no number.
        let share = Worst { ours: worst(Side::Ours), glslang: worst(Side::Glslang), bound: case.bound };
        let same = |row: &&mut Row| row.variant == case.variant && row.types == case.types;
        if let Some(row) = rows.last_mut().filter(same) {
            row.add(&case.sizes, share, outcome.runs, outcome.failures.len());
        } else {
            let mut row = Row::new(&case.variant, &case.types, case.subgroup, wrong.contains(&case.variant));
            row.add(&case.sizes, share, outcome.runs, outcome.failures.len());
            rows.push(row);
        }
    }
    rows
}
