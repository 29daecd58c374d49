//! Compiles every shader for every Vulkan version, and for its own with all kinds of debug information. What `check` finds no error in becomes
//! a module that is valid for its version, or is told to be not compiled, with a sentence that says what is lacking. This holds of what glslang
//! refuses as well.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use coopmat_analysis::Analyzer;
use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::sources::FileLoader;
use coopmat_codegen::{CompileError, DebugInfo, Options as CodegenOptions};
use coopmat_corpus::files::Files;
use coopmat_corpus::glslang::Glslang;
use coopmat_corpus::llama::Llama;
use coopmat_corpus::tools::FEATURES;
use rayon::prelude::*;

use crate::common::Common;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// The command that judges a module: spirv-val, with the linker that it needs
    #[arg(long)]
    validator: Option<String>,
    /// A folder for modules
    #[arg(long)]
    write: PathBuf,
    /// Only so many of llama.cpp's variants: one of every N
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Only glslang's tests
    #[arg(long)]
    glslang_only: bool,
    /// Each shader for its own version alone, without debug information
    #[arg(long)]
    own: bool,
}

/// One compilation.
struct Job<'a> {
    files: &'a Files,
    file: &'a str,
    name: String,
    configuration: Configuration,
    debug: DebugInfo,
    /// Whether glslang takes the shader.
    accepted: bool,
}

enum Outcome {
    Valid,
    /// The analysis finds errors for this version.
    Errors,
    Refused(String),
    Invalid(String),
}

pub fn run(options: &Options) -> Result<bool> {
    fs::create_dir_all(&options.write)?;
    let glslang = Glslang::read(&options.common.sources)?;
    let llama = Llama::read(&options.common.sources)?;
    let mut jobs = Vec::new();
    for test in &glslang.tests {
        if test.linked {
            let accepted = test.rejected.is_none();
            add(
                &mut jobs,
                options,
                &glslang.files,
                [&test.file, &test.file],
                &test.configuration(),
                accepted,
            );
        }
    }
    if !options.glslang_only {
        for variant in llama.variants.iter().step_by(options.every.max(1)) {
            let configuration = variant.configuration();
            add(&mut jobs, options, &llama.files, [&variant.source, &variant.name], &configuration, true);
        }
    }
    let analyzer = Analyzer::default();
    let outcomes: Vec<Result<Outcome>> =
        jobs.par_iter().map(|job| compile(&analyzer, job, options)).collect();
    let mut counts: BTreeMap<(&str, &str), [usize; 4]> = BTreeMap::new();
    let mut refusals: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut invalid = 0;
    for (job, outcome) in jobs.iter().zip(outcomes) {
        let key = (job.configuration.target_env.name(), debug_name(job.debug));
        let place = match outcome? {
            Outcome::Valid => 0,
            Outcome::Errors => 1,
            Outcome::Refused(message) => {
                refusals.entry(message).or_default().push(format!("{} {}", job.name, key.0));
                2
            }
            Outcome::Invalid(message) => {
                let whose = if job.accepted { "" } else { " (glslang rejects it)" };
                println!("INVALID {} for {} with {}{whose}: {message}", job.name, key.0, key.1);
                invalid += 1;
                3
            }
        };
        counts.entry(key).or_default()[place] += 1;
    }
    let mut refusals: Vec<(String, Vec<String>)> = refusals.into_iter().collect();
    refusals.sort_by_key(|(_, shaders)| std::cmp::Reverse(shaders.len()));
    for (message, shaders) in refusals.iter().take(options.common.limit) {
        println!("{:5} times, as in {}: {message}", shaders.len(), shaders[0]);
    }
    for ((env, debug), [valid, errors, refused, invalid]) in counts {
        println!("{env}, {debug}: {valid} valid, {errors} with errors, {refused} refused, {invalid} invalid");
    }
    Ok(invalid == 0)
}

fn add<'a>(
    jobs: &mut Vec<Job<'a>>,
    options: &Options,
    files: &'a Files,
    [file, name]: [&'a str; 2],
    configuration: &Configuration,
    accepted: bool,
) {
    if !options.common.chosen(name) {
        return;
    }
    let mut job = |target_env, debug| {
        let configuration = Configuration { target_env, ..configuration.clone() };
        jobs.push(Job { files, file, name: name.to_owned(), configuration, debug, accepted });
    };
    if options.own {
        return job(configuration.target_env, DebugInfo::None);
    }
    for env in TargetEnv::ALL {
        job(env, DebugInfo::None);
    }
    job(configuration.target_env, DebugInfo::Lines);
    job(configuration.target_env, DebugInfo::Full);
}

fn debug_name(debug: DebugInfo) -> &'static str {
    match debug {
        DebugInfo::None => "no debug information",
        DebugInfo::Lines => "lines",
        DebugInfo::Full => "debug information",
    }
}

fn compile(analyzer: &Analyzer, job: &Job<'_>, options: &Options) -> Result<Outcome> {
    let text = job.files.load(job.file).with_context(|| format!("there is no file {}", job.file))?;
    let codegen = CodegenOptions { debug: job.debug, ..CodegenOptions::default() };
    let judge = || {
        let analysis = analyzer.analyze(job.file, text, &job.configuration, job.files, None);
        let errors = analysis.diagnostics.iter().any(|found| found.severity == Severity::Error);
        let told: Vec<_> = coopmat_codegen::not_compiled(&analysis);
        (errors, told, coopmat_codegen::compile(&analysis, &codegen))
    };
    let Ok((errors, told, compiled)) = catch_unwind(AssertUnwindSafe(judge)) else {
        return Ok(Outcome::Invalid("it panicked".to_owned()));
    };
    let module = match compiled {
        _ if errors => return Ok(Outcome::Errors),
        Ok(compiled) if told.is_empty() => compiled.module,
        Ok(_) => {
            return Ok(Outcome::Invalid(format!("it is compiled, and told not to be: {}", told[0].message)));
        }
        Err(errors) => {
            let internal = errors.iter().any(CompileError::is_internal);
            let message = errors.first().map(|error| error.message.clone()).unwrap_or_default();
            if told.is_empty() || internal {
                return Ok(Outcome::Invalid(format!("it passes `check`, and has no module: {message}")));
            }
            return Ok(Outcome::Refused(message));
        }
    };
    let words = match coopmat_spirv::assemble(&module) {
        Ok(words) => words,
        Err(error) => return Ok(Outcome::Invalid(error.to_string())),
    };
    if let Err(error) = coopmat_spirv::load(&words) {
        return Ok(Outcome::Invalid(error.to_string()));
    }
    match &options.validator {
        Some(validator) => validate(validator, job, &options.write, &words),
        None => Ok(Outcome::Valid),
    }
}

fn validate(validator: &str, job: &Job<'_>, folder: &Path, words: &[u32]) -> Result<Outcome> {
    let env = job.configuration.target_env.name();
    let path = folder.join(format!("{}.{env}.{}.spv", job.name, job.debug as u32));
    fs::write(&path, coopmat_spirv::to_bytes(words))?;
    let mut parts = validator.split_whitespace();
    let output = Command::new(parts.next().context("no command")?)
        .args(parts)
        // Features that a device may have: the shader asks for them.
        .args(FEATURES)
        .args(["--target-env", env])
        .arg(&path)
        .output()?;
    if output.status.success() {
        fs::remove_file(&path)?;
        return Ok(Outcome::Valid);
    }
    let told = String::from_utf8_lossy(&output.stderr);
    Ok(Outcome::Invalid(told.lines().take(2).collect::<Vec<_>>().join(" ")))
}
