//! `cargo xtask test --only vulkan`: the query of the machine's devices, and shaders run on them, against a real driver, the software one
//! of the newest Debian.

mod cases;
pub mod compare;
mod conformance;
mod driver;
mod examples;
pub mod llama;
pub mod ncnn;
mod planted;
mod program;
pub mod programs;
mod textures;

use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::{debian, shell};

/// The features that the rules look at, of those that a profile lists.
const FEATURES: [&str; 8] = [
    "cooperativeMatrix",
    "cooperativeMatrixFlexibleDimensions",
    "cooperativeMatrixWorkgroupScope",
    "cooperativeMatrixPerElementOperations",
    "shaderFloat16",
    "shaderInt8",
    "storageBuffer16BitAccess",
    "vulkanMemoryModel",
];

pub fn run() -> Result<()> {
    let analyzer = shell::server()?;
    let text = std::fs::read_to_string(shell::root().join("analysis/devices/lavapipe.json"))?;
    let known: Value = serde_json::from_str(&text)?;

    let asked = json(debian::with_lavapipe(&analyzer)?.args(["devices", "--json"]))?;
    for key in [
        "apiVersion",
        "vendorID",
        "driverID",
        "subgroupSize",
        "limits",
        "cooperativeMatrixProperties",
        "cooperativeMatrixFlexibleDimensionsProperties",
        "properties",
    ] {
        ensure!(
            asked[key] == known[key],
            "the driver reports another `{key}` than analysis/devices/lavapipe.json:\n{}\n{}",
            asked[key],
            known[key]
        );
    }
    same_features(&asked, &known, true)?;
    // A feature that our tables did not know when a profile was written would be called missing.
    let listed = |profile: &Value| profile["features"].as_array().cloned().unwrap_or_default();
    let known_features = listed(&known);
    if let Some(feature) = listed(&asked).iter().find(|feature| !known_features.contains(feature)) {
        bail!(
            "the driver reports {feature}, which analysis/devices/lavapipe.json lacks: write the profiles anew, of all devices (`coopmat-analyzer devices --json`)"
        );
    }
    println!("asked {}: as in analysis/devices/lavapipe.json", asked["title"]);

    // The same device through vulkaninfo, which does not list matrices.
    let info = shell::target().join("vulkaninfo.json");
    let written = debian::with_lavapipe(debian::folder().join("usr/bin/vulkaninfo"))?
        .args(["--json=0", "-o"])
        .arg(&info)
        .stderr(Stdio::null())
        .status()?;
    ensure!(written.success(), "vulkaninfo fails");
    let imported =
        json(shell::command("env", [analyzer.as_os_str()]).args(["devices", "--import"]).arg(&info))?;
    for key in ["apiVersion", "subgroupSize", "vendorID", "driverID"] {
        ensure!(imported[key] == known[key], "vulkaninfo tells another `{key}`: {}", imported[key]);
    }
    let (limits, wanted) = (&imported["limits"], &known["limits"]);
    for key in ["maxComputeSharedMemorySize", "maxComputeWorkGroupSize", "cooperativeMatrixSupportedStages"] {
        ensure!(limits[key] == wanted[key], "vulkaninfo tells another `{key}`: {}", limits[key]);
    }
    let incomplete = imported["incomplete"].as_array().context("vulkaninfo lists no matrices")?;
    ensure!(incomplete.contains(&"cooperativeMatrixProperties".into()), "{incomplete:?}");
    // A vulkaninfo that is older than an extension does not know its features, and then the profile says so.
    same_features(&imported, &known, !incomplete.contains(&"features".into()))?;
    println!("imported {} from vulkaninfo: the same, without its matrices", imported["title"]);

    run_tests()?;
    let command = || debian::with_lavapipe(&analyzer);
    examples::check(&examples::Device::lavapipe(&command))?;
    textures::check(&examples::Device::lavapipe(&command))?;
    driver::check(&analyzer)?;
    conformance::check()?;
    compare::check()
}

/// The tests that run shaders, on the software driver.
fn run_tests() -> Result<()> {
    let tests = shell::tests("execute")?;
    let mut run = debian::with_lavapipe(tests.get_program())?;
    shell::run(run.arg("--quiet").env("COOPMAT_VULKAN_DEVICE", "llvmpipe"))
}

fn json(command: &mut std::process::Command) -> Result<Value> {
    let text = shell::try_output(command).with_context(|| format!("{} fails", shell::describe(command)))?;
    Ok(serde_json::from_str(&text)?)
}

/// `complete`: what is not listed is missing.
fn same_features(one: &Value, other: &Value, complete: bool) -> Result<()> {
    let has = |profile: &Value, feature: &str| {
        profile["features"].as_array().is_some_and(|features| features.contains(&feature.into()))
    };
    for feature in FEATURES {
        let (listed, known) = (has(one, feature), has(other, feature));
        ensure!(listed == known || (!listed && !complete), "the feature {feature} differs");
    }
    Ok(())
}
