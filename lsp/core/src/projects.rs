//! Which configurations a file is checked under: the project file's and those of the build, with the client's settings and
//! what was chosen in this session laid over them.

use std::collections::BTreeMap;
use std::sync::Arc;

use coopmat_analysis::config::{Configuration, Stage};
use coopmat_analysis::devices::DeviceProfile;
use coopmat_analysis::import::USUAL_NAMES;
use coopmat_analysis::preprocess::join_path;
use coopmat_analysis::project::{FILE_NAME, Origin, Project, SpecializationSet};
use coopmat_analysis::text::TextRange;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::chosen::{Chosen, NO_DEVICE};
use crate::documents::{Documents, Links, Loader};
use crate::embedded;
use crate::embedded::given::AllGiven;
use crate::host::{Host, LogLevel};
use crate::imports::{Files, Imports, Loaded, Tell};
use crate::paths;
use crate::reach::{self, EVERYWHERE, Reach};
use crate::root;
use crate::session::Session;
use crate::settings::Settings;
use crate::specialization::{Given, Specialization};
use crate::target::resolve_device;

/// What the client is asked to watch.
pub const WATCHED: &[&str] = &[
    "**/*.{comp,vert,tesc,tese,geom,frag,task,mesh,rgen,rint,rahit,rchit,rmiss,rcall}",
    "**/*.{glsl,glslh,h,hglsl,inc}",
    "**/coopmat-analyzer.toml",
    "**/*.run.toml",
    "**/{compile_commands.json,glslc.log,vulkan-shaders-gen.log}",
];

pub fn is_project_file(path: &str) -> bool {
    file_name(path) == FILE_NAME
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Under which configurations one file is checked; there is at least one.
#[derive(Debug)]
pub struct Variants {
    pub list: Vec<Arc<Configuration>>,
    pub origins: Vec<Origin>,
    pub in_view: usize,
    /// The project file that says so; `None` where there is none.
    pub project: Option<String>,
    /// What may be chosen for specialization constants.
    pub sets: Vec<SpecializationSet>,
    /// What was chosen of these, where there is such a thing, with its values: they are in the configurations already.
    pub specialization: Option<(Specialization, Vec<Given>)>,
}

impl Variants {
    pub fn configuration(&self) -> Arc<Configuration> {
        self.list.get(self.in_view).cloned().unwrap_or_default()
    }

    pub fn named(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|one| one.name == name)
    }

    /// Whether nobody has said anything about the file.
    pub fn is_guess(&self) -> bool {
        self.configuration().guessed
    }
}

/// Something that is wrong in a project file, or in what it imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub range: TextRange,
    pub message: String,
    /// Less may come of the file, and nothing wrong.
    pub minor: bool,
    /// Where the project file names the import.
    pub imported_by: Option<(String, TextRange)>,
}

/// A file with problems, and its text.
#[derive(Clone, Debug)]
pub struct Problems {
    pub text: Arc<str>,
    pub list: Vec<Problem>,
}

/// The project files and configurations in force, until something changes.
#[derive(Default)]
pub struct Projects {
    /// By folder: the nearest project up from there.
    projects: FxHashMap<String, Option<Arc<Project>>>,
    /// By folder: what the build left there, where there is no project file.
    discovered: FxHashMap<String, Option<Arc<Project>>>,
    /// Files that were read or looked for, as they were then.
    stamps: FxHashMap<String, Option<u64>>,
    files: FxHashMap<String, Arc<Variants>>,
    /// Project files by path, as they were when they were right.
    good: FxHashMap<String, Arc<Project>>,
    imports: Imports,
    /// By path.
    problems: BTreeMap<String, Problems>,
    /// They are others than when they were asked for.
    problems_changed: bool,
    messages: Vec<String>,
    /// What was said about devices already: every file would say it again.
    complained: FxHashSet<String>,
    chosen: Chosen,
    /// Imports whose names the client does not watch anyway.
    unwatched: Vec<String>,
    watched: FxHashSet<String>,
}

/// The host as the place of imports.
struct OfHost<'h>(&'h dyn Host);

impl Files for OfHost<'_> {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        self.0.read_log(path)
    }

    fn read_response(&self, path: &str) -> Option<Arc<str>> {
        self.0.read(path)
    }

    fn real_path(&self, path: &str) -> Option<String> {
        self.0.real_path(path)
    }

    fn stamp(&self, path: &str) -> Option<u64> {
        self.0.stamp(path)
    }
}

