//! What the user chooses for the session: the configuration in view of a shader, and the target device. Asked for and set by
//! requests of our own, or through commands.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::devices;
use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;

use crate::events::Event;
use crate::outgoing::Outgoing;
use crate::paths;
use crate::projects::Variants;
use crate::root;
use crate::server::Server;

/// A document, as the protocol's own requests name it or by its URI alone.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentParams {
    uri: Option<Uri>,
    text_document: Option<TextDocumentIdentifier>,
}

impl DocumentParams {
    pub fn of(uri: Uri) -> DocumentParams {
        DocumentParams { uri: Some(uri), text_document: None }
    }

    pub fn uri(self) -> Result<Uri> {
        let uri = self.uri.or_else(|| self.text_document.map(|document| document.uri));
        uri.ok_or_else(|| Error::invalid_params("expected `uri`, the document"))
    }
}

/// `coopmat-analyzer/setConfiguration`. Without a name the project's own choice is in view again.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetConfigurationParams {
    #[serde(flatten)]
    pub document: DocumentParams,
    #[serde(default)]
    pub name: Option<String>,
}

/// `coopmat-analyzer/setDevice`: a profile's name or path, `"none"` for no device, null for what the project says.
#[derive(Debug, Deserialize)]
pub struct SetDeviceParams {
    #[serde(default)]
    pub name: Option<String>,
}

