//! Lexing, preprocessing, parsing, analysis and code generation over the same variants, turn by turn with glslang and with tree-sitter-glsl's grammar,
//! several times: a line for each phase and round, for `cargo xtask bench`. Times are of the processor.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use coopmat_analysis::config::Configuration;
use coopmat_analysis::lex::lexemes;
use coopmat_analysis::preprocess::preprocess;
use coopmat_analysis::{Analyzer, analyze, reparse};
use coopmat_corpus::llama::{Llama, Variant};
use cpu_time::ThreadTime;
use tree_sitter::Parser;

use crate::front_end::FrontEnd;
use crate::stats::{Times, milliseconds};

/// The variant with the longest text after preprocessing.
const LARGEST: &str = "matmul_id_subgroup_iq2_s_f16_f16acc_cm2";

#[derive(clap::Args)]
pub struct Options {
    /// The folder that `cargo xtask corpus` fills
    #[arg(long)]
    sources: PathBuf,
    /// Only every n-th variant
    #[arg(long, default_value_t = 24)]
    every: usize,
    /// How many times all of them are gone through
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Ours alone, so many times: what a profile looks at (`preprocess`, `analysis`, `binary` or `keystroke`)
    #[arg(long)]
    only: Option<String>,
}

/// Sums over the variants of a round: ours, the peer's.
#[derive(Default)]
struct Sums {
    lex: Duration,
    preprocess: Duration,
    parse: [Duration; 2],
    analysis: [Duration; 2],
    shared: Duration,
    binary: [Duration; 2],
    generate: Duration,
}

pub fn run(options: &Options) -> Result<()> {
    let llama = Llama::read(&options.sources)?;
    let largest = llama
        .variants
        .iter()
        .find(|variant| variant.name == LARGEST)
        .context("the largest variant is gone")?;
    if let Some(only) = &options.only {
        return alone(&llama, largest, only, options.rounds);
    }
    let glslang = FrontEnd::new(&llama.files)?;
    let mut theirs = Parser::new();
    theirs.set_language(&tree_sitter_glsl::LANGUAGE_GLSL.into())?;
    let chosen: Vec<&Variant> = llama.variants.iter().step_by(options.every.max(1)).collect();
    let mut damaged = [0, 0];
    // Tables that are built once for a process, and memory that is asked for once, belong to neither side: the first round is not told.
    for round in 0..=options.rounds {
        eprintln!("  round {round} of {}", options.rounds);
        let mut sums = Sums::default();
        damaged = [0, 0];
        for variant in &chosen {
            one(&llama, &glslang, &mut theirs, variant, &mut sums, &mut damaged)?;
        }
        let keystroke = keystrokes(&llama, largest)?;
        let start = ThreadTime::now();
        glslang.check(&largest.source, &largest.configuration(), false)?;
        let anew = start.elapsed();
        if round == 0 {
            continue;
        }
        let none = Duration::ZERO;
        for (name, [ours, theirs]) in [
            ("lex", [sums.lex, none]),
            ("preprocess", [sums.preprocess, none]),
            ("parse", sums.parse),
            ("analysis", sums.analysis),
            ("shared", [sums.shared, none]),
            ("binary", sums.binary),
            ("generate", [sums.generate, none]),
        ] {
            // Of one variant, in the mean.
            let mean = |time: Duration| milliseconds(time) / chosen.len() as f64;
            println!("{name} {} {}", mean(ours), mean(theirs));
        }
        println!("keystroke {} {}", milliseconds(keystroke), milliseconds(anew));
    }
    println!(
        "note Times are means of {} of llama.cpp's {} variants, of processor time, each variant from nothing. Trees with mistakes in them: ours {}, tree-sitter-glsl's {}, whose grammar does not know matrices.",
        chosen.len(),
        llama.variants.len(),
        damaged[0],
        damaged[1]
    );
    Ok(())
}

