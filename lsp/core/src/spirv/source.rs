//! Where instructions come from, in the texts that the client has now.
//!
//! A module of an older text has places in that text. They are moved over what was edited since, as long as they lie before or
//! behind it; inside it they have no place any more.

use std::cell::OnceCell;
use std::ops::Range as Indices;
use std::sync::Arc;

use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};
use rustc_hash::FxHashMap;
use tower_lsp::ls_types::{Range, Uri};

use super::module::Module;
use crate::documents::Documents;
use crate::positions::{Encoding, LineTable};

/// A file as the client has it.
struct File {
    uri: Option<Uri>,
    text: Arc<str>,
    lines: LineTable,
    /// Where the edited part begins, and where it ends in the analysed text; and the bytes that it grew by.
    edited: Option<(usize, usize, isize)>,
}

impl File {
    fn new(module: &Module, file: FileId, documents: &Documents) -> File {
        let analysed = &module.analysis.files()[file];
        let open = documents.get(&analysed.path);
        let text = open.map_or_else(|| analysed.text.clone(), |document| document.text.clone());
        let edited = (!Arc::ptr_eq(&text, &analysed.text) && text != analysed.text).then(|| {
            let (old, new) = (analysed.text.as_bytes(), text.as_bytes());
            let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
            let most = old.len().min(new.len()) - prefix;
            let suffix =
                old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
            (prefix, old.len() - suffix, new.len() as isize - old.len() as isize)
        });
        let uri = documents.uri(&analysed.path);
        File { uri, lines: LineTable::new(&text), text, edited }
    }

    /// Where a range of the analysed text is now.
    fn moved(&self, range: TextRange) -> Option<TextRange> {
        let Some((start, end, grown)) = self.edited else { return Some(range) };
        let (from, to) = (usize::from(range.start()), usize::from(range.end()));
        if to <= start {
            return Some(range);
        }
        if from < end {
            return None;
        }
        let shift = |at: usize| u32::try_from(at.checked_add_signed(grown)?).ok();
        Some(TextRange::new(TextSize::new(shift(from)?), TextSize::new(shift(to)?)))
    }
}

/// A place that an instruction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub file: FileId,
    pub range: Range,
    /// In bytes.
    pub bytes: TextRange,
    /// Where the text is spelled, when a macro wrote it.
    pub spelling: Option<(FileId, Range)>,
}

/// The places of a module's instructions.
pub struct Origins<'a> {
    module: &'a Module,
    documents: &'a Documents,
    encoding: Encoding,
    files: FxHashMap<u32, OnceCell<File>>,
}

impl<'a> Origins<'a> {
    pub fn new(module: &'a Module, documents: &'a Documents, encoding: Encoding) -> Origins<'a> {
        let count = module.analysis.files().iter().count() as u32;
        let files = (0..count).map(|number| (number, OnceCell::new())).collect();
        Origins { module, documents, encoding, files }
    }

    fn file(&self, file: FileId) -> Option<&File> {
        Some(self.files.get(&file.0)?.get_or_init(|| File::new(self.module, file, self.documents)))
    }

    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    pub fn uri(&self, file: FileId) -> Option<Uri> {
        self.file(file)?.uri.clone()
    }

    fn range(&self, place: FileRange) -> Option<(Range, TextRange)> {
        let file = self.file(place.file)?;
        let bytes = file.moved(place.range)?;
        Some((file.lines.range(&file.text, bytes, self.encoding), bytes))
    }

    /// Where an instruction comes from.
    pub fn of(&self, instruction: usize) -> Option<Origin> {
        let place = self.module.compiled.map.place(&self.module.analysis, instruction)?;
        let (range, bytes) = self.range(place.location)?;
        let spelling = place.spelling.filter(|spelling| *spelling != place.location);
        let spelling = spelling.and_then(|spelling| Some((spelling.file, self.range(spelling)?.0)));
        Some(Origin { file: place.location.file, range, bytes, spelling })
    }

    /// The text of a line (from 0), without the blanks around it.
    pub fn line(&self, file: FileId, line: u32) -> Option<&str> {
        Some(self.file(file)?.text.lines().nth(line as usize)?.trim())
    }

    pub fn path(&self, file: FileId) -> &str {
        &self.module.analysis.files()[file].path
    }

    /// Instructions with the places that they come from in a file, in the order of the module.
    pub fn in_file(&self, file: FileId) -> Vec<(usize, Origin)> {
        let all = 0..self.module.compiled.map.len();
        all.filter_map(|at| Some((at, self.of(at)?))).filter(|(_, origin)| origin.file == file).collect()
    }
}

impl Module {
    /// The number of a file by its path.
    pub fn file(&self, path: &str) -> Option<FileId> {
        self.analysis.files().find(path)
    }

    /// The function that a place lies in: its instructions.
    pub fn function_at(&self, place: FileRange) -> Option<Indices<usize>> {
        let hir = &self.analysis.module;
        let holds = |range: TextRange| {
            let found = self.analysis.file_range(range);
            found.file == place.file && found.range.contains_range(place.range)
        };
        let (_, function) = hir.functions.iter().find(|(_, one)| one.body.is_some() && holds(one.range))?;
        let ranges = coopmat_spirv::text::function_ranges(&self.compiled.module);
        ranges.into_iter().find(|range| self.compiled.map.expanded(range.start) == Some(function.name_range))
    }
}
