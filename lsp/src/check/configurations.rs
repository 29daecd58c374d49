//! Under which configurations a file is checked: the project file's, with the command line's options laid over them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::project::{self, FILE_NAME, Project};

use crate::arguments::CheckOptions;
use crate::disk;

pub struct Configurations<'a> {
    options: &'a CheckOptions,
    /// By folder: the nearest project file up from there.
    projects: HashMap<String, Option<Arc<Project>>>,
    settings: project::Settings,
}

impl<'a> Configurations<'a> {
    pub fn new(options: &'a CheckOptions) -> Configurations<'a> {
        let settings = project::Settings {
            defines: options.defines.iter().map(|define| coopmat_server::split_define(define)).collect(),
            target_env: options.target_env,
            device: options.device.clone(),
            subgroup_size: options.subgroup_size,
            google_include: options.google_include.then_some(true),
            stage: options.stage,
            ..project::Settings::default()
        };
        Configurations { options, projects: HashMap::new(), settings }
    }

    /// The configurations of a file. `named`: the command line names the file itself, rather than a folder that holds it.
    pub fn of(&mut self, path: &str, named: bool) -> Result<Vec<Arc<Configuration>>, String> {
        let absolute = absolute(path);
        let project = match &self.options.project {
            Some(file) => {
                let file = absolute_slashes(file);
                let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
                match self.projects.get(&folder) {
                    Some(known) => known.clone(),
                    None => {
                        let project = Some(read(&file, &folder)?);
                        self.projects.insert(folder, project.clone());
                        project
                    }
                }
            }
            None => match absolute.rsplit_once('/') {
                Some((folder, _)) => self.nearest(folder)?,
                None => None,
            },
        };
        let mut list = match &project {
            Some(project) if !named && project.ignores(&absolute) => return Ok(Vec::new()),
            Some(project) => {
                let found = project.configurations(&absolute);
                match (&self.options.config, self.options.all_configs) {
                    (None, false) => found.list.into_iter().skip(found.in_view).take(1).collect(),
                    (Some(name), _) if found.list.iter().any(|one| one.name == *name) => {
                        found.list.into_iter().filter(|one| one.name == *name).collect()
                    }
                    (Some(_), _) if !named => Vec::new(),
                    (Some(name), _) => {
                        let names: Vec<_> = found.list.iter().map(|one| one.name.as_str()).collect();
                        return Err(format!(
                            "{path}: there is no configuration `{name}`, but {}",
                            names.join(", ")
                        ));
                    }
                    (None, true) => found.list,
                }
            }
            None if self.options.config.as_ref().is_some_and(|name| name != "default") => {
                return Err(format!("{path}: --config needs a {FILE_NAME}, and there is none up from here"));
            }
            None => vec![Configuration::default()],
        };
        for configuration in &mut list {
            self.settings.apply(configuration, "");
            // What the command line names is searched first.
            let folders = self.options.include_dirs.iter().map(|folder| slashes(folder));
            configuration.include_dirs.splice(0..0, folders);
            let folder = match &project {
                Some(project) if self.options.device.is_none() => project.folder(),
                _ => "",
            };
            let read = |path: &str| disk::read(Path::new(path)).ok().map(Arc::from);
            coopmat_server::resolve_device(configuration, folder, read)?;
        }
        Ok(list.into_iter().map(Arc::new).collect())
    }

    fn nearest(&mut self, folder: &str) -> Result<Option<Arc<Project>>, String> {
        if let Some(known) = self.projects.get(folder) {
            return Ok(known.clone());
        }
        let file = format!("{folder}/{FILE_NAME}");
        let project = if Path::new(&file).is_file() {
            Some(read(&file, folder)?)
        } else {
            match folder.rsplit_once('/') {
                Some((parent, _)) => self.nearest(parent)?,
                None => None,
            }
        };
        self.projects.insert(folder.to_owned(), project.clone());
        Ok(project)
    }
}

fn read(file: &str, folder: &str) -> Result<Arc<Project>, String> {
    let text = disk::read(Path::new(file)).map_err(|error| format!("{file}: {error}"))?;
    Project::parse(&text, folder).map(Arc::new).map_err(|errors| {
        let lines = errors.iter().map(|error| {
            let before = text.get(..error.range.start().into()).unwrap_or_default();
            format!("{file}:{}: {}", before.matches('\n').count() + 1, error.message)
        });
        lines.collect::<Vec<_>>().join("\n       ")
    })
}

/// Paths have `/` inside, whatever the system writes.
fn slashes(path: &str) -> String {
    if std::path::MAIN_SEPARATOR == '\\' { path.replace('\\', "/") } else { path.to_owned() }
}

fn absolute(path: &str) -> String {
    absolute_slashes(Path::new(path))
}

fn absolute_slashes(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    coopmat_server::normalize_path(&slashes(&absolute.to_string_lossy()))
}
