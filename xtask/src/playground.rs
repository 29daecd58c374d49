//! `cargo xtask playground`: builds the page, and serves it on this machine or tries it in a real browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::count::Count;
use crate::wasm::{Profile, Vectors};
use crate::{corpus, setup, shell, wasm};

#[derive(clap::Args)]
pub struct Options {
    /// Open the page in headless Chromium and Firefox, see that it works, and end
    #[arg(long)]
    check: bool,
    /// Build the WebAssembly in seconds, without optimising it: for work on the page
    #[arg(long)]
    quick: bool,
    /// Build `playground-web/shared/pkg`, the WebAssembly and its JavaScript side, and end
    #[arg(long, conflicts_with = "check")]
    module_only: bool,
    /// Make the pictures of the gallery anew, of runs of the examples in the page, and end
    #[arg(long, conflicts_with_all = ["check", "module_only"])]
    thumbnails: bool,
    /// The port on localhost
    #[arg(long, default_value_t = 5173)]
    port: u16,
}

pub fn run(options: &Options) -> Result<()> {
    let profile = if options.quick { Profile::Quick } else { Profile::Web };
    if options.module_only {
        setup::webassembly()?;
        module(profile, Vectors::Yes)?;
        return wgsl(profile);
    }
    setup::for_page(options.check || options.thumbnails)?;
    build(profile)?;
    if options.thumbnails {
        return shell::run(&mut tool("vitest", &["run", "--config", "vitest.thumbnails.config.ts"]));
    }
    if options.check {
        return shell::run(&mut tool(
            "vitest",
            &["run", "--config", "vitest.browser.config.ts", "-t", "first visit|of the example meets"],
        ));
    }
    println!("The playground is at http://127.0.0.1:{}/ until this command is stopped.", options.port);
    let port = options.port.to_string();
    shell::run(&mut tool("vite", &["preview", "--host", "127.0.0.1", "--strictPort", "--port", &port]))
}

/// Every check of the page: types and lints, units, and a real browser.
pub fn test() -> Result<Count> {
    build(Profile::Web)?;
    // Results of the page are compared with the native program's.
    let native = shell::server()?;
    let mut browser = tool("vitest", &["run", "--config", "vitest.browser.config.ts"]);
    // A project of another's, as large as they come.
    let (shaders, project) = corpus::llama_as_project(&native)?;
    browser.env("COOPMAT_ANALYZER", native).env("LLAMA_SHADERS", shaders).env("LLAMA_PROJECT", project);
    let mut count = Count::default();
    match shell::run(&mut tool("biome", &["ci", "."])) {
        Ok(()) => count.passed += 1,
        Err(error) => {
            eprintln!("error: {error:#}");
            count.failed += 1;
        }
    }
    for mut tests in [tool("vitest", &["run"]), browser] {
        let part = vitest(&mut tests)?;
        count.passed += part.passed;
        count.failed += part.failed;
    }
    Ok(count)
}

/// Runs tests of the page, and counts them by what their reporter (`tests/outcome.ts`) leaves behind.
fn vitest(tests: &mut Command) -> Result<Count> {
    let outcome = shell::target().join("playground/outcome.txt");
    if outcome.exists() {
        fs::remove_file(&outcome)?;
    }
    let result = shell::run(tests);
    let text = fs::read_to_string(&outcome).unwrap_or_default();
    let passed = text.lines().find_map(|line| line.strip_prefix("passed ")?.parse().ok());
    let failed = text.lines().filter(|line| line.starts_with("failed ")).count();
    if let Err(error) = &result {
        eprintln!("error: {error:#}");
    }
    // What ends badly without a test that did has failed all the same.
    let failed = failed.max(usize::from(result.is_err() || passed.is_none()));
    Ok(Count { passed: passed.unwrap_or(0), failed })
}

/// Makes `playground-web/dist`: the module, its JavaScript side, the page.
pub fn build(profile: Profile) -> Result<()> {
    module(profile, Vectors::Yes)?;
    wgsl(profile)?;
    // The other build of the module may be there from an earlier `dist`: of other sources, as it is not built anew here.
    let plain = pkg().join("plain");
    if plain.exists() {
        fs::remove_dir_all(&plain)?;
    }
    packages()?;
    page(Book::OfThePublicPage)
}

/// Where the page's links to the book lead.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Book {
    Beside,
    OfThePublicPage,
}

/// Makes `playground-web/dist` of what [`module`] made.
pub fn page(book: Book) -> Result<()> {
    shell::run(&mut tool("tsc", &["--noEmit"]))?;
    let mut build = tool("vite", &["build"]);
    if book == Book::Beside {
        // `build/links.ts` reads it.
        build.env("VITE_BOOK", "beside");
    }
    shell::run(&mut build)
}

/// Makes `playground-web/shared/pkg`, or `plain` in it for browsers without vector instructions.
pub fn module(profile: Profile, vectors: Vectors) -> Result<()> {
    let pkg = match vectors {
        Vectors::Yes => pkg(),
        Vectors::No => pkg().join("plain"),
    };
    bound("coopmat-playground", profile, vectors, (&pkg, "coopmat"))
}

/// Makes `wgsl` in it: the compiler of WGSL, which few visits load. It has no use for vector instructions, so there is one build for all browsers.
pub fn wgsl(profile: Profile) -> Result<()> {
    bound("coopmat-playground-wgsl", profile, Vectors::No, (&pkg().join("wgsl"), "wgsl"))
}

/// Builds a package and its JavaScript side, into a folder and under a name.
fn bound(package: &str, profile: Profile, vectors: Vectors, (folder, name): (&Path, &str)) -> Result<()> {
    let module = wasm::build(package, profile, vectors)?;
    // What it reads and writes is fixed by the version of wasm-bindgen, which Cargo.lock holds.
    shell::run(&mut shell::cargo(["build", "--quiet", "--workspace", "--bin", "coopmat-bindgen"]))?;
    let mut bindgen = Command::new(shell::built("debug", "coopmat-bindgen"));
    bindgen.arg(&module).arg(folder).arg(name);
    if profile == Profile::Web {
        bindgen.arg("--arrange");
    }
    shell::run(&mut bindgen)
}

pub fn folder() -> PathBuf {
    shell::root().join("playground-web")
}

/// Where the module is made: in the package that the page and the extension for VS Code have in common.
pub fn pkg() -> PathBuf {
    folder().join("shared/pkg")
}

/// Installs the npm packages that package-lock.json names, when they are not what is there.
pub fn packages() -> Result<()> {
    packages_in(&folder())
}

/// The same for any folder with a package-lock.json.
pub fn packages_in(folder: &Path) -> Result<()> {
    let lock = folder.join("package-lock.json");
    let installed = folder.join("node_modules/.package-lock.json");
    if newer(&installed, &lock) {
        return Ok(());
    }
    println!("installing npm packages into {}", folder.join("node_modules").display());
    // Not `npm ci`: it refuses a lock file without the programs for platforms that the registry did not offer.
    let arguments = ["install", "--no-save", "--no-audit", "--no-fund"];
    shell::run(setup::with_node(&mut Command::new("npm")).args(arguments).current_dir(folder))
}

fn newer(this: &Path, other: &Path) -> bool {
    let time = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    matches!((time(this), time(other)), (Some(this), Some(other)) if this >= other)
}

/// A program of the page's npm packages.
pub fn tool(name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(folder().join("node_modules/.bin").join(name));
    setup::with_node(&mut command).args(arguments).current_dir(folder());
    command
}

pub fn node() -> Command {
    let mut command = Command::new("node");
    setup::with_node(&mut command).current_dir(folder());
    command
}
