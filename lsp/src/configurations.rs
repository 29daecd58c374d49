//! Under which configurations a file is checked: the project file's, with the command line's options laid over them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use coopmat_analysis::Analysis;
use coopmat_analysis::config::{Configuration, Like};
use coopmat_analysis::diagnostics::{Code, Diagnostic};
use coopmat_analysis::import::Imported;
use coopmat_analysis::levels::Level;
use coopmat_analysis::project::{self, FILE_NAME, Project, ProjectError, SpecializationSet};
use coopmat_analysis::text::TextRange;
use coopmat_server::reach::{self, Reach};
use coopmat_server::{Given, Imports, Specialization, Tell, no_such_set};

use crate::arguments::ShaderOptions;
use crate::disk::{self, Confined, Disk};
use crate::embedded::known_as;
use crate::output::{note, report_error};
use crate::paths;

pub struct Configurations<'a> {
    options: &'a ShaderOptions,
    /// Every configuration that matches a file, rather than one.
    all: bool,
    /// By folder: the nearest project file up from there, or what is wrong with it.
    projects: HashMap<String, Result<Option<Arc<Project>>, String>>,
    /// By folder, where there is no project file.
    discovered: HashMap<String, Option<Arc<Project>>>,
    /// The project files that were read, with their texts.
    read: Vec<(String, Arc<str>, Arc<Project>)>,
    imports: Imports,
    settings: project::Settings,
    /// Of the command line.
    levels: Vec<(&'static Code, Level)>,
}

