//! The configurations of a build step that is run for them.

use std::fmt::Write as _;
use std::future::Future;
use std::path::Path;

use coopmat_analysis::import;
use serde_json::json;

use super::found::{Found, count, left_out, shown};
use crate::capture::{BUILD, Call, Captured, Outcome, Output, SLANG, Step, capture};
use crate::disk;

/// Runs a build step in a folder. What it called until it failed counts, too. `project`: the folder of the project file.
///
/// # Errors
/// It does not start, or was stopped.
pub fn found(
    command: &[String],
    folder: &str,
    project: &str,
    output: Output,
    stop: impl Future<Output = ()>,
) -> Result<Found, String> {
    let captured = capture(&Step { command, folder: Path::new(folder) }, output, stop)?;
    Ok(read(captured, command, project))
}

/// What stands behind `-o`.
fn output_of(call: &Call) -> Option<&str> {
    call.arguments.iter().skip_while(|word| *word != "-o").nth(1).map(String::as_str)
}

/// Takes the calls away by which a build only tries what its compiler can: their modules go to standard output, while those of other calls are kept.
/// How many these are.
fn without_attempts(calls: &mut Vec<Call>) -> usize {
    let is_attempt = |call: &Call| output_of(call) == Some("-");
    let before = calls.len();
    if calls.iter().any(|call| output_of(call).is_some_and(|output| output != "-")) {
        calls.retain(|call| !is_attempt(call));
    }
    before - calls.len()
}

/// Whether a file lies in a folder, by its name or once links are followed.
fn lies_in(path: &str, folder: &str) -> bool {
    let inside = |path: &str, folder: &str| {
        path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
    };
    let real = |path: &str| disk::real_path(path).unwrap_or_else(|| path.to_owned());
    inside(path, folder) || inside(&real(path), &real(folder))
}

/// The calls as a database of compiler calls, one in each line.
fn database(calls: &[Call]) -> String {
    let mut text = "[".to_owned();
    for (index, call) in calls.iter().enumerate() {
        let words: Vec<&str> =
            std::iter::once(&*call.compiler).chain(call.arguments.iter().map(String::as_str)).collect();
        let entry = json!({"directory": call.directory, "arguments": words});
        let _ = write!(text, "{}\n{entry}", if index == 0 { "" } else { "," });
    }
    text.push_str("\n]\n");
    text
}

fn times(number: usize) -> String {
    if number == 1 { "once".to_owned() } else { format!("{number} times") }
}

/// What became of the files that coopmat-analyzer wrote for the build.
fn told(written: &Outcome) -> Vec<String> {
    let Outcome { removed, put_back, gone, failed: _ } = *written;
    let files = |number: usize, was: &str, were: &str| {
        (number > 0).then(|| format!("{} {}", count(number, "file"), if number == 1 { was } else { were }))
    };
    let parts = [
        files(removed, "was removed", "were removed"),
        files(put_back, "was restored", "were restored"),
        files(gone, "was moved by the build", "were moved by the build"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let line = format!(
        "modules compiled by coopmat-analyzer are not kept: {}; rebuild the project before you use what it made of them",
        parts.join(", ")
    );
    (!parts.is_empty()).then_some(line).into_iter().collect()
}

fn read(captured: Captured, command: &[String], project: &str) -> Found {
    let Captured { mut calls, status, written, build } = captured;
    let noted = calls.len();
    let unanswered = |slang: bool| {
        let those = calls.iter().filter(|call| call.answered_by.is_none());
        those.filter(|call| (call.compiler == SLANG) == slang).count()
    };
    let (own, slang) = (unanswered(false), unanswered(true));
    let attempts = without_attempts(&mut calls);
    let mut found = Found::default();
    // Response files have been read when the calls were made.
    let read = |_: &str, _: Option<&str>| Err("it could not be read when the compiler was called".to_owned());
    let (imported, errors) = import::read(&database(&calls), "/calls.json", &read);
    found.imported = imported;
    for error in errors {
        let call = (error.line as usize).checked_sub(2).and_then(|at| calls.get(at));
        let call = call
            .map_or_else(String::new, |call| format!("a call of {} in {}: ", call.compiler, call.directory));
        found.mistakes.push(format!("{call}{}", error.message));
    }
    if !status.success() {
        let command = shown(command);
        found.mistakes.push(format!(
            "`{command}` failed ({status}): only the compiler calls made before that are known"
        ));
    }
    if noted == 0 {
        found.mistakes.push(
            "the build did not call glslc, glslangValidator or glslang by name: build from scratch, for example into `{build}`; if the build takes the path of a compiler, give it `{compilers}/glslc`"
                .to_owned(),
        );
        return found;
    }
    let mut line = format!("{} recorded", count(noted, "compiler call"));
    if own > 0 {
        let _ =
            write!(line, "; coopmat-analyzer compiled for {own} of them, as their compilers are not on PATH");
    }
    found.notes.push(line);
    if slang > 0 {
        found.notes.push(format!("{SLANG}, which was called {}, is not on PATH", times(slang)));
    }
    found.notes.extend(told(&written));
    found.mistakes.extend(written.failed);
    if attempts > 0 {
        let calls = if attempts == 1 { "call is" } else { "calls are" };
        found
            .notes
            .push(format!("{attempts} {calls} left out: the build only tested what its compiler supports"));
    }
    found.notes.extend(left_out(&found.imported));
    let inside = |path: &str| path.strip_prefix(&*build).is_some_and(|rest| rest.starts_with('/'));
    if let gone @ 1.. = found.imported.retain(|variant| !inside(&variant.source)) {
        found.notes.push(format!(
            "{} left out: their shaders were generated in `{BUILD}`, which has been deleted; use a permanent build folder to keep them",
            count(gone, "configuration")
        ));
    }
    if let outside @ 1.. = found.imported.retain(|variant| lies_in(&variant.source, project)) {
        found.notes.push(format!(
            "{} left out: their shaders are outside {project}, where the project file applies",
            count(outside, "configuration")
        ));
    }
    let with_folders = found.imported.variants().iter();
    let lost = with_folders
        .filter(|one| one.settings.include_dirs.iter().any(|folder| inside(folder) || *folder == build));
    if let lost @ 1.. = lost.count() {
        found.notes.push(format!(
            "{} include headers from `{BUILD}`, which has been deleted; use a permanent build folder to keep them",
            count(lost, "configuration")
        ));
    }
    if found.imported.variants().is_empty() && found.mistakes.is_empty() {
        found.mistakes.push("none of the calls compiles a shader of the project".to_owned());
    }
    found
}
