//! `import`: the configurations of a build as a project file.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use coopmat_analysis::import::{self, Imported};
use coopmat_analysis::project::FILE_NAME;
use coopmat_server::reach::Reach;

use crate::arguments::ImportOptions;
use crate::configurations::{absolute, readable};
use crate::disk;
use crate::output::{self, report_error};
use crate::paths;
use crate::program::UNUSABLE;

pub fn run(options: &ImportOptions) -> ExitCode {
    let (mut imports, mut complete) = (Vec::new(), true);
    let mut complain = |message: String| {
        report_error(&message);
        complete = false;
    };
    let allowed = absolute(&options.allow_dirs);
    for file in &options.files {
        let path = paths::absolute(file);
        // What the user names is read wherever it lies, what that names is not.
        let read = |name: &str, by: Option<&str>| response_of(by.unwrap_or(&path), name, &allowed);
        match disk::log(Path::new(file)) {
            Ok(text) => {
                let (imported, errors) = import::read(&text, &path, &read);
                for error in &errors {
                    complain(format!("{file}:{}:{}: {}", error.line, error.column, error.message));
                }
                note_skipped(file, &imported);
                if imported.variants().is_empty() && errors.is_empty() {
                    complain(format!("{file}: no call of glslc, glslangValidator or glslang is in it"));
                }
                imports.push(imported);
            }
            Err(error) => complain(format!("{file}: {error}")),
        }
    }
    if !options.compiler.is_empty() {
        match command_line(&options.compiler, &allowed) {
            Ok(imported) => imports.push(imported),
            Err(message) => complain(message),
        }
    }
    if imports.iter().all(|imported| imported.variants().is_empty()) {
        return ExitCode::from(UNUSABLE);
    }
    let target = options.output.as_deref().map(|path| paths::absolute(&path.to_string_lossy()));
    let folder = match &target {
        Some(file) => file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned(),
        None => paths::absolute("."),
    };
    let from = if options.files.is_empty() { "a command line".to_owned() } else { options.files.join(", ") };
    let written = import::project_file(&imports, &folder, &format!("Imported from {from}."));
    let count = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let counts =
        format!("{} of {}", count(written.configurations, "configuration"), count(written.shaders, "shader"));
    let result = match &options.output {
        None => output::try_print(&written.text),
        Some(file) if file.exists() && !options.force => {
            Err(std::io::Error::other("the file exists: --force replaces it"))
        }
        Some(file) => std::fs::write(file, &written.text),
    };
    match result {
        Ok(()) => crate::output::note(&counts),
        Err(error) => {
            let file =
                options.output.as_ref().map_or("standard output".into(), |file| file.to_string_lossy());
            report_error(&format!("{file}: cannot be written: {error}"));
            return ExitCode::from(UNUSABLE);
        }
    }
    ExitCode::from(if complete { 0 } else { UNUSABLE })
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

fn note_skipped(file: &str, imported: &Imported) {
    let mut reasons: Vec<&str> = imported.skipped.iter().map(|(_, why)| *why).collect();
    reasons.sort_unstable();
    for group in reasons.chunk_by(|a, b| a == b) {
        let calls = if group.len() == 1 { "call is" } else { "calls are" };
        crate::output::note(&format!("{file}: {} {calls} left out: {}", group.len(), group[0]));
    }
}
