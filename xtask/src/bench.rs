//! `cargo xtask bench`: everything that is measured, beside peers in the same run where there are some; each subject is a module. Writes
//! docs/benchmarks.md and docs/benchmarks.json, or holds the ratios against the latter.

mod client;
mod completion;
mod document;
mod figures;
mod front_end;
mod machine;
mod memory;
mod node;
mod page;
mod process;
mod profile;
mod references;
mod regressions;
mod simulator;
mod start_up;
mod typing;

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::{corpus, shell};
use figures::{Figure, Found};
use regressions::Verdict;

#[derive(Default, clap::Args)]
pub struct Options {
    /// Hold the ratios against those of docs/benchmarks.json: a regression beyond the noise of both fails
    #[arg(long)]
    regressions: bool,
    /// Only the subjects whose name contains this; nothing is written then
    #[arg(long)]
    only: Option<String>,
    /// Only ours and glslang over all variants in one process, with sizes and keystrokes
    #[arg(long)]
    compare: bool,
    /// Only the typing session with the server
    #[arg(long)]
    typing: bool,
    /// The same session with the language server of shader-validator, which is installed into the target folder (minutes)
    #[arg(long)]
    peer: bool,
    /// Only the simulator: matrix products on one thread, on two and as WebAssembly, beside a plain loop and the crate gemm; what checks cost
    #[arg(long)]
    simulator: bool,
    /// Count the instructions of one part with valgrind's callgrind, and show where they are
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Only the playground: sizes and speed of the page that `cargo xtask dist` made, in Chromium
    #[arg(long)]
    playground: bool,
    /// With --playground: fail when a figure is over its budget
    #[arg(long, requires = "playground")]
    require: bool,
    /// Arguments for the comparison of --compare (see `cargo xtask bench -- --help`)
    #[arg(last = true)]
    rest: Vec<String>,
}

/// A part of the figures: its name, its heading, how it is measured.
type Subject = (&'static str, &'static str, fn() -> Result<Found>);

const SUBJECTS: &[Subject] = &[
    ("keystroke", "Keystrokes, through the server", typing::figures),
    ("references", "References in a large tree", references::run),
    ("start-up", "Start", start_up::run),
    ("memory", "Memory", memory::run),
    ("simulator", "Simulator", simulator::figures),
    ("node", "WebAssembly in Node.js", node::run),
    ("page", "The page in Chromium", page::figures),
    ("front-end", "Front end and code generation", front_end::run),
    ("completion", "Completion: the wanted word among the first three", completion::run),
];

pub fn run(options: &Options) -> Result<()> {
    if let Some(name) = &options.profile {
        return profile::run(name);
    }
    if options.typing || options.peer {
        return typing::run(typing::Session::Whole { peer: options.peer });
    }
    if options.simulator {
        return simulator::run();
    }
    if options.playground {
        return page::run(options.require);
    }
    if options.compare || !options.rest.is_empty() {
        return compared(&options.rest);
    }
    let chosen =
        |subject: &&Subject| options.only.as_ref().is_none_or(|only| subject.0.contains(only.as_str()));
    let chosen: Vec<&Subject> = SUBJECTS.iter().filter(chosen).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = SUBJECTS.iter().map(|subject| subject.0).collect();
        bail!("no subject has such a name; there are {}", names.join(", "));
    }
    if options.regressions {
        compare_with_baseline(&chosen)
    } else {
        measure_all(&chosen, options.only.is_none())
    }
}

fn measured((name, words, run): &Subject) -> Result<Found> {
    println!("\n== {name}: {words}");
    let start = Instant::now();
    let found = run().with_context(|| format!("{name} cannot be measured"))?;
    print!("{}", document::table(&found.figures)?);
    println!("{name} took {:.0} s", start.elapsed().as_secs_f64());
    Ok(found)
}

fn measure_all(chosen: &[&Subject], write: bool) -> Result<()> {
    let mut parts = Vec::new();
    let mut failed = Vec::new();
    for subject in chosen {
        // The others took minutes: what cannot be measured says so in its place.
        let found = measured(subject).unwrap_or_else(|error| {
            let mut found = Found::default();
            found.note(format!("Not measured: {error:#}."));
            failed.push(format!("{error:#}"));
            found
        });
        parts.push((subject.1, found.figures, found.notes));
    }
    if write {
        document::write(&parts)?;
    }
    if failed.is_empty() { Ok(()) } else { bail!("{}", failed.join("\n")) }
}

fn compare_with_baseline(chosen: &[&Subject]) -> Result<()> {
    let path = document::baseline();
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("no {}: `cargo xtask bench` writes it", path.display()))?;
    let baseline = regressions::baseline(&text)?;
    let is_regression =
        |figure: &Figure| matches!(regressions::judge(figure, &baseline), Some(Verdict::Regression { .. }));
    let mut regressions = Vec::new();
    for subject in chosen {
        let mut figures = measured(subject)?.figures;
        if figures.iter().any(is_regression) {
            // Something else may have come in between: what counts is seen twice.
            println!("once more, since something is worse:");
            let again = measured(subject)?.figures;
            for figure in &mut figures {
                if is_regression(figure)
                    && let Some(again) = again.iter().find(|again| again.id == figure.id)
                {
                    *figure = again.clone();
                }
            }
        }
        for figure in &figures {
            match regressions::judge(figure, &baseline) {
                None => {}
                Some(Verdict::New) => println!("{}: not in the baseline", figure.id),
                Some(Verdict::Within { worse, allowed }) => {
                    println!("{}: {worse:.2} times the baseline, up to {allowed:.2} is noise", figure.id);
                }
                Some(Verdict::Regression { worse, allowed }) => {
                    regressions.push(format!(
                        "{}: {worse:.2} times the baseline, up to {allowed:.2} is noise",
                        figure.id
                    ));
                }
            }
        }
    }
    if regressions.is_empty() {
        println!("no regression");
        return Ok(());
    }
    bail!("worse than {}:\n{}", path.display(), regressions.join("\n"))
}

fn compared(rest: &[String]) -> Result<()> {
    corpus::prepare()?;
    let mut bench = compare("bench")?;
    shell::run(bench.arg("--sources").arg(corpus::folder()).args(rest))
}

/// Runs the comparison over some of the variants. Speed is printed, never a reason to
/// fail: `cargo xtask bench -- --require` is the check that holds it to bounds, for a quiet machine.
pub fn check() -> Result<()> {
    compared(&["--every=8".to_owned()])?;
    typing::run(typing::Session::Short)
}

/// What holds things beside glslang, whose C++ takes minutes to compile, once.
pub fn compare(subcommand: &str) -> Result<Command> {
    let mut command = Command::new(shell::optimised("coopmat-compare")?);
    command.current_dir(shell::root()).arg(subcommand);
    Ok(command)
}
