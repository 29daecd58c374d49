//! The language server without its host. A host carries messages, gives files and runs jobs (`Host`), and polls the two
//! futures of a [`session()`]: natively on two threads, in a browser in one event loop.
//!
//! The order of things: `connection` hands each message to `backend` as it arrives; its handlers put events into one
//! channel; `server` takes them in that order, hands each to the part that owns the state, and carries out its `effects`; jobs answer requests
//! from `snapshot`s, or come back as events.

// No input ends the program: what cannot be is an error, or has an answer that harms nobody. Tests may.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![deny(missing_docs)]

mod assembly;
mod backend;
mod background;
mod capabilities;
mod choices;
mod chosen;
mod client;
mod commands;
mod compiling;
mod configuring;
mod connection;
mod documents;
mod effects;
mod element_tables;
pub mod embedded;
mod engine;
mod events;
mod features;
mod host;
mod imports;
mod in_view;
mod jobs;
mod outgoing;
mod pages;
mod paths;
pub mod performance;
mod positions;
mod project_files;
mod projects;
mod publishing;
mod query;
pub mod reach;
pub mod recipe_files;
mod reported;
mod root;
mod roots;
mod run;
mod running;
mod search;
mod server;
mod session;
mod set_up;
mod settings;
mod shapes;
mod snapshot;
mod specialization;
mod spirv;
mod target;
mod text_content;
mod units;
mod workspace;

pub use connection::{End, session};
pub use documents::text_hash;
pub use element_tables::element_tables;
pub use host::{Host, Job, LogLevel, ProjectStep, ProjectWritten, Validated};
pub use imports::{Attempt, Files, Imports, Loaded, Tell};
pub use paths::{encode as percent_encode, normalize as normalize_path};
pub use roots::{IncludeIndex, Includes, has_main};
pub use settings::is_subgroup_size;
pub use shapes::{advertised, component as matrix_component};
pub use specialization::{Given, Specialization, no_such_set};
pub use target::resolve_device;

/// The path of the module whose text a document of VS Code is, by its URI.
pub fn module_path(uri: &str) -> Option<String> {
    Some(assembly::path_of(&uri.parse().ok()?))
}

/// The `file:` URI of an absolute path.
pub fn uri_of_path(path: &str) -> Option<String> {
    paths::to_uri(path).map(|uri| uri.as_str().to_owned())
}
