//! The shaders of `coopmat-rules`, valid and broken, beside glslang: whether both accept them, and whether both modules do the same where
//! they do. glslang runs in a process of its own, which may crash.
//!
//! What differs stands in `docs/divergences.md`, with its reason; a row that nothing needs fails like a difference without a row. What `--like glslang`
//! tells is held against glslang, too: the refusals that rows name are told, none is told where glslang accepts, and pages are right.

mod listed;
mod pages;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use coopmat_analysis::Analyzer;
use coopmat_analysis::diagnostics::Severity;
use coopmat_corpus::differ::{Depth, compare};
use coopmat_corpus::files::Files;
use coopmat_corpus::mutants::first_error;
use coopmat_rules::broken;
use coopmat_rules::judge::{self, Said};
use coopmat_rules::shader::Settings;
use coopmat_rules::suite::Suite;
use rayon::prelude::*;

use listed::Listed;

use crate::asking::{self, Answer, Child};
use crate::front_end::FrontEnd;

#[derive(clap::Args)]
pub struct Options {
    /// The document with the table of differences that are meant
    #[arg(long)]
    accepted: PathBuf,
    /// Only shaders whose function, rule or diagnostic contains this; rows that nothing needs do not fail then
    #[arg(long)]
    only: Option<String>,
    /// Only every n-th shader; rows that nothing needs do not fail then
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Print a shader of each difference, those that are listed too
    #[arg(long)]
    print: bool,
    /// How many processes run glslang
    #[arg(long, default_value_t = 2)]
    processes: usize,
}

/// One shader of the suite.
struct Subject<'s> {
    index: usize,
    built_in: &'s str,
    /// `valid`, where no rule is broken.
    rule: &'static str,
    id: &'static str,
    text: &'s str,
    settings: Settings,
}

const VALID: &str = "valid";

/// The shaders in the order in which child processes know them. glslang is asked about compute shaders.
fn subjects(suite: &Suite) -> Vec<Subject<'_>> {
    let twins = suite.twins.iter().map(|twin| (twin.built_in.as_str(), VALID, "", &twin.text, twin.settings));
    let cases = suite
        .cases
        .iter()
        .map(|case| (case.built_in.as_str(), case.rule, case.id(), &case.text, case.settings));
    twins
        .chain(cases)
        .enumerate()
        .filter(|(_, (.., settings))| !settings.fragment)
        .map(|(index, (built_in, rule, id, text, settings))| Subject {
            index,
            built_in,
            rule,
            id,
            text,
            settings,
        })
        .collect()
}

/// A difference, and what is told about it.
struct Found {
    what: String,
    told: String,
}

/// What came of one shader.
#[derive(Default)]
struct Outcome {
    found: Vec<Found>,
    /// How many operations of ours were held against glslang's, where both made a module.
    operations: Option<usize>,
    /// What `--like glslang` tells of a shader that glslang rejects and we do not.
    refusals: Vec<&'static str>,
}

impl Outcome {
    fn one(what: impl Into<String>, told: String) -> Outcome {
        Outcome { found: vec![Found { what: what.into(), told }], ..Outcome::default() }
    }
}

/// All differences of one kind.
struct Group<'s> {
    shaders: usize,
    subject: &'s Subject<'s>,
    told: String,
}

