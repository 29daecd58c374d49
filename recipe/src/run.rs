//! Runs a plan on the simulator, and makes the report.

use coopmat_simulator::{Dependence, Execution, Finding, Observer, Pool, Progress, depends_on_ownership};

use crate::model::Recipe;
use crate::plan::Plan;
use crate::report::{Missing, Modes, Problem, Report, ReportedFinding, SourcePlace, Work};

/// Steps between two looks at the host.
const SLICE: u64 = 1 << 18;

/// What a host brings to a run.
pub struct Host<'h> {
    /// Threads for workgroups. They are not used for what has to be done in order: checked runs and observed ones.
    pub pool: Option<&'h dyn Pool>,
    pub observer: Option<Box<dyn Observer>>,
    /// The source of an instruction of the module.
    pub place: &'h dyn Fn(u32) -> Option<SourcePlace>,
    /// Told how many workgroups have ended, of all; the run ends when it answers false.
    pub go_on: &'h mut dyn FnMut(u64, u64) -> bool,
}

/// A run that has ended, one way or the other.
pub struct Finished {
    pub report: Report,
    /// What the buffers hold, in the order of [`Plan::buffers`].
    pub buffers: Vec<Vec<u8>>,
}

/// Runs a plan under these modes. What goes wrong is in the report.
pub fn run(plan: &Plan, recipe: &Recipe, modes: &Modes, host: Host<'_>) -> Finished {
    let mut report = Report {
        modes: modes.clone(),
        dispatch: plan.dispatch,
        workgroup_size: plan.program.interface().workgroup_size,
        ..Report::default()
    };
    let fail = |mut report: Report, message: String, instruction: Option<u32>| {
        let place = instruction.and_then(|instruction| (host.place)(instruction));
        report.error = Some(Problem { message, place });
        Finished { report, buffers: Vec::new() }
    };
    let settings = match plan.settings(modes) {
        Ok(settings) => settings,
        Err(message) => return fail(report, message, None),
    };
    let (resources, ids) = plan.resources();
    let mut execution = match Execution::new(&plan.program, resources, settings.clone(), plan.dispatch) {
        Ok(execution) => execution,
        Err(error) => return fail(report, error.message, error.instruction),
    };
    let observed = host.observer.is_some();
    if let Some(observer) = host.observer {
        execution.observe(observer);
    }
    let outcome = match host.pool {
        Some(pool) if !modes.checked && !observed => execution.run_parallel(pool).map(|()| true),
        _ => loop {
            match execution.run(SLICE) {
                Ok(Progress::Running { done, all }) => {
                    if !(host.go_on)(done, all) {
                        break Ok(false);
                    }
                }
                Ok(Progress::Finished) => break Ok(true),
                Err(error) => break Err(error),
            }
        },
    };
    report.work = Work::new(&execution.counts());
    report.log = execution.log().to_vec();
    let mut found = execution.findings().to_vec();
    if modes.checked && matches!(outcome, Ok(true)) {
        // The resources that the run began with, once more.
        let (again, _) = plan.resources();
        let all = plan.dispatch.iter().map(|&count| u64::from(count)).product();
        let mut go_on = || (host.go_on)(all, all);
        let other =
            depends_on_ownership(&plan.program, &execution, again, &settings, plan.dispatch, &mut go_on);
        if let Ok(Dependence::Found(finding)) = other {
            found.push(finding);
        }
    }
    report.findings = findings(&found, recipe, host.place);
    let resources = execution.into_resources();
    let buffers: Vec<Vec<u8>> = ids.iter().map(|id| resources.bytes(*id)).collect();
    match outcome {
        Err(error) => {
            let place = error.instruction.and_then(|instruction| (host.place)(instruction));
            report.error = Some(Problem { message: error.message, place });
        }
        Ok(false) => report.error = Some(Problem { message: "the run was stopped".to_owned(), place: None }),
        Ok(true) => {
            report.expectations = plan.judge(&|index| buffers.get(index).cloned().unwrap_or_default());
            if modes.checked {
                report.missing_findings = missing(&report.findings, recipe);
            }
        }
    }
    report.met = report.error.is_none()
        && report.expectations.iter().all(|outcome| outcome.met)
        && report.findings.iter().all(|finding| finding.expected)
        && report.missing_findings.is_empty();
    Finished { report, buffers }
}

/// The most findings that a report lists, each once for all the times that it was made.
const MOST_FINDINGS: usize = 200;

fn findings(
    found: &[Finding],
    recipe: &Recipe,
    place: &dyn Fn(u32) -> Option<SourcePlace>,
) -> Vec<ReportedFinding> {
    let mut reported: Vec<ReportedFinding> = Vec::new();
    for finding in found {
        let at = place(finding.instruction);
        // Once for each line.
        let same = |other: &&mut ReportedFinding| {
            let here =
                if at.is_some() { other.place == at } else { other.instruction == finding.instruction };
            here && other.kind == finding.kind.id()
        };
        if let Some(known) = reported.iter_mut().find(same) {
            known.times += 1 + finding.more;
            continue;
        }
        if reported.len() == MOST_FINDINGS {
            break;
        }
        let other = finding.other.and_then(|(instruction, _)| place(instruction));
        let on =
            |place: &Option<SourcePlace>, line: u32| place.as_ref().is_some_and(|place| place.line == line);
        let expected = recipe.findings.iter().any(|expected| {
            expected.kind == finding.kind.id() && (on(&at, expected.line) || on(&other, expected.line))
        });
        reported.push(ReportedFinding {
            kind: finding.kind.id().to_owned(),
            message: finding.message.clone(),
            place: at,
            other,
            instruction: finding.instruction,
            workgroup: finding.invocation.workgroup,
            invocation: finding.invocation.index,
            expected,
            times: 1 + finding.more,
        });
    }
    reported
}

fn missing(found: &[ReportedFinding], recipe: &Recipe) -> Vec<Missing> {
    let on = |place: &Option<SourcePlace>, line: u32| place.as_ref().is_some_and(|place| place.line == line);
    let is_there = |kind: &str, line: u32| {
        found.iter().any(|f| f.kind == kind && (on(&f.place, line) || on(&f.other, line)))
    };
    let expected = recipe.findings.iter().filter(|expected| !is_there(&expected.kind, expected.line));
    expected.map(|expected| Missing { kind: expected.kind.clone(), line: expected.line }).collect()
}
