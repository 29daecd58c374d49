//! What the user is asked, and answers: the configuration in view of a shader, values of its specialization constants, and the target device. Asked for
//! and set by requests of our own, or through commands; `chosen` holds it.

use std::sync::Arc;

use coopmat_analysis::Analysis;
use coopmat_analysis::config::{Configuration, ConstantKey};
use coopmat_analysis::devices;
use coopmat_ide::specialization;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;

use crate::chosen::{Chosen, NO_DEVICE, OF_PROJECT};
use crate::documents::Documents;
use crate::projects::Variants;
use crate::reported::Reported;
use crate::root;
use crate::session::Session;
use crate::specialization::{Given, OF_RECIPE, Specialization, in_words};

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

/// `coopmat-analyzer/setFavourite`: whether a configuration is offered before others.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FavouriteParams {
    #[serde(flatten)]
    pub document: DocumentParams,
    pub name: String,
    pub favourite: bool,
}

/// `coopmat-analyzer/setSpecialization`: the name of a set, `recipe`, or values as `TM=64, TN=32`; null for what the configuration gives.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetSpecializationParams {
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
    /// Whether the user wants it offered first.
    pub favourite: bool,
    /// What it does not have in common with the others, in a line.
    pub differs: String,
    /// What is said about it, in a line: macros, target, device; what is particular to it first.
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

/// The answer to `coopmat-analyzer/specializations`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SpecializationList {
    /// The shader that the constants are of: the document, or one that includes it.
    pub root: Uri,
    /// As `coopmat-analyzer/setSpecialization` takes it; null where nothing was chosen.
    pub chosen: Option<String>,
    /// What the shader declares, as far as it is known.
    pub constants: Vec<ConstantEntry>,
    /// Sets of the project file.
    pub sets: Vec<SetEntry>,
    /// What the recipe beside the shader gives; null where there is none.
    pub recipe: Option<RecipeEntry>,
}

