//! `cargo run -p coopmat-ide --example completion_names -- [--step N] [--line] [--headers] [-D NAME=VALUE] FILE...`: takes the tails off the names
//! of shaders, asks for completions there, and tells which names were not offered, and how long the answers took in processor time. With `--every` nothing
//! is taken off: completions and signature help are asked for at every place of every file that a shader reads.

#[path = "../tests/completion_names/sampling.rs"]
mod sampling;

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::sources::FileLoader;
use coopmat_analysis::text::{FilePosition, TextSize};
use coopmat_ide::completion::{completions, completions_after};
use coopmat_ide::signature::signature_help;
use sampling::{Cut, sample};

struct Disk;

impl FileLoader for Disk {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        std::fs::read_to_string(path).ok().map(Arc::from)
    }
}

/// Asks everywhere; a panic ends the program and says where by what was printed last.
fn every(file: &str, text: Arc<str>, config: &Configuration, step: usize, times: &mut Vec<u128>) {
    let analysis = coopmat_analysis::analyze(file, text, config, &Disk, None);
    for (id, source) in analysis.files().iter() {
        println!("{} in {file}", source.path);
        for (offset, _) in source.text.char_indices().step_by(step) {
            let position = FilePosition { file: id, offset: TextSize::new(offset as u32) };
            let start = cpu_time::ThreadTime::now();
            completions(&analysis, position);
            times.push(start.elapsed().as_micros());
            completions_after(&analysis, position, ' ');
            signature_help(&analysis, position);
        }
    }
}

fn main() {
    let mut config = Configuration { google_include: true, ..Configuration::default() };
    let (mut step, mut cut, mut files) = (10, Cut::Name, Vec::new());
    let (mut everywhere, mut headers) = (false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--step" => step = arguments.next().and_then(|step| step.parse().ok()).unwrap_or(step),
            "--line" => cut = Cut::Line,
            "--every" => everywhere = true,
            "--headers" => headers = true,
            "-D" => {
                let define = arguments.next().unwrap_or_default();
                config.defines.push(match define.split_once('=') {
                    Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                    None => (define, None),
                });
            }
            _ => files.push(argument),
        }
    }
    let (mut asked, mut missed, mut times) = (0, 0, Vec::new());
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else {
            eprintln!("{file}: cannot be read");
            continue;
        };
        if everywhere {
            every(&file, text.into(), &config, step, &mut times);
            continue;
        }
        let outcome = sample(&file, &text.into(), &config, &Disk, (step, cut, headers));
        asked += outcome.asked;
        missed += outcome.missed.len();
        times.extend(outcome.microseconds);
        for (line, name, what) in outcome.missed {
            println!("{file}:{line}: `{name}` ({what})");
        }
    }
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or(0);
    println!("{asked} asked, {missed} missed; p50 {} us, p95 {} us, p99 {} us", at(50), at(95), at(99));
}
