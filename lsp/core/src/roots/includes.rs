//! Which file includes which, from a quick look at the text of the workspace: a header that is opened alone is checked
//! as part of a file that includes it.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use coopmat_analysis::config::Stage;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::host::Host;
use crate::paths;
use crate::running::{Far, Link};

/// The include lines of one file, as paths that they may mean. Conditionals are not evaluated: the analysis of a
/// candidate tells whether it really includes the header.
#[derive(Debug, PartialEq, Eq)]
pub struct Includes {
    /// Of the file itself.
    pub path: Arc<str>,
    /// What its lines may mean: beside it, and in folders that were named.
    pub targets: Vec<Arc<str>>,
    /// Last parts of the paths as they are written: which folders a project file names for the includer is not looked up.
    names: Vec<Arc<str>>,
    /// Whether the text has an entry point, or what looks like one.
    has_main: bool,
}

impl Includes {
    /// Those of a text.
    pub fn find(path: &str, text: &str, include_dirs: &[String]) -> Includes {
        let (mut targets, mut names) = (Vec::new(), Vec::new());
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
            names.push(last_part(name).into());
            let folders = paths::parent(path).into_iter().chain(include_dirs.iter().map(String::as_str));
            targets.extend(folders.map(|folder| {
                Arc::from(paths::normalize(&format!("{}/{name}", folder.trim_end_matches('/'))))
            }));
        }
        Includes { path: path.into(), targets, names, has_main: has_main(text) }
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a text has `main (`, wherever that stands.
pub fn has_main(text: &str) -> bool {
    let is_word = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    memchr::memmem::find_iter(text.as_bytes(), "main").any(|at| {
        let before = at.checked_sub(1).and_then(|before| text.as_bytes().get(before)).copied();
        let behind = text.get(at + "main".len()..).unwrap_or_default();
        !is_word(before) && behind.trim_start().starts_with('(')
    })
}

/// Reads the include lines of files, until nobody wants them any more.
pub fn find_includes(
    files: &[String],
    include_dirs: &[String],
    host: &dyn Host,
    link: &Link,
) -> Vec<Includes> {
    let wanted = files.iter().enumerate().take_while(|_| !link.is_stopped());
    let found = wanted.filter_map(|(done, path)| {
        link.tell(Far { done, all: files.len() });
        Some(Includes::find(path, &host.read(path)?, include_dirs))
    });
    found.collect()
}

/// Which files count as those of shaders.
pub struct Listing {
    /// What shaders include, directly or not.
    reached: Arc<FxHashSet<Arc<str>>>,
}

impl Listing {
    /// Headers of C are called `.h`, too: such a file counts where a shader includes it, others by their names.
    pub fn has(&self, path: &str) -> bool {
        const OF_ANYTHING: [&str; 2] = [".h", ".inc"];
        !OF_ANYTHING.iter().any(|ending| path.ends_with(ending)) || self.reached.contains(path)
    }
}

/// Include lines in both directions.
#[derive(Debug, Default)]
pub struct IncludeIndex {
    files: FxHashMap<Arc<str>, Includes>,
    includers: FxHashMap<Arc<str>, FxHashSet<Arc<str>>>,
    /// By the last part of an included path.
    by_name: FxHashMap<Arc<str>, FxHashSet<Arc<str>>>,
    /// What shaders include, once somebody has asked.
    reached: OnceLock<Arc<FxHashSet<Arc<str>>>>,
}

impl IncludeIndex {
    /// Takes in the include lines of a file, in place of those that it had.
    pub fn set(&mut self, includes: Includes) {
        self.remove(&includes.path);
        self.reached.take();
        for target in &includes.targets {
            self.includers.entry(target.clone()).or_default().insert(includes.path.clone());
        }
        for name in &includes.names {
            self.by_name.entry(name.clone()).or_default().insert(includes.path.clone());
        }
        self.files.insert(includes.path.clone(), includes);
    }

    /// There is no such file any more.
    pub fn remove(&mut self, path: &str) {
        let Some(includes) = self.files.remove(path) else { return };
        self.reached.take();
        for target in &includes.targets {
            if let Some(includers) = self.includers.get_mut(target) {
                includers.remove(path);
            }
        }
        for name in &includes.names {
            if let Some(includers) = self.by_name.get_mut(name) {
                includers.remove(path);
            }
        }
    }

    /// Files that include another: by the path that their line means, and where none is known by its last part, which an include folder may
    /// make the same file.
    fn includers_of(&self, path: &str) -> impl Iterator<Item = &Arc<str>> {
        let exact = self.includers.get(path).filter(|includers| !includers.is_empty());
        let by_name = || self.by_name.get(last_part(path));
        exact.or_else(by_name).into_iter().flatten().filter(move |includer| ***includer != *path)
    }

