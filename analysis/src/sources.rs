//! The files of one analysis, and the door through which the host hands them in.

use std::ops::Index;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::text::{FileId, LineIndex};

/// Gives the text of files: from disk, from open editors, from browser tabs.
///
/// Paths use `/`, whatever the host's system, and are opaque to the analysis beyond joining and normalising them.
pub trait FileLoader {
    /// The text of `path`, or `None` when there is no such file.
    fn load(&self, path: &str) -> Option<Arc<str>>;

    /// Why `path` is not read, whether or not there is such a file: a sentence about it, with what to do. Asked where nothing was
    /// found.
    fn refusal(&self, _path: &str) -> Option<String> {
        None
    }
}

/// A loader that knows no file: for sources without includes.
pub struct NoFiles;

impl FileLoader for NoFiles {
    fn load(&self, _path: &str) -> Option<Arc<str>> {
        None
    }
}

/// The files of another loader, some of them with other texts: as they would be after an edit.
pub struct Overlay<'a, L: ?Sized> {
    files: &'a L,
    changed: FxHashMap<String, Arc<str>>,
}

impl<'a, L: FileLoader + ?Sized> Overlay<'a, L> {
    /// Changed texts by their paths, spelled as the analysis asks for them ([`SourceFile::path`]).
    pub fn new(files: &'a L, changed: impl IntoIterator<Item = (String, Arc<str>)>) -> Self {
        Overlay { files, changed: changed.into_iter().collect() }
    }
}

impl<L: FileLoader + ?Sized> FileLoader for Overlay<'_, L> {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        self.changed.get(path).cloned().or_else(|| self.files.load(path))
    }

    fn refusal(&self, path: &str) -> Option<String> {
        self.files.refusal(path)
    }
}

/// A file that took part in an analysis.
#[derive(Debug)]
pub struct SourceFile {
    /// As the [`FileLoader`] was asked for it, with `/`.
    pub path: Arc<str>,
    /// The whole text, as it was handed in or loaded.
    pub text: Arc<str>,
    line_index: OnceLock<LineIndex>,
}

impl SourceFile {
    /// Made when it is first asked for.
    pub fn line_index(&self) -> &LineIndex {
        self.line_index.get_or_init(|| LineIndex::new(&self.text))
    }
}

/// The root file and every file that it includes, each held once.
#[derive(Debug, Default)]
pub struct SourceFiles {
    files: Vec<SourceFile>,
    by_path: FxHashMap<Arc<str>, FileId>,
}

impl SourceFiles {
    pub(crate) fn add(&mut self, path: &str, text: Arc<str>) -> FileId {
        if let Some(&id) = self.by_path.get(path) {
            return id;
        }
        let id = FileId(self.files.len() as u32);
        let path: Arc<str> = path.into();
        self.by_path.insert(path.clone(), id);
        self.files.push(SourceFile { path, text, line_index: OnceLock::new() });
        id
    }

    /// The file of a path, if it took part.
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// In the order in which they were first read, the root first.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(index, file)| (FileId(index as u32), file))
    }

    /// How many files took part.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether nothing was preprocessed.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl Index<FileId> for SourceFiles {
    type Output = SourceFile;

    fn index(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }
}
