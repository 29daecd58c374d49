//! Runs a plan on the simulator, and makes the report.

use coopmat_simulator::{
    BufferId, Dependence, Execution, Finding, Observer, Pool, Progress, RunError, SecondRun, Settings,
};

use crate::headroom;
use crate::model::Recipe;
use crate::plan::Plan;
use crate::report::{Missing, Modes, Problem, Report, ReportedFinding, SourcePlace, Work};

/// Steps between two looks at the host.
const SLICE: u64 = 1 << 18;

/// What a host brings to a run.
pub struct Host<'h> {
    /// Threads for workgroups. They are not used for what has to be done in order: checked runs and observed ones.
    pub pool: Option<&'h dyn Pool>,
    /// Who looks at the run, if anybody does.
    pub observer: Option<Box<dyn Observer>>,
    /// The source of an instruction of the module.
    pub place: &'h dyn Fn(u32) -> Option<SourcePlace>,
    /// Told how many workgroups have ended, of all; the run ends when it answers false.
    pub go_on: &'h mut dyn FnMut(u64, u64) -> bool,
}

/// A run that has ended, one way or the other.
pub struct Finished {
    /// What it came to.
    pub report: Report,
    /// What the buffers hold, in the order of [`Plan::buffers`].
    pub buffers: Vec<Vec<u8>>,
}

/// Runs a plan under these modes. What goes wrong is in the report.
pub fn run(plan: &Plan, recipe: &Recipe, modes: &Modes, host: Host<'_>) -> Finished {
    let mut run = match Run::new(plan, modes) {
        Ok(run) => run,
        Err(problem) => return failed(plan, modes, problem, host.place),
    };
    match host.observer {
        Some(observer) => run.observe(observer),
        None => {
            if let Some(pool) = host.pool.filter(|_| !modes.checked) {
                run.run_parallel(pool);
            }
        }
    }
    while let Slice::Running { done, all } = run.step(plan, SLICE) {
        if !(host.go_on)(done, all) {
            run.stop();
        }
    }
    run.finish(plan, recipe, host.place)
}

/// Why a run cannot begin: in words, and the instruction that is to blame.
pub type NoRun = (String, Option<u32>);

/// A run that could not begin, as one that has ended.
pub fn failed(
    plan: &Plan,
    modes: &Modes,
    (message, instruction): NoRun,
    place: &dyn Fn(u32) -> Option<SourcePlace>,
) -> Finished {
    let place = instruction.and_then(place);
    Finished {
        report: Report { error: Some(Problem { message, place }), ..begun(plan, modes) },
        buffers: Vec::new(),
    }
}

fn begun(plan: &Plan, modes: &Modes) -> Report {
    Report {
        modes: modes.clone(),
        dispatch: plan.dispatch,
        workgroup_size: plan.program.interface().workgroup_size,
        notes: plan.notes.clone(),
        ..Report::default()
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// Workgroups that have ended, of all.
    Running {
        /// Workgroups that have ended.
        done: u64,
        /// Workgroups of the dispatch.
        all: u64,
    },
    /// There is nothing left to run.
    Ended,
}

/// A run in slices, for hosts that have something else to do in between.
pub struct Run {
    modes: Modes,
    settings: Settings,
    execution: Execution,
    ids: Vec<BufferId>,
    /// The end: all workgroups ran, or not.
    outcome: Option<Result<bool, RunError>>,
    /// After the first run, in checked mode.
    second: Option<SecondRun>,
    dependence: Option<Finding>,
}

impl Run {
    /// A run that stands at its beginning. The error says why there is none.
    pub fn new(plan: &Plan, modes: &Modes) -> Result<Run, NoRun> {
        let mut settings = plan.settings(modes).map_err(|message| (message, None))?;
        let (resources, ids) = plan.resources();
        settings.undefined_buffers = plan.undefined(&ids);
        let execution = Execution::new(&plan.program, resources, settings.clone(), plan.dispatch)
            .map_err(|error| (error.message, error.instruction))?;
        let modes = modes.clone();
        Ok(Run { modes, settings, execution, ids, outcome: None, second: None, dependence: None })
    }

    /// Shows the rest of the run to an observer.
    pub fn observe(&mut self, observer: Box<dyn Observer>) {
        self.execution.observe(observer);
    }

    /// What has run so far.
    pub fn execution(&self) -> &Execution {
        &self.execution
    }

    fn run_parallel(&mut self, pool: &dyn Pool) {
        self.outcome = Some(self.execution.run_parallel(pool).map(|()| true));
    }

    /// Runs about so many steps.
    pub fn step(&mut self, plan: &Plan, steps: u64) -> Slice {
        if let Some(second) = &mut self.second {
            match second.run(steps) {
                Ok(Progress::Running { done, all }) => return Slice::Running { done, all },
                Ok(Progress::Finished) => {
                    if let Dependence::Found(finding) = second.compare(&self.execution) {
                        self.dependence = Some(finding);
                    }
                }
                // It says nothing about the first run.
                Err(_) => {}
            }
            self.second = None;
            return Slice::Ended;
        }
        if self.outcome.is_some() {
            return Slice::Ended;
        }
        self.outcome = Some(match self.execution.run(steps) {
            Ok(Progress::Running { done, all }) => return Slice::Running { done, all },
            Ok(Progress::Finished) => Ok(true),
            Err(error) => Err(error),
        });
        if !self.modes.checked || !matches!(self.outcome, Some(Ok(true))) {
            return Slice::Ended;
        }
        // The resources that the run began with, once more.
        let (again, _) = plan.resources();
        let second = SecondRun::new(&plan.program, &self.execution, again, &self.settings, plan.dispatch);
        self.second = second.ok();
        if self.second.is_none() {
            return Slice::Ended;
        }
        let all = plan.dispatch.iter().map(|&count| u64::from(count)).product();
        Slice::Running { done: 0, all }
    }

    /// Ends the run where it is.
    pub fn stop(&mut self) {
        self.second = None;
        self.outcome.get_or_insert(Ok(false));
    }

    /// What it came to. One that has not ended counts as stopped.
    pub fn finish(
        self,
        plan: &Plan,
        recipe: &Recipe,
        place: &dyn Fn(u32) -> Option<SourcePlace>,
    ) -> Finished {
        let mut report = begun(plan, &self.modes);
        report.work = Work::new(&self.execution.counts());
        report.log = self.execution.log().to_vec();
        let mut found = self.execution.findings().to_vec();
        found.extend(self.dependence);
        report.findings = findings(&found, recipe, place);
        report.headroom = self.modes.headroom.then(|| headroom::of(&self.execution, place));
        let resources = self.execution.into_resources();
        let buffers = plan.left(&resources, &self.ids);
        match self.outcome.unwrap_or(Ok(false)) {
            Err(error) => {
                let place = error.instruction.and_then(place);
                report.error = Some(Problem { message: plan.explain(&error), place });
            }
            Ok(false) => {
                report.error = Some(Problem { message: "the run was stopped".to_owned(), place: None });
            }
            Ok(true) => {
                if let Some(headroom) = &mut report.headroom {
                    headroom.infinite = headroom::left(plan, &buffers);
                }
                report.expectations = plan.judge(&|index| buffers.get(index).cloned().unwrap_or_default());
                if self.modes.checked {
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