/// The answer to `coopmat-analyzer/configurations`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigurationList {
    /// The shader that they are configurations of: the document, or one that includes it.
    pub root: Uri,
    pub in_view: String,
    /// Whether it was chosen in this session.
    pub chosen: bool,
    pub configurations: Vec<ConfigurationEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigurationEntry {
    pub name: String,
    pub in_view: bool,
    /// What is particular about it, in a line: macros, target, device.
    pub summary: String,
    /// The device that it is checked against.
    pub device: Option<String>,
    /// Where it is written down.
    pub source: Option<ConfigurationSource>,
    /// Of the shader and its headers; null until it has been checked.
    pub errors: Option<usize>,
    pub warnings: Option<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ConfigurationSource {
    pub uri: Uri,
    /// From 0.
    pub line: u32,
}

/// The answer to `coopmat-analyzer/devices`.
#[derive(Debug, Serialize, Deserialize)]
pub struct DeviceList {
    /// What was chosen in this session: `"none"` for no device, null where nothing was.
    pub chosen: Option<String>,
    pub devices: Vec<DeviceEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct DeviceEntry {
    pub name: String,
    pub title: String,
}

/// The device that stands for none.
const NONE: &str = "none";

/// How many names a question in a window can hold.
const MOST_CHOICES: usize = 24;

fn summary(configuration: &Configuration) -> String {
    let mut parts: Vec<String> = configuration
        .defines
        .iter()
        .map(|(name, value)| match value {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        })
        .collect();
    parts.push(configuration.target_env.to_string());
    parts.extend(configuration.device.clone());
    parts.extend(configuration.subgroup_size.map(|size| format!("subgroups of {size}")));
    let constants = configuration.specialization.iter();
    parts.extend(constants.map(|(id, value)| format!("constant {id} = {value}")));
    parts.join(" ")
}

impl Server {
    /// The file that a document is checked as part of.
    fn root_of(&self, uri: &Uri) -> Arc<str> {
        let path: Arc<str> = paths::of_uri(uri).into();
        self.key_of(&path).map_or(path, |root| root::path_of(&root))
    }

    fn key_of(&self, path: &str) -> Option<Arc<str>> {
        self.contexts.get(path).and_then(|context| context.root.clone())
    }

    pub(crate) fn configuration_list(&mut self, params: DocumentParams) -> Result<ConfigurationList> {
        let uri = params.uri()?;
        let root = self.root_of(&uri);
        let variants = self.variants(&root);
        // A header may be shown under a configuration of its own.
        let pinned = self.key_of(&paths::of_uri(&uri));
        let pinned = pinned.as_deref().and_then(|root| variants.named(root::split(root).1?));
        let in_view = pinned.unwrap_or(variants.in_view);
        let no_uri = || Error::invalid_params("the document has no URI that could be answered");
        let unit = self.units.get(&root);
        let entry = |(index, configuration): (usize, &Arc<Configuration>)| {
            let counts = match unit {
                Some(unit) if index == variants.in_view => unit.counts(),
                Some(unit) => unit.others.count(index),
                None => None,
            };
            ConfigurationEntry {
                name: configuration.name.clone(),
                in_view: index == in_view,
                summary: summary(configuration),
                device: configuration.device.clone(),
                source: self.source(&variants, index),
                errors: counts.map(|(errors, _)| errors),
                warnings: counts.map(|(_, warnings)| warnings),
            }
        };
        Ok(ConfigurationList {
            root: self.documents.uri(&root).ok_or_else(no_uri)?,
            in_view: variants.list.get(in_view).map_or_else(String::new, |one| one.name.clone()),
            chosen: self.projects.is_chosen(&root),
            configurations: variants.list.iter().enumerate().map(entry).collect(),
        })
    }

    fn source(&self, variants: &Variants, index: usize) -> Option<ConfigurationSource> {
        let origin = variants.origins.get(index).filter(|origin| origin.line > 0)?;
        let path = origin.import.as_deref().or(variants.project.as_deref())?;
        Some(ConfigurationSource { uri: self.documents.uri(path)?, line: origin.line - 1 })
    }

    pub(crate) fn set_configuration(&mut self, params: SetConfigurationParams) -> Result<ConfigurationList> {
        let uri = params.document.uri()?;
        let root = self.root_of(&uri);
        if let Some(name) = &params.name
            && self.variants(&root).named(name).is_none()
        {
            return Err(Error::invalid_params(format!("there is no configuration `{name}` of {root}")));
        }
        self.projects.choose(&root, params.name);
        self.configuration_of_changed(&root);
        self.configuration_list(DocumentParams::of(uri))
    }

    /// Another configuration of a root is in view.
    pub(crate) fn configuration_of_changed(&mut self, root: &Arc<str>) {
        if let Some(unit) = self.units.get_mut(root) {
            unit.stale = true;
        }
        // Under another configuration it may include what it did not.
        for context in self.contexts.values_mut() {
            context.rejected.remove(root);
            if context.pinned.as_ref().is_some_and(|pinned| root::split(pinned).0 == &**root) {
                context.pinned = None;
            }
        }
    }

    pub(crate) fn device_list(&self) -> DeviceList {
        let chosen = self.projects.chosen_device();
        let entry = |profile: &Arc<devices::DeviceProfile>| DeviceEntry {
            name: profile.name.clone(),
            title: profile.title.clone(),
        };
        DeviceList {
            chosen: chosen.map(|device| device.clone().unwrap_or_else(|| NONE.to_owned())),
            devices: devices::builtin().iter().map(entry).collect(),
        }
    }

    pub(crate) fn set_device(&mut self, params: SetDeviceParams) -> Result<DeviceList> {
        let device = match params.name.as_deref() {
            None | Some("") => None,
            Some(NONE) => Some(None),
            Some(name) => {
                if !name.ends_with(".json") {
                    devices::find(name).map_err(Error::invalid_params)?;
                }
                Some(Some(name.to_owned()))
            }
        };
        self.projects.choose_device(device);
        for unit in self.units.values_mut() {
            unit.stale = true;
        }
        Ok(self.device_list())
    }

    /// Asks in a window which configuration is to be in view.
    pub(crate) fn ask_for_configuration(&mut self, uri: Uri) -> Result<()> {
        let list = self.configuration_list(DocumentParams::of(uri.clone()))?;
        let file = list.root.path().as_str().rsplit('/').next().unwrap_or_default().to_owned();
        let count = list.configurations.len();
        if count < 2 {
            let message = format!("{file} has one configuration, `{}`", list.in_view);
            self.send(Outgoing::ShowMessage(MessageType::INFO, message));
            return Ok(());
        }
        let names = list.configurations.into_iter().filter(|one| !one.in_view).map(|one| one.name);
        let names: Vec<String> = names.take(MOST_CHOICES).collect();
        let mut message =
            format!("`{}` is in view of {count} configurations of {file}. Show which?", list.in_view);
        if names.len() + 1 < count {
            message += " (These are the first; the command takes any name as its second argument.)";
        }
        let events = self.events.clone();
        let then = move |name: String| {
            let document = DocumentParams::of(uri);
            let params = SetConfigurationParams { document, name: Some(name) };
            drop(events.unbounded_send(Event::SetConfiguration(params, None)));
        };
        self.send(Outgoing::Choose { message, choices: names, then: Box::new(then) });
        Ok(())
    }

    /// Asks in a window for the target device.
    pub(crate) fn ask_for_device(&mut self) {
        let list = self.device_list();
        let chosen = list.chosen.as_deref();
        let mut names: Vec<String> = list.devices.into_iter().map(|device| device.name).collect();
        names.truncate(MOST_CHOICES);
        names.push(NONE.to_owned());
        let message = match chosen {
            Some(NONE) => "No device is chosen. Check for which?".to_owned(),
            Some(name) => format!("The target device is `{name}`. Check for which?"),
            None => "The target device is what the project says. Check for which instead?".to_owned(),
        };
        let events = self.events.clone();
        let then = move |name: String| {
            drop(events.unbounded_send(Event::SetDevice(SetDeviceParams { name: Some(name) }, None)));
        };
        self.send(Outgoing::Choose { message, choices: names, then: Box::new(then) });
    }
}
