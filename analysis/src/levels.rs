//! Levels: how loudly each diagnostic is told, as the project file, the command line and an editor's settings say it.
//!
//! Errors of the language have none: they are always told.

use std::borrow::Cow;
use std::sync::Arc;

use crate::diagnostics::{Code, Severity, named};
use crate::glob::{Pattern, matches};

/// How loudly a diagnostic is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Not at all.
    Allow,
    /// As of this severity.
    Tell(Severity),
}

impl Level {
    /// Every level, the quietest first.
    pub const ALL: [Level; 5] = [
        Level::Allow,
        Level::Tell(Severity::Hint),
        Level::Tell(Severity::Information),
        Level::Tell(Severity::Warning),
        Level::Tell(Severity::Error),
    ];

    /// The word of the project file: `allow`, or that of the severity.
    pub fn name(self) -> &'static str {
        match self {
            Level::Allow => "allow",
            Level::Tell(severity) => severity.name(),
        }
    }

    /// The level of a word.
    pub fn named(word: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == word)
    }

    /// The entry of an id that is to have this level; the error says why it cannot, in a sentence for whoever wrote it.
    pub fn of(self, id: &str) -> Result<&'static Code, String> {
        let code = named(id)?;
        match code.why_never_allowed() {
            Some(_) if self == Level::Tell(Severity::Error) => Ok(code),
            Some(why) if code.severity == Severity::Error => {
                Err(format!("`{id}` {why} or reported at a lower level"))
            }
            Some(why) => Err(format!("`{id}` {why}")),
            None => Ok(code),
        }
    }
}

/// Levels of diagnostics in files. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// The last one that names a file and a diagnostic counts for them.
    list: Arc<Vec<Given>>,
    /// The folder that relative paths start from; `None`: there are none.
    here: Option<Arc<str>>,
}

/// Levels that hold for some files.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Given {
    /// `None`: every file.
    files: Option<Files>,
    levels: Vec<(&'static Code, Level)>,
}

/// Files below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Files {
    /// With `/`, without one at the end.
    folder: String,
    patterns: Vec<Pattern>,
}

impl Levels {
    /// Lays levels over those that are there, for every file.
    pub fn add(&mut self, levels: impl IntoIterator<Item = (&'static Code, Level)>) {
        self.push(None, levels.into_iter().collect());
    }

    /// The same for the files of a folder that a glob names.
    pub(crate) fn add_for(&mut self, folder: &str, pattern: Pattern, levels: Vec<(&'static Code, Level)>) {
        self.push(Some(Files { folder: folder.to_owned(), patterns: vec![pattern] }), levels);
    }

    fn push(&mut self, files: Option<Files>, levels: Vec<(&'static Code, Level)>) {
        if !levels.is_empty() {
            Arc::make_mut(&mut self.list).push(Given { files, levels });
        }
    }

    /// Says which folder the relative paths of files start from.
    pub fn start_from(&mut self, folder: &str) {
        self.here = Some(folder.into());
    }

    /// The level of a diagnostic in a file, where one is given.
    pub fn of(&self, code: &Code, path: &str) -> Option<Level> {
        let path = match &self.here {
            Some(here) if !is_absolute(path) => Cow::Owned(absolute(here, path)),
            _ => Cow::Borrowed(path),
        };
        self.list.iter().rev().find_map(|given| {
            // Later entries of a list count, as later lists do.
            let (_, level) = given.levels.iter().rev().find(|(one, _)| *one == code)?;
            given.files.as_ref().is_none_or(|files| files.name(&path)).then_some(*level)
        })
    }

    /// How loudly a diagnostic of an entry's own severity is told in a file; `None` where it is allowed.
    pub fn severity(&self, code: &Code, path: &str) -> Option<Severity> {
        match self.of(code, path) {
            Some(Level::Allow) => None,
            Some(Level::Tell(severity)) => Some(severity),
            None => Some(code.severity),
        }
    }

    /// Whether every diagnostic has its own severity.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl Files {
    fn name(&self, path: &str) -> bool {
        let below = match self.folder.as_str() {
            "" => Some(path.trim_start_matches('/')),
            folder => path.strip_prefix(folder).and_then(|path| path.strip_prefix('/')),
        };
        below.is_some_and(|path| matches(&self.patterns, path))
    }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.as_bytes().get(1) == Some(&b':')
}

/// A relative path below a folder, or beside it where it goes up.
fn absolute(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.trim_end_matches('/').split('/').collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::codes;

    #[test]
    fn the_last_one_that_names_file_and_diagnostic_counts() {
        let shift = &codes::SHIFT_OUT_OF_RANGE;
        let glob = |glob| Pattern::new(glob).unwrap();
        let mut levels = Levels::default();
        assert_eq!(levels.of(shift, "/p/a.comp"), None);
        levels.add([(shift, Level::Tell(Severity::Error)), (&codes::UNUSED_VARIABLE, Level::Allow)]);
        levels.add_for("/p", glob("old/"), vec![(shift, Level::Allow)]);
        assert_eq!(levels.of(shift, "/p/a.comp"), Some(Level::Tell(Severity::Error)));
        assert_eq!(levels.of(shift, "/p/old/a.comp"), Some(Level::Allow));
        assert_eq!(levels.of(shift, "/q/old/a.comp"), Some(Level::Tell(Severity::Error)));
        assert_eq!(levels.of(&codes::UNUSED_VARIABLE, "/p/old/a.comp"), Some(Level::Allow));
        levels.add([(shift, Level::Tell(Severity::Hint))]);
        assert_eq!(levels.of(shift, "/p/old/a.comp"), Some(Level::Tell(Severity::Hint)));
    }

    #[test]
    fn relative_paths_start_from_a_folder() {
        let shift = &codes::SHIFT_OUT_OF_RANGE;
        let mut levels = Levels::default();
        levels.add_for("/p", Pattern::new("old/").unwrap(), vec![(shift, Level::Allow)]);
        levels.start_from("/p/new");
        assert_eq!(levels.of(shift, "../old/./a.comp"), Some(Level::Allow));
        assert_eq!(levels.of(shift, "/p/old/a.comp"), Some(Level::Allow));
        assert_eq!(levels.of(shift, "old.comp"), None);
    }

    #[test]
    fn errors_of_the_language_are_neither_allowed_nor_lowered() {
        let warning = Level::Tell(Severity::Warning);
        assert_eq!(warning.of("unused-variable"), Ok(&codes::UNUSED_VARIABLE));
        assert_eq!(Level::Tell(Severity::Error).of("type-mismatch"), Ok(&codes::TYPE_MISMATCH));
        assert!(warning.of("type-mismatch").unwrap_err().contains("is an error of the language"));
        assert!(Level::Allow.of("unused-varaible").unwrap_err().contains("did you mean `unused-variable`?"));
        for level in Level::ALL {
            assert_eq!(Level::named(level.name()), Some(level));
        }
    }
}
