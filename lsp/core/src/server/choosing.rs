//! What the user chooses, and what follows from it.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;

use super::Server;
use crate::choices::{
    self, ConfigurationList, DeviceList, DocumentParams, FavouriteParams, SetConfigurationParams,
    SetDeviceParams, SetSpecializationParams, SpecializationList,
};
use crate::chosen::Chosen;
use crate::commands::Command;
use crate::documents::Loader;
use crate::events::Event;
use crate::outgoing::Outgoing;
use crate::paths;
use crate::query::request_failed;
use crate::recipe_files;
use crate::reported::Reported;
use crate::set_up::proposal::{self, Proposal};
use crate::specialization::{Specialization, no_such_set};

impl Server {
    /// Changes what was chosen; `root`: the only shader that it matters to.
    pub(super) fn choose(&mut self, root: Option<&Arc<str>>, change: impl FnOnce(&mut Chosen)) {
        self.projects.choose(root.map(|root| &**root), change);
        match root {
            Some(root) => {
                self.units.make_stale(root);
                self.roots.configuration_changed(root);
            }
            None => self.units.make_all_stale(),
        }
    }

    /// What a client has kept of an earlier session.
    pub(super) fn restore(&mut self, kept: Value) {
        match serde_json::from_value::<Chosen>(kept) {
            Ok(kept) => self.choose(None, |chosen| *chosen = kept),
            Err(error) => {
                let message = format!("cannot read the choices that the client has saved: {error}");
                self.session.host.log(crate::host::LogLevel::Error, &message);
            }
        }
    }

    /// A recipe is another one now: shaders may have its values.
    pub(super) fn recipe_changed(&mut self, path: &str) {
        let with_recipe = self.projects.chosen().with_recipe();
        let shaders: Vec<Arc<str>> =
            with_recipe.filter(|shader| coopmat_recipe::beside(shader) == path).map(Arc::from).collect();
        for shader in shaders {
            self.choose(Some(&shader), |_| {});
        }
    }

    fn root_of(&self, params: DocumentParams) -> Result<(Arc<str>, Arc<str>)> {
        let path: Arc<str> = paths::of_uri(&params.uri()?).into();
        let root = self.roots.file_of(&path);
        Ok((path, root))
    }

    pub(super) fn configuration_list(&mut self, params: DocumentParams) -> Result<ConfigurationList> {
        let (path, root) = self.root_of(params)?;
        let variants = self.variants(&root);
        choices::list(
            &path,
            &root,
            &variants,
            self.projects.chosen(),
            &self.session,
            Reported::new(&self.units, &self.roots, &self.background),
        )
    }

    pub(super) fn set_configuration(&mut self, params: SetConfigurationParams) -> Result<ConfigurationList> {
        let uri = params.document.uri()?;
        let (_, root) = self.root_of(DocumentParams::of(uri.clone()))?;
        if let Some(name) = &params.name
            && self.variants(&root).named(name).is_none()
        {
            return Err(Error::invalid_params(format!("there is no configuration `{name}` of {root}")));
        }
        self.choose(Some(&root), |chosen| chosen.set_configuration(&root, params.name));
        self.configuration_list(DocumentParams::of(uri))
    }

    pub(super) fn configuration_named(&mut self, uri: Uri, name: &str) -> Result<Arc<Configuration>> {
        let (_, root) = self.root_of(DocumentParams::of(uri))?;
        let variants = self.variants(&root);
        let found = variants.named(name).and_then(|index| variants.list.get(index));
        found
            .cloned()
            .ok_or_else(|| Error::invalid_params(format!("there is no configuration `{name}` of {root}")))
    }

    pub(super) fn set_favourite(&mut self, params: FavouriteParams) -> Result<ConfigurationList> {
        let uri = params.document.uri()?;
        let (_, root) = self.root_of(DocumentParams::of(uri.clone()))?;
        // Nothing is looked at in another way.
        self.projects
            .choose(Some(&root), |chosen| chosen.set_favourite(&root, &params.name, params.favourite));
        self.configuration_list(DocumentParams::of(uri))
    }

