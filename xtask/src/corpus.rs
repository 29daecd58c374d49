//! `cargo xtask corpus`: real shaders, downloaded by cargo into the target folder and checked by `coopmat-corpus`.

mod download;
mod judge;
mod ncnn;
mod performance;
mod variants;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{debian, shell};

#[derive(clap::Args)]
pub struct Options {
    /// Check glslang's test folder against its expected outputs instead of llama.cpp's shaders
    #[arg(long)]
    glslang: bool,
    /// Format all of them instead: tokens must stay, and a second time must change nothing
    #[arg(long, conflicts_with_all = ["glslang", "actions"])]
    format: bool,
    /// Only download and list, check nothing
    #[arg(long)]
    download_only: bool,
    /// Apply the rewrites of code actions all over llama.cpp's shaders: none may break one
    #[arg(long, conflicts_with = "glslang")]
    actions: bool,
    /// Hold what hovers, lenses, the table of portability and a target device say of llama.cpp's shaders against each other
    #[arg(long, conflicts_with_all = ["glslang", "actions"])]
    agreement: bool,
    /// Rename what llama.cpp's types.glsl declares: every variant must stay what it is
    #[arg(long, conflicts_with_all = ["glslang", "actions"])]
    rename: bool,
    /// Compile all of them for every Vulkan version and with debug information: each module must be valid, or there is a sentence
    /// that says what it lacks
    #[arg(long, conflicts_with_all = ["glslang", "actions", "rename"])]
    targets: bool,
    /// Run llama.cpp's matrix multiplications and attention on the simulator, from our modules and glslang's, and compare with references
    #[arg(long, conflicts_with_all = ["glslang", "actions", "rename", "targets"])]
    simulate: bool,
    /// Run all of llama.cpp's variants with cooperative matrices on the simulator, and let ggml's CPU backend judge the results
    #[arg(long, conflicts_with_all = ["glslang", "actions", "rename", "targets", "simulate"])]
    judged: bool,
    /// Hold what is said of scalars in shared memory before a run, for llama.cpp's judged kernels, against profiles of their runs
    #[arg(long, conflicts_with_all = ["glslang", "actions", "rename", "targets", "simulate", "judged"])]
    performance: bool,
    /// Hold ncnn's shaders, put together under sets of its options, against glslang and spirv-val
    #[arg(long, conflicts_with_all = ["glslang", "actions", "format", "rename", "targets", "simulate"])]
    ncnn: bool,
    /// Arguments for the check itself (see `cargo xtask corpus -- --help`)
    #[arg(last = true)]
    rest: Vec<String>,
}

/// The folder with the downloaded sources and what was derived from them.
pub fn folder() -> PathBuf {
    shell::target().join("corpus")
}

/// Makes everything in the folder present; does nothing when it is.
pub fn prepare() -> Result<()> {
    download::run()?;
    variants::list()
}

pub fn run(options: &Options) -> Result<()> {
    if options.ncnn && !options.download_only {
        return compare_ncnn(&options.rest);
    }
    prepare()?;
    if options.download_only {
        return ncnn::prepare();
    }
    if options.simulate {
        return shell::run(simulate()?.args(&options.rest));
    }
    if options.performance {
        return performance::compare();
    }
    if options.judged {
        return shell::run(judged()?.args(&options.rest));
    }
    let mut check = command(match options {
        Options { glslang: true, .. } => "glslang",
        Options { actions: true, .. } => "actions",
        Options { agreement: true, .. } => "agreement",
        Options { format: true, .. } => "format",
        Options { rename: true, .. } => "rename",
        Options { targets: true, .. } => "targets",
        _ => "llama",
    })?;
    if options.targets {
        validate(&mut check)?;
    }
    shell::run(check.args(&options.rest))
}

/// Gives a check of modules what it needs.
fn validate(check: &mut Command) -> Result<()> {
    debian::install()?;
    let validator = debian::program("spirv-val").context("no spirv-val")?;
    check.arg("--write").arg(shell::target().join("spirv/targets"));
    check.args(["--validator", &shell::describe(&validator)]);
    Ok(())
}

