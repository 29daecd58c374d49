//! `coopmat-analyzer reduce`: a failing recipe, as small as can be while what is wrong stays: fewer dispatches and workgroups, less data, less of the
//! modules.
//!
//! | module | does |
//! |---|---|
//! | `case` | what is made smaller, and its files |
//! | `kept` | what stays, and whether it is still there |
//! | `shrink` | the smaller recipes that are tried; those of modules are `coopmat_spirv`'s |
//! | `options` | the command line |

mod case;
mod kept;
mod options;
mod shrink;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use coopmat_recipe::flat::FlatExpectation;
use coopmat_recipe::report::Modes;
use coopmat_recipe::{Finished, modes};

use crate::output::{note, print};
use crate::program::on_a_large_stack;
use crate::run::{
    Failed, Prepared, Wanted, add_ownership, buffers_on_device, device_of, lay_over, prepare,
    recipe_and_shader,
};
use case::{Case, Form};
use kept::{Element, Judge, Kept, Said};
pub use options::ReduceOptions;

pub fn run(options: &ReduceOptions) -> ExitCode {
    on_a_large_stack("the reduction", || reduce(options))
}

/// The exit code, or why the command line cannot be carried out.
fn reduce(options: &ReduceOptions) -> Result<ExitCode, String> {
    let (path, recipe) = recipe_and_shader(Some(&options.path), options.recipe.as_deref(), &options.shader)?;
    let (device, profile) = device_of(options.shader.device.as_deref());
    let wanted = Wanted {
        path,
        recipe,
        spirv: None,
        shader: crate::arguments::ShaderOptions { device: profile, ..options.shader.clone() },
        set: options.set.clone(),
        limits: options.limits,
        at_once: 1,
        init: false,
        create_recipe: false,
        debug: false,
        most_judged: None,
        color: options.color,
    };
    let mut prepared = match prepare(&wanted) {
        Ok(prepared) => prepared,
        Err(Failed::Told) => return Ok(ExitCode::FAILURE),
        Err(failed) => return Err(failed.words()),
    };
    let modes = chosen(&prepared, options);
    add_ownership(&mut prepared.plan, &options.modes)?;
    prepared.plan.settings(&modes)?;
    let finished = kept::run(&prepared, &modes);
    let stem = stem(&wanted);
    let shown = prepared.recipe_path.clone().unwrap_or_else(|| wanted.path.clone());
    let mut case =
        Case::of(&prepared, &modes, &stem).map_err(|why| format!("{shown}: not reduced: {why}"))?;
    let (kept, what) = chosen_to_stay(options, device.as_ref(), (&prepared, &modes), &finished, &mut case)
        .map_err(|why| format!("{shown}: {why}"))?;
    case.flat.description = format!("Reduced: {what}");
    note(&format!("keeping: {what}"));

    let output = options.output.clone().unwrap_or_else(|| PathBuf::from(format!("{stem}.reduced")));
    std::fs::create_dir_all(&output).map_err(|error| format!("{}: {error}", output.display()))?;
    // A smaller one that takes longer runs in a circle.
    let mut smaller = wanted.clone();
    if finished.report.error.is_none() {
        let steps = finished.report.work.instructions.saturating_mul(2).saturating_add(1 << 12);
        smaller.limits.step_limit = steps.min(wanted.limits.step_limit);
    }
    let mut judge = Judge {
        wanted: &smaller,
        options: &options.modes,
        modes,
        kept,
        known: finished.report.findings.iter().map(Said::of).collect(),
        error: finished.report.error.as_ref().map(Said::of_error),
        device,
        folder: tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?,
        until: Instant::now() + Duration::from_secs(options.seconds),
        validates: case.modules.iter().all(|module| kept::is_valid(module) == Some(true)),
        tried: 0,
    };
    let flattened = case.write(judge.folder.path(), Form::Words)?;
    if !judge.stays(&flattened) {
        return Err(format!(
            "{shown}: not reduced: rewritten with plain numbers and a specialized module, the run no longer fails in the same way"
        ));
    }
    let before = case.size();
    let (case, finished) = shrink::shrink(case, &mut judge);
    if !finished {
        note(&format!("stopped after {} s (--seconds)", options.seconds));
    }
    let written = written(&case, &judge, &output)?;
    let after = case.size();
    let text = format!(
        "{written}: {} of {} workgroups, {} of {} bytes in buffers, {} of {} instructions; {} recipes tried\n",
        after.0, before.0, after.1, before.1, after.2, before.2, judge.tried
    );
    Ok(print(&text))
}

