//! `coopmat-analyzer test`: every recipe is a test, run under all modes that it claims.

mod ownership;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use coopmat_recipe::report::Modes;
use coopmat_recipe::{EXTENSION, Host, modes};
use coopmat_server::embedded::split;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use rayon::prelude::*;

use crate::arguments::{LimitOptions, TestOptions};
use crate::colour::in_colour;
use crate::disk;
use crate::output::{print, report_error};
use crate::program::{STACK, UNUSABLE};
use crate::run::{Wanted, describe, prepare, report_text, shader_of, threads};

struct Test {
    /// The recipe's path.
    name: String,
    runs: usize,
    time: Duration,
    /// What went wrong; nothing when all went well.
    failure: Option<String>,
    /// The verdicts, with `--ownership`.
    verdicts: String,
}

/// What the runs of one recipe came to.
struct Runs {
    number: usize,
    /// What went wrong; empty when all went well.
    failures: String,
    verdicts: String,
}

pub fn run(options: &TestOptions) -> ExitCode {
    let recipes = match recipes(options) {
        Ok(recipes) => recipes,
        Err(message) => {
            report_error(&message);
            return ExitCode::from(UNUSABLE);
        }
    };
    let pool =
        rayon::ThreadPoolBuilder::new().stack_size(STACK).num_threads(options.threads.unwrap_or(0)).build();
    let pool = match pool {
        Ok(pool) => pool,
        Err(error) => {
            report_error(&format!("cannot start threads: {error}"));
            return ExitCode::from(UNUSABLE);
        }
    };
    let colour = in_colour(options.color);
    let started = Instant::now();
    let tests: Vec<Test> = pool.install(|| {
        let test = |path: &String| {
            let test = test(path, options);
            let verdict = match (&test.failure, colour) {
                (None, false) => "ok",
                (None, true) => "\u{1b}[32mok\u{1b}[0m",
                (Some(_), false) => "FAILED",
                (Some(_), true) => "\u{1b}[31mFAILED\u{1b}[0m",
            };
            let seconds = test.time.as_secs_f64();
            let _ = print(&format!(
                "test {} ... {verdict} ({} runs, {seconds:.2} s)\n{}",
                test.name, test.runs, test.verdicts
            ));
            test
        };
        recipes.par_iter().map(test).collect()
    });
    let mut text = String::new();
    for test in &tests {
        if let Some(failure) = &test.failure {
            let _ = write!(text, "\n---- {} ----\n{failure}", test.name);
        }
    }
    let failed = tests.iter().filter(|test| test.failure.is_some()).count();
    let _ = writeln!(
        text,
        "\ntest result: {}. {} passed; {failed} failed; finished in {:.2} s",
        if failed == 0 { "ok" } else { "FAILED" },
        tests.len() - failed,
        started.elapsed().as_secs_f64()
    );
    let printed = print(&text);
    if let Some(path) = &options.junit
        && let Err(error) =
            junit(&tests).and_then(|xml| std::fs::write(path, xml).map_err(|error| error.to_string()))
    {
        report_error(&format!("{}: {error}", path.display()));
        return ExitCode::from(UNUSABLE);
    }
    if failed > 0 { ExitCode::FAILURE } else { printed }
}

/// The recipes of the files and folders that are named, each once.
fn recipes(options: &TestOptions) -> Result<Vec<String>, String> {
    let mut found = BTreeSet::new();
    for path in &options.paths {
        let path = crate::paths::slashes(path);
        if split(&path).is_some_and(|(file, _)| Path::new(file).is_file()) && !path.ends_with(EXTENSION) {
            found.insert(coopmat_recipe::beside(&path));
            continue;
        }
        let metadata = std::fs::metadata(Path::new(&path)).map_err(|error| format!("{path}: {error}"))?;
        if metadata.is_dir() {
            let search = disk::search(&path, true, |path| path.ends_with(EXTENSION));
            if let Some(left_out) = search.left_out {
                crate::output::note(&format!("note: {left_out}"));
            }
            found.extend(
                search.files.into_iter().map(|path| path.strip_prefix("./").unwrap_or(&path).to_owned()),
            );
        } else if path.ends_with(EXTENSION) {
            found.insert(path);
        } else {
            found.insert(coopmat_recipe::beside(&path));
        }
    }
    if found.is_empty() {
        return Err(format!(
            "no recipes found; folders are searched for files whose names end in {EXTENSION}"
        ));
    }
    Ok(found.into_iter().collect())
}

