//! `cargo xtask book`: the book as a folder of pages, and the checks of what it says. The crate `xtask/book` makes and tries its chapters.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell::{self, command};

/// What makes pages of chapters. A program in the target folder rather than a library: nothing else needs what it is made of.
const MDBOOK: &str = "0.5.4";

#[derive(clap::Args, Default)]
pub struct Options {
    /// Open the book in a browser
    #[arg(long)]
    open: bool,
    /// Then run the book's commands over a copy of the examples, and read its shaders, TOML and JSON
    #[arg(long)]
    check: bool,
    /// Write what commands print now into the chapters that show it
    #[arg(long)]
    update: bool,
    /// Ask for every address that leads out of the book, too
    #[arg(long)]
    online: bool,
}

impl Options {
    pub fn checked() -> Options {
        Options { check: true, ..Options::default() }
    }
}

pub fn run(options: &Options) -> Result<()> {
    let program = programs()?;
    if options.update {
        shell::run(blocks(&program)?.arg("--update"))?;
    }
    let pages = build(&program)?;
    let mut links = tool();
    links.arg("links").arg("--book").arg(&pages).arg("--list").arg(folder().join("external-links.txt"));
    if options.online {
        links.arg("--online");
    }
    shell::run(&mut links)?;
    if options.check && !options.update {
        shell::run(&mut blocks(&program)?)?;
    }
    let first = pages.join("index.html");
    println!("The book is {}", first.display());
    if options.open {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        shell::run(&mut command(opener, [&first]))?;
    }
    Ok(())
}

fn folder() -> PathBuf {
    shell::target().join("book")
}

/// Makes the pages, whose folder it gives.
fn build(program: &Path) -> Result<PathBuf> {
    let mdbook = install()?;
    shell::run(tool().arg("source").arg("--out").arg(folder()).arg("--program").arg(program))?;
    let pages = folder().join("html");
    shell::run(command(&mdbook.to_string_lossy(), ["build"]).arg(folder()).arg("--dest-dir").arg(&pages))?;
    // mdBook's own licence asks for its notice.
    fs::copy(shell::root().join("docs/book/NOTICE.txt"), pages.join("NOTICE.txt"))
        .context("cannot copy the notice")?;
    Ok(pages)
}

/// The book's pages copied to a folder: what is published holds it.
pub fn copy_to(destination: &Path) -> Result<()> {
    let pages = build(&programs()?)?;
    if destination.exists() {
        fs::remove_dir_all(destination)?;
    }
    shell::copy_folder(&pages, destination)
}

/// Builds the command line, which it tells, and what makes and tries chapters.
fn programs() -> Result<PathBuf> {
    shell::programs(&["coopmat-analyzer", "coopmat-book"])
}

fn tool() -> Command {
    let mut tool = Command::new(shell::built("debug", "coopmat-book"));
    tool.current_dir(shell::root());
    tool
}

fn blocks(program: &Path) -> Result<Command> {
    let mut command = tool();
    let chores = shell::own_program()?;
    command.arg("blocks").arg("--program").arg(program).arg("--chores").arg(chores);
    Ok(command)
}

/// mdBook, compiled for a quick start rather than for speed, without its server.
fn install() -> Result<PathBuf> {
    let root = shell::target().join("tools").join(format!("mdbook-{MDBOOK}"));
    let program = root.join("bin/mdbook");
    if shell::succeeds(&mut command(&program.to_string_lossy(), ["--version"])) {
        return Ok(program);
    }
    println!("mdBook {MDBOOK} is missing: compiling it into {}", root.display());
    let mut install =
        shell::cargo(["install", "mdbook", "--version", MDBOOK, "--locked", "--quiet", "--profile", "dev"]);
    install.args(["--no-default-features", "--features", "search", "--root"]).arg(&root);
    install
        .arg("--target-dir")
        .arg(shell::target().join("tools/mdbook-build"))
        .env("CARGO_PROFILE_DEV_DEBUG", "0");
    shell::run(&mut install)?;
    fs::remove_dir_all(shell::target().join("tools/mdbook-build"))?;
    Ok(program)
}
