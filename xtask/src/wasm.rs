//! Compiles for WebAssembly: with rustup's target where it can be fetched, with Debian's toolchain otherwise.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

pub const TARGET: &str = "wasm32-unknown-unknown";

/// What compiles for wasm32 on this machine.
pub enum Toolchain {
    /// The Rust in use has the target's standard library.
    Rustup { clang: Option<String> },
    /// Debian's Rust, which brings the standard library as source; and the LLVM tools of this version.
    Debian { llvm: u32 },
}

pub const DEBIAN_PACKAGES: &[&str] =
    &["rustc-web", "cargo-web", "rust-web-src", "clang-19", "lld-19", "llvm-19"];

impl Toolchain {
    /// Looks at what is installed, changes nothing.
    pub fn find() -> Option<Toolchain> {
        let clang = ["clang", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17"]
            .into_iter()
            .find(|clang| knows_wasm(clang))
            .map(str::to_owned);
        if rustup_has_target() && clang.is_some() {
            return Some(Toolchain::Rustup { clang });
        }
        let debian = ["/usr/bin/rustc", "/usr/bin/cargo"].iter().all(|path| Path::new(path).exists())
            && debian_rust_source().is_some()
            && knows_wasm("clang-19")
            && shell::succeeds(&mut shell::command("wasm-ld-19", ["--version"]))
            && shell::succeeds(&mut shell::command("llvm-ar-19", ["--version"]));
        debian.then_some(Toolchain::Debian { llvm: 19 })
    }

    fn cargo(&self) -> Command {
        match self {
            Toolchain::Rustup { clang } => {
                let mut cargo = shell::cargo(["build"]);
                if let Some(clang) = clang {
                    cargo.env("CC_wasm32_unknown_unknown", clang);
                    if let Some(version) = clang.strip_prefix("clang-") {
                        cargo.env("AR_wasm32_unknown_unknown", format!("llvm-ar-{version}"));
                    }
                }
                cargo
            }
            Toolchain::Debian { llvm } => {
                // Not the rustup proxy: it would put its own compiler in the place of RUSTC.
                let mut cargo = Command::new("/usr/bin/cargo");
                cargo
                    .arg("build")
                    .arg("-Zbuild-std=std,panic_abort")
                    .current_dir(shell::root())
                    .env("RUSTC", "/usr/bin/rustc")
                    .env_remove("RUSTUP_TOOLCHAIN")
                    .env("CC_wasm32_unknown_unknown", format!("clang-{llvm}"))
                    .env("AR_wasm32_unknown_unknown", format!("llvm-ar-{llvm}"))
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", format!("wasm-ld-{llvm}"));
                cargo
            }
        }
    }
}

pub fn rustup_has_target() -> bool {
    shell::try_output(&mut shell::command("rustc", ["--print", "target-libdir", "--target", TARGET]))
        .is_some_and(|folder| Path::new(folder.trim()).is_dir())
}

fn knows_wasm(clang: &str) -> bool {
    shell::try_output(&mut shell::command(clang, ["--print-targets"]))
        .is_some_and(|targets| targets.contains("wasm32"))
}

fn debian_rust_source() -> Option<PathBuf> {
    let sysroot = shell::try_output(&mut shell::command("/usr/bin/rustc", ["--print", "sysroot"]))?;
    let source = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/std");
    source.is_dir().then_some(source)
}

/// How much of the machine's time goes into a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Small and fast, as it is published.
    Web,
    /// Built in seconds, for work on the page.
    Quick,
    /// As programs of this machine are built: what speed is measured with.
    Fast,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Profile::Web => "web",
            Profile::Quick => "web-quick",
            Profile::Fast => "release",
        }
    }
}

/// Whether a module may use WebAssembly's vector instructions, which every current browser has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    Yes,
    No,
}

/// Builds a library for wasm32 as a browser loads it.
pub fn build(package: &str, profile: Profile, vectors: Vectors) -> Result<PathBuf> {
    let toolchain =
        Toolchain::find().context("nothing here compiles for wasm32: run `cargo xtask setup` first")?;
    // Folders of their own: these builds may use another compiler than the native one, and each flag builds everything anew.
    let (folder, flags) = match vectors {
        Vectors::Yes => ("wasm", "-C target-feature=+simd128"),
        Vectors::No => ("wasm-plain", ""),
    };
    // Where a panic comes from is printed to standard error, which a browser does not have. rustc asks for its variable before it takes such an option.
    let flags = format!("{flags} -Z location-detail=none");
    let target = shell::target().join(folder);
    let mut build = toolchain.cargo();
    build.args(["--profile", profile.name(), "--target", TARGET, "--lib", "--package", package]);
    if let (Toolchain::Debian { .. }, Profile::Web) = (&toolchain, profile) {
        // Above all, how to sort is compiled once for each type that is sorted.
        build.arg("-Zbuild-std-features=optimize_for_size");
    }
    build.env("CARGO_TARGET_DIR", &target).env("RUSTFLAGS", flags.trim_start()).env("RUSTC_BOOTSTRAP", "1");
    shell::run(&mut build)?;
    Ok(target.join(TARGET).join(profile.name()).join(package.replace('-', "_")).with_extension("wasm"))
}