/// What configurations depend on besides files.
struct Surroundings<'a> {
    /// The workspace folder that holds the file.
    folder: Option<&'a str>,
    folders: &'a [String],
    settings: &'a Settings,
    documents: &'a Documents,
    host: &'a dyn Host,
    given: &'a AllGiven,
}

impl<'a> Surroundings<'a> {
    fn of(session: &'a Session, path: &str) -> Surroundings<'a> {
        Surroundings {
            folder: session.folder_of(path),
            folders: &session.folders,
            settings: &session.settings,
            documents: &session.documents,
            host: &*session.host,
            given: &session.given,
        }
    }

    /// The folders from which a file in `folder` gets to read, besides the project file's: the workspace's and those that the user
    /// names. A file outside of the workspace, which the user has opened, has its repository or its own folder.
    fn allowed(&self, folder: Option<&str>) -> Vec<String> {
        if !self.host.is_confined() {
            return vec![EVERYWHERE.to_owned()];
        }
        let mut allowed = self.folders.to_vec();
        if let (None, Some(folder)) = (self.folder, folder) {
            allowed.push(folder.to_owned());
            allowed.extend(self.host.repository(folder));
        }
        allowed.extend(self.settings.allowed(self.folder));
        allowed
    }
}

impl Projects {
    pub fn forget(&mut self) {
        self.projects.clear();
        self.discovered.clear();
        self.stamps.clear();
        self.files.clear();
        self.problems.clear();
        self.problems_changed = true;
        self.complained.clear();
    }

