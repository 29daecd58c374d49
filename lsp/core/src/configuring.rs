//! Settings, project files and workspace folders: what the configurations are made of, and what follows when one of them changes.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use serde_json::Value;
use tower_lsp::ls_types::*;

use crate::host::LogLevel;
use crate::outgoing::Outgoing;
use crate::paths;
use crate::projects::{Projects, Surroundings, Variants};
use crate::server::Server;
use crate::settings::{self, Settings};

impl Server {
    /// The client has told its settings, or has had its time to.
    pub(crate) fn settings_settled(&mut self) {
        if std::mem::take(&mut self.awaiting_settings) {
            self.scan_folders();
        }
    }

    pub(crate) fn settings_sent(&mut self, value: Value) {
        // Clients that are asked for their settings send an empty notification.
        if settings::says_nothing(&value) {
            if self.client.fetch_settings {
                self.send(Outgoing::FetchSettings);
            }
        } else {
            self.settings_given(value);
        }
    }

    pub(crate) fn settings_given(&mut self, value: Value) {
        let unknown = Settings::unknown_keys(&value);
        if !unknown.is_empty() {
            self.complain(format!("coopmat-analyzer: there are no such settings: {}", unknown.join(", ")));
        }
        match Settings::read(value) {
            Ok(settings) => {
                let settings = settings.map_or_else(|| self.initial_settings.clone(), Arc::new);
                if settings != self.settings {
                    let unknown = settings.unknown_diagnostics();
                    if !unknown.is_empty() {
                        let message = format!(
                            "coopmat-analyzer: `diagnostics.disabled` names what does not exist: {}",
                            unknown.join(", ")
                        );
                        self.host.log(LogLevel::Error, &message);
                        self.send(Outgoing::ShowMessage(MessageType::WARNING, message));
                    }
                    self.settings = settings;
                    self.configurations_changed();
                }
            }
            Err(message) => {
                self.complain(format!("coopmat-analyzer: the settings are not understood: {message}"));
            }
        }
    }

    pub(crate) fn complain(&self, message: String) {
        self.host.log(LogLevel::Error, &message);
        self.send(Outgoing::ShowMessage(MessageType::ERROR, message));
    }

    pub(crate) fn configurations_changed(&mut self) {
        self.projects.forget();
        for unit in self.units.values_mut() {
            unit.stale = true;
        }
        // What is wrong with project files is told about those that count for what is open.
        let open: Vec<Arc<str>> = self.contexts.keys().chain(self.units.keys()).cloned().collect();
        for path in open {
            self.variants(&path);
        }
        for context in self.contexts.values_mut() {
            context.rejected.clear();
            context.pinned = None;
        }
    }

    /// The configuration in view.
    pub(crate) fn configuration(&mut self, path: &str) -> Arc<Configuration> {
        self.variants(path).configuration()
    }

    /// All configurations of a file.
    pub(crate) fn variants(&mut self, path: &str) -> Arc<Variants> {
        let (projects, around) = self.projects_and_surroundings(path);
        let variants = projects.variants(path, &around);
        for message in self.projects.take_messages() {
            self.complain(message);
        }
        variants
    }

    /// Whether the project wants a file passed over where it is not opened.
    pub(crate) fn ignores(&mut self, path: &str) -> bool {
        let (projects, around) = self.projects_and_surroundings(path);
        projects.ignores(path, &around)
    }

    pub(crate) fn projects_and_surroundings(&mut self, path: &str) -> (&mut Projects, Surroundings<'_>) {
        let folder =
            self.folders.iter().filter(|folder| paths::is_inside(path, folder)).max_by_key(|f| f.len());
        let around = Surroundings {
            folder: folder.map(String::as_str),
            folders: &self.folders,
            settings: &self.settings,
            host: &*self.host,
        };
        (&mut self.projects, around)
    }

    pub(crate) fn folders_changed(&mut self, change: WorkspaceFoldersChangeEvent) {
        let path = |folder: &WorkspaceFolder| paths::of_uri(&folder.uri).trim_end_matches('/').to_owned();
        let removed: Vec<_> = change.removed.iter().map(path).collect();
        self.folders.retain(|folder| !removed.contains(folder));
        for folder in change.added.iter().map(path) {
            if !self.folders.contains(&folder) {
                self.folders.push(folder.clone());
                self.scan(folder, true);
            }
        }
        self.configurations_changed();
    }
}
