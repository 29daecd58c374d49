//! Reads what project files import, for the server and for the command line. Nothing outside of the folders that are
//! allowed is read, whatever a project file or a log says.

use std::cell::RefCell;
use std::sync::Arc;

use coopmat_analysis::import::{self, ImportError, Imported};
use coopmat_analysis::preprocess::join_path;
use coopmat_analysis::project::Project;
use coopmat_analysis::text::TextRange;
use rustc_hash::FxHashMap;

use crate::paths;
use crate::reach::{self, Place, Reach};

/// Where files come from, and how a change of one is noticed.
pub trait Files {
    /// The log of a build, or its `compile_commands.json`.
    fn read(&self, path: &str) -> Option<Arc<str>>;

    /// A response file, which is no larger than a shader may be.
    fn read_response(&self, path: &str) -> Option<Arc<str>>;

    /// A number that changes when the file does; nothing when there is no such file.
    fn stamp(&self, path: &str) -> Option<u64>;

    /// The path with its links followed; nothing when there is no such file.
    fn real_path(&self, path: &str) -> Option<String>;
}

struct Links<'f>(&'f dyn Files);

impl Place for Links<'_> {
    fn exists(&self, path: &str) -> bool {
        self.0.stamp(path).is_some()
    }

    fn real_path(&self, path: &str) -> Option<String> {
        self.0.real_path(path)
    }
}

/// One import as it was read.
#[derive(Clone)]
pub struct Loaded {
    /// The configurations in it.
    pub imported: Arc<Imported>,
    /// What of it is left out, with ranges in `text`.
    pub errors: Arc<[ImportError]>,
    /// The text of the log or `compile_commands.json`, without those of response files.
    pub text: Arc<str>,
    /// The file and the response files that it names, as they were.
    stamps: Vec<(String, Option<u64>)>,
}

impl Loaded {
    /// Whether every file of it is as it was when it was read.
    pub fn holds(&self, files: &dyn Files) -> bool {
        self.stamps.iter().all(|(path, before)| files.stamp(path) == *before)
    }

    /// The paths that were read or looked for, with their stamps of then.
    pub fn files(&self) -> impl Iterator<Item = &(String, Option<u64>)> {
        self.stamps.iter()
    }
}

/// Who hears of a search.
pub struct Tell<'t> {
    /// A path that was looked for, and its stamp.
    pub tried: &'t mut dyn FnMut(&str, Option<u64>),
    /// Why a file that is there is not used.
    pub refused: &'t mut dyn FnMut(&str),
}

/// What was read, kept while the files stay as they are.
#[derive(Default)]
pub struct Imports {
    loaded: FxHashMap<String, Loaded>,
}

/// One import of a project file: what is in it, or why it brings nothing.
pub struct Attempt {
    /// Where the project file says so.
    pub range: TextRange,
    /// Absolute, links not followed.
    pub path: String,
    /// What was read, or a sentence about why nothing was.
    pub result: Result<Loaded, String>,
}

impl Imports {
    /// The imports of a project file, in their order. `folders`: where reading is allowed besides the project's folder.
    pub fn of(&mut self, project: &Project, folders: &[String], files: &dyn Files) -> Vec<Attempt> {
        let allowed: Vec<String> =
            std::iter::once(project.folder().to_owned()).chain(folders.iter().cloned()).collect();
        let attempts = project.imports().iter().map(|import| {
            let path = join_path(project.folder(), &import.path.replace('\\', "/"));
            let result = self.load(&path, &allowed, files);
            Attempt { range: import.range, path, result }
        });
        attempts.collect()
    }

    /// Reads one file.
    ///
    /// # Errors
    /// That it is not there, or lies where nothing is to be read.
    pub fn load(&mut self, path: &str, allowed: &[String], files: &dyn Files) -> Result<Loaded, String> {
        let place = Links(files);
        let readable = reach::readable(allowed.to_vec(), &place);
        let reach = Reach::new(readable.as_deref());
        let real = reach.admit(path, &place).map_err(|refusal| reach.explain(path, refusal))?;
        if let Some(known) = self.loaded.get(path).filter(|known| known.holds(files)) {
            return Ok(known.clone());
        }
        let stamp = files.stamp(path);
        let Some(text) = real.and_then(|real| files.read(&real)) else {
            return Err(format!("cannot read `{path}`: build the project first, or correct the path"));
        };
        let stamps = RefCell::new(vec![(path.to_owned(), stamp)]);
        let read = |path: &str, _: Option<&str>| {
            let real = reach.admit(path, &place).map_err(|refusal| reach.explain(path, refusal))?;
            stamps.borrow_mut().push((path.to_owned(), files.stamp(path)));
            real.and_then(|real| files.read_response(&real)).ok_or_else(|| "it cannot be read".to_owned())
        };
        let (imported, errors) = import::read(&text, path, &read);
        let loaded =
            Loaded { imported: Arc::new(imported), errors: errors.into(), text, stamps: stamps.into_inner() };
        self.loaded.insert(path.to_owned(), loaded.clone());
        Ok(loaded)
    }

    /// The usual files in which a build leaves its calls, up from a folder to the one that holds the workspace: the first that
    /// has shaders in it. Paths that were tried go into `tried`: when one appears, something changes. `folders`: where reading is allowed besides
    /// the workspace; files that lie elsewhere are told of.
    pub fn discover(
        &mut self,
        folder: &str,
        workspace: &str,
        folders: &[String],
        files: &dyn Files,
        tell: &mut Tell<'_>,
    ) -> Option<(String, Loaded)> {
        let allowed: Vec<String> =
            std::iter::once(workspace.to_owned()).chain(folders.iter().cloned()).collect();
        let mut at = folder;
        loop {
            for place in ["", "build/"] {
                for name in import::USUAL_NAMES {
                    let path = format!("{at}/{place}{name}");
                    let stamp = files.stamp(&path);
                    (tell.tried)(&path, stamp);
                    if stamp.is_none() {
                        continue;
                    }
                    match self.load(&path, &allowed, files) {
                        Ok(loaded) if !loaded.imported.variants().is_empty() => return Some((path, loaded)),
                        Ok(_) => {}
                        Err(message) => (tell.refused)(&message),
                    }
                }
            }
            if at == workspace || !paths::is_inside(at, workspace) {
                return None;
            }
            at = paths::parent(at)?;
        }
    }
}
