//! From starting a process to its first answer: the server's to `initialize`, `check` of one file; beside glslang and clang as processes.

use std::process::Command;
use std::time::Instant;

use anyhow::Result;

use super::client::Client;
use super::figures::{Figure, Found};
use super::{machine, process};
use crate::{debian, shell};

const ROUNDS: usize = 15;

pub fn run() -> Result<Found> {
    let mut found = Found::default();
    let server = shell::optimised_server()?;
    let shader = shell::root().join("examples/khr/gemm.comp");
    let empty = shell::target().join("empty.c");
    std::fs::write(&empty, "int main(void) { return 0; }\n")?;
    let glslang = || {
        let mut glslang = debian::program("glslang")?;
        glslang.args(["--target-env", "vulkan1.3", "-o", "/dev/null"]).arg(&shader);
        Some(glslang)
    };
    let clang = machine::clang();
    let root = format!("file://{}", shell::root().join("examples/khr").display());
    let [mut initialize, mut check, mut theirs, mut start] = [const { Vec::new() }; 4];
    // One round more: the first brings the programs into memory.
    for round in 0..=ROUNDS {
        let begin = Instant::now();
        drop(Client::start(Command::new(&server).arg("lsp"), &root)?);
        let answered = begin.elapsed().as_secs_f64() * 1e3;
        let checked = process::time(Command::new(&server).arg("check").arg(&shader))?;
        let compiled = glslang().map(|mut glslang| process::time(&mut glslang)).transpose()?;
        let started = match &clang {
            Some(clang) => Some(process::time(Command::new(clang).arg("-fsyntax-only").arg(&empty))?),
            None => None,
        };
        if round > 0 {
            initialize.push(answered);
            check.push(checked);
            theirs.extend(compiled);
            start.extend(started);
        }
    }
    let initialize = Figure::times(
        "start-up/initialize",
        "the server, from its start to its answer to `initialize`",
        initialize,
    );
    let check = Figure::times("start-up/check", "`check` of `examples/khr/gemm.comp`", check);
    if start.is_empty() {
        found.note("There is no clang to start beside the server.");
        found.figures.push(initialize);
    } else {
        found.figures.push(initialize.beside("`clang -fsyntax-only` of an empty program", start));
    }
    if theirs.is_empty() {
        found.note("There is no glslang to start: `cargo xtask setup` installs it.");
        found.figures.push(check);
    } else {
        found.figures.push(check.beside("`glslang` of the same file", theirs));
    }
    Ok(found)
}
