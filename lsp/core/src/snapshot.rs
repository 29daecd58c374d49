//! What a request is answered from: one version of a document, and for most one analysis; all immutable.

use std::sync::Arc;

use coopmat_analysis::config::{ConstantKey, SpecializationValue};
use coopmat_analysis::text::{FileId, FilePosition, FileRange, TextRange, TextSize};
use tower_lsp::ls_types::{Position, Range};

use crate::client::ClientFeatures;
use crate::documents::{Document, Documents};
use crate::engine::{Analysis, Checked};
use crate::host::Host;
use crate::positions::{Encoding, LineTable};
use crate::settings::Settings;
use crate::spirv::summaries::Summaries;

#[derive(Clone)]
pub struct Snapshot {
    pub analysis: Arc<Analysis>,
    /// The same analysis with what was made of it.
    pub checked: Arc<Checked>,
    /// The last one without errors, where this one has some.
    pub good: Option<Arc<Checked>>,
    /// What the functions of the shader have become, for code lenses.
    pub summaries: Option<Summaries>,
    /// What was chosen for specialization constants, besides what the configuration gives.
    pub specialization: Vec<(ConstantKey, SpecializationValue)>,
    /// The document in that analysis: its root, or a header.
    pub file: FileId,
    pub document: Arc<Document>,
    /// What is open, for the client's spelling of URIs.
    pub documents: Documents,
    pub host: Arc<dyn Host>,
    /// Of the workspace.
    pub folders: Vec<String>,
    pub encoding: Encoding,
    pub settings: Arc<Settings>,
    pub client: ClientFeatures,
}

/// For questions about the text alone: they wait for no analysis, and no other file matters.
pub struct TextSnapshot {
    pub document: Arc<Document>,
    pub encoding: Encoding,
    pub settings: Arc<Settings>,
    pub client: ClientFeatures,
    /// For what is to be logged.
    pub host: Arc<dyn Host>,
}

/// What logs name when an answer fails.
pub trait OfDocument {
    fn path(&self) -> &str;
    fn text(&self) -> &str;
}

impl OfDocument for Snapshot {
    fn path(&self) -> &str {
        &self.document.path
    }

    fn text(&self) -> &str {
        &self.document.text
    }
}

impl OfDocument for TextSnapshot {
    fn path(&self) -> &str {
        &self.document.path
    }

    fn text(&self) -> &str {
        &self.document.text
    }
}

impl TextSnapshot {
    pub fn offset(&self, position: Position) -> TextSize {
        self.document.lines.text_size(&self.document.text, position, self.encoding)
    }

    pub fn range(&self, range: TextRange) -> Range {
        self.document.lines.range(&self.document.text, range, self.encoding)
    }
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
