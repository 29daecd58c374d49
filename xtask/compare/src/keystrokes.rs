//! From a keystroke to diagnostics: text is typed and deleted again, one character at a time, and each state is analysed
//! with the one before at hand.

use std::time::Duration;

use anyhow::{Context, Result};
use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::Overlay;
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_corpus::files::Files;
use coopmat_corpus::llama::{Llama, Variant};
use cpu_time::ThreadTime;

use crate::front_end::FrontEnd;
use crate::stats::{Times, milliseconds};

/// Rounds of typing and deleting the same text.
const ROUNDS: usize = 5;

/// Prints the times of several places; gives the median of those in a function's body.
pub fn run(llama: &Llama, glslang: &FrontEnd, variant: &Variant) -> Result<Duration> {
    let expanded =
        glslang.check(&variant.source, &variant.configuration(), true)?.context("no preprocessed text")?;
    println!("{} after preprocessing: {} KB, keystroke to diagnostics:", variant.name, expanded.len() / 1000);
    let plain = Configuration { defines: Vec::new(), ..variant.configuration() };
    let typing = Typing { file: "expanded.comp", configuration: &plain, files: &llama.files };
    let body = typing.measure("in main", &expanded, inside(&expanded, "void main()")?, "uint zz = 1 + 2;")?;
    let first = first_function(&expanded)?;
    typing.measure("in the first function", &expanded, inside(&expanded, &first)?, "uint zz = 1 + 2;")?;
    let global = expanded.find(&first).context("no function")?;
    typing.measure("between functions", &expanded, global, "const uint ZZ = 1 + 2;\n")?;

    let source = llama.files.get(&variant.source).context("no source")?.to_string();
    let configuration = variant.configuration();
    let typing = Typing { file: &variant.source, configuration: &configuration, files: &llama.files };
    println!("{} with its includes:", variant.source);
    typing.measure("in main", &source, inside(&source, "void main()")?, "uint zz = 1 + 2;")?;
    let after_version = source.find('\n').context("one line only")? + 1;
    typing.measure("in a macro's body", &source, after_version, "#define ZZ (1 + 2)\n")?;
    header(llama, variant)?;
    Ok(body)
}

/// Types in a header, so that the text of the file itself stays the same.
fn header(llama: &Llama, variant: &Variant) -> Result<()> {
    const HEADER: &str = "types.glsl";
    let text = llama.files.get(&variant.source).context("no source")?;
    let original = llama.files.get(HEADER).context("no header")?;
    let configuration = variant.configuration();
    let mut times = Times::default();
    let analyzer = Analyzer::default();
    let mut previous: Option<Analysis> = None;
    let typed = "\nconst uint ZZ = 1 + 2;\n";
    for end in (0..=typed.len()).chain((0..typed.len()).rev()) {
        let header = format!("{original}{}", &typed[..end]).into();
        let loader = Overlay::new(&llama.files, [(HEADER.to_owned(), header)]);
        let start = ThreadTime::now();
        let analysis =
            analyzer.analyze(&variant.source, text.clone(), &configuration, &loader, previous.as_ref());
        if previous.is_some() {
            times.add(start.elapsed());
        }
        previous = Some(analysis);
    }
    print("in a header", &times);
    Ok(())
}

struct Typing<'a> {
    file: &'a str,
    configuration: &'a Configuration,
    files: &'a Files,
}

impl Typing<'_> {
    fn measure(&self, place: &str, text: &str, offset: usize, typed: &str) -> Result<Duration> {
        let analyzer = Analyzer::default();
        let analyze = |text: String, previous: Option<&Analysis>| {
            analyzer.analyze(self.file, text.into(), self.configuration, self.files, previous)
        };
        let mut previous = analyze(text.to_owned(), None);
        let before = previous.diagnostics.len();
        let (head, tail) = text.split_at(offset);
        let mut times = Times::default();
        for _ in 0..ROUNDS {
            for end in (1..=typed.len()).chain((0..typed.len()).rev()) {
                let edited = format!("{head}{}{tail}", &typed[..end]);
                let start = ThreadTime::now();
                let analysis = analyze(edited, Some(&previous));
                times.add(start.elapsed());
                previous = analysis;
            }
        }
        anyhow::ensure!(
            previous.diagnostics.len() == before,
            "{place}: {before} diagnostics at first, {} after typing and deleting the same text",
            previous.diagnostics.len()
        );
        print(place, &times);
        Ok(times.median())
    }
}

fn print(place: &str, times: &Times) {
    println!(
        "  {place:<22} median {:>6.2} ms, 90 % {:>6.2} ms, slowest {:>6.2} ms of {}",
        milliseconds(times.median()),
        milliseconds(times.quantile(0.9)),
        milliseconds(times.quantile(1.0)),
        times.len()
    );
}

/// Just after the brace that opens the body of this function.
fn inside(text: &str, function: &str) -> Result<usize> {
    let start = text.find(function).with_context(|| format!("no {function}"))?;
    let brace = text[start..].find('{').context("no body")?;
    Ok(start + brace + 1)
}

/// The first line at the left margin that looks like a function's head.
fn first_function(text: &str) -> Result<String> {
    let mut lines = text.lines();
    let head = lines.find(|line| {
        let word = line.split_whitespace().next().unwrap_or_default();
        line.starts_with(char::is_alphabetic)
            && line.contains('(')
            && !line.contains(';')
            && !matches!(word, "layout" | "const" | "struct")
    });
    Ok(head.context("no function")?.to_owned())
}
