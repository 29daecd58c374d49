//! ncnn with its Vulkan backend on our driver, a program that nobody here wrote: its layers have to be as its CPU backend's, and what checked mode
//! finds in them has to be what `ncnn-findings.txt` lists, no more and no less.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::{driver, planted};
use crate::{setup, shell};

const VERSION: &str = "1.0.20261020";
/// Whose table of matrices has what ncnn uses.
const DEVICE: &str = "nvidia-h200";
/// Of a dispatch: more than any has, so that one without an end fails soon.
const STEPS: &str = "50000000";
/// Lines of kind, what allows it, buffer, number of findings, and the judgement.
const FINDINGS: &str = include_str!("ncnn-findings.txt");

/// A finding as the list has it: kind, what allows it, buffer.
type Row = (String, String, String);

pub fn check() -> Result<()> {
    let analyzer = shell::server()?;
    let library = driver::library()?;
    let packages = packages()?;
    let program = Program { analyzer: &analyzer, library: &library, packages: &packages };
    let modules = shell::target().join("ncnn-modules");
    let _ = std::fs::remove_dir_all(&modules);
    std::fs::create_dir_all(&modules)?;
    let Ran { status, said, events } =
        program.run(&["--write-shaders".as_ref(), modules.as_os_str()], &[])?;
    ensure!(status.success(), "it ends with {status}: {said}");
    ensure!(!said.contains("WRONG"), "layers differ: {said}");
    let mut found: BTreeMap<Row, u64> = BTreeMap::new();
    let mut dispatches = 0;
    for event in &events {
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        match event["event"].as_str().unwrap_or_default() {
            "started" | "again" | "printed" => {}
            "progress" => dispatches = event["checked"].as_u64().unwrap_or_default(),
            "finding" => {
                let message = text("message");
                let buffer = message.split("buffer ").nth(1).and_then(|rest| rest.split(',').next());
                let row = (text("kind"), text("allowed_by"), buffer.unwrap_or_default().to_owned());
                *found.entry(row).or_default() += 1;
            }
            _ => bail!("{event}"),
        }
    }
    let listed = listed()?;
    for (row, count) in &found {
        let known = listed.get(row).copied().unwrap_or_default();
        ensure!(
            known == *count,
            "{count} findings of {row:?}, but xtask/src/vulkan/ncnn-findings.txt lists {known}"
        );
    }
    if let Some((row, _)) = listed.iter().find(|(row, _)| !found.contains_key(row)) {
        bail!("xtask/src/vulkan/ncnn-findings.txt lists {row:?}, which is not found");
    }
    ensure!(dispatches > 90, "ncnn made {dispatches} dispatches only");
    let all: u64 = found.values().sum();
    println!(
        "ncnn {VERSION} as {DEVICE}: {dispatches} dispatches as its CPU backend, {all} findings as listed"
    );
    planted::check(&program, &modules)
}

fn listed() -> Result<BTreeMap<Row, u64>> {
    let lines = FINDINGS.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let row = |line: &str| {
        let mut parts = line.splitn(5, ' ').map(str::to_owned);
        let row = (parts.next()?, parts.next()?, parts.next()?);
        let count = parts.next()?.parse().ok()?;
        // The judgement.
        parts.next().filter(|words| !words.is_empty())?;
        Some((row, count))
    };
    lines.map(|line| row(line).with_context(|| format!("ncnn-findings.txt: `{line}`"))).collect()
}

/// The folder with the packages of Python's, installed if they are not there.
fn packages() -> Result<PathBuf> {
    let folder = shell::target().join("ncnn-program");
    let stamp = folder.join("installed");
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == VERSION) {
        return Ok(folder);
    }
    setup::program("pip3", &["python3-pip"])?;
    println!("installing ncnn {VERSION} and numpy from PyPI");
    let _ = std::fs::remove_dir_all(&folder);
    let mut pip = shell::command("pip3", ["install", "--quiet", "--disable-pip-version-check", "--target"]);
    pip.arg(&folder);
    // What the package asks for besides is for its models.
    pip.args(["--no-deps", "--only-binary=:all:", "numpy"]).arg(format!("ncnn=={VERSION}"));
    shell::output(&mut pip)?;
    std::fs::write(stamp, VERSION)?;
    Ok(folder)
}

/// The program on our driver.
pub struct Program<'a> {
    analyzer: &'a Path,
    library: &'a Path,
    /// Of Python's packages.
    packages: &'a Path,
}

/// What became of it.
pub struct Ran {
    pub status: ExitStatus,
    pub said: String,
    pub events: Vec<Value>,
}

impl Program<'_> {
    /// Runs layers, all if none is named, with these options of `vulkan`.
    pub fn run(&self, options: &[&OsStr], layers: &[&str]) -> Result<Ran> {
        let report = shell::target().join("ncnn-on-our-driver.json");
        let _ = std::fs::remove_file(&report);
        let mut command = Command::new(self.analyzer);
        command.args([
            "vulkan",
            "--checked",
            "--json",
            "--device",
            DEVICE,
            "--step-limit",
            STEPS,
            "--driver",
        ]);
        command.arg(self.library).arg("--output").arg(&report).args(options);
        command.args(["--", "python3"]).arg(shell::root().join("vulkan-driver/programs/ncnn_layers.py"));
        command.args(layers).env("PYTHONPATH", self.packages).env("NCNN_VULKAN_DRIVER", self.library);
        let output = command.output().with_context(|| format!("cannot start {}", self.analyzer.display()))?;
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let report = std::fs::read_to_string(report).with_context(|| said.clone())?;
        Ok(Ran { status: output.status, said, events: serde_json::from_str(&report)? })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_list_of_findings_can_be_read() {
        assert!(!super::listed().unwrap().is_empty());
    }
}
