//! Headers on the command line: which of the files that were found are parts of others, and which shaders include a header that is named.

use std::path::Path;
use std::sync::Arc;

use coopmat_analysis::config::Stage;
use coopmat_server::reach::Reach;
use coopmat_server::{IncludeIndex, Includes};
use rustc_hash::FxHashSet;

use crate::arguments::ShaderOptions;
use crate::configurations::{absolute, allowed, readable};
use crate::disk::{self, OnDisk};
use crate::paths;

/// Of the shaders that include a header so many are tried.
pub const TRIES: usize = 8;
/// And so many configurations of them, which takes about a second.
pub const MOST_CONFIGURATIONS: usize = 2_000;

/// Who includes what, of some shaders and of all that they include.
pub struct Headers(IncludeIndex);

impl Headers {
    /// Reads the include lines of the shaders of a folder, and of what these lead to within its repository, the current folder and what the
    /// command line allows: anybody may have written them.
    pub fn of(folder: &str, shaders: &[String], options: &ShaderOptions) -> Headers {
        let include_dirs = absolute(&options.include_dirs);
        let folder = format!("{}/", paths::absolute(folder).trim_end_matches('/'));
        let readable = readable(&folder, None, Vec::new(), allowed(options));
        let reach = Reach::new(readable.as_deref());
        let mut index = IncludeIndex::default();
        let mut queue: Vec<Arc<str>> = shaders.iter().map(|path| paths::absolute(path).into()).collect();
        let mut seen: FxHashSet<Arc<str>> = queue.iter().cloned().collect();
        while let Some(path) = queue.pop() {
            let Ok(Some(real)) = reach.admit(&path, &OnDisk) else { continue };
            let Ok(text) = disk::read(Path::new(&*real)) else { continue };
            let includes = Includes::find(&path, &text, &include_dirs);
            queue.extend(includes.targets.iter().filter(|target| seen.insert((*target).clone())).cloned());
            index.set(includes);
        }
        Headers(index)
    }

    /// Whether a shader by its name is a part of others: it is included, and has no entry point.
    pub fn is_part(&self, path: &str) -> bool {
        self.0.is_part(&paths::absolute(path))
    }

    /// Shaders that include a header, the nearest first, spelled as from the current folder.
    pub fn shaders_with(&self, header: &str) -> Vec<String> {
        let here = format!("{}/", paths::absolute("."));
        let roots = self.0.roots_of(&paths::absolute(header));
        let short = |root: &Arc<str>| root.strip_prefix(&here).unwrap_or(root).to_owned();
        roots.iter().take(TRIES).map(short).collect()
    }
}

/// Whether a file may be a header, by its name and its text. What is named as a header may have the `main` of the shaders that include it.
pub fn may_be_header(path: &str, text: &str) -> bool {
    match Stage::of_path(path) {
        Some(_) => !coopmat_server::has_main(text),
        None => disk::is_header(path),
    }
}
