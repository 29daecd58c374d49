//! Which files are read on the word of a shader, a project file or a recipe, all of which may be anybody's: those in the folders
//! that the host allows, wherever links lead. What the user has named is no matter of this module.

use std::borrow::Cow;

use coopmat_analysis::config::Configuration;

use crate::paths;

/// What is asked of the place where files lie.
pub trait Place {
    /// Whether there is a file of this absolute path.
    fn exists(&self, path: &str) -> bool;

    /// The path with its links followed; nothing when there is no such file.
    fn real_path(&self, path: &str) -> Option<String>;
}

/// The folder that stands for all.
pub const EVERYWHERE: &str = "/";

/// How to allow more, for messages.
pub const ADVICE: &str = "move it there, or allow its folder: with `--allow-dir FOLDER` on the command line, or the setting `allowDirs` in an editor";

/// Why a file is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It lies in none of the folders.
    Outside,
    /// It lies inside, and what it leads to does not.
    Link,
    /// In a `.git`: what a repository keeps for itself, which may hold passwords.
    Repository,
}

/// The folders from which files are read.
#[derive(Clone, Copy, Debug)]
pub struct Reach<'f> {
    folders: Option<&'f [String]>,
}

impl<'f> Reach<'f> {
    /// `None`: everywhere. Folders are absolute, and there are those that their links lead to.
    pub fn new(folders: Option<&'f [String]>) -> Reach<'f> {
        Reach { folders }
    }

    /// The folders of [`Configuration::readable`].
    pub fn of(configuration: &'f Configuration) -> Reach<'f> {
        Reach { folders: configuration.readable.as_deref() }
    }

    /// Whether a path lies in one of the folders as it is written. Nothing is looked at.
    ///
    /// # Errors
    /// That it does not.
    pub fn holds(&self, path: &str) -> Result<(), Refusal> {
        let Some(folders) = self.folders else { return Ok(()) };
        let mut refusal = Refusal::Outside;
        for rest in folders.iter().filter_map(|folder| inside(path, folder)) {
            if !rest.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
                return Ok(());
            }
            refusal = Refusal::Repository;
        }
        Err(refusal)
    }

    /// The path to read: it has no links, and lies in one of the folders. `None`: there is no such file.
    ///
    /// # Errors
    /// That it lies elsewhere.
    pub fn admit<'p>(&self, path: &'p str, place: &dyn Place) -> Result<Option<Cow<'p, str>>, Refusal> {
        if self.folders.is_none() {
            return Ok(Some(path.into()));
        }
        // Before anything is looked at: to ask for a file of another machine is to say something to it.
        self.holds(path)?;
        let Some(real) = place.real_path(path) else { return Ok(None) };
        match self.holds(&real) {
            Ok(()) => Ok(Some(real.into())),
            Err(Refusal::Outside) => Err(Refusal::Link),
            Err(refusal) => Err(refusal),
        }
    }

    /// A sentence about a path that is refused.
    pub fn explain(&self, path: &str, refusal: Refusal) -> String {
        const SHOWN: usize = 3;
        let folders = self.folders.unwrap_or_default();
        let mut shown: Vec<String> = folders.iter().take(SHOWN).map(|folder| format!("`{folder}`")).collect();
        if folders.len() > SHOWN {
            shown.push(format!("{} more", folders.len() - SHOWN));
        }
        let shown = shown.join(", ");
        match refusal {
            Refusal::Outside => {
                format!("`{path}` is outside the folders that may be read here ({shown}); {ADVICE}")
            }
            Refusal::Link => {
                format!(
                    "`{path}` is a link that leads out of the folders that may be read here ({shown}); {ADVICE}"
                )
            }
            Refusal::Repository => {
                format!("`{path}` is in a `.git` folder, which is not read")
            }
        }
    }
}

/// What of a path lies below a folder. Paths with a drive are the same in upper and in lower case.
fn inside<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let folder = folder.trim_end_matches('/');
    let (start, rest) = (path.get(..folder.len())?, path.get(folder.len()..)?);
    let same = match folder.as_bytes() {
        [drive, b':', ..] if drive.is_ascii_alphabetic() => start.eq_ignore_ascii_case(folder),
        _ => start == folder,
    };
    // Nothing is taken for granted about who made the path: one that goes up again is not inside.
    if !same || rest.split('/').any(|part| part == "..") {
        return None;
    }
    rest.strip_prefix('/').or_else(|| rest.is_empty().then_some(""))
}

