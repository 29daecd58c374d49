//! `coopmat-analyzer vulkan`: runs a program with our Vulkan driver, and reports what the driver found.
//!
//! The loader is told by its environment variables, in the child alone, which driver to take. What the driver reports comes back through a file.

mod sarif;
mod text;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::Duration;

use coopmat_driver_report::{Event, LIBRARY, Options, VARIABLE};

use crate::arguments::{Checked, VulkanOptions};
use crate::colour::in_colour;
use crate::output::{note, print, report_error};
use crate::program::UNUSABLE;

/// The loader's variables that name the manifests of drivers, the newer one first.
const LOADER: [&str; 2] = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];
/// The version of Vulkan that the manifest says: that of the driver.
const API_VERSION: &str = "1.3.281";
/// Names the library of the driver, instead of the one beside this program.
const DRIVER: &str = "COOPMAT_VULKAN_DRIVER_LIBRARY";

pub fn run(options: &VulkanOptions) -> ExitCode {
    match run_program(options) {
        Ok(code) => code,
        Err(message) => {
            report_error(&message);
            ExitCode::from(UNUSABLE)
        }
    }
}

fn run_program(options: &VulkanOptions) -> Result<ExitCode, String> {
    let library = library(options)?;
    check(options)?;
    let folder = tempfile::Builder::new().prefix("coopmat-analyzer-").tempdir();
    let folder = folder.map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let (manifest, events) = (folder.path().join("driver.json"), folder.path().join("events"));
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let text = serde_json::json!({
        "file_format_version": "1.0.0",
        "ICD": { "library_path": library, "api_version": API_VERSION },
    });
    std::fs::write(&manifest, text.to_string()).map_err(|error| failed(&manifest, error))?;
    std::fs::write(&events, "").map_err(|error| failed(&events, error))?;
    let status = start(options, &manifest, &events)?;
    let lines = std::fs::read_to_string(&events).map_err(|error| failed(&events, error))?;
    let events: Vec<Event> = lines.lines().filter_map(Event::read).collect();
    let report = match options.json {
        true => serde_json::to_string_pretty(&events).map_err(|error| error.to_string())? + "\n",
        false => text::report(&events, in_colour(options.color) && options.output.is_none()),
    };
    if let Some(path) = &options.sarif {
        std::fs::write(path, sarif::render(&events)).map_err(|error| failed(path, error))?;
    }
    match &options.output {
        Some(path) => std::fs::write(path, report).map_err(|error| failed(path, error))?,
        None if options.json => {
            print(&report);
        }
        // Standard output is the program's.
        None => note(report.trim_end()),
    }
    Ok(match text::is_clean(&events) {
        true => code_of(status),
        false => ExitCode::FAILURE,
    })
}

/// What the driver would only find out in the program.
fn check(options: &VulkanOptions) -> Result<(), String> {
    if let Some(path) = Some(&options.device).filter(|name| name.ends_with(".json") || name.contains('/')) {
        let text = crate::disk::read(Path::new(path)).map_err(|error| format!("{path}: {error}"))?;
        coopmat_analysis::devices::DeviceProfile::parse(&text).map_err(|error| format!("{path}: {error}"))?;
    } else {
        coopmat_analysis::devices::find(&options.device)?;
    }
    let captures = options.capture_findings || !options.capture.is_empty();
    let captured = Some(&options.capture_to).filter(|_| captures);
    for folder in options.write_shaders.iter().chain(captured) {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("{}: cannot make this folder: {error}", folder.display()))?;
    }
    if let Some(folder) = options.read_shaders.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(format!("{}: expected a folder", folder.display()));
    }
    if let Some(name) = &options.numerics {
        coopmat_recipe::modes::numerics(name)?;
    }
    if let Some(name) = &options.ownership {
        coopmat_recipe::modes::ownership(name)?;
    }
    Ok(())
}

/// Where the driver is.
fn library(options: &VulkanOptions) -> Result<PathBuf, String> {
    let named = options.driver.clone().or_else(|| std::env::var_os(DRIVER).map(PathBuf::from));
    if let Some(path) = named {
        return std::fs::canonicalize(&path).map_err(|error| {
            format!("{}: {error}: expected the library of the Vulkan driver", path.display())
        });
    }
    let (before, after) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let name = format!("{before}{LIBRARY}{after}");
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let folder = program.parent().unwrap_or(Path::new("."));
    let beside = folder.join(&name);
    if beside.is_file() {
        return Ok(beside);
    }
    Err(format!(
        "there is no {name} in {}: build it with `cargo build -p coopmat-vulkan-driver`, and put it there or name it with `--driver FILE`",
        folder.display()
    ))
}

fn start(options: &VulkanOptions, manifest: &Path, events: &Path) -> Result<ExitStatus, String> {
    let device = match options.device.ends_with(".json") {
        true => absolute(Path::new(&options.device)),
        false => options.device.clone(),
    };
    let driver = Options {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        device,
        checked: options.checked.is_some(),
        strict: options.checked == Some(Checked::Strict),
        numerics: options.numerics.clone(),
        ownership: options.ownership.clone(),
        step_limit: options.limits.step_limit,
        memory_limit: options.limits.memory_limit,
        claim_graphics: options.claim_graphics,
        threads: options.threads,
        report: Some(events.to_string_lossy().into_owned()),
        only: options.only.clone(),
        capture: options.capture.clone(),
        capture_findings: options.capture_findings,
        capture_folder: Some(absolute(&options.capture_to)),
        shaders_to: options.write_shaders.as_deref().map(absolute),
        shaders_from: options.read_shaders.as_deref().map(absolute),
    };
    let (program, arguments) = options.command.split_first().ok_or("expected a program after `--`")?;
    let mut command = Command::new(program);
    command.args(arguments).env(VARIABLE, driver.write());
    for name in LOADER {
        command.env(name, manifest);
    }
    let child = command.spawn().map_err(|error| format!("cannot start `{program}`: {error}"))?;
    follow(child, events)
}

/// Waits for the program, and tells on standard error what is wrong as it comes, a line for each.
fn follow(mut child: Child, events: &Path) -> Result<ExitStatus, String> {
    /// Between two looks.
    const PAUSE: Duration = Duration::from_millis(50);
    let mut file = std::fs::File::open(events).map_err(|error| format!("{}: {error}", events.display()))?;
    let mut rest = Vec::new();
    loop {
        let ended = child.try_wait().map_err(|error| format!("cannot wait for the program: {error}"))?;
        // What cannot be read now is in the report.
        let _ = file.read_to_end(&mut rest);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            if let Some(line) =
                Event::read(&String::from_utf8_lossy(&line)).and_then(|event| text::line(&event))
            {
                note(&line);
            }
        }
        match ended {
            Some(status) => return Ok(status),
            None => std::thread::sleep(PAUSE),
        }
    }
}

/// The program may run elsewhere.
fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).to_string_lossy().into_owned()
}

fn code_of(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        // As shells have it.
        return ExitCode::from(128u8.saturating_add(u8::try_from(signal).unwrap_or(u8::MAX)));
    }
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
