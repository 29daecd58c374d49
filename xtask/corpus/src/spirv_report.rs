//! Compiles llama.cpp's variants to SPIR-V: how many compile, why the others do not, how long it takes, how large the modules are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_codegen::{CompileError, Compiled, SpecializeError, Values};
use coopmat_corpus::llama::{Llama, Variant};
use rayon::prelude::*;

use crate::common::Common;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Only the first variant of each source
    #[arg(long)]
    quick: bool,
    /// Write each module to this folder as NAME.ENVIRONMENT.spv
    #[arg(long)]
    write: Option<PathBuf>,
    /// Compile one variant after the other, so that the times add up
    #[arg(long)]
    one_thread: bool,
    /// Clean each module up, as `coopmat-analyzer spirv -O` does
    #[arg(short = 'O', long)]
    optimise: bool,
    /// Fold the default values of all specialization constants into each module
    #[arg(long)]
    specialize: bool,
    /// Print the assembly text of each module
    #[arg(long)]
    asm: bool,
}

/// One variant: its words, or why there are none.
struct Outcome {
    words: Result<Vec<u32>, Vec<String>>,
    analysis: Duration,
    codegen: Duration,
    /// Specialization and clean-up.
    changes: Duration,
    assembly: Duration,
}

pub fn run(options: &Options) -> Result<bool> {
    let mut llama = Llama::read(&options.common.sources)?;
    llama.variants.retain(|variant| options.common.chosen(&format!("{} {}", variant.source, variant.name)));
    if options.quick {
        llama.keep_one_of_each();
    }
    if let Some(folder) = &options.write {
        fs::create_dir_all(folder)?;
    }
    let analyzer = Analyzer::default();
    let compile = |variant: &Variant| compile(&analyzer, &llama, variant, options);
    let outcomes: Vec<Outcome> = if options.one_thread || options.asm {
        llama.variants.iter().map(compile).collect()
    } else {
        llama.variants.par_iter().map(compile).collect()
    };
    let mut failures: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut words = 0;
    let mut compiled = 0;
    for (variant, outcome) in llama.variants.iter().zip(&outcomes) {
        match &outcome.words {
            Ok(module) => {
                compiled += 1;
                words += module.len();
                if let Some(folder) = &options.write {
                    write(folder, variant, module)?;
                }
            }
            Err(errors) => {
                for error in errors {
                    failures.entry(error).or_default().push(&variant.name);
                }
            }
        }
    }
    let mut failures: Vec<(&str, Vec<&str>)> = failures.into_iter().collect();
    failures.sort_by_key(|(_, variants)| std::cmp::Reverse(variants.len()));
    for (message, variants) in failures.iter().take(options.common.limit) {
        let first = variants.first().copied().unwrap_or_default();
        println!("{:5} times, first in {first}: {message}", variants.len());
    }
    let total = |part: fn(&Outcome) -> Duration| outcomes.iter().map(part).sum::<Duration>().as_secs_f64();
    println!("compiled {compiled} of {} variants, {} KiB in all", outcomes.len(), words / 256);
    println!(
        "analysis {:.2} s, code generation {:.2} s, changes {:.2} s, assembly {:.2} s",
        total(|outcome| outcome.analysis),
        total(|outcome| outcome.codegen),
        total(|outcome| outcome.changes),
        total(|outcome| outcome.assembly)
    );
    Ok(compiled == outcomes.len())
}

fn compile(analyzer: &Analyzer, llama: &Llama, variant: &Variant, options: &Options) -> Outcome {
    let start = Instant::now();
    let Some(text) = llama.files.get(&variant.source) else {
        let none = Duration::ZERO;
        let words = Err(vec![format!("there is no file {}", variant.source)]);
        return Outcome { words, analysis: none, codegen: none, changes: none, assembly: none };
    };
    let analysis = analyzer.analyze(&variant.source, text, &variant.configuration(), &llama.files, None);
    let analysed = Instant::now();
    let compiled = coopmat_codegen::compile(&analysis, &coopmat_codegen::Options::default());
    let generated = Instant::now();
    let compiled = compiled.map(|compiled| changed(compiled, options));
    let changed = Instant::now();
    let words = match compiled {
        Ok(Ok(compiled)) => {
            if options.asm {
                let text = coopmat_spirv::text::disassemble(
                    &compiled.module,
                    &coopmat_spirv::text::Options::default(),
                );
                println!("{}", text.text);
            }
            coopmat_spirv::assemble(&compiled.module).map_err(|error| vec![error.to_string()])
        }
        Ok(Err(error)) => Err(vec![error.to_string()]),
        Err(errors) => Err(errors.iter().map(|error| place(&analysis, error)).collect()),
    };
    let assembled = Instant::now();
    Outcome {
        words,
        analysis: analysed - start,
        codegen: generated - analysed,
        changes: changed - generated,
        assembly: assembled - changed,
    }
}

/// The module after what the options ask for; its map has to follow.
fn changed(compiled: Compiled, options: &Options) -> Result<Compiled, SpecializeError> {
    let mut compiled = compiled;
    if options.specialize {
        let values = Values { defaults: true, ..Values::default() };
        compiled = coopmat_codegen::specialize(compiled, &values)?;
    }
    if options.optimise {
        compiled = coopmat_codegen::optimise(compiled);
    }
    assert_eq!(compiled.map.len(), compiled.module.all_inst_iter().count(), "the map has lost its module");
    Ok(compiled)
}

fn place(analysis: &Analysis, error: &CompileError) -> String {
    let file = &analysis.files()[error.location.file];
    let line = file.line_index().line_col(error.location.range.start()).line + 1;
    format!("{} ({}:{line})", error.message, file.path)
}

fn write(folder: &Path, variant: &Variant, module: &[u32]) -> Result<()> {
    let path = folder.join(format!("{}.{}.spv", variant.name, variant.target_env.name()));
    fs::write(&path, coopmat_spirv::to_bytes(module))
        .with_context(|| format!("cannot write {}", path.display()))
}
