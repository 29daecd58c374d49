//! Files on disk: reading, and searching folders for shaders.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::UNIX_EPOCH;

use coopmat_analysis::config::{Configuration, Stage};
use coopmat_analysis::import;
use coopmat_analysis::preprocess::LARGEST_FILE;
use coopmat_analysis::sources::FileLoader;
use coopmat_server::reach::{Place, Reach};
use ignore::WalkBuilder;
use rustc_hash::FxHashMap;

/// Of a shader, a header, a project file, a recipe: what the analysis takes.
const TEXT: u64 = LARGEST_FILE as u64;
/// Of the log of a build, or its `compile_commands.json`.
const LOG: u64 = 256 << 20;
/// Of data: what a buffer of a recipe may have.
const DATA: u64 = 1 << 31;
/// Of a SPIR-V module. The largest that are known have a few MiB.
const MODULE: u64 = 32 << 20;

/// Why a file is not read, whatever it holds. Nothing but regular files is opened: reading a pipe would hang, and a device may never end. What the kernel
/// shows as files says things about the machine and the programs on it (`/proc/self/environ`), and is no shader or header either.
fn refused(path: &Path, metadata: &std::fs::Metadata, most: u64) -> Option<String> {
    if !metadata.is_file() {
        return Some("not a file".to_owned());
    }
    if metadata.len() > most {
        return Some(format!("larger than {} MiB", most >> 20));
    }
    let of_kernel = || {
        std::fs::canonicalize(path).is_ok_and(|real| real.starts_with("/proc") || real.starts_with("/sys"))
    };
    (cfg!(unix) && of_kernel()).then(|| "a kernel file".to_owned())
}

/// A file's bytes. What is opened is looked at again: another file may have taken the name.
fn limited(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let check = |metadata: &std::fs::Metadata| match refused(path, metadata, most) {
        Some(why) => Err(std::io::Error::other(why)),
        None => Ok(()),
    };
    check(&std::fs::metadata(path)?)?;
    let file = std::fs::File::open(path)?;
    let metadata = file.metadata()?;
    check(&metadata)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(metadata.len() as usize).map_err(std::io::Error::other)?;
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(std::io::Error::other(format!("larger than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

/// Whether a file is larger than any text that is read.
pub fn is_too_large(path: &str) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > TEXT)
}

/// Why a text that is there is not read.
pub fn unreadable(path: &str) -> Option<String> {
    let why = refused(Path::new(path), &std::fs::metadata(path).ok()?, TEXT)?;
    Some(format!("`{path}` is {why}"))
}

/// What a file of data holds.
pub fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    limited(path, DATA)
}

/// The bytes of a SPIR-V module, of what may be one, or of what a device has written.
pub fn module(path: &Path) -> std::io::Result<Vec<u8>> {
    limited(path, MODULE)
}

/// The path with its links followed; nothing when there is no such file.
pub fn real_path(path: &str) -> Option<String> {
    let real = std::fs::canonicalize(path).ok()?;
    real.to_str().map(crate::paths::slashes)
}

/// A file's text; bytes that are no UTF-8 become U+FFFD.
pub fn read(path: &Path) -> std::io::Result<String> {
    limited(path, TEXT).map(text_of)
}

/// A text's bytes.
pub fn text(path: &Path) -> std::io::Result<Vec<u8>> {
    limited(path, TEXT)
}

/// The log of a build.
pub fn log(path: &Path) -> std::io::Result<String> {
    limited(path, LOG).map(import::text)
}

fn text_of(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
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

impl Disk {
    /// The text of a file that the user has named, wherever it lies.
    ///
    /// # Errors
    /// Why it is not read.
    pub fn named(&self, path: &str) -> Result<Arc<str>, String> {
        self.text(path).ok_or_else(|| match read(Path::new(path)) {
            Err(error) => format!("{path}: {error}"),
            Ok(_) => format!("{path}: cannot read the file"),
        })
    }
}

/// The disk as far as a configuration reaches.
pub struct Confined<'d> {
    disk: &'d Disk,
    reach: Reach<'d>,
}

impl<'d> Confined<'d> {
    pub fn new(disk: &'d Disk, configuration: &'d Configuration) -> Confined<'d> {
        Confined { disk, reach: Reach::of(configuration) }
    }
}

