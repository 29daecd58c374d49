//! `cargo xtask bench`: the analysis and glslang's front end over the same variants, in one process.

use anyhow::Result;

use crate::{corpus, shell};

#[derive(clap::Args)]
pub struct Options {
    /// Arguments for the benchmark itself (see `cargo xtask bench -- --help`)
    #[arg(last = true)]
    rest: Vec<String>,
}

pub fn run(options: &Options) -> Result<()> {
    corpus::prepare()?;
    // glslang is C++ that takes minutes to compile: a folder of its own keeps it through changes of the native build.
    let mut bench = shell::cargo(["run", "--release", "--package", "coopmat-compare", "--", "bench"]);
    bench.arg("--sources").arg(corpus::folder()).args(&options.rest);
    shell::run(bench.env("CARGO_TARGET_DIR", shell::target().join("compare")))
}
