//! `cargo xtask notices`: THIRD-PARTY.md, the licences of everything that ends up in what is released - crates, and packages of npm that are bundled.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{playground, shell, vscode};

/// Reads the licences of crates. Compiled when a release is made, not by the tests.
const CARGO_ABOUT: &str = "0.9.3";

/// Where [`write()`] puts it; `.ci/package` and the packages take it from there.
pub fn file() -> PathBuf {
    shell::target().join("THIRD-PARTY.md")
}

pub fn run() -> Result<()> {
    let file = write()?;
    println!("The licences are in {}.", file.display());
    Ok(())
}

pub fn write() -> Result<PathBuf> {
    let mut text = String::from(
        "# Licences of what coopmat-analyzer is made of\n\ncoopmat-analyzer itself is under the Apache License 2.0 or the MIT licence, at your option.\n",
    );
    for (what, manifest) in MADE_OF_CRATES {
        let _ = write!(text, "\n# Crates in {what}\n\n{}", crates(manifest)?);
    }
    text.push_str("\n# Packages of npm in the page and in the extension for VS Code\n");
    let mut packages = BTreeMap::new();
    for folder in [playground::folder(), vscode::folder()] {
        playground::packages_in(&folder)?;
        bundled(&folder, &mut packages)?;
    }
    for ((name, version), licence) in packages {
        let _ = write!(text, "\n## {name} {version}\n\n```text\n{}\n```\n", licence.trim());
    }
    fs::write(file(), text)?;
    Ok(file())
}

const MADE_OF_CRATES: [(&str, &str); 2] = [
    ("the program", "lsp/Cargo.toml"),
    (
        "the WebAssembly of the page, of the npm package and of the extension for VS Code",
        "playground-web/wasm/Cargo.toml",
    ),
];

fn crates(manifest: &str) -> Result<String> {
    let about = install()?;
    let mut generate = shell::command(&about.to_string_lossy(), ["generate", "--locked", "--fail"]);
    generate
        .args(["--config", "about.toml", "--manifest-path", manifest, "about.hbs"])
        .current_dir(shell::root());
    shell::output(&mut generate)
}

fn install() -> Result<PathBuf> {
    let root = shell::target().join("tools").join(format!("cargo-about-{CARGO_ABOUT}"));
    let program = root.join("bin/cargo-about");
    if shell::succeeds(&mut shell::command(&program.to_string_lossy(), ["--version"])) {
        return Ok(program);
    }
    println!("cargo-about {CARGO_ABOUT} is missing: compiling it into {}", root.display());
    let mut install =
        shell::cargo(["install", "cargo-about", "--version", CARGO_ABOUT, "--features", "cli", "--locked"]);
    shell::run(install.arg("--quiet").arg("--root").arg(&root))?;
    Ok(program)
}

/// The packages that a lock file has not for building alone, each with the text of its licence.
fn bundled(folder: &Path, found: &mut BTreeMap<(String, String), String>) -> Result<()> {
    let lock =
        fs::read_to_string(folder.join("package-lock.json")).context("cannot read package-lock.json")?;
    let lock: Value = serde_json::from_str(&lock).context("package-lock.json is no JSON")?;
    for (path, package) in lock["packages"].as_object().into_iter().flatten() {
        let development = ["dev", "devOptional", "peer"].iter().any(|key| package[*key] == true);
        // What is linked is of this repository: its licence is the product's.
        let own = package["link"] == true || !path.contains("node_modules/");
        if own || development {
            continue;
        }
        let name = path.rsplit("node_modules/").next().unwrap_or(path).to_owned();
        let version = package["version"].as_str().unwrap_or_default().to_owned();
        let licence = licence(&folder.join(path)).with_context(|| {
            format!("{name} {version} ({}) has no file with its licence", package["license"])
        })?;
        found.insert((name, version), licence);
    }
    Ok(())
}

/// The text of the file that is called like a licence.
fn licence(package: &Path) -> Option<String> {
    let names = fs::read_dir(package).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut names: Vec<PathBuf> = names
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
            ["licen", "copying", "notice"].iter().any(|start| name.starts_with(start))
        })
        .collect();
    names.sort();
    let texts: Vec<String> = names.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
