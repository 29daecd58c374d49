//! What is asked of the whole workspace, and who waits for the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use coopmat_ide::usages::Place;
use futures::channel::mpsc;
use tower_lsp::jsonrpc::Error;
use tower_lsp::ls_types::*;

use crate::query::Reply;
use crate::running::{Step, Title};

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
    References { declarations: bool, reply: Reply<Option<Vec<Location>>> },
    Rename { new_name: String, reply: Reply<Option<WorkspaceEdit>> },
    IncomingCalls { reply: Reply<Option<Vec<CallHierarchyIncomingCall>>> },
    OutgoingCalls { reply: Reply<Option<Vec<CallHierarchyOutgoingCall>>> },
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
pub const TITLE: Title = Title { text: "Searching the shaders", patience: 24 };

/// How many shaders a search has looked at, of those that it knows of; one under several configurations counts several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Far {
    pub done: usize,
    pub all: usize,
}

impl Step for Far {
    fn message(&self) -> String {
        format!("{} of {}", self.done, self.all)
    }

    fn percentage(&self) -> Option<u32> {
        (self.done * 100).checked_div(self.all).map(|percent| percent.min(100) as u32)
    }
}

/// What ties a search to the client: whether it was stopped, and who is told how far it is.
#[derive(Debug, Default)]
pub struct Link {
    pub stop: Arc<AtomicBool>,
    pub far: Option<mpsc::UnboundedSender<Far>>,
}

impl Link {
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn tell(&self, far: Far) {
        if let Some(told) = &self.far {
            let _ = told.unbounded_send(far);
        }
    }
}
