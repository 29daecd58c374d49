//! `cargo xtask completion`: learns the order of completion's items anew from real shaders, and how often the wanted word is among the first three, by
//! `coopmat-completion`.

use std::process::Command;

use anyhow::Result;

use crate::{corpus, shell};

#[derive(clap::Args)]
pub struct Options {
    /// Only report: each project in the order that was learned from the others
    #[arg(long)]
    report: bool,
    /// Arguments for the report (see `cargo xtask completion --report -- --help`)
    #[arg(last = true)]
    rest: Vec<String>,
}

pub fn run(options: &Options) -> Result<()> {
    let mut program = program()?;
    if !options.report {
        program.arg("--learn").arg(shell::root().join("analysis/ide/data/completion.txt"));
    }
    shell::run(program.args(&options.rest))
}

/// The program with the folders that it reads.
pub fn program() -> Result<Command> {
    corpus::prepare()?;
    corpus::ncnn()?;
    let mut program = Command::new(shell::optimised("coopmat-completion")?);
    program.current_dir(shell::root()).arg("--sources").arg(corpus::folder());
    program.arg("--examples").arg(shell::root().join("examples"));
    Ok(program)
}
