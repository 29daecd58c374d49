//! The configurations of a build step that is run for them.

use std::fmt::Write as _;
use std::future::Future;
use std::path::Path;

use coopmat_analysis::import;
use coopmat_analysis::preprocess::join_path;
use serde_json::json;

use super::found::{Found, count, left_out, shown};
use crate::capture::{BUILD, Call, Captured, Output, Step, capture};

/// Runs a build step. What it called until it failed counts, too.
///
/// # Errors
/// It does not start, or was stopped.
pub fn found(
    command: &[String],
    folder: &str,
    output: Output,
    stop: impl Future<Output = ()>,
) -> Result<Found, String> {
    let captured = capture(&Step { command, folder: Path::new(folder) }, output, stop)?;
    Ok(read(&captured, command))
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

fn read(captured: &Captured, command: &[String]) -> Found {
    let Captured { calls, status, build } = captured;
    let mut found = Found::default();
    // Response files have been read when the calls were made.
    let read = |_: &str, _: Option<&str>| Err("it could not be read when the compiler was called".to_owned());
    let (imported, errors) = import::read(&database(calls), "/calls.json", &read);
    found.imported = imported;
    for error in errors {
        let call = (error.line as usize).checked_sub(2).and_then(|at| calls.get(at));
        let call = call
            .map_or_else(String::new, |call| format!("a call of {} in {}: ", call.compiler, call.directory));
        found.mistakes.push(format!("{call}{}", error.message));
    }
    if !status.success() {
        let command = shown(command);
        found
            .mistakes
            .push(format!("`{command}` failed ({status}): what it called until then is all that is known"));
    }
    if calls.is_empty() {
        found.mistakes.push(
            "the build called no glslc, glslangValidator or glslang by name: build from scratch, such as into `{build}`; where it takes a compiler by its path, give it `{compilers}/glslc`"
                .to_owned(),
        );
        return found;
    }
    let own: Vec<&Call> = calls.iter().filter(|call| call.answered_by.is_none()).collect();
    let mut line = format!("{} noted", count(calls.len(), "compiler call"));
    if !own.is_empty() {
        let number = own.len();
        let _ = write!(line, "; coopmat-analyzer answered {number} of them, whose compilers are not on PATH");
    }
    found.notes.push(line);
    found.notes.extend(left_out(&found.imported));
    let inside = |path: &str| path.strip_prefix(&**build).is_some_and(|rest| rest.starts_with('/'));
    if let gone @ 1.. = found.imported.retain(|variant| !inside(&variant.source)) {
        found.notes.push(format!(
            "{} left out: their shaders were made in `{BUILD}` and are gone; a build folder that stays keeps them",
            count(gone, "configuration")
        ));
    }
    let with_folders = found.imported.variants().iter();
    let lost = with_folders
        .filter(|one| one.settings.include_dirs.iter().any(|folder| inside(folder) || folder == build));
    if let lost @ 1.. = lost.count() {
        found.notes.push(format!(
            "{} include headers from `{BUILD}`, which is gone; a build folder that stays keeps them",
            count(lost, "configuration")
        ));
    }
    let stays = |call: &&Call| {
        let output = call.arguments.iter().skip_while(|word| *word != "-o").nth(1);
        output.is_some_and(|output| {
            output != "-" && !inside(&format!("{}/", join_path(&call.directory, output)))
        })
    };
    if own.iter().any(stays) {
        found.notes.push(
            "modules that coopmat-analyzer compiled lie in the project's own build: build anew before they are used"
                .to_owned(),
        );
    }
    if found.imported.variants().is_empty() && found.mistakes.is_empty() {
        found.mistakes.push("no call compiles a shader of the project".to_owned());
    }
    found
}
