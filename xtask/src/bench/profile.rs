//! `cargo xtask bench --profile NAME`: where the instructions go, counted by valgrind's callgrind, whose counts are the same on a busy machine. The
//! figures that this explains are those of the other modules; docs/benchmarks.md says what was found.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{simulator, typing};
use crate::{corpus, shell};

/// Parts of `coopmat-compare phases --only`, with how many times each is gone through.
const PHASES: [(&str, &str); 4] =
    [("preprocess", "20"), ("analysis", "10"), ("binary", "10"), ("keystroke", "4")];
/// Functions that are shown.
const SHOWN: usize = 30;

/// What can be looked at.
pub fn names() -> String {
    let phases = PHASES.iter().map(|(name, _)| *name);
    let all: Vec<&str> = phases.chain(["server", "server-with-error"]).chain(simulator::names()).collect();
    all.join(", ")
}

pub fn run(name: &str) -> Result<()> {
    if !shell::succeeds(&mut shell::command("valgrind", ["--version"])) {
        bail!("there is no valgrind, which counts the instructions: install it first");
    }
    let folder = shell::target().join("profile");
    std::fs::create_dir_all(&folder)?;
    let counts = folder.join(name).with_extension("callgrind");
    // Of the code that is measured, without what comes before.
    let counted = |function: &str| {
        let mut valgrind = shell::command("valgrind", ["--tool=callgrind", "--quiet"]);
        valgrind.arg(format!("--callgrind-out-file={}", counts.display()));
        if !function.is_empty() {
            valgrind.arg(format!("--toggle-collect={function}"));
        }
        valgrind
    };
    if let Some((_, rounds)) = PHASES.iter().find(|(phase, _)| *phase == name) {
        corpus::prepare()?;
        let program = shell::optimised("coopmat-compare")?;
        let mut run = counted("coopmat_compare::phases::alone");
        run.arg(program).args(["phases", "--only", name, "--rounds", rounds]);
        shell::run(run.arg("--sources").arg(corpus::folder()))?;
    } else if let "server" | "server-with-error" = name {
        typing::profile(&mut counted(""), name == "server-with-error")?;
    } else if simulator::names().any(|shader| shader == name) {
        shell::run(&mut simulator::one(counted("coopmat_speed::Ready::run"), name)?)?;
    } else {
        bail!("expected one of {}, found `{name}`", names());
    }
    show(&counts)
}

/// The functions in which most instructions are, with their parts of all.
fn show(counts: &Path) -> Result<()> {
    let text =
        shell::output(Command::new("callgrind_annotate").args(["--auto=no", "--threshold=95"]).arg(counts))
            .context("callgrind_annotate cannot read the counts")?;
    for line in text.lines().filter(|line| line.contains('%')).take(SHOWN) {
        println!("{line}");
    }
    println!("all of them: callgrind_annotate --inclusive=yes {}", counts.display());
    Ok(())
}
