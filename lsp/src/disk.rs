//! Files on disk: reading, and searching folders for shaders.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::UNIX_EPOCH;

use coopmat_analysis::config::Stage;
use coopmat_analysis::sources::FileLoader;
use ignore::WalkBuilder;
use rustc_hash::FxHashMap;

/// Of a text: offsets have 32 bits.
const LONGEST: u64 = 1 << 30;
/// Of data: what a buffer of a recipe may have.
const LARGEST: u64 = 1 << 31;

/// A file's bytes. Nothing but regular files is opened: reading a pipe would hang, and a device may never end. What the kernel shows as files says
/// things about the machine and the programs on it (`/proc/self/environ`), and is no shader or header either.
fn limited(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(std::io::Error::other("not a file"));
    }
    if metadata.len() > most {
        return Err(std::io::Error::other(format!("larger than {most} bytes")));
    }
    if cfg!(unix)
        && std::fs::canonicalize(path).is_ok_and(|real| real.starts_with("/proc") || real.starts_with("/sys"))
    {
        return Err(std::io::Error::other("a file of the kernel's"));
    }
    std::fs::read(path)
}

/// What a file of data holds.
pub fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    limited(path, LARGEST)
}

/// The path with its links followed; nothing when there is no such file.
pub fn real_path(path: &str) -> Option<String> {
    let real = std::fs::canonicalize(path).ok()?;
    real.to_str().map(crate::paths::slashes)
}

/// A file's text; bytes that are no UTF-8 become U+FFFD.
pub fn read(path: &Path) -> std::io::Result<String> {
    let bytes = limited(path, LONGEST)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// When and how long: a number that changes when the file does.
pub fn stamp(path: &str) -> Option<u64> {
    let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let nanoseconds =
        since.as_secs().wrapping_mul(1_000_000_000).wrapping_add(u64::from(since.subsec_nanos()));
    Some(nanoseconds.rotate_left(20) ^ metadata.len())
}

/// Texts by path, each read once while it stays the same and somebody holds it.
#[derive(Default)]
pub struct Disk {
    texts: Mutex<FxHashMap<String, (u64, Weak<str>)>>,
}

impl Disk {
    pub fn text(&self, path: &str) -> Option<Arc<str>> {
        let stamp = stamp(path)?;
        let known = self.texts.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        if let Some((before, text)) = known
            && before == stamp
            && let Some(text) = text.upgrade()
        {
            return Some(text);
        }
        let text: Arc<str> = read(Path::new(path)).ok()?.into();
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.insert(path.to_owned(), (stamp, Arc::downgrade(&text)));
        Some(text)
    }
}

impl FileLoader for Disk {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        self.text(path)
    }
}

/// Extensions that headers of shaders have.
const HEADERS: &[&str] = &["glsl", "glslh", "hglsl", "h", "inc"];

pub fn is_header(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| HEADERS.contains(&extension))
}

/// Levels of folders, and files, beyond which a search ends: a home folder opened by mistake must not keep the server busy for ever.
const DEEPEST: usize = 24;
const MOST: usize = 20_000;

/// What a search found, sorted.
pub struct Found {
    pub files: Vec<String>,
    /// What was not searched, for telling.
    pub left_out: Option<String>,
}

/// The files of a folder that are wanted; ignore files (`.gitignore` and the like) are heeded. `deep`: also of the folders inside it.
pub fn search(folder: &str, deep: bool, wanted: impl Fn(&str) -> bool) -> Found {
    let mut walk = WalkBuilder::new(folder);
    walk.max_depth(Some(if deep { DEEPEST } else { 1 })).require_git(false);
    let mut found = Found { files: Vec::new(), left_out: None };
    for entry in walk.build().filter_map(Result::ok) {
        let Some(kind) = entry.file_type() else { continue };
        let Some(path) = entry.path().to_str().map(|path| path.replace('\\', "/")) else { continue };
        if kind.is_dir() && deep && entry.depth() == DEEPEST {
            found.left_out.get_or_insert_with(|| {
                format!(
                    "{path} and what else lies {DEEPEST} folders deep in {folder} is not searched for shaders"
                )
            });
        } else if kind.is_file() && wanted(&path) {
            if found.files.len() == MOST {
                found.left_out =
                    Some(format!("{folder} has more than {MOST} shaders and headers: the rest is left out"));
                break;
            }
            found.files.push(path);
        }
    }
    found.files.sort();
    found
}

pub fn is_shader(path: &str) -> bool {
    Stage::of_path(path).is_some()
}
