//! Programs with other projects' Vulkan code on our Vulkan driver and on a software driver.
//!
//! Each program in `vulkan-driver/programs` prints how far its results are from another backend's, and `WRONG` beside what is beyond the tolerance. What
//! checked mode finds is held against a list, in which each finding is judged.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::driver;
use crate::{debian, setup, shell};

/// Steps of a dispatch: more than any has, so that one without an end fails soon.
const STEPS: &str = "50000000";

/// Where a program comes from.
pub enum Source {
    /// A script in `vulkan-driver/programs`, and packages of PyPI.
    Python { script: &'static str, packages: &'static [&'static str] },
    /// The Cargo project `vulkan-driver/programs/rust`, and what it is told.
    Rust(&'static str),
}

/// A program, and what is known of it.
pub struct Program {
    /// The name of its folder and of its list of findings.
    pub name: &'static str,
    /// How people call it, with its version.
    pub title: &'static str,
    pub source: Source,
    /// Devices that it runs as, with what the script is told of each; the tests take the first.
    pub devices: &'static [(&'static str, &'static [&'static str])],
    /// More options of `vulkan`.
    pub options: &'static [&'static str],
    /// Dispatches that it makes at least.
    pub dispatches: u64,
    /// Lines of kind, what allows it, buffer, number of findings, and the judgement, of the first device.
    pub findings: &'static str,
}

/// A finding as the list has it: kind, what allows it, buffer.
type Row = (String, String, String);

/// What became of a run.
pub struct Ran {
    pub status: ExitStatus,
    pub said: String,
    pub events: Vec<Value>,
    pub time: Duration,
}

impl Ran {
    /// Whether every result is as it should be.
    pub fn is_right(&self) -> bool {
        // Our command ends with 1 for findings.
        self.said.contains("every result is within its tolerance")
    }

    /// Dispatches that ran.
    pub fn dispatches(&self) -> u64 {
        let of = |event: &Value| event["dispatches"].as_u64().filter(|_| event["event"] == "progress");
        self.events.iter().filter_map(of).max().unwrap_or_default()
    }

    /// The findings in shaders, with how many there are of each sort.
    pub fn findings(&self) -> BTreeMap<Row, u64> {
        let mut found: BTreeMap<Row, u64> = BTreeMap::new();
        for event in self.events.iter().filter(|event| event["event"] == "finding") {
            let text = |name: &str| event[name].as_str().unwrap_or("-").to_owned();
            let message = text("message");
            let buffer = message.split("buffer ").nth(1).and_then(|rest| rest.split(',').next());
            let row = (text("kind"), text("allowed_by"), buffer.unwrap_or("-").to_owned());
            *found.entry(row).or_default() += 1;
        }
        found
    }

    /// What else is wrong, or is not there.
    pub fn others(&self) -> impl Iterator<Item = &Value> {
        const QUIET: [&str; 6] = ["started", "again", "printed", "progress", "finding", "captured"];
        self.events.iter().filter(|event| event["event"].as_str().is_none_or(|name| !QUIET.contains(&name)))
    }
}

impl Program {
    /// Installs or builds the program, unless it is there.
    pub fn installed(&self) -> Result<Installed<'_>> {
        let folder = shell::target().join("programs").join(self.name);
        let program = match &self.source {
            Source::Python { script, packages } => {
                install(&folder, packages)?;
                vec![python()?, shell::root().join("vulkan-driver/programs").join(script)]
            }
            Source::Rust(told) => build(&folder, told)?,
        };
        let (analyzer, library) = (shell::server()?, driver::library()?);
        Ok(Installed { program: self, analyzer, library, folder, command: program })
    }

    fn listed(&self) -> Result<BTreeMap<Row, u64>> {
        let lines = self.findings.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let row = |line: &str| {
            let mut parts = line.splitn(5, ' ').map(str::to_owned);
            let row = (parts.next()?, parts.next()?, parts.next()?);
            let count = parts.next()?.parse().ok()?;
            // The judgement.
            parts.next().filter(|words| !words.is_empty())?;
            Some((row, count))
        };
        lines.map(|line| row(line).with_context(|| format!("findings/{}.txt: `{line}`", self.name))).collect()
    }

    /// Runs it as the first device: its results have to be right, and its findings those of the list, no more and no less.
    pub fn check(&self) -> Result<()> {
        let installed = self.installed()?;
        let device = self.devices.first().context("no device")?;
        self.judge(&installed.run(device, &["--checked".as_ref()], &[])?)
    }

    /// The same of a run of the first device.
    pub fn judge(&self, ran: &Ran) -> Result<()> {
        let name = self.name;
        ensure!(ran.is_right(), "{name} ends with {}, and says: {}", ran.status, ran.said);
        if let Some(event) = ran.others().next() {
            bail!("{name}: {event}");
        }
        let (dispatches, found) = (ran.dispatches(), ran.findings());
        let listed = self.listed()?;
        let list = format!("xtask/src/vulkan/findings/{name}.txt");
        for (row, count) in &found {
            let known = listed.get(row).copied().unwrap_or_default();
            ensure!(known == *count, "{count} findings of {row:?} in {name}, but {list} has {known}");
        }
        if let Some((row, _)) = listed.iter().find(|(row, _)| !found.contains_key(row)) {
            bail!("{list} has {row:?}, which is not found");
        }
        ensure!(dispatches >= self.dispatches, "{name} made {dispatches} dispatches only");
        let all: u64 = found.values().sum();
        println!(
            "{} as {}: {dispatches} dispatches, results as they should be, {all} findings as listed",
            self.title, self.devices[0].0
        );
        Ok(())
    }
}

