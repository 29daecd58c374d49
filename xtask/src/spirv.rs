//! `cargo xtask spirv`: modules beside SPIRV-Tools and glslang.
//!
//! Without options, modules that glslang's program makes of examples and of its own tests, of every stage and with every kind of debug
//! information: each has to come back from our reader word for word, our text has to be `spirv-dis`'s, and `spirv-as` has to make
//! the same words of it. With `--differ`, our modules of llama.cpp's variants and of glslang's compute tests beside
//! glslang's: they have to do the same, and more (`xtask/compare/src/differ.rs`). With `--stages`, the same of shaders of other stages, which
//! stand in glslang's tests; a run without options does that as well.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{bench, corpus, debian, shell};

#[derive(clap::Args, Default)]
pub struct Options {
    /// Our modules beside glslang's: what they do, whether they are valid, how large they are (compiles glslang: minutes, once)
    #[arg(long)]
    differ: bool,
    /// glslang's tests of stages other than compute: what compiles, whether it is valid, and whether it does what glslang's modules do
    #[arg(long, conflicts_with = "differ")]
    stages: bool,
    /// With `--differ` or `--stages`: only shaders whose name contains this; prints their differences
    #[arg(long)]
    only: Option<String>,
    /// With `--differ`: only every n-th shader
    #[arg(long, requires = "differ")]
    every: Option<usize>,
    /// With `--only`: print all differences
    #[arg(long, requires = "only")]
    all: bool,
}

impl Options {
    /// A fixed sample of what `--differ` compares.
    pub fn sampled() -> Options {
        Options { differ: true, every: Some(6), ..Options::default() }
    }
}

pub fn run(options: &Options) -> Result<()> {
    debian::install()?;
    corpus::prepare()?;
    if options.differ {
        return differ(options);
    }
    if options.stages {
        return stages(options);
    }
    validate_ours()?;
    stages(options)?;
    let folder = shell::target().join("spirv");
    fs::create_dir_all(&folder)?;
    let count = compile_examples(&folder)? + compile_tests(&folder)?;
    if count < 100 {
        bail!("glslang made too few modules");
    }
    let mut check = Command::new(shell::optimised("coopmat-corpus")?);
    shell::run(with_tools(check.current_dir(shell::root()).arg("modules").arg("--folder").arg(folder))?)
}

fn differ(options: &Options) -> Result<()> {
    let mut differ = bench::compare("differ")?;
    differ.arg("--sources").arg(corpus::folder());
    differ.arg("--accepted").arg(shell::root().join("docs/spirv.md"));
    differ.arg("--folder").arg(shell::target().join("modules"));
    if let Some(only) = &options.only {
        differ.args(["--only", only]);
    }
    if let Some(every) = options.every {
        differ.arg(format!("--every={every}"));
    }
    if options.all {
        differ.arg("--all");
    }
    shell::run(with_tools(&mut differ)?)
}

/// Other stages than compute, from glslang's tests.
fn stages(options: &Options) -> Result<()> {
    let mut check = corpus::command("stages")?;
    check.arg("--accepted").arg(shell::root().join("docs/spirv.md"));
    check.arg("--folder").arg(shell::target().join("modules/stages"));
    for name in ["spirv-val", "glslang"] {
        check.arg(format!("--{name}")).arg(shell::describe(&tool(name)?));
    }
    if let Some(only) = &options.only {
        check.args(["--only", only]);
    }
    shell::run(&mut check)
}

fn with_tools(command: &mut Command) -> Result<&mut Command> {
    for name in ["spirv-val", "spirv-as", "spirv-dis"] {
        command.arg(format!("--{name}")).arg(shell::describe(&tool(name)?));
    }
    Ok(command)
}

/// The tests of what codegen makes of matrices and of every built-in function, with `spirv-val` looking at each module.
fn validate_ours() -> Result<()> {
    let mut tests = shell::tests("codegen")?;
    tests.args(["--quiet", "matrix::", "builtins::", "stages::"]);
    shell::run(tests.env("SPIRV_VAL", shell::describe(&tool("spirv-val")?)))
}

fn tool(name: &str) -> Result<Command> {
    debian::program(name).with_context(|| format!("no {name} in {}", debian::folder().display()))
}

/// Compiles unless the module is there; tells whether glslang takes the shader.
fn compile(source: &Path, into: &Path, target_env: &str, arguments: &[String]) -> Result<bool> {
    if into.exists() {
        return Ok(true);
    }
    let mut glslang = tool("glslang")?;
    // glslc, which llama.cpp is built with, switches the extension on by itself.
    glslang.args(["-V", "-P#extension GL_GOOGLE_include_directive : enable", "--target-env", target_env]);
    glslang.args(arguments).arg("-o").arg(into).arg(source);
    Ok(shell::succeeds(&mut glslang))
}

fn compile_examples(folder: &Path) -> Result<usize> {
    let mut count = 0;
    for group in ["khr", "nv2", "qcom", "coopvec"] {
        for source in files(&shell::root().join("examples").join(group), ".comp")? {
            let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            for (tag, arguments) in
                [("", vec![]), ("-lines", vec!["-g".into()]), ("-debug", vec!["-gVS".into()])]
            {
                let into = folder.join(format!("{name}{tag}.spv"));
                count += usize::from(compile(&source, &into, "vulkan1.3", &arguments)?);
            }
        }
    }
    Ok(count)
}

fn compile_tests(folder: &Path) -> Result<usize> {
    let mut count = 0;
    let bindings = ["--amb".to_owned(), "--aml".to_owned()];
    for source in files(&corpus::folder().join("glslang/Test"), "")? {
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // What is expected to be refused takes glslang's time for nothing, or ends it.
        if name.starts_with("spv.") && !name.to_lowercase().contains("error") && !name.ends_with(".out") {
            let into = folder.join(format!("{name}.spv"));
            count += usize::from(compile(&source, &into, "vulkan1.3", &bindings)?);
        }
    }
    Ok(count)
}

fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("no folder {}", folder.display()))?;
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    found.retain(|path| path.is_file() && path.to_string_lossy().ends_with(ending));
    found.sort();
    Ok(found)
}
