//! The conformance cases of the simulator (`simulator/tests/conformance/`) on a Vulkan device. The suite writes them as jobs, `run_jobs` runs
//! them, and the suite judges what they leave and keeps a table in docs/conformance.md.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::compare;
use crate::{debian, shell};

/// The software driver's cases: a part of the tests.
pub fn check() -> Result<()> {
    let folder = folder("lavapipe");
    prepare(&folder, compare::LAVAPIPE_SUBGROUP)?;
    start(&folder, None)?;
    judge(&folder, compare::LAVAPIPE_SUBGROUP, "lavapipe")
}

pub fn folder(name: &str) -> PathBuf {
    shell::target().join("conformance").join(name)
}

/// Writes the jobs and the program that runs them.
pub fn prepare(folder: &Path, subgroup: u32) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    shell::run(suite(folder, subgroup)?.stdout(Stdio::null()))?;
    compare::copy_program(folder)
}

/// Runs the jobs. That one of them fails shows when they are judged.
pub fn start(folder: &Path, device: Option<&str>) -> Result<()> {
    let program = folder.join("run_jobs");
    let mut command = Command::new(&program);
    command.arg(folder).stdout(Stdio::null());
    match device {
        Some(device) => {
            command.args(["--device", device]);
        }
        // The processes of the jobs start through the linker of the software driver's folder.
        None => {
            let started = debian::with_lavapipe(&program)?;
            command.args(["--start", &shell::describe(&started)]);
            for (name, value) in started.get_envs() {
                command.env(name, value.unwrap_or_default());
            }
        }
    }
    command.status().with_context(|| format!("cannot start {}", shell::describe(&command)))?;
    Ok(())
}

/// Has the suite look at what the jobs left; `table` is the mark of the table in the document.
pub fn judge(folder: &Path, subgroup: u32, table: &str) -> Result<()> {
    shell::run(suite(folder, subgroup)?.env("CONFORMANCE_RESULTS", table))
}

fn suite(folder: &Path, subgroup: u32) -> Result<Command> {
    let mut command = shell::tests("simulator")?;
    command.args(["--quiet", "cases_run_on_devices", "--nocapture"]);
    command.env("CONFORMANCE_JOBS", folder).env("CONFORMANCE_SUBGROUP", subgroup.to_string());
    Ok(command)
}
