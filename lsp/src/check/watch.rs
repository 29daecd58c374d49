//! `check --watch`: checks again whenever something below the watched folders changes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use coopmat_server::embedded::Language;
use notify::{EventKind, RecursiveMode, Watcher as _};

use crate::arguments::CheckOptions;
use crate::output::{note, report_error};
use crate::program::UNUSABLE;

/// Editors and builds write several files at once.
const SETTLED: Duration = Duration::from_millis(150);

pub fn run(options: &CheckOptions) -> ExitCode {
    let (send, changes) = mpsc::channel();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Nobody listens any more when this fails.
        let _ = send.send(event);
    });
    let mut watcher = match watcher {
        Ok(watcher) => watcher,
        Err(error) => return cannot(&error.to_string()),
    };
    for folder in folders(&options.paths) {
        if let Err(error) = watcher.watch(&folder, RecursiveMode::Recursive) {
            return cannot(&format!("{}: {error}", folder.display()));
        }
    }
    loop {
        super::once(options);
        note("watching for changes; Ctrl-C ends");
        let Some(changed) = next(&changes) else { return cannot("the system tells of no more changes") };
        note(&format!("\n{} changed", changed.display()));
    }
}

fn cannot(why: &str) -> ExitCode {
    report_error(&format!("cannot watch for changes: {why}"));
    ExitCode::from(UNUSABLE)
}

/// The folders that hold what is checked, with what it includes and the project file, as far as these are below or beside it.
fn folders(paths: &[String]) -> BTreeSet<PathBuf> {
    let folder = |path: &String| {
        // A glob begins with the folder that it searches.
        let path = Path::new(path.split(['*', '?', '[', '{']).next().unwrap_or_default());
        let folder = if path.is_dir() { Some(path) } else { path.parent() };
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        crate::disk::project_folder(folder).unwrap_or_else(|| folder.to_owned())
    };
    paths.iter().map(folder).collect()
}

/// Waits until something changes that a check may read, and a moment longer; the first file of it. `None`: there is nobody to wait for.
fn next(changes: &mpsc::Receiver<notify::Result<notify::Event>>) -> Option<PathBuf> {
    loop {
        let event = changes.recv().ok()?;
        let Some(path) = event.ok().and_then(|event| of_interest(&event)) else { continue };
        loop {
            match changes.recv_timeout(SETTLED) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return Some(path),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

/// The path of a change that may give another result.
fn of_interest(event: &notify::Event) -> Option<PathBuf> {
    if matches!(event.kind, EventKind::Access(_)) {
        return None;
    }
    event.paths.iter().find(|path| is_read(path)).cloned()
}

/// Shaders, headers, project files and what they import.
fn is_read(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let known = [".glsl", ".glslh", ".hglsl", ".h", ".inc", ".toml", ".json", ".log", ".txt", ".rsp"];
    crate::disk::is_shader(&text)
        || Language::of_path_with_strings(&text).is_some()
        || known.iter().any(|extension| text.ends_with(extension))
}
