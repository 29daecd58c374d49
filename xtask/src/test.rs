//! `cargo xtask test`: every check, each with its time, and a count at the end, followed by what the failed ones said.

mod ahead;
mod cargo;
mod disk;
mod quick;
mod steps;
mod summary;
mod transcript;

use std::time::Instant;

use anyhow::{Context, Result, bail};

use steps::{Job, STEPS, Step};
use summary::{Done, summarise};

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
    /// The builds beside the first steps: how the command starts them
    #[arg(long, hide = true, conflicts_with_all = ["only", "job", "step", "quick"])]
    ahead: bool,
}

impl Options {
    /// Whether no steps are left out.
    fn is_everything(&self) -> bool {
        self.only.is_empty() && self.job.is_none()
    }
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
    if options.ahead {
        return ahead::build();
    }
    disk::before();
    let mut beside = None;
    let mut done = Vec::new();
    let mut failures = String::new();
    for &Step { name, budget, .. } in STEPS.iter().filter(|step| chosen(step, options)) {
        println!("\n== {name}");
        // What the set-up installs is there from here on.
        if done.len() == 1 && options.is_everything() {
            beside = ahead::start();
        }
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
    if let Some(mut beside) = beside {
        beside.wait()?;
    }
    disk::after();
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
