//! `cargo xtask bench`: the analysis and glslang's front end over the same variants, in one process; the simulator's matrix products; a
//! typing session with the server.

mod client;
mod page;
mod simulator;
mod typing;

use std::process::Command;

use anyhow::Result;

use crate::{corpus, shell};

#[derive(Default, clap::Args)]
pub struct Options {
    /// Only the typing session with the server
    #[arg(long)]
    typing: bool,
    /// The same session with the language server of shader-validator, which is installed into the target folder (minutes)
    #[arg(long)]
    peer: bool,
    /// Only the simulator: matrix products on one thread, on two and as WebAssembly, beside a plain loop and the crate gemm; what checks cost
    #[arg(long)]
    simulator: bool,
    /// Only the playground: sizes and speed of the page that `cargo xtask dist` made, in Chromium
    #[arg(long)]
    playground: bool,
    /// With --playground: fail when a figure is over its budget
    #[arg(long, requires = "playground")]
    require: bool,
    /// Arguments for the benchmark itself (see `cargo xtask bench -- --help`)
    #[arg(last = true)]
    rest: Vec<String>,
}

pub fn run(options: &Options) -> Result<()> {
    if options.typing || options.peer {
        return typing::run(typing::Session::Whole { peer: options.peer });
    }
    if options.simulator {
        return simulator::run();
    }
    if options.playground {
        return page::run(options.require);
    }
    compared(options)?;
    simulator::run()?;
    typing::run(typing::Session::Whole { peer: false })
}

fn compared(options: &Options) -> Result<()> {
    corpus::prepare()?;
    let mut bench = compare(&["run", "--release", "--package", "coopmat-compare", "--", "bench"]);
    shell::run(bench.arg("--sources").arg(corpus::folder()).args(&options.rest))
}

/// Lints the comparison, which nothing else compiles, and runs it over some of the variants. Speed is printed, never a reason to
/// fail: `cargo xtask bench -- --require` is the check that holds it to bounds, for a quiet machine.
pub fn check() -> Result<()> {
    shell::run(&mut compare(&[
        "clippy",
        "--quiet",
        "--release",
        "--all-targets",
        "--package",
        "coopmat-compare",
        "--",
        "--deny",
        "warnings",
    ]))?;
    compared(&Options { rest: vec!["--every=8".to_owned()], ..Options::default() })?;
    typing::run(typing::Session::Short)
}

/// glslang is C++ that takes minutes to compile: a folder of its own keeps it through changes of the native build.
pub fn compare(arguments: &[&str]) -> Command {
    let mut command = shell::cargo(arguments);
    command.env("CARGO_TARGET_DIR", shell::target().join("compare"));
    command
}