pub fn run(options: &Options) -> Result<()> {
    let suite = broken::suite();
    let mut subjects = subjects(&suite);
    if let Some(only) = &options.only {
        subjects.retain(|subject| {
            [subject.built_in, subject.rule, subject.id].iter().any(|text| text.contains(only.as_str()))
        });
    }
    let every = options.every.max(1);
    subjects.retain(|subject| subject.index % every == 0);
    let listed = Listed::read(&options.accepted)?;
    let folder = std::env::temp_dir().join(format!("coopmat-rules-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let indices: Vec<usize> = subjects.iter().map(|subject| subject.index).collect();
    let child = Child { subcommand: "rules-child", arguments: &[] };
    let answers = asking::ask(&child, &indices, options.processes, &folder)?;
    let analyzer = Analyzer::default();
    let outcomes: Vec<Result<Outcome>> = subjects
        .par_iter()
        .map(|subject| examine(&analyzer, subject, answers.get(&subject.index).unwrap_or(&Answer::None)))
        .collect();
    fs::remove_dir_all(&folder)?;

    let mut wrong = pages::judge()?;
    let mut groups: BTreeMap<(&str, &str, String), Group<'_>> = BTreeMap::new();
    let (mut alike, mut modules, mut operations) = (0, 0, 0);
    for (subject, outcome) in subjects.iter().zip(outcomes) {
        let Outcome { found, operations: compared, refusals } = outcome?;
        alike += usize::from(found.is_empty());
        modules += usize::from(compared.is_some());
        operations += compared.unwrap_or_default();
        for Found { what, told } in found {
            if what.starts_with("glslang rejects")
                && let Some(row) = listed.row(subject.built_in, subject.rule, &what)
            {
                let named = listed.refusals(row);
                if !named.is_empty() && !named.iter().any(|id| refusals.contains(&id.as_str())) {
                    wrong += 1;
                    println!(
                        "--like glslang does not tell {}: {} | {} | {what}",
                        named.join(", "),
                        subject.built_in,
                        subject.rule
                    );
                }
            }
            let key = (subject.built_in, subject.rule, what);
            groups.entry(key).or_insert(Group { shaders: 0, subject, told }).shaders += 1;
        }
    }
    let mut used = BTreeSet::new();
    for ((built_in, rule, what), group) in &groups {
        let row = listed.row(built_in, rule, what);
        used.extend(row);
        let mark = if row.is_some() { "listed" } else { "NOT LISTED" };
        if row.is_none() || options.print {
            println!("{mark}: {built_in} | {rule} | {what} ({} shaders): {}", group.shaders, group.told);
        }
        if options.print {
            println!("{}", judge::show("", group.subject.text, &[], &[]));
        }
        wrong += usize::from(row.is_none());
    }
    if options.only.is_none() && every == 1 {
        for row in listed.others(&used) {
            wrong += 1;
            println!("listed in {}, but not there: {row}", options.accepted.display());
        }
    }
    println!(
        "{} shaders, {alike} alike with glslang; {modules} pairs of modules with {operations} operations; \
         {} kinds of differences in {} shaders, in {} rows; {wrong} things are wrong",
        subjects.len(),
        groups.len(),
        subjects.len() - alike,
        used.len()
    );
    if wrong > 0 { bail!("{wrong} things are wrong") } else { Ok(()) }
}

/// The process that runs glslang over the shaders of a list.
pub fn run_child(options: &asking::Options) -> Result<()> {
    let suite = broken::suite();
    let subjects: BTreeMap<usize, _> =
        subjects(&suite).into_iter().map(|subject| (subject.index, subject)).collect();
    asking::answer(options, |index| {
        let subject = subjects.get(&index).with_context(|| format!("no shader {index}"))?;
        let mut files = Files::default();
        files.insert("rule.comp", subject.text);
        Ok(FrontEnd::new(&files)?.compile("rule.comp", &subject.settings.configuration()))
    })
}

/// What differs about one shader.
fn examine(analyzer: &Analyzer, subject: &Subject<'_>, answer: &Answer) -> Result<Outcome> {
    let analysis = judge::analyze(analyzer, subject.text, subject.settings);
    let said = judge::said(&analysis);
    let error = said.iter().find(|told| told.severity == Severity::Error);
    Ok(match (error, answer) {
        (_, Answer::None) => bail!("glslang was not asked about {}", subject.index),
        (_, Answer::Crash) => Outcome::one("glslang crashes", words(error)),
        (_, Answer::Hang) => Outcome::one("glslang does not end", words(error)),
        (Some(error), Answer::Module(_)) => {
            Outcome::one(format!("glslang accepts: {}", error.id), words(Some(error)))
        }
        (None, Answer::Refused(log)) => Outcome {
            refusals: judge::refusals(analyzer, subject.text, subject.settings),
            ..Outcome::one(format!("glslang rejects: {}", first_error(log)), log.clone())
        },
        (Some(_), Answer::Refused(_)) => Outcome::default(),
        (None, Answer::Module(theirs)) => {
            if let Some(id) = judge::refusals(analyzer, subject.text, subject.settings).first() {
                return Ok(Outcome::one(
                    format!("glslang accepts: {id}"),
                    "told by --like glslang".to_owned(),
                ));
            }
            let ours = match judge::compile(&analysis) {
                Ok(ours) => ours,
                Err(message) => return Ok(Outcome::one("not compiled", message)),
            };
            match compare(&ours, theirs, Depth::Effects) {
                Ok(comparison) => {
                    let kinds = comparison.differences.iter();
                    Outcome {
                        found: kinds
                            .map(|kind| Found { what: kind.kind(), told: kind.to_string() })
                            .collect(),
                        operations: Some(comparison.operations),
                        refusals: Vec::new(),
                    }
                }
                Err(message) => Outcome::one("not compared", message),
            }
        }
    })
}

fn words(error: Option<&Said>) -> String {
    error.map_or_else(|| "valid here".to_owned(), |error| format!("{}: {}", error.id, error.message))
}
