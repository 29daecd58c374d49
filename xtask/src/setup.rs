//! `cargo xtask setup`: installs the tools that are missing. Each tool is probed first, so a second run changes nothing.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell::{self, command};
use crate::wasm::{self, Toolchain};

#[derive(clap::Args)]
pub struct Options {}

pub fn run(_options: &Options) -> Result<()> {
    webassembly()?;
    program("node", &["nodejs"])?;
    program("g++", &["g++"])?;
    let nvim = neovim()?;
    println!("ready: Neovim is {}", shell::describe(&nvim));
    Ok(())
}

fn program(name: &str, packages: &[&str]) -> Result<()> {
    if shell::succeeds(&mut command(name, ["--version"])) {
        return Ok(());
    }
    println!("{name} is missing: installing {}", packages.join(", "));
    shell::apt_install(packages)
}

/// Rust and C compilers for wasm32: rustup's target where it can be fetched, Debian's own toolchain otherwise.
fn webassembly() -> Result<()> {
    if Toolchain::find().is_some() {
        return Ok(());
    }
    if !wasm::rustup_has_target() && shell::succeeds(&mut command("rustup", ["--version"])) {
        println!("the target {} is missing: asking rustup for it", wasm::TARGET);
        let mut add = command("timeout", ["120", "rustup", "target", "add", wasm::TARGET]);
        if !shell::succeeds(&mut add) {
            println!("rustup cannot fetch it: falling back to Debian's packages");
        }
    }
    let packages = if wasm::rustup_has_target() { &["clang-19", "llvm-19"] } else { wasm::DEBIAN_PACKAGES };
    println!("compilers for WebAssembly are missing: installing {}", packages.join(", "));
    shell::apt_install(packages)?;
    Toolchain::find().context("the installed compilers still cannot build for wasm32")?;
    Ok(())
}

/// A folder with the newest Debian, for programs that the host's release has only in old versions.
fn newest_debian() -> PathBuf {
    shell::target().join("tools/debian-sid")
}

/// Neovim with the built-in language client's present interface: the host's own, or the one in the folder, started
/// through that folder's own dynamic linker so that it sees the host's files and needs no privileges.
pub fn find_neovim() -> Option<Command> {
    let host = || Command::new("nvim");
    if recent_neovim(host()) {
        return Some(host());
    }
    let folder = newest_debian();
    let unpacked = || {
        let mut nvim = Command::new(folder.join("lib64/ld-linux-x86-64.so.2"));
        nvim.arg("--library-path").arg(folder.join("usr/lib/x86_64-linux-gnu"));
        nvim.arg(folder.join("usr/bin/nvim")).env("VIMRUNTIME", folder.join("usr/share/nvim/runtime"));
        // Its parsers, which it would look for beside the dynamic linker.
        nvim.arg("--cmd").arg(format!("set runtimepath+={}", folder.join("usr/lib/nvim").display()));
        nvim
    };
    recent_neovim(unpacked()).then(unpacked)
}

fn recent_neovim(mut nvim: Command) -> bool {
    let Some(text) = shell::try_output(nvim.arg("--version")) else { return false };
    let Some(version) = text.lines().next().and_then(|line| line.strip_prefix("NVIM v")) else {
        return false;
    };
    let mut numbers = version.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(0), Some(12))
}

fn neovim() -> Result<Command> {
    if let Some(found) = find_neovim() {
        return Ok(found);
    }
    let folder = newest_debian();
    println!("no Neovim 0.12: unpacking one into {}", folder.display());
    if !shell::succeeds(&mut command("debootstrap", ["--version"])) {
        shell::apt_install(&["debootstrap"])?;
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut bootstrap = command("debootstrap", ["--variant=minbase", "--include=neovim", "sid"]);
    shell::run(bootstrap.arg(&folder))?;
    find_neovim().context("the unpacked Neovim does not start")
}
