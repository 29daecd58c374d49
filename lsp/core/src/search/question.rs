//! What is asked of the whole workspace, and who waits for the answer.

use coopmat_ide::usages::Place;
use tower_lsp::jsonrpc::Error;
use tower_lsp::ls_types::*;

use crate::query::Reply;
use crate::running::{Link, Title};

/// What is looked for.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// What stands at these places.
    Places(Vec<Place>),
    /// What the language brings along, in the words of `usages::builtin_words`: all shaders are looked at.
    Builtin(&'static str),
}

/// What is done with it.
pub enum Purpose {
    /// Without an answer where shaders have to be looked at under more configurations than `most`.
    References {
        declarations: bool,
        most: Option<usize>,
        reply: Reply<Option<Vec<Location>>>,
    },
    Rename {
        new_name: String,
        reply: Reply<Option<WorkspaceEdit>>,
    },
    IncomingCalls {
        reply: Reply<Option<Vec<CallHierarchyIncomingCall>>>,
    },
    OutgoingCalls {
        reply: Reply<Option<Vec<CallHierarchyOutgoingCall>>>,
    },
}

impl Purpose {
    pub fn cancelled(&self) -> bool {
        match self {
            Purpose::References { reply, .. } => reply.is_canceled(),
            Purpose::Rename { reply, .. } => reply.is_canceled(),
            Purpose::IncomingCalls { reply } => reply.is_canceled(),
            Purpose::OutgoingCalls { reply } => reply.is_canceled(),
        }
    }

    /// Whether so many looks at shaders are more than the answer is worth.
    pub fn is_too_much(&self, looks: usize) -> bool {
        matches!(self, Purpose::References { most: Some(most), .. } if looks > *most)
    }

    /// Answers that it is not known.
    pub fn leave(self) {
        match self {
            Purpose::References { reply, .. } => drop(reply.send(Ok(None))),
            other => other.fail(Error::request_cancelled()),
        }
    }

    pub fn fail(self, error: Error) {
        match self {
            Purpose::References { reply, .. } => drop(reply.send(Err(error))),
            Purpose::Rename { reply, .. } => drop(reply.send(Err(error))),
            Purpose::IncomingCalls { reply } => drop(reply.send(Err(error))),
            Purpose::OutgoingCalls { reply } => drop(reply.send(Err(error))),
        }
    }
}

/// A question as the client asks it.
pub struct Question {
    pub name: String,
    pub wanted: Wanted,
    pub purpose: Purpose,
    pub link: Link,
}

/// How long searches are looked at in silence: most of them end before.
pub const TITLE: Title = Title { text: "Searching shaders", patience: 24 };
