//! Colours, hints and lenses of a text that did not change: a client asks for them after its own edits, and has to be told
//! when something else, such as a header, a setting or the configuration, made them others.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::outgoing::Outgoing;
use crate::server::Server;

/// The version of each open document that was analysed last.
#[derive(Default)]
pub struct Analysed(FxHashMap<Arc<str>, i32>);

impl Analysed {
    pub fn forget(&mut self, path: &str) {
        self.0.remove(path);
    }
}

impl Server {
    /// The analysis of a root is fresh again.
    pub(crate) fn refresh_reading(&mut self, root: &Arc<str>) {
        let mut again = false;
        for document in self.documents.iter() {
            let in_root = self.contexts.get(&document.path).and_then(|context| context.root.as_ref());
            if in_root == Some(root) {
                let before = self.analysed.0.insert(document.path.clone(), document.version);
                again |= before == Some(document.version);
            }
        }
        if !again {
            return;
        }
        if self.client.refresh_tokens {
            self.send(Outgoing::RefreshTokens);
        }
        if self.client.refresh_inlay_hints {
            self.send(Outgoing::RefreshInlayHints);
        }
        if self.client.refresh_code_lenses {
            self.send(Outgoing::RefreshCodeLenses);
        }
    }
}
