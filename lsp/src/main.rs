//! `coopmat-analyzer`: the language server, and the same analysis on the command line.

// No input ends the program: what cannot be is an error, or has an answer that harms nobody. Tests may.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod arguments;
mod capture;
mod check;
mod colour;
mod configurations;
mod dap;
mod devices;
mod disk;
mod embedded;
mod explain;
mod fmt;
mod headers;
mod import;
mod module;
mod output;
mod ownership;
mod paths;
mod program;
mod reduce;
mod remaining;
mod run;
mod sarif;
mod schema;
mod serve;
mod signals;
mod spirv;
mod spirv_changes;
mod test;
mod transport;
mod tune;
mod validator;
mod vulkan;
mod wgsl;

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::arguments::{Arguments, Command, LspOptions};

fn main() -> ExitCode {
    if let Some(code) = capture::stand_in::called() {
        return code;
    }
    let arguments = Arguments::read();
    match arguments.command.unwrap_or_else(|| Command::Lsp(LspOptions::default())) {
        Command::Lsp(options) => serve::serve(&options.endpoint()),
        Command::Check(options) => check::run(&options),
        Command::Spirv(options) => spirv::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Dap => dap::serve(),
        Command::Test(options) => test::run(&options),
        Command::Tune(options) => tune::run(&options),
        Command::Reduce(options) => reduce::run(&options),
        Command::VulkanJob => run::serve_job(),
        Command::Vulkan(options) => vulkan::run(&options),
        Command::Devices(options) => devices::run(&options),
        Command::Ownership(options) => ownership::run(&options),
        Command::Import(options) => import::run(&options),
        Command::Fmt(options) => fmt::run(&options),
        Command::Explain { id } => explain::run(id.as_deref()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "coopmat-analyzer", &mut script);
            output::print(&String::from_utf8_lossy(&script))
        }
    }
}
