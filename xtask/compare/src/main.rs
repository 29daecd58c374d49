//! Comparisons that need glslang as a library. `cargo xtask bench` starts this program.

mod bench;
mod front_end;
mod keystrokes;
mod stats;

use clap::{Parser, Subcommand};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The analysis and glslang's front end over the same shaders, and keystrokes in the largest of them
    Bench(bench::Options),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Bench(options) => bench::run(&options),
    }
}
