//! Questions about one document: how each kind is put to the server, and what is answered where the document is not open.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::Uri;

use super::Backend;
use crate::documents::text_hash;
use crate::events::Event;
use crate::host::{Host, LogLevel};
use crate::query::{Query, Reply, request_failed};
use crate::snapshot::{OfDocument, Snapshot, TextSnapshot};
use crate::spirv::listing::Listing;
use crate::spirv::view;

/// How a question is put.
struct Manner<S, R> {
    method: &'static str,
    /// Whether an edit makes the question meaningless, as it does where a position is asked about.
    bound_to_text: bool,
    /// The answer about a document that is not open.
    absent: fn() -> Result<R>,
    event: fn(Box<dyn Query<S>>) -> Event,
}

/// A question with its parameters, and where its answer goes.
struct TypedQuery<S, P, R> {
    manner: Manner<S, R>,
    uri: Uri,
    params: P,
    run: fn(&S, &P) -> R,
    reply: Reply<R>,
    host: Arc<dyn Host>,
}

impl<S: OfDocument, P: Send, R: Send> Query<S> for TypedQuery<S, P, R> {
    fn uri(&self) -> &Uri {
        &self.uri
    }

    fn bound_to_text(&self) -> bool {
        self.manner.bound_to_text
    }

    fn cancelled(&self) -> bool {
        self.reply.is_canceled()
    }

    fn answer(self: Box<Self>, snapshot: &S) {
        if self.cancelled() {
            return;
        }
        let answer = catch_unwind(AssertUnwindSafe(|| (self.run)(snapshot, &self.params)));
        let answer = answer.map_err(|_| {
            let hash = text_hash(snapshot.text());
            let (method, path) = (self.manner.method, snapshot.path());
            self.host.log(LogLevel::Error, &format!("{method} panicked in {path} (text {hash:016x})"));
            Error::internal_error()
        });
        let _ = self.reply.send(answer);
    }

    fn absent(self: Box<Self>) {
        let _ = self.reply.send((self.manner.absent)());
    }

    fn fail(self: Box<Self>, error: Error) {
        let _ = self.reply.send(Err(error));
    }
}

/// The protocol's own requests come for documents that were closed meanwhile, and editors show an error to their users: nothing is the answer.
fn nothing<R>() -> Result<Option<R>> {
    Ok(None)
}

/// Our own requests name a shader that somebody wants to see something of.
fn not_open<R>() -> Result<R> {
    Err(request_failed("the document is not open"))
}

impl Backend {
    async fn put<S: OfDocument + 'static, P: Send + 'static, R: Send + 'static>(
        &self,
        manner: Manner<S, R>,
        uri: &Uri,
        params: P,
        run: fn(&S, &P) -> R,
    ) -> Result<R> {
        let (uri, host, event) = (uri.clone(), self.host.clone(), manner.event);
        self.ask(move |reply| event(Box::new(TypedQuery { manner, uri, params, run, reply, host }))).await
    }

    /// Asks about a position in a document, or a range of it.
    pub(super) async fn query<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        uri: &Uri,
        params: P,
        run: fn(&Snapshot, &P) -> Option<R>,
    ) -> Result<Option<R>> {
        let manner = Manner { method, bound_to_text: true, absent: nothing, event: Event::Query };
        self.put(manner, uri, params, run).await
    }

    /// The same for our own requests, which need an open document.
    pub(super) async fn query_open<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        uri: &Uri,
        params: P,
        run: fn(&Snapshot, &P) -> R,
    ) -> Result<R> {
        let manner = Manner { method, bound_to_text: true, absent: not_open, event: Event::Query };
        self.put(manner, uri, params, run).await
    }

    /// One of our own requests about a whole document: an edit does not make that meaningless.
    pub(super) async fn query_whole<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        uri: &Uri,
        params: P,
        run: fn(&Snapshot, &P) -> R,
    ) -> Result<R> {
        let manner = Manner { method, bound_to_text: false, absent: not_open, event: Event::Query };
        self.put(manner, uri, params, run).await
    }

    /// Asks about the text alone, which needs no analysis.
    pub(super) async fn query_text<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        uri: &Uri,
        params: P,
        run: fn(&TextSnapshot, &P) -> Option<R>,
    ) -> Result<Option<R>> {
        let manner = Manner { method, bound_to_text: true, absent: nothing, event: Event::TextQuery };
        self.put(manner, uri, params, run).await
    }

    /// Asks about the text of a module that the client shows.
    pub(super) async fn query_listing<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        uri: &Uri,
        params: P,
        run: fn(&Arc<Listing>, &P) -> Option<R>,
    ) -> Result<Option<R>> {
        let manner = Manner { method, bound_to_text: true, absent: nothing, event: Event::ListingQuery };
        self.put(manner, uri, params, run).await
    }

    /// Asks about a shader. The text of a module, which is a document too, has no answer.
    pub(super) async fn query_shader<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        uri: &Uri,
        params: P,
        run: fn(&Snapshot, &P) -> Option<R>,
    ) -> Result<Option<R>> {
        if view::is_virtual(uri) { Ok(None) } else { self.query(method, uri, params, run).await }
    }

    /// The same of its text alone.
    pub(super) async fn query_shader_text<P: Send + 'static, R: Send + 'static>(
        &self,
        method: &'static str,
        uri: &Uri,
        params: P,
        run: fn(&TextSnapshot, &P) -> Option<R>,
    ) -> Result<Option<R>> {
        if view::is_virtual(uri) { Ok(None) } else { self.query_text(method, uri, params, run).await }
    }
}