/// Packages of PyPI in a folder.
fn install(folder: &Path, packages: &[&str]) -> Result<()> {
    let (stamp, wanted) = (folder.join("installed"), packages.join(" "));
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    setup::program("pip3", &["python3-pip"])?;
    println!("installing {wanted} from PyPI");
    let _ = std::fs::remove_dir_all(folder);
    let mut pip = shell::command("pip3", ["install", "--quiet", "--disable-pip-version-check", "--target"]);
    pip.env("PIP_ROOT_USER_ACTION", "ignore").arg(folder).arg("--only-binary=:all:").args(packages);
    shell::output(&mut pip)?;
    Ok(std::fs::write(stamp, wanted)?)
}

fn python() -> Result<PathBuf> {
    let told = shell::output(&mut shell::command("python3", ["-c", "import sys; print(sys.executable)"]))?;
    Path::new(told.trim()).canonicalize().context("python3 does not say where it is")
}

/// The Cargo project's program with its arguments, and the module that one of them takes.
fn build(folder: &Path, told: &str) -> Result<Vec<PathBuf>> {
    let project = shell::root().join("vulkan-driver/programs/rust");
    let target = folder.with_file_name("rust");
    println!("building {} in {}", project.display(), target.display());
    let mut cargo = shell::command("cargo", ["build", "--quiet", "--locked", "--manifest-path"]);
    shell::run(cargo.arg(project.join("Cargo.toml")).arg("--target-dir").arg(&target))?;
    let module = target.join("vulkano_sums.spv");
    let mut compile = Command::new(shell::server()?);
    compile.args(["spirv", "--target-env", "vulkan1.1", "--output"]).arg(&module);
    shell::run(compile.arg(project.join("src/vulkano_sums.comp")))?;
    Ok(vec![target.join("debug/vulkan-programs"), told.into(), module])
}

/// A program that can be run.
pub struct Installed<'p> {
    program: &'p Program,
    analyzer: PathBuf,
    /// Our driver.
    library: PathBuf,
    /// Of its packages.
    folder: PathBuf,
    /// What is started, with its arguments.
    command: Vec<PathBuf>,
}

impl Installed<'_> {
    /// Runs it on our driver as a device, with more options of `vulkan` and more arguments of the script.
    pub fn run(
        &self,
        (device, arguments): &(&str, &[&str]),
        options: &[&OsStr],
        more: &[&str],
    ) -> Result<Ran> {
        let report = shell::target().join(format!("{}-on-our-driver.json", self.program.name));
        let _ = std::fs::remove_file(&report);
        let mut command = Command::new(&self.analyzer);
        command.args(["vulkan", "--json", "--device", device, "--step-limit", STEPS, "--driver"]);
        command.arg(&self.library).arg("--output").arg(&report);
        command.args(self.program.options).args(options).arg("--").args(self.command());
        command.args(*arguments).args(more);
        let mut ran = self.finish(&mut command)?;
        let text = std::fs::read_to_string(report).with_context(|| ran.said.clone())?;
        ran.events = serde_json::from_str(&text)?;
        Ok(ran)
    }

    /// Runs it on the software driver.
    pub fn run_on_lavapipe(&self, arguments: &[&str]) -> Result<Ran> {
        let script = self.command();
        let (program, rest) = script.split_first().context("no program")?;
        let mut command = Command::new(program);
        command.args(rest).args(arguments);
        debian::only_lavapipe(&mut command)?;
        self.finish(&mut command)
    }

    fn finish(&self, command: &mut Command) -> Result<Ran> {
        command.env("PYTHONPATH", &self.folder);
        let begin = Instant::now();
        let output = command.output().context("cannot start it")?;
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        Ok(Ran { status: output.status, said, events: Vec::new(), time: begin.elapsed() })
    }

    /// The program under the dynamic linker of the folder that has the Vulkan loader.
    fn command(&self) -> Vec<OsString> {
        let mut parts = self.command.iter();
        let mut command = debian::with_both_libraries(parts.next().map_or(Path::new(""), PathBuf::as_path));
        command.args(parts);
        let program = std::iter::once(command.get_program()).chain(command.get_args());
        program.map(OsStr::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::programs::ALL;

    #[test]
    fn the_lists_of_findings_can_be_read() {
        for program in ALL {
            program.listed().unwrap();
        }
    }
}
