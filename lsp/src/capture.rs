//! `import --capture`: runs a build step of a project with stand-ins of ours in front of `PATH`, which note how shader compilers are called.
//!
//! The stand-ins are this program under the compilers' names ([`stand_in`]), in a folder that is gone afterwards. `{build}` in the command is
//! another folder there: a build into it leaves nothing in the project.

mod answer;
mod calls;
mod kept;
pub mod stand_in;

use std::ffi::OsString;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use futures::future::{self, Either};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::{Child, Command};

pub use calls::Call;
pub use kept::Outcome;
pub use stand_in::SLANG;

/// Stands in a command for a folder that is gone afterwards.
pub const BUILD: &str = "{build}";
/// Stands in a command for the folder of the stand-ins, for builds that take a compiler by its path.
pub const COMPILERS: &str = "{compilers}";

/// Where the build's output goes.
pub enum Output {
    /// To standard error, as it comes; standard input is the user's. Signals of the terminal reach the build as well.
    Shown,
    /// Line by line to somebody who shows it; there is no standard input.
    Told(Box<dyn Fn(&str) + Send + Sync>),
}

/// A build step, and where it runs.
pub struct Step<'s> {
    pub command: &'s [String],
    pub folder: &'s Path,
}

/// What a build step did.
pub struct Captured {
    pub calls: Vec<Call>,
    pub status: ExitStatus,
    /// What became of the files that stand-ins wrote into the project.
    pub written: Outcome,
    /// The folder that was `{build}`, as paths have it; it is gone.
    pub build: String,
}

/// Runs a build step until it ends, or until `stop` does.
///
/// # Errors
/// It does not start, or was stopped.
pub fn capture(step: &Step<'_>, output: Output, stop: impl Future<Output = ()>) -> Result<Captured, String> {
    let failed = |what: &str, error: std::io::Error| format!("{what}: {error}");
    let place = tempfile::Builder::new().prefix("coopmat-analyzer-").tempdir();
    let place = place.map_err(|error| failed("cannot make a temporary folder", error))?;
    // Links of the temporary folder are followed, so that paths of calls can be compared with it.
    let folder = std::fs::canonicalize(place.path()).unwrap_or_else(|_| place.path().to_path_buf());
    let (compilers, build) = (folder.join("compilers"), folder.join("build"));
    for folder in [&compilers, &build] {
        std::fs::create_dir(folder).map_err(|error| failed(&folder.to_string_lossy(), error))?;
    }
    kept::prepare(&folder).map_err(|error| failed(&folder.to_string_lossy(), error))?;
    stand_in::put_into(&compilers)?;
    let words = replaced(step.command, &build, &compilers);
    let (program, arguments) = words.split_first().ok_or("expected a command after `--`")?;
    let mut command = std::process::Command::new(program);
    command.args(arguments).current_dir(step.folder);
    command.env(stand_in::VARIABLE, &folder).env("PATH", path_with(&compilers)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed("cannot start a build", error))?;
    let status = runtime.block_on(run(command, program, output, stop));
    // Also where it was stopped.
    let written = kept::put_back(&folder);
    let status = status.map_err(|error| {
        std::iter::once(error).chain(written.failed.iter().cloned()).collect::<Vec<_>>().join("; ")
    })?;
    let calls = calls::read(&folder)?;
    Ok(Captured { calls, status, written, build: crate::paths::slashes(&build.to_string_lossy()) })
}

fn replaced(words: &[String], build: &Path, compilers: &Path) -> Vec<String> {
    let replace = |word: &String| {
        word.replace(BUILD, &build.to_string_lossy()).replace(COMPILERS, &compilers.to_string_lossy())
    };
    words.iter().map(replace).collect()
}

/// `PATH` with a folder in front.
fn path_with(folder: &Path) -> Result<OsString, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(PathBuf::from(folder)).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).map_err(|error| format!("cannot extend PATH: {error}"))
}

async fn run(
    mut command: std::process::Command,
    program: &str,
    output: Output,
    stop: impl Future<Output = ()>,
) -> Result<ExitStatus, String> {
    let own = matches!(output, Output::Told(_));
    if own {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // What the build starts ends with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    } else {
        // Standard output is for the project file.
        command.stdout(Stdio::from(std::io::stderr()));
    }
    let mut command = Command::from(command);
    let mut child =
        command.kill_on_drop(true).spawn().map_err(|error| format!("cannot start `{program}`: {error}"))?;
    let (out, errors) = (child.stdout.take(), child.stderr.take());
    let told = future::join(tell(out, &output), tell(errors, &output));
    let ended = async {
        let wait = child.wait();
        futures::pin_mut!(told, wait);
        match future::select(wait, told).await {
            Either::Left((status, told)) => {
                // What the build has left running may hold the pipes for ever.
                let _ = tokio::time::timeout(Duration::from_secs(1), told).await;
                status
            }
            Either::Right((_, wait)) => wait.await,
        }
    };
    let stopped = {
        futures::pin_mut!(ended, stop);
        match future::select(ended, stop).await {
            Either::Left((status, _)) => Some(status),
            Either::Right(_) => None,
        }
    };
    match stopped {
        Some(status) => status.map_err(|error| format!("`{program}`: {error}")),
        None => {
            end(&mut child, own).await;
            Err(format!("`{program}` was stopped"))
        }
    }
}

async fn tell(stream: Option<impl AsyncRead + Unpin>, output: &Output) {
    let (Some(stream), Output::Told(tell)) = (stream, output) else { return };
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    while let Ok(1..) = reader.read_until(b'\n', &mut line).await {
        tell(String::from_utf8_lossy(&line).trim_end());
        line.clear();
    }
}

/// Ends a build, and what it has started where that can be told (`group`).
async fn end(child: &mut Child, group: bool) {
    const PATIENCE: Duration = Duration::from_secs(2);
    if group && let Some(id) = child.id() {
        ask_to_end(id, false);
        if tokio::time::timeout(PATIENCE, child.wait()).await.is_err() {
            ask_to_end(id, true);
        }
    }
    let _ = child.kill().await;
}

#[cfg(unix)]
fn ask_to_end(id: u32, at_once: bool) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = if at_once { Signal::KILL } else { Signal::TERM };
    if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, signal);
    }
}

/// There is no gentle way.
#[cfg(not(unix))]
fn ask_to_end(id: u32, _at_once: bool) {
    let _ = std::process::Command::new("taskkill").args(["/T", "/F", "/PID", &id.to_string()]).output();
}
