//! The steps of `cargo xtask test`: what each runs, in which job of continuous integration, and the seconds that it may take.
//!
//! A step is a fixed sample. What takes longer has a command of its own, whose figures stand in docs/ with their date.

use anyhow::Result;

use super::cargo::{cargo_test, documentation, lints};
use crate::count::Count;
use crate::{
    bench, book, corpus, editors, fuzz, generate, grammar, load, neovim, npm, playground, registry, rules,
    setup, shell, spirv, vscode, vulkan,
};

/// A job of continuous integration. Each sets up what it needs by [`SETUP`] first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Job {
    /// Format, lints and the tests of Rust; what is generated; the book
    Rust,
    /// Real shaders, and modules beside those of glslang
    Shaders,
    /// The page in browsers, and the npm package
    Page,
    /// Editors, the server under load, and a Vulkan driver
    Editors,
}

/// What a step does with the processors, and so which others may run beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// It has them all.
    Computes,
    /// Much of its time it waits for windows: of an editor, say. It runs beside those that compute, after the page's module is there.
    Waits,
    /// It measures, alone at the end.
    Measures,
}

pub struct Step {
    pub name: &'static str,
    /// `None` for what every job begins with.
    pub job: Option<Job>,
    pub pace: Pace,
    /// In seconds, from nothing on two cores. Printed beside the time that the step took; a slower machine is no failure.
    pub budget: u64,
    pub run: fn() -> Count,
}

const fn step(name: &'static str, job: Job, budget: u64, run: fn() -> Count) -> Step {
    Step { name, job: Some(job), pace: Pace::Computes, budget, run }
}

impl Step {
    const fn pace(self, pace: Pace) -> Step {
        Step { pace, ..self }
    }
}

/// The step that makes the page's module, which those that wait for windows need.
pub const MODULE: &str = "playground";

/// The last of the steps that need nothing of what the set-up installs, and run beside it.
pub const LAST_WITHOUT_SETUP: &str = "documentation";

const SETUP: Step = Step {
    name: "setup",
    job: None,
    pace: Pace::Computes,
    budget: 180,
    run: || Count::one(setup::run(&setup::Options {})),
};

pub const STEPS: &[Step] = &[
    SETUP,
    step("format", Job::Rust, 5, || Count::one(shell::run(&mut shell::cargo(["fmt", "--all", "--check"])))),
    step("lints", Job::Rust, 120, || {
        Count::one(lints(&["--all-targets"]).and_then(|mut lints| shell::run(&mut lints)))
    }),
    step("documentation", Job::Rust, 40, || {
        Count::one(documentation().and_then(|mut documentation| shell::run(&mut documentation)))
    }),
    step("cargo test", Job::Rust, 260, || counted(cargo_test())),
    step("generated files", Job::Rust, 10, || Count::one(generate::grammar(true))),
    step("book", Job::Rust, 45, || Count::one(book::run(&book::Options::checked()))),
    step(MODULE, Job::Page, 330, || counted(playground::test())),
    step("npm package", Job::Page, 7, || Count::one(npm::test())),
    step("llama.cpp variants", Job::Shaders, 235, || Count::one(corpus::checked("llama", &[]))),
    step("llama.cpp captured", Job::Shaders, 80, || Count::one(corpus::check_captured())),
    step("llama.cpp simulated", Job::Shaders, 9, || Count::one(corpus::check_simulated())),
    step("llama.cpp judged by ggml", Job::Shaders, 60, || Count::one(corpus::check_judged())),
    step("code actions", Job::Shaders, 11, || Count::one(corpus::checked("actions", &[]))),
    step("devices in agreement", Job::Shaders, 7, || {
        Count::one(corpus::checked("agreement", &["--every=5"]))
    }),
    step("glslang's tests", Job::Shaders, 5, || Count::one(corpus::check_glslang())),
    step("ncnn's shaders", Job::Shaders, 20, || Count::one(corpus::check_ncnn())),
    step("formatting", Job::Shaders, 5, || Count::one(corpus::checked("format", &[]))),
    step("rules", Job::Shaders, 20, || Count::one(rules::run(&rules::Options::checked()))),
    step("quick fixes", Job::Shaders, 6, || Count::one(rules::run(&rules::Options::checked_fixes()))),
    step("spirv grammar", Job::Shaders, 5, || Count::one(grammar::run())),
    step("vulkan registry", Job::Shaders, 5, || Count::one(registry::run())),
    step("spirv-tools", Job::Shaders, 35, || Count::one(spirv::run(&spirv::Options::default()))),
    step("fuzzing", Job::Rust, 60, || Count::one(fuzz::check())),
    step("spirv beside glslang", Job::Shaders, 90, || Count::one(spirv::run(&spirv::Options::sampled()))),
    step("rules beside glslang", Job::Shaders, 50, || Count::one(rules::compare())),
    step("renaming in llama.cpp", Job::Shaders, 10, || Count::one(corpus::checked("rename", &["--quick"]))),
    step("server under load", Job::Editors, 30, || Count::one(load::check())),
    step("neovim", Job::Editors, 60, || counted(neovim::test())).pace(Pace::Waits),
    step("other editors", Job::Editors, 10, || counted(editors::test())).pace(Pace::Waits),
    step("vscode", Job::Editors, 470, || counted(vscode::test())).pace(Pace::Waits),
    step("vulkan", Job::Editors, 18, || Count::one(vulkan::run())).pace(Pace::Waits),
    step("ncnn's program", Job::Editors, 30, || Count::one(vulkan::ncnn::check())).pace(Pace::Waits),
    step("programs on our driver", Job::Editors, 40, || Count::one(vulkan::programs::check()))
        .pace(Pace::Waits),
    step("speed", Job::Shaders, 16, || Count::one(bench::check())).pace(Pace::Measures),
];

fn counted(result: Result<Count>) -> Count {
    result.unwrap_or_else(|error| Count::one(Err(error)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::ValueEnum as _;

    use super::{Job, STEPS};
    use crate::shell;

    #[test]
    fn the_workflow_runs_every_job_and_no_other() {
        let workflow = std::fs::read_to_string(shell::root().join(".github/workflows/test.yml")).unwrap();
        let line =
            workflow.lines().find_map(|line| line.trim().strip_prefix("job: [")).expect("a list of jobs");
        let named: Vec<&str> = line.trim_end_matches(']').split(", ").collect();
        let known: Vec<String> = Job::value_variants()
            .iter()
            .map(|job| job.to_possible_value().unwrap().get_name().to_owned())
            .collect();
        assert_eq!(named, known);
        for job in Job::value_variants() {
            assert!(STEPS.iter().any(|step| step.job == Some(*job)), "{job:?} has no step");
        }
    }

    #[test]
    fn names_are_unique_and_all_budgets_are_forty_minutes_at_most() {
        let names: BTreeSet<&str> = STEPS.iter().map(|step| step.name).collect();
        assert_eq!(names.len(), STEPS.len());
        assert!(STEPS[0].job.is_none() && STEPS[1..].iter().all(|step| step.job.is_some()));
        let sum: u64 = STEPS.iter().map(|step| step.budget).sum();
        assert!(sum <= 40 * 60, "{sum} s: see CONTRIBUTING.md on what the tests may take");
    }
}
