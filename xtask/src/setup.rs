//! `cargo xtask setup`: installs the tools that are missing. Each tool is probed first, so a second run changes nothing.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::debian;
use crate::shell::{self, command};
use crate::wasm::{self, Toolchain};

#[derive(clap::Args)]
pub struct Options {}

pub fn run(_options: &Options) -> Result<()> {
    for_page(true)?;
    program("g++", &["g++"])?;
    debian::install()?;
    let nvim = find_neovim().context("the unpacked Neovim does not start")?;
    let mut vulkan = debian::with_lavapipe(debian::folder().join("usr/bin/vulkaninfo"))?;
    if !shell::succeeds(vulkan.arg("--summary")) {
        bail!("the unpacked Vulkan driver does not start: {}", shell::describe(&vulkan));
    }
    println!("ready: Neovim is {}", shell::describe(&nvim));
    Ok(())
}

/// What the playground is built with; `browser`: and what it is tried in.
pub fn for_page(browser: bool) -> Result<()> {
    webassembly()?;
    program("node", &["nodejs"])?;
    program("npm", &["npm"])?;
    if browser {
        program("chromium", &["chromium"])?;
    }
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
pub fn webassembly() -> Result<()> {
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

/// Neovim with the built-in language client's present interface: the host's own, or the one of the newest Debian.
pub fn find_neovim() -> Option<Command> {
    let host = || Command::new("nvim");
    if recent_neovim(host()) {
        return Some(host());
    }
    let unpacked = || {
        let folder = debian::folder();
        let mut nvim = debian::program("nvim")?;
        nvim.env("VIMRUNTIME", folder.join("usr/share/nvim/runtime"));
        // Its parsers, which it would look for beside the dynamic linker.
        nvim.arg("--cmd").arg(format!("set runtimepath+={}", folder.join("usr/lib/nvim").display()));
        Some(nvim)
    };
    if recent_neovim(unpacked()?) { unpacked() } else { None }
}

fn recent_neovim(mut nvim: Command) -> bool {
    let Some(text) = shell::try_output(nvim.arg("--version")) else { return false };
    let Some(version) = text.lines().next().and_then(|line| line.strip_prefix("NVIM v")) else {
        return false;
    };
    let mut numbers = version.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(0), Some(12))
}
