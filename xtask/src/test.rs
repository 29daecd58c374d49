//! `cargo xtask test`: every check, each with its time, and a count at the end, followed by what the failed ones said.

mod quick;
mod steps;
mod transcript;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::shell;
use steps::{Job, STEPS, Step};

#[derive(clap::Args)]
pub struct Options {
    /// While you work: format, lints and tests of what differs from main and of what stands on it, in half a minute and without network
    #[arg(long, conflicts_with_all = ["only", "job", "step"])]
    quick: bool,
    /// Only the steps whose name contains one of these: `neovim,vscode`
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Only the steps of one job of continuous integration, after the set-up
    #[arg(long, conflicts_with = "only")]
    job: Option<Job>,
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

/// A step that has run.
struct Done {
    name: &'static str,
    count: Count,
    time: Duration,
    /// In seconds.
    budget: Option<u64>,
}

pub fn run(options: &Options) -> Result<()> {
    if options.quick {
        return quick::run();
    }
    if let Some(name) = &options.step {
        let step = STEPS.iter().find(|step| step.name == name).context("no step has this name")?;
        transcript::report((step.run)());
        return Ok(());
    }
    let mut done = Vec::new();
    let mut failures = String::new();
    for &Step { name, budget, .. } in STEPS.iter().filter(|step| chosen(step, options)) {
        println!("\n== {name}");
        let start = Instant::now();
        let transcript = transcript::of_step(name)?;
        done.push(Done { name, count: transcript.count, time: start.elapsed(), budget: Some(budget) });
        if transcript.count.failed > 0 {
            failures +=
                &format!("\n-- {name} (everything: {})\n{}", transcript.path.display(), transcript.extract());
        }
    }
    if done.is_empty() {
        bail!("no step has such a name");
    }
    let result = summarise(&done);
    print!("{failures}");
    result
}

fn chosen(step: &Step, options: &Options) -> bool {
    match options.job {
        Some(job) => step.job.is_none_or(|of| of == job),
        None => options.only.is_empty() || options.only.iter().any(|only| step.name.contains(only.as_str())),
    }
}

/// Prints what each step counted and how long it took beside its budget; an error when a check failed.
fn summarise(done: &[Done]) -> Result<()> {
    println!();
    let mut total = Count::default();
    for Done { name, count, time, budget } in done {
        let verdict = if count.failed == 0 { "ok    " } else { "FAILED" };
        let time = time.as_secs_f64();
        let budget = budget.map(|budget| format!(" of {budget:>3} s")).unwrap_or_default();
        println!(
            "{verdict} {name:<22} {:>6} passed {:>4} failed {time:>7.1} s{budget}",
            count.passed, count.failed
        );
        total.passed += count.passed;
        total.failed += count.failed;
    }
    let time: Duration = done.iter().map(|step| step.time).sum();
    println!("{} passed, {} failed, {:.1} s", total.passed, total.failed, time.as_secs_f64());
    if total.failed > 0 {
        bail!("some checks failed");
    }
    Ok(())
}

/// Clippy over the whole workspace. What is only linted needs no glslang, so that its C++ is not compiled here.
fn lints(targets: &[&str]) -> Result<Command> {
    let mut lints = shell::cargo(["clippy", "--quiet", "--workspace"].iter().chain(targets));
    let version = shell::output(&mut shell::command("rustc", ["-vV"]))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc tells no host")?;
    lints.arg("--config").arg(format!("target.{host}.glslang.rustc-link-lib=[]"));
    lints.args(["--", "--deny", "warnings"]);
    Ok(lints)
}

/// Runs `cargo test` over all that it selects and adds up the results that it prints.
fn cargo_test() -> Result<Count> {
    let mut command = shell::cargo(["test", "--no-fail-fast"]);
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
