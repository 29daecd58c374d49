//! The version that `--version` tells: with the commit and its date where this is built from the repository, without them where it is built from
//! a package.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let version = env!("CARGO_PKG_VERSION");
    let shown = commit().map_or_else(|| version.to_owned(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=COOPMAT_ANALYZER_VERSION={shown}");
    println!("cargo::rerun-if-changed=build.rs");
}

/// `1a2b3c4d5 2026-11-22`. Also says when it has to be asked again.
fn commit() -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A package may be unpacked inside a repository of somebody else's.
    let top = git(folder, &["rev-parse", "--show-toplevel"])?;
    if std::fs::canonicalize(top).ok()? != std::fs::canonicalize(folder.parent()?).ok()? {
        return None;
    }
    let shown = git(folder, &["log", "-1", "--no-show-signature", "--abbrev=9", "--format=%h %cs"])?;
    // A file that is not there would be asked for at every build.
    let branch = git(folder, &["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        let path =
            git(folder, &["rev-parse", "--git-path", name]).map(|path| folder.join(PathBuf::from(path)));
        if let Some(path) = path.filter(|path| path.is_file()) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    Some(shown)
}

fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.to_owned())
}
