//! Holds the model of shared memory's banks against a GPU: kernels that load from shared memory or store there, the passes that `run --profile` predicts, and
//! the cycles that a device takes by its own clock. Prints a table in Markdown. Without `--device` it predicts alone.

mod kernels;
mod statistics;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use coopmat_recipe::statistics::{median, rank_correlation};
use kernels::{Kernel, LOADS, ROUNDS, SUBGROUPS};
use serde_json::Value;

#[derive(Parser)]
struct Options {
    /// The program coopmat-analyzer
    #[arg(long)]
    program: PathBuf,
    /// Where the kernels and recipes are written
    #[arg(long)]
    folder: PathBuf,
    /// The profile whose banks are assumed
    #[arg(long, default_value = "nvidia-h200")]
    profile: String,
    /// The device that is timed, as `run --device` has it: `vulkan`
    #[arg(long)]
    device: Option<String>,
    /// Kernels whose names begin with this
    #[arg(long, default_value = "")]
    only: String,
}

/// What a load of one subgroup takes.
struct Row {
    kernel: Kernel,
    /// Passes, predicted.
    passes: f64,
    /// As many as without conflicts.
    least: f64,
    /// Requests, by the bytes of each lane.
    requests: String,
    /// Measured.
    cycles: Option<f64>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    fs::create_dir_all(&options.folder)?;
    let mut rows = Vec::new();
    for kernel in kernels::kernels() {
        if !kernel.file().starts_with(&options.only) {
            continue;
        }
        let row = try_kernel(&options, kernel)?;
        eprintln!("{}: {} passes, {:?} cycles", row.kernel.file(), row.passes, row.cycles);
        rows.push(row);
    }
    print!("{}", report(&rows));
    Ok(())
}

fn try_kernel(options: &Options, kernel: Kernel) -> Result<Row> {
    let shader = options.folder.join(format!("{}.comp", kernel.file()));
    let recipe = options.folder.join(format!("{}.run.toml", kernel.file()));
    fs::write(&shader, kernel.source())?;
    fs::write(&recipe, kernel.recipe(&options.profile))?;
    let predicted = run(&options.program, &recipe, &["--profile"])?;
    let loads =
        predicted["profile"]["dispatches"][0]["shared"].as_array().context("no profile of shared memory")?;
    // Filling the array before, and reading it at the end, is not what is timed.
    let times = f64::from(SUBGROUPS * LOADS * ROUNDS);
    let is_timed = |one: &&Value| one["operation"] == kernel.does.name() && one["times"] == times as u64;
    let load = loads.iter().find(is_timed);
    let load = load.with_context(|| format!("{}: no access {times} times", kernel.file()))?;
    let of = |name: &str| load[name].as_f64().map(|all| all / times);
    let requests: BTreeMap<String, f64> = serde_json::from_value(load["requests"].clone())?;
    let requests: Vec<String> =
        requests.iter().map(|(width, count)| format!("{} x {width} B", count / times)).collect();
    let cycles = match &options.device {
        None => None,
        Some(device) => {
            let dump = options.folder.join(format!("{}.bin", kernel.file()));
            let argument = format!("times={}", dump.display());
            // The times differ from the simulator's, which counts steps: that is no failure here.
            run(&options.program, &recipe, &["--device", device, "--dump", &argument])?;
            Some(fewest_cycles(&fs::read(dump)?) / f64::from(SUBGROUPS * LOADS))
        }
    };
    Ok(Row {
        passes: of("passes").context("passes are not known")?,
        least: of("least-passes").context("passes are not known")?,
        requests: requests.join(", "),
        cycles,
        kernel,
    })
}

/// The report of a run as JSON.
fn run(program: &Path, recipe: &Path, arguments: &[&str]) -> Result<Value> {
    let output = Command::new(program).arg("run").arg(recipe).arg("--json").args(arguments).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(&text)
        .with_context(|| format!("{}: {}", recipe.display(), String::from_utf8_lossy(&output.stderr)))?;
    ensure!(report["error"].is_null(), "{}: {}", recipe.display(), report["error"]);
    Ok(report)
}

/// Of the rounds, which are begin and end by a clock of 32 bits that may pass zero.
fn fewest_cycles(times: &[u8]) -> f64 {
    let words: Vec<u32> =
        times.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
    let rounds = words.chunks_exact(2).map(|round| round[1].wrapping_sub(round[0]));
    f64::from(rounds.min().unwrap_or(0))
}

fn report(rows: &[Row]) -> String {
    let mut text = String::from(
        "| load | stride | requests | passes without conflicts | passes | cycles | cycles of a pass |\n|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let cycles = row.cycles.map_or("not measured".to_owned(), |cycles| format!("{cycles:.2}"));
        let of_pass = row.cycles.map_or(String::new(), |cycles| format!("{:.2}", cycles / row.passes));
        let Kernel { family, stride, element, .. } = &row.kernel;
        let _ = writeln!(
            text,
            "| {family} | {} B | {} | {} | {} | {cycles} | {of_pass} |",
            stride * element,
            row.requests,
            row.least,
            row.passes,
        );
    }
    let measured: Option<Vec<f64>> = rows.iter().map(|row| row.cycles).collect();
    let Some(measured) = measured.filter(|measured| measured.len() > 2) else { return text };
    let predicted: Vec<f64> = rows.iter().map(|row| row.passes).collect();
    let _ = writeln!(
        text,
        "\n{} kernels, rank correlation of passes and cycles {:.3}.",
        rows.len(),
        rank_correlation(&predicted, &measured)
    );
    let pass = median(predicted.iter().zip(&measured).map(|(passes, cycles)| cycles / passes).collect());
    let miss = |row: &Row| row.cycles.unwrap_or(0.0) / (row.passes * pass);
    let worst = rows.iter().max_by(|a, b| miss(a).ln().abs().total_cmp(&miss(b).ln().abs()));
    if let Some(worst) = worst {
        let _ = writeln!(
            text,
            "A pass takes {pass:.2} cycles (median). Worst miss: {}, stride {}, {:.2} times what that predicts.",
            worst.kernel.family,
            worst.kernel.stride,
            miss(worst)
        );
    }
    let mut families: BTreeMap<&str, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for row in rows {
        let family = families.entry(&row.kernel.family).or_default();
        family.0.push(row.passes);
        family.1.push(row.cycles.unwrap_or(0.0));
    }
    let mut all = (0, 0);
    for (family, (predicted, measured)) in &families {
        let (pairs, right) = statistics::ordered(predicted, measured);
        all = (all.0 + pairs, all.1 + right);
        let _ = writeln!(text, "- {family}: {right} of {pairs} pairs of strides in the measured order");
    }
    let _ = writeln!(
        text,
        "\nPairs of strides of one load whose passes differ: {} of {} in the measured order.",
        all.1, all.0
    );
    text
}
