//! What the server says of its own accord.

use serde_json::Value;
use tower_lsp::ls_types::{Diagnostic, MessageType, Registration, Uri};

use crate::host::Validated;
use crate::running::{Title, Watched};

/// How a client fetches a document, and so how it is told of a new text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// `workspace/textDocumentContent` of LSP 3.18.
    Content,
    /// Our own requests.
    Own,
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
    /// What is in view of the open documents, and what was chosen.
    InView(Value),
    /// Whether shaders in strings of other languages are looked at. Nothing goes to the client.
    Embedded(bool),
    /// Which program validates assembly text. Nothing goes to the client.
    SpirvVal(String),
    /// What it has said of a version of a document, if it is there. Nothing goes to the client.
    Validated {
        uri: String,
        version: i32,
        said: Result<Vec<Validated>, String>,
    },
    ShowMessage(MessageType, String),
    /// Tells something, with a button that sets up the project of a document.
    OfferSetUp {
        message: String,
        uri: Uri,
    },
    /// Shows how far something is, with a button that stops it.
    Progress(Title, Watched),
    /// Asks the user; `then` gets what was chosen, if anything was.
    Choose {
        message: String,
        choices: Vec<String>,
        then: Box<dyn FnOnce(String) + Send>,
    },
}
