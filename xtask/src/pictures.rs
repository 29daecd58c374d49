//! `cargo xtask pictures`: takes the pictures that the README shows anew, into docs/pictures: of the page, and of VS Code.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::wasm::{Profile, Vectors};
use crate::{playground, setup, shell, vscode};

#[derive(clap::Args)]
pub struct Options {
    /// The page's alone
    #[arg(long)]
    page: bool,
    /// VS Code's alone, which its extension's own README shows as well
    #[arg(long)]
    vscode: bool,
    /// Of the page that is in playground-web/dist, instead of building it
    #[arg(long)]
    built: bool,
}

/// The pictures of VS Code's scripted run that the README shows; the parts of the run that take them.
const OF_VSCODE: [(&str, &str); 1] = [("error", "mistake")];

pub fn run(options: &Options) -> Result<()> {
    let all = options.page == options.vscode;
    fs::create_dir_all(folder())?;
    if all || options.page {
        page(options.built)?;
    }
    if all || options.vscode {
        of_vscode()?;
    }
    for entry in fs::read_dir(folder())? {
        let path = entry?.path();
        println!("{}: {} bytes", path.display(), path.metadata()?.len());
    }
    Ok(())
}

fn folder() -> PathBuf {
    shell::root().join("docs/pictures")
}

fn page(built: bool) -> Result<()> {
    setup::for_page(true)?;
    if !built {
        playground::build(Profile::Web)?;
    }
    shell::run(&mut playground::tool("vitest", &["run", "--config", "vitest.pictures.config.ts"]))
}

fn of_vscode() -> Result<()> {
    // The package holds it, whatever it was built of.
    if !playground::pkg().join("coopmat_bg.wasm").exists() {
        setup::webassembly()?;
        playground::module(Profile::Web, Vectors::Yes)?;
    }
    let parts: Vec<&str> = OF_VSCODE.iter().map(|(_, part)| *part).collect();
    vscode::run(&vscode::Options::pictures_of(&parts))?;
    for (name, _) in OF_VSCODE {
        let name = format!("{name}.jpg");
        let taken = vscode::folder().join("media/pictures").join(&name);
        fs::copy(&taken, folder().join(&name)).with_context(|| format!("no picture {}", taken.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::{OF_VSCODE, folder};
    use crate::{shell, vscode};

    /// In bytes: a README is read over any network.
    const MOST: u64 = 200_000;

    #[test]
    fn the_readme_shows_every_picture_and_none_is_large() {
        let readme = fs::read_to_string(shell::root().join("README.md")).unwrap();
        let shown = readme.split("](docs/pictures/").skip(1).filter_map(|rest| rest.split(')').next());
        let shown: BTreeSet<String> = shown.map(str::to_owned).collect();
        let mut there = BTreeSet::new();
        for entry in fs::read_dir(folder()).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let size = entry.metadata().unwrap().len();
            assert!(size < MOST, "{name} has {size} bytes");
            there.insert(name);
        }
        assert_eq!(shown, there);
    }

    #[test]
    fn pictures_of_vscode_are_those_of_its_extension() {
        for (name, _) in OF_VSCODE {
            let name = format!("{name}.jpg");
            let theirs = fs::read(vscode::folder().join("media/pictures").join(&name)).unwrap();
            assert!(
                fs::read(folder().join(&name)).unwrap() == theirs,
                "{name}: run `cargo xtask pictures --vscode`, which takes both"
            );
        }
    }
}
