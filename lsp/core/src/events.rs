//! What the server's task receives: owned messages, in the order in which the client sent them, and results of jobs.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use futures::channel::mpsc;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::ls_types::*;

use crate::choices::{
    ConfigurationList, DeviceList, DocumentParams, SetConfigurationParams, SetDeviceParams,
};
use crate::contexts::Includes;
use crate::engine::{Checked, Slim};
use crate::outgoing::Channel;
use crate::query::{Query, Reply};
use crate::search::{Looked, Purpose, Question, Search, Work};
use crate::snapshot::TextSnapshot;
use crate::spirv::follow::Compared;
use crate::spirv::listing::Listing;
use crate::workspace::ClosedCheck;

pub type Events = mpsc::UnboundedSender<Event>;

pub enum Event {
    Initialize(Box<InitializeParams>, Reply<InitializeResult>),
    Initialized,
    Opened(TextDocumentItem),
    Changed(DidChangeTextDocumentParams),
    Saved,
    Closed(Uri),
    FilesChanged(Vec<FileEvent>),
    /// `workspace/didChangeConfiguration`.
    SettingsSent(Value),
    /// The client's answer to `workspace/configuration`.
    SettingsFetched(Value),
    FoldersChanged(WorkspaceFoldersChangeEvent),
    Query(Box<dyn Query>),
    /// A question about the text alone.
    TextQuery(Box<dyn Query<TextSnapshot>>),
    /// A question about the text of a module.
    ListingQuery(Box<dyn Query<Arc<Listing>>>),
    /// The client gets the text of a module.
    SpirvSent {
        uri: Uri,
        channel: Channel,
        listing: Arc<Listing>,
    },
    /// A job has compared what is followed with a new analysis.
    SpirvCompared(Box<Compared>),
    /// What the workspace declares under a name like this.
    Symbols(String, Reply<Option<WorkspaceSymbolResponse>>),
    /// A question about the whole workspace.
    Search(Box<Question>),
    /// Calls of or from an item of the call hierarchy.
    CallSearch(Box<CallHierarchyItem>, Purpose),
    ResolveLink(Box<DocumentLink>, Reply<DocumentLink>),
    Diagnostic(DocumentDiagnosticParams, Reply<DocumentDiagnosticReportResult>),
    WorkspaceDiagnostic(WorkspaceDiagnosticParams, Reply<WorkspaceDiagnosticReportResult>),
    State(Uri, Reply<Option<DocumentState>>),
    /// `workspace/executeCommand`.
    Command(ExecuteCommandParams, Reply<Option<Value>>),
    Configurations(DocumentParams, Reply<ConfigurationList>),
    /// Nobody waits for the answer where the user was asked in a window.
    SetConfiguration(SetConfigurationParams, Option<Reply<ConfigurationList>>),
    Devices(Reply<DeviceList>),
    SetDevice(SetDeviceParams, Option<Reply<DeviceList>>),

    /// The client has had long enough to tell its settings.
    SettingsDue,
    /// Nothing has been edited for a while, if there were no more changes than these.
    Paused(u64),

    /// A job has checked a file.
    Checked {
        root: Arc<str>,
        configuration: Arc<Configuration>,
        outcome: Outcome,
    },
    /// A job has checked a file under a configuration that is not in view.
    OtherChecked {
        root: Arc<str>,
        generation: u64,
        /// In the list of the root's configurations.
        index: usize,
        found: Option<Slim>,
    },
    /// A job has searched a root's configurations for one under which it includes a header.
    Sought {
        header: Arc<str>,
        root: Arc<str>,
        name: Option<String>,
    },
    /// A job has looked for includes.
    Scanned(Vec<Includes>),
    /// A job has listed the shaders of the workspace.
    Listed(Vec<String>),
    /// A job of a search has looked at a shader.
    Looked(u64, Arc<Work>, Option<Looked>),
    /// A search goes on.
    SearchOn(Box<Search>, Purpose),
    /// A job has checked a file that is not open.
    ClosedChecked(Arc<str>, Option<Arc<ClosedCheck>>),
}

pub enum Outcome {
    Done(Box<Checked>),
    /// There is no such file.
    Missing,
    Panicked,
}

/// `coopmat-analyzer/documentState`: what the server holds of a document.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentState {
    pub uri: Uri,
    pub version: i32,
    /// FNV-1a of the text, in hexadecimal.
    pub hash: String,
    pub length: usize,
    /// The file whose analysis answers for this document: itself, or one that includes it.
    pub root: Option<Uri>,
    pub configuration: String,
}
