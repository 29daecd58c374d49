//! The extension for VS Code: its packages (`cargo xtask dist --vscode`), and its tests (`cargo xtask vscode`), most of which are a scripted
//! run in a real VS Code: [`drive`].

mod drive;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::count::Count;
use crate::wasm::{Profile, Vectors};
use crate::{code_server, notices, playground, setup, shell};

/// `cargo xtask vscode`.
#[derive(clap::Args, Default)]
pub struct Options {
    /// Only these parts of the scripted run: `mistake,spirv`
    #[arg(long)]
    only: Option<String>,
    /// With the native server alone, in the package of the WebAssembly module that is there: for work on the extension
    #[arg(long)]
    native: bool,
    /// Then write the run's pictures of `mistake`, `llama`, `spirv` and `run` into editors/vscode/media/pictures, from where the extension's README, which the marketplace
    /// shows, and its walkthrough take them
    #[arg(long)]
    pictures: bool,
}

impl Options {
    /// The pictures that these parts of the run take, with the native server.
    pub fn pictures_of(parts: &[&str]) -> Options {
        Options { only: Some(parts.join(",")), native: true, pictures: true }
    }
}

pub fn run(options: &Options) -> Result<()> {
    let taken = |name: &str| drive::pictures().join(format!("native-{name}.jpg"));
    if options.pictures {
        // Those of an earlier run show an earlier extension.
        for name in PICTURES {
            let _ = fs::remove_file(taken(name));
        }
    }
    let count = check(options)?;
    ensure!(count.failed == 0, "{} of the checks failed", count.failed);
    if options.pictures {
        for name in PICTURES {
            if !taken(name).exists() && options.only.is_some() {
                println!("the part that takes {name}.jpg was left out: it stays as it is");
                continue;
            }
            let shown = folder().join("media/pictures").join(format!("{name}.jpg"));
            fs::copy(taken(name), &shown).with_context(|| format!("no picture {}", taken(name).display()))?;
            println!("{}", shown.display());
        }
    }
    Ok(())
}

/// Of the scripted run: those that the extension's README and walkthrough show.
const PICTURES: [&str; 4] = ["error", "project", "spirv", "run"];

pub fn folder() -> PathBuf {
    shell::root().join("editors/vscode")
}

/// The platforms that have a package with the program, as vsce names them, and the targets whose programs these are.
const PLATFORMS: [(&str, &str); 6] = [
    ("linux-x64", "x86_64-unknown-linux-gnu"),
    ("linux-arm64", "aarch64-unknown-linux-gnu"),
    ("darwin-x64", "x86_64-apple-darwin"),
    ("darwin-arm64", "aarch64-apple-darwin"),
    ("win32-x64", "x86_64-pc-windows-msvc"),
    ("win32-arm64", "aarch64-pc-windows-msvc"),
];

/// The packages for distribution: one for each program, and one without a program for all other platforms. Where no programs are given, the
/// release build for this platform is made.
pub fn dist(programs: &[Program]) -> Result<()> {
    match programs {
        [] => {
            shell::run(&mut shell::cargo(["build", "--release", "--package", "coopmat-analyzer"]))?;
            let name = format!("coopmat-analyzer{}", std::env::consts::EXE_SUFFIX);
            let program = stripped(&shell::target().join("release").join(name))?;
            package(&Parts::Platform { program: &program, platform: here()? })?;
        }
        given => {
            for Program { platform, file } in given {
                if !file.is_file() {
                    bail!("there is no program {}", file.display());
                }
                package(&Parts::Platform { program: file, platform })?;
            }
        }
    }
    package(&Parts::Universal)?;
    Ok(())
}

/// A copy of a program without what only a debugger reads, which is most of it.
fn stripped(program: &Path) -> Result<PathBuf> {
    if cfg!(windows) {
        // It lies in a file of its own there.
        return Ok(program.to_owned());
    }
    let folder = shell::target().join("vscode");
    fs::create_dir_all(&folder)?;
    let copy = folder.join("coopmat-analyzer");
    shell::run(Command::new("strip").arg("-o").arg(&copy).arg(program))?;
    Ok(copy)
}