impl<'a> Configurations<'a> {
    pub fn new(options: &'a ShaderOptions, all: bool) -> Configurations<'a> {
        let settings = project::Settings {
            defines: options.defines.iter().map(|define| project::split_define(define)).collect(),
            target_env: options.target_env,
            device: options.device.clone(),
            subgroup_size: options.subgroup_size,
            google_include: options.google_include.then_some(true),
            stage: options.stage,
            ..project::Settings::default()
        };
        Configurations {
            options,
            all,
            projects: HashMap::new(),
            discovered: HashMap::new(),
            read: Vec::new(),
            imports: Imports::default(),
            settings,
            levels: Vec::new(),
        }
    }

    /// The same, with levels that come before those of project files, and what may stay unlooked at beside what they say.
    pub fn with(mut self, levels: Vec<(&'static Code, Level)>, unanalysed: &[String]) -> Configurations<'a> {
        self.settings.allow_unanalysed.extend_from_slice(unanalysed);
        Configurations { levels, ..self }
    }

    /// The same, with the refusals of a compiler.
    pub fn like(mut self, like: Option<Like>) -> Configurations<'a> {
        self.settings.like = like;
        self
    }

    /// The configurations of a file. `named`: the command line names the file itself, rather than a folder that holds it.
    pub fn of(&mut self, path: &str, named: bool) -> Result<Vec<Arc<Configuration>>, String> {
        let absolute = paths::absolute(path);
        let project = self.project_of(&absolute)?;
        let readable = self.readable(&absolute, project.as_deref());
        let mut covered = false;
        let mut sets = Vec::new();
        let mut list = match &project {
            // What is put before shaders is checked with them.
            Some(project) if !named && (project.ignores(&absolute) || project.has_preamble(&absolute)) => {
                return Ok(Vec::new());
            }
            Some(project) => {
                let found = project.configurations(&absolute);
                covered = found.covered;
                sets = found.specializations;
                match (&self.options.config, self.all) {
                    (None, false) => found.list.into_iter().skip(found.in_view).take(1).collect(),
                    (Some(name), _) if found.list.iter().any(|one| one.name == *name) => {
                        found.list.into_iter().filter(|one| one.name == *name).collect()
                    }
                    (Some(_), _) if !named => Vec::new(),
                    (Some(name), _) => {
                        // Enough to see what names look like; hundreds would bury the message.
                        const SHOWN: usize = 12;
                        let names: Vec<_> = found.list.iter().map(|one| one.name.as_str()).collect();
                        let mut known = names[..names.len().min(SHOWN)].join(", ");
                        if names.len() > SHOWN {
                            known += &format!(" and {} more", names.len() - SHOWN);
                        }
                        let path = known_as(path);
                        return Err(format!("{path}: there is no configuration `{name}`; expected {known}"));
                    }
                    (None, true) => found.list,
                }
            }
            None if self.options.config.as_ref().is_some_and(|name| name != "default") => {
                let path = known_as(path);
                return Err(format!(
                    "{path}: --config needs a {FILE_NAME}, and there is none in this folder or above"
                ));
            }
            None => vec![Configuration::default()],
        };
        for configuration in &mut list {
            configuration.readable.clone_from(&readable);
            self.lay_over(configuration, project.as_ref().map_or("", |project| project.folder()))?;
            if path != absolute {
                // Files that the shader includes as well are the same ones then.
                configuration.preamble.shorten(&format!("{}/", paths::absolute(".")));
            }
            configuration.guess_unless(covered);
            match self.chosen(path, &sets, configuration, named)? {
                Some(values) => configuration.specialize(&values),
                None => return Ok(Vec::new()),
            }
        }
        Ok(list.into_iter().map(Arc::new).collect())
    }

    /// Every configuration of a file that the command line names or leads to, whichever it asks for.
    pub fn all_of(&mut self, path: &str) -> Result<Vec<Arc<Configuration>>, String> {
        let asked = std::mem::replace(&mut self.all, true);
        let found = self.of(path, true);
        self.all = asked;
        found
    }

    /// What is wrong with names and ids that were typed for `--specialization`: no constant of the shader is called so.
    pub fn mistyped(options: &ShaderOptions, analysis: &Analysis) -> Result<(), String> {
        let Some(Specialization::Values(values)) = &options.specialization else { return Ok(()) };
        // The errors of a shader are told first: what it declares is not known for sure.
        if analysis.diagnostics.iter().any(Diagnostic::prevents_module) {
            return Ok(());
        }
        let mistake = coopmat_ide::specialization::mistake(analysis, values);
        mistake.map_or(Ok(()), |message| Err(format!("--specialization: {message}")))
    }

    /// The values that `--specialization` gives a file, under one of its configurations.
    pub fn specialization(
        &mut self,
        path: &str,
        configuration: &Configuration,
    ) -> Result<Vec<Given>, String> {
        let absolute = paths::absolute(path);
        let project = self.project_of(&absolute)?;
        let sets = project.map(|project| project.configurations(&absolute).specializations);
        let values = self.chosen(path, &sets.unwrap_or_default(), configuration, true)?;
        Ok(values.unwrap_or_default())
    }

    /// The same, of the sets that there are for it. Nothing where a folder is searched and the file has no such set.
    fn chosen(
        &self,
        path: &str,
        sets: &[SpecializationSet],
        configuration: &Configuration,
        named: bool,
    ) -> Result<Option<Vec<Given>>, String> {
        let Some(wanted) = &self.options.specialization else { return Ok(Some(Vec::new())) };
        let recipe = coopmat_recipe::beside(path);
        if *wanted == Specialization::OfRecipe && !named && !Path::new(&recipe).is_file() {
            return Ok(Some(Vec::new()));
        }
        let disk = Disk::default();
        let found = wanted.values(sets, &recipe, &Confined::new(&disk, configuration));
        let path = known_as(path);
        match (found.map_err(|message| format!("{path}: {message}"))?, wanted) {
            (None, Specialization::Set(name)) if named => Err(format!("{path}: {}", no_such_set(name, sets))),
            (found, _) => Ok(found),
        }
    }

    /// The project that a file is part of: the project file's, or what a build has left.
    fn project_of(&mut self, absolute: &str) -> Result<Option<Arc<Project>>, String> {
        Ok(match &self.options.project {
            Some(file) => {
                let file = paths::absolute(&file.to_string_lossy());
                let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
                match self.projects.get(&folder) {
                    Some(known) => known.clone()?,
                    None => {
                        let project = self.read(&file, &folder).map(Some);
                        self.projects.insert(folder, project.clone());
                        project?
                    }
                }
            }
            None => match absolute.rsplit_once('/') {
                Some((folder, _)) => match self.nearest(folder)? {
                    Some(project) => Some(project),
                    None => self.discover(folder),
                },
                None => None,
            },
        })
    }

    /// The folder in which the users of a header are looked for: of its project file, of its repository, or its own.
    pub fn around(&mut self, path: &str) -> Result<String, String> {
        let absolute = paths::absolute(path);
        let own = absolute.rsplit_once('/').map_or("", |(folder, _)| folder);
        let project = self.nearest(own)?;
        let project = project.map(|project| project.folder().to_owned());
        Ok(project.or_else(|| disk::repository(own)).unwrap_or_else(|| own.to_owned()))
    }

    /// The project files that were read, with their texts.
    pub fn projects(&self) -> &[(String, Arc<str>, Arc<Project>)] {
        &self.read
    }

    /// Whether the project file names a file of C++ or Rust, or a shader in one, so that a search of a folder takes it.
    pub fn lists(&mut self, path: &str) -> bool {
        let absolute = paths::absolute(path);
        let project = match &self.options.project {
            Some(_) => self
                .of(path, true)
                .ok()
                .and_then(|_| self.projects.values().flatten().flatten().next().cloned()),
            None => absolute.rsplit_once('/').and_then(|(folder, _)| self.nearest(folder).ok().flatten()),
        };
        project.is_some_and(|project| project.lists(&absolute))
    }

    /// From where a file gets to read, as [`readable`] says.
    fn readable(&self, file: &str, project: Option<&Project>) -> Option<Arc<[String]>> {
        let around = self.options.folders.iter().map(|folder| paths::absolute(folder)).collect();
        readable(file, project.map(Project::folder), around, allowed(self.options)).map(Arc::from)
    }

    /// What a build has left in the folder of a shader or above it, within the current folder.
    fn discover(&mut self, folder: &str) -> Option<Arc<Project>> {
        let here = paths::absolute(".");
        if self.options.no_discover || !(folder == here || folder.starts_with(&format!("{here}/"))) {
            return None;
        }
        let (mut tried, mut refused) = (|_: &str, _| {}, |message: &str| note(&format!("note: {message}")));
        let mut tell = Tell { tried: &mut tried, refused: &mut refused };
        if let Some(known) = self.discovered.get(folder) {
            return known.clone();
        }
        let found = self.imports.discover(folder, &here, &allowed(self.options), &OnDisk, &mut tell);
        let project = found.map(|(path, loaded)| {
            let mut project = Project::without_file(&here);
            project.add(&path, loaded.imported);
            Arc::new(project)
        });
        self.discovered.insert(folder.to_owned(), project.clone());
        project
    }

    fn nearest(&mut self, folder: &str) -> Result<Option<Arc<Project>>, String> {
        if let Some(known) = self.projects.get(folder) {
            return known.clone();
        }
        let project = self.nearest_anew(folder);
        self.projects.insert(folder.to_owned(), project.clone());
        project
    }

    fn nearest_anew(&mut self, folder: &str) -> Result<Option<Arc<Project>>, String> {
        let file = format!("{folder}/{FILE_NAME}");
        if Path::new(&file).is_file() {
            // One that the command line names may be a link to anywhere.
            let mut folders = vec![folder.to_owned()];
            folders.extend(disk::repository(folder));
            folders.extend(allowed(self.options));
            let readable = reach::readable(folders, &disk::OnDisk);
            let reach = Reach::new(readable.as_deref());
            reach.admit(&file, &disk::OnDisk).map_err(|refusal| reach.explain(&file, refusal))?;
            self.read(&file, folder).map(Some)
        } else {
            match folder.rsplit_once('/') {
                Some((parent, _)) => self.nearest(parent),
                None => Ok(None),
            }
        }
    }

    /// Reads a project file and what it imports. What is wrong within an import is told, and the rest of it used.
    fn read(&mut self, file: &str, folder: &str) -> Result<Arc<Project>, String> {
        let text = disk::read(Path::new(file)).map_err(|error| format!("{file}: {error}"))?;
        let complaint = |range: TextRange, message: &str| {
            let before = text.get(..range.start().into()).unwrap_or_default();
            format!("{file}:{}: {message}", before.matches('\n').count() + 1)
        };
        let all = |errors: Vec<ProjectError>| {
            let lines = errors.iter().map(|error| complaint(error.range, &error.message));
            lines.collect::<Vec<_>>().join("\n       ")
        };
        let mut project = Project::parse(&text, folder).map_err(all)?;
        project.set_path(file);
        let folders: Vec<String> = disk::working_folder().into_iter().chain(allowed(self.options)).collect();
        for attempt in self.imports.of(&project, &folders, &OnDisk) {
            let loaded = attempt.result.map_err(|message| complaint(attempt.range, &message))?;
            for error in &*loaded.errors {
                report_error(&format!("{}:{}:{}: {}", attempt.path, error.line, error.column, error.message));
            }
            project.add(&attempt.path, loaded.imported);
        }
        let mistakes = project.mistakes();
        if !mistakes.is_empty() {
            return Err(all(mistakes));
        }
        let project = Arc::new(project);
        self.read.push((file.to_owned(), text.into(), project.clone()));
        Ok(project)
    }

    /// The shaders of a compiler's command line, each with its configuration; the command line's own options are laid over.
    pub fn of_command(&self, imported: &Imported) -> Result<Vec<(String, Arc<Configuration>)>, String> {
        let here = format!("{}/", paths::absolute("."));
        let tasks = imported.variants().iter().map(|variant| {
            let mut configuration = Configuration::default();
            if imported.variants().len() > 1 {
                configuration.name.clone_from(&variant.name);
            }
            variant.settings.apply(&mut configuration, "");
            self.lay_over(&mut configuration, "")?;
            let chosen = self.chosen(&variant.source, &[], &configuration, true)?;
            configuration.specialize(&chosen.unwrap_or_default());
            // The whole of it is the user's own words.
            let mut folders: Vec<String> = self
                .readable(&variant.source, None)
                .map_or_else(|| vec![reach::EVERYWHERE.to_owned()], |folders| folders.to_vec());
            folders.extend(configuration.include_dirs.iter().map(|folder| paths::absolute(folder)));
            configuration.readable = reach::readable(folders, &disk::OnDisk).map(Arc::from);
            let path = variant.source.strip_prefix(&here).unwrap_or(&variant.source);
            Ok((path.to_owned(), Arc::new(configuration)))
        });
        tasks.collect()
    }

    /// Lays the options of the command line over a configuration.
    fn lay_over(&self, configuration: &mut Configuration, project_folder: &str) -> Result<(), String> {
        self.settings.apply(configuration, "");
        configuration.levels.start_from(&paths::absolute("."));
        configuration.levels.add(self.levels.iter().copied());
        // What the command line names is searched first.
        let folders = self.options.include_dirs.iter().map(|folder| paths::slashes(folder));
        configuration.include_dirs.splice(0..0, folders);
        let folder = if self.options.device.is_none() { project_folder } else { "" };
        let readable = configuration.readable.clone();
        let reach = Reach::new(readable.as_deref().filter(|_| self.options.device.is_none()));
        coopmat_server::resolve_device(configuration, folder, |path| {
            let absolute = paths::absolute(path);
            let real =
                reach.admit(&absolute, &disk::OnDisk).map_err(|refusal| reach.explain(&absolute, refusal))?;
            Ok(real.and_then(|real| disk::read(Path::new(&*real)).ok()).map(Arc::from))
        })
    }
}

/// From where a file gets to read: the folder of its project file, its repository or its own folder, the current folder and folders of a
/// search where it lies in them (`around`), and what the command line allows.
pub fn readable(
    file: &str,
    project: Option<&str>,
    mut around: Vec<String>,
    allowed: Vec<String>,
) -> Option<Vec<String>> {
    let own = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    around.extend(disk::working_folder());
    around.retain(|folder| file.starts_with(&format!("{}/", folder.trim_end_matches('/'))));
    let mut folders = vec![own.to_owned()];
    folders.extend(project.map(str::to_owned));
    folders.extend(disk::repository(own));
    folders.extend(around);
    folders.extend(allowed);
    reach::readable(folders, &disk::OnDisk)
}

/// The folders of `-I` and `--allow-dir`.
pub fn allowed(options: &ShaderOptions) -> Vec<String> {
    absolute(options.include_dirs.iter().chain(&options.allow_dirs))
}

/// Folders that the command line allows.
pub fn absolute<'f>(folders: impl IntoIterator<Item = &'f String>) -> Vec<String> {
    let absolute = |folder: &String| match folder.as_str() {
        reach::EVERYWHERE => folder.clone(),
        _ => paths::absolute(folder),
    };
    folders.into_iter().map(absolute).collect()
}

/// Imports come from the disk.
struct OnDisk;

impl coopmat_server::Files for OnDisk {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        disk::log(Path::new(path)).ok().map(Arc::from)
    }

    fn read_response(&self, path: &str) -> Option<Arc<str>> {
        disk::read(Path::new(path)).ok().map(Arc::from)
    }

    fn real_path(&self, path: &str) -> Option<String> {
        disk::real_path(path)
    }

    fn stamp(&self, path: &str) -> Option<u64> {
        disk::stamp(path)
    }
}
