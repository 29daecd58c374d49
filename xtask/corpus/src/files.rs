//! A folder of text files, read once and then served from memory to many analyses at a time.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use coopmat_analysis::sources::FileLoader;

/// Files by their path below the folder, with `/` between its parts.
#[derive(Clone, Default)]
pub struct Files(HashMap<String, Arc<str>>);

impl Files {
    /// Reads the files that are directly in `folder`. Bytes that are not UTF-8 are replaced: some tests hold them on
    /// purpose.
    pub fn read(folder: &Path) -> Result<Files> {
        let mut files = HashMap::new();
        for entry in fs::read_dir(folder).with_context(|| format!("no folder {}", folder.display()))? {
            let path = entry?.path();
            if let (true, Some(name)) = (path.is_file(), path.file_name()) {
                let text = String::from_utf8_lossy(&fs::read(&path)?).into();
                files.insert(name.to_string_lossy().into_owned(), text);
            }
        }
        Ok(Files(files))
    }

    pub fn insert(&mut self, path: &str, text: &str) {
        self.0.insert(path.to_owned(), text.into());
    }

    pub fn get(&self, path: &str) -> Option<Arc<str>> {
        self.0.get(path).cloned()
    }

    /// In the order of their names.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.0.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }
}

impl FileLoader for Files {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        self.get(path.strip_prefix("./").unwrap_or(path))
    }
}
