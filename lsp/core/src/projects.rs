//! Which configuration a file is checked under: the project file's, with the client's settings laid over it.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::project::{FILE_NAME, Project};
use rustc_hash::FxHashMap;

use crate::contexts::Includes;
use crate::host::Host;
use crate::paths;
use crate::settings::Settings;
use crate::target::resolve_device;

/// What the client is asked to watch.
pub const WATCHED: &[&str] = &[
    "**/*.{comp,vert,tesc,tese,geom,frag,task,mesh,rgen,rint,rahit,rchit,rmiss,rcall}",
    "**/*.{glsl,glslh,h,hglsl,inc}",
    "**/coopmat-analyzer.toml",
];

pub fn is_project_file(path: &str) -> bool {
    path.rsplit('/').next() == Some(FILE_NAME)
}

/// The project files and configurations in force, until something changes.
#[derive(Default)]
pub struct Projects {
    /// By folder: the nearest project file up from there.
    projects: FxHashMap<String, Option<Arc<Project>>>,
    /// Project files that were read, as they were then.
    stamps: FxHashMap<String, Option<u64>>,
    configurations: FxHashMap<String, Arc<Configuration>>,
    messages: Vec<String>,
    /// What was said about devices already: every file would say it again.
    complained: Vec<String>,
}

impl Projects {
    pub fn forget(&mut self) {
        *self = Projects { messages: std::mem::take(&mut self.messages), ..Projects::default() };
    }

    /// What is wrong with project files, each told once.
    pub fn take_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.messages)
    }

    /// Whether a project file is no longer what it was.
    pub fn outdated(&self, host: &dyn Host) -> bool {
        self.stamps.iter().any(|(path, before)| host.stamp(path) != *before)
    }

    /// The configuration in view for a file. `folder` is the workspace folder that holds it.
    pub fn configuration(
        &mut self,
        path: &str,
        folder: Option<&str>,
        settings: &Settings,
        host: &dyn Host,
    ) -> Arc<Configuration> {
        if let Some(configuration) = self.configurations.get(path) {
            return configuration.clone();
        }
        let project = paths::parent(path).and_then(|folder| self.nearest(folder, host));
        let mut configuration = match &project {
            Some(project) => {
                let mut found = project.configurations(path);
                let named = |name: &String| found.list.iter().position(|one| one.name == *name);
                let index = settings.configuration.as_ref().and_then(named).unwrap_or(found.in_view);
                if index < found.list.len() {
                    found.list.swap_remove(index)
                } else {
                    Configuration::default()
                }
            }
            None => Configuration::default(),
        };
        settings.apply(&mut configuration, folder);
        let project_folder = project.as_ref().map(|project| project.folder());
        let base = if settings.device.is_some() { folder } else { project_folder };
        let read = |path: &str| host.read(path);
        if let Err(message) = resolve_device(&mut configuration, base.unwrap_or_default(), read)
            && !self.complained.contains(&message)
        {
            self.complained.push(message.clone());
            self.messages.push(message);
        }
        let configuration = Arc::new(configuration);
        self.configurations.insert(path.to_owned(), configuration.clone());
        configuration
    }

    /// Whether the project wants a file passed over where it is not opened or named.
    pub fn ignores(&mut self, path: &str, host: &dyn Host) -> bool {
        let project = paths::parent(path).and_then(|folder| self.nearest(folder, host));
        project.is_some_and(|project| project.ignores(path))
    }

    fn nearest(&mut self, folder: &str, host: &dyn Host) -> Option<Arc<Project>> {
        if let Some(known) = self.projects.get(folder) {
            return known.clone();
        }
        let path = format!("{folder}/{FILE_NAME}");
        let stamp = host.stamp(&path);
        // Also where there is none: writing one changes what holds.
        self.stamps.insert(path.clone(), stamp);
        let project = match stamp.and_then(|_| host.read(&path)) {
            Some(text) => self.parse(&path, &text, folder),
            None => paths::parent(folder).and_then(|parent| self.nearest(parent, host)),
        };
        self.projects.insert(folder.to_owned(), project.clone());
        project
    }

    fn parse(&mut self, path: &str, text: &str, folder: &str) -> Option<Arc<Project>> {
        match Project::parse(text, folder) {
            Ok(project) => Some(Arc::new(project)),
            Err(errors) => {
                self.messages.extend(errors.iter().map(|error| {
                    let before = text.get(..error.range.start().into()).unwrap_or_default();
                    format!("{path}:{}: {}", before.matches('\n').count() + 1, error.message)
                }));
                None
            }
        }
    }
}

/// Reads the include lines of files.
pub fn find_includes(files: Vec<String>, include_dirs: &[String], host: &dyn Host) -> Vec<Includes> {
    files.iter().filter_map(|path| Some(Includes::find(path, &host.read(path)?, include_dirs))).collect()
}
