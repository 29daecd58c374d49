//! "Set up this project" of editors: runs a build step that its user has agreed to, writes the project file, and looks for errors.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use coopmat_analysis::import;
use coopmat_server::{ProjectStep, ProjectWritten};

use super::found::shown;
use super::{captured, verdict};
use crate::capture::Output;

/// Runs until the build has ended, or nobody wants it any more.
///
/// # Errors
/// Why there is no project file.
pub fn set_up(step: ProjectStep) -> Result<ProjectWritten, String> {
    let ProjectStep { command, folder, file, replace, stop, tell } = step;
    let exists = || !replace && Path::new(&file).exists();
    let there = format!("{file} already exists and was not to be replaced");
    if exists() {
        return Err(there);
    }
    let shell = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
    let words: Vec<String> = shell.into_iter().chain([&*command]).map(str::to_owned).collect();
    let parent = file.rsplit_once('/').map_or("", |(parent, _)| parent);
    let found = captured::found(&words, &folder, parent, Output::Told(tell), stopped(stop))?;
    if found.imported.variants().is_empty() {
        return Err(found.mistakes.into_iter().chain(found.notes).collect::<Vec<_>>().join("; "));
    }
    let imports = [found.imported];
    let title = format!("Imported from what `{}` calls.", shown(&[command]));
    let written = import::project_file(&imports, parent, &title);
    if exists() {
        return Err(there);
    }
    std::fs::write(&file, &written.text).map_err(|error| format!("{file} cannot be written: {error}"))?;
    let mut notes = found.notes;
    verdict::judge(&written.text, parent, &imports, &[]).tell(&written, |line| notes.push(line.to_owned()));
    let summary = notes.pop().unwrap_or_default();
    Ok(ProjectWritten { mistakes: found.mistakes, notes, summary })
}

/// Waits until nobody wants it any more.
async fn stopped(stop: Arc<AtomicBool>) {
    const OFTEN: Duration = Duration::from_millis(100);
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(OFTEN).await;
    }
}