fn test(recipe: &str, options: &TestOptions) -> Test {
    let started = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| run_all(recipe, options)));
    let nothing_ran = |failures: String| Runs { number: 0, failures, verdicts: String::new() };
    let Runs { number, failures, verdicts } = match outcome {
        Ok(Ok(runs)) => runs,
        Ok(Err(message)) => nothing_ran(message),
        Err(_) => nothing_ran("the run failed; this is a bug of coopmat-analyzer\n".to_owned()),
    };
    let failure = Some(failures).filter(|failures| !failures.is_empty());
    Test { name: recipe.to_owned(), runs: number, time: started.elapsed(), failure, verdicts }
}

/// The limits of each recipe, where as many run at once as there are threads.
fn shares(options: &TestOptions) -> LimitOptions {
    const LEAST: u64 = 256 << 20;
    let LimitOptions { memory_limit, step_limit } = options.limits;
    let share = memory_limit / threads(options.threads) as u64;
    LimitOptions { memory_limit: share.max(LEAST.min(memory_limit)), step_limit }
}

/// The error says why nothing was run.
fn run_all(recipe: &str, options: &TestOptions) -> Result<Runs, String> {
    let searching = options.shader.searching(&options.paths);
    let shader = shader_of(recipe, &searching).map_err(|message| message + "\n")?;
    let wanted = Wanted {
        path: shader.clone(),
        recipe: Some(recipe.to_owned()),
        spirv: None,
        shader: searching,
        set: Vec::new(),
        limits: shares(options),
        at_once: 1,
        init: false,
        create_recipe: false,
        debug: false,
        most_judged: None,
        color: options.color,
    };
    let mut prepared = prepare(&wanted).map_err(describe)?;
    if !options.ownership.is_empty() {
        let judged = ownership::judge(&mut prepared, &options.ownership).map_err(|message| message + "\n")?;
        let failures = if judged.same { "" } else { "results are not the same under every ownership\n" };
        let failures = failures.to_owned();
        return Ok(Runs { number: judged.runs, failures, verdicts: judged.text });
    }
    let claimed = modes::claimed(&prepared.recipe, prepared.plan.subgroup_size);
    let claimed: Vec<Modes> = if options.first { claimed.into_iter().take(1).collect() } else { claimed };
    let mut failures = String::new();
    for modes in &claimed {
        let host = Host {
            pool: None,
            tier: None,
            observers: Vec::new(),
            place: &|dispatch, instruction| prepared.place(dispatch, instruction),
            go_on: &mut |_, _| true,
        };
        let mut report = coopmat_recipe::run(&prepared.plan, &prepared.recipe, modes, host).report;
        report.shader.clone_from(&shader);
        prepared.name_shaders(&mut report);
        if !report.met {
            failures += &report_text(&report, &prepared);
        }
    }
    Ok(Runs { number: claimed.len(), failures, verdicts: String::new() })
}

fn junit(tests: &[Test]) -> Result<String, String> {
    let mut suite = TestSuite::new("coopmat-analyzer");
    for test in tests {
        let status = match &test.failure {
            None => TestCaseStatus::success(),
            Some(message) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status
                    .set_message(message.lines().next().unwrap_or_default())
                    .set_description(format!("{message}{}", test.verdicts));
                status
            }
        };
        let (folder, name) = test.name.rsplit_once('/').unwrap_or(("", &test.name));
        let mut case = TestCase::new(name, status);
        case.set_classname(folder).set_time(test.time);
        suite.add_test_case(case);
    }
    let mut report = quick_junit::Report::new("coopmat-analyzer");
    report.add_test_suite(suite);
    report.to_string().map_err(|error| error.to_string())
}
