//! `cargo xtask test`: every check, each with its time, and a count at the end, followed by what the failed ones said.

mod transcript;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::{
    bench, book, corpus, editors, fuzz, generate, grammar, neovim, npm, playground, registry, rules, setup,
    shell, spirv, vscode, vulkan,
};

#[derive(clap::Args)]
pub struct Options {
    /// Only the steps whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// One step in this process, with its count at the end: how the command starts each of its steps
    #[arg(long, hide = true, conflicts_with = "only")]
    step: Option<String>,
}

/// How many checks a step made.
#[derive(Clone, Copy, Default)]
pub struct Count {
    pub passed: usize,
    pub failed: usize,
}

impl Count {
    /// A step that is a single check.
    fn one(result: Result<()>) -> Count {
        match result {
            Ok(()) => Count { passed: 1, failed: 0 },
            Err(error) => {
                eprintln!("error: {error:#}");
                Count { passed: 0, failed: 1 }
            }
        }
    }
}

type Step = (&'static str, fn() -> Count);

const STEPS: &[Step] = &[
    ("setup", || Count::one(setup::run(&setup::Options {}))),
    ("format", || Count::one(shell::run(&mut shell::cargo(["fmt", "--all", "--check"])))),
    ("lints", || {
        Count::one(shell::run(&mut shell::cargo([
            "clippy",
            "--quiet",
            "--workspace",
            "--exclude=coopmat-compare",
            "--exclude=coopmat-bindgen",
            "--exclude=coopmat-speed",
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ])))
    }),
    ("cargo test", || cargo_test().unwrap_or_else(|error| Count::one(Err(error)))),
    ("generated files", || Count::one(generate::grammar(true))),
    ("book", || Count::one(book::run(&book::Options::checked()))),
    ("playground", || playground::test().unwrap_or_else(|error| Count::one(Err(error)))),
    ("npm package", || Count::one(npm::test())),
    ("llama.cpp variants", || Count::one(corpus::checked("llama", &[]))),
    ("llama.cpp simulated", || Count::one(corpus::check_simulated())),
    ("code actions", || Count::one(corpus::checked("actions", &[]))),
    ("glslang's tests", || Count::one(corpus::checked("glslang", &[]))),
    ("formatting", || Count::one(corpus::checked("format", &[]))),
    ("rules", || Count::one(rules::run(&rules::Options::checked()))),
    ("spirv grammar", || Count::one(grammar::run())),
    ("vulkan registry", || Count::one(registry::run())),
    ("spirv-tools", || Count::one(spirv::run(&spirv::Options::default()))),
    ("fuzzing", || Count::one(fuzz::check())),
    ("spirv beside glslang", || Count::one(spirv::run(&spirv::Options::compared()))),
    ("rules beside glslang", || Count::one(rules::run(&rules::Options::compared()))),
    ("renaming in llama.cpp", || Count::one(corpus::checked("rename", &["--quick"]))),
    ("server under load", || Count::one(crate::load::check())),
    ("neovim", || neovim::test().unwrap_or_else(|error| Count::one(Err(error)))),
    ("other editors", || editors::test().unwrap_or_else(|error| Count::one(Err(error)))),
    ("vscode", || vscode::test().unwrap_or_else(|error| Count::one(Err(error)))),
    ("vulkan", || Count::one(vulkan::run())),
    ("speed", || Count::one(bench::check())),
];

pub fn run(options: &Options) -> Result<()> {
    if let Some(name) = &options.step {
        let (_, step) = STEPS.iter().find(|(known, _)| known == name).context("no step has this name")?;
        transcript::report(step());
        return Ok(());
    }
    let chosen = |step: &&Step| options.only.as_ref().is_none_or(|only| step.0.contains(only.as_str()));
    let mut results: Vec<(&str, Count, Duration)> = Vec::new();
    let mut failures = String::new();
    for (name, _) in STEPS.iter().filter(chosen) {
        println!("\n== {name}");
        let start = Instant::now();
        let transcript = transcript::of_step(name)?;
        results.push((name, transcript.count, start.elapsed()));
        if transcript.count.failed > 0 {
            failures +=
                &format!("\n-- {name} (everything: {})\n{}", transcript.path.display(), transcript.extract());
        }
    }
    if results.is_empty() {
        bail!("no step has such a name");
    }
    println!();
    let mut total = Count::default();
    for (name, count, time) in &results {
        let verdict = if count.failed == 0 { "ok    " } else { "FAILED" };
        println!(
            "{verdict} {name:<22} {:>6} passed {:>4} failed {:>7.1} s",
            count.passed,
            count.failed,
            time.as_secs_f64()
        );
        total.passed += count.passed;
        total.failed += count.failed;
    }
    println!("{} passed, {} failed", total.passed, total.failed);
    if total.failed > 0 {
        println!("{failures}");
        bail!("some checks failed");
    }
    Ok(())
}

/// Runs `cargo test` over everything but the crate that compiles glslang and adds up the results that it prints.
fn cargo_test() -> Result<Count> {
    let mut command = shell::cargo([
        "test",
        "--workspace",
        "--exclude=coopmat-compare",
        "--exclude=coopmat-bindgen",
        "--exclude=coopmat-speed",
        "--no-fail-fast",
    ]);
    eprintln!("$ {}", shell::describe(&command));
    count_tests(&mut command)
}

fn count_tests(command: &mut Command) -> Result<Count> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let output = child.stdout.take().context("no output")?;
    let mut count = Count::default();
    for line in BufReader::new(output).lines() {
        let line = line?;
        match test_result(&line) {
            Some(more) => {
                count.passed += more.passed;
                count.failed += more.failed;
            }
            // The name of each passing test would bury the rest.
            None if line.starts_with("test ") && line.ends_with("ok") => {}
            None if line.trim().is_empty() || line.starts_with("running ") => {}
            None => println!("{line}"),
        }
    }
    if !child.wait()?.success() && count.failed == 0 {
        count.failed = 1;
    }
    Ok(count)
}

/// The numbers in `test result: ok. 12 passed; 0 failed; 0 ignored; …`.
fn test_result(line: &str) -> Option<Count> {
    let (_, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let number = |word: &str| {
        let field = numbers.split(';').find(|field| field.ends_with(word))?;
        field.split_whitespace().next()?.parse().ok()
    };
    Some(Count { passed: number("passed")?, failed: number("failed")? })
}

#[cfg(test)]
mod tests {
    use super::test_result;

    #[test]
    fn the_summary_line_of_a_test_binary_is_counted() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        let count = test_result(line).expect("a summary line");
        assert_eq!((count.passed, count.failed), (12, 3));
        assert!(test_result("test some::name ... ok").is_none());
    }
}
