//! What the build script reads and writes; each error names the file.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// A file of one of the data folders.
pub struct DataFile {
    /// Its name without the extension.
    pub stem: String,
    pub text: String,
}

/// A folder that cargo names by a variable of the environment.
pub fn folder(variable: &str) -> Result<PathBuf, String> {
    let folder = env::var_os(variable);
    folder.map(PathBuf::from).ok_or_else(|| format!("cargo has not set {variable}, which names a folder"))
}

/// The files of a folder whose names end in `.extension`, sorted by name.
pub fn read(folder: &Path, extension: &str) -> Result<Vec<DataFile>, String> {
    let of = |path: &Path, error: std::io::Error| format!("{}: cannot be read: {error}", path.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| of(folder, error))? {
        let path = entry.map_err(|error| of(folder, error))?.path();
        if path.extension().is_some_and(|found| found == extension) {
            paths.push(path);
        }
    }
    paths.sort();
    let files = paths.iter().map(|path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let stem =
            stem.ok_or_else(|| format!("{}: expected a name that is Unicode", path.display()))?.to_owned();
        let text = fs::read_to_string(path).map_err(|error| of(path, error))?;
        Ok(DataFile { stem, text })
    });
    files.collect()
}

/// Writes a file that the crate includes.
pub fn write(name: &str, text: &str) -> Result<(), String> {
    let path = folder("OUT_DIR")?.join(name);
    fs::write(&path, text).map_err(|error| format!("{}: cannot be written: {error}", path.display()))
}

/// "`warning` or `hint`" of a list of words, for messages.
pub fn alternatives<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
        None => "nothing".to_owned(),
    }
}
