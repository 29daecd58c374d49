//! Running other programs, and where things lie in this repository.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// The program of a debug build, for the steps that start it.
pub fn server() -> Result<PathBuf> {
    // The same packages as the tests, so that dependencies are compiled with the same features, once.
    run(&mut cargo(["build", "--quiet"]))?;
    Ok(target().join("debug").join(format!("coopmat-analyzer{}", std::env::consts::EXE_SUFFIX)))
}

/// The program as it is released, for measurements.
pub fn optimised_server() -> Result<PathBuf> {
    run(&mut cargo(["build", "--quiet", "--release", "--package", "coopmat-analyzer"]))?;
    Ok(target().join("release").join(format!("coopmat-analyzer{}", std::env::consts::EXE_SUFFIX)))
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
