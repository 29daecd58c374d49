//! llama.cpp's variants on the simulator, judged by ggml itself: its CPU backend makes the inputs and the
//! expected results. Each element has a bound of its own, in proportion to the numbers that it is the sum of.

mod arrangements;
mod cases;
mod convolution;
mod copies;
mod decode;
mod elementwise;
mod families;
mod judge;
mod models;
mod plain;
mod rows;
mod table;
mod vector;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use coopmat_analysis::Analyzer;
use coopmat_corpus::llama::{Llama, Variant};
use coopmat_corpus::tools::Glslang;
use coopmat_recipe::component::Component;
use coopmat_recipe::report::{Modes, Report, SourcePlace};
use coopmat_recipe::{Files, Finished, Host, Overrides, Plan, PlanError, Recipe, Tensor, modes, npy, places};
use coopmat_simulator::{Program, ProgramOptions};
use coopmat_spirv::dr;
use rayon::prelude::*;

use crate::common::Common;
use crate::simulate_report::table::Judgements;
use crate::simulate_report::{self, Found, JUDGED, Side};
use cases::{Case, Output};
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
    /// The variants without cooperative matrices instead: those that one operation of ggml describes
    #[arg(long, conflicts_with = "update")]
    others: bool,
    /// Only the first of each case's modes
    #[arg(long, conflicts_with = "update")]
    first: bool,
    /// Print the time of each case
    #[arg(long)]
    times: bool,
}

/// The judge's files lie beside the recipe, and so does what the variant before has left.
struct Beside<'f> {
    folder: &'f Path,
    left: BTreeMap<&'static str, Vec<u8>>,
}

impl Files for Beside<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match self.left.get(path) {
            Some(bytes) => Ok(bytes.clone()),
            None => fs::read(self.folder.join(path)).map_err(|error| format!("{path}: {error}")),
        }
    }
}

/// A variant ready to be run under any modes.
struct Prepared<'c> {
    case: &'c Case,
    recipe: Recipe,
    plan: Plan,
    places: Vec<Option<SourcePlace>>,
}

