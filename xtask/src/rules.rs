//! `cargo xtask rules`: the rules of the matrix extensions, broken one at a time, before the catalogue and `spirv-val`; with `--differ` before
//! glslang too, and real shaders with one edit each (`xtask/compare/src/mutants.rs`).

use std::process::Command;

use anyhow::{Context, Result};

use crate::{bench, corpus, debian, shell};

#[derive(clap::Args, Default)]
pub struct Options {
    /// Fail when docs/rules-mutation.md is not what would be written, instead of writing it
    #[arg(long)]
    check: bool,
    /// Only shaders whose function, rule or diagnostic contains this
    #[arg(long)]
    only: Option<String>,
    /// With `--differ`: only every n-th of them
    #[arg(long, requires = "differ", conflicts_with = "mutants")]
    every: Option<usize>,
    /// Print the shaders, not just those that are wrong
    #[arg(long)]
    print: bool,
    /// Apply every preferred quick fix instead, to these shaders and to kernels with slips of the hand
    #[arg(long, conflicts_with = "differ")]
    fixes: bool,
    /// The same shaders beside glslang: what it accepts, and what its modules do (compiles glslang: minutes, once)
    #[arg(long)]
    differ: bool,
    /// With `--differ`: instead of those, so many real shaders with one edit each
    #[arg(long, value_name = "NUMBER", requires = "differ", conflicts_with = "only")]
    mutants: Option<usize>,
    /// With `--mutants`: which edits are made
    #[arg(long, requires = "mutants", default_value_t = SEED)]
    seed: u64,
}

/// The edits of the tests: a sample of seconds.
const SEED: u64 = 3;
const SAMPLE: usize = 300;
/// Of the generated shaders every so many-th.
const SHADERS: usize = 10;

/// How many of a hundred of the sample have to agree at least, those of listed kinds not counted: what was measured, less two.
const AGREED: f64 = 96.5;

impl Options {
    pub fn checked() -> Options {
        Options { check: true, ..Options::default() }
    }

    pub fn checked_fixes() -> Options {
        Options { check: true, fixes: true, ..Options::default() }
    }
}

/// The comparisons with glslang: of a fixed part of the generated calls, and of some edited shaders.
pub fn compare() -> Result<()> {
    let options = Options { differ: true, every: Some(SHADERS), ..Options::default() };
    differ(&options)?;
    mutants(SAMPLE, SEED, AGREED, &options)
}

pub fn run(options: &Options) -> Result<()> {
    if let Some(number) = options.mutants {
        return mutants(number, options.seed, 0.0, options);
    }
    if options.differ {
        return differ(options);
    }
    if options.fixes {
        return fixes(options);
    }
    debian::install()?;
    let validator = debian::program("spirv-val").context("no spirv-val")?;
    let mut rules = Command::new(shell::optimised("coopmat-rules")?);
    rules.current_dir(shell::root()).arg("--document").arg(shell::root().join("docs/rules-mutation.md"));
    rules.arg("--spirv-val").arg(shell::describe(&validator));
    rules.arg("--folder").arg(shell::target().join("rules"));
    if options.check {
        rules.arg("--check");
    }
    if let Some(only) = &options.only {
        rules.args(["--only", only]);
    }
    if options.print {
        rules.arg("--print");
    }
    shell::run(&mut rules)
}

/// The quick fixes, to whatever is broken here.
fn fixes(options: &Options) -> Result<()> {
    let root = shell::root();
    let mut rules = Command::new(shell::optimised("coopmat-rules")?);
    rules.current_dir(&root).arg("--fixes").arg("--document").arg(root.join("docs/fixes.md"));
    rules.arg("--kernels").arg(root.join("examples"));
    if options.check {
        rules.arg("--check");
    }
    if let Some(only) = &options.only {
        rules.args(["--only", only]);
    }
    shell::run(&mut rules)
}

fn differ(options: &Options) -> Result<()> {
    let mut differ = bench::compare("rules")?;
    differ.arg("--accepted").arg(shell::root().join("docs/divergences.md"));
    if let Some(only) = &options.only {
        differ.args(["--only", only]);
    }
    if let Some(every) = options.every {
        differ.arg(format!("--every={every}"));
    }
    if options.print {
        differ.arg("--print");
    }
    shell::run(&mut differ)
}

fn mutants(number: usize, seed: u64, at_least: f64, options: &Options) -> Result<()> {
    debian::install()?;
    corpus::prepare()?;
    let validator = debian::program("spirv-val").context("no spirv-val")?;
    let mut mutants = bench::compare("mutants")?;
    mutants.arg("--sources").arg(corpus::folder());
    mutants.arg("--accepted").arg(shell::root().join("docs/divergences.md"));
    mutants.arg("--folder").arg(shell::target().join("mutants"));
    mutants.arg("--spirv-val").arg(shell::describe(&validator));
    mutants.arg(format!("--mutants={number}")).arg(format!("--seed={seed}"));
    mutants.arg(format!("--at-least={at_least}"));
    if options.print {
        mutants.arg("--print");
    }
    shell::run(&mut mutants)
}