    /// Whether a file is a part of others, whatever it is called: one includes it, and it has no entry point.
    pub fn is_part(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|file| !file.has_main)
            && self.includers.get(path).is_some_and(|includers| !includers.is_empty())
    }

    fn is_shader(&self, path: &str) -> bool {
        Stage::of_path(path).is_some() && !self.is_part(path)
    }

    /// Every shader that was seen.
    pub fn shaders(&self) -> Vec<Arc<str>> {
        let mut shaders: Vec<_> = self.files.keys().filter(|path| self.is_shader(path)).cloned().collect();
        shaders.sort();
        shaders
    }

    /// Which files count as those of shaders, as far as is known.
    pub fn listing(&self) -> Listing {
        Listing { reached: self.reached().clone() }
    }

    /// What shaders include, directly or not.
    fn reached(&self) -> &Arc<FxHashSet<Arc<str>>> {
        self.reached.get_or_init(|| {
            let mut by_name: FxHashMap<&str, Vec<&Arc<str>>> = FxHashMap::default();
            for path in self.files.keys() {
                by_name.entry(last_part(path)).or_default().push(path);
            }
            let mut reached: FxHashSet<Arc<str>> = FxHashSet::default();
            let mut queue: Vec<&Includes> =
                self.files.values().filter(|file| self.is_shader(&file.path)).collect();
            while let Some(file) = queue.pop() {
                let exact = file.targets.iter();
                let by_name = file.names.iter().filter_map(|name| by_name.get(&**name)).flatten().copied();
                for path in exact.chain(by_name) {
                    if reached.insert(path.clone()) {
                        queue.extend(self.files.get(path));
                    }
                }
            }
            Arc::new(reached)
        })
    }

    /// Shaders that include a header, directly or not: the nearest first, then by name.
    pub fn roots_of(&self, header: &str) -> Vec<Arc<str>> {
        let mut roots = Vec::new();
        let mut seen: FxHashSet<Arc<str>> = FxHashSet::default();
        let mut queue: VecDeque<Arc<str>> = VecDeque::from([Arc::from(header)]);
        while let Some(file) = queue.pop_front() {
            let mut next: Vec<_> = self.includers_of(&file).cloned().collect();
            next.sort_by(|a, b| {
                let far = |path: &str| paths::parent(path) != paths::parent(header);
                far(a).cmp(&far(b)).then_with(|| a.cmp(b))
            });
            for includer in next {
                if seen.insert(includer.clone()) {
                    if self.is_shader(&includer) {
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

    fn index(files: &[(&str, &str)]) -> IncludeIndex {
        let mut index = IncludeIndex::default();
        files.iter().for_each(|(path, text)| index.set(Includes::find(path, text, &[])));
        index
    }

    #[test]
    fn folders_that_nobody_looked_up_may_hold_a_header() {
        let index = index(&[
            ("/p/a.comp", "#include \"common/types.glsl\"\nvoid main() {}"),
            ("/p/b.comp", "#include \"other.glsl\"\nvoid main() {}"),
        ]);
        assert_eq!(index.roots_of("/p/include/common/types.glsl").len(), 1);
        assert!(index.roots_of("/p/include/common/more.glsl").is_empty());
    }

    #[test]
    fn headers_of_c_are_no_files_of_shaders() {
        let index = index(&[
            ("/p/a.comp", "#include \"one.h\"\n#include \"shared/two.h\"\nvoid main() {}"),
            ("/p/one.h", "#include \"three.h\""),
            ("/p/three.h", ""),
            ("/p/include/shared/two.h", ""),
            ("/p/c.h", "#include \"d.h\""),
            ("/p/d.h", ""),
            ("/p/loose.glsl", ""),
        ]);
        let of_shaders = |path: &&str| index.listing().has(path);
        let all = ["/p/one.h", "/p/three.h", "/p/include/shared/two.h", "/p/loose.glsl", "/p/c.h", "/p/d.h"];
        assert_eq!(all.iter().copied().filter(of_shaders).collect::<Vec<_>>(), all[..4]);
    }

    #[test]
    fn a_part_of_others_is_no_shader_whatever_its_name() {
        let index = index(&[
            ("/p/a.comp", "#include \"part.comp\"\n#include \"whole.comp\"\nvoid main () {}"),
            ("/p/part.comp", "int domain(int x) { return x; }"),
            ("/p/whole.comp", "void main() {}"),
            ("/p/alone.comp", "int x;"),
        ]);
        let shaders = index.shaders();
        assert_eq!(
            shaders.iter().map(|path| &**path).collect::<Vec<_>>(),
            ["/p/a.comp", "/p/alone.comp", "/p/whole.comp"]
        );
        assert_eq!(index.roots_of("/p/part.comp").len(), 1);
    }
}
