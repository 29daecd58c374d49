//! `coopmat-analyzer tune`: which choices of sizes and specialization constants a device takes, which are likely to be fast, and, where there is a
//! GPU, which are.
//!
//! | module | does |
//! |---|---|
//! | `candidate` | one choice: whether it is possible, what it does, whether its results are right |
//! | `model` | what it is likely to cost |
//! | `options` | the command line |
//! | `report` | the table |
//! | `plot` | the same as a picture |

mod candidate;
mod model;
mod options;
mod plot;
mod report;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use coopmat_recipe::tune::{Choices, choices};

use crate::output::{note, print};
use crate::program::on_a_large_stack;
use crate::run::{Threads, Wanted, device_of, recipe_and_shader, threads};
use candidate::{Candidate, Expected, Impossible, NOT_RUN, candidate};
pub use options::TuneOptions;
use report::{Order, Refused, Report};

pub fn run(options: &TuneOptions) -> ExitCode {
    on_a_large_stack("tuning", || tune(options))
}

/// The exit code, or why the command line cannot be carried out.
fn tune(options: &TuneOptions) -> Result<ExitCode, String> {
    options.plot.as_deref().map_or(Ok(()), plot::check)?;
    let (path, recipe_path) =
        recipe_and_shader(Some(&options.path), options.recipe.as_deref(), &options.shader)?;
    let recipe_path = recipe_path.unwrap_or_else(|| coopmat_recipe::beside(&path));
    let text = crate::disk::read(Path::new(&recipe_path))
        .map_err(|error| format!("{recipe_path}: {error}: `tune` needs a recipe with `[tune]`"))?;
    let placed = |error: &coopmat_recipe::RecipeError| crate::run::placed(&recipe_path, &text, error);
    let recipe = coopmat_recipe::parse(&text).map_err(|error| placed(&error))?;
    let Choices { allowed, excluded } = choices(&recipe, &text).map_err(|error| placed(&error))?;
    let measured_on = match &options.measure {
        None => None,
        Some(device) => match device_of(Some(device)) {
            (Some(device), _) => Some(device),
            (None, _) => return Err(format!("--measure {device}: expected `vulkan` or `vulkan:NAME`")),
        },
    };
    let wanted = Wanted {
        path: path.clone(),
        recipe: Some(recipe_path),
        spirv: None,
        shader: options.shader.clone(),
        set: options.set.clone(),
        limits: options.limits,
        at_once: threads(options.threads),
        init: false,
        create_recipe: false,
        debug: false,
        most_judged: None,
        color: options.color,
    };
    if allowed.is_empty() {
        return Err(format!("{path}: the conditions of `[tune]` exclude all {excluded} combinations"));
    }
    let mut refused: BTreeMap<&'static str, Refused> = BTreeMap::new();
    let mut candidates = Vec::new();
    let all = allowed.len();
    for (number, choice) in allowed.into_iter().enumerate() {
        let name = choice.to_string();
        match candidate(&wanted, choice) {
            Ok(candidate) => candidates.push(candidate),
            Err(Impossible { kind, reason }) => {
                let known = refused.entry(kind).or_insert_with(|| Refused { reason, choices: Vec::new() });
                known.choices.push(name);
            }
        }
        if !options.json && (number + 1) % 50 == 0 {
            note(&format!("{} of {all} choices looked at", number + 1));
        }
    }
    // What is wrong with every choice is wrong with the shader, the recipe or the command line.
    if let (true, Some(Refused { reason, .. })) = (candidates.is_empty(), refused.get(NOT_RUN)) {
        return Err(reason.clone());
    }
    let device = options.shader.device.clone().or_else(|| recipe.device.clone());
    let mut report = Report {
        is_module: crate::module::is_named(Path::new(&path)),
        shader: path,
        device,
        expects: !recipe.expect.is_empty(),
        all: all + excluded,
        excluded,
        refused,
        equal: 0,
        dropped: 0,
        order: Order::NotPredicted,
        candidates,
        agreement: None,
    };
    report.drop_equal();
    if !options.all {
        report.drop_worse();
    }
    report.sort_by_model();
    if options.plot.is_some() && measured_on.is_none() && report.order == Order::NotPredicted {
        return Err(plot::NOTHING.to_owned());
    }
    if let Some(device) = &measured_on {
        let mut expected = match report.candidates.first() {
            Some(first) => Expected::of(&recipe, &first.choice),
            None => Expected::OfEach,
        };
        measure(&mut report.candidates, &wanted, device, options, &mut expected);
        report.sort_by_times();
    }
    verify(&mut report.candidates, &wanted, options)?;
    let failed = report.candidates.is_empty() || report.candidates.iter().any(Candidate::is_wrong);
    let text = if options.json { report.json()? } else { report.text() };
    let printed = print(&text);
    if let Some(path) = &options.plot {
        let picture = plot::png(&report)?;
        std::fs::write(path, picture).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(if printed == ExitCode::SUCCESS && failed { ExitCode::FAILURE } else { printed })
}

/// In rounds, so that a device that gets warmer or colder does so for all of them alike; the second round counts.
fn measure(
    candidates: &mut [Candidate],
    wanted: &Wanted,
    device: &Option<String>,
    options: &TuneOptions,
    expected: &mut Expected,
) {
    let most = candidates.len().min(options.most);
    let untimed = Wanted { most_judged: Some(0), ..wanted.clone() };
    for round in 0..2 {
        let (wanted, expected) = match round {
            0 => (&untimed, &mut Expected::OfEach),
            _ => (wanted, &mut *expected),
        };
        for (number, candidate) in candidates.iter_mut().take(most).enumerate() {
            candidate.measure(wanted, device, options.repeat, expected);
            if !options.json && (number + 1) % 20 == 0 {
                note(&format!("round {} of 2: {} of {most} choices measured", round + 1, number + 1));
            }
        }
    }
}

/// The first ones on the simulator.
fn verify(candidates: &mut [Candidate], wanted: &Wanted, options: &TuneOptions) -> Result<(), String> {
    let pool = Threads::new(options.threads)?;
    for candidate in candidates.iter_mut().take(options.verify) {
        candidate.verify(wanted, &pool)?;
    }
    Ok(())
}
