//! Recipes, and which files one may name: those of its own project. Recipes come with shaders, and these may be anybody's.

use coopmat_analysis::config::{ConstantKey, SpecializationValue};
use coopmat_analysis::preprocess::join_path;
use coopmat_analysis::project::FILE_NAME;
use coopmat_analysis::sources::FileLoader;

use crate::paths;
use crate::reach::{self, Place, Reach, Refusal};

/// Whether a file is a recipe, by its name.
pub fn is_recipe(path: &str) -> bool {
    path.ends_with(coopmat_recipe::EXTENSION)
}

/// What the recipe at a path gives to specialization constants.
///
/// # Errors
/// That there is no recipe, or what is wrong in it, in words for the user.
pub fn specialization(
    path: &str,
    loader: &dyn FileLoader,
) -> Result<Vec<(ConstantKey, SpecializationValue)>, String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let text = loader.load(path).ok_or_else(|| format!("there is no recipe `{name}`"))?;
    let read = || {
        let recipe = coopmat_recipe::parse(&text)?;
        coopmat_recipe::specialization(&recipe, &text)
    };
    let values = read().map_err(|error| {
        let (line, column) = error.position(&text);
        format!("{name}:{line}:{column}: {}", error.message)
    })?;
    let value = |(key, value): (String, String)| Ok((key.parse()?, value.parse()?));
    values.into_iter().map(value).collect::<Result<_, String>>().map_err(|error| format!("{name}: {error}"))
}

/// Values of specialization constants as a run takes them.
pub fn written(values: &[(ConstantKey, SpecializationValue)]) -> Vec<(String, String)> {
    values.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

/// The whole path of a file that a recipe names, links followed. It has to lie in the recipe's folder, in the folder of the project file above it
/// or in one of `folders`. All folders are absolute.
///
/// # Errors
/// That it lies elsewhere, or is not there.
pub fn of_recipe(folder: &str, path: &str, folders: &[&str], place: &dyn Place) -> Result<String, String> {
    let path = path.replace('\\', "/");
    // Of a recipe in the root folder the folder is empty.
    let full =
        if folder.is_empty() { paths::normalize(&format!("/{path}")) } else { join_path(folder, &path) };
    let project = project_folder(folder, place);
    let allowed: Vec<&str> = [folder].into_iter().chain(project).chain(folders.iter().copied()).collect();
    // A recipe in the root folder has that folder, and no other.
    if allowed.contains(&reach::EVERYWHERE) || (folder.is_empty() && !full[1..].contains('/')) {
        return Ok(full);
    }
    let readable = reach::readable(allowed.into_iter().map(str::to_owned).collect(), place);
    match Reach::new(readable.as_deref()).admit(&full, place) {
        Ok(Some(real)) => Ok(real.into_owned()),
        Ok(None) => Err("the file does not exist".to_owned()),
        Err(Refusal::Repository) => Err("files in a `.git` folder are not read".to_owned()),
        Err(refusal) => {
            let what = if refusal == Refusal::Link { "is a link that leads outside" } else { "is outside" };
            Err(format!(
                "the file {what} the recipe's folder, the project and the workspace, and recipes read no other files; {}",
                reach::ADVICE
            ))
        }
    }
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
    use crate::reach::tests::Fake;

    #[test]
    fn a_recipe_names_files_of_its_project_alone() {
        let place = Fake(&[
            ("/w/p/coopmat-analyzer.toml", "/w/p/coopmat-analyzer.toml"),
            ("/w/p/run/a.npy", "/w/p/run/a.npy"),
            ("/w/p/data/a.npy", "/w/p/data/a.npy"),
            ("/w/other/a.npy", "/w/other/a.npy"),
            ("/w/p/run/link.npy", "/etc/shadow"),
            ("/w/p/run/near.npy", "/w/p/data/a.npy"),
            ("/linked", "/elsewhere/q"),
            ("/linked/a.npy", "/elsewhere/q/a.npy"),
        ]);
        let of = |path: &str| of_recipe("/w/p/run", path, &["/w/other"], &place);
        assert_eq!(of("a.npy").unwrap(), "/w/p/run/a.npy");
        assert_eq!(of("../data/a.npy").unwrap(), "/w/p/data/a.npy");
        assert_eq!(of("/w/other/a.npy").unwrap(), "/w/other/a.npy");
        assert_eq!(of("near.npy").unwrap(), "/w/p/data/a.npy");
        for path in
            ["/etc/passwd", "../../secret", "../../../../../etc/passwd", "..\\..\\secret", "/w/p/run/../../x"]
        {
            assert!(of(path).unwrap_err().starts_with("the file is outside"), "{path}");
        }
        assert!(of("link.npy").unwrap_err().starts_with("the file is a link that leads outside"));
        // A folder that is a link itself is no way out.
        assert_eq!(of_recipe("/linked", "a.npy", &[], &place).unwrap(), "/elsewhere/q/a.npy");
        assert_eq!(of_recipe("", "a.npy", &[], &place).unwrap(), "/a.npy");
        assert!(of_recipe("", "etc/a.npy", &[], &place).is_err());
        assert_eq!(of("none.npy").unwrap_err(), "the file does not exist");
    }
}
