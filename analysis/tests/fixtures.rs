//! The shaders in `tests/fixtures`, in which each line that is marked gets exactly what it marks.

use std::fs;
use std::path::{Path, PathBuf};

/// Every shader in a folder of `tests/fixtures` and below it, by its path from there: path and text.
pub fn of(folder: &str) -> Vec<(String, String)> {
    fn visit(folder: &Path, root: &Path, found: &mut Vec<(String, String)>) {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                visit(&path, root, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found = Vec::new();
    visit(&root.join(folder), &root, &mut found);
    assert!(!found.is_empty(), "{folder}");
    found
}

/// Fails with every shader of the folders that gets something else than it marks.
pub fn check(folders: &[&str], difference: impl Fn(&str) -> Option<String>) {
    let mut failures = String::new();
    for (name, source) in folders.iter().flat_map(|folder| of(folder)) {
        if let Some(difference) = difference(&source) {
            failures.push_str(&format!("\n{name}: {difference}"));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
