//! The examples with their recipes on a driver: its results have to meet the expectations, and to be within the recipes' tolerances of the
//! simulator's. What the driver cannot run is listed with the reason.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::shell;

/// The examples of mistakes are left out: what undefined behaviour gives, no two executors need to agree on.
const FOLDERS: [&str; 4] = ["khr", "nv2", "qcom", "coopvec"];
const EXTENSION: &str = ".run.toml";
/// The software driver's one size of subgroups, for recipes that ask for none.
const SUBGROUP: &str = "8";

const REDUCTIONS: &str = "the driver's reductions of rows alone and of columns alone are wrong beyond 8x8";

/// Examples that the driver runs, and whose results are not to be compared.
const APART: [(&str, &str); 3] = [
    (
        "khr/components",
        "it changes a buffer in place for one subgroup in each workgroup; here a workgroup of 32 has four, which do it one after the other",
    ),
    ("nv2/reductions", REDUCTIONS),
    ("nv2/softmax", REDUCTIONS),
];

/// What a refusal says when the device, or a run on one, lacks what a shader needs.
const LACKING: [&str; 6] = [
    " lacks the feature ",
    " has no cooperative matrix ",
    " does not multiply ",
    " supports subgroups of ",
    " holds a matrix in an optimal layout",
    " takes descriptors from heaps",
];

/// A device to run them on.
pub struct Device<'d> {
    /// Starts coopmat-analyzer with it.
    pub command: &'d dyn Fn() -> Result<Command>,
    /// How `run` is told of it.
    pub arguments: &'d [&'d str],
    /// The size of subgroups for recipes that ask for none.
    pub subgroup: &'d str,
    /// Examples whose results are not to be compared, and why.
    pub apart: &'d [(&'d str, &'d str)],
    /// Every bit is the simulator's.
    pub exact: bool,
}

impl<'d> Device<'d> {
    /// The software driver.
    pub fn lavapipe(command: &'d dyn Fn() -> Result<Command>) -> Device<'d> {
        Device {
            command,
            arguments: &["--device", "vulkan:llvmpipe", "--ownership", "lavapipe"],
            subgroup: SUBGROUP,
            apart: &APART,
            exact: false,
        }
    }
}

pub fn check(device: &Device<'_>) -> Result<()> {
    let (mut agreed, mut left, mut failed) = (0, 0, 0);
    for recipe in recipes()? {
        let name = recipe.strip_suffix(EXTENSION).unwrap_or(&recipe);
        match one(device, &recipe) {
            Ok(Verdict::Agrees(how)) => {
                agreed += 1;
                println!("{name}: {how}");
            }
            Ok(Verdict::Left(reason)) => {
                left += 1;
                println!("{name}: not compared: {reason}");
            }
            Err(error) => {
                failed += 1;
                println!("{name}: FAILS: {error:#}");
            }
        }
    }
    println!("{agreed} examples as in the simulator, {failed} failed, {left} not compared");
    ensure!(failed == 0 && agreed > 0, "{failed} examples differ between the driver and the simulator");
    Ok(())
}

/// The recipes' paths in the folder of the examples.
fn recipes() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        for entry in std::fs::read_dir(examples().join(folder))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(EXTENSION) {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn examples() -> PathBuf {
    shell::root().join("examples")
}

enum Verdict {
    Agrees(String),
    Left(String),
}

fn one(on: &Device<'_>, recipe: &str) -> Result<Verdict> {
    let path = examples().join(recipe);
    let text = std::fs::read_to_string(&path)?;
    let stem = recipe.strip_suffix(EXTENSION).unwrap_or(recipe);
    if let Some((_, reason)) = on.apart.iter().find(|(name, _)| *name == stem) {
        return Ok(Verdict::Left((*reason).to_owned()));
    }
    // `gemm.lavapipe.run.toml` is another recipe of `gemm.comp`.
    let shader = examples().join(format!("{}.comp", stem.split('.').next().unwrap_or(stem)));
    let mut command = (on.command)()?;
    command.arg("run").arg(&shader).arg("--recipe").arg(&path);
    command.args(on.arguments).arg("--json");
    if !text.lines().any(|line| line.starts_with("subgroup-size")) {
        command.args(["--subgroup-size", on.subgroup]);
    }
    let output = command.output().with_context(|| format!("cannot start {}", shell::describe(&command)))?;
    let told = String::from_utf8_lossy(&output.stderr);
    let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
        let reason = told.lines().next().unwrap_or("it tells no reason");
        let reason = reason.trim_start_matches("error: --device vulkan: ");
        if LACKING.iter().any(|part| reason.contains(part)) {
            let end = reason.find(": with").or_else(|| reason.find("; it has")).unwrap_or(reason.len());
            return Ok(Verdict::Left(reason.get(..end).unwrap_or(reason).to_owned()));
        }
        bail!("{told}");
    };
    let device = &report["device"];
    ensure!(report["met"] == true, "the simulator does not meet the expectations");
    ensure!(device["met"] == true, "the device does not meet the expectations: {}", device["expectations"]);
    let differences = device["differences"].as_array().map_or(&[][..], Vec::as_slice);
    let most = |key: &str| differences.iter().filter_map(|one| one[key].as_f64()).fold(0.0, f64::max);
    let different = most("different");
    ensure!(
        device["agrees"] == true,
        "up to {:e} from the simulator in {different} elements",
        most("max-absolute")
    );
    ensure!(!on.exact || different == 0.0, "{different} elements differ from the simulator");
    Ok(Verdict::Agrees(if different == 0.0 {
        "bit for bit as in the simulator".to_owned()
    } else {
        format!("within its tolerance of the simulator, by up to {:.1e}", most("max-absolute"))
    }))
}
