//! llama.cpp's matrix multiplications and attention on the simulator: our modules and glslang's, each with a recipe, under many modes
//! and in checked mode. The results have to be what the references say, and what checked mode finds has to be judged in the document.

pub mod attention;
mod cases;
pub mod multiply;
pub mod quants;
pub mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use coopmat_analysis::Analyzer;
use coopmat_codegen::DebugInfo;
use coopmat_corpus::llama::{Llama, Variant};
use coopmat_corpus::tools::Glslang;
use coopmat_recipe::report::{Modes, Report};
use coopmat_recipe::{Files, Host, Overrides, Plan, PlanError, modes, places};
use coopmat_simulator::{Program, ProgramOptions};
use coopmat_spirv::dr;
use rayon::prelude::*;

use crate::common::Common;
use cases::Case;
pub use table::Found;
use table::{Cell, Judgements, Row};

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    glslang: Glslang,
    /// Modules and recipes are written here, `ours/NAME.spv` beside `ours/NAME.run.toml`
    #[arg(long)]
    folder: PathBuf,
    /// The document with the table of the runs and the judgements of what checked mode finds
    #[arg(long)]
    document: Option<PathBuf>,
    /// Write the table into the document instead of comparing it
    #[arg(long, requires = "document")]
    update: bool,
    /// Only compile, and write modules and recipes
    #[arg(long)]
    write_only: bool,
    /// Only the first of a recipe's modes, and no checked run
    #[arg(long)]
    first: bool,
    /// Print the time of each run
    #[arg(long)]
    times: bool,
}

/// Where the part of the document begins that is about the runs that ggml judges.
pub const JUDGED: &str = "\n## Judged by ggml\n";

/// Who made a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Ours,
    Glslang,
}

impl Side {
    pub const ALL: [Side; 2] = [Side::Ours, Side::Glslang];

    pub fn name(self) -> &'static str {
        match self {
            Side::Ours => "ours",
            Side::Glslang => "glslang",
        }
    }
}

/// Nothing lies beside these recipes.
struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("{path}: these recipes have no files"))
    }
}

/// What all runs of one module with one recipe came to.
#[derive(Default)]
struct Outcome {
    runs: usize,
    /// The largest error of the first run, and of all.
    first_error: f64,
    largest_error: f64,
    failures: Vec<String>,
    /// What checked mode found, and one of the messages.
    findings: BTreeMap<Found, String>,
    /// Of each mode, in seconds.
    times: Vec<(String, f64)>,
}

