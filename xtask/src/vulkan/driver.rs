//! Our own Vulkan driver under programs that load drivers: vulkaninfo as every profile, and the examples by `run --device vulkan`, whose results
//! have to be the simulator's bit for bit.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::examples::{self, Device};
use crate::{debian, shell};

/// The profile that has most of what the examples need.
const DEVICE: &str = "nvidia-h200";

pub fn check(analyzer: &Path) -> Result<()> {
    let library = library()?;
    let mut names = Vec::new();
    for entry in std::fs::read_dir(shell::root().join("analysis/devices"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    ensure!(!names.is_empty(), "no device profiles in analysis/devices");
    for name in &names {
        vulkaninfo(analyzer, &library, name).with_context(|| format!("vulkaninfo as {name}"))?;
    }
    println!("vulkaninfo runs on our driver as {}", names.join(", "));
    let command = || Ok(on_our_driver(analyzer, &library, DEVICE, &debian::with_libraries(analyzer)));
    examples::check(&Device {
        command: &command,
        arguments: &["--device", "vulkan"],
        subgroup: "32",
        apart: &[],
        exact: true,
    })
}

/// The driver, which its tests are linked from too.
pub fn library() -> Result<PathBuf> {
    let tests = shell::tests("driver")?;
    let folder = Path::new(tests.get_program()).parent().context("tests without a folder")?;
    let name =
        format!("{}coopmat_vulkan_driver{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = folder.join(name);
    ensure!(library.exists(), "cargo has made no {}", library.display());
    Ok(library)
}

/// `coopmat-analyzer vulkan -- PROGRAM`
fn on_our_driver(analyzer: &Path, library: &Path, device: &str, program: &Command) -> Command {
    let mut command = Command::new(analyzer);
    command.args(["vulkan", "--device", device, "--driver"]).arg(library).arg("--");
    command.arg(program.get_program()).args(program.get_args());
    command
}

fn vulkaninfo(analyzer: &Path, library: &Path, device: &str) -> Result<()> {
    let out = shell::target().join("vulkaninfo-of-our-driver.json");
    let _ = std::fs::remove_file(&out);
    let mut program = debian::with_libraries(&debian::folder().join("usr/bin/vulkaninfo"));
    program.args(["--json=0", "-o"]).arg(&out);
    let mut command = on_our_driver(analyzer, library, device, &program);
    let output = command.stdout(Stdio::null()).output().context("cannot start it")?;
    ensure!(
        output.status.success(),
        "it ends with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let told: Value = serde_json::from_str(&std::fs::read_to_string(&out)?)?;
    let profile = shell::root().join(format!("analysis/devices/{device}.json"));
    let profile: Value = serde_json::from_str(&std::fs::read_to_string(profile)?)?;
    let properties = &told["capabilities"]["device"]["properties"]["VkPhysicalDeviceProperties"];
    let title = profile["title"].as_str().unwrap_or_default();
    let (shown, expected) = (&properties["deviceName"], format!("{title} (simulated by coopmat-analyzer)"));
    ensure!(*shown == expected.as_str(), "it shows {shown}, not {expected}");
    let shown = &properties["limits"]["maxComputeSharedMemorySize"];
    let known = &profile["limits"]["maxComputeSharedMemorySize"];
    ensure!(known.is_null() || shown == known, "it shows {shown} bytes of shared memory, not {known}");
    Ok(())
}
