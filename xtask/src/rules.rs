//! `cargo xtask rules`: the rules of the matrix extensions, broken one at a time, before the catalogue and `spirv-val`; with `--differ` before
//! glslang too.

use std::process::Command;

use anyhow::{Context, Result};

use crate::{bench, debian, shell};

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
    /// The same shaders beside glslang: what it accepts, and what its modules do (compiles glslang: minutes, once)
    #[arg(long)]
    differ: bool,
}

impl Options {
    pub fn checked() -> Options {
        Options { check: true, ..Options::default() }
    }

    /// The comparison with glslang.
    pub fn compared() -> Options {
        Options { differ: true, ..Options::default() }
    }
}

pub fn run(options: &Options) -> Result<()> {
    if options.differ {
        return differ(options);
    }
    debian::install()?;
    let validator = debian::program("spirv-val").context("no spirv-val")?;
    let mut rules = Command::new(shell::optimised("coopmat-rules")?);
    rules.current_dir(shell::root()).arg("--document").arg(shell::root().join("docs/rules-mutation.md"));
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

fn differ(options: &Options) -> Result<()> {
    let mut differ = bench::compare("rules")?;
    differ.arg("--accepted").arg(shell::root().join("docs/divergences.md"));
    if let Some(only) = &options.only {
        differ.args(["--only", only]);
    }
    if options.print {
        differ.arg("--print");
    }
    shell::run(&mut differ)
}
