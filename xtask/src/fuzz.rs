//! `cargo xtask fuzz`: damaged input for every part, by the driver of `coopmat-fuzz` or by libFuzzer.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{debian, shell};

#[derive(clap::Args)]
pub struct Options {
    /// Only this target (`--list` lists them); several are separated by commas
    #[arg(long)]
    target: Option<String>,
    /// Seconds for each target
    #[arg(long, default_value_t = 60)]
    time: u64,
    /// The same seed gives the same inputs; without one the time decides, and it is printed
    #[arg(long, conflicts_with = "libfuzzer")]
    seed: Option<u64>,
    /// List the targets
    #[arg(long)]
    list: bool,
    /// Let libFuzzer choose the inputs by the code that they reach (needs the nightly compiler)
    #[arg(long)]
    libfuzzer: bool,
    /// Arguments for the driver (see `cargo xtask fuzz -- --help`), or for libFuzzer
    #[arg(last = true)]
    rest: Vec<String>,
}

pub fn run(options: &Options) -> Result<()> {
    if options.libfuzzer {
        return libfuzzer(options);
    }
    let mut driver = driver();
    if options.list {
        return shell::run(driver.arg("--list"));
    }
    driver.arg(format!("--time={}", options.time));
    driver.args(options.target.iter().map(|target| format!("--target={target}")));
    driver.args(options.seed.iter().map(|seed| format!("--seed={seed}")));
    driver.args(validator()?);
    shell::run(driver.args(&options.rest))
}

/// The short run of the tests: what failed once, and at most three hundred inputs or six seconds of each target, from the same seed every time.
pub fn check() -> Result<()> {
    let mut driver = Command::new(shell::programs(&["coopmat-fuzz"])?);
    driver.current_dir(shell::root()).arg("--folder").arg(folder());
    shell::run(driver.args(["--seed=1", "--runs=300", "--time=6"]).args(validator()?))
}

/// For long runs.
fn driver() -> Command {
    let mut driver = shell::cargo(["run", "--quiet", "--profile", "fuzz", "--package", "coopmat-fuzz", "--"]);
    driver.arg("--folder").arg(folder());
    driver
}

/// Where failing inputs are written.
fn folder() -> PathBuf {
    shell::target().join("fuzz-failures")
}

fn validator() -> Result<[String; 2]> {
    debian::install()?;
    let validator = debian::program("spirv-val").context("no spirv-val")?;
    Ok(["--spirv-val".to_owned(), shell::describe(&validator)])
}

/// The fuzzers of `xtask/fuzz/fuzz`, one after the other.
fn libfuzzer(options: &Options) -> Result<()> {
    let toolchains =
        shell::try_output(&mut shell::command("rustup", ["toolchain", "list"])).unwrap_or_default();
    if !toolchains.lines().any(|line| line.starts_with("nightly")) {
        bail!(
            "libFuzzer needs the nightly compiler, for its instrumentation: `rustup toolchain install nightly --profile minimal`; \
             without --libfuzzer the stable compiler is enough"
        );
    }
    let package = shell::root().join("xtask/fuzz/fuzz");
    let cargo_fuzz = cargo_fuzz()?;
    let fuzz = |arguments: &[&str]| {
        let mut command = Command::new(&cargo_fuzz);
        command.arg("fuzz").args(arguments).current_dir(&package).env("RUSTUP_TOOLCHAIN", "nightly");
        command.env("CARGO_TARGET_DIR", shell::target().join("libfuzzer"));
        command
    };
    let known = shell::output(fuzz(&["list", "--fuzz-dir"]).arg(&package))?;
    let chosen: Vec<&str> = match &options.target {
        Some(names) => names.split(',').collect(),
        None => known.lines().collect(),
    };
    if options.list {
        print!("{known}");
        return Ok(());
    }
    let mut failed = Vec::new();
    for target in chosen {
        let corpus = shell::target().join("libfuzzer-corpus").join(target);
        std::fs::create_dir_all(&corpus)?;
        let artifacts = folder();
        std::fs::create_dir_all(&artifacts)?;
        // Some inputs of the driver to begin with.
        let mut seeds = driver();
        seeds.arg(format!("--target={target}")).arg("--write").arg(&corpus);
        shell::run(&mut seeds)?;
        // Without AddressSanitizer: there is no unsafe code but tree-sitter's, and it halves the speed.
        let mut command = fuzz(&["run", "--sanitizer", "none", "--fuzz-dir"]);
        command.arg(&package).arg(target).arg(&corpus).arg("--");
        command.arg(format!("-max_total_time={}", options.time));
        command.arg(format!("-artifact_prefix={}/{target}-", artifacts.display()));
        command.args(["-timeout=60", "-rss_limit_mb=4096", "-print_final_stats=1", "-max_len=60000"]);
        if shell::run(command.args(&options.rest)).is_err() {
            failed.push(target);
        }
    }
    if !failed.is_empty() {
        bail!("inputs that fail are in {}: {}", folder().display(), failed.join(", "));
    }
    Ok(())
}

/// cargo's subcommand, installed once beside the other tools.
fn cargo_fuzz() -> Result<PathBuf> {
    let tools = shell::target().join("tools");
    let program = tools.join("bin").join(format!("cargo-fuzz{}", std::env::consts::EXE_SUFFIX));
    if !program.exists() {
        shell::run(shell::cargo(["install", "--quiet", "--locked", "cargo-fuzz", "--root"]).arg(&tools))?;
    }
    Ok(program)
}
