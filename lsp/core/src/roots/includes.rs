//! Which file includes which, from a quick look at the text of the workspace: a header that is opened alone is checked
//! as part of a file that includes it.

use std::collections::VecDeque;
use std::sync::Arc;

use coopmat_analysis::config::Stage;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::host::Host;
use crate::paths;

/// The include lines of one file, as paths that they may mean. Conditionals are not evaluated: the analysis of a
/// candidate tells whether it really includes the header.
#[derive(Debug, PartialEq, Eq)]
pub struct Includes {
    pub path: Arc<str>,
    pub targets: Vec<Arc<str>>,
}

impl Includes {
    pub fn find(path: &str, text: &str, include_dirs: &[String]) -> Includes {
        let mut targets = Vec::new();
        for at in memchr::memmem::find_iter(text.as_bytes(), "include") {
            let Some(line_start) = text[..at].rfind('\n').map(|newline| newline + 1).or(Some(0)) else {
                continue;
            };
            if !text[line_start..at].trim().eq("#") {
                continue;
            }
            let rest = text[at + "include".len()..].trim_start_matches([' ', '\t']);
            let close = match rest.as_bytes().first() {
                Some(b'"') => '"',
                Some(b'<') => '>',
                _ => continue,
            };
            let line = rest[1..].lines().next().unwrap_or_default();
            let Some((name, _)) = line.split_once(close) else { continue };
            let folders = paths::parent(path).into_iter().chain(include_dirs.iter().map(String::as_str));
            targets.extend(folders.map(|folder| {
                Arc::from(paths::normalize(&format!("{}/{name}", folder.trim_end_matches('/'))))
            }));
        }
        Includes { path: path.into(), targets }
    }
}

/// Reads the include lines of files.
pub fn find_includes(files: Vec<String>, include_dirs: &[String], host: &dyn Host) -> Vec<Includes> {
    files.iter().filter_map(|path| Some(Includes::find(path, &host.read(path)?, include_dirs))).collect()
}

/// Include lines in both directions.
#[derive(Debug, Default)]
pub struct IncludeIndex {
    targets: FxHashMap<Arc<str>, Vec<Arc<str>>>,
    includers: FxHashMap<Arc<str>, FxHashSet<Arc<str>>>,
}

impl IncludeIndex {
    pub fn set(&mut self, includes: Includes) {
        self.remove(&includes.path);
        for target in &includes.targets {
            self.includers.entry(target.clone()).or_default().insert(includes.path.clone());
        }
        self.targets.insert(includes.path, includes.targets);
    }

    pub fn remove(&mut self, path: &str) {
        for target in self.targets.remove(path).unwrap_or_default() {
            if let Some(includers) = self.includers.get_mut(&target) {
                includers.remove(path);
            }
        }
    }

    /// Every shader that was seen.
    pub fn shaders(&self) -> Vec<Arc<str>> {
        let mut shaders: Vec<_> =
            self.targets.keys().filter(|path| Stage::of_path(path).is_some()).cloned().collect();
        shaders.sort();
        shaders
    }

    /// Shaders that include a header, directly or not: the nearest first, then by name.
    pub fn roots_of(&self, header: &str) -> Vec<Arc<str>> {
        let mut roots = Vec::new();
        let mut seen: FxHashSet<Arc<str>> = FxHashSet::default();
        let mut queue: VecDeque<Arc<str>> = VecDeque::from([Arc::from(header)]);
        while let Some(file) = queue.pop_front() {
            let mut next: Vec<_> = self.includers.get(&file).into_iter().flatten().cloned().collect();
            next.sort_by(|a, b| {
                let far = |path: &str| paths::parent(path) != paths::parent(header);
                far(a).cmp(&far(b)).then_with(|| a.cmp(b))
            });
            for includer in next {
                if seen.insert(includer.clone()) {
                    if Stage::of_path(&includer).is_some() {
                        roots.push(includer.clone());
                    }
                    queue.push_back(includer);
                }
            }
        }
        roots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn include_lines_are_found() {
        let text =
            "#include \"types.glsl\"\n  #  include <common/math.glsl>\n// #include \"no.glsl\"\nint include;";
        let includes = Includes::find("/p/a.comp", text, &["/inc/".to_owned()]);
        let targets: Vec<&str> = includes.targets.iter().map(|target| &**target).collect();
        assert_eq!(
            targets,
            ["/p/types.glsl", "/inc/types.glsl", "/p/common/math.glsl", "/inc/common/math.glsl"]
        );
    }

    #[test]
    fn roots_of_a_header_come_nearest_first() {
        let mut index = IncludeIndex::default();
        for (path, text) in [
            ("/p/base.glsl", "#include \"types.glsl\""),
            ("/p/far.comp", "#include \"base.glsl\""),
            ("/p/near.comp", "#include \"types.glsl\""),
            ("/p/types.glsl", "#include \"base.glsl\""),
        ] {
            index.set(Includes::find(path, text, &[]));
        }
        let roots: Vec<_> = index.roots_of("/p/types.glsl").iter().map(ToString::to_string).collect();
        assert_eq!(roots, ["/p/near.comp", "/p/far.comp"]);
        index.remove("/p/near.comp");
        assert_eq!(index.roots_of("/p/types.glsl").len(), 1);
    }
}
