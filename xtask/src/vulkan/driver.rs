//! Our own Vulkan driver under programs that load drivers: vulkaninfo as every profile, the driver's tests of images, and the examples by `run --device
//! vulkan`, whose results have to be the simulator's bit for bit. Khronos's validation layers lie between, and have to have nothing to say.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::examples::{self, Device};
use super::textures;
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
    let layers = Layers::new("validation-layers")?;
    for name in &names {
        vulkaninfo(analyzer, (&library, &layers), name).with_context(|| format!("vulkaninfo as {name}"))?;
    }
    println!("vulkaninfo on our driver says what the profile does, as {}", names.join(", "));
    own_tests(analyzer, (&library, &layers)).context("the driver's tests of images, by the loader")?;
    let command = || {
        let mut command = on_our_driver(analyzer, &library, DEVICE, &debian::with_libraries(analyzer));
        layers.above(&mut command)?;
        Ok(command)
    };
    let device = Device {
        command: &command,
        arguments: &["--device", "vulkan"],
        subgroup: "32",
        apart: &[],
        exact: true,
    };
    examples::check(&device)?;
    textures::check(&device)?;
    layers.said_nothing(&[])
}

/// Khronos's validation layers, those of synchronization included. Every program gets a file for what they say.
pub struct Layers {
    folder: PathBuf,
    programs: Cell<usize>,
}

impl Layers {
    /// In a folder of the target folder, which is emptied.
    pub fn new(folder: &str) -> Result<Layers> {
        let folder = shell::target().join(folder);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        Ok(Layers { folder, programs: Cell::new(0) })
    }

    /// Puts them above the driver of one program.
    pub fn above(&self, program: &mut Command) -> Result<()> {
        let number = self.programs.get() + 1;
        self.programs.set(number);
        let settings = self.folder.join(format!("{number}.settings"));
        // The information is that they are there.
        let text = format!(
            "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n\
             khronos_validation.report_flags = error,warn,info\n\
             khronos_validation.log_filename = {}\n\
             khronos_validation.validate_sync = true\n",
            self.said(number).display()
        );
        std::fs::write(&settings, text)?;
        program.env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation");
        program.env("VK_LAYER_PATH", debian::layers()).env("VK_LAYER_SETTINGS_PATH", settings);
        Ok(())
    }

    /// Whether they were put above a program.
    pub fn any(&self) -> bool {
        self.programs.get() > 0
    }

    fn said(&self, number: usize) -> PathBuf {
        self.folder.join(format!("{number}.log"))
    }

    /// Nothing but what is known of these programs: rules by their names (`VUID-...`).
    pub fn said_nothing(&self, known: &[&str]) -> Result<()> {
        let is_known = |line: &&str| known.iter().any(|rule| line.contains(&format!("[ {rule} ]")));
        let is_told =
            |line: &&str| line.starts_with("Validation Error") || line.starts_with("Validation Warning");
        let mut there = 0;
        for number in 1..=self.programs.get() {
            // A program that refuses its shader makes no instance.
            let Ok(said) = std::fs::read_to_string(self.said(number)) else { continue };
            ensure!(
                said.contains("CURRENT-VALIDATION-ENABLED"),
                "the validation layers are not there: {said}"
            );
            there += 1;
            ensure!(
                said.lines().filter(is_told).all(|line| is_known(&line)),
                "the validation layers say: {said}"
            );
        }
        ensure!(
            there * 10 > self.programs.get() * 9,
            "the validation layers were above {there} programs only"
        );
        println!("Khronos's validation layers have nothing to say of {there} programs");
        Ok(())
    }
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

/// The driver's own tests of images that are used rightly, as a program that loads the driver.
fn own_tests(analyzer: &Path, (library, layers): (&Path, &Layers)) -> Result<()> {
    let tests = shell::tests("driver")?;
    let mut program = debian::with_libraries(Path::new(tests.get_program()));
    program.args(["images::", "--test-threads", "1"]);
    let mut command = on_our_driver(analyzer, library, DEVICE, &program);
    layers.above(&mut command)?;
    let output = command.env("COOPMAT_TEST_LOADER", "1").output().context("cannot start them")?;
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() && said.contains(" 0 failed") && !said.contains(" 0 passed"), "{said}");
    Ok(())
}

fn vulkaninfo(analyzer: &Path, (library, layers): (&Path, &Layers), device: &str) -> Result<()> {
    let out = shell::target().join("vulkaninfo-of-our-driver.json");
    let _ = std::fs::remove_file(&out);
    let mut program = debian::with_libraries(&debian::folder().join("usr/bin/vulkaninfo"));
    program.args(["--json=0", "-o"]).arg(&out);
    let mut command = on_our_driver(analyzer, library, device, &program);
    layers.above(&mut command)?;
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
    let import = ["devices".as_ref(), "--import".as_ref(), out.as_os_str()];
    let text = shell::try_output(Command::new(analyzer).args(import)).context("devices --import fails")?;
    same(&serde_json::from_str(&text)?, &profile)
}

/// What was imported of a device that claims to be that of a profile, against the profile. What a profile does not say is assumed, which is no difference.
fn same(shown: &Value, profile: &Value) -> Result<()> {
    let version = |value: &Value| -> Vec<u32> {
        let parts = value["apiVersion"].as_str().unwrap_or_default().split('.');
        parts.filter_map(|part| part.parse().ok()).take(2).collect()
    };
    // The lower one of the profile's and the driver's.
    let lower = version(profile).min(vec![1, 3]);
    ensure!(version(shown) == lower, "it shows Vulkan {:?}, not {lower:?}", version(shown));
    for key in ["vendorID", "driverID", "subgroupSize"] {
        let known = &profile[key];
        ensure!(known.is_null() || shown[key] == *known, "it shows {key} {}, not {known}", shown[key]);
    }
    let empty = serde_json::Map::new();
    for (key, value) in shown["limits"].as_object().unwrap_or(&empty) {
        // Names come in any order.
        let sorted = |value: &Value| match value {
            Value::Array(list) if list.iter().all(Value::is_string) => {
                let mut list = list.clone();
                list.sort_by_key(|name| name.to_string());
                Value::Array(list)
            }
            other => other.clone(),
        };
        let known = &profile["limits"][key];
        ensure!(known.is_null() || sorted(value) == sorted(known), "it shows {key} {value}, not {known}");
    }
    let names = |value: &Value, list: &str| -> BTreeSet<String> {
        let all = value[list].as_array().into_iter().flatten();
        all.filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let incomplete = names(profile, "incomplete");
    for list in ["features", "properties", "extensions"] {
        let (ours, theirs) = (names(shown, list), names(profile, list));
        let is_known = profile[list].is_array() && !incomplete.contains(list);
        let more: Vec<_> = ours.difference(&theirs).collect();
        ensure!(!is_known || more.is_empty(), "it shows {list} that the profile lacks: {more:?}");
    }
    // Of features and extensions the driver leaves out what it does not have; the others are told, whoever asks.
    let missing: Vec<_> =
        names(profile, "properties").difference(&names(shown, "properties")).cloned().collect();
    ensure!(missing.is_empty(), "it lacks properties of the profile: {missing:?}");
    Ok(())
}
