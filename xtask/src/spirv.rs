//! `cargo xtask spirv`: real modules through our reader and printer, beside SPIRV-Tools.
//!
//! glslang compiles examples, its own tests and a share of llama.cpp's variants. Each module has to come back word for word, our
//! text has to be `spirv-dis`'s, and `spirv-as` has to make the same words of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use coopmat_spirv::text::{self, Options as TextOptions};
use coopmat_spirv::{assemble, load_bytes, to_bytes};

use crate::{corpus, debian, shell};

#[derive(clap::Args)]
pub struct Options {
    /// Compile one of so many of llama.cpp's variants
    #[arg(long, default_value_t = 8)]
    pub every: usize,
}

/// Names that have a newer spelling in SPIRV-Tools than in rspirv; `spirv-as` takes both.
const NEWER_NAMES: [(&str, &str); 9] = [
    ("RayTracingOpacityMicromapKHR", "RayTracingOpacityMicromapEXT"),
    ("CooperativeMatrixConvertUseEXT", "CooperativeMatrixConvertNV"),
    ("CooperativeMatrixReduceEXT", "CooperativeMatrixReduceNV"),
    ("CooperativeMatrixPerElementOpEXT", "CooperativeMatrixPerElementOpNV"),
    ("CooperativeMatrixReductionsEXT", "CooperativeMatrixReductionsNV"),
    ("CooperativeMatrixPerElementOperationsEXT", "CooperativeMatrixPerElementOperationsNV"),
    ("SplitBarrierEXT", "SplitBarrierINTEL"),
    ("ControlBarrierArriveEXT", "ControlBarrierArriveINTEL"),
    ("ControlBarrierWaitEXT", "ControlBarrierWaitINTEL"),
];

/// Tests of glslang whose constants `spirv-as` reads otherwise than `spirv-dis` writes them, or whose names it does not
/// know; ours are written so that they come back.
const WRITTEN_OTHERWISE: [&str; 5] = [
    "spv.floate2m1.const.comp",
    "spv.floate2m3.const.comp",
    "spv.floate3m2.const.comp",
    "spv.floatue8m0.const.comp",
    "spv.intrinsicsDebugBreak.frag",
];

pub fn run(options: &Options) -> Result<()> {
    debian::install()?;
    validate_ours()?;
    corpus::prepare()?;
    let folder = shell::target().join("spirv");
    fs::create_dir_all(&folder)?;
    let mut modules = compile_examples(&folder)?;
    modules.extend(compile_tests(&folder)?);
    modules.extend(compile_variants(&folder, options.every.max(1))?);
    let mut failed = 0;
    for module in &modules {
        if let Err(error) = check(module, &folder) {
            println!("{}: {error:#}", module.display());
            failed += 1;
        }
    }
    println!("{} modules, {failed} failed", modules.len());
    if modules.len() < 100 {
        bail!("glslang made too few modules");
    }
    if failed > 0 { bail!("{failed} of {} modules", modules.len()) } else { Ok(()) }
}

/// The tests of what codegen makes of matrices and of every built-in function, with `spirv-val` looking at each module.
fn validate_ours() -> Result<()> {
    let mut tests = shell::cargo(["test", "--quiet", "--package", "coopmat-codegen"]);
    tests.args(["--test", "matrix", "--test", "builtins"]);
    shell::run(tests.env("SPIRV_VAL", shell::describe(&tool("spirv-val")?)))
}

fn tool(name: &str) -> Result<Command> {
    debian::program(name).with_context(|| format!("no {name} in {}", debian::folder().display()))
}

/// Compiles unless the module is there; nothing where glslang refuses the shader.
fn compile(source: &Path, into: PathBuf, target_env: &str, arguments: &[String]) -> Result<Option<PathBuf>> {
    if into.exists() {
        return Ok(Some(into));
    }
    let mut glslang = tool("glslang")?;
    // glslc, which llama.cpp is built with, switches the extension on by itself.
    glslang.args(["-V", "-P#extension GL_GOOGLE_include_directive : enable", "--target-env", target_env]);
    glslang.args(arguments).arg("-o").arg(&into).arg(source);
    Ok(shell::try_output(&mut glslang).map(|_| into))
}

fn compile_examples(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut modules = Vec::new();
    for group in ["khr", "nv2", "qcom"] {
        for source in files(&shell::root().join("examples").join(group), ".comp")? {
            let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            for (tag, arguments) in
                [("", vec![]), ("-lines", vec!["-g".into()]), ("-debug", vec!["-gVS".into()])]
            {
                let into = folder.join(format!("{name}{tag}.spv"));
                modules.extend(compile(&source, into, "vulkan1.3", &arguments)?);
            }
        }
    }
    Ok(modules)
}

