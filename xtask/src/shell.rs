//! Running other programs, and where things lie in this repository.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};

/// The root of the repository: the parent of this package's folder.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_path_buf()
}

/// The folder for everything built or downloaded.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// The cargo that started us, at the repository's root.
pub fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

pub fn command<S: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// This program. Steps build it anew while it runs, and Linux then tells its path with a remark; the new one does as well.
pub fn own_program() -> Result<PathBuf> {
    let path = std::env::current_exe()?;
    match path.to_str().and_then(|path| path.strip_suffix(" (deleted)")) {
        Some(path) => Ok(path.into()),
        None => Ok(path),
    }
}

/// Builds programs of the workspace as its tests are built, and tells where the first one is. No package is named: cargo chooses the features of
/// dependencies by the packages that are selected, and another selection would compile them and all of ours again.
pub fn programs(names: &[&str]) -> Result<PathBuf> {
    let chosen = names.iter().flat_map(|name| ["--bin", name]);
    run(&mut cargo(["build", "--quiet"].into_iter().chain(chosen)))?;
    Ok(built("debug", names.first().context("no program is named")?))
}

/// Whether this process is a step of `cargo xtask test`.
static STEP: AtomicBool = AtomicBool::new(false);

/// From now on, what chores run is built as the tests are: a fixed sample is run in less time than optimisation takes.
pub fn in_a_step() {
    STEP.store(true, Ordering::Relaxed);
}

/// A program that has much to compute: with optimisation, except in a step of the tests. Every package is selected here, since coopmat-compare, which
/// `cargo test` leaves out, shares this build with the others; of its dependencies only those are compiled that the program needs.
pub fn optimised(name: &str) -> Result<PathBuf> {
    let with_glslang = name == "coopmat-compare";
    if !STEP.load(Ordering::Relaxed) {
        run(&mut cargo(["build", "--quiet", "--release", "--workspace", "--bin", name]))?;
        return Ok(built("release", name));
    }
    if !with_glslang {
        return programs(&[name]);
    }
    // As `cargo test` selects, and the one package more.
    let mut build = cargo(["build", "--quiet", "--workspace", "--bin", name]);
    run(build.args(["--exclude", "coopmat-speed", "--exclude", "coopmat-bindgen"]))?;
    Ok(built("debug", name))
}

/// The server and command line of a debug build, for the steps that start it.
pub fn server() -> Result<PathBuf> {
    programs(&["coopmat-analyzer"])
}

/// The program as it is released, with the features that it has then, for measurements.
pub fn optimised_server() -> Result<PathBuf> {
    run(&mut cargo(["build", "--quiet", "--release", "--package", "coopmat-analyzer"]))?;
    Ok(built("release", "coopmat-analyzer"))
}

/// Where cargo puts a program.
pub fn built(profile: &str, name: &str) -> PathBuf {
    target().join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// A program of tests, as `cargo test` builds and runs it: in its package's folder, which snapshots are found by.
pub fn tests(name: &str) -> Result<Command> {
    let mut build = cargo(["test", "--quiet", "--no-run", "--message-format=json", "--test", name]);
    let text = output(&mut build)?;
    let artifacts = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    for artifact in artifacts {
        if let (true, Some(program), Some(manifest)) = (
            artifact["target"]["name"] == name,
            artifact["executable"].as_str(),
            artifact["manifest_path"].as_str(),
        ) {
            let package = Path::new(manifest).parent().unwrap_or(Path::new("."));
            let mut tests = Command::new(program);
            tests.current_dir(package).env("CARGO_MANIFEST_DIR", package);
            return Ok(tests);
        }
    }
    bail!("cargo names no program of the tests `{name}`")
}

/// Prints the command, runs it, and fails if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    eprintln!("$ {}", describe(command));
    let status = command.status().with_context(|| format!("cannot start {}", describe(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", describe(command));
    }
    Ok(())
}

/// What the command writes to standard output; an error when it cannot start or fails.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {}", describe(command)))?;
    if !output.status.success() {
        bail!("{} ended with {}", describe(command), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What the command writes to standard output, or `None` when it cannot start or fails.
pub fn try_output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs the command for its exit status alone.
pub fn succeeds(command: &mut Command) -> bool {
    try_output(command).is_some()
}

pub fn describe(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Everything below a folder, into another one.
pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let path = entry?.path();
        let destination = to.join(path.file_name().context("a folder entry without a name")?);
        if path.is_dir() {
            copy_folder(&path, &destination)?;
        } else {
            std::fs::copy(&path, &destination)?;
        }
    }
    Ok(())
}

/// Installs Debian packages, as root or through a password-less sudo.
pub fn apt_install(packages: &[&str]) -> Result<()> {
    if !succeeds(&mut command("apt-get", ["--version"])) {
        bail!("please install {} with this system's package manager", packages.join(", "));
    }
    let as_root = try_output(&mut command("id", ["-u"])).is_some_and(|id| id.trim() == "0");
    let apt = |arguments: &[&str]| {
        let mut command = if as_root { Command::new("apt-get") } else { Command::new("sudo") };
        if !as_root {
            command.args(["-n", "apt-get"]);
        }
        command.env("DEBIAN_FRONTEND", "noninteractive").args(arguments);
        command
    };
    let install = [&["install", "-y", "-qq", "--no-install-recommends"], packages].concat();
    if run(&mut apt(&install)).is_ok() {
        return Ok(());
    }
    // The lists of a fresh machine may be older than the archive.
    run(&mut apt(&["update", "-qq"]))?;
    run(&mut apt(&install))
}
