//! Takes the ends off words in real shaders, asks for completions, and reports how often the word is among the first three.

mod bench;
mod client;
mod counts;
mod fit;
mod learn;
mod places;
mod shaders;
mod table;

use std::path::PathBuf;

use clap::Parser;
use coopmat_ide::completion::order::Model;
use learn::Counted;

#[derive(Parser)]
struct Arguments {
    /// The folder that `cargo xtask corpus` fills
    #[arg(long)]
    sources: PathBuf,
    /// The folder of this repository's examples
    #[arg(long)]
    examples: PathBuf,
    /// So many places of each project, for each cut
    #[arg(long, default_value_t = 1200)]
    places: usize,
    /// Prints so many of the most frequent misses
    #[arg(long, default_value_t = 0)]
    misses: usize,
    /// Learns from all projects and writes the model here
    #[arg(long, value_name = "FILE")]
    learn: Option<PathBuf>,
    /// Only the project of this name
    #[arg(long)]
    only: Option<String>,
    /// In the order of this model instead of one that was learned from the other projects
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let projects = shaders::read(&arguments.sources, &arguments.examples)?;
    let start = std::time::Instant::now();
    let counted: Vec<Counted> = projects
        .into_iter()
        .map(|project| {
            let places = places::places(&project);
            let counts = counts::count(&project, &places);
            Counted { project, places, counts }
        })
        .collect();
    println!("note counted in {:.1} s", start.elapsed().as_secs_f32());
    if let Some(path) = &arguments.learn {
        std::fs::write(path, learn::learn(&counted.iter().collect::<Vec<_>>()))?;
        return Ok(());
    }
    for own in &counted {
        if arguments.only.as_ref().is_some_and(|only| only != own.project.name) {
            continue;
        }
        let start = std::time::Instant::now();
        let others: Vec<&Counted> =
            counted.iter().filter(|other| other.project.name != own.project.name).collect();
        let model = match &arguments.model {
            Some(path) => std::fs::read_to_string(path)?,
            None => learn::learn(&others),
        };
        let model = Model::read(&model);
        println!("note learned in {:.1} s", start.elapsed().as_secs_f32());
        bench::run(&own.project, &own.places, &model, arguments.places, arguments.misses);
    }
    Ok(())
}