#[derive(Debug, Serialize)]
pub struct ConstantEntry {
    pub id: u32,
    pub name: String,
    #[serde(rename = "type")]
    pub scalar: String,
    pub default: Option<String>,
    /// What the configuration, or what was chosen, gives it.
    pub value: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct SetEntry {
    pub name: String,
    /// `TM=64, TN=32`
    pub values: String,
}

#[derive(Debug, Serialize)]
pub struct RecipeEntry {
    pub values: Option<String>,
    /// Why they are not known.
    pub error: Option<String>,
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

/// How many names a question in a window can hold.
const MOST_CHOICES: usize = 24;

fn parts(configuration: &Configuration) -> Vec<String> {
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
    parts.extend(configuration.like.map(|like| format!("like {like}")));
    let constants = configuration.specialization.iter();
    parts.extend(constants.map(|(key, value)| match key {
        ConstantKey::Id(id) => format!("constant {id} = {value}"),
        ConstantKey::Name(name) => format!("{name} = {value}"),
    }));
    parts
}

/// How many configurations have each of the parts.
fn counted(variants: &Variants) -> FxHashMap<String, usize> {
    let mut counts = FxHashMap::default();
    for part in variants.list.iter().flat_map(|one| parts(one)) {
        *counts.entry(part).or_default() += 1;
    }
    counts
}

/// The configurations of a shader. `path`: the document that they are shown for, the shader itself or a header.
pub fn list(
    path: &str,
    root: &str,
    variants: &Variants,
    chosen: &Chosen,
    session: &Session,
    reported: Reported<'_>,
) -> Result<ConfigurationList> {
    // A header may be shown under a configuration of its own.
    let pinned = reported.roots.of(path).and_then(|root| variants.named(root::split(root).1?));
    let in_view = pinned.unwrap_or(variants.in_view);
    let no_uri = || Error::invalid_params("the document has no URI to answer with");
    let unit = reported.units.get(root);
    let common = counted(variants);
    let entry = |(index, configuration): (usize, &Arc<Configuration>)| {
        let is_common = |part: &String| common.get(part) == Some(&variants.list.len());
        let (same, differs): (Vec<String>, Vec<String>) =
            parts(configuration).into_iter().partition(is_common);
        let all: Vec<String> = differs.iter().chain(&same).cloned().collect();
        let counts = match unit {
            Some(unit) if index == variants.in_view => unit.counts(),
            Some(_) => reported.background.count(root, index),
            None => None,
        };
        ConfigurationEntry {
            name: configuration.name.clone(),
            in_view: index == in_view,
            favourite: chosen.is_favourite(root, &configuration.name),
            differs: if variants.list.len() > 1 { differs.join(" ") } else { String::new() },
            summary: all.join(" "),
            device: configuration.device.clone(),
            source: source(variants, index, &session.documents),
            errors: counts.map(|(errors, _)| errors),
            warnings: counts.map(|(_, warnings)| warnings),
        }
    };
    Ok(ConfigurationList {
        root: session.documents.uri(root).ok_or_else(no_uri)?,
        in_view: variants.list.get(in_view).map_or_else(String::new, |one| one.name.clone()),
        chosen: chosen.configuration(root).is_some(),
        configurations: variants.list.iter().enumerate().map(entry).collect(),
    })
}

fn source(variants: &Variants, index: usize, documents: &Documents) -> Option<ConfigurationSource> {
    let origin = variants.origins.get(index).filter(|origin| origin.line > 0)?;
    let path = origin.import.as_deref().or(variants.project.as_deref())?;
    Some(ConfigurationSource { uri: documents.uri(path)?, line: origin.line - 1 })
}

/// The devices to choose from.
pub fn devices(chosen: &Chosen) -> DeviceList {
    let entry = |profile: &Arc<devices::DeviceProfile>| DeviceEntry {
        name: profile.name.clone(),
        title: profile.title.clone(),
    };
    DeviceList {
        chosen: chosen.device().map(str::to_owned),
        devices: devices::builtin().iter().map(entry).collect(),
    }
}

/// The device that a name means: `None` what projects say.
pub fn device_named(name: Option<&str>) -> Result<Option<String>> {
    let Some(name) = name.filter(|name| !name.is_empty()) else { return Ok(None) };
    if name != NO_DEVICE && !name.ends_with(".json") {
        devices::find(name).map_err(Error::invalid_params)?;
    }
    Ok(Some(name.to_owned()))
}

/// What may be chosen for the specialization constants of a shader. `recipe`: what the recipe beside it gives them.
pub fn specializations(
    root: &str,
    variants: &Variants,
    analysis: Option<&Analysis>,
    recipe: Option<std::result::Result<Vec<Given>, String>>,
    session: &Session,
) -> Result<SpecializationList> {
    let no_uri = || Error::invalid_params("the document has no URI to answer with");
    let configuration = variants.configuration();
    let constant = |one: specialization::Constant<'_>| ConstantEntry {
        id: one.id,
        name: one.name.to_owned(),
        scalar: one.scalar.name().to_owned(),
        default: one.default.map(|value| value.to_string()),
        // The analysis may be of the configuration before.
        value: configuration.given(Some(one.id), one.name).map(|value| value.to_string()),
    };
    Ok(SpecializationList {
        root: session.documents.uri(root).ok_or_else(no_uri)?,
        chosen: variants.specialization.as_ref().map(|(chosen, _)| chosen.to_string()),
        constants: analysis.map(specialization::constants).into_iter().flatten().map(constant).collect(),
        sets: variants
            .sets
            .iter()
            .map(|set| SetEntry { name: set.name.clone(), values: in_words(&set.values) })
            .collect(),
        recipe: recipe.map(|values| RecipeEntry {
            values: values.as_ref().ok().map(|values| in_words(values)),
            error: values.err(),
        }),
    })
}

/// The specialization that a name means: `None` what the configuration gives.
pub fn specialization_named(name: Option<&str>) -> Result<Option<Specialization>> {
    let name = name.map(str::trim).filter(|name| !name.is_empty() && *name != OF_PROJECT);
    name.map(|name| name.parse().map_err(Error::invalid_params)).transpose()
}

/// A question to the user, and the names that are offered.
pub struct Question {
    pub message: String,
    pub choices: Vec<String>,
}

/// Which configuration is to be in view. `Err`: there is nothing to choose, in words for the user.
pub fn ask_for_configuration(list: ConfigurationList) -> std::result::Result<Question, String> {
    let file = list.root.path().as_str().rsplit('/').next().unwrap_or_default().to_owned();
    let count = list.configurations.len();
    if count < 2 {
        return Err(format!("{file} has only one configuration, `{}`", list.in_view));
    }
    let names = list.configurations.into_iter().filter(|one| !one.in_view).map(|one| one.name);
    let choices: Vec<String> = names.take(MOST_CHOICES).collect();
    let mut message = format!(
        "{file} has {count} configurations, and `{}` is in view. Which one should be shown instead?",
        list.in_view
    );
    if choices.len() + 1 < count {
        message += " (Only the first ones are listed; the command takes any name as its second argument.)";
    }
    Ok(Question { message, choices })
}

/// Which values the constants of a shader are to have. `Err`: there is nothing to choose, in words for the user.
pub fn ask_for_specialization(list: &SpecializationList) -> std::result::Result<Question, String> {
    let file = list.root.path().as_str().rsplit('/').next().unwrap_or_default();
    let mut choices: Vec<String> = list.sets.iter().map(|set| set.name.clone()).collect();
    choices
        .extend(list.recipe.as_ref().and_then(|recipe| recipe.values.as_ref()).map(|_| OF_RECIPE.to_owned()));
    if choices.is_empty() {
        return Err(format!(
            "neither the project file (`specializations`) nor a recipe has values for the specialization constants of {file}; pass them as the command's second argument, such as \"TM=64, TN=64\""
        ));
    }
    choices.truncate(MOST_CHOICES);
    choices.push(OF_PROJECT.to_owned());
    let now = list
        .chosen
        .as_deref()
        .map_or("the values of the configuration".to_owned(), |name| format!("`{name}`"));
    let message =
        format!("The specialization constants of {file} have {now}. Which values should they have instead?");
    Ok(Question { message, choices })
}

/// Which device is to be the target.
pub fn ask_for_device(list: DeviceList) -> Question {
    let message = match list.chosen.as_deref() {
        Some(NO_DEVICE) => {
            "No target device is chosen. Which device should shaders be checked against?".to_owned()
        }
        Some(name) => {
            format!("The target device is `{name}`. Which device should shaders be checked against instead?")
        }
        None => {
            "The project file sets the target device. Which device should shaders be checked against instead?"
                .to_owned()
        }
    };
    let mut choices: Vec<String> = list.devices.into_iter().map(|device| device.name).collect();
    choices.truncate(MOST_CHOICES);
    choices.push(NO_DEVICE.to_owned());
    Question { message, choices }
}
