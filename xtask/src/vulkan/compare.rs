//! `cargo xtask vulkan`: modules of ours and of glslang, run on a Vulkan device with the same inputs. Their results have to be the same
//! to the bit, and what plain sums give but for rounding.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::cases::{self, Case};
use crate::{corpus, debian, shell};

#[derive(clap::Args)]
pub struct Options {
    /// The device: part of its name; without it, the software driver of the newest Debian
    #[arg(long)]
    device: Option<String>,
    /// Only write the folder: modules, inputs, and the program that runs them on another machine
    #[arg(long, conflicts_with = "judge")]
    prepare: bool,
    /// Only compare what was run in the folder
    #[arg(long)]
    judge: bool,
    /// The folder of the jobs, by default in the target folder
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Only run the examples with their recipes on the software driver, and compare with the simulator
    #[arg(long)]
    examples: bool,
    /// The conformance cases of the simulator instead
    #[arg(long, conflicts_with = "examples")]
    conformance: bool,
    /// Leave llama.cpp's shaders, which are downloaded, out
    #[arg(long)]
    own: bool,
    /// With `--conformance`: the mark of the table in docs/conformance.md that the results are compared with
    #[arg(long, requires = "conformance")]
    table: Option<String>,
    /// Invocations of the device's subgroups
    #[arg(long, default_value_t = 32)]
    subgroup_size: u32,
}

/// Invocations of the software driver's subgroups.
pub const LAVAPIPE_SUBGROUP: u32 = 8;

/// Who makes a module.
const COMPILERS: [&str; 2] = ["ours", "glslang"];

pub fn run(options: &Options) -> Result<()> {
    if options.examples {
        debian::install()?;
        let analyzer = shell::server()?;
        let command = || debian::with_lavapipe(&analyzer);
        return super::examples::check(&super::examples::Device::lavapipe(&command));
    }
    if options.conformance {
        return conformance(options);
    }
    let folder = options.folder.clone().unwrap_or_else(|| shell::target().join("vulkan-jobs"));
    if !options.judge {
        let software = options.device.is_none() && !options.prepare;
        let subgroup = if software { LAVAPIPE_SUBGROUP } else { options.subgroup_size };
        ensure!([4, 8, 16, 32, 64, 128].contains(&subgroup), "no device has subgroups of {subgroup}");
        prepare(&folder, subgroup, !options.own)?;
    }
    if options.prepare {
        println!(
            "in {0}: run `./run_jobs . --device NAME` there on any machine of this kind, then `cargo xtask vulkan --judge --folder {0}`",
            folder.display()
        );
        return Ok(());
    }
    if !options.judge {
        start(&folder, options.device.as_deref())?;
    }
    judge(&folder)
}

/// The conformance cases; what was run on another machine has its table under the device's name, of which there is one.
fn conformance(options: &Options) -> Result<()> {
    debian::install()?;
    if options.device.is_none() && !options.prepare && !options.judge {
        return super::conformance::check();
    }
    let folder = options.folder.clone().unwrap_or_else(|| super::conformance::folder("device"));
    if !options.judge {
        super::conformance::prepare(&folder, options.subgroup_size)?;
    }
    if let (Some(device), false, false) = (&options.device, options.prepare, options.judge) {
        super::conformance::start(&folder, Some(device))?;
    }
    if options.prepare {
        println!(
            "in {0}: run `./run_jobs . --device NAME` there, then `cargo xtask vulkan --conformance --judge --folder {0}`",
            folder.display()
        );
        return Ok(());
    }
    super::conformance::judge(&folder, options.subgroup_size, options.table.as_deref().unwrap_or("none"))
}

/// The comparison without what is downloaded, on the software driver: a part of the tests.
pub fn check() -> Result<()> {
    run(&Options {
        device: None,
        prepare: false,
        judge: false,
        folder: None,
        examples: false,
        conformance: false,
        table: None,
        own: true,
        subgroup_size: 32,
    })
}

/// Runs the jobs of the folder. That one of them fails shows when they are judged.
fn start(folder: &Path, device: Option<&str>) -> Result<()> {
    let program = folder.join("run_jobs");
    // Programs of the software driver's folder start through its linker, and each starts only itself: job by job.
    for case in names(folder)? {
        let mut command = match device {
            Some(device) => {
                let mut command = Command::new(&program);
                command.args(["--device", device]);
                command
            }
            None => debian::with_lavapipe(&program)?,
        };
        command.arg(folder).args(["--here", &case]).stdout(std::process::Stdio::null());
        let status =
            command.status().with_context(|| format!("cannot start {}", shell::describe(&command)))?;
        if status.code().is_none() {
            let result = json!({ "job": case, "error": format!("the driver ended the program: {status}") });
            fs::write(folder.join(format!("{case}.result")), result.to_string())?;
        }
    }
    Ok(())
}

