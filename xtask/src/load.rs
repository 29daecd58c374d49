//! `cargo xtask load`: the real server under load, driven by `coopmat-load`.

use std::process::Command;

use anyhow::Result;

use crate::{corpus, shell};

#[derive(Default, clap::Args)]
pub struct Options {
    /// The run of the tests: fewer documents and edits, the server as the tests have built it
    #[arg(long)]
    quick: bool,
    /// The whole run with the server as the tests have built it: no optimised build is made
    #[arg(long, conflicts_with = "quick")]
    debug: bool,
    /// Arguments for the run itself (see `cargo xtask load -- --help`)
    #[arg(last = true)]
    rest: Vec<String>,
}

/// What the tests run within a minute.
const QUICK: [&str; 5] = ["--files=32", "--edits=500", "--rounds=2", "--kills=2", "--seed=7"];

pub fn run(options: &Options) -> Result<()> {
    corpus::prepare()?;
    let as_tested = options.quick || options.debug;
    let server = if as_tested { shell::server()? } else { shell::optimised_server()? };
    let driver =
        if as_tested { shell::programs(&["coopmat-load"])? } else { shell::optimised("coopmat-load")? };
    let mut storm = Command::new(driver);
    storm.current_dir(shell::root()).args(["storm", "--server"]).arg(server);
    storm.arg("--folder").arg(shell::target().join("load"));
    storm.arg("--sources").arg(corpus::folder()).arg("--examples").arg(shell::root().join("examples"));
    if options.quick {
        storm.args(QUICK);
    } else {
        storm.arg("--document").arg(shell::root().join("docs/load.md"));
        if options.debug {
            storm.args(["--words", "cargo xtask load --debug"]);
        }
    }
    shell::run(storm.args(&options.rest))
}

/// The run of the tests.
pub fn check() -> Result<()> {
    run(&Options { quick: true, ..Options::default() })
}
