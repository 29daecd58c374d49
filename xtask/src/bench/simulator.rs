//! `cargo xtask bench --simulator`: products of 512 x 512 matrices on one thread, on two, and as WebAssembly, beside a plain loop and the crate
//! `gemm`; what checked mode costs over the examples. Everything is measured turn by turn, several times, and the best of each counts: other
//! work on the machine then hardly changes the ratios.

mod tiers;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::figures::{Better, Figure, Found};
use crate::{shell, wasm};

/// Shader, rows and columns that a workgroup makes, and what it is.
const SHADERS: [(&str, &str, &str); 4] = [
    ("unrolled", "64", "loads and multiply-adds, 4 x 4 blocks a subgroup, loops over blocks unrolled"),
    ("blocks", "64", "the same with loops and arrays of matrices"),
    ("plain", "16", "loads and multiply-adds, one block a subgroup"),
    ("staged", "64", "staged in shared memory, four subgroups"),
];

const ROUNDS: usize = 3;
const RUNS: &str = "4";

/// What a profile may look at.
pub fn names() -> impl Iterator<Item = &'static str> {
    SHADERS.into_iter().map(|(name, ..)| name)
}

/// One of the shaders, run once behind what `before` starts.
pub fn one(mut before: Command, name: &str) -> Result<Command> {
    let (_, tile, _) = SHADERS.into_iter().find(|(known, ..)| *known == name).context("no such shader")?;
    let folder = folder()?;
    let program = build(&folder, "native", &[])?;
    let module = module(&source(name), &shell::optimised_server()?, &folder)?;
    before.arg(program).arg("shader").arg(module).args([tile, "sequential", "1", "1"]);
    Ok(before)
}

/// The programs that are compared.
struct Builds {
    native: PathBuf,
    baseline: PathBuf,
    wasm: PathBuf,
    /// What compiles the shaders.
    analyzer: PathBuf,
    folder: PathBuf,
}

/// The whole table.
pub fn run() -> Result<()> {
    let builds = builds()?;
    products(&builds, ROUNDS)?;
    modes(&builds)?;
    let examples = examples(&builds)?;
    tiers::run(&builds, &examples)?;
    checked(&builds, &examples)
}

/// The ratios that are kept: to the crate `gemm`, and of WebAssembly to the same build for any x86-64.
pub fn figures() -> Result<Found> {
    let mut found = Found::default();
    let products = products(&builds()?, 2 * ROUNDS)?;
    let rate = |id: String, what: String, ours: &[f64]| Figure {
        id,
        what,
        unit: "GFLOP/s",
        ours: ours.to_vec(),
        peer: None,
        better: Better::More,
    };
    for ((name, _, what), rates) in SHADERS.into_iter().zip(&products.rates) {
        let one = rate(format!("simulator/{name}"), format!("`{name}`: {what}"), &rates[0]);
        found.figures.push(one.beside("crate `gemm`, f32", products.gemm.clone()));
        let web =
            rate(format!("simulator/{name}-wasm"), format!("`{name}` as WebAssembly in Node.js"), &rates[4]);
        found.figures.push(web.beside("natively, for any x86-64", rates[3].clone()));
    }
    found.note(
        "Products of 512 x 512 x 512, f16 with f32 accumulators, 16x16x16, subgroups of 32, mode `sequential`, one thread, the same bits from all of them. \
         The whole table is that of `cargo xtask bench --simulator`: [simulator](simulator.md#speed).",
    );
    Ok(found)
}

