//! Checks the shaders that `cargo xtask corpus` downloaded and prints what the analysis says about them. The exit code is
//! 1 when something is reported that should not be, or the other way round.

mod actions_report;
mod agreement_report;
mod common;
mod format_report;
mod glslang_report;
mod judged_report;
mod llama_report;
mod modules_report;
mod ncnn_report;
mod rename_report;
mod server;
mod simulate_report;
mod spirv_report;
mod stages_report;
mod targets_report;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// All variants of llama.cpp's shaders: none may have an error
    Llama(llama_report::Options),
    /// What hovers, lenses, the table of portability and a target device say of llama.cpp's shaders: the same
    Agreement(agreement_report::Options),
    /// The rewrites of code actions on llama.cpp's shaders: none may break one
    Actions(actions_report::Options),
    /// All variants of llama.cpp's shaders, compiled to SPIR-V
    Spirv(spirv_report::Options),
    /// All of them for every Vulkan version and with debug information, compiled and validated
    Targets(targets_report::Options),
    /// glslang's tests of stages other than compute, compiled, validated, and beside glslang's modules
    Stages(stages_report::Options),
    /// llama.cpp's matrix multiplications and attention on the simulator
    Simulate(simulate_report::Options),
    /// All of llama.cpp's variants with cooperative matrices on the simulator, judged by ggml's CPU backend
    Judged(judged_report::Options),
    /// A folder of modules through our reader and printer, beside SPIRV-Tools
    Modules(modules_report::Options),
    /// glslang's test folder: agreement with its expected outputs
    Glslang(glslang_report::Options),
    /// ncnn's shaders under sets of its options: our verdicts, spirv-val's and glslang's
    Ncnn(ncnn_report::Options),
    /// Formatting of all of them: tokens stay, and a second time changes nothing
    Format(format_report::Options),
    /// Renames what llama.cpp's types.glsl declares: every variant must stay what it is
    Rename(rename_report::Options),
}

fn main() -> anyhow::Result<ExitCode> {
    let good = match Arguments::parse().command {
        Command::Llama(options) => llama_report::run(&options)?,
        Command::Agreement(options) => agreement_report::run(&options)?,
        Command::Actions(options) => actions_report::run(&options)?,
        Command::Spirv(options) => spirv_report::run(&options)?,
        Command::Targets(options) => targets_report::run(&options)?,
        Command::Stages(options) => stages_report::run(&options)?,
        Command::Simulate(options) => simulate_report::run(&options)?,
        Command::Judged(options) => judged_report::run(&options)?,
        Command::Modules(options) => modules_report::run(&options)?,
        Command::Glslang(options) => glslang_report::run(&options)?,
        Command::Ncnn(options) => ncnn_report::run(&options)?,
        Command::Format(options) => format_report::run(&options)?,
        Command::Rename(options) => rename_report::run(&options)?,
    };
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