fn compile_tests(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut modules = Vec::new();
    let bindings = ["--amb".to_owned(), "--aml".to_owned()];
    for source in files(&corpus::folder().join("glslang/Test"), "")? {
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // What is expected to be refused takes glslang's time for nothing, or ends it.
        if name.starts_with("spv.") && !name.to_lowercase().contains("error") && !name.ends_with(".out") {
            modules.extend(compile(&source, folder.join(format!("{name}.spv")), "vulkan1.3", &bindings)?);
        }
    }
    Ok(modules)
}

fn compile_variants(folder: &Path, every: usize) -> Result<Vec<PathBuf>> {
    let llama = corpus::folder().join("llama");
    let table = fs::read_to_string(llama.join("variants.tsv"))?;
    let mut modules = Vec::new();
    for row in table.lines().step_by(every) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [source, output, target_env, defines] = cells.as_slice() else { bail!("not four cells: {row}") };
        let mut arguments: Vec<String> = defines
            .split('\u{1f}')
            .filter(|define| !define.is_empty())
            .map(|define| format!("-D{define}"))
            .collect();
        let sources = llama.join("vulkan-shaders");
        arguments.push(format!("-I{}", sources.display()));
        let into = folder.join(format!("llama-{output}"));
        let module = compile(&sources.join(source), into, target_env, &arguments)?;
        modules.push(module.with_context(|| format!("glslang refuses {output}"))?);
    }
    Ok(modules)
}

fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("no folder {}", folder.display()))?;
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    found.retain(|path| path.is_file() && path.to_string_lossy().ends_with(ending));
    found.sort();
    Ok(found)
}

fn check(path: &Path, folder: &Path) -> Result<()> {
    let bytes = fs::read(path)?;
    // glslang leaves 0 in places where there has to be an id; then there is nothing to compare with.
    let listing = tool("spirv-dis")?.arg("--no-color").arg(path).output()?;
    let module = load_bytes(&bytes)?;
    if to_bytes(&assemble(&module)?) != bytes {
        bail!("comes back as other words");
    }
    let friendly = text::disassemble(&module, &TextOptions::default()).text;
    if !listing.status.success() {
        return Ok(());
    }
    let mut expected = String::from_utf8_lossy(&listing.stdout).into_owned();
    for (newer, ours) in NEWER_NAMES {
        expected = expected.replace(newer, ours);
    }
    let written_otherwise =
        WRITTEN_OTHERWISE.iter().any(|name| path.file_stem().is_some_and(|stem| stem == *name));
    if !written_otherwise
        && let Some((ours, theirs)) =
            friendly.lines().zip(expected.lines()).find(|(ours, theirs)| ours != theirs)
    {
        bail!("our text is\n  {ours}\nand spirv-dis's\n  {theirs}");
    }
    let numbers =
        text::disassemble(&module, &TextOptions { friendly_names: false, ..TextOptions::default() }).text;
    let version = module.header.as_ref().map_or((1, 0), |header| header.version());
    let again = assembled(&numbers, version, true, folder)?;
    // The header tells of the tool that wrote it, and of the highest id that it saw.
    if again.get(20..) != bytes.get(20..) {
        bail!("spirv-as makes other words of our text with numbers");
    }
    // With friendly names the ids are given anew, in the order of the text.
    let renumbered = load_bytes(&assembled(&friendly, version, false, folder)?)?;
    if !renumbered
        .all_inst_iter()
        .map(coopmat_spirv::opcode)
        .eq(module.all_inst_iter().map(coopmat_spirv::opcode))
    {
        bail!("spirv-as makes other instructions of our text with names");
    }
    Ok(())
}

fn assembled(text: &str, (major, minor): (u8, u8), keep_ids: bool, folder: &Path) -> Result<Vec<u8>> {
    let (source, binary) = (folder.join("text.spvasm"), folder.join("text.spv"));
    fs::write(&source, text)?;
    let mut spirv_as = tool("spirv-as")?;
    spirv_as.args(["--target-env", &format!("spv{major}.{minor}")]);
    if keep_ids {
        spirv_as.arg("--preserve-numeric-ids");
    }
    let output = spirv_as.arg(&source).arg("-o").arg(&binary).output()?;
    if !output.status.success() {
        bail!("spirv-as refuses our text: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(fs::read(&binary)?)
}
