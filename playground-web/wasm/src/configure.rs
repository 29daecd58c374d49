//! Under which configuration a shader of the page runs: what the project file says, with what it imports, or what a build left among the files, as the
//! language server has it; and what was chosen of that.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::project::{FILE_NAME, Project};
use coopmat_recipe::Recipe;
use coopmat_server::reach::EVERYWHERE;
use coopmat_server::{Given, Imports, Specialization, Tell, no_such_set};

use crate::files::{FOLDER, Files, name_of};
use crate::places;
use crate::prepare::{Problem, Request};

impl coopmat_server::Files for Files {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        self.text(path)
    }

    fn read_response(&self, path: &str) -> Option<Arc<str>> {
        self.text(path)
    }

    fn stamp(&self, path: &str) -> Option<u64> {
        Files::stamp(self, path)
    }

    fn real_path(&self, path: &str) -> Option<String> {
        self.text(path).map(|_| path.to_owned())
    }
}

/// A configuration, and the values of specialization constants that were chosen over everything.
#[derive(Default)]
pub struct Configured {
    pub configuration: Configuration,
    pub chosen: Vec<Given>,
}

/// The project of a shader; none where nobody says anything.
fn project(files: &Files, path: &str) -> Result<Option<Project>, Problem> {
    let mut imports = Imports::default();
    let everywhere = [EVERYWHERE.to_owned()];
    let up = path.match_indices('/').rev().map(|(at, _)| &path[..at]);
    let folders: Vec<&str> = up.take_while(|folder| folder.starts_with(FOLDER)).collect();
    for folder in &folders {
        let file = format!("{folder}/{FILE_NAME}");
        let Some(text) = files.text(&file) else { continue };
        let mut project = Project::parse(&text, folder).map_err(|errors| {
            let place =
                errors.first().map(|error| places::of_text(name_of(&file), &text, error.range.into()));
            let first = errors.first().map_or("it cannot be read", |error| error.message.as_str());
            Problem { message: format!("{}: {first}", name_of(&file)), place }
        })?;
        // What is wrong with an import the server says, in the file.
        for attempt in imports.of(&project, &everywhere, files) {
            if let Ok(loaded) = attempt.result {
                project.add(&attempt.path, loaded.imported);
            }
        }
        return Ok(Some(project));
    }
    let Some(folder) = folders.first() else { return Ok(None) };
    let mut tell = Tell { tried: &mut |_, _| {}, refused: &mut |_| {} };
    let found = imports.discover(folder, FOLDER, &everywhere, files, &mut tell);
    Ok(found.map(|(path, loaded)| {
        let mut project = Project::without_file(FOLDER);
        project.add(&path, loaded.imported);
        project
    }))
}

/// What is chosen counts more than the recipe, and the recipe more than the project file.
pub fn configure(
    files: &Files,
    path: &str,
    request: &Request,
    recipe: Option<&Recipe>,
) -> Result<Configured, Problem> {
    let wanted = request.configuration.as_ref().or_else(|| recipe?.config.as_ref());
    let Some(project) = project(files, path)? else {
        return match wanted {
            // Not even the one without a name.
            Some(name) if !name.is_empty() => Err(no_such(name, &request.shader)),
            _ => Ok(Configured::default()).and_then(|all| specialize(all, files, path, request, &[])),
        };
    };
    let found = project.configurations(path);
    let index = match wanted {
        Some(name) => found
            .list
            .iter()
            .position(|one| one.name == *name)
            .ok_or_else(|| no_such(name, &request.shader))?,
        None => found.in_view,
    };
    let mut configuration = found.list.into_iter().nth(index).unwrap_or_default();
    configuration.guess_unless(found.covered);
    let all = Configured { configuration, chosen: Vec::new() };
    specialize(all, files, path, request, &found.specializations)
}

fn no_such(name: &str, shader: &str) -> Problem {
    Problem::new(format!("{shader} has no configuration `{name}`: choose another one above the editor"))
}

fn specialize(
    mut all: Configured,
    files: &Files,
    path: &str,
    request: &Request,
    sets: &[coopmat_analysis::project::SpecializationSet],
) -> Result<Configured, Problem> {
    let Some(text) = &request.specialization else { return Ok(all) };
    let wanted: Specialization = text.parse().map_err(Problem::new)?;
    // A run has the values of its recipe anyway.
    if wanted == Specialization::OfRecipe {
        return Ok(all);
    }
    match wanted.values(sets, &coopmat_recipe::beside(path), files).map_err(Problem::new)? {
        Some(values) => {
            all.configuration.specialize(&values);
            all.chosen = values;
            Ok(all)
        }
        None => Err(Problem::new(no_such_set(text, sets))),
    }
}