/// glslang's tests: errors where it has some, and of what has none a valid module, or a warning that it is not compiled.
pub fn check_glslang() -> Result<()> {
    checked("glslang", &[])?;
    let mut check = command("targets")?;
    validate(&mut check)?;
    shell::run(check.args(["--glslang-only", "--own"]))
}

/// The checker with what runs shaders on the simulator needs.
fn simulate() -> Result<Command> {
    debian::install()?;
    let glslang = debian::program("glslang").context("no glslang")?;
    let mut check = command("simulate")?;
    check.args(["--glslang", &shell::describe(&glslang)]);
    check.arg("--folder").arg(shell::target().join("simulated"));
    check.arg("--document").arg(shell::root().join("docs/llama-runs.md"));
    Ok(check)
}

/// llama.cpp's shaders on the simulator: a part of the tests.
pub fn check_simulated() -> Result<()> {
    prepare()?;
    shell::run(&mut simulate()?)
}

/// The checker with ggml for a judge, and what runs shaders on the simulator needs.
fn judged() -> Result<Command> {
    debian::install()?;
    let glslang = debian::program("glslang").context("no glslang")?;
    let mut check = command("judged")?;
    check.args(["--glslang", &shell::describe(&glslang)]);
    check.arg("--judge").arg(judge::build()?);
    check.arg("--folder").arg(shell::target().join("judged"));
    check.arg("--document").arg(shell::root().join("docs/llama-runs.md"));
    Ok(check)
}

/// A sample of llama.cpp's variants, judged by ggml: a part of the tests.
pub fn check_judged() -> Result<()> {
    prepare()?;
    shell::run(judged()?.args(["--sample", "8"]))
}

/// The folder `src` of ncnn's source package, its shaders alone.
pub fn ncnn() -> Result<PathBuf> {
    ncnn::prepare()?;
    Ok(folder().join("ncnn"))
}

/// llama.cpp's folder in the Cargo package that has it, which is cargo's: to be copied.
pub fn llama() -> Result<PathBuf> {
    download::llama()
}

/// llama.cpp's variants as a build of theirs is captured.
pub fn check_captured() -> Result<()> {
    download::run()?;
    variants::capture(&shell::server()?)
}

/// llama.cpp's shaders and a project file above them, as `import --capture` writes it.
pub fn llama_as_project(program: &Path) -> Result<(PathBuf, PathBuf)> {
    download::run()?;
    variants::as_project(program)
}

/// ncnn's shaders, or some of them.
fn compare_ncnn<S: AsRef<OsStr>>(options: &[S]) -> Result<()> {
    ncnn::prepare()?;
    debian::install()?;
    let tool = |name| debian::program(name).with_context(|| format!("no {name}"));
    let mut check = command("ncnn")?;
    check.arg("--folder").arg(shell::target().join("ncnn"));
    check.args(["--spirv-val", &shell::describe(&tool("spirv-val")?)]);
    check.args(["--glslang", &shell::describe(&tool("glslang")?)]);
    shell::run(check.args(options))
}

/// A sample of ncnn's shaders: a part of the tests.
pub fn check_ncnn() -> Result<()> {
    compare_ncnn(&["--every=41"])
}

/// The optimised checker; its subcommand says over what.
pub fn command(subcommand: &str) -> Result<Command> {
    let mut check = Command::new(shell::optimised("coopmat-corpus")?);
    check.current_dir(shell::root()).arg(subcommand).arg("--sources").arg(folder());
    let docs = shell::root().join("docs");
    match subcommand {
        // The project file that is documented is held against the shaders, too.
        "ncnn" => check.arg("--page").arg(docs.join("project-file.md")),
        "actions" | "agreement" | "format" | "rename" | "targets" | "simulate" | "judged" | "stages" => {
            &mut check
        }
        "glslang" => check.arg("--divergences").arg(docs.join("divergences.md")),
        _ => check.arg("--judged").arg(docs.join("corpus.md")),
    };
    Ok(check)
}

/// Everything that the folder needs, then one of the checks.
pub fn checked(subcommand: &str, options: &[&str]) -> Result<()> {
    prepare()?;
    shell::run(command(subcommand)?.args(options))
}
