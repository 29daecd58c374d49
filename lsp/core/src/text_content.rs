//! `workspace/textDocumentContent` of LSP 3.18: the client fetches virtual documents by itself. The protocol's types at hand
//! lack it, so its capability is read from and written into the messages.

use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Id, Request, Response};

use crate::pages;
use crate::spirv::view;

pub const METHOD: &str = "workspace/textDocumentContent";

/// The text of a virtual document is another one now.
pub enum Refresh {}

impl tower_lsp::ls_types::request::Request for Refresh {
    type Params = Value;
    type Result = ();
    const METHOD: &'static str = "workspace/textDocumentContent/refresh";
}

/// The same to clients that use our own requests.
pub enum Changed {}

impl tower_lsp::ls_types::notification::Notification for Changed {
    type Params = Value;
    const METHOD: &'static str = "coopmat-analyzer/virtualDocumentChanged";
}

/// Watches for `initialize` and its answer.
#[derive(Default)]
pub struct Announcement {
    /// The request of a client that has the feature.
    initialize: Option<Id>,
}

impl Announcement {
    pub fn note(&mut self, request: &Request) {
        let offered = || request.params()?.get("capabilities")?.get("workspace")?.get("textDocumentContent");
        if request.method() == "initialize" && offered().is_some_and(Value::is_object) {
            self.initialize = request.id().cloned();
        }
    }

    /// The response as it is sent.
    pub fn complete(&mut self, response: Response) -> Response {
        if self.initialize.as_ref() != Some(response.id()) {
            return response;
        }
        self.initialize = None;
        let (id, mut body) = response.into_parts();
        if let Ok(result) = &mut body
            && let Some(capabilities) = result.get_mut("capabilities")
        {
            capabilities["workspace"]["textDocumentContent"] =
                json!({ "schemes": [pages::SCHEME, view::SCHEME] });
        }
        Response::from_parts(id, body)
    }
}
