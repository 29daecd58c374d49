//! `cargo xtask dist`: the playground, with the book beside it, as a folder of files that any static host serves, under any path; with `--vscode` the
//! extension's packages, with `--npm` the package of npm.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::wasm::{Profile, Vectors};
use crate::{book, notices, npm, playground, setup, shell, vscode};

#[derive(clap::Args)]
pub struct Options {
    /// Write a .br beside each file, for hosts that serve what is compressed already
    #[arg(long)]
    brotli: bool,
    /// Leave out the build for browsers without WebAssembly's vector instructions, which takes as long as the other one
    #[arg(long)]
    no_fallback: bool,
    /// Then open the page in headless Chromium and Firefox with each build of the module, and hold every example's results to the native program's bits
    #[arg(long)]
    check: bool,
    /// Fail when what a first visit downloads is over the budget
    #[arg(long)]
    require: bool,
    /// Make the packages of the extension for VS Code as well: one with this platform's program, one for all others
    #[arg(long)]
    vscode: bool,
    /// Make the npm package as well, install it, and run its example in Node.js
    #[arg(long)]
    npm: bool,
    /// With --vscode: pack this program instead of building the one for this platform; once for each platform
    #[arg(long, value_name = "PLATFORM=FILE", requires = "vscode")]
    program: Vec<vscode::Program>,
}

/// Of what a first visit downloads, compressed with brotli. The module was to stay below 1,600 kB until the server came to read project files, logs of builds
/// and their variants, one table of all instructions, what completion learned of the order of words (15 kB), cooperative vectors (20 kB), shaders of all
/// stages (85 kB, ray queries, hit objects, tensors and heaps of descriptors among them), first recipes that know products (40 kB), verdicts of ownerships
/// and more of ggml's blocks (7 kB), the sources of modules from any compiler (3 kB), sparse textures, attachments of tiles, casts and data breakpoints
/// (14 kB), rates of devices, choices of recipes and two more diagnostics (6 kB), modules as files of the page (28 kB, of which 20 kB came back as the module no
/// longer says where panics come from), samplers, levels, formats and cubes of images (18 kB), and modules that are compared and debugged in their own text, with
/// the costs of lines (37 kB): at 20 Mbit/s, 0.8 s.
const WEBASSEMBLY: u64 = 2_060_000;
const JAVASCRIPT: u64 = 350_000;

pub fn run(options: &Options) -> Result<()> {
    setup::for_page(options.check)?;
    playground::packages()?;
    playground::module(Profile::Web, Vectors::Yes)?;
    playground::wgsl(Profile::Web)?;
    let plain = playground::pkg().join("plain");
    if options.no_fallback {
        if plain.exists() {
            fs::remove_dir_all(&plain)?;
        }
    } else {
        playground::module(Profile::Web, Vectors::No)?;
        same_interface(&plain)?;
    }
    playground::page(playground::Book::Beside)?;
    let dist = playground::folder().join("dist");
    let sizes = sizes(&dist, options.brotli)?;
    report(&sizes);
    // Beside the page, and no part of a first visit.
    book::copy_to(&dist.join("book"))?;
    let notices = notices::write()?;
    fs::copy(&notices, dist.join("THIRD-PARTY.md")).context("cannot copy the licences")?;
    println!("The folder is {}: copy it to any static host, below any path.", dist.display());
    if options.check {
        check(!options.no_fallback)?;
    }
    let over = over_budget(&sizes);
    for words in &over {
        println!("over budget: {words}");
    }
    if options.npm {
        npm::dist(&notices)?;
    }
    if options.vscode {
        vscode::dist(&options.program)?;
    }
    if options.require && !over.is_empty() {
        bail!("the page is larger than it may be");
    }
    Ok(())
}

fn check(fallback: bool) -> Result<()> {
    shell::server()?;
    let tests = || {
        let names = "first visit|native program's bits|vector instructions|under any path";
        playground::tool("vitest", &["run", "--config", "vitest.browser.config.ts", "-t", names])
    };
    shell::run(&mut tests())?;
    if fallback {
        println!("the same without vector instructions:");
        shell::run(tests().env("PLAIN_MODULE", "1"))?;
    }
    Ok(())
}

/// The page's worker has the JavaScript of one build for both modules.
fn same_interface(plain: &Path) -> Result<()> {
    let name = "coopmat.js";
    let read = |folder: &Path| fs::read(folder.join(name)).with_context(|| format!("cannot read {name}"));
    if read(plain)? != read(&playground::pkg())? {
        bail!("the two builds of the module differ in what they ask of JavaScript");
    }
    Ok(())
}

pub struct Size {
    name: String,
    bytes: u64,
    brotli: u64,
}

impl Size {
    fn is(&self, kind: &str) -> bool {
        self.name.ends_with(kind)
    }
}

/// What each file takes as it is and compressed, as Node.js's own brotli makes it.
pub fn sizes(dist: &Path, keep: bool) -> Result<Vec<Size>> {
    let mut measure = playground::node();
    measure.arg(playground::folder().join("build/brotli.mjs")).arg(dist);
    measure.arg("--known").arg(shell::target().join("playground/brotli.json"));
    if keep {
        measure.arg("--keep");
    }
    let text = shell::try_output(&mut measure).context("cannot compress the files")?;
    let rows = text.lines().map(|line| {
        let mut words = line.splitn(3, ' ');
        let mut number = || words.next().and_then(|word| word.parse().ok());
        let (bytes, brotli) = (number(), number());
        let name = words.next().map(str::to_owned);
        Some(Size { bytes: bytes?, brotli: brotli?, name: name? })
    });
    rows.collect::<Option<Vec<Size>>>().context("the sizes cannot be read")
}

/// All but the module for browsers without vector instructions, the compiler of WGSL, and the book.
fn first_visit(sizes: &[Size]) -> impl Iterator<Item = &Size> {
    sizes.iter().filter(|size| {
        !["assets/plain-", "assets/wgsl_bg-", "book/"].iter().any(|start| size.name.starts_with(start))
    })
}

pub fn report(sizes: &[Size]) {
    println!("{:>10} {:>10}  file", "bytes", "brotli");
    for Size { name, bytes, brotli } in sizes.iter().filter(|size| size.brotli > 4096) {
        println!("{bytes:>10} {brotli:>10}  {name}");
    }
    for kind in [".wasm", ".js", ".css"] {
        let (count, bytes, brotli) = total(sizes, kind);
        println!("{bytes:>10} {brotli:>10}  all {count} {kind}");
    }
}

fn total(sizes: &[Size], kind: &str) -> (usize, u64, u64) {
    let of_kind = first_visit(sizes).filter(|size| size.is(kind));
    of_kind
        .fold((0, 0, 0), |(count, bytes, brotli), size| (count + 1, bytes + size.bytes, brotli + size.brotli))
}

/// The compressed sizes of a first visit beside what they may be: words, size, limit.
pub fn budgets(sizes: &[Size]) -> [(&'static str, u64, u64); 2] {
    [
        ("WebAssembly of a first visit, with brotli", total(sizes, ".wasm").2, WEBASSEMBLY),
        ("JavaScript, with brotli", total(sizes, ".js").2, JAVASCRIPT),
    ]
}

pub fn over_budget(sizes: &[Size]) -> Vec<String> {
    budgets(sizes)
        .into_iter()
        .filter(|(_, size, limit)| size > limit)
        .map(|(words, size, limit)| format!("{words}: {size} bytes, {limit} are allowed"))
        .collect()
}
