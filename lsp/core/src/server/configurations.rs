//! Settings, project files and workspace folders: what the configurations are made of, and what follows when one of them changes.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use tower_lsp::ls_types::*;

use super::Server;
use crate::configuring::Told;
use crate::embedded::given::Given;
use crate::outgoing::Outgoing;
use crate::paths;
use crate::projects::Variants;

impl Server {
    pub(super) fn settings_told(&mut self, told: Told) {
        self.send(told.messages);
        if let Some(settings) = told.settings {
            self.send([Outgoing::Embedded(settings.embedded.enable)]);
            self.send([Outgoing::SpirvVal(settings.spirv_val.clone())]);
            self.session.settings = settings;
            self.configurations_changed();
        }
        if told.settled {
            self.scan_folders();
        }
    }

    pub(super) fn folders_changed(&mut self, change: WorkspaceFoldersChangeEvent) {
        let path = |folder: &WorkspaceFolder| paths::of_uri(&folder.uri).trim_end_matches('/').to_owned();
        let removed: Vec<_> = change.removed.iter().map(path).collect();
        self.session.folders.retain(|folder| !removed.contains(folder));
        for folder in change.added.iter().map(path) {
            if !self.session.folders.contains(&folder) {
                self.session.folders.push(folder.clone());
                self.scan(folder, true);
            }
        }
        self.configurations_changed();
    }

    /// Any file may have other configurations.
    pub(super) fn configurations_changed(&mut self) {
        self.projects.forget();
        self.units.make_all_stale();
        // What is wrong with project files is told about those that count for what is open.
        let mut open = self.roots.documents();
        open.extend(self.units.iter().map(|(root, _)| root.clone()));
        for path in open {
            self.variants(&path);
        }
        self.roots.configurations_changed();
    }

    /// What is known of a shader in a string is another now.
    pub(super) fn given(&mut self, path: Arc<str>, given: Option<Arc<Given>>) {
        let all = Arc::make_mut(&mut self.session.given);
        match given {
            Some(given) => drop(all.insert(path.clone(), given)),
            None => drop(all.remove(&path)),
        }
        self.projects.forget_configurations_of(&path);
        self.units.make_stale(&path);
    }

    /// All configurations of a file.
    pub(super) fn variants(&mut self, path: &str) -> Arc<Variants> {
        let variants = self.projects.variants(path, &self.session);
        self.tell_complaints();
        variants
    }

    /// The configuration in view.
    pub(super) fn configuration(&mut self, path: &str) -> Arc<Configuration> {
        self.variants(path).configuration()
    }

    pub(super) fn is_shader(&mut self, path: &str) -> bool {
        let is_shader = !self.roots.is_part(path) && self.projects.is_shader(path, &self.session);
        self.tell_complaints();
        is_shader
    }

    /// Tells what the projects complain of.
    pub(super) fn tell_complaints(&mut self) {
        for message in self.projects.take_messages() {
            self.send([self.session.complaint(message)]);
        }
    }
}
