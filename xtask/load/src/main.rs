//! `cargo xtask load`: the real server, driven as editors do, much faster and for longer; every answer is checked.
//!
//! A *round* opens all documents, edits them with requests in between, compares everything with a fresh server, and closes them; the memory is
//! looked at before and after. Then the input of the server is closed while it works, a server is killed and another one goes on with what
//! is open, and editors are killed.

mod check;
mod client;
mod counts;
mod document;
mod editor;
mod memory;
mod random;
mod ranges;
mod report;
mod requests;
mod session;
mod settled;
mod text;
mod tokens;
mod workspace;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// All of it
    Storm(Storm),
    /// An editor that works until it is killed; tells the number of its server's process
    Editor(Editor),
    /// KiB that a server takes with so many documents open, and the most that it took
    Memory {
        #[command(flatten)]
        place: Place,
        #[arg(long, value_delimiter = ',')]
        files: Vec<usize>,
    },
    /// Milliseconds from starting the server to its answer to `initialize`
    StartUp {
        #[command(flatten)]
        place: Place,
        #[arg(long, default_value_t = 10)]
        times: usize,
    },
}

#[derive(Args)]
struct Place {
    /// The server's program
    #[arg(long)]
    server: PathBuf,
    /// The folder that the server works in
    #[arg(long)]
    folder: PathBuf,
    /// Make the folder anew, of what `cargo xtask corpus` has filled
    #[arg(long, requires = "examples")]
    sources: Option<PathBuf>,
    /// Our examples
    #[arg(long)]
    examples: Option<PathBuf>,
}

#[derive(Args)]
struct Storm {
    #[command(flatten)]
    place: Place,
    /// Documents that are open
    #[arg(long, default_value_t = 200)]
    files: usize,
    /// Edits, all together
    #[arg(long, default_value_t = 10_000)]
    edits: usize,
    /// How many times everything is opened and closed again
    #[arg(long, default_value_t = 4)]
    rounds: usize,
    /// Editors that are killed
    #[arg(long, default_value_t = 10)]
    kills: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the table into this file
    #[arg(long)]
    document: Option<PathBuf>,
    /// How the table is made, for the words above it
    #[arg(long, default_value = "cargo xtask load")]
    words: String,
}

#[derive(Args)]
struct Editor {
    #[command(flatten)]
    place: Place,
    #[arg(long)]
    files: usize,
    #[arg(long)]
    seed: u64,
}

impl Place {
    fn make(&self) -> Result<()> {
        match (&self.sources, &self.examples) {
            (Some(sources), Some(examples)) => workspace::make(&self.folder, sources, examples),
            _ => Ok(()),
        }
    }
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Storm(options) => report::run(&options),
        Command::Editor(Editor { place, files, seed }) => {
            editor::edit(&place.server, &place.folder, files, seed)
        }
        Command::Memory { place, files } => {
            place.make()?;
            memory::measure(&place.server, &place.folder, &files)
        }
        Command::StartUp { place, times } => {
            place.make()?;
            memory::start_up(&place.server, &place.folder, times)
        }
    }
}
