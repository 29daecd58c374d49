//! The documents that the client has open, and the view of them that an analysis reads from.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::FileLoader;
use coopmat_analysis::surface::Surface;
use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::ls_types::{SemanticToken, TextDocumentContentChangeEvent, Uri};

use crate::host::Host;
use crate::paths;
use crate::positions::{Encoding, LineTable};
use crate::reach::{Place, Reach};

/// The tokens that the client of a document has, with their id.
#[derive(Debug, Default)]
pub struct LastTokens(Mutex<Option<(String, Vec<SemanticToken>)>>);

impl LastTokens {
    /// Keeps what is told now and gives what was told before.
    pub fn replace(&self, id: &str, tokens: &[SemanticToken]) -> Option<(String, Vec<SemanticToken>)> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.replace((id.to_owned(), tokens.to_vec()))
    }
}

/// An open document at one version. Immutable: an edit makes a new one.
#[derive(Debug)]
pub struct Document {
    /// As the client spells it.
    pub uri: Uri,
    pub path: Arc<str>,
    pub version: i32,
    pub text: Arc<str>,
    pub lines: LineTable,
    surface: OnceLock<Arc<Surface>>,
    /// Of an earlier version, to start from.
    surface_before: Option<Arc<Surface>>,
    /// What the client was told last, of whatever version.
    pub last_tokens: Arc<LastTokens>,
}

impl Document {
    pub fn new(uri: Uri, path: Arc<str>, version: i32, text: String) -> Document {
        let lines = LineTable::new(&text);
        Document {
            uri,
            path,
            version,
            text: text.into(),
            lines,
            surface: OnceLock::new(),
            surface_before: None,
            last_tokens: Arc::default(),
        }
    }

    /// The tree of the text as it is written, made when first asked for.
    pub fn surface(&self) -> &Arc<Surface> {
        self.surface.get_or_init(|| Arc::new(Surface::new(self.text.clone(), self.surface_before.as_deref())))
    }

    /// The document after the changes, each of which counts in the text that the one before it left.
    pub fn changed(
        &self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Document {
        let mut text = String::new();
        let mut lines = None;
        let mut started = false;
        for change in changes {
            let Some(range) = change.range else {
                text = change.text;
                lines = None;
                started = true;
                continue;
            };
            if !started {
                text = self.text.to_string();
                started = true;
            }
            let table = lines.get_or_insert_with(|| LineTable::new(&text));
            let start = table.offset(&text, range.start, encoding);
            let end = table.offset(&text, range.end, encoding).max(start);
            text.replace_range(start..end, &change.text);
            lines = None;
        }
        if !started {
            text = self.text.to_string();
        }
        Document {
            surface_before: self.surface.get().or(self.surface_before.as_ref()).cloned(),
            last_tokens: self.last_tokens.clone(),
            ..Document::new(self.uri.clone(), self.path.clone(), version, text)
        }
    }
}

/// The open documents, by path. Cheap to clone: each analysis reads from its own.
#[derive(Clone, Debug, Default)]
pub struct Documents(Arc<FxHashMap<Arc<str>, Arc<Document>>>);

impl Documents {
    pub fn get(&self, path: &str) -> Option<&Arc<Document>> {
        self.0.get(path)
    }

    pub fn insert(&mut self, document: Document) {
        Arc::make_mut(&mut self.0).insert(document.path.clone(), Arc::new(document));
    }

    pub fn remove(&mut self, path: &str) -> Option<Arc<Document>> {
        Arc::make_mut(&mut self.0).remove(path)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Document>> {
        self.0.values()
    }

    /// The URI of a path: the client's spelling where it has the document open.
    pub fn uri(&self, path: &str) -> Option<Uri> {
        self.get(path).map_or_else(|| paths::to_uri(path), |document| Some(document.uri.clone()))
    }
}

/// The host as the place where files lie.
pub struct Links<'h>(pub &'h dyn Host);

impl Place for Links<'_> {
    fn exists(&self, path: &str) -> bool {
        self.0.stamp(path).is_some()
    }

    fn real_path(&self, path: &str) -> Option<String> {
        self.0.real_path(path)
    }
}

/// Loads for one analysis: open documents before the host's files. Remembers every path that was asked for, also those
/// that do not exist, since creating them changes the answer.
pub struct Loader<'a> {
    documents: &'a Documents,
    host: &'a dyn Host,
    /// What is analysed, wherever it lies.
    root: &'a str,
    reach: Reach<'a>,
    asked: RefCell<FxHashSet<Arc<str>>>,
}

impl<'a> Loader<'a> {
    /// For the analysis of a file under a configuration, which says what may be read for it.
    pub fn new(
        documents: &'a Documents,
        host: &'a dyn Host,
        root: &'a str,
        configuration: &'a Configuration,
    ) -> Loader<'a> {
        Loader { documents, host, root, reach: Reach::of(configuration), asked: RefCell::default() }
    }

    pub fn into_asked(self) -> FxHashSet<Arc<str>> {
        self.asked.into_inner()
    }
}

impl FileLoader for Loader<'_> {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        let is_root = path == self.root;
        if !is_root {
            // Of what is refused not even the time of its last change is asked for.
            self.reach.holds(path).ok()?;
        }
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(path) {
            asked.insert(path.into());
        }
        match self.documents.get(path) {
            Some(document) => Some(document.text.clone()),
            None if is_root => self.host.read(path),
            None => self.host.read(&self.reach.admit(path, &Links(self.host)).ok()??),
        }
    }

    fn refusal(&self, path: &str) -> Option<String> {
        match self.reach.admit(path, &Links(self.host)) {
            Ok(found) => self.host.unreadable(&found?),
            Err(refusal) => Some(self.reach.explain(path, refusal)),
        }
    }
}

/// 64-bit FNV-1a: names a text in logs, and lets a client check that the server's copy is its own.
pub fn text_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use tower_lsp::ls_types::{Position, Range};

    use super::*;

    fn edit(line: u32, from: u32, to: u32, text: &str) -> TextDocumentContentChangeEvent {
        TextDocumentContentChangeEvent {
            range: Some(Range::new(Position::new(line, from), Position::new(line, to))),
            range_length: None,
            text: text.to_owned(),
        }
    }

    #[test]
    fn changes_apply_one_after_the_other() {
        let uri: Uri = "file:///x.comp".parse().unwrap();
        let document = Document::new(uri, "/x.comp".into(), 1, "one\ntwo\n".to_owned());
        let changed = document.changed(
            2,
            vec![edit(0, 0, 3, "1\n2"), edit(1, 1, 1, "!"), edit(2, 0, 9, "")],
            Encoding::Utf16,
        );
        assert_eq!(&*changed.text, "1\n2!\n\n");
        assert_eq!(changed.version, 2);

        let whole =
            TextDocumentContentChangeEvent { range: None, range_length: None, text: "new".to_owned() };
        assert_eq!(
            &*changed.changed(3, vec![edit(0, 0, 1, "x"), whole, edit(0, 3, 3, "er")], Encoding::Utf16).text,
            "newer"
        );
    }
}
