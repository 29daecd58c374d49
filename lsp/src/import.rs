//! `import`: the configurations of a build as a project file, and a report of what was understood, left, and is wrong.

mod captured;
mod found;
mod set_up;
mod verdict;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use coopmat_analysis::import::{self, Imported};
use coopmat_analysis::project::FILE_NAME;
use coopmat_server::reach::Reach;

use crate::arguments::ImportOptions;
use crate::capture::Output;
use crate::configurations::{absolute, readable};
use crate::disk;
use crate::output::{self, note, report_error};
use crate::paths;
use crate::program::UNUSABLE;
use crate::signals::asked_to_end;

use found::{Found, count, counted, left_out, shown};

pub use set_up::set_up;

pub fn run(options: &ImportOptions) -> ExitCode {
    let allowed = absolute(&options.allow_dirs);
    let target = options.output.as_deref().map(|path| paths::absolute(&path.to_string_lossy()));
    let folder = match &target {
        Some(file) => file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned(),
        None => paths::absolute("."),
    };
    let mut found: Vec<Found> = options.files.iter().map(|file| of_file(file, &allowed)).collect();
    if options.capture {
        if options.compiler.is_empty() {
            report_error(
                "--capture expects a command after `--`, such as `import --capture -- make -B shaders`",
            );
            return ExitCode::from(UNUSABLE);
        }
        if let Some(file) = options.output.as_deref().filter(|file| file.exists() && !options.force) {
            report_error(&format!("{}: the file already exists; use --force to replace it", file.display()));
            return ExitCode::from(UNUSABLE);
        }
        let stop = async {
            let _signal = asked_to_end().await;
        };
        match captured::found(&options.compiler, &paths::absolute("."), &folder, Output::Shown, stop) {
            Ok(captured) => found.push(captured),
            Err(message) => {
                report_error(&message);
                return ExitCode::from(UNUSABLE);
            }
        }
    } else if !options.compiler.is_empty() {
        found.push(match command_line(&options.compiler, &allowed) {
            Ok(imported) => Found { notes: left_out(&imported), imported, ..Found::default() },
            Err(message) => Found { mistakes: vec![message], ..Found::default() },
        });
    }
    let (mut imports, mut complete) = (Vec::new(), true);
    for Found { imported, notes, mistakes } in found {
        mistakes.iter().for_each(|message| report_error(message));
        notes.iter().for_each(|message| note(message));
        complete &= mistakes.is_empty();
        imports.push(imported);
    }
    if imports.iter().all(|imported| imported.variants().is_empty()) {
        return ExitCode::from(UNUSABLE);
    }
    let from = match (options.capture, options.files.is_empty()) {
        (true, _) => format!("what `{}` calls", shown(&options.compiler)),
        (false, true) => "a command line".to_owned(),
        (false, false) => options.files.join(", "),
    };
    let written = import::project_file(&imports, &folder, &format!("Imported from {from}."));
    let result = match &options.output {
        None => output::try_print(&written.text),
        Some(file) if file.exists() && !options.force => {
            Err(std::io::Error::other("the file already exists; use --force to replace it"))
        }
        Some(file) => std::fs::write(file, &written.text),
    };
    if let Err(error) = result {
        let file = options.output.as_ref().map_or("standard output".into(), |file| file.to_string_lossy());
        report_error(&format!("{file}: cannot write the file: {error}"));
        return ExitCode::from(UNUSABLE);
    }
    if options.no_check {
        note(&counted(&written));
    } else {
        verdict::judge(&written.text, &folder, &imports, &allowed).tell(&written, note);
    }
    ExitCode::from(if complete { 0 } else { UNUSABLE })
}

/// What a log or a database brings.
fn of_file(file: &str, allowed: &[String]) -> Found {
    let path = paths::absolute(file);
    // What the user names is read wherever it lies, what that names is not.
    let read = |name: &str, by: Option<&str>| response_of(by.unwrap_or(&path), name, allowed);
    let text = match disk::log(Path::new(file)) {
        Ok(text) => text,
        Err(error) => return Found { mistakes: vec![format!("{file}: {error}")], ..Found::default() },
    };
    let (imported, errors) = import::read(&text, &path, &read);
    let mut mistakes: Vec<String> = errors
        .iter()
        .map(|error| format!("{file}:{}:{}: {}", error.line, error.column, error.message))
        .collect();
    let mut notes = Vec::new();
    if imported.variants().is_empty() && errors.is_empty() {
        let what = if imported.skipped.is_empty() { "is in it" } else { "in it brings a configuration" };
        mistakes.push(format!("{file}: no call of glslc, glslangValidator or glslang {what}"));
    } else {
        let understood = count(imported.variants().len(), "configuration");
        notes.push(format!("{file}: {understood} of {}", count(imported.sources(), "shader")));
    }
    notes.extend(left_out(&imported).into_iter().map(|line| format!("{file}: {line}")));
    Found { imported, notes, mistakes }
}

/// The configurations of one command line. `allowed`: folders of which response files may name others wherever they lie themselves.
pub fn command_line(words: &[String], allowed: &[String]) -> Result<Imported, String> {
    let read = |name: &str, by: Option<&str>| match by {
        Some(by) => response_of(by, name, allowed),
        None => response(name),
    };
    import::command_line(words, &paths::absolute("."), &read)
}

/// Reads a response file that a log or another response file names: one where that file gets to read.
///
/// # Errors
/// Why it is not read.
fn response_of(by: &str, path: &str, allowed: &[String]) -> Result<Arc<str>, String> {
    let mut folders = by.rsplit_once('/').map(|(folder, _)| folder);
    let project = loop {
        match folders {
            Some(folder) if Path::new(&format!("{folder}/{FILE_NAME}")).is_file() => break Some(folder),
            Some(folder) => folders = folder.rsplit_once('/').map(|(parent, _)| parent),
            None => break None,
        }
    };
    let folders = readable(by, project, Vec::new(), allowed.to_vec());
    let reach = Reach::new(folders.as_deref());
    let real = reach.admit(path, &disk::OnDisk).map_err(|refusal| reach.explain(path, refusal))?;
    response(real.as_deref().unwrap_or(path))
}

/// Reads a response file that the user names, wherever it lies.
///
/// # Errors
/// Why it is not read.
fn response(path: &str) -> Result<Arc<str>, String> {
    disk::read(Path::new(path)).map(Arc::from).map_err(|error| error.to_string())
}