    pub(super) fn device_list(&self) -> DeviceList {
        choices::devices(self.projects.chosen())
    }

    pub(super) fn set_device(&mut self, params: &SetDeviceParams) -> Result<DeviceList> {
        let device = choices::device_named(params.name.as_deref())?;
        self.choose(None, |chosen| chosen.set_device(device));
        Ok(self.device_list())
    }

    pub(super) fn specialization_list(&mut self, params: DocumentParams) -> Result<SpecializationList> {
        let (_, root) = self.root_of(params)?;
        let variants = self.variants(&root);
        let recipe = coopmat_recipe::beside(&root);
        let values = recipe_files::specialization(&recipe, &self.loader(&root, &variants.configuration()));
        let recipe = (self.session.documents.get(&recipe).is_some()
            || self.session.host.stamp(&recipe).is_some())
        .then_some(values);
        let analysis = self.units.get(&root).and_then(|unit| unit.checked.as_ref());
        let analysis = analysis.map(|checked| &*checked.analysis);
        choices::specializations(&root, &variants, analysis, recipe, &self.session)
    }

    fn loader<'s>(&'s self, root: &'s str, configuration: &'s Configuration) -> Loader<'s> {
        Loader::new(&self.session.documents, &*self.session.host, root, configuration)
    }

    pub(super) fn set_specialization(
        &mut self,
        params: SetSpecializationParams,
    ) -> Result<SpecializationList> {
        let uri = params.document.uri()?;
        let (_, root) = self.root_of(DocumentParams::of(uri.clone()))?;
        let wanted = choices::specialization_named(params.name.as_deref())?;
        if let Some(wanted) = &wanted {
            self.check_specialization(&root, wanted).map_err(Error::invalid_params)?;
        }
        self.choose(Some(&root), |chosen| chosen.set_specialization(&root, wanted));
        self.specialization_list(DocumentParams::of(uri))
    }

    /// Why a specialization cannot be chosen for a shader.
    fn check_specialization(
        &mut self,
        root: &Arc<str>,
        wanted: &Specialization,
    ) -> std::result::Result<(), String> {
        let variants = self.variants(root);
        match wanted {
            Specialization::OfRecipe => {
                let recipe = coopmat_recipe::beside(root);
                recipe_files::specialization(&recipe, &self.loader(root, &variants.configuration()))
                    .map(|_| ())
            }
            Specialization::Set(name) if variants.sets.iter().any(|set| set.name == *name) => Ok(()),
            Specialization::Set(name) => Err(no_such_set(name, &variants.sets)),
            Specialization::Values(values) => {
                let analysis = self.units.get(root).and_then(|unit| unit.checked.as_ref());
                let mistake = analysis
                    .and_then(|checked| coopmat_ide::specialization::mistake(&checked.analysis, values));
                mistake.map_or(Ok(()), Err)
            }
        }
    }

    pub(super) fn propose_set_up(&self, uri: Option<&Uri>) -> Result<Proposal> {
        let path = uri.map(paths::of_uri);
        proposal::propose(path.as_deref(), &self.session)
            .ok_or_else(|| request_failed("there is no folder to set up: open a folder, or a shader in one"))
    }

    pub(super) fn execute(&mut self, params: &ExecuteCommandParams) -> Result<Option<Value>> {
        match Command::read(params)? {
            Command::SetConfiguration(params) => answer(self.set_configuration(params)?),
            Command::AskForConfiguration(uri) => self.ask_for_configuration(uri).map(|()| None),
            Command::SetSpecialization(params) => answer(self.set_specialization(params)?),
            Command::AskForSpecialization(uri) => self.ask_for_specialization(uri).map(|()| None),
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

    fn ask_for_specialization(&mut self, uri: Uri) -> Result<()> {
        let list = self.specialization_list(DocumentParams::of(uri.clone()))?;
        match choices::ask_for_specialization(&list) {
            Ok(question) => self.ask_user(question, |name| {
                let document = DocumentParams::of(uri);
                let name = Some(name);
                Event::SetSpecialization(SetSpecializationParams { document, name }, None)
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