impl<'c> Prepared<'c> {
    fn new(
        case: &'c Case,
        side: Side,
        module: &dr::Module,
        beside: &Beside<'_>,
        largest: f32,
    ) -> Result<Prepared<'c>> {
        let program =
            Program::new(module, &ProgramOptions::default()).map_err(|error| anyhow!(error.message))?;
        let declared: Vec<u32> =
            program.interface().specialization.iter().map(|constant| constant.id).collect();
        let length = |name: &str| {
            let left = beside.left.get(name).map(|bytes| bytes.len() as u64);
            left.unwrap_or_else(|| beside.folder.join(name).metadata().map_or(0, |file| file.len()))
        };
        let text = case.recipe(&declared, length, case.bound * f64::from(largest));
        let words = coopmat_spirv::assemble(module)?;
        let name = format!("{}.{}", case.variant, side.name());
        fs::write(beside.folder.join(format!("{name}.spv")), coopmat_spirv::to_bytes(&words))?;
        fs::write(beside.folder.join(format!("{name}{}", coopmat_recipe::EXTENSION)), &text)?;
        let recipe = coopmat_recipe::parse(&text)
            .map_err(|error| anyhow!("line {} of the recipe: {}", error.position(&text).0, error.message))?;
        let plan = Plan::new(&recipe, &text, &[module.into()], beside, &Overrides::default());
        let plan = plan.map_err(|error| match error {
            PlanError::Recipe(error) => {
                anyhow!("line {} of the recipe: {}", error.position(&text).0, error.message)
            }
            PlanError::Program(_, error) => anyhow!("the module: {}", error.message),
        })?;
        Ok(Prepared { case, recipe, plan, places: places::of_module(module) })
    }

    fn run(&self, modes: &Modes) -> Finished {
        let host = Host {
            pool: None,
            tier: None,
            observers: Vec::new(),
            place: &|_, instruction| self.places.get(instruction as usize).cloned().flatten(),
            go_on: &mut |_, _| true,
        };
        coopmat_recipe::run(&self.plan, &self.recipe, modes, host)
    }

    fn buffer<'f>(&self, name: &str, finished: &'f Finished) -> Option<&'f [u8]> {
        let index = self.plan.buffers.iter().position(|buffer| buffer.name == name)?;
        finished.buffers.get(index).map(Vec::as_slice)
    }

    /// What the variant that follows reads.
    fn left(&self, finished: &Finished) -> BTreeMap<&'static str, Vec<u8>> {
        let left = self.case.left.iter().map(|(name, ..)| *name);
        left.filter_map(|name| Some((name, self.buffer(name, finished)?.to_vec()))).collect()
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
    let variants = llama.variants.iter();
    let variants: Vec<&Variant> =
        variants.filter(|variant| cases::has_matrices(&variant.name) != options.others).collect();
    let cases = variants.iter().flat_map(|variant| {
        families::of(&variant.source, &variant.name).into_iter().map(|case| (*variant, case))
    });
    let cases = cases.filter(|(_, case)| options.common.chosen(&case.name()));
    let chosen: Vec<(&Variant, Case)> =
        cases.step_by(options.sample.map_or(1, |every| every.max(1))).collect();
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
    let part = options.others || options.first || options.sample.is_some();
    let whole = options.common.only.is_none() && !part;
    failed += unjudged(&text, &findings, whole);

    let rows = rows(&chosen, &outcomes, &wrong);
    let printed = table::markdown(&rows, &variants);
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
            let mut modules = Vec::new();
            let mut failures = Vec::new();
            for side in Side::ALL {
                if side == Side::Glslang && options.sample.is_some() {
                    continue;
                }
                let steps =
                    group[0].1.steps().map(|step| compile(llama, &analyzer, &step.variant, side, options));
                match steps.collect::<Result<Vec<dr::Module>>>() {
                    Ok(steps) => modules.push((side, steps)),
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

fn compile(
    llama: &Llama,
    analyzer: &Analyzer,
    name: &str,
    side: Side,
    options: &Options,
) -> Result<dr::Module> {
    let variant = llama.variants.iter().find(|variant| variant.name == name).context("no such variant")?;
    match side {
        Side::Ours => simulate_report::ours(llama, analyzer, variant),
        Side::Glslang => {
            simulate_report::glslangs(variant, &options.common.sources, &options.glslang, &options.folder)
        }
    }
}

impl Outcome {
    fn judge(&mut self, case: &Case, modules: &[(Side, Vec<dr::Module>)], options: &Options) -> Result<()> {
        let folder = case.request.folder(&options.folder);
        let expected = judge::expected(&folder)?;
        let output = case.last().output.as_ref().context("a case without a result")?;
        let elements: usize = output.shape.iter().product();
        anyhow::ensure!(
            expected.values.len() == elements && expected.scale.len() == elements,
            "ggml expects {} elements, the variant's result has {elements}",
            expected.values.len()
        );
        let values = expected.values.iter().map(|value| f64::from(*value)).collect();
        let tensor = Tensor::new(output.shape.clone(), values).map_err(|error| anyhow!(error))?;
        // Whole, whoever reads it: variants may share a request.
        let part = folder.join(format!("{}.part", case.variant));
        fs::write(&part, npy::write(&tensor, Component::F32))?;
        fs::rename(&part, folder.join("expected.npy"))?;
        for (side, modules) in modules {
            self.simulate(case, *side, modules, &folder, &expected, options).with_context(|| side.name())?;
        }
        Ok(())
    }

    fn simulate(
        &mut self,
        case: &Case,
        side: Side,
        modules: &[dr::Module],
        folder: &Path,
        expected: &Expected,
        options: &Options,
    ) -> Result<()> {
        let largest = expected.scale.iter().fold(0.0_f32, |most, scale| most.max(*scale));
        let prepare = |step, left| -> Result<Prepared<'_>> {
            let module: &dr::Module = modules.get(step).context("no module")?;
            let case = case.steps().nth(step).context("no such step")?;
            Prepared::new(case, side, module, &Beside { folder, left }, largest)
        };
        let first = prepare(0, BTreeMap::new())?;
        let simple = modes::first(&first.recipe, first.plan.subgroup_size);
        let mut claimed = modes::claimed(&first.recipe, first.plan.subgroup_size);
        claimed.retain(|modes| {
            let plain = *modes == simple || (modes.checked && !options.first);
            // What the other modes do is the simulator's, whoever made the module.
            plain || (side == Side::Ours && !options.first && options.sample.is_none())
        });
        for modes in &claimed {
            let shown =
                format!("{} with {}, {}, {}", side.name(), modes.numerics, modes.ownership, modes.decode);
            self.runs += 1;
            let mut finished = first.run(modes);
            let mut failed = self.has_failed(&shown, &finished.report);
            let mut result = first.buffer("result", &finished).map(<[u8]>::to_vec);
            let mut left = first.left(&finished);
            for step in 1..modules.len() {
                if failed {
                    break;
                }
                let next = prepare(step, left)?;
                finished = next.run(modes);
                failed = self.has_failed(&shown, &finished.report);
                result = next.buffer("result", &finished).map(<[u8]>::to_vec);
                left = next.left(&finished);
            }
            if !failed {
                let result = result.context("no bytes of the result")?;
                self.compare(case.last(), side, &shown, &result, expected)?;
            }
        }
        Ok(())
    }

    /// Takes what a run found; whether it ended early.
    fn has_failed(&mut self, shown: &str, report: &Report) -> bool {
        self.add_findings(report);
        if let Some(error) = &report.error {
            self.failures.push(format!("{shown}: {}", error.message));
        }
        report.error.is_some()
    }

    fn compare(
        &mut self,
        case: &Case,
        side: Side,
        shown: &str,
        found: &[u8],
        expected: &Expected,
    ) -> Result<()> {
        let Output { shape, type_, .. } = case.output.as_ref().context("a case without a result")?;
        let component = Component::ALL.into_iter().find(|component| component.name() == *type_);
        let component = component.context("a result of no known type")?;
        let mut worst = (0.0, 0, 0.0);
        let mut wrong = 0;
        for index in 0..expected.values.len() {
            let found =
                component.read(found, index * component.size()).context("too few bytes of the result")?;
            let value = f64::from(expected.values[index]);
            // Sums of nothing are compared as they are.
            let error = (found - value).abs() / f64::from(expected.scale[index]).max(1e-6);
            let error = match error.is_nan() {
                // Infinities, or neither is a number.
                true if found == value || (found.is_nan() && value.is_nan()) => 0.0,
                true => f64::INFINITY,
                false => error,
            };
            wrong += usize::from(error > case.bound);
            if error > worst.0 {
                worst = (error, index, found);
            }
        }
        let largest = self.worst.entry(side).or_default();
        *largest = largest.max(worst.0);
        if wrong > 0 {
            let place = coopmat_recipe::compare::place(shape, worst.1);
            self.failures.push(format!(
                "{shown}: {wrong} of {} elements are off by more than {:.1e}, up to {:.1e}; at {place:?} {} instead of {}",
                expected.values.len(),
                case.bound,
                worst.0,
                worst.2,
                expected.values[worst.1]
            ));
        }
        Ok(())
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
        for step in case.steps() {
            let same = |row: &&mut Row| row.variant == step.variant && row.types == step.types;
            if let Some(row) = rows.iter_mut().rev().find(same) {
                row.add(&step.sizes, share, outcome.runs, outcome.failures.len());
            } else {
                let mut row =
                    Row::new(&step.variant, &step.types, step.subgroup, wrong.contains(&step.variant));
                row.add(&step.sizes, share, outcome.runs, outcome.failures.len());
                rows.push(row);
            }
        }
    }
    rows
}
