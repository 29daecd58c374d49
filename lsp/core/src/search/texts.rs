//! Texts of a search: places in the client's terms.

use std::sync::Arc;

use coopmat_analysis::text::TextRange;
use coopmat_ide::usages::Place;
use rustc_hash::FxHashMap;
use tower_lsp::ls_types::{Location, Range};

use crate::documents::Documents;
use crate::host::Host;
use crate::positions::{Encoding, LineTable};

/// Turns places into the client's terms.
pub struct FileTexts<'a> {
    pub documents: &'a Documents,
    host: &'a dyn Host,
    encoding: Encoding,
    tables: FxHashMap<Arc<str>, Option<(Arc<str>, LineTable)>>,
}

impl<'a> FileTexts<'a> {
    pub fn new(documents: &'a Documents, host: &'a dyn Host, encoding: Encoding) -> FileTexts<'a> {
        FileTexts { documents, host, encoding, tables: FxHashMap::default() }
    }

    fn table(&mut self, path: &Arc<str>) -> Option<&(Arc<str>, LineTable)> {
        let (documents, host) = (self.documents, self.host);
        let load = || {
            let text = match documents.get(path) {
                Some(document) => document.text.clone(),
                None => host.read(path)?,
            };
            let table = LineTable::new(&text);
            Some((text, table))
        };
        self.tables.entry(path.clone()).or_insert_with(load).as_ref()
    }

    pub fn text(&mut self, path: &Arc<str>) -> Option<Arc<str>> {
        self.table(path).map(|(text, _)| text.clone())
    }

    pub fn range(&mut self, place: &Place) -> Option<Range> {
        let encoding = self.encoding;
        let (text, table) = self.table(&place.path)?;
        Some(table.range(text, place.range, encoding))
    }

    pub fn location(&mut self, place: &Place) -> Option<Location> {
        let uri = self.documents.uri(&place.path)?;
        Some(Location { uri, range: self.range(place)? })
    }

    /// The place of a position.
    pub fn place(&mut self, path: &Arc<str>, range: Range) -> Option<Place> {
        let encoding = self.encoding;
        let (text, table) = self.table(path)?;
        let at = |position| table.text_size(text, position, encoding);
        let (start, end) = (at(range.start), at(range.end));
        Some(Place { path: path.clone(), range: TextRange::new(start, end.max(start)) })
    }

    /// `file.glsl:12`, for messages.
    pub fn line(&mut self, place: &Place) -> String {
        let line = self.range(place).map_or(0, |range| range.start.line + 1);
        format!("{}:{line}", place.path.rsplit('/').next().unwrap_or_default())
    }
}
