//! Runs targets over generated inputs for a while, and makes what fails small.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use cpu_time::ThreadTime;

use crate::minimise::minimise;
use crate::panics::{Failure, catch};
use crate::random::Random;
use crate::seeds::{Seeds, root};
use crate::target::{Effort, Target};
use crate::targets::codegen;
use crate::validate::{Validator, complaint};
use crate::watchdog::Watchdog;

pub struct Options {
    pub seed: u64,
    /// For each target.
    pub time: Duration,
    /// At most so many inputs of each target.
    pub runs: u64,
    /// Where failing inputs are written.
    pub folder: PathBuf,
    /// The command that starts `spirv-val`.
    pub validator: Option<String>,
    pub watchdog: Watchdog,
    /// Shows each input's number before it is run.
    pub verbose: bool,
}

/// What became of one target.
#[derive(Default)]
pub struct Outcome {
    pub runs: u64,
    pub time: Duration,
    /// The slowest input, in milliseconds of the processor.
    pub slowest: u128,
    pub modules: usize,
    /// One of each kind, and the file with its input.
    pub failures: Vec<(Failure, PathBuf)>,
    /// Those that looked like one that was known.
    pub again: u64,
}

/// The generator of an input: its number and the seed of the run say all.
fn generator(seed: u64, target: &Target, number: u64) -> Random {
    let mut random = Random::of(target.name.as_bytes());
    Random::new(random.bits() ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(number))
}

pub fn run(target: &'static Target, options: &Options) -> Result<Outcome> {
    // A process that dies says nothing more: what it was doing stands here.
    let running = options.folder.join(format!("{}-running", target.name));
    let seeds = Seeds::shared();
    let scratch = options.folder.join(format!("{}.spv", target.name));
    let mut validator = options
        .validator
        .clone()
        .map(|command| Validator::start(command, scratch.with_extension("queue.spv")));
    if validator.is_some() {
        codegen::made();
    }
    let begun = Instant::now();
    let mut outcome = Outcome::default();
    for number in 0..options.runs {
        if begun.elapsed() >= options.time {
            break;
        }
        let input = (target.generate)(&mut generator(options.seed, target, number), seeds);
        if options.verbose {
            println!("{} {number}: {} bytes", target.name, input.len());
        }
        fs::write(&running, &input)?;
        // Of the processor, which may have others to serve.
        let start = ThreadTime::now();
        let result =
            options.watchdog.watch(target.name, &input, || catch(|| (target.run)(&input, Effort::default())));
        let took = start.elapsed().as_millis();
        if took > outcome.slowest {
            outcome.slowest = took;
            fs::write(options.folder.join(format!("{}-slowest", target.name)), &input)?;
        }
        outcome.runs += 1;
        if let Some(validator) = &mut validator {
            for made in codegen::made() {
                validator.add(made.bytes, made.environment, &input);
            }
        }
        if let Err(failure) = result {
            note(target, options, &mut outcome, failure, &input, number)?;
        }
    }
    if let Some(validator) = validator {
        let validated = validator.finish();
        outcome.modules = validated.modules;
        for invalid in validated.invalid {
            let failure = Failure { message: invalid.said, place: "spirv-val".to_owned() };
            note(target, options, &mut outcome, failure, &invalid.input, u64::MAX)?;
        }
    }
    outcome.time = begun.elapsed();
    let _ = fs::remove_file(&running);
    Ok(outcome)
}

/// Keeps a failure of a new kind, with an input as small as it gets.
fn note(
    target: &'static Target,
    options: &Options,
    outcome: &mut Outcome,
    failure: Failure,
    input: &[u8],
    number: u64,
) -> Result<()> {
    if outcome.failures.iter().any(|(known, _)| known.is_like(&failure)) {
        outcome.again += 1;
        return Ok(());
    }
    println!(
        "{}: input {number} of seed {}: {} ({})",
        target.name, options.seed, failure.message, failure.place
    );
    let name = format!("{}-{:016x}", target.name, Random::of(input).bits());
    let path = options.folder.join(name);
    fs::write(&path, input)?;
    let small = smaller(target, options, &failure, input);
    fs::write(&path, &small)?;
    println!("  {} bytes of {} are enough: {}", small.len(), input.len(), path.display());
    outcome.failures.push((failure, path));
    Ok(())
}

/// Makes an input small.
pub fn smaller(target: &'static Target, options: &Options, failure: &Failure, input: &[u8]) -> Vec<u8> {
    let until = Instant::now() + Duration::from_secs(60);
    minimise(input, target.unit, |candidate| {
        Instant::now() < until
            && fails(target, options, candidate).is_some_and(|found| found.is_like(failure))
    })
}

/// How an input fails, if it does: with all places tried, and its modules validated.
pub fn fails(target: &'static Target, options: &Options, input: &[u8]) -> Option<Failure> {
    let run =
        |effort| options.watchdog.watch(target.name, input, || catch(|| (target.run)(input, effort))).err();
    if options.validator.is_some() {
        codegen::made();
    }
    let failure = run(Effort::default()).or_else(|| run(Effort { everywhere: true }));
    failure.or_else(|| {
        let command = options.validator.as_deref()?;
        let scratch = options.folder.join("smaller.spv");
        codegen::made().into_iter().find_map(|made| {
            let said = complaint(command, &scratch, &made.bytes, made.environment)?;
            Some(Failure { message: said, place: "spirv-val".to_owned() })
        })
    })
}

/// Inputs to begin with, as files: what failed once, and a hundred new ones.
pub fn write(target: &'static Target, options: &Options, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for number in 0..100 {
        let input = (target.generate)(&mut generator(options.seed, target, number), Seeds::shared());
        fs::write(folder.join(format!("seed-{number}")), input)?;
    }
    if let Ok(kept) = fs::read_dir(root().join("xtask/fuzz/regressions").join(target.name)) {
        for entry in kept {
            let entry = entry?;
            fs::copy(entry.path(), folder.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Runs what is in a folder, or one file, of inputs that failed once: `FOLDER/TARGET/NAME`.
pub fn replay(
    target: &'static Target,
    options: &Options,
    path: &Path,
) -> Result<(usize, Vec<(Failure, PathBuf)>)> {
    let mut paths = Vec::new();
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            paths.push(entry?.path());
        }
    } else if path.exists() {
        paths.push(path.to_path_buf());
    }
    paths.sort();
    let mut failures = Vec::new();
    for path in &paths {
        let input = fs::read(path)?;
        if let Some(failure) = fails(target, options, &input) {
            failures.push((failure, path.clone()));
        }
    }
    Ok((paths.len(), failures))
}
