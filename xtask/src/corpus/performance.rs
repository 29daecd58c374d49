//! Holds what `check --performance` says of scalars in shared memory, for llama.cpp's kernels, against profiles of their runs
//! (docs/performance.md, "Before a run"). The recipes are those that `corpus --judged` or its step of the tests left behind.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::shell;

const DEVICE: &str = "nvidia-h200";

/// File, line and operation.
type Place = (String, u64, String);

/// Files and lines.
type Lines = BTreeSet<(String, u64)>;

/// What is told of an access: its passes, and whether it may take fewer.
struct Told {
    passes: u64,
    at_most: bool,
}

/// Accesses of runs, by what was told of them.
#[derive(Default)]
struct Counts {
    kernels: usize,
    unknown: usize,
    without_conflicts: usize,
    as_told: usize,
    at_most: usize,
    wrong: Vec<String>,
}

pub fn compare() -> Result<()> {
    let program = shell::server()?;
    let (shaders, project) = super::llama_as_project(&program)?;
    let folder = shell::target().join("performance");
    fs::create_dir_all(&folder)?;
    fs::copy(project, folder.join("coopmat-analyzer.toml"))?;
    let copy = folder.join("vulkan-shaders");
    fs::create_dir_all(&copy)?;
    for file in fs::read_dir(&shaders)? {
        let file = file?;
        if file.file_type()?.is_file() {
            fs::copy(file.path(), copy.join(file.file_name()))?;
        }
    }
    let mut counts = Counts::default();
    for (variant, recipe) in recipes()? {
        let kernel = Kernel { program: &program, folder: &folder, variant: &variant, recipe: &recipe };
        kernel.compare(&mut counts).with_context(|| variant.clone())?;
    }
    ensure!(counts.kernels > 0, "there are no recipes of kernels: run `cargo xtask corpus --judged` before");
    let known = counts.without_conflicts + counts.as_told + counts.at_most + counts.wrong.len();
    println!(
        "{} kernels have {} accesses of scalars: {} are told without conflicts, {} with as many passes as the run has, {} with no more than were told, {} are not told",
        counts.kernels,
        known + counts.unknown,
        counts.without_conflicts,
        counts.as_told,
        counts.at_most,
        counts.unknown
    );
    ensure!(counts.wrong.is_empty(), "wrong:\n{}", counts.wrong.join("\n"));
    Ok(())
}

/// The recipes of matrix products and attention with KHR_cooperative_matrix, one for each variant.
fn recipes() -> Result<BTreeMap<String, PathBuf>> {
    let judged = shell::target().join("judged");
    let mut all = BTreeMap::new();
    for operation in fs::read_dir(&judged).with_context(|| judged.display().to_string())? {
        for file in fs::read_dir(operation?.path()).into_iter().flatten() {
            let path = file?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let variant = name.strip_suffix(".ours.run.toml").filter(|it| it.ends_with("_cm1"));
            if let Some(variant) = variant.filter(|it| !it.starts_with("conv")) {
                all.insert(variant.to_owned(), path);
            }
        }
    }
    Ok(all)
}

struct Kernel<'a> {
    program: &'a Path,
    folder: &'a Path,
    variant: &'a str,
    recipe: &'a Path,
}

