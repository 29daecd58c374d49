//! What the server is told of a shader in a string besides its text: how it is compiled, and what to tell where it is not known whole.

use std::sync::Arc;

use coopmat_analysis::diagnostics::Code;
use rustc_hash::FxHashMap;
use tower_lsp::ls_types::Range;

use super::{Options, lacks_version};

/// By the path of the server's document.
pub type AllGiven = Arc<FxHashMap<Arc<str>, Arc<Given>>>;

/// A note in the place of what is found.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub code: &'static Code,
    pub message: String,
    /// In the client's file.
    pub range: Range,
}

#[derive(Debug, PartialEq)]
pub struct Given {
    pub options: Options,
    /// Whatever is found.
    pub always: Option<Note>,
    /// Where the version turns out to be missing.
    pub without_version: Option<Note>,
}

impl Given {
    /// What is told instead of what was found, of which the codes are given.
    pub fn instead<'c>(&self, found: impl Iterator<Item = &'c str>) -> Option<&Note> {
        let lacks = || self.without_version.as_ref().filter(|_| lacks_version(found));
        self.always.as_ref().or_else(lacks)
    }
}
