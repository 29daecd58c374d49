//! The crates of the workspace, as cargo tells them.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use super::modules::Crate;
use crate::shell;

/// The files of each crate of ours: of its library and its programs, without its tests.
///
/// # Errors
/// Cargo does not tell, or a source cannot be read.
pub fn all() -> Result<Vec<(String, Crate)>> {
    let text =
        shell::output(&mut shell::cargo(["metadata", "--format-version", "1", "--no-deps", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&text)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let named = packages.iter().map(|package| {
        let name = package["name"].as_str().context("a package without a name")?;
        Ok((
            name.to_owned(),
            Crate::read(&shell::root(), &roots(package), &|path| std::fs::read_to_string(path).ok())?,
        ))
    });
    named.collect()
}

fn roots(package: &Value) -> Vec<PathBuf> {
    let is_product = |target: &&Value| {
        let kinds = target["kind"].as_array();
        kinds
            .into_iter()
            .flatten()
            .all(|kind| !matches!(kind.as_str(), Some("test" | "example" | "bench" | "custom-build")))
    };
    let targets = package["targets"].as_array();
    let products = targets.into_iter().flatten().filter(is_product);
    products.filter_map(|target| target["src_path"].as_str().map(PathBuf::from)).collect()
}