pub fn run(options: &Options) -> Result<bool> {
    let llama = Llama::read(&options.common.sources)?;
    let mut cases = cases::all();
    cases.retain(|case| options.common.chosen(&case.name()));
    for side in Side::ALL {
        fs::create_dir_all(options.folder.join(side.name()))?;
    }
    let start = Instant::now();
    let modules = compile(&llama, &cases, options)?;
    println!("{} modules compiled in {:.1} s", modules.len(), start.elapsed().as_secs_f64());

    let start = Instant::now();
    let jobs: Vec<(&Case, Side)> =
        cases.iter().flat_map(|case| Side::ALL.into_iter().map(move |side| (case, side))).collect();
    let outcomes: Vec<Outcome> = jobs
        .par_iter()
        .map(|(case, side)| {
            let module = modules.get(&(case.variant, *side));
            simulate(case, *side, module, options).unwrap_or_else(|error| Outcome {
                failures: vec![format!("{error:#}")],
                ..Outcome::default()
            })
        })
        .collect();
    if options.write_only {
        let failed =
            outcomes.iter().flat_map(|outcome| &outcome.failures).inspect(|failure| println!("{failure}"));
        return Ok(failed.count() == 0);
    }

    let mut failed = 0;
    let mut findings: BTreeMap<Found, (String, Vec<String>)> = BTreeMap::new();
    for ((case, side), outcome) in jobs.iter().zip(&outcomes) {
        let name = format!("{} ({})", case.name(), side.name());
        for failure in &outcome.failures {
            failed += 1;
            println!("{name}: {failure}");
        }
        for (key, message) in &outcome.findings {
            let entry = findings.entry(key.clone()).or_insert_with(|| (message.clone(), Vec::new()));
            entry.1.push(name.clone());
        }
        for (modes, seconds) in outcome.times.iter().filter(|_| options.times) {
            println!("{seconds:8.3} s {name}: {modes}");
        }
    }
    let runs: usize = outcomes.iter().map(|outcome| outcome.runs).sum();
    let document = options.document.as_ref();
    let text = document.map(fs::read_to_string).transpose().context("no document")?.unwrap_or_default();
    // What is below is of the runs that ggml judges.
    let judgements = Judgements::read(text.split_once(JUDGED).map_or(&*text, |(before, _)| before));
    let whole = options.common.only.is_none() && !options.first;
    failed += judgements.unjudged(None, &findings, "modules", whole);

    let rows: Vec<Row> = cases
        .iter()
        .map(|case| {
            let cell = |side| {
                let found = jobs
                    .iter()
                    .zip(&outcomes)
                    .find(|((other, of), _)| std::ptr::eq(*other, case) && *of == side);
                found.map_or_else(Cell::default, |(_, outcome)| Cell {
                    error: outcome.first_error,
                    largest: outcome.largest_error,
                    runs: outcome.runs,
                })
            };
            Row {
                variant: case.variant,
                how: case.how(),
                sizes: case.sizes(),
                subgroup: case.subgroup,
                ours: cell(Side::Ours),
                glslang: cell(Side::Glslang),
            }
        })
        .collect();
    let printed = table::markdown(&rows);
    println!("{printed}");
    if let Some(path) = document.filter(|_| whole) {
        let updated = table::put(&text, &printed)?;
        if options.update {
            fs::write(path, updated)?;
        } else if updated != text {
            failed += 1;
            println!("{} has another table: --update writes it", path.display());
        }
    }
    let variants: BTreeSet<&str> = cases.iter().map(|case| case.variant).collect();
    println!(
        "{} cases of {} variants, {runs} runs, {failed} things are wrong, {:.1} s",
        cases.len(),
        variants.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(failed == 0 && runs > 0)
}

/// The modules of all variants that the cases name, by both compilers, with line information.
fn compile(
    llama: &Llama,
    cases: &[Case],
    options: &Options,
) -> Result<BTreeMap<(&'static str, Side), dr::Module>> {
    let mut names: Vec<&'static str> = cases.iter().map(|case| case.variant).collect();
    names.sort_unstable();
    names.dedup();
    let analyzer = Analyzer::default();
    let both: Vec<(&'static str, Side)> =
        names.into_iter().flat_map(|name| Side::ALL.into_iter().map(move |side| (name, side))).collect();
    let compiled: Vec<Result<dr::Module>> = both
        .par_iter()
        .map(|(name, side)| {
            let variant = llama.variants.iter().find(|variant| variant.name == *name);
            let variant = variant.with_context(|| format!("llama.cpp has no variant {name}"))?;
            match side {
                Side::Ours => ours(llama, &analyzer, variant),
                Side::Glslang => {
                    glslangs(variant, &options.common.sources, &options.glslang, &options.folder)
                }
            }
            .with_context(|| format!("{name} ({})", side.name()))
        })
        .collect();
    both.into_iter().zip(compiled).map(|(key, module)| Ok((key, module?))).collect()
}

pub fn ours(llama: &Llama, analyzer: &Analyzer, variant: &Variant) -> Result<dr::Module> {
    let text = llama.files.get(&variant.source).context("no source")?;
    let analysis = analyzer.analyze(&variant.source, text, &variant.configuration(), &llama.files, None);
    let with_lines = coopmat_codegen::Options { debug: DebugInfo::Lines, ..Default::default() };
    let compiled = coopmat_codegen::compile(&analysis, &with_lines).map_err(|errors| {
        let errors: Vec<String> =
            errors.iter().map(|error| coopmat_corpus::shaders::located(&analysis, error)).collect();
        anyhow::anyhow!(errors.join("; "))
    })?;
    // What is run is what a file would hold.
    let words = coopmat_spirv::assemble(&compiled.module)?;
    Ok(coopmat_spirv::load_bytes(&coopmat_spirv::to_bytes(&words))?)
}

pub fn glslangs(variant: &Variant, sources: &Path, glslang: &Glslang, folder: &Path) -> Result<dr::Module> {
    let source = sources.join("llama/vulkan-shaders").join(&variant.source);
    let module = folder.join("glslang").join(format!("{}.whole.spv", variant.name));
    glslang.compile(&source, &variant.configuration(), &module)?;
    let bytes = fs::read(&module)?;
    fs::remove_file(&module)?;
    Ok(coopmat_spirv::load_bytes(&bytes)?)
}

fn simulate(case: &Case, side: Side, module: Option<&dr::Module>, options: &Options) -> Result<Outcome> {
    let module = module.context("not compiled")?;
    let program = Program::new(module, &ProgramOptions::default());
    let program = program.map_err(|error| anyhow::anyhow!(error.message))?;
    let declared: Vec<u32> = program.interface().specialization.iter().map(|constant| constant.id).collect();
    let text = case.recipe(&declared);
    let beside = options.folder.join(side.name()).join(case.name());
    write(&beside, module, &text)?;
    if options.write_only {
        return Ok(Outcome::default());
    }
    let recipe = coopmat_recipe::parse(&text).map_err(|error| {
        let (line, _) = error.position(&text);
        anyhow::anyhow!("line {line} of the recipe: {}", error.message)
    })?;
    let plan = Plan::new(&recipe, &text, &[module.into()], &NoFiles, &Overrides::default());
    let plan = plan.map_err(|error| match error {
        PlanError::Recipe(error) => {
            anyhow::anyhow!("line {} of the recipe: {}", error.position(&text).0, error.message)
        }
        PlanError::Program(_, error) => anyhow::anyhow!("the module: {}", error.message),
    })?;
    let places = places::of_module(module);
    let mut claimed = modes::claimed(&recipe, plan.subgroup_size);
    if options.first {
        claimed.truncate(1);
    } else if side == Side::Glslang {
        // What the other modes do is the simulator's, whoever made the module.
        claimed.retain(|modes| {
            modes.checked
                || modes.ownership.starts_with("shuffled")
                || *modes == modes::first(&recipe, plan.subgroup_size)
        });
    }
    let mut outcome = Outcome { runs: claimed.len(), ..Outcome::default() };
    for (number, modes) in claimed.iter().enumerate() {
        let start = Instant::now();
        let host = Host {
            pool: None,
            tier: None,
            observers: Vec::new(),
            place: &|_, instruction| places.get(instruction as usize).cloned().flatten(),
            go_on: &mut |_, _| true,
        };
        let report = coopmat_recipe::run(&plan, &recipe, modes, host).report;
        outcome.add(number, modes, &report, start.elapsed().as_secs_f64());
    }
    Ok(outcome)
}

impl Outcome {
    fn add(&mut self, number: usize, modes: &Modes, report: &Report, seconds: f64) {
        let Modes { numerics, ownership, decode, checked, .. } = modes;
        let shown = format!("{numerics}, {ownership}, {decode}{}", if *checked { ", checked" } else { "" });
        if let Some(error) = &report.error {
            let place = error
                .place
                .as_ref()
                .map_or_else(String::new, |place| format!(" ({}:{})", place.path, place.line));
            self.failures.push(format!("{shown}: {}{place}", error.message));
        }
        for expectation in &report.expectations {
            let error = expectation.max_absolute;
            self.largest_error = self.largest_error.max(error);
            if number == 0 {
                self.first_error = self.first_error.max(error);
            }
            if !expectation.met {
                let worst = expectation.worst.as_ref().map_or_else(String::new, |worst| {
                    format!("; at {:?} {} instead of {}", worst.index, worst.found, worst.expected)
                });
                self.failures.push(format!(
                    "{shown}: {} of {} elements of {} are wrong, by up to {error:e}{worst}",
                    expectation.wrong, expectation.elements, expectation.buffer
                ));
            }
        }
        for finding in &report.findings {
            let (file, line) = finding
                .place
                .as_ref()
                .map_or(("", finding.instruction), |place| (file_name(&place.path), place.line));
            let message = format!("{} ({} times)", finding.message, finding.times);
            self.findings.entry((finding.kind.clone(), file.to_owned(), line)).or_insert(message);
        }
        self.times.push((shown, seconds));
    }
}

/// glslang tells whole paths.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn write(beside: &Path, module: &dr::Module, recipe: &str) -> Result<()> {
    let extended = |extension: &str| {
        let mut name = beside.as_os_str().to_owned();
        name.push(extension);
        PathBuf::from(name)
    };
    let words = coopmat_spirv::assemble(module)?;
    fs::write(extended(".spv"), coopmat_spirv::to_bytes(&words))?;
    fs::write(extended(coopmat_recipe::EXTENSION), recipe)?;
    Ok(())
}

/// The ownerships that know these subgroups, and a hostile one.
pub fn ownerships(subgroup: u32) -> String {
    let names = match subgroup {
        8 => ["plain", "lavapipe", "shuffled"].as_slice(),
        32 => &["plain", "nvidia-h200", "amd-rdna3", "amd-rdna4", "shuffled"],
        _ => &["plain", "amd-rdna3", "amd-rdna4", "amd-cdna", "shuffled"],
    };
    format!("ownership = {names:?}\n")
}

/// Modes do not matter to a shader without cooperative matrices.
pub const NO_MATRICES: &str = "numerics = [\"sequential\"]\nownership = [\"plain\"]\n";
