//! What figures were taken on: cores, processor, versions. No names of machines.

use std::process::Command;

use crate::{debian, setup, shell};

/// Rows for the document.
pub fn rows() -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let model = value("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let numbers = value("cpu family").zip(value("model"));
    let numbers = numbers.map_or(String::new(), |(family, model)| format!(", family {family} model {model}"));
    rows.push(("processor", format!("{model}{numbers}, {cores} cores")));
    rows.push(("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)));
    let first_line = |command: &mut Command| {
        let text = shell::try_output(command)?;
        text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    };
    let version = |program: &str| first_line(&mut shell::command(program, ["--version"]));
    rows.extend(version("rustc").map(|text| ("Rust", text)));
    let node = first_line(setup::with_node(&mut shell::command("node", ["--version"])));
    rows.extend(node.map(|text| ("Node.js", text)));
    rows.extend(version("chromium").map(|text| ("Chromium", text)));
    rows.extend(clang().and_then(|clang| version(&clang)).map(|text| ("clang", text)));
    let glslang = debian::program("glslang").and_then(|mut glslang| first_line(glslang.arg("--version")));
    rows.extend(glslang.map(|text| ("glslang, as a process", text)));
    let locked = std::fs::read_to_string(shell::root().join("Cargo.lock")).unwrap_or_default();
    for (name, words) in [
        ("glslang-sys", "glslang, in the process"),
        ("tree-sitter-glsl", "tree-sitter-glsl"),
        ("gemm", "gemm"),
    ] {
        let start = locked.find(&format!("name = \"{name}\"\nversion = \""));
        let version = start.and_then(|start| locked[start..].split('"').nth(3));
        rows.extend(version.map(|version| (words, format!("crate {name} {version}"))));
    }
    rows
}

/// Whatever clang there is.
pub fn clang() -> Option<String> {
    let names = ["clang", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14"];
    let there = |name: &&str| shell::succeeds(&mut shell::command(name, ["--version"]));
    names.iter().find(|name| there(name)).map(|name| (*name).to_owned())
}
