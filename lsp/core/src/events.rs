//! What the server's task receives: owned messages, in the order in which the client sent them, and results of jobs.

use std::borrow::Cow;
use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use futures::channel::{mpsc, oneshot};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::jsonrpc::{self, Error, ErrorCode};
use tower_lsp::ls_types::*;

use crate::choices::{
    ConfigurationList, DeviceList, DocumentParams, SetConfigurationParams, SetDeviceParams,
};
use crate::contexts::Includes;
use crate::engine::{Checked, Slim};
use crate::search::{Looked, Purpose, Question, Search, Work};
use crate::snapshot::{Snapshot, TextSnapshot};
use crate::spirv::follow::{Channel, Compared};
use crate::spirv::listing::Listing;
use crate::workspace::ClosedCheck;

/// Where an answer goes. The client cancelled the request when the other end is gone.
pub type Reply<T> = oneshot::Sender<jsonrpc::Result<T>>;

/// What was asked for makes sense and cannot be had: the user reads why.
pub fn request_failed(message: impl Into<Cow<'static, str>>) -> Error {
    let code = ErrorCode::ServerError(error_codes::REQUEST_FAILED);
    Error { code, message: message.into(), data: None }
}

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

/// A question about one document that any snapshot of its current text can answer.
pub trait Query<S = Snapshot>: Send {
    fn uri(&self) -> &Uri;
    /// Whether an edit makes the question meaningless, as it does where a position is asked about.
    fn bound_to_text(&self) -> bool;
    fn cancelled(&self) -> bool;
    fn answer(self: Box<Self>, snapshot: &S);
    /// The document is not open: it was closed meanwhile, or is opened only later. Clients ask about such documents, and do no harm with it.
    fn absent(self: Box<Self>);
    fn fail(self: Box<Self>, error: Error);
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

/// What the server sends by itself. Nothing in the server waits for the client's answer.
pub enum Outgoing {
    Publish {
        uri: Uri,
        diagnostics: Vec<Diagnostic>,
        version: Option<i32>,
    },
    Register(Vec<Registration>),
    RefreshDiagnostics,
    RefreshTokens,
    RefreshInlayHints,
    RefreshCodeLenses,
    /// A virtual document has another text.
    VirtualChanged {
        uri: Uri,
        channel: Channel,
    },
    FetchSettings,
    ShowMessage(MessageType, String),
    /// Asks the user; `then` gets what was chosen, if anything was.
    Choose {
        message: String,
        choices: Vec<String>,
        then: Box<dyn FnOnce(String) + Send>,
    },
}
