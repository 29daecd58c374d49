//! Memory: what `check` and the server take at most, or hold.

use std::process::Command;

use anyhow::{Context, Result};

use super::figures::{Better, Figure, Found};
use super::process;
use crate::{corpus, debian, shell};

const ROUNDS: usize = 5;

pub fn run() -> Result<Found> {
    corpus::prepare()?;
    let mut found = Found::default();
    let server = shell::optimised_server()?;
    let mib = |id: &str, what: &str, ours: Vec<f64>| Figure {
        id: id.to_owned(),
        what: what.to_owned(),
        unit: "MiB",
        ours,
        peer: None,
        better: Better::Less,
    };
    let folder = shell::target().join("memory");
    let mut held = Command::new(shell::optimised("coopmat-load")?);
    held.arg("memory").arg("--server").arg(&server).arg("--folder").arg(&folder);
    held.arg("--sources").arg(corpus::folder()).arg("--examples").arg(shell::root().join("examples"));
    held.arg("--files=0,1,50,200");
    let mut servers = vec![[Vec::new(), Vec::new()]; 4];
    for _ in 0..3 {
        let text = shell::output(&mut held)?;
        for (line, [holds, most]) in text.lines().zip(&mut servers) {
            let numbers: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let [_, now, peak] = numbers[..] else { anyhow::bail!("expected three numbers, found {line}") };
            holds.push(now / 1024.0);
            most.push(peak / 1024.0);
        }
    }
    let shader = shell::root().join("examples/khr/gemm.comp");
    let (mut ours, mut theirs, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.extend(process::peak(Command::new(&server).arg("check").arg(&shader))?);
        if let Some(mut glslang) = debian::program("glslang") {
            glslang.args(["--target-env", "vulkan1.3", "-o", "/dev/null"]).arg(&shader);
            theirs.extend(process::peak(&mut glslang)?);
        }
    }
    if ours.is_empty() {
        found.note("This system does not tell how much memory a process takes.");
        return Ok(found);
    }
    // llama.cpp's shaders, each under three of its configurations.
    for _ in 0..2 {
        let mut check = Command::new(&server);
        check.args(["check", "--all-configs"]).arg(folder.join("llama")).current_dir(&folder);
        all.extend(process::peak(&mut check)?);
    }
    let one = mib("memory/check", "`check` of `examples/khr/gemm.comp`, at most", ours);
    let one = if theirs.is_empty() {
        found.note("There is no glslang to hold this against: `cargo xtask setup` installs it.");
        one
    } else {
        one.beside("`glslang` of the same file, at most", theirs)
    };
    found.figures.push(one);
    let folder_check = "`check --all-configs` of llama.cpp's shaders, three configurations each, at most";
    found.figures.push(mib("memory/check-corpus", folder_check, all));
    let [empty, rest @ ..] = &servers[..] else { return Ok(found) };
    found.figures.push(mib("memory/server-0", "the server with nothing open", empty[0].clone()));
    for (count, [holds, most]) in ["1", "50", "200"].into_iter().zip(rest) {
        let what = format!("the server with {count} documents open and analysed");
        let figure = mib(&format!("memory/server-{count}"), &what, holds.clone());
        found.figures.push(figure.beside("the same with nothing open", empty[0].clone()));
        let what = format!("the same, at most ({count})");
        found.figures.push(mib(&format!("memory/server-{count}-most"), &what, most.clone()));
    }
    found.figures.first().context("nothing was measured")?;
    Ok(found)
}
