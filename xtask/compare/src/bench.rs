//! Ours and glslang over the same variants, one thread, each variant from nothing: the analysis beside glslang's front end, and both
//! from source to binary. Times are of the processor, so that what else the machine does counts for little.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use coopmat_analysis::{Analysis, analyze};
use coopmat_corpus::llama::{Llama, Variant};
use coopmat_spirv::dr::Module;
use cpu_time::ThreadTime;

use crate::front_end::FrontEnd;
use crate::keystrokes;
use crate::sizes::{Sizes, print_sizes};
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
    /// Fail when ours is slower than glslang, in analysis or to binary, or a keystroke in a body takes too long
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
        let ratios = side_by_side(&llama, &glslang, options.every)?;
        ensure!(!options.require || ratios.analysis >= 1.0, "slower than glslang's front end");
        ensure!(!options.require || ratios.to_binary >= 1.0, "slower than glslang from source to binary");
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

/// How many times as fast as glslang ours is.
struct Ratios {
    analysis: f64,
    to_binary: f64,
}

fn side_by_side(llama: &Llama, glslang: &FrontEnd, every: usize) -> Result<Ratios> {
    let (mut analysis, mut front_end) = (Times::default(), Times::default());
    let (mut ours, mut theirs) = (Times::default(), Times::default());
    let (mut generation, mut assembly) = (Times::default(), Times::default());
    let mut sizes: Vec<(&str, Sizes)> = Vec::new();
    // Both build tables once for a process; that belongs to neither side's time.
    if let Some(first) = llama.variants.first() {
        let text = llama.files.get(&first.source).unwrap_or_default();
        let analysis = analyze(&first.source, text, &first.configuration(), &llama.files, None);
        compile(&analysis, first)?;
        glslang.compile(&first.source, &first.configuration())?;
    }
    for variant in llama.variants.iter().step_by(every.max(1)) {
        let text = llama.files.get(&variant.source).with_context(|| format!("no {}", variant.source))?;
        let configuration = variant.configuration();
        let start = ThreadTime::now();
        let analysed = analyze(&variant.source, text, &configuration, &llama.files, None);
        let analysis_time = start.elapsed();
        let module = compile(&analysed, variant)?;
        let generated_time = start.elapsed();
        let words = coopmat_spirv::assemble(&module)?;
        let our_time = start.elapsed();
        drop((analysed, module));

        let start = ThreadTime::now();
        glslang.check(&variant.source, &configuration, false)?;
        let front_end_time = start.elapsed();
        let start = ThreadTime::now();
        let their_words = glslang.compile(&variant.source, &configuration)?;
        let their_time = start.elapsed();
        analysis.add(analysis_time);
        generation.add(generated_time - analysis_time);
        assembly.add(our_time - generated_time);
        ours.add(our_time);
        front_end.add(front_end_time);
        theirs.add(their_time);
        sizes.push((&variant.name, Sizes::of(&words, &their_words)?));
        if variant.name == LARGEST {
            println!(
                "{LARGEST}: analysis {:.2} ms, glslang's front end {:.2} ms; to binary {:.2} ms, glslang {:.2} ms",
                milliseconds(analysis_time),
                milliseconds(front_end_time),
                milliseconds(our_time),
                milliseconds(their_time)
            );
        }
    }
    println!("{} variants, one thread      total       median     90 %      slowest", ours.len());
    for (name, times) in [
        ("analysis", &analysis),
        ("glslang's front end", &front_end),
        ("code generation", &generation),
        ("assembly", &assembly),
        ("source to binary", &ours),
        ("glslang, to binary", &theirs),
    ] {
        println!(
            "  {name:<20} {:>10.2} s {:>9.2} ms {:>6.2} ms {:>8.2} ms",
            times.total().as_secs_f64(),
            milliseconds(times.median()),
            milliseconds(times.quantile(0.9)),
            milliseconds(times.quantile(1.0)),
        );
    }
    let ratio = |ours: &Times, theirs: &Times| theirs.total().as_secs_f64() / ours.total().as_secs_f64();
    let ratios = Ratios { analysis: ratio(&analysis, &front_end), to_binary: ratio(&ours, &theirs) };
    println!("the analysis is {:.2} times as fast as glslang's front end", ratios.analysis);
    println!("from source to binary ours is {:.2} times as fast as glslang", ratios.to_binary);
    let too_large = print_sizes(&sizes);
    ensure!(too_large == 0, "{too_large} bounds of the modules' sizes do not hold");
    Ok(ratios)
}

fn compile(analysis: &Analysis, variant: &Variant) -> Result<Module> {
    match coopmat_codegen::compile(analysis, &coopmat_codegen::Options::default()) {
        Ok(compiled) => Ok(compiled.module),
        Err(errors) => {
            let first = errors.into_iter().next().map(|error| error.message).unwrap_or_default();
            bail!("{}: {first}", variant.name)
        }
    }
}
