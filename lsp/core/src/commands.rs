//! `workspace/executeCommand`: what each command is given. What a command does to files it asks the client to do; what it changes
//! in the server is told by refresh requests.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{ExecuteCommandParams, Uri};

use crate::choices::{DocumentParams, SetConfigurationParams, SetDeviceParams, SetSpecializationParams};

pub const CHOOSE_CONFIGURATION: &str = "coopmat-analyzer.chooseConfiguration";
pub const CHOOSE_SPECIALIZATION: &str = "coopmat-analyzer.chooseSpecialization";
const CHOOSE_DEVICE: &str = "coopmat-analyzer.chooseDevice";

/// A command with its arguments.
pub enum Command {
    /// `[uri, name]`: puts a configuration in view; a null name is the project's own choice.
    SetConfiguration(SetConfigurationParams),
    /// `[uri]`: asks the user which one.
    AskForConfiguration(Uri),
    /// `[uri, name]`: sets values of specialization constants; a null name is the configuration's own.
    SetSpecialization(SetSpecializationParams),
    /// `[uri]`: asks the user which ones.
    AskForSpecialization(Uri),
    /// `[name]`: sets the target device of the session, as `coopmat-analyzer/setDevice` does.
    SetDevice(SetDeviceParams),
    /// Without arguments: asks the user.
    AskForDevice,
}

pub fn names() -> Vec<String> {
    // A run waits for an analysis, setting up for the user and a build: the requests' side carries them out.
    let (run, create, set_up) = (crate::run::RUN, crate::run::CREATE_RECIPE, crate::set_up::COMMAND);
    let names = [CHOOSE_CONFIGURATION, CHOOSE_SPECIALIZATION, CHOOSE_DEVICE, run, create, set_up];
    names.map(str::to_owned).to_vec()
}

impl Command {
    pub fn read(params: &ExecuteCommandParams) -> Result<Command> {
        let arguments = &params.arguments;
        match params.command.as_str() {
            CHOOSE_CONFIGURATION => {
                let uri = document(arguments)?;
                let name = argument::<Option<String>>(arguments, 1, "the name of a configuration")?;
                Ok(match name {
                    None => Command::AskForConfiguration(uri),
                    Some(name) => {
                        let document = DocumentParams::of(uri);
                        Command::SetConfiguration(SetConfigurationParams { document, name })
                    }
                })
            }
            CHOOSE_SPECIALIZATION => {
                let uri = document(arguments)?;
                let what = "the name of a set, `recipe`, or NAME=VALUE";
                let name = argument::<Option<String>>(arguments, 1, what)?;
                Ok(match name {
                    None => Command::AskForSpecialization(uri),
                    Some(name) => {
                        let document = DocumentParams::of(uri);
                        Command::SetSpecialization(SetSpecializationParams { document, name })
                    }
                })
            }
            CHOOSE_DEVICE => {
                let name = argument::<Option<String>>(arguments, 0, "the name of a device")?;
                Ok(name.map_or(Command::AskForDevice, |name| Command::SetDevice(SetDeviceParams { name })))
            }
            other => Err(Error::invalid_params(format!("there is no command `{other}`"))),
        }
    }
}

/// The argument at a place. `None`: it was left out.
fn argument<T: DeserializeOwned>(arguments: &[Value], at: usize, what: &str) -> Result<Option<T>> {
    let read = |value: &Value| {
        T::deserialize(value)
            .map_err(|error| Error::invalid_params(format!("argument {}: expected {what}: {error}", at + 1)))
    };
    arguments.get(at).map(read).transpose()
}

/// A document by its URI, or as a code lens names it.
#[derive(Deserialize)]
#[serde(untagged)]
enum DocumentArgument {
    Uri(Uri),
    Lens { uri: Uri },
}

/// The text of a module, where the first argument names a document of one.
pub fn module(arguments: &[Value]) -> Option<String> {
    arguments.first()?.get("module")?.as_str().map(str::to_owned)
}

/// The document that the first argument names, where there is one.
pub fn document_if_any(arguments: &[Value]) -> Result<Option<Uri>> {
    match arguments.first() {
        None | Some(Value::Null) => Ok(None),
        Some(_) => document(arguments).map(Some),
    }
}

/// The document that the first argument names.
pub fn document(arguments: &[Value]) -> Result<Uri> {
    let document: DocumentArgument = argument(arguments, 0, "the URI of a document")?
        .ok_or_else(|| Error::invalid_params("expected the URI of a document"))?;
    let (DocumentArgument::Uri(uri) | DocumentArgument::Lens { uri }) = document;
    Ok(uri)
}
