//! Questions about one document as they wait for something to be answered from, and where answers go.

use std::borrow::Cow;

use futures::channel::oneshot;
use tower_lsp::jsonrpc::{self, Error, ErrorCode};
use tower_lsp::ls_types::{Uri, error_codes};

use crate::snapshot::Snapshot;

/// Where an answer goes. The client cancelled the request when the other end is gone.
pub type Reply<T> = oneshot::Sender<jsonrpc::Result<T>>;

/// What was asked for makes sense and cannot be had: the user reads why.
pub fn request_failed(message: impl Into<Cow<'static, str>>) -> Error {
    let code = ErrorCode::ServerError(error_codes::REQUEST_FAILED);
    Error { code, message: message.into(), data: None }
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
