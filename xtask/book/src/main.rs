//! The book: chapters of `docs/`, of Markdown elsewhere in the repository and of the data, as mdBook reads them; and the checks of what
//! stands in them - links, commands with their output, shaders, TOML and JSON. `cargo xtask book` calls it.

mod blocks;
mod chapters;
mod commands;
mod examples;
mod generated;
mod links;
mod markdown;
mod paths;
mod untested;
mod usage;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::chapters::Book;

#[derive(Parser)]
#[command(name = "coopmat-book", about = "Makes the book's chapters, and tries what stands in them")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write the chapters for mdBook
    Source {
        /// The folder for book.toml and src
        #[arg(long)]
        out: PathBuf,
        /// The program whose command line is described
        #[arg(long)]
        program: PathBuf,
    },
    /// Follow every link of the built book within it, and list those that lead out of it
    Links {
        /// The folder with the book's pages
        #[arg(long)]
        book: PathBuf,
        /// Where to list the addresses that lead out
        #[arg(long)]
        list: PathBuf,
        /// Ask for each of these addresses, too
        #[arg(long)]
        online: bool,
    },
    /// Run the commands of the book over a copy of the examples, and read its shaders, TOML and JSON
    Blocks {
        #[arg(long)]
        program: PathBuf,
        /// The program of the chores, whose command line is compared with what the book says about it
        #[arg(long)]
        chores: PathBuf,
        /// Write what commands print into the chapters, instead of comparing
        #[arg(long)]
        update: bool,
    },
}

fn main() -> Result<ExitCode> {
    let faults = match Arguments::parse().command {
        Command::Source { out, program } => {
            let book = Book::read()?;
            let faults = book.write(&out, &generated::Sources { program })?;
            println!("{} chapters in {}", book.chapters.len(), out.display());
            faults
        }
        Command::Links { book, list, online } => links::check(&book, &list, online)?,
        Command::Blocks { program, chores, update } => examples::check(&program, &chores, update)?,
    };
    for fault in &faults {
        eprintln!("{fault}");
    }
    if faults.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("{} mistakes in the book", faults.len());
    Ok(ExitCode::FAILURE)
}
