//! Shaders of the corpus with one edit each, and three verdicts about every one: that of `check`, that of our compiler with `spirv-val` behind
//! it, and glslang's, which runs in a process of its own and may crash.
//!
//! Disagreements are grouped by kind. Those that are meant stand in `docs/divergences.md`. A panic fails, and so does what `check` passes and
//! what does not become a valid module, unless it is listed; and an agreement below what is asked for.

mod report;
mod subjects;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use coopmat_analysis::Analyzer;
use coopmat_corpus::files::Files;
use coopmat_corpus::mutants::{Listed, Ours, Theirs, kind};
use coopmat_corpus::tools::Validator;
use rayon::prelude::*;

use crate::asking::{self, Answer, Child};
use crate::front_end::FrontEnd;
use crate::places::Places;
use report::{Disagreement, Report};
use subjects::{Bases, Mutant};

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    places: Places,
    /// How many shaders are edited
    #[arg(long)]
    mutants: usize,
    /// Which edits are made
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Fail when fewer of a hundred agree, those of listed kinds not counted
    #[arg(long, default_value_t = 0.0)]
    at_least: f64,
    /// Print examples of listed kinds, too
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    validator: Validator,
    /// How many processes run glslang
    #[arg(long, default_value_t = 2)]
    processes: usize,
}

pub fn run(options: &Options) -> Result<()> {
    let listed = Listed::read(&options.places.accepted)?;
    let bases = Bases::read(&options.places.sources)?;
    let analyzer = Analyzer::default();
    let mutants: Vec<Mutant> = (0..options.mutants as u64)
        .into_par_iter()
        .filter_map(|number| bases.mutant(&analyzer, options.seed, number))
        .collect();

    let scratch = std::env::temp_dir().join(format!("coopmat-mutants-{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    let judged = judge(options, &bases, &analyzer, &mutants, &scratch);
    fs::remove_dir_all(&scratch)?;
    judged?.conclude(&listed, &options.places.folder, options.print, options.at_least)
}

/// All verdicts, as what they come to.
fn judge<'m>(
    options: &Options,
    bases: &'m Bases,
    analyzer: &Analyzer,
    mutants: &'m [Mutant],
    scratch: &Path,
) -> Result<Report<'m>> {
    for (number, mutant) in mutants.iter().enumerate() {
        fs::write(scratch.join(format!("{number}.text")), format!("{}\n{}", mutant.base, mutant.edit.text))?;
    }
    let arguments = ["--sources".into(), OsString::from(&options.places.sources)];
    let child = Child { subcommand: "mutants-child", arguments: &arguments };
    let ask = |numbers: &[usize]| asking::ask(&child, numbers, options.processes, scratch);
    let all: Vec<usize> = (0..mutants.len()).collect();
    let answers = ask(&all)?;
    let verdicts: Vec<Ours> = mutants
        .par_iter()
        .enumerate()
        .map(|(number, mutant)| {
            let shader = bases.shader(mutant.base);
            let files = edited(bases, mutant.base, &mutant.edit.text);
            let module = scratch.join(format!("{number}.ours.spv"));
            let configuration = &shader.configuration;
            verdict::ours(analyzer, &files, &shader.source, configuration, &options.validator, &module)
        })
        .collect::<Result<_>>()?;

    let mut found = Vec::new();
    let mut accepted = 0;
    for ((number, mutant), ours) in mutants.iter().enumerate().zip(verdicts) {
        let answer = answers.get(&number).with_context(|| format!("no answer about {number}"))?;
        let (theirs, module) = theirs(answer);
        accepted += usize::from(ours == Ours::Valid && theirs == Theirs::Accepted);
        let Some(kind) = kind(&ours, &theirs, &mutant.edit.text) else { continue };
        // Whether glslang's own module is valid tells who is likely to be right.
        let complaint = match module {
            Some(words) => {
                let path = scratch.join(format!("{number}.theirs.spv"));
                fs::write(&path, coopmat_spirv::to_bytes(words))?;
                options.validator.complaint(
                    &path,
                    bases.shader(mutant.base).configuration.target_env,
                    true,
                )?
            }
            None => None,
        };
        found.push(Disagreement { number, mutant, kind, ours, theirs, complaint });
    }

    // What glslang rejects before any edit says nothing about the edit.
    let doubted: BTreeSet<usize> = found
        .iter()
        .filter(|found| matches!(found.theirs, Theirs::Refused(_)))
        .map(|found| found.mutant.base)
        .collect();
    let first = mutants.len();
    for base in &doubted {
        let text = bases.shaders.text(bases.shader(*base));
        fs::write(scratch.join(format!("{}.text", first + base)), format!("{base}\n{text}"))?;
    }
    let numbers: Vec<usize> = doubted.iter().map(|base| first + base).collect();
    let refused: BTreeSet<usize> = ask(&numbers)?
        .into_iter()
        .filter(|(_, answer)| !matches!(answer, Answer::Module(_)))
        .map(|(number, _)| number - first)
        .collect();
    let before = found.len();
    found.retain(|found| found.kind.fatal || !refused.contains(&found.mutant.base));
    Ok(Report { bases, judged: mutants.len() - (before - found.len()), accepted, found, seed: options.seed })
}

fn theirs(answer: &Answer) -> (Theirs, Option<&[u32]>) {
    match answer {
        Answer::Module(words) => (Theirs::Accepted, Some(words)),
        Answer::Refused(log) => (Theirs::Refused(log.clone()), None),
        Answer::None | Answer::Crash => (Theirs::Crash, None),
        Answer::Hang => (Theirs::Hang, None),
    }
}

/// The files of a shader, with its own text edited.
fn edited(bases: &Bases, base: usize, text: &str) -> Files {
    let shader = bases.shader(base);
    let mut files = bases.shaders.files(shader).clone();
    files.insert(&shader.source, text);
    files
}

#[derive(clap::Args)]
pub struct ChildOptions {
    #[command(flatten)]
    asked: asking::Options,
    /// The folder that `cargo xtask corpus` fills
    #[arg(long)]
    sources: PathBuf,
}

/// The process that runs glslang over the texts of a list: the first line of each is the number of the shader that it was made of.
pub fn run_child(options: &ChildOptions) -> Result<()> {
    let bases = Bases::read(&options.sources)?;
    asking::answer(&options.asked, |number| {
        let written = fs::read_to_string(options.asked.folder().join(format!("{number}.text")))?;
        let (base, text) = written.split_once('\n').context("no number of a shader")?;
        let base: usize = base.parse()?;
        let files = edited(&bases, base, text);
        let shader = bases.shader(base);
        Ok(FrontEnd::new(&files)?.compile(&shader.source, &shader.configuration))
    })
}

/// Counts by kind, the most frequent first.
fn by_count<K: Ord, V>(groups: BTreeMap<K, Vec<V>>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    groups
}
