//! The files of a page: a map in memory. Paths are absolute, as everywhere in the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use coopmat_analysis::sources::FileLoader;

/// The folder of the page's files, as `src/language/workspace.ts` has it.
pub const FOLDER: &str = "/playground";

/// The path of a file of the page.
pub fn path_of(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

/// What the page calls a file.
pub fn name_of(path: &str) -> &str {
    path.strip_prefix(FOLDER).and_then(|name| name.strip_prefix('/')).unwrap_or(path)
}

#[derive(Default)]
pub struct Files(Mutex<BTreeMap<String, (Arc<str>, u64)>>);

impl Files {
    fn with<T>(&self, act: impl FnOnce(&mut BTreeMap<String, (Arc<str>, u64)>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn put(&self, path: String, text: &str) {
        self.with(|files| {
            let stamp = files.get(&path).map_or(0, |(_, stamp)| stamp + 1);
            files.insert(path, (text.into(), stamp));
        });
    }

    pub fn remove(&self, path: &str) {
        self.with(|files| files.remove(path));
    }

    pub fn clear(&self) {
        self.with(BTreeMap::clear);
    }

    pub fn text(&self, path: &str) -> Option<Arc<str>> {
        self.with(|files| files.get(path).map(|(text, _)| text.clone()))
    }

    pub fn stamp(&self, path: &str) -> Option<u64> {
        self.with(|files| files.get(path).map(|(_, stamp)| *stamp))
    }

    /// Everything in a folder, and in those below it when `deep`.
    pub fn under(&self, folder: &str, deep: bool) -> Vec<String> {
        let folder = folder.trim_end_matches('/');
        let inside = |path: &str| {
            let rest = path.strip_prefix(folder)?.strip_prefix('/')?;
            (deep || !rest.contains('/')).then_some(())
        };
        self.with(|files| files.keys().filter(|path| inside(path).is_some()).cloned().collect())
    }
}

impl FileLoader for Files {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        self.text(path)
    }
}

/// What the page says to whoever holds its files, as `files`, and what recipes read beside them, as `data`.
macro_rules! takes_files {
    ($holder:ident) => {
        #[wasm_bindgen]
        impl $holder {
            #[wasm_bindgen(js_name = clearFiles)]
            pub fn clear_files(&mut self) {
                self.files.clear();
            }

            #[wasm_bindgen(js_name = putFile)]
            pub fn put_file(&mut self, name: &str, text: &str) {
                self.files.put(crate::files::path_of(name), text);
            }

            #[wasm_bindgen(js_name = removeFile)]
            pub fn remove_file(&mut self, name: &str) {
                self.files.remove(&crate::files::path_of(name));
            }

            /// A file that recipes read, by the path that they write.
            #[wasm_bindgen(js_name = putData)]
            pub fn put_data(&mut self, name: String, bytes: Vec<u8>) {
                self.data.insert(name, bytes);
            }

            #[wasm_bindgen(js_name = removeData)]
            pub fn remove_data(&mut self, name: &str) {
                self.data.remove(name);
            }
        }
    };
}

pub(crate) use takes_files;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_hold_what_lies_below_them() {
        let files = Files::default();
        files.put("/w/a.comp".to_owned(), "");
        files.put("/w/sub/b.glsl".to_owned(), "");
        files.put("/world/c.comp".to_owned(), "");
        assert_eq!(files.under("/w", true), ["/w/a.comp", "/w/sub/b.glsl"]);
        assert_eq!(files.under("/w/", false), ["/w/a.comp"]);
    }

    #[test]
    fn a_new_text_has_a_new_stamp() {
        let files = Files::default();
        files.put("/a".to_owned(), "1");
        let before = files.stamp("/a");
        files.put("/a".to_owned(), "2");
        assert_ne!(files.stamp("/a"), before);
        files.remove("/a");
        assert_eq!(files.stamp("/a"), None);
    }
}