/// This machine's platform.
fn here() -> Result<&'static str> {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let ours = |(_, target): &&(&str, &str)| target.starts_with(arch) && target.contains(os_of_target(os));
    let found = PLATFORMS.iter().find(ours);
    found
        .map(|(platform, _)| *platform)
        .with_context(|| format!("VS Code has no platform for {os} on {arch}"))
}

fn os_of_target(os: &str) -> &str {
    if os == "macos" { "darwin" } else { os }
}

/// A program that is there already, and the platform that it is for: `linux-arm64=FILE`.
#[derive(Clone, Debug)]
pub struct Program {
    platform: &'static str,
    file: PathBuf,
}

impl std::str::FromStr for Program {
    type Err = String;

    fn from_str(text: &str) -> Result<Program, String> {
        let (name, file) = text.split_once('=').ok_or("expected PLATFORM=FILE")?;
        let known = PLATFORMS.iter().find(|(platform, _)| *platform == name);
        let (platform, _) = known.ok_or_else(|| {
            let names: Vec<&str> = PLATFORMS.iter().map(|(platform, _)| *platform).collect();
            format!("VS Code has no platform `{name}`; expected one of {}", names.join(", "))
        })?;
        // The extension's folder is built from elsewhere.
        let file = std::path::absolute(file).map_err(|error| error.to_string())?;
        Ok(Program { platform, file })
    }
}

/// Installs the extension's own npm packages, and the page's: what it has in common with the page finds its packages there.
fn packages() -> Result<()> {
    playground::packages()?;
    playground::packages_in(&folder())
}

/// What is packed.
enum Parts<'a> {
    /// With the native program; the platform as vsce names it.
    Platform { program: &'a Path, platform: &'a str },
    /// For every platform, with the WebAssembly server alone.
    Universal,
    /// The same without an entry for desktops, so that any VS Code runs it in the browser. For tests.
    Web,
}

/// Builds the package, and answers with its path.
fn package(parts: &Parts) -> Result<PathBuf> {
    packages()?;
    let staging = shell::target().join("vscode/extension");
    let mut build = playground::node();
    build.arg(folder().join("build/build.mjs")).arg(&staging);
    let mut vsce = Command::new(folder().join("node_modules/.bin/vsce"));
    setup::with_node(&mut vsce);
    let suffix = match parts {
        Parts::Platform { program, platform } => {
            build.arg("--program").arg(program);
            vsce.args(["package", "--target", platform]);
            format!("-{platform}")
        }
        Parts::Universal => {
            vsce.arg("package");
            String::new()
        }
        Parts::Web => {
            build.arg("--web");
            vsce.arg("package");
            "-web".to_owned()
        }
    };
    shell::run(&mut build)?;
    // `cargo xtask dist` has made it; the tests do without.
    if notices::file().exists() {
        fs::copy(notices::file(), staging.join("THIRD-PARTY.md")).context("cannot copy the licences")?;
    }
    let package = shell::target().join(format!("vscode/coopmat-analyzer{suffix}.vsix"));
    vsce.args(["--no-dependencies", "-o"]).arg(&package).current_dir(&staging);
    shell::run(&mut vsce)?;
    println!("{}: {} bytes", package.display(), package.metadata()?.len());
    Ok(package)
}

pub fn test() -> Result<Count> {
    check(&Options::default())
}