fn one(
    llama: &Llama,
    glslang: &FrontEnd<'_>,
    theirs: &mut Parser,
    variant: &Variant,
    sums: &mut Sums,
    damaged: &mut [usize; 2],
) -> Result<()> {
    let text = llama.files.get(&variant.source).with_context(|| format!("no {}", variant.source))?;
    let configuration = variant.configuration();

    let start = ThreadTime::now();
    let expanded = preprocess(&variant.source, text.clone(), &configuration, &llama.files);
    sums.preprocess += start.elapsed();
    let start = ThreadTime::now();
    let count = lexemes(&expanded.text).count();
    sums.lex += start.elapsed();
    std::hint::black_box(count);

    let start = ThreadTime::now();
    let tree = reparse::parse(&expanded.text, None).context("no tree")?;
    sums.parse[0] += start.elapsed();
    damaged[0] += usize::from(tree.root_node().has_error());
    let start = ThreadTime::now();
    let tree = theirs.parse(&expanded.text, None).context("no tree")?;
    sums.parse[1] += start.elapsed();
    damaged[1] += usize::from(tree.root_node().has_error());
    drop((tree, expanded));

    let start = ThreadTime::now();
    let analysed = analyze(&variant.source, text, &configuration, &llama.files, None);
    let analysis = start.elapsed();
    let compiled = match coopmat_codegen::compile(&analysed, &coopmat_codegen::Options::default()) {
        Ok(compiled) => compiled,
        Err(errors) => {
            let first = errors.into_iter().next().map(|error| error.message).unwrap_or_default();
            bail!("{}: {first}", variant.name)
        }
    };
    let words = coopmat_spirv::assemble(&compiled.module)?;
    let binary = start.elapsed();
    std::hint::black_box(words.len());
    // Neither a module nor who types waits for what is told of shared memory.
    let start = ThreadTime::now();
    std::hint::black_box(analysed.late_diagnostics().len());
    sums.shared += start.elapsed();
    drop((analysed, compiled));
    sums.analysis[0] += analysis;
    sums.binary[0] += binary;
    sums.generate += binary - analysis;

    let start = ThreadTime::now();
    glslang.check(&variant.source, &configuration, false)?;
    sums.analysis[1] += start.elapsed();
    let start = ThreadTime::now();
    glslang.compile(&variant.source, &configuration)?;
    sums.binary[1] += start.elapsed();
    Ok(())
}

/// A statement is typed and deleted in `main`; the median time from a character to the diagnostics.
fn keystrokes(llama: &Llama, variant: &Variant) -> Result<Duration> {
    const TYPED: &str = "uint zz = 1 + 2;";
    let text = llama.files.get(&variant.source).context("no source")?;
    let main = text.find("void main()").context("no main")?;
    let at = main + text[main..].find('{').context("no body")? + 1;
    let (head, tail) = text.split_at(at);
    let configuration: Configuration = variant.configuration();
    let analyzer = Analyzer::default();
    let mut previous = analyzer.analyze(&variant.source, text.clone(), &configuration, &llama.files, None);
    let mut times = Times::default();
    for end in (1..=TYPED.len()).chain((0..TYPED.len()).rev()) {
        let edited: Arc<str> = format!("{head}{}{tail}", &TYPED[..end]).into();
        let start = ThreadTime::now();
        let analysis =
            analyzer.analyze(&variant.source, edited, &configuration, &llama.files, Some(&previous));
        times.add(start.elapsed());
        previous = analysis;
    }
    Ok(times.median())
}

/// One of ours with the largest variant. A profile counts what happens in here.
#[inline(never)]
fn alone(llama: &Llama, variant: &Variant, only: &str, rounds: usize) -> Result<()> {
    let text = llama.files.get(&variant.source).context("no source")?;
    let configuration = variant.configuration();
    for _ in 0..rounds {
        match only {
            "preprocess" => {
                let expanded = preprocess(&variant.source, text.clone(), &configuration, &llama.files);
                std::hint::black_box(expanded.text.len());
            }
            "analysis" | "binary" => {
                let analysed = analyze(&variant.source, text.clone(), &configuration, &llama.files, None);
                std::hint::black_box(analysed.diagnostics.len());
                if only == "analysis" {
                    std::hint::black_box(analysed.late_diagnostics().len());
                }
                if only == "binary" {
                    let compiled = coopmat_codegen::compile(&analysed, &coopmat_codegen::Options::default());
                    let compiled = compiled.ok().context("it does not compile")?;
                    std::hint::black_box(coopmat_spirv::assemble(&compiled.module)?.len());
                }
            }
            "keystroke" => drop(keystrokes(llama, variant)?),
            _ => bail!("expected `preprocess`, `analysis`, `binary` or `keystroke`, found `{only}`"),
        }
    }
    Ok(())
}
