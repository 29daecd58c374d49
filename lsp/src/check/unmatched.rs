//! What of a project file has no effect: globs that match no file, and a `--project` that says nothing about the files.

use coopmat_analysis::project::Project;

use super::Task;
use super::positions::Lines;
use crate::configurations::Configurations;
use crate::{disk, paths};

/// Warnings, each a line: `warning: FILE:LINE:COLUMN: MESSAGE`.
///
/// Globs are looked at if the whole folder of their project is checked. Who checks one file does not wait for a search.
pub fn warnings(
    searched: &[String],
    configurations: &Configurations<'_>,
    tasks: &[Task],
    asked: bool,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let here = format!("{}/", paths::absolute("."));
    for (file, text, project) in configurations.projects() {
        let file = file.strip_prefix(&here).unwrap_or(file);
        let lines = Lines::new(text);
        let all_searched =
            searched.iter().any(|folder| is_inside(project.folder(), &paths::absolute(folder)));
        let files = if all_searched { disk::everything(project.folder()) } else { None };
        let unmatched = files.map(|files| project.without_match(files.iter().map(String::as_str)));
        for error in unmatched.unwrap_or_default() {
            let (line, column) = lines.position(error.range.start().into());
            warnings.push(format!("warning: {file}:{line}:{column}: {}", error.message));
        }
        if asked && !applies(project, tasks) {
            warnings.push(format!(
                "warning: {file}: no entry and no import names any of the files: only the settings for all shaders apply"
            ));
        }
    }
    warnings
}

fn is_inside(folder: &str, outer: &str) -> bool {
    folder
        .strip_prefix(outer.trim_end_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn applies(project: &Project, tasks: &[Task]) -> bool {
    let shader =
        |task: &Task| task.user.as_ref().map_or_else(|| task.path.clone(), |(shader, _)| shader.clone());
    tasks.is_empty()
        || tasks.iter().any(|task| project.configurations(&paths::absolute(&shader(task))).covered)
}
