//! What a request is answered from: one analysis and one version of a document, both immutable.

use std::sync::Arc;

use coopmat_analysis::text::{FileId, FilePosition, FileRange};
use tower_lsp::ls_types::{Position, Range};

use crate::documents::Document;
use crate::engine::Analysis;
use crate::positions::{Encoding, LineTable};

pub struct Snapshot {
    pub analysis: Arc<Analysis>,
    /// The document in that analysis: its root, or a header.
    pub file: FileId,
    pub document: Arc<Document>,
    pub encoding: Encoding,
}

impl Snapshot {
    pub fn position(&self, position: Position) -> FilePosition {
        let offset = self.document.lines.text_size(&self.document.text, position, self.encoding);
        FilePosition { file: self.file, offset }
    }

    pub fn range(&self, range: FileRange) -> Range {
        if range.file == self.file {
            return self.document.lines.range(&self.document.text, range.range, self.encoding);
        }
        let text = &self.analysis.files()[range.file].text;
        LineTable::new(text).range(text, range.range, self.encoding)
    }
}
