//! Comparisons that need glslang as a library. `cargo xtask bench`, `cargo xtask spirv --differ` and
//! `cargo xtask rules --differ` start this program.

mod asking;
mod bench;
mod differ;
mod front_end;
mod keystrokes;
mod mutants;
mod phases;
mod places;
mod rules;
mod sizes;
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
    /// Each phase on its own, several times: what `cargo xtask bench` reads
    Phases(phases::Options),
    /// Our modules and glslang's of the same shaders: what they do has to be the same
    Differ(differ::Options),
    /// The shaders in which a rule is broken, and their valid twins, beside glslang
    Rules(rules::Options),
    #[command(hide = true)]
    RulesChild(asking::Options),
    /// Shaders of the corpus with one edit each: the verdicts of the analysis, of our compiler with spirv-val, and of glslang
    Mutants(mutants::Options),
    #[command(hide = true)]
    MutantsChild(mutants::ChildOptions),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Bench(options) => bench::run(&options),
        Command::Phases(options) => phases::run(&options),
        Command::Differ(options) => differ::run(&options),
        Command::Rules(options) => rules::run(&options),
        Command::RulesChild(options) => rules::run_child(&options),
        Command::Mutants(options) => mutants::run(&options),
        Command::MutantsChild(options) => mutants::run_child(&options),
    }
}
