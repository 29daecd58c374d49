//! Paths within the repository, with `/` between names.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).to_path_buf()
}

/// The folder of a file; empty for one at the top.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Where `target`, written in the file `from`, leads; `None` above the top.
pub fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder(from).split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// How `to` is written in the file `from`.
pub fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = folder(from).split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = to.split('/').collect();
    let common = from.iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - common);
    up.chain(to[common..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// The name of the file that a page is made of, without folder and extension.
pub fn name_of(source: &str) -> &str {
    let file = source.rsplit('/').next().unwrap_or(source);
    file.split('.').next().unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::{relative, resolve};

    #[test]
    fn links_are_resolved_and_written_again() {
        assert_eq!(
            resolve("docs/editors.md", "../editors/nvim/README.md").unwrap(),
            "editors/nvim/README.md"
        );
        assert_eq!(resolve("README.md", "docs/./spirv.md").unwrap(), "docs/spirv.md");
        assert_eq!(resolve("docs/editors.md", "../.."), None);
        assert_eq!(relative("editors/nvim/README.md", "spirv.md"), "../../spirv.md");
        assert_eq!(relative("diagnostics/a.md", "diagnostics/b.md"), "b.md");
        assert_eq!(relative("a.md", "diagnostics/b.md"), "diagnostics/b.md");
    }
}