    /// What the user has to hear of, each told once.
    pub fn take_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.messages)
    }

    /// Imports that the client is to watch too.
    pub fn take_unwatched(&mut self) -> Vec<String> {
        std::mem::take(&mut self.unwatched)
    }

    /// Whether problems have come or gone since the last call.
    pub fn take_problems_changed(&mut self) -> bool {
        std::mem::take(&mut self.problems_changed)
    }

    pub fn problems(&self) -> &BTreeMap<String, Problems> {
        &self.problems
    }

    /// Whether a file that was read or looked for is no longer what it was.
    pub fn outdated(&self, host: &dyn Host) -> bool {
        self.stamps.iter().any(|(path, before)| host.stamp(path) != *before)
    }

    /// Whether configurations depend on a file.
    pub fn reads(&self, path: &str) -> bool {
        is_project_file(path) || USUAL_NAMES.contains(&file_name(path)) || self.stamps.contains_key(path)
    }

    /// What a file's configurations are made of has changed.
    pub fn forget_configurations_of(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// What was chosen, to be changed; `root`: the only shader that it matters to.
    pub fn choose(&mut self, root: Option<&str>, change: impl FnOnce(&mut Chosen)) {
        change(&mut self.chosen);
        match root {
            // Those under which it is checked for a header's sake, too.
            Some(root) => self.files.retain(|path, _| root::split(path).0 != root),
            None => self.files.clear(),
        }
        self.complained.clear();
    }

    pub fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// The configuration in view.
    pub fn configuration(&mut self, path: &str, session: &Session) -> Arc<Configuration> {
        self.variants(path, session).configuration()
    }

    /// Whether a file is a shader: by its name, or because the project says of which stage it is.
    pub fn is_shader(&mut self, path: &str, session: &Session) -> bool {
        let has_stage = Stage::of_path(path).is_some() || self.configuration(path, session).stage.is_some();
        has_stage && !self.is_preamble(path, session)
    }

    /// Whether the project puts a file before others: it is part of them, whatever it is called.
    pub fn is_preamble(&mut self, path: &str, session: &Session) -> bool {
        // Which loads the file's project.
        self.variants(path, session);
        self.with_preamble(path).next().is_some()
    }

    /// Those of some shaders before which a file is read as a part of their preamble; they are asked for where it is part of any.
    pub fn users_of_preamble(&self, file: &str, shaders: impl FnOnce() -> Vec<Arc<str>>) -> Vec<Arc<str>> {
        let projects: Vec<_> = self.with_preamble(file).collect();
        if projects.is_empty() {
            return Vec::new();
        }
        let mut shaders = shaders();
        shaders.retain(|shader| projects.iter().any(|project| project.puts_before(file, shader)));
        shaders
    }

    /// The projects that put a file before shaders.
    fn with_preamble(&self, file: &str) -> impl Iterator<Item = &Arc<Project>> {
        // Every folder of a project has it.
        let projects: BTreeMap<&str, &Arc<Project>> =
            self.projects.values().flatten().map(|project| (project.folder(), project)).collect();
        projects.into_values().filter(move |project| project.has_preamble(file))
    }

    /// The configurations of a file.
    pub fn variants(&mut self, path: &str, session: &Session) -> Arc<Variants> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let variants = Arc::new(self.compute(path, &Surroundings::of(session, path)));
        self.files.insert(path.to_owned(), variants.clone());
        variants
    }

    fn compute(&mut self, path: &str, around: &Surroundings<'_>) -> Variants {
        let Surroundings { folder, settings, host, .. } = *around;
        let (path, pinned) = root::split(path);
        let parent = paths::parent(path);
        let project = parent.and_then(|parent| self.nearest(parent, around));
        let has_file = project.is_some();
        let project = project.or_else(|| self.discover(parent?, around));
        let (mut list, origins, mut in_view, covered, sets) = match &project {
            Some(project) => {
                let found = project.configurations(path);
                (found.list, found.origins, found.in_view, found.covered, found.specializations)
            }
            None => (vec![Configuration::default()], vec![Origin::default()], 0, false, Vec::new()),
        };
        let project_folder = project.as_ref().map(|project| project.folder());
        let mut allowed = around.allowed(parent);
        if has_file {
            allowed.extend(project_folder.map(str::to_owned));
        }
        let readable: Option<Arc<[String]>> = reach::readable(allowed, &Links(host)).map(Arc::from);
        let of_user = settings.device.is_some() || self.chosen.device().is_some();
        let base = if settings.device.is_some() { folder } else { project_folder };
        let mut profiles: FxHashMap<String, Result<Option<Arc<DeviceProfile>>, ()>> = FxHashMap::default();
        for configuration in &mut list {
            settings.apply(configuration, folder);
            configuration.guess_unless(covered);
            if let (Some(given), Some((file, _))) = (around.given.get(path), embedded::split(path)) {
                given.options.apply(configuration, file, &|path| host.stamp(path).is_some());
            }
            configuration.readable.clone_from(&readable);
            if let Some(device) = self.chosen.device() {
                configuration.device = Some(device).filter(|device| *device != NO_DEVICE).map(str::to_owned);
            }
            let reach = Reach::new(readable.as_deref().filter(|_| !of_user));
            self.find_device(configuration, base.unwrap_or_default(), reach, host, &mut profiles);
        }
        let chosen = &self.chosen;
        let wanted = chosen.configuration(path);
        let named = |name: &String| list.iter().position(|one| one.name == *name);
        if let Some(index) = wanted
            .and_then(named)
            .or_else(|| chosen.for_headers(path).and_then(named))
            .or_else(|| settings.configuration.as_ref().and_then(named))
        {
            in_view = index;
        }
        let mut origins = origins;
        if let Some(index) = pinned.and_then(|name| list.iter().position(|one| one.name == name)) {
            // Checked for a header's sake: nothing is to be said of the others.
            (list, origins, in_view) = (vec![list.swap_remove(index)], vec![origins.swap_remove(index)], 0);
        }
        let specialization = self.specialization(path, &sets, list.get(in_view), around);
        if let Some((_, values)) = &specialization {
            list.iter_mut().for_each(|configuration| configuration.specialize(values));
        }
        let file = project.filter(|_| has_file).map(|project| format!("{}/{FILE_NAME}", project.folder()));
        let list = list.into_iter().map(Arc::new).collect();
        Variants { list, origins, in_view, project: file, sets, specialization }
    }

    /// The specialization that was chosen for a shader, where there is such a thing, with its values.
    fn specialization(
        &mut self,
        path: &str,
        sets: &[SpecializationSet],
        configuration: Option<&Configuration>,
        around: &Surroundings<'_>,
    ) -> Option<(Specialization, Vec<Given>)> {
        let chosen = self.chosen.specialization(path)?.clone();
        let recipe = coopmat_recipe::beside(path);
        if chosen == Specialization::OfRecipe {
            self.stamps.insert(recipe.clone(), around.host.stamp(&recipe));
        }
        let loader = Loader::new(around.documents, around.host, path, configuration?);
        let values = match chosen.values(sets, &recipe, &loader) {
            Ok(values) => values?,
            Err(message) => {
                if self.complained.insert(message.clone()) {
                    self.messages.push(message);
                }
                return None;
            }
        };
        Some((chosen, values))
    }

    /// Reads a device's profile once for all configurations that name it.
    fn find_device(
        &mut self,
        configuration: &mut Configuration,
        base: &str,
        reach: Reach<'_>,
        host: &dyn Host,
        profiles: &mut FxHashMap<String, Result<Option<Arc<DeviceProfile>>, ()>>,
    ) {
        let Some(device) = configuration.device.clone() else { return };
        match profiles.get(&device) {
            Some(Ok(profile)) => configuration.profile.clone_from(profile),
            Some(Err(())) => configuration.device = None,
            None => {
                if device.ends_with(".json") {
                    let path = join_path(base, &device.replace('\\', "/"));
                    if reach.holds(&path).is_ok() {
                        self.stamps.insert(path.clone(), host.stamp(&path));
                    }
                }
                let found = resolve_device(configuration, base, |path: &str| {
                    let real =
                        reach.admit(path, &Links(host)).map_err(|refusal| reach.explain(path, refusal))?;
                    Ok(real.and_then(|real| host.read(&real)))
                });
                let profile = configuration.profile.clone();
                profiles.insert(device, found.as_ref().map(|()| profile).map_err(|_| ()));
                if let Err(message) = found
                    && self.complained.insert(message.clone())
                {
                    self.messages.push(message);
                }
            }
        }
    }

    /// Whether the project wants a file passed over where it is not opened or named.
    pub fn ignores(&mut self, path: &str, session: &Session) -> bool {
        let around = Surroundings::of(session, path);
        let project = paths::parent(path).and_then(|folder| self.nearest(folder, &around));
        project.is_some_and(|project| project.ignores(path))
    }

    fn nearest(&mut self, folder: &str, around: &Surroundings<'_>) -> Option<Arc<Project>> {
        if let Some(known) = self.projects.get(folder) {
            return known.clone();
        }
        let path = format!("{folder}/{FILE_NAME}");
        let stamp = around.host.stamp(&path);
        // Also where there is none: writing one changes what holds.
        self.stamps.insert(path.clone(), stamp);
        let text = stamp.and_then(|_| {
            let mut allowed = around.allowed(Some(folder));
            allowed.push(folder.to_owned());
            let place = Links(around.host);
            let readable = reach::readable(allowed, &place);
            let reach = Reach::new(readable.as_deref());
            match reach.admit(&path, &place) {
                Ok(real) => around.host.read(&real?),
                Err(refusal) => {
                    self.messages.push(reach.explain(&path, refusal));
                    None
                }
            }
        });
        let project = match text {
            Some(text) => self.parse(&path, &text, folder, around),
            None => {
                self.good.remove(&path);
                paths::parent(folder).and_then(|parent| self.nearest(parent, around))
            }
        };
        self.projects.insert(folder.to_owned(), project.clone());
        project
    }

    /// Reads a project file. While it is broken, its previous contents apply.
    fn parse(
        &mut self,
        path: &str,
        text: &Arc<str>,
        folder: &str,
        around: &Surroundings<'_>,
    ) -> Option<Arc<Project>> {
        let (project, errors) = match Project::parse(text, folder) {
            Ok(project) => {
                self.look_for_preambles(path, text, &project, around);
                let (project, mistakes) = self.with_imports(path, text, project, around);
                (Some(Arc::new(project)), mistakes)
            }
            Err(errors) => (None, errors),
        };
        for error in errors {
            let problem =
                Problem { range: error.range, message: error.message, minor: false, imported_by: None };
            self.problem(path, text, problem);
        }
        if let Some(project) = project {
            self.good.insert(path.to_owned(), project.clone());
            return Some(project);
        }
        let before = self.good.get(path).cloned();
        let what = if before.is_some() { "its previous contents apply" } else { "none of it applies" };
        let problems = self.problems.get(path);
        let first = problems.and_then(|problems| problems.list.first()).map_or("", |first| &first.message);
        self.messages.push(format!("{path}: {first}; until this is corrected, {what}"));
        before
    }

    fn problem(&mut self, path: &str, text: &Arc<str>, problem: Problem) {
        let new = || Problems { text: text.clone(), list: Vec::new() };
        let list = &mut self.problems.entry(path.to_owned()).or_insert_with(new).list;
        // A log of another kind can be wrong in every line.
        const MOST: usize = 200;
        if list.len() < MOST && !list.contains(&problem) {
            list.push(problem);
            self.problems_changed = true;
        }
    }

    /// Tells which files are not there that a project file puts before shaders.
    fn look_for_preambles(
        &mut self,
        path: &str,
        text: &Arc<str>,
        project: &Project,
        around: &Surroundings<'_>,
    ) {
        let mut readable = around.allowed(Some(project.folder()));
        readable.push(project.folder().to_owned());
        let (place, folders) = (Links(around.host), readable);
        let readable = reach::readable(folders, &place);
        let reach = Reach::new(readable.as_deref());
        for named in project.preambles() {
            let file = join_path(project.folder(), &named.path);
            let message = match reach.admit(&file, &place) {
                Ok(_) if around.host.stamp(&file).is_some() => continue,
                Ok(_) => {
                    // It matters when it appears.
                    self.stamps.insert(file.clone(), None);
                    self.watch(file.clone());
                    format!(
                        "there is no file {file}: add it, or correct its path, which is relative to the folder of this file; until then, shaders that need it have errors"
                    )
                }
                Err(refusal) => reach.explain(&file, refusal),
            };
            self.problem(
                path,
                text,
                Problem { range: named.range, message, minor: false, imported_by: None },
            );
        }
    }

    fn with_imports(
        &mut self,
        path: &str,
        text: &Arc<str>,
        mut project: Project,
        around: &Surroundings<'_>,
    ) -> (Project, Vec<coopmat_analysis::project::ProjectError>) {
        let folders = around.allowed(None);
        for attempt in self.imports.of(&project, &folders, &OfHost(around.host)) {
            let (range, import) = (attempt.range, attempt.path);
            match attempt.result {
                Ok(loaded) => {
                    self.take_in(&import, &loaded, Some((path.to_owned(), range)));
                    project.add(&import, loaded.imported);
                }
                Err(message) => {
                    // It matters when it appears.
                    let folder = project.folder().to_owned();
                    let readable: Vec<String> = folders.iter().cloned().chain([folder]).collect();
                    if Reach::new(Some(&readable)).holds(&import).is_ok() {
                        self.stamps.insert(import.clone(), around.host.stamp(&import));
                        self.watch(import);
                    }
                    self.problem(path, text, Problem { range, message, minor: true, imported_by: None });
                }
            }
        }
        let mistakes = project.mistakes();
        (project, mistakes)
    }

    fn take_in(&mut self, import: &str, loaded: &Loaded, imported_by: Option<(String, TextRange)>) {
        self.stamps.extend(loaded.files().cloned());
        self.watch(import.to_owned());
        for error in &*loaded.errors {
            let message = error.message.clone();
            let imported_by = imported_by.clone();
            let problem = Problem { range: error.range, message, minor: true, imported_by };
            self.problem(import, &loaded.text, problem);
        }
    }

    fn watch(&mut self, path: String) {
        if !USUAL_NAMES.contains(&file_name(&path)) && self.watched.insert(path.clone()) {
            self.unwatched.push(path);
        }
    }

    /// What a build has left, where there is no project file.
    fn discover(&mut self, folder: &str, around: &Surroundings<'_>) -> Option<Arc<Project>> {
        if !around.settings.configurations.discover {
            return None;
        }
        if let Some(known) = self.discovered.get(folder) {
            return known.clone();
        }
        let workspace = around.folder.unwrap_or(folder);
        let (imports, stamps) = (&mut self.imports, &mut self.stamps);
        let mut tried = |path: &str, stamp| {
            stamps.insert(path.to_owned(), stamp);
        };
        let mut refused = |message: &str| around.host.log(LogLevel::Info, message);
        let mut tell = Tell { tried: &mut tried, refused: &mut refused };
        let allowed = around.allowed(None);
        let found = imports.discover(folder, workspace, &allowed, &OfHost(around.host), &mut tell);
        let project = found.map(|(path, loaded)| {
            self.take_in(&path, &loaded, None);
            let mut project = Project::without_file(workspace);
            project.add(&path, loaded.imported);
            Arc::new(project)
        });
        self.discovered.insert(folder.to_owned(), project.clone());
        project
    }
}
