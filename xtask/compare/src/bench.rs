//! The analysis and glslang's front end over the same variants, one thread, each variant from nothing. Times are of the
//! processor, so that what else the machine does counts for little.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use coopmat_analysis::analyze;
use coopmat_corpus::llama::Llama;
use cpu_time::ThreadTime;

use crate::front_end::FrontEnd;
use crate::keystrokes;
use crate::stats::{Times, milliseconds};

/// The variant with the longest text after preprocessing.
const LARGEST: &str = "matmul_id_subgroup_iq2_s_f16_f16acc_cm2";

/// How long the median keystroke in a function's body may take from text to diagnostics.
const KEYSTROKE_BOUND: Duration = Duration::from_millis(5);

#[derive(clap::Args)]
pub struct Options {
    /// The folder that `cargo xtask corpus` fills
    #[arg(long)]
    sources: PathBuf,
    /// Only every n-th variant
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Fail when the analysis is slower than glslang's front end, or a keystroke in a body takes too long
    #[arg(long)]
    require: bool,
    /// Leave the comparison out and measure keystrokes alone
    #[arg(long)]
    keystrokes_only: bool,
}

pub fn run(options: &Options) -> Result<()> {
    let llama = Llama::read(&options.sources)?;
    let glslang = FrontEnd::new(&llama.files)?;
    if !options.keystrokes_only {
        let ratio = side_by_side(&llama, &glslang, options.every)?;
        ensure!(!options.require || ratio >= 1.0, "slower than glslang's front end");
    }
    let largest = llama
        .variants
        .iter()
        .find(|variant| variant.name == LARGEST)
        .context("the largest variant is gone")?;
    let median = keystrokes::run(&llama, &glslang, largest)?;
    ensure!(
        !options.require || median < KEYSTROKE_BOUND,
        "a keystroke in a function body takes {:.2} ms",
        milliseconds(median)
    );
    Ok(())
}

fn side_by_side(llama: &Llama, glslang: &FrontEnd, every: usize) -> Result<f64> {
    let (mut ours, mut theirs) = (Times::default(), Times::default());
    // Both build tables once for a process; that belongs to neither side's time.
    if let Some(first) = llama.variants.first() {
        let text = llama.files.get(&first.source).unwrap_or_default();
        analyze(&first.source, text, &first.configuration(), &llama.files, None);
        glslang.check(first, false)?;
    }
    for variant in llama.variants.iter().step_by(every.max(1)) {
        let text = llama.files.get(&variant.source).with_context(|| format!("no {}", variant.source))?;
        let configuration = variant.configuration();
        let start = ThreadTime::now();
        let analysis = analyze(&variant.source, text, &configuration, &llama.files, None);
        let our_time = start.elapsed();
        drop(analysis);

        let start = ThreadTime::now();
        glslang.check(variant, false)?;
        let their_time = start.elapsed();
        ours.add(our_time);
        theirs.add(their_time);
        if variant.name == LARGEST {
            println!(
                "{LARGEST}: analysis {:.2} ms, glslang {:.2} ms",
                milliseconds(our_time),
                milliseconds(their_time)
            );
        }
    }
    println!("{} variants, one thread      total       median     90 %      slowest", ours.len());
    for (name, times) in [("analysis", &ours), ("glslang front end", &theirs)] {
        println!(
            "  {name:<20} {:>10.2} s {:>9.2} ms {:>6.2} ms {:>8.2} ms",
            times.total().as_secs_f64(),
            milliseconds(times.median()),
            milliseconds(times.quantile(0.9)),
            milliseconds(times.quantile(1.0)),
        );
    }
    let ratio = theirs.total().as_secs_f64() / ours.total().as_secs_f64();
    println!("the analysis is {ratio:.2} times as fast as glslang's front end");
    Ok(ratio)
}