impl FileLoader for Confined<'_> {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        let absolute = crate::paths::absolute(path);
        let real = self.reach.admit(&absolute, &OnDisk).ok()??;
        self.disk.text(&real)
    }

    fn refusal(&self, path: &str) -> Option<String> {
        let absolute = crate::paths::absolute(path);
        match self.reach.admit(&absolute, &OnDisk) {
            Ok(found) => unreadable(&found?),
            Err(refusal) => Some(self.reach.explain(&absolute, refusal)),
        }
    }
}

/// The disk as the place where files lie.
pub struct OnDisk;

impl Place for OnDisk {
    fn exists(&self, path: &str) -> bool {
        Path::new(path).is_file()
    }

    fn real_path(&self, path: &str) -> Option<String> {
        real_path(path)
    }
}

/// The user's own folder and those above it hold more than any project.
fn holds_home(folder: &str) -> bool {
    let home = std::env::home_dir().filter(|home| home.is_absolute() && home.parent().is_some());
    let holds = |home: &Path| home.starts_with(folder);
    Path::new(folder).parent().is_none()
        || home.is_some_and(|home| holds(&home) || home.canonicalize().is_ok_and(|home| holds(&home)))
}

/// The folder of the repository that holds a folder: the nearest with a `.git`.
pub fn repository(folder: &str) -> Option<String> {
    let mut at = Some(folder);
    while let Some(folder) = at.filter(|folder| !folder.is_empty() && !holds_home(folder)) {
        if std::fs::symlink_metadata(format!("{folder}/.git")).is_ok() {
            return Some(folder.to_owned());
        }
        at = folder.rsplit_once('/').map(|(parent, _)| parent);
    }
    None
}

/// The current folder, where somebody works in a project there.
pub fn working_folder() -> Option<String> {
    Some(crate::paths::absolute(".")).filter(|here| !holds_home(here))
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
                    "{path} and other folders {DEEPEST} levels deep in {folder} are not searched for shaders"
                )
            });
        } else if kind.is_file() && wanted(&path) {
            if found.files.len() == MOST {
                found.left_out =
                    Some(format!("{folder} has more than {MOST} shaders and headers; the rest are left out"));
                break;
            }
            found.files.push(path);
        }
    }
    found.files.sort();
    found
}

/// All files of a folder, those that ignore files leave out, too; nothing if there are too many to know them all.
pub fn everything(folder: &str) -> Option<Vec<String>> {
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(false).max_depth(Some(DEEPEST)).filter_entry(|entry| entry.file_name() != ".git");
    let files = walk.build().filter_map(Result::ok).filter(|entry| !entry.path().is_dir());
    let files: Vec<String> =
        files.filter_map(|entry| Some(entry.path().to_str()?.replace('\\', "/"))).take(MOST + 1).collect();
    (files.len() <= MOST).then_some(files)
}

/// The files that a glob names; nothing for what is no glob, or the name of a file. Quoted globs come here that no shell has looked at.
pub fn matching(path: &str) -> Option<Result<Vec<String>, String>> {
    let first = path.find(['*', '?', '[', '{'])?;
    if path == "-" || Path::new(path).exists() {
        return None;
    }
    let folder = path[..first].rfind('/').map_or(".", |end| if end == 0 { "/" } else { &path[..end] });
    let short = |found: &str| found.strip_prefix("./").unwrap_or(found).to_owned();
    let pattern = short(path);
    let search = search(folder, true, |found| fast_glob::glob_match(&pattern, short(found)));
    Some(match search.files.is_empty() {
        true => Err(format!("no file matches `{path}`")),
        false => Ok(search.files.iter().map(|found| short(found)).collect()),
    })
}

/// The folder of the nearest project file, from this folder up.
pub fn project_folder(folder: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(folder).ok()?;
    folder
        .ancestors()
        .find(|folder| folder.join(coopmat_analysis::project::FILE_NAME).is_file())
        .map(Path::to_owned)
}

pub fn is_shader(path: &str) -> bool {
    Stage::of_path(path).is_some()
}
