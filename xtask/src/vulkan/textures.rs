//! Recipes with images, samplers and addresses of buffers (`recipes/`) on a driver: what it stores has to be the simulator's, but for what filters may be
//! apart.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::examples::Device;
use crate::shell;

const RECIPES: [&str; 3] = ["addresses", "cubes", "images"];
/// What values from linear filters may be apart: the software driver computes them in `f32`.
const APART: f64 = 1e-5;

pub fn check(device: &Device<'_>) -> Result<()> {
    for name in RECIPES {
        one(device, name).with_context(|| format!("xtask/src/vulkan/recipes/{name}.run.toml"))?;
    }
    Ok(())
}

fn one(device: &Device<'_>, name: &str) -> Result<()> {
    let shader = shell::root().join("xtask/src/vulkan/recipes").join(format!("{name}.comp"));
    let mut command = (device.command)()?;
    command.arg("run").arg(&shader).args(device.arguments);
    command.args(["--json", "--subgroup-size", device.subgroup]);
    let output = command.output().with_context(|| format!("cannot start {}", shell::describe(&command)))?;
    let told = String::from_utf8_lossy(&output.stderr);
    let report = serde_json::from_slice::<Value>(&output.stdout).with_context(|| told.into_owned())?;
    let device_report = &report["device"];
    ensure!(report["met"] == true && device_report["met"] == true, "not as the recipe expects: {report}");
    let differences = device_report["differences"].as_array().map_or(&[][..], Vec::as_slice);
    ensure!(!differences.is_empty(), "nothing was compared: {report}");
    for difference in differences {
        let (buffer, apart) = (&difference["buffer"], &difference["max-absolute"]);
        let most = if device.exact { 0.0 } else { APART };
        ensure!(
            apart.as_f64().is_some_and(|apart| apart <= most),
            "{buffer} is {apart} apart from the simulator"
        );
    }
    println!("{name}: as in the simulator, {} buffers and images", differences.len());
    Ok(())
}
