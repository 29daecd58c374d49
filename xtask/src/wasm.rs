//! `cargo xtask wasm`: builds what has to run in a browser, and runs it.
//!
//! `xtask/wasm-smoke` is a small program over the analysis. It is linked for wasm32, so that a symbol which no browser
//! provides shows up as an import, and is executed by Node.js.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

pub const TARGET: &str = "wasm32-unknown-unknown";

/// Packages that are built besides the program that is run.
const LIBRARIES: &[&str] =
    &["tree-sitter-glsl-coopmat", "coopmat-analysis", "coopmat-server", "coopmat-recipe"];

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
                    .env("RUSTC_BOOTSTRAP", "1")
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

pub fn run() -> Result<()> {
    let toolchain =
        Toolchain::find().context("nothing here compiles for wasm32: run `cargo xtask setup` first")?;
    // A folder of its own: this build may use another compiler than the native one.
    let target = shell::target().join("wasm");
    let mut build = toolchain.cargo();
    build.args(["--release", "--target", TARGET, "--package", "coopmat-wasm-smoke"]);
    for library in LIBRARIES {
        build.args(["--package", library]);
    }
    shell::run(build.env("CARGO_TARGET_DIR", &target))?;
    let module = target.join(TARGET).join("release/coopmat-wasm-smoke.wasm");
    execute(&module)
}

/// Runs the module's `main` without giving it anything from outside.
fn execute(module: &Path) -> Result<()> {
    let script = r#"
        const bytes = require("fs").readFileSync(process.argv[1]);
        const module = new WebAssembly.Module(bytes);
        const imports = WebAssembly.Module.imports(module);
        if (imports.length > 0) {
            console.error("the module needs from its host:", imports.map(i => `${i.module}.${i.name}`).join(", "));
            process.exit(1);
        }
        const start = performance.now();
        const code = new WebAssembly.Instance(module, {}).exports.main(0, 0);
        console.log(`${(bytes.length / 1024).toFixed(0)} KiB of WebAssembly, no imports, ran in ${(performance.now() - start).toFixed(0)} ms, exit code ${code}`);
        process.exit(code);
    "#;
    let mut node = Command::new("node");
    node.args(["-e", script]).arg(module);
    let status = node.status().context("cannot start node: run `cargo xtask setup` first")?;
    if !status.success() {
        bail!("the WebAssembly build does not work");
    }
    Ok(())
}
