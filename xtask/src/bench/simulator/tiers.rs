//! The table of both tiers: products beside the crate `gemm` at two sizes, and kernels with recipes: those of the examples, and of llama.cpp's where
//! `cargo xtask corpus --judged` has left them. Everything of a row is measured turn by turn, in one process.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::{Builds, SHADERS, module, source};
use crate::bench::figures;
use crate::shell;

const SIZES: [&str; 2] = ["512", "1536"];
const RUNS: &str = "5";

/// Beginnings of llama.cpp's variants that are measured, of each the one whose interpreted run takes longest.
const VARIANTS: [&str; 5] = [
    "matmul_f16_cm1",
    "matmul_q4_0_q8_1_cm1",
    "flash_attn_f32_f16_cm1",
    "soft_max_f32",
    "mul_mat_vec_q4_k_f32",
];

pub(super) fn run(builds: &Builds, examples: &[PathBuf]) -> Result<()> {
    for size in SIZES {
        println!(
            "{size}x{size}x{size}, both tiers beside the crate gemm, one thread, GFLOP/s as lowest / median / highest of {RUNS}:"
        );
        for (name, tile, _) in SHADERS {
            let module = module(&source(name), &builds.analyzer, &builds.folder)?;
            let mut command = Command::new(&builds.native);
            let text = shell::output(command.arg("tier").arg(module).args([tile, size, RUNS]))?;
            println!("  {name:10} {}", product(&text));
        }
    }
    println!("an integer product of 256x256x1024, ms as lowest / median / highest of {RUNS}:");
    let s8 = module(&shell::root().join("examples/khr/gemm_s8.comp"), &builds.analyzer, &builds.folder)?;
    for row in measure(builds, &[s8, recipe("gemm_s8.large")])? {
        println!("  {}", row.text());
    }
    println!("examples, ms as lowest / median / highest of {RUNS}:");
    for row in measure(builds, examples)? {
        println!("  {}", row.text());
    }
    let judged = judged()?;
    if judged.is_empty() {
        println!(
            "llama.cpp's kernels are not measured: `cargo xtask corpus --judged` and `-- --others` leave them in target/judged"
        );
        return Ok(());
    }
    println!(
        "llama.cpp's kernels, ms: `matmul_f16_cm1` with its large tile at 512x512x512, then of each the shape that takes longest:"
    );
    if let Some(product) = judged.iter().find(|path| path.ends_with("matmul_f16_cm1.ours.spv")) {
        for row in measure(builds, &[product.clone(), recipe("matmul_f16_cm1.large")])? {
            println!("  {}", row.text());
        }
    }
    let mut longest: Vec<(usize, f64)> = vec![(0, 0.0); VARIANTS.len()];
    let rows = measure(builds, &judged)?;
    for (index, row) in rows.iter().enumerate() {
        let of = VARIANTS.iter().position(|variant| row.name.starts_with(variant));
        if let Some((longest, time)) =
            of.zip(median(&row.interpreted)).and_then(|(of, time)| Some((longest.get_mut(of)?, time)))
            && time > longest.1
        {
            *longest = (index, time);
        }
    }
    for (index, row) in rows.iter().enumerate() {
        if longest.iter().any(|(of, time)| *of == index && *time > 0.0) {
            println!("  {}", row.text());
        }
    }
    for (variant, (_, time)) in VARIANTS.iter().zip(&longest) {
        if *time == 0.0 {
            println!("  {variant:40} is not among the files");
        }
    }
    Ok(())
}

/// A recipe of our own.
fn recipe(name: &str) -> PathBuf {
    shell::root().join("xtask/speed/src/recipes").join(format!("{name}.run.toml"))
}

/// A line of the table of products.
fn product(text: &str) -> String {
    let rates = |name: &str| -> Option<Vec<f64>> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.split_whitespace().filter_map(|word| word.parse().ok()).collect())
    };
    let (Some(gemm), Some(interpreted), Some(compiled), Some(making)) =
        (rates("gemm"), rates("interpreter"), rates("compiled"), rates("making"))
    else {
        return format!("left to the interpreter: {}", text.trim());
    };
    let ratio = |rates: &[f64]| median(rates).zip(median(&gemm)).map_or(0.0, |(rate, gemm)| rate / gemm);
    format!(
        "gemm {}   interpreter {} ({:.2} of gemm)   compiled wholly {} ({:.2} of gemm)   {:.0} ms to make it",
        spread(&gemm),
        spread(&interpreted),
        ratio(&interpreted),
        spread(&compiled),
        ratio(&compiled),
        making.first().unwrap_or(&0.0)
    )
}

struct Row {
    name: String,
    making: f64,
    interpreted: Vec<f64>,
    compiled: Vec<f64>,
    /// Why it is left to the interpreter.
    left: Option<String>,
}

impl Row {
    fn text(&self) -> String {
        if let Some(left) = &self.left {
            return format!("{:40} not compiled: {left}", self.name);
        }
        let times = median(&self.interpreted).zip(median(&self.compiled));
        let faster = times.map_or(0.0, |(interpreted, compiled)| interpreted / compiled);
        format!(
            "{:40} interpreter {}   compiled wholly {}   {faster:.2} times as fast   {:.0} ms to make it",
            self.name,
            spread(&self.interpreted),
            spread(&self.compiled),
            self.making
        )
    }
}

/// Measures pairs of a module and its recipe.
fn measure(builds: &Builds, files: &[PathBuf]) -> Result<Vec<Row>> {
    let text = shell::output(Command::new(&builds.native).args(["tiers", RUNS]).args(files))?;
    let rows = text.lines().filter_map(|line| {
        let (path, rest) = line.split_once(' ')?;
        let name = Path::new(path).file_stem()?.to_string_lossy().into_owned();
        let numbers: Option<Vec<f64>> = rest.split_whitespace().map(|word| word.parse().ok()).collect();
        let row = match numbers.as_deref() {
            Some([making, times @ ..]) => {
                let (interpreted, compiled) = times.split_at(times.len() / 2);
                Row {
                    name,
                    making: *making,
                    interpreted: interpreted.to_vec(),
                    compiled: compiled.to_vec(),
                    left: None,
                }
            }
            _ => Row {
                name,
                making: 0.0,
                interpreted: Vec::new(),
                compiled: Vec::new(),
                left: Some(rest.to_owned()),
            },
        };
        Some(row)
    });
    Ok(rows.collect())
}

/// Our modules of the variants, and their recipes, which lie in a folder for each of the judge's requests.
fn judged() -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let Ok(folders) = std::fs::read_dir(shell::target().join("judged")) else { return Ok(files) };
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(folder?.path()) else { continue };
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().context("a file should have a name")?.to_string_lossy().into_owned();
            let recipe = path.with_extension("run.toml");
            let measured = VARIANTS.iter().any(|variant| name.starts_with(variant));
            if measured && name.ends_with(".ours.spv") && recipe.exists() {
                files.extend([path, recipe]);
            }
        }
    }
    Ok(files)
}

/// Nothing of what was not measured.
fn median(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| figures::median(values))
}

/// The lowest one, the median and the highest one.
fn spread(values: &[f64]) -> String {
    let Some(median) = median(values) else { return "nothing".to_owned() };
    let [lowest, highest] = [0.0, 1.0].map(|part| figures::quantile(values, part));
    format!("{lowest:.2} / {median:.2} / {highest:.2}")
}
