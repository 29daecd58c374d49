//! `cargo xtask test`: every check, each with its time, and a count at the end, followed by what the failed ones said.

mod ahead;
mod cargo;
mod disk;
mod processor;
mod quick;
mod steps;
mod summary;
mod transcript;

use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};

use crate::shell;
use steps::{Job, Pace, STEPS, Step};
use summary::{Done, summarise};
use transcript::{Show, Transcript};

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
    /// The build beside the first steps: how the command starts it
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
        shell::in_a_step();
        transcript::report((step.run)());
        return Ok(());
    }
    if options.ahead {
        return ahead::build();
    }
    disk::before();
    let steps: Vec<&Step> = STEPS.iter().filter(|step| chosen(step, options)).collect();
    if steps.is_empty() {
        bail!("no step has such a name");
    }
    let lanes = Lanes { begin: Instant::now(), results: Mutex::default() };
    let of = |pace| steps.iter().copied().filter(move |step| step.pace == pace).collect::<Vec<_>>();
    let run = |steps: &[&Step], show| steps.iter().try_for_each(|step| lanes.run(step, show));
    let (computing, waiting) = (of(Pace::Computes), of(Pace::Waits));
    if options.is_everything() {
        let at = |name: &str| computing.iter().position(|step| step.name == name).context("no such step");
        let (first, made) = (at(steps::LAST_WITHOUT_SETUP)? + 1, at(steps::MODULE)? + 1);
        // The set-up waits for the network, and unpacks with one thread.
        beside(|| run(&computing[..1], Show::AtTheEnd), || run(&computing[1..first], Show::AsTheyCome))?;
        let module = ahead::start();
        run(&computing[first..made], Show::AsTheyCome)?;
        beside(|| run(&waiting, Show::AtTheEnd), || run(&computing[made..], Show::AsTheyCome))?;
        if let Some(mut module) = module {
            module.wait()?;
        }
    } else {
        run(&computing, Show::AsTheyCome)?;
        run(&waiting, Show::AsTheyCome)?;
    }
    run(&of(Pace::Measures), Show::AsTheyCome)?;
    disk::after();
    let time = lanes.begin.elapsed();
    let (done, failures) = lanes.results.into_inner().map_err(|_| anyhow!("a thread ended early"))?;
    let result = summarise(&done, time);
    print!("{failures}");
    result
}

/// Runs one of them in a thread of its own.
fn beside(one: impl FnOnce() -> Result<()> + Send, other: impl FnOnce() -> Result<()>) -> Result<()> {
    std::thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        one.join().map_err(|_| anyhow!("a thread of the steps ended early"))??;
        other
    })
}

/// The steps that have run, of one lane or of two.
struct Lanes {
    begin: Instant,
    /// And what the failed ones said.
    results: Mutex<(Vec<Done>, String)>,
}

impl Lanes {
    fn run(&self, &Step { name, budget, .. }: &Step, show: Show) -> Result<()> {
        let heading = || {
            // Whoever ends the run by force leaves no other trace of where the time went.
            println!("\n== {name}, after {:.1} minutes", self.begin.elapsed().as_secs_f64() / 60.0);
        };
        if show == Show::AsTheyCome {
            heading();
        }
        let start = Instant::now();
        let transcript = transcript::of_step(name, show)?;
        let mut results = self.results.lock().map_err(|_| anyhow!("a thread ended early"))?;
        if show == Show::AtTheEnd {
            heading();
            transcript.print();
        }
        let Transcript { count, processors, .. } = transcript;
        if count.failed > 0 {
            let path = transcript.path.display();
            results.1 += &format!("\n-- {name} (everything: {path})\n{}", transcript.extract());
        }
        results.0.push(Done { name, count, time: start.elapsed(), processors, budget: Some(budget) });
        Ok(())
    }
}

fn chosen(step: &Step, options: &Options) -> bool {
    match options.job {
        Some(job) => step.job.is_none_or(|of| of == job),
        None => options.only.is_empty() || options.only.iter().any(|only| step.name.contains(only.as_str())),
    }
}
