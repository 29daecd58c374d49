//! Which files a recipe may name: those of its own project. Recipes come with shaders, and these may be anybody's.

use coopmat_analysis::preprocess::join_path;
use coopmat_analysis::project::FILE_NAME;

use crate::paths;

/// What is asked of the place where files lie.
pub trait Place {
    fn exists(&self, path: &str) -> bool;

    /// The path with its links followed; nothing when there is no such file.
    fn real_path(&self, path: &str) -> Option<String>;
}

/// The whole path of a file that a recipe names. It has to lie, links followed, in the recipe's folder, in the folder of the project file above it
/// or in one of `folders`. All folders are absolute.
///
/// # Errors
/// That it lies elsewhere.
pub fn of_recipe(folder: &str, path: &str, folders: &[&str], place: &dyn Place) -> Result<String, String> {
    let path = path.replace('\\', "/");
    // Of a recipe in the root folder the folder is empty.
    let full =
        if folder.is_empty() { paths::normalize(&format!("/{path}")) } else { join_path(folder, &path) };
    let project = project_folder(folder, place);
    let allowed: Vec<&str> = [folder].into_iter().chain(project).chain(folders.iter().copied()).collect();
    let refused = |what: &str| {
        format!(
            "the file {what} of the recipe's folder, the project and the folder that is worked in: recipes read no others; move it, or open (change to) a \
             folder that holds both"
        )
    };
    if !allowed.iter().any(|folder| paths::is_inside(&full, folder)) {
        return Err(refused("lies outside"));
    }
    if let Some(real) = place.real_path(&full) {
        let inside = |folder: &&str| {
            paths::is_inside(&real, &place.real_path(folder).unwrap_or_else(|| (*folder).to_owned()))
        };
        if !allowed.iter().any(inside) {
            return Err(refused("is a link that leads outside"));
        }
    }
    Ok(full)
}

/// The folder of the nearest project file, from a folder upwards.
fn project_folder<'p>(folder: &'p str, place: &dyn Place) -> Option<&'p str> {
    let mut at = folder;
    loop {
        if place.exists(&format!("{at}/{FILE_NAME}")) {
            return Some(at);
        }
        at = paths::parent(at)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files, and links with what they lead to.
    struct Fake(&'static [(&'static str, &'static str)]);

    impl Place for Fake {
        fn exists(&self, path: &str) -> bool {
            self.0.iter().any(|(known, _)| *known == path)
        }

        fn real_path(&self, path: &str) -> Option<String> {
            self.0.iter().find(|(known, _)| *known == path).map(|(_, real)| (*real).to_owned())
        }
    }

    #[test]
    fn a_recipe_names_files_of_its_project_alone() {
        let place = Fake(&[
            ("/w/p/coopmat-analyzer.toml", "/w/p/coopmat-analyzer.toml"),
            ("/w/p/run/link.npy", "/etc/shadow"),
            ("/w/p/run/near.npy", "/w/p/data/a.npy"),
            ("/linked", "/elsewhere/q"),
            ("/linked/a.npy", "/elsewhere/q/a.npy"),
        ]);
        let of = |path: &str| of_recipe("/w/p/run", path, &["/w/other"], &place);
        assert_eq!(of("a.npy").unwrap(), "/w/p/run/a.npy");
        assert_eq!(of("../data/a.npy").unwrap(), "/w/p/data/a.npy");
        assert_eq!(of("/w/other/a.npy").unwrap(), "/w/other/a.npy");
        assert_eq!(of("near.npy").unwrap(), "/w/p/run/near.npy");
        for path in
            ["/etc/passwd", "../../secret", "../../../../../etc/passwd", "..\\..\\secret", "/w/p/run/../../x"]
        {
            assert!(of(path).unwrap_err().starts_with("the file lies outside"), "{path}");
        }
        assert!(of("link.npy").unwrap_err().starts_with("the file is a link that leads outside"));
        // A folder that is a link itself is no way out.
        assert_eq!(of_recipe("/linked", "a.npy", &[], &place).unwrap(), "/linked/a.npy");
        assert_eq!(of_recipe("", "a.npy", &[], &place).unwrap(), "/a.npy");
    }
}
