//! `workspace/executeCommand`: one entry per command. What a command does to files it asks the client to do; what it changes
//! in the server is told by refresh requests.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{ExecuteCommandParams, Uri};

use crate::choices::{DocumentParams, SetConfigurationParams, SetDeviceParams};
use crate::server::Server;

pub const CHOOSE_CONFIGURATION: &str = "coopmat-analyzer.chooseConfiguration";

pub struct Command {
    pub name: &'static str,
    run: fn(&mut Server, &[Value]) -> Result<Option<Value>>,
}

pub const COMMANDS: &[Command] = &[
    // [uri, name?]: puts a configuration in view; without a name the user is asked, null is the project's own choice.
    Command { name: CHOOSE_CONFIGURATION, run: choose_configuration },
    // [name?]: sets the target device of the session, as `coopmat-analyzer/setDevice` does; without a name the user is asked.
    Command { name: "coopmat-analyzer.chooseDevice", run: choose_device },
];

pub fn names() -> Vec<String> {
    // `run` waits for an analysis: the requests' side carries it out.
    COMMANDS.iter().map(|command| command.name).chain([crate::run::RUN]).map(str::to_owned).collect()
}

impl Server {
    pub(crate) fn execute(&mut self, params: &ExecuteCommandParams) -> Result<Option<Value>> {
        match COMMANDS.iter().find(|command| command.name == params.command) {
            Some(command) => (command.run)(self, &params.arguments),
            None => Err(Error::invalid_params(format!("there is no command `{}`", params.command))),
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

fn answer(value: impl serde::Serialize) -> Result<Option<Value>> {
    serde_json::to_value(value).map(Some).map_err(|_| Error::internal_error())
}

/// A document by its URI, or as a code lens names it.
#[derive(Deserialize)]
#[serde(untagged)]
enum DocumentArgument {
    Uri(Uri),
    Lens { uri: Uri },
}

/// The document that the first argument names.
pub fn document(arguments: &[Value]) -> Result<Uri> {
    let document: DocumentArgument = argument(arguments, 0, "the URI of a document")?
        .ok_or_else(|| Error::invalid_params("expected the URI of a document"))?;
    let (DocumentArgument::Uri(uri) | DocumentArgument::Lens { uri }) = document;
    Ok(uri)
}

fn choose_configuration(server: &mut Server, arguments: &[Value]) -> Result<Option<Value>> {
    let uri = document(arguments)?;
    match argument::<Option<String>>(arguments, 1, "the name of a configuration")? {
        None => server.ask_for_configuration(uri).map(|()| None),
        Some(name) => {
            let document = DocumentParams::of(uri);
            answer(server.set_configuration(SetConfigurationParams { document, name })?)
        }
    }
}

fn choose_device(server: &mut Server, arguments: &[Value]) -> Result<Option<Value>> {
    match argument::<Option<String>>(arguments, 0, "the name of a device")? {
        None => {
            server.ask_for_device();
            Ok(None)
        }
        Some(name) => answer(server.set_device(SetDeviceParams { name })?),
    }
}
