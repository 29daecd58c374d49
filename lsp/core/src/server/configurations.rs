//! Settings, project files, workspace folders and what the user chooses: what the configurations are made of, and what follows when one of
//! them changes.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;

use super::Server;
use crate::choices::{
    self, ConfigurationList, DeviceList, DocumentParams, SetConfigurationParams, SetDeviceParams,
};
use crate::commands::Command;
use crate::configuring::Told;
use crate::events::Event;
use crate::outgoing::Outgoing;
use crate::paths;
use crate::projects::Variants;
use crate::query::request_failed;
use crate::reported::Reported;
use crate::set_up::proposal::{self, Proposal};

impl Server {
    pub(super) fn settings_told(&mut self, told: Told) {
        self.send(told.messages);
        if let Some(settings) = told.settings {
            self.send([Outgoing::Embedded(settings.embedded.enable)]);
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

    /// Another configuration of a root is in view.
    pub(super) fn configuration_of_changed(&mut self, root: &Arc<str>) {
        self.units.make_stale(root);
        self.roots.configuration_changed(root);
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

    // What the user chooses.

    pub(super) fn configuration_list(&mut self, params: DocumentParams) -> Result<ConfigurationList> {
        let path: Arc<str> = paths::of_uri(&params.uri()?).into();
        let root = self.roots.file_of(&path);
        let variants = self.variants(&root);
        choices::list(
            &path,
            &root,
            &variants,
            &self.projects,
            &self.session,
            Reported::new(&self.units, &self.roots, &self.background),
        )
    }

    pub(super) fn set_configuration(&mut self, params: SetConfigurationParams) -> Result<ConfigurationList> {
        let uri = params.document.uri()?;
        let root = self.roots.file_of(&paths::of_uri(&uri).into());
        if let Some(name) = &params.name
            && self.variants(&root).named(name).is_none()
        {
            return Err(Error::invalid_params(format!("there is no configuration `{name}` of {root}")));
        }
        self.projects.choose(&root, params.name);
        self.configuration_of_changed(&root);
        self.configuration_list(DocumentParams::of(uri))
    }

    pub(super) fn device_list(&self) -> DeviceList {
        choices::devices(&self.projects)
    }

    pub(super) fn set_device(&mut self, params: &SetDeviceParams) -> Result<DeviceList> {
        let device = choices::device_named(params.name.as_deref())?;
        self.projects.choose_device(device);
        self.units.make_all_stale();
        Ok(self.device_list())
    }

    pub(super) fn propose_set_up(&self, uri: Option<&Uri>) -> Result<Proposal> {
        let path = uri.map(paths::of_uri);
        proposal::propose(path.as_deref(), &self.session)
            .ok_or_else(|| request_failed("there is no folder to set up: open one, or a shader in it"))
    }

    pub(super) fn execute(&mut self, params: &ExecuteCommandParams) -> Result<Option<Value>> {
        match Command::read(params)? {
            Command::SetConfiguration(params) => answer(self.set_configuration(params)?),
            Command::AskForConfiguration(uri) => self.ask_for_configuration(uri).map(|()| None),
            Command::SetDevice(params) => answer(self.set_device(&params)?),
            Command::AskForDevice => {
                let question = choices::ask_for_device(self.device_list());
                self.ask_user(question, |name| Event::SetDevice(SetDeviceParams { name: Some(name) }, None));
                Ok(None)
            }
        }
    }

    fn ask_for_configuration(&mut self, uri: Uri) -> Result<()> {
        let list = self.configuration_list(DocumentParams::of(uri.clone()))?;
        match choices::ask_for_configuration(list) {
            Ok(question) => self.ask_user(question, |name| {
                let document = DocumentParams::of(uri);
                Event::SetConfiguration(SetConfigurationParams { document, name: Some(name) }, None)
            }),
            Err(message) => self.send([Outgoing::ShowMessage(MessageType::INFO, message)]),
        }
        Ok(())
    }

    /// Asks in a window. What is chosen comes back as an event.
    fn ask_user(&self, question: choices::Question, chosen: impl FnOnce(String) -> Event + Send + 'static) {
        let choices::Question { message, choices } = question;
        let events = self.events.clone();
        let then = Box::new(move |name| drop(events.unbounded_send(chosen(name))));
        self.send([Outgoing::Choose { message, choices, then }]);
    }
}

fn answer(value: impl serde::Serialize) -> Result<Option<Value>> {
    serde_json::to_value(value).map(Some).map_err(|_| Error::internal_error())
}
