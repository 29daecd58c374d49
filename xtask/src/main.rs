//! `cargo xtask COMMAND`: every chore of this repository has one command.

mod bench;
mod book;
mod code_server;
mod completion;
mod corpus;
mod count;
mod debian;
#[cfg(test)]
mod dependencies;
mod dist;
mod documents;
mod editors;
mod fuzz;
mod generate;
mod glslc_stub;
mod grammar;
mod graph;
mod load;
mod neovim;
mod notices;
mod npm;
mod pictures;
mod playground;
mod registry;
mod rules;
mod schemas;
mod setup;
mod shell;
mod spirv;
mod test;
#[cfg(test)]
mod test_files;
mod vscode;
mod vulkan;
mod wasm;
#[cfg(test)]
mod words;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The chores of coopmat-analyzer")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install the tools that the other commands need and that are missing, saying what is done
    Setup(setup::Options),
    /// Write the generated files anew: the parser's tables, the page's types of messages
    Generate(generate::Options),
    /// Make the book of docs/ and of the data, and check what it says
    Book(book::Options),
    /// Build the browser playground and serve it on this machine
    Playground(playground::Options),
    /// Make the playground as a folder for static hosts
    Dist(dist::Options),
    /// Take the README's pictures anew, into docs/pictures
    Pictures(pictures::Options),
    /// Collect the licences of everything that is released into target/THIRD-PARTY.md
    Notices,
    /// Run every check: format, lints, tests, generated files, WebAssembly, real shaders, a real editor
    Test(test::Options),
    /// Run a real Neovim against the server: open, break, see, hover
    Neovim,
    /// Run a real VS Code with the extension: open, break, see, repair, run
    Vscode(vscode::Options),
    /// Download real shaders into the target folder and check them
    Corpus(corpus::Options),
    /// Hold our reader, printer and modules against SPIRV-Tools and glslang
    Spirv(spirv::Options),
    /// Hold what is known of SPIR-V against Khronos' machine-readable grammar
    Grammar,
    /// Tell which files of a crate import each other in circles, and that these are no larger than allowed
    Graph,
    /// Hold what is known of Vulkan's features against Vulkan's registry
    Registry,
    /// Break the rules of the matrix extensions one at a time, and look what the catalogue and glslang say
    Rules(rules::Options),
    /// Run our modules and glslang's on a Vulkan device, and compare what they compute
    Vulkan(vulkan::compare::Options),
    /// Run programs of other projects on our Vulkan driver, and write the table in docs/vulkan-driver.md
    Programs,
    /// Run llama.cpp with its Vulkan backend on our driver, and compare with its CPU backend
    Llama(vulkan::llama::Options),
    /// Feed damaged shaders, modules, messages and files to every part, and check what must hold whatever comes in
    Fuzz(fuzz::Options),
    /// Drive the server as editors do, much faster and for longer, and check every answer
    Load(load::Options),
    /// Learn the order of completion's items from real shaders, or report how good it is
    Completion(completion::Options),
    /// Measure the speed of analysis and compiling beside glslang's
    Bench(bench::Options),
}

fn main() -> anyhow::Result<()> {
    if glslc_stub::requested() {
        return glslc_stub::record_arguments();
    }
    match Arguments::parse().command {
        Command::Setup(options) => setup::run(&options),
        Command::Generate(options) => generate::run(&options),
        Command::Book(options) => book::run(&options),
        Command::Playground(options) => playground::run(&options),
        Command::Pictures(options) => pictures::run(&options),
        Command::Notices => notices::run(),
        Command::Dist(options) => dist::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Neovim => neovim::run(),
        Command::Vscode(options) => vscode::run(&options),
        Command::Corpus(options) => corpus::run(&options),
        Command::Spirv(options) => spirv::run(&options),
        Command::Grammar => grammar::run(),
        Command::Graph => graph::run(),
        Command::Registry => registry::run(),
        Command::Rules(options) => rules::run(&options),
        Command::Vulkan(options) => vulkan::compare::run(&options),
        Command::Programs => vulkan::programs::run(),
        Command::Llama(options) => vulkan::llama::run(&options),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Load(options) => load::run(&options),
        Command::Completion(options) => completion::run(&options),
        Command::Bench(options) => bench::run(&options),
    }
}