impl Kernel<'_> {
    fn command(&self, name: &str) -> Command {
        let shader = match self.variant {
            attention if attention.starts_with("flash") => "flash_attn_cm1",
            integers if integers.contains("q8_1") => "mul_mmq_cm1",
            _ => "mul_mm",
        };
        let mut command = Command::new(self.program);
        command.current_dir(self.folder).arg(name).arg(format!("vulkan-shaders/{shader}.comp"));
        command.args(["--config", self.variant, "--device", DEVICE]);
        command
    }

    fn compare(&self, counts: &mut Counts) -> Result<()> {
        let text = fs::read_to_string(self.recipe)?;
        let (told, unknown) = self.told(&text)?;
        let mut run = self.command("run");
        run.arg("--recipe").arg(self.recipe);
        run.args(["--profile", "--json", "--ownership", DEVICE, "--numerics", "sequential"]);
        let output = run.output()?;
        let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
            bail!("{}", String::from_utf8_lossy(&output.stderr));
        };
        counts.kernels += 1;
        let dispatches = report["profile"]["dispatches"].as_array().context("no profile")?;
        for access in dispatches.iter().filter_map(|one| one["shared"].as_array()).flatten() {
            let figure = |name: &str| access[name].as_u64();
            let (Some(passes), Some(least), Some(times)) =
                (figure("passes"), figure("least-passes"), figure("times"))
            else {
                continue;
            };
            if !access["matrix"].is_null() {
                continue;
            }
            let place = &access["place"];
            let file = base(place["path"].as_str().context("no place")?);
            let line = place["line"].as_u64().context("no line")?;
            if unknown.contains(&(file.clone(), line)) {
                counts.unknown += 1;
                continue;
            }
            let operation = access["operation"].as_str().unwrap_or_default();
            let at = (file, line, operation.to_owned());
            match told.get(&at) {
                None if passes == least => counts.without_conflicts += 1,
                Some(told) if told.iter().any(|one| !one.at_most && one.passes * times == passes) => {
                    counts.as_told += 1;
                }
                Some(told) if told.iter().any(|one| one.at_most && one.passes * times >= passes) => {
                    counts.at_most += 1;
                }
                _ => counts.wrong.push(format!("{}, {at:?}: {passes} passes in {times} times", self.variant)),
            }
        }
        Ok(())
    }

    /// What `check` says with the values of the recipe, and the lines that it says nothing of.
    fn told(&self, recipe: &str) -> Result<(BTreeMap<Place, Vec<Told>>, Lines)> {
        let mut check = self.command("check");
        check.args(["--performance", "--format", "json"]);
        if let Some(size) = recipe.lines().find_map(|line| line.strip_prefix("subgroup-size = ")) {
            check.args(["--subgroup-size", size]);
        }
        let (_, rest) = recipe.split_once("[specialization]\n").unwrap_or_default();
        for line in rest.lines().take_while(|line| !line.is_empty()) {
            check.arg("--spec").arg(line.replace(" = ", "="));
        }
        let output = check.output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else { bail!("{said}") };
        let mut told: BTreeMap<Place, Vec<Told>> = BTreeMap::new();
        for finding in report["findings"].as_array().context("no findings")? {
            if finding["id"] != "bank-conflicts" {
                continue;
            }
            let message = finding["message"].as_str().context("no message")?;
            let words: Vec<&str> = message.split(' ').collect();
            // `the store takes up to 8 passes ...`; matrices are told in the same words, and are other lines.
            let (operation, at_most, passes) = match words.as_slice() {
                ["the", operation, "takes", "up", "to", passes, ..] => (*operation, true, *passes),
                ["the", operation, "takes", passes, ..] => (*operation, false, *passes),
                _ => bail!("{message}"),
            };
            let location = &finding["location"];
            let line = location["start"]["line"].as_u64().context("no line")?;
            let at = (base(location["path"].as_str().context("no path")?), line, operation.to_owned());
            // Other subgroups may take less.
            let at_most = at_most || message.contains("in some subgroups");
            told.entry(at).or_default().push(Told { passes: passes.parse()?, at_most });
        }
        Ok((told, self.unknown(&said)))
    }

    /// The lines of `(lines 12, 13 of a.glsl; line 5)`.
    fn unknown(&self, said: &str) -> Lines {
        let root = self.command("check").get_args().nth(1).map(|it| base(&it.to_string_lossy()));
        let listed = said.split("from the shader alone (").nth(1).and_then(|rest| rest.split(')').next());
        let mut lines = Lines::new();
        for part in listed.unwrap_or_default().split("; ") {
            let (numbers, file) = part.split_once(" of ").unwrap_or((part, ""));
            let file = if file.is_empty() { root.clone().unwrap_or_default() } else { base(file) };
            let numbers = numbers.split([' ', ',']).filter_map(|number| number.parse().ok());
            lines.extend(numbers.map(|number: u64| (file.clone(), number)));
        }
        lines
    }
}

fn base(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}