/// Types and lints, and the scripted runs.
fn check(options: &Options) -> Result<Count> {
    code_server::install()?;
    setup::for_page(true)?;
    packages()?;
    let mut count = Count::default();
    let mut step = |what: &str, result: Result<()>| match result {
        Ok(()) => count.passed += 1,
        Err(error) => {
            eprintln!("error: {what}: {error:#}");
            count.failed += 1;
        }
    };
    let tool = |name: &str, arguments: &[&str]| {
        let mut command = Command::new(folder().join("node_modules/.bin").join(name));
        setup::with_node(&mut command).args(arguments).current_dir(folder());
        command
    };
    if !options.native {
        playground::module(Profile::Web, Vectors::Yes)?;
    }
    // Where links to the playground lead.
    if !options.native || !playground::folder().join("dist/index.html").exists() {
        playground::page(playground::Book::OfThePublicPage)?;
    }
    step("types", shell::run(&mut tool("tsc", &["--noEmit"])));
    step("lints", shell::run(&mut tool("biome", &["ci", "."])));
    if !options.native {
        step("schemas", crate::schemas::check(|| tool("taplo", &[])));
        let mut toml = code_server::node();
        step("TOML in editors", shell::run(toml.arg("--no-warnings").arg(folder().join("test/toml.ts"))));
    }
    let mut manifest = code_server::node();
    step("manifest", shell::run(manifest.arg("--no-warnings").arg(folder().join("test/manifest.ts"))));
    let mut grammar = code_server::node();
    grammar
        .arg("--no-warnings")
        .arg(folder().join("test/grammar.ts"))
        .arg("--vscode")
        .arg(code_server::vscode());
    step("GLSL in strings", shell::run(&mut grammar));
    let program = stripped(&shell::server()?)?;
    let native = package(&Parts::Platform { program: &program, platform: here()? })?;
    let only = options.only.as_deref();
    if options.native {
        step("native", drive::run(&native, &["native"], only, options.pictures));
        return Ok(count);
    }
    let web = package(&Parts::Web)?;
    // WebAssembly first: what is the same with every server is tried with the last one of a window.
    step("native and wasm", drive::run(&native, &["wasm", "native"], only, options.pictures));
    step("web", drive::run(&web, &["web"], only, options.pictures));
    Ok(count)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{PICTURES, PLATFORMS, here};
    use crate::shell;

    fn read(path: &str) -> String {
        std::fs::read_to_string(shell::root().join(path)).unwrap()
    }

    /// The workflow names the archives and packs the programs, Mason downloads them.
    #[test]
    fn every_target_has_an_archive_a_package_and_a_line_for_mason() {
        let workflow = read(".github/workflows/release.yml");
        let mason = read("editors/nvim/mason/packages/coopmat-analyzer/package.yaml");
        for (platform, target) in PLATFORMS {
            let windows = target.contains("windows");
            let archive = format!("coopmat-analyzer-{target}.{}", if windows { "zip" } else { "tar.gz" });
            let program = if windows { "coopmat-analyzer.exe" } else { "coopmat-analyzer" };
            assert!(workflow.contains(&format!("{{ target: {target}, runner:")), "{target} is not built");
            assert!(workflow.contains(&format!("unpack {platform} {archive}\n")), "{archive}");
            let packed = format!("--program {platform}=programs/{platform}/{program}");
            assert!(workflow.lines().any(|line| line.trim().trim_end_matches(" \\") == packed), "{packed}");
            assert!(mason.contains(&format!("file: {archive}\n      bin: {program}\n")), "Mason: {archive}");
        }
    }

    /// Where extensions for TOML look for the schemas.
    #[test]
    fn the_manifest_names_schemas_that_there_are() {
        let manifest: serde_json::Value = serde_json::from_str(&read("editors/vscode/package.json")).unwrap();
        let entries = manifest["contributes"]["tomlValidation"].as_array().unwrap();
        let names: Vec<_> = entries.iter().map(|entry| entry["fileMatch"].as_str().unwrap()).collect();
        assert_eq!(names, ["coopmat-analyzer.toml", "*.run.toml"]);
        for entry in entries {
            let url = entry["url"].as_str().unwrap();
            let main = "https://raw.githubusercontent.com/coopmat-analyzer/coopmat-analyzer/main/";
            let path = url.strip_prefix(main).expect("a file of this repository");
            assert!(read(path).contains("\"$schema\""), "{path}");
        }
    }

    #[test]
    fn the_run_takes_every_picture_that_the_readme_and_the_walkthrough_show() {
        let texts = [read("editors/vscode/README.md"), read("editors/vscode/package.json")];
        let mut shown = BTreeSet::new();
        for text in &texts {
            shown
                .extend(text.split("media/pictures/").skip(1).map(|rest| rest.split_once(".jpg").unwrap().0));
        }
        assert_eq!(shown, BTreeSet::from(PICTURES));
        for name in PICTURES {
            assert!(
                shell::root().join(format!("editors/vscode/media/pictures/{name}.jpg")).exists(),
                "{name}"
            );
        }
    }

    #[test]
    fn this_machine_has_a_platform() {
        assert!(here().is_ok());
    }
}