/// The list of a configuration: absolute folders, each as it is written and as its links lead. Everything, where one of them is
/// [`EVERYWHERE`].
pub fn readable(folders: Vec<String>, place: &dyn Place) -> Option<Vec<String>> {
    let mut list: Vec<String> = Vec::new();
    let mut add = |folder: &str| {
        let folder = folder.trim_end_matches('/');
        if !folder.is_empty() && !list.iter().any(|known| known == folder) {
            list.push(folder.to_owned());
        }
    };
    if folders.iter().any(|folder| folder == EVERYWHERE) {
        return None;
    }
    for folder in &folders {
        add(folder);
    }
    for folder in &folders {
        if let Some(real) = place.real_path(folder) {
            add(&real);
        }
    }
    // A folder inside another says nothing.
    let outer = list.clone();
    list.retain(|folder| !outer.iter().any(|other| other != folder && paths::is_inside(folder, other)));
    Some(list)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Files, and links with what they lead to.
    pub struct Fake(pub &'static [(&'static str, &'static str)]);

    impl Place for Fake {
        fn exists(&self, path: &str) -> bool {
            self.0.iter().any(|(known, _)| *known == path)
        }

        fn real_path(&self, path: &str) -> Option<String> {
            self.0.iter().find(|(known, _)| *known == path).map(|(_, real)| (*real).to_owned())
        }
    }

    #[test]
    fn files_are_read_inside_of_the_folders_alone() {
        let place = Fake(&[
            ("/w", "/w"),
            ("/w/a.glsl", "/w/a.glsl"),
            ("/w/link.glsl", "/etc/passwd"),
            ("/w/near.glsl", "/w/b/near.glsl"),
            ("/w/config.glsl", "/w/.git/config"),
            ("/linked", "/real/place"),
            ("/linked/a.glsl", "/real/place/a.glsl"),
            ("/etc/passwd", "/etc/passwd"),
        ]);
        let folders = readable(vec!["/w/".to_owned(), "/linked".to_owned(), "/w/sub".to_owned()], &place);
        let folders = folders.unwrap();
        assert_eq!(folders, ["/w", "/linked", "/real/place"]);
        let reach = Reach::new(Some(&folders));
        let admit = |path| reach.admit(path, &place);
        let read = |path: &'static str| Ok(Some(Cow::Borrowed(path)));
        assert_eq!(admit("/w/a.glsl"), read("/w/a.glsl"));
        assert_eq!(admit("/w/near.glsl"), read("/w/b/near.glsl"));
        assert_eq!(admit("/linked/a.glsl"), read("/real/place/a.glsl"));
        assert_eq!(admit("/w/none.glsl"), Ok(None));
        assert_eq!(admit("/w/link.glsl"), Err(Refusal::Link));
        for path in ["/w/.git/config", "/w/sub/.GIT/config", "/w/config.glsl"] {
            assert_eq!(admit(path), Err(Refusal::Repository), "{path}");
        }
        let elsewhere = [
            "/etc/passwd",
            "/w/../etc/passwd",
            "/wider/a.glsl",
            "//w/a.glsl",
            "a.glsl",
            "",
            "/",
            "c:/w/a.glsl",
        ];
        for path in elsewhere {
            assert_eq!(admit(path), Err(Refusal::Outside), "{path}");
        }
        assert_eq!(Reach::new(None).admit("/etc/passwd", &place), read("/etc/passwd"));
    }

    #[test]
    fn drives_have_no_case_and_shares_are_places_of_their_own() {
        let folders = ["c:/w".to_owned(), "//server/share".to_owned()];
        let reach = Reach::new(Some(&folders));
        for path in ["C:/W/a.glsl", "c:/w/a.glsl", "//server/share/a.glsl"] {
            assert_eq!(reach.holds(path), Ok(()), "{path}");
        }
        for path in ["d:/w/a.glsl", "//other/share/a.glsl", "/server/share/a.glsl", "//?/c:/x", "nul"] {
            assert_eq!(reach.holds(path), Err(Refusal::Outside), "{path}");
        }
    }
}