/// As text where that stands for the same modules.
fn written(case: &Case, judge: &Judge<'_>, output: &Path) -> Result<String, String> {
    let mut path = case.write(output, Form::Text)?;
    if !judge.stays(&path) {
        path = case.write(output, Form::Words)?;
    }
    Ok(crate::paths::slashes(&path.to_string_lossy()))
}

fn chosen(prepared: &Prepared, options: &ReduceOptions) -> Modes {
    let mut modes = modes::first(&prepared.recipe, prepared.plan.subgroup_size);
    lay_over(&mut modes, &options.modes);
    // What would be undefined is nothing that stays the same.
    modes.checked = true;
    modes.strict |= options.strict;
    modes
}

/// The start of the names of files: the recipe's, or the shader's.
fn stem(wanted: &Wanted) -> String {
    let path = wanted.recipe.as_ref().unwrap_or(&wanted.path);
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(coopmat_recipe::EXTENSION).unwrap_or(name.split('.').next().unwrap_or(name));
    stem.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}

/// What of a run stays, and that in words. Where it is a wrong element, the reduced recipe expects what this one does.
fn chosen_to_stay(
    options: &ReduceOptions,
    device: Option<&Option<String>>,
    (prepared, modes): (&Prepared, &Modes),
    finished: &Finished,
    case: &mut Case,
) -> Result<(Kept, String), String> {
    let Finished { report, buffers, .. } = finished;
    let at = |place: &Option<coopmat_recipe::report::SourcePlace>| match place {
        Some(place) => format!(" at {}:{}", place.path, place.line),
        None => String::new(),
    };
    if let Some(device) = device {
        if let Some(error) = &report.error {
            return Err(format!("not reduced: the simulator's run ends early: {}", error.message));
        }
        let there = buffers_on_device(device, prepared, modes)?;
        for ((buffer, flat), (own, other)) in
            prepared.plan.buffers.iter().zip(&case.flat.buffers).zip(buffers.iter().zip(&there))
        {
            let size = flat.element.size();
            // The one that is farthest off; two that are no numbers are alike.
            let pairs = own.chunks(size).zip(other.chunks(size)).enumerate();
            let apart = pairs.map(|(at, (own, other))| (kept::apart(flat.element, own, other), at));
            let worst = apart.reduce(|worst, one| if one.0 > worst.0 { one } else { worst });
            let Some((_, element)) = worst.filter(|(apart, _)| *apart > 0.0) else { continue };
            let bytes = element * size..(element + 1) * size;
            let of = |buffer: &[u8]| buffer.get(bytes.clone()).unwrap_or_default().to_vec();
            let (simulated, on_device) = (of(own), of(other));
            let number = |bytes: &[u8]| flat.element.read(bytes, 0).unwrap_or(f64::NAN);
            let what = format!(
                "element {element} of `{}`, {:?} on the simulator and {:?} on the device",
                buffer.name,
                number(&simulated),
                number(&on_device)
            );
            // Half of it: what a smaller module computes of other numbers is not as far apart to the last one.
            let least = (kept::apart(flat.element, &simulated, &on_device) / 2.0).max(1.0);
            let stays = Element::Apart(flat.element, least);
            let kept = Kept::Element { buffer: flat.name.clone(), bytes, stays };
            return Ok((kept, what));
        }
        return Err("nothing to reduce: the device's buffers hold what the simulator's do".to_owned());
    }
    let wanted = |kind: &str| options.finding.as_ref().is_none_or(|wanted| wanted == kind);
    if !options.result
        && let Some(finding) = report.findings.iter().find(|finding| wanted(&finding.kind))
    {
        let what = format!("{}{}: {}", finding.kind, at(&finding.place), finding.message);
        return Ok((Kept::Finding(Said::of(finding)), what));
    }
    if let Some(kind) = &options.finding {
        let others: Vec<&str> = report.findings.iter().map(|finding| finding.kind.as_str()).collect();
        return Err(match others.is_empty() {
            true => format!("nothing to reduce: checked mode finds no `{kind}`, and nothing else"),
            false => format!("nothing to reduce: checked mode finds no `{kind}`, but {}", others.join(", ")),
        });
    }
    if let Some(error) = report.error.as_ref().filter(|_| !options.result) {
        let what = format!("the run ends early{}: {}", at(&error.place), error.message);
        return Ok((Kept::Error, what));
    }
    for (outcome, planned) in report.expectations.iter().zip(&prepared.plan.expectations) {
        let (false, Some(worst)) = (outcome.met, &outcome.worst) else { continue };
        let (Some(buffer), Some(flat)) =
            (prepared.plan.buffers.get(planned.buffer), case.flat.buffers.get(planned.buffer))
        else {
            continue;
        };
        if planned.after + 1 != prepared.plan.dispatches.len() {
            return Err(format!(
                "not reduced: `{}` is wrong after a dispatch that is not the last one; remove the later dispatches first",
                buffer.name
            ));
        }
        let shape = buffer.extent.as_ref().map_or(&[][..], |extent| &extent.shape);
        let place = worst.index.iter().zip(shape).fold(0, |place, (at, length)| place * length + at);
        let bytes = buffer.extent.as_ref().and_then(|extent| extent.bytes_of(place));
        let aligned = bytes.filter(|bytes| bytes.start % flat.element.size() == 0);
        let Some(bytes) = aligned else {
            return Err(format!(
                "not reduced: the elements of `{}` are blocks, or not aligned to their size, so none can be followed",
                buffer.name
            ));
        };
        let simulated =
            buffers.get(planned.buffer).and_then(|held| held.get(bytes.clone())).unwrap_or_default().to_vec();
        let (expected, found) = match &worst.exact {
            Some([expected, found]) => (expected.clone(), found.clone()),
            None => (formula(worst.expected), formula(worst.found)),
        };
        let element = bytes.start / flat.element.size();
        let what = format!(
            "element {:?} of `{}` is {found}, expected {expected}{}",
            worst.index,
            buffer.name,
            if buffer.bytes.get(bytes.clone()) == Some(simulated.as_slice()) {
                ", as before the run"
            } else {
                ""
            }
        );
        case.flat.expectations.push(FlatExpectation {
            buffer: planned.buffer,
            equals: format!("{{ formula = \"{expected}\" }}"),
            tolerance: planned.tolerance,
            only: Some(format!("index == {element}")),
        });
        let kept = Kept::Element { buffer: flat.name.clone(), bytes, stays: Element::Bits(simulated) };
        return Ok((kept, what));
    }
    Err(match options.result {
        true => "nothing to reduce: the results are what the recipe expects",
        false => "nothing to reduce: the results are what the recipe expects, and checked mode finds nothing",
    }
    .to_owned())
}

/// A number as formulas have it.
fn formula(number: f64) -> String {
    match number {
        _ if number.is_nan() => "nan".to_owned(),
        f64::INFINITY => "inf".to_owned(),
        f64::NEG_INFINITY => "-inf".to_owned(),
        _ => format!("{number:?}"),
    }
}
