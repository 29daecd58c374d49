//! `cargo xtask rules`: the rules of the matrix extensions, broken one at a time, before the catalogue and `spirv-val`.

use anyhow::{Context, Result};

use crate::{debian, shell};

#[derive(clap::Args, Default)]
pub struct Options {
    /// Fail when docs/rules-mutation.md is not what would be written, instead of writing it
    #[arg(long)]
    check: bool,
    /// Only shaders whose function, rule or diagnostic contains this
    #[arg(long)]
    only: Option<String>,
    /// Print the shaders, not just those that are wrong
    #[arg(long)]
    print: bool,
}

impl Options {
    pub fn checked() -> Options {
        Options { check: true, ..Options::default() }
    }
}

pub fn run(options: &Options) -> Result<()> {
    debian::install()?;
    let validator = debian::program("spirv-val").context("no spirv-val")?;
    let mut rules = shell::cargo(["run", "--quiet", "--release", "--package", "coopmat-rules", "--"]);
    rules.arg("--document").arg(shell::root().join("docs/rules-mutation.md"));
    rules.arg("--spirv-val").arg(shell::describe(&validator));
    rules.arg("--folder").arg(shell::target().join("rules"));
    if options.check {
        rules.arg("--check");
    }
    if let Some(only) = &options.only {
        rules.args(["--only", only]);
    }
    if options.print {
        rules.arg("--print");
    }
    shell::run(&mut rules)
}