/// The jobs of a folder.
fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("no folder {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

fn prepare(folder: &Path, subgroup: u32, with_llama: bool) -> Result<()> {
    debian::install()?;
    shell::server()?;
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    copy_program(folder)?;
    let mut all = cases::own(subgroup);
    if with_llama && subgroup >= 16 {
        corpus::prepare()?;
        all.extend(cases::llama(&corpus::folder().join("llama"), subgroup)?);
    }
    for case in &all {
        for compiler in COMPILERS {
            write(folder, case, compiler)?;
        }
    }
    println!("{} shaders, each compiled by {}", all.len(), COMPILERS.join(" and by "));
    Ok(())
}

/// Puts the program that runs jobs beside them.
pub fn copy_program(folder: &Path) -> Result<()> {
    shell::run(&mut shell::cargo(["build", "--quiet", "--example", "run_jobs"]))?;
    fs::copy(shell::built("debug/examples", "run_jobs"), folder.join("run_jobs"))?;
    Ok(())
}

/// The job of a case with one compiler's module.
fn write(folder: &Path, case: &Case, compiler: &str) -> Result<()> {
    let name = format!("{}-{compiler}", case.name);
    let module = folder.join(format!("{name}.spv"));
    let defines = case.defines.iter().map(|define| format!("-D{define}"));
    let mut command = if compiler == "ours" {
        let mut command = Command::new(shell::built("debug", "coopmat-analyzer"));
        command.args(["spirv", "--no-discover", "--google-include"]);
        command
    } else {
        let mut command = debian::program("glslang").context("no glslang in the folder of Debian's tools")?;
        command.args(["-V", "-S", "comp", "--quiet"]);
        command.arg("-P#extension GL_GOOGLE_include_directive : require");
        command
    };
    command.args(["--target-env", case.target_env]).args(defines);
    command.arg("-o").arg(&module).arg(&case.shader);
    let output = command.output().with_context(|| format!("cannot start {}", shell::describe(&command)))?;
    if !output.status.success() {
        let texts = [output.stdout, output.stderr].concat();
        bail!("{} fails: {}", shell::describe(&command), String::from_utf8_lossy(&texts));
    }
    let mut buffers = Vec::new();
    for (buffer, binding, bytes) in &case.inputs {
        let file = format!("{}.{buffer}.bin", case.name);
        fs::write(folder.join(&file), bytes)?;
        buffers.push(json!({ "name": buffer, "binding": [0, binding], "file": file }));
    }
    let size = case.expected.len() * 4;
    buffers.push(json!({ "name": "out", "binding": [0, case.output], "zeros": size, "save": true }));
    let expected: Vec<u8> = case.expected.iter().flat_map(|value| value.to_le_bytes()).collect();
    fs::write(folder.join(format!("{}.expected", case.name)), expected)?;
    let job = json!({
        "module": format!("{name}.spv"),
        "specialization": case.specialization,
        "dispatch": case.dispatch,
        "pushConstants": case.push_constants,
        "buffers": buffers,
        "tolerance": case.tolerance,
    });
    fs::write(folder.join(format!("{name}.json")), serde_json::to_string_pretty(&job)?)?;
    Ok(())
}

/// Compares what both compilers' modules left, with each other and with what is expected.
fn judge(folder: &Path) -> Result<()> {
    let suffix = format!("-{}", COMPILERS[0]);
    let cases: Vec<String> =
        names(folder)?.iter().filter_map(|name| name.strip_suffix(&suffix)).map(str::to_owned).collect();
    ensure!(!cases.is_empty(), "no jobs in {}", folder.display());
    let (mut same, mut failed) = (0, 0);
    for case in &cases {
        match judge_one(folder, case) {
            Ok(verdict) => {
                same += usize::from(verdict.run);
                println!("{case}: {}", verdict.text);
            }
            Err(error) => {
                failed += 1;
                println!("{case}: FAILS: {error:#}");
            }
        }
    }
    println!("{same} the same and right, {failed} failed, {} not run", cases.len() - same - failed);
    ensure!(failed == 0 && same > 0, "{failed} of {} shaders", cases.len());
    Ok(())
}

struct Verdict {
    /// False where the device lacks what the shader needs.
    run: bool,
    text: String,
}

fn judge_one(folder: &Path, case: &str) -> Result<Verdict> {
    let read = |name: String| -> Result<Value> {
        let text =
            fs::read_to_string(folder.join(&name)).with_context(|| format!("no {name}: it was not run"))?;
        Ok(serde_json::from_str(&text)?)
    };
    let mut outputs = Vec::new();
    let mut told = Vec::new();
    for compiler in COMPILERS {
        let result = read(format!("{case}-{compiler}.result"))?;
        if let Some(error) = result["error"].as_str() {
            // What a device does not have, it has for neither.
            if error.contains(" lacks ") || error.contains(" has no cooperative matrix ") {
                return Ok(Verdict { run: false, text: format!("not run: {error}") });
            }
            bail!("the module of {compiler}: {error}");
        }
        outputs.push(floats(&folder.join(format!("{case}-{compiler}.out.out")))?);
        let microseconds = result["microseconds"].as_f64().unwrap_or(0.0);
        told.push(format!("{compiler} {microseconds:.0} us"));
        if told.len() == COMPILERS.len() {
            let device = result["device"].as_str().unwrap_or_default();
            told.push(format!("on {device}, {}", result["driver"].as_str().unwrap_or_default()));
        }
    }
    let expected = floats(&folder.join(format!("{case}.expected")))?;
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let differing =
        bits(&outputs[0]).iter().zip(bits(&outputs[1])).filter(|(one, other)| **one != *other).count();
    ensure!(differing == 0, "{differing} of {} elements differ between the compilers", expected.len());
    let tolerance = read(format!("{case}-{}.json", COMPILERS[0]))?["tolerance"].as_f64().unwrap_or(0.0);
    let errors =
        outputs[0].iter().zip(&expected).map(|(found, expected)| f64::from((found - expected).abs()));
    // A NaN is no small error.
    let worst =
        errors.fold(0.0, |worst: f64, error| if error.is_nan() { f64::INFINITY } else { worst.max(error) });
    ensure!(worst <= tolerance, "off by {worst:.2e}, and {tolerance:.0e} is allowed");
    Ok(Verdict { run: true, text: format!("the same bits, off by {worst:.1e} at most; {}", told.join(", ")) })
}

fn floats(path: &Path) -> Result<Vec<f32>> {
    let bytes = fs::read(path).with_context(|| format!("no {}", path.display()))?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}