fn folder() -> Result<PathBuf> {
    let folder = shell::target().join("speed");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn source(name: &str) -> PathBuf {
    shell::root().join("xtask/speed/src/shaders").join(name).with_extension("comp")
}

fn builds() -> Result<Builds> {
    let folder = folder()?;
    let analyzer = shell::optimised_server()?;
    let native = build(&folder, "native", &[])?;
    let baseline = build(&folder, "baseline", &["--features", "baseline"])?;
    let wasm = wasm::build("coopmat-speed", wasm::Profile::Fast, wasm::Vectors::Yes)?;
    Ok(Builds { native, baseline, wasm, analyzer, folder })
}

fn build(folder: &Path, name: &str, features: &[&str]) -> Result<PathBuf> {
    let package = ["build", "--release", "--package", "coopmat-speed"];
    shell::run(&mut shell::cargo(package.iter().chain(features)))?;
    let copy = folder.join(format!("coopmat-speed-{name}{}", std::env::consts::EXE_SUFFIX));
    let built =
        shell::target().join("release").join(format!("coopmat-speed{}", std::env::consts::EXE_SUFFIX));
    std::fs::copy(&built, &copy).with_context(|| format!("cannot copy {}", built.display()))?;
    Ok(copy)
}

/// A shader's module, compiled by ourselves.
fn module(shader: &Path, analyzer: &Path, folder: &Path) -> Result<PathBuf> {
    let name = shader.with_extension("spv");
    let module = folder.join(name.file_name().context("a shader should have a name")?);
    let mut compile = Command::new(analyzer);
    compile.arg("spirv").arg(shader).arg("-o").arg(&module);
    ensure!(shell::succeeds(&mut compile), "{} fails", shell::describe(&compile));
    Ok(module)
}

/// A rate, the fingerprint of the result, and perhaps another rate.
fn measured(command: &mut Command) -> Result<(f64, String, f64)> {
    let text = shell::output(command)?;
    let mut words = text.split_whitespace();
    let rate = words.next().context("nothing was measured")?.parse()?;
    let made = words.next().context("no result")?.to_owned();
    Ok((rate, made, words.next().map_or(Ok(0.0), str::parse)?))
}

fn native(program: &Path, words: &[&str]) -> Result<(f64, String, f64)> {
    measured(Command::new(program).args(words))
}

/// Rates of each round.
struct Products {
    gemm: Vec<f64>,
    /// For each shader: one thread, two (on the wall, and of all processor time), baseline, WebAssembly.
    rates: [[Vec<f64>; 5]; SHADERS.len()],
}

fn products(builds: &Builds, rounds: usize) -> Result<Products> {
    let mut reference = [const { Vec::new() }; 2];
    let mut expected = String::new();
    let mut rates = [const { [const { Vec::new() }; 5] }; SHADERS.len()];
    for round in 1..=rounds {
        eprintln!("  round {round} of {rounds}");
        for (name, all) in ["loop", "gemm"].into_iter().zip(&mut reference) {
            let (rate, made, _) = native(&builds.native, &[name, RUNS])?;
            all.push(rate);
            ensure!(expected.is_empty() || expected == made, "{name} gives another result");
            expected = made;
        }
        for ((name, tile, _), rates) in SHADERS.into_iter().zip(&mut rates) {
            let module = module(&source(name), &builds.analyzer, &builds.folder)?;
            let module = module.to_str().context("the target folder's name should be text")?;
            let of = |program: &Path, threads| {
                native(program, &["shader", module, tile, "sequential", threads, RUNS])
            };
            let mut web = Command::new("node");
            let script = shell::root().join("xtask/speed/src/web.mjs");
            web.arg(script).arg(&builds.wasm).args([module, tile, "1", RUNS]);
            let (one, two) = (of(&builds.native, "1")?, of(&builds.native, "2")?);
            let (baseline, web) = (of(&builds.baseline, "1")?, measured(&mut web)?);
            for made in [&one.1, &two.1, &baseline.1, &web.1] {
                ensure!(*made == expected, "{name} gives another result somewhere");
            }
            let found = [one.0, two.0, two.2, baseline.0, web.0];
            rates.iter_mut().zip(found).for_each(|(all, rate)| all.push(rate));
        }
    }
    // Other work on the machine only takes away: the best of each counts.
    let best = |rates: &Vec<f64>| rates.iter().copied().fold(0.0, f64::max);
    let [loops, gemm] = reference.each_ref().map(best);
    println!(
        "512x512x512, f16 with f32 accumulators, 16x16x16, subgroups of 32, mode `sequential`; GFLOP/s:"
    );
    println!("  plain triple loop, f32, one thread   {loops:7.2}");
    println!("  crate gemm, f32, one thread          {gemm:7.2}");
    for ((name, _, what), rates) in SHADERS.into_iter().zip(&rates) {
        let [one, two, all, baseline, web] = rates.each_ref().map(best);
        println!("  shader `{name}` ({what})");
        println!("    one thread                         {one:7.2}   {:.2} of gemm", one / gemm);
        println!(
            "    two threads                        {two:7.2}   {:.2} times one; {:.2} times the processor time",
            two / one,
            one / all
        );
        println!("    one thread, baseline x86-64        {baseline:7.2}");
        println!(
            "    WebAssembly (simd128, Node)        {web:7.2}   {:.2} times slower than the baseline, {:.2} than the native one",
            baseline / web,
            one / web
        );
    }
    let [_, gemm] = reference;
    Ok(Products { gemm, rates })
}

/// The other ways to add up.
fn modes(builds: &Builds) -> Result<()> {
    let module = module(&source("blocks"), &builds.analyzer, &builds.folder)?;
    let module = module.to_str().context("the target folder's name should be text")?;
    println!("shader `blocks` in the other modes, one thread:");
    for mode in ["fused", "round-each-step", "pairwise", "nvidia-hopper", "exact"] {
        let (rate, ..) = native(&builds.native, &["shader", module, "64", mode, "1", "2"])?;
        println!("  {mode:36} {rate:7.2}");
    }
    Ok(())
}

/// All examples with a recipe: the module, and the recipe.
fn examples(builds: &Builds) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in ["khr", "nv2", "qcom", "coopvec", "mistakes"] {
        // Of one name in several folders.
        let made = builds.folder.join(folder);
        std::fs::create_dir_all(&made)?;
        let folder = shell::root().join("examples").join(folder);
        let mut shaders: Vec<PathBuf> =
            std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        shaders.retain(|path| path.extension().is_some_and(|extension| extension == "comp"));
        shaders.sort();
        for shader in shaders {
            let recipe = shader.with_extension("run.toml");
            if recipe.exists() {
                files.extend([module(&shader, &builds.analyzer, &made)?, recipe]);
            }
        }
    }
    Ok(files)
}

/// All examples with a recipe, without and with checks.
fn checked(builds: &Builds, examples: &[PathBuf]) -> Result<()> {
    let text = shell::output(Command::new(&builds.native).args(["checked", "5"]).args(examples))?;
    println!("checked mode, times the time of fast mode:");
    let (mut logarithms, mut count) = (0.0, 0u32);
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(name), Some(fast), Some(checked)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let (fast, checked): (f64, f64) = (fast.parse()?, checked.parse()?);
        let name = Path::new(name).file_stem().map(|name| name.to_string_lossy()).unwrap_or_default();
        println!("  {name:36} {:7.2}   {:8.3} ms fast", checked / fast, fast * 1e3);
        logarithms += (checked / fast).ln();
        count += 1;
    }
    println!("  geometric mean of {count:<3}                {:7.2}", (logarithms / f64::from(count)).exp());
    Ok(())
}
