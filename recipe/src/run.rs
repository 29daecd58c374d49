//! Runs a plan on the simulator, and makes the report.

use std::collections::BTreeMap;

use coopmat_simulator::matrix::Headroom;
use coopmat_simulator::{
    Dependence, Execution, Finding, Observer, Pool, Progress, Resources, RunError, RunErrorKind, SecondRun,
    Settings,
};

use crate::headroom;
use crate::lines::Executed;
use crate::model::{ExpectedFinding, Recipe};
use crate::plan::{Held, Plan};
use crate::report::{
    Missing, Modes, Problem, Report, ReportedDispatch, ReportedFinding, ReportedTier, SourcePlace, Work,
};

/// Steps between two looks at the host.
pub(crate) const SLICE: u64 = 1 << 18;

/// The source of an instruction: of the module of a dispatch, by its place in [`Plan::dispatches`], and the instruction's index there.
pub type PlaceOf<'h> = &'h dyn Fn(usize, u32) -> Option<SourcePlace>;

/// What runs dispatches faster than the interpreter, with the same results.
pub trait Tier: Sync {
    /// Steps that the interpreter takes first: what is over by then is not worth machine code.
    fn patience(&self) -> u64;

    /// Runs an execution to its end, from the workgroup that comes next. False where it was stopped; the error is why the interpreter has to run
    /// it, and nothing has happened then.
    fn run(
        &self,
        execution: &mut Execution,
        pool: Option<&dyn Pool>,
        go_on: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<bool, String>;
}

/// What a host brings to a run.
pub struct Host<'h> {
    /// Threads for workgroups. They are not used for what has to be done in order: checked runs and observed ones.
    pub pool: Option<&'h dyn Pool>,
    /// Machine code for dispatches, where the host makes it.
    pub tier: Option<&'h dyn Tier>,
    /// Who looks at the run, if anybody does: an observer for each dispatch that is looked at.
    pub observers: Vec<(usize, Box<dyn Observer>)>,
    /// The source of an instruction.
    pub place: PlaceOf<'h>,
    /// Told how many workgroups have ended, of all; the run ends when it answers false.
    pub go_on: &'h mut dyn FnMut(u64, u64) -> bool,
}

/// A run that has ended, one way or the other.
pub struct Finished {
    /// What it came to.
    pub report: Report,
    /// What each instruction did, by the dispatch: what [`crate::lines`] makes lines of.
    pub executed: Executed,
    /// What the buffers hold, in the order of [`Plan::buffers`].
    pub buffers: Vec<Vec<u8>>,
}

/// Runs a plan under these modes. What goes wrong is in the report.
pub fn run(plan: &Plan, recipe: &Recipe, modes: &Modes, host: Host<'_>) -> Finished {
    let mut run = match Run::new(plan, modes) {
        Ok(run) => run,
        Err(problem) => return failed(plan, modes, problem, host.place),
    };
    for (dispatch, observer) in host.observers {
        run.observe(dispatch, observer);
    }
    loop {
        if let Some(tier) = host.tier {
            run.run_compiled(plan, tier, host.pool, host.go_on);
        }
        if let Some(pool) = host.pool.filter(|_| !modes.checked) {
            run.run_parallel(pool);
        }
        let Slice::Running { done, all } = run.step(plan, SLICE) else { break };
        if !(host.go_on)(done, all) {
            run.stop();
        }
    }
    run.finish(plan, recipe, host.place)
}

/// Why a run cannot begin: in words, and the instruction of the first dispatch that is to blame.
pub type NoRun = (String, Option<u32>);

/// A run that could not begin, as one that has ended.
pub fn failed(plan: &Plan, modes: &Modes, (message, instruction): NoRun, place: PlaceOf<'_>) -> Finished {
    let place = instruction.and_then(|instruction| place(0, instruction));
    let problem = Problem { message, dispatch: name_of(plan, 0), place };
    let report = Report { error: Some(problem), ..begun(plan, modes) };
    Finished { report, executed: Vec::new(), buffers: Vec::new() }
}

fn name_of(plan: &Plan, dispatch: usize) -> Option<String> {
    plan.dispatches.get(dispatch)?.name.clone()
}

fn begun(plan: &Plan, modes: &Modes) -> Report {
    let mut report = Report { modes: modes.clone(), notes: plan.notes.clone(), ..Report::default() };
    if let Some(first) = plan.dispatches.first() {
        report.dispatch = first.workgroups;
        report.workgroup_size = first.program.interface().workgroup_size;
    }
    let reported = plan.dispatches.iter().filter_map(|dispatch| {
        Some(ReportedDispatch {
            name: dispatch.name.clone()?,
            shader: String::new(),
            workgroups: dispatch.workgroups,
            workgroup_size: dispatch.program.interface().workgroup_size,
            work: None,
        })
    });
    report.dispatches = reported.collect();
    report
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// Workgroups that have ended, of all.
    Running {
        /// Workgroups that have ended.
        done: u64,
        /// Workgroups of all dispatches.
        all: u64,
    },
    /// There is nothing left to run.
    Ended,
}

/// What came of the first steps of a dispatch.
enum Trial {
    /// They were all.
    Short,
    /// They were not, but there was no other workgroup.
    Whole,
    /// There is more, and a workgroup has just ended.
    Worth,
}

/// A run in slices, for hosts that have something else to do in between.
pub struct Run {
    modes: Modes,
    settings: Settings,
    /// Of the dispatch that runs, or has ended as the last one.
    execution: Execution,
    held: Held,
    /// The dispatch that runs.
    dispatch: usize,
    /// Workgroups of the dispatches before.
    before: u64,
    /// Steps of the dispatches before.
    steps_before: u64,
    /// The last dispatch.
    last: usize,
    /// What the dispatch that runs began with, for its second run in checked mode; of the first one the plan says it.
    begun: Option<Resources>,
    /// Who waits for a dispatch.
    observers: Vec<(usize, Box<dyn Observer>)>,
    /// The end of the dispatch that runs: all workgroups ran, or not.
    outcome: Option<Result<bool, RunError>>,
    /// After the first run of a dispatch, in checked mode.
    second: Option<SecondRun>,
    dependence: Option<Finding>,
    /// What there is to tell of dispatches that have ended.
    work: Vec<Work>,
    executed: Executed,
    /// Who ran them, where there is a choice.
    tiers: Vec<ReportedTier>,
    findings: Vec<(usize, Finding)>,
    ranges: Vec<(usize, Headroom)>,
    log: Vec<String>,
    /// What buffers held after a dispatch, where an expectation wants to see it: dispatch, buffer.
    seen: BTreeMap<(usize, usize), Vec<u8>>,
}

/// What a dispatch begins with, after those before it have run: for hosts that run one by themselves.
///
/// # Errors
/// Why it does not come to that, with the dispatch that is to blame.
pub fn resources_before(plan: &Plan, modes: &Modes, dispatch: usize) -> Result<Resources, (usize, RunError)> {
    if dispatch == 0 {
        return Ok(plan.resources().0);
    }
    let setup = |message: String| (0, RunError { kind: RunErrorKind::Setup, message, instruction: None });
    let modes = Modes { checked: false, ..modes.clone() };
    let mut run = Run::new(plan, &modes).map_err(|(message, _)| setup(message))?;
    while run.dispatch < dispatch {
        if run.step(plan, SLICE) == Slice::Ended {
            return Err(match run.outcome {
                Some(Err(error)) => (run.dispatch, error),
                _ => setup(format!("the recipe has no dispatch {}", dispatch + 1)),
            });
        }
    }
    Ok(run.execution.into_resources())
}

impl Run {
    /// A run that stands at its beginning. The error says why there is none.
    pub fn new(plan: &Plan, modes: &Modes) -> Result<Run, NoRun> {
        let mut settings = plan.settings(modes).map_err(|message| (message, None))?;
        let (resources, held) = plan.resources();
        settings.undefined_buffers = plan.undefined(&held);
        settings.undefined_images = plan.undefined_images(&held);
        let first = plan.dispatches.first().ok_or(("there is no dispatch".to_owned(), None))?;
        let execution = Execution::new(&first.program, resources, settings.clone(), first.workgroups)
            .map_err(|error| (error.message, error.instruction))?;
        Ok(Run {
            modes: modes.clone(),
            settings,
            execution,
            held,
            dispatch: 0,
            before: 0,
            steps_before: 0,
            last: plan.dispatches.len().saturating_sub(1),
            begun: None,
            observers: Vec::new(),
            outcome: None,
            second: None,
            dependence: None,
            work: Vec::new(),
            executed: Vec::new(),
            tiers: Vec::new(),
            findings: Vec::new(),
            ranges: Vec::new(),
            log: Vec::new(),
            seen: BTreeMap::new(),
        })
    }

    /// Shows the rest of a dispatch to an observer.
    pub fn observe(&mut self, dispatch: usize, observer: Box<dyn Observer>) {
        if dispatch == self.dispatch {
            self.execution.observe(observer);
        } else {
            self.observers.push((dispatch, observer));
        }
    }

    /// What has run so far of the dispatch that runs.
    pub fn execution(&self) -> &Execution {
        &self.execution
    }

    /// Steps so far, without those of second runs.
    pub fn steps(&self) -> u64 {
        self.steps_before + self.execution.steps()
    }

    /// Runs the dispatch as machine code, once, unless that is not possible.
    fn run_compiled(
        &mut self,
        plan: &Plan,
        tier: &dyn Tier,
        pool: Option<&dyn Pool>,
        go_on: &mut dyn FnMut(u64, u64) -> bool,
    ) {
        if self.outcome.is_some() || self.tiers.len() > self.dispatch {
            return;
        }
        if self.modes.checked || self.modes.headroom || self.execution.is_observed() {
            let asked = tier.patience() == 0;
            let reason = asked.then(|| "every step is looked at".to_owned());
            self.tiers.push(ReportedTier { compiled: false, reason });
            return;
        }
        let (before, all) = (self.before, plan.workgroups());
        let mut go_on = |done| go_on(before + done, all);
        let reason = match self.try_first(tier.patience(), &mut go_on) {
            Trial::Short => None,
            Trial::Whole => Some("only whole workgroups are handed over to machine code".to_owned()),
            Trial::Worth => match tier.run(&mut self.execution, pool, &mut |done, _| go_on(done)) {
                Ok(finished) => {
                    self.outcome = Some(Ok(finished));
                    self.tiers.push(ReportedTier { compiled: true, reason: None });
                    return;
                }
                Err(reason) => Some(reason),
            },
        };
        self.tiers.push(ReportedTier { compiled: false, reason });
    }

    /// Lets the interpreter run whole workgroups until these steps are used up, or the dispatch has ended.
    fn try_first(&mut self, patience: u64, go_on: &mut dyn FnMut(u64) -> bool) -> Trial {
        let most = self.execution.counts().steps.saturating_add(patience);
        loop {
            if self.execution.counts().steps >= most && self.execution.ended_workgroups().is_some() {
                return Trial::Worth;
            }
            self.outcome = Some(match self.execution.run_workgroup(SLICE) {
                Ok(Progress::Running { done, .. }) if go_on(done) => continue,
                Ok(Progress::Running { .. }) => Ok(false),
                Ok(Progress::Finished) => Ok(true),
                Err(error) => Err(error),
            });
            return if self.execution.counts().steps < most { Trial::Short } else { Trial::Whole };
        }
    }

    fn run_parallel(&mut self, pool: &dyn Pool) {
        if self.outcome.is_none() && !self.execution.is_observed() {
            self.outcome = Some(self.execution.run_parallel(pool).map(|()| true));
        }
    }

    /// Runs about so many steps.
    pub fn step(&mut self, plan: &Plan, steps: u64) -> Slice {
        let all = plan.workgroups();
        if let Some(second) = &mut self.second {
            match second.run(steps) {
                Ok(Progress::Running { done, .. }) => {
                    return Slice::Running { done: self.before + done, all };
                }
                Ok(Progress::Finished) => {
                    if let Dependence::Found(finding) = second.compare(&self.execution) {
                        self.dependence = Some(finding);
                    }
                }
                // It says nothing about the first run.
                Err(_) => {}
            }
            self.second = None;
            return self.next(plan);
        }
        match &self.outcome {
            Some(Ok(true)) => return self.next(plan),
            Some(_) => return Slice::Ended,
            None => {}
        }
        self.outcome = Some(match self.execution.run(steps) {
            Ok(Progress::Running { done, .. }) => return Slice::Running { done: self.before + done, all },
            Ok(Progress::Finished) => Ok(true),
            Err(error) => Err(error),
        });
        if !matches!(self.outcome, Some(Ok(true))) {
            return Slice::Ended;
        }
        // The resources that the dispatch began with, once more.
        let again = match self.dispatch {
            0 => self.modes.checked.then(|| plan.resources().0),
            _ => self.begun.take(),
        };
        if let (Some(again), Some(dispatch)) = (again, plan.dispatches.get(self.dispatch)) {
            let (program, groups) = (&dispatch.program, dispatch.workgroups);
            self.second = SecondRun::new(program, &self.execution, again, &self.settings, groups).ok();
        }
        match self.second {
            Some(_) => Slice::Running { done: self.before, all },
            None => self.next(plan),
        }
    }

    /// The dispatch that ran has ended: the next one begins, if there is one.
    fn next(&mut self, plan: &Plan) -> Slice {
        let (Some(ended), Some(next)) =
            (plan.dispatches.get(self.dispatch), plan.dispatches.get(self.dispatch + 1))
        else {
            return Slice::Ended;
        };
        for buffer in plan.seen_after(self.dispatch) {
            let bytes = plan.left_in(buffer, self.execution.resources(), &self.held);
            self.seen.insert((self.dispatch, buffer), bytes);
        }
        self.tell();
        if self.modes.checked {
            self.settings.written_before = self.execution.written();
        }
        let steps = self.execution.steps();
        self.steps_before += steps;
        self.settings.step_limit = self.settings.step_limit.saturating_sub(steps);
        self.before += ended.count();
        self.dispatch += 1;
        let mut resources = self.execution.take_resources();
        next.bind(&mut resources, &self.held);
        self.begun = self.modes.checked.then(|| resources.clone());
        match Execution::new(&next.program, resources, self.settings.clone(), next.workgroups) {
            Ok(execution) => self.execution = execution,
            Err(error) => {
                // It has done nothing.
                self.work.push(Work::default());
                self.outcome = Some(Err(error));
                return Slice::Ended;
            }
        }
        self.outcome = None;
        if let Some(index) = self.observers.iter().position(|(dispatch, _)| *dispatch == self.dispatch) {
            self.execution.observe(self.observers.swap_remove(index).1);
        }
        Slice::Running { done: self.before, all: plan.workgroups() }
    }

    /// Keeps what there is to tell of the execution.
    fn tell(&mut self) {
        self.work.push(Work::new(&self.execution.counts()));
        self.executed.push((self.dispatch, self.execution.executed()));
        self.log.extend_from_slice(self.execution.log());
        let found = self.execution.findings().iter().cloned().chain(self.dependence.take());
        self.findings.extend(found.map(|finding| (self.dispatch, finding)));
        self.ranges.extend(self.execution.headroom().into_iter().map(|range| (self.dispatch, range)));
    }

    /// Ends the run where it is.
    pub fn stop(&mut self) {
        self.second = None;
        match &self.outcome {
            Some(Err(_)) => {}
            Some(Ok(true)) if self.dispatch == self.last => {}
            _ => self.outcome = Some(Ok(false)),
        }
    }

    /// What it came to. One that has not ended counts as stopped.
    pub fn finish(mut self, plan: &Plan, recipe: &Recipe, place: PlaceOf<'_>) -> Finished {
        let mut report = begun(plan, &self.modes);
        if self.work.len() == self.dispatch {
            self.tell();
        }
        for (index, work) in self.work.iter().enumerate() {
            report.work += work;
            if let Some(dispatch) = report.dispatches.get_mut(index) {
                dispatch.work = Some(work.clone());
            }
        }
        report.tiers = self.tiers;
        report.log = self.log;
        report.findings = findings(&self.findings, plan, recipe, place);
        report.headroom = self
            .modes
            .headroom
            .then(|| headroom::of(&self.ranges, &|dispatch| name_of(plan, dispatch), place));
        let resources = self.execution.into_resources();
        let buffers = plan.left(&resources, &self.held);
        let dispatch = name_of(plan, self.dispatch);
        match self.outcome.unwrap_or(Ok(false)) {
            Err(error) => {
                let place = error.instruction.and_then(|instruction| place(self.dispatch, instruction));
                report.error = Some(Problem { message: plan.explain(&error), dispatch, place });
            }
            Ok(false) => {
                let message = "the run was stopped".to_owned();
                report.error = Some(Problem { message, dispatch, place: None });
            }
            Ok(true) => {
                if let Some(headroom) = &mut report.headroom {
                    headroom.infinite = headroom::left(plan, &buffers);
                }
                report.expectations = plan.judge(&|after, index| {
                    let seen = self.seen.get(&(after, index)).or_else(|| buffers.get(index));
                    seen.cloned().unwrap_or_default()
                });
                if self.modes.checked {
                    report.missing_findings = missing(&report.findings, recipe);
                }
            }
        }
        report.met = report.error.is_none()
            && report.expectations.iter().all(|outcome| outcome.met)
            && report.findings.iter().all(|finding| finding.expected)
            && report.missing_findings.is_empty();
        Finished { report, executed: self.executed, buffers }
    }
}

/// The most findings that a report lists, each once for all the times that it was made.
const MOST_FINDINGS: usize = 200;

fn findings(
    found: &[(usize, Finding)],
    plan: &Plan,
    recipe: &Recipe,
    place: PlaceOf<'_>,
) -> Vec<ReportedFinding> {
    let mut reported: Vec<ReportedFinding> = Vec::new();
    for (dispatch, finding) in found {
        let at = place(*dispatch, finding.instruction);
        let name = name_of(plan, *dispatch);
        // Once for each line.
        let same = |other: &&mut ReportedFinding| {
            let here =
                if at.is_some() { other.place == at } else { other.instruction == finding.instruction };
            here && other.kind == finding.kind.id() && other.dispatch == name
        };
        if let Some(known) = reported.iter_mut().find(same) {
            known.times += 1 + finding.more;
            continue;
        }
        if reported.len() == MOST_FINDINGS {
            break;
        }
        let other = finding.other.and_then(|(instruction, _)| place(*dispatch, instruction));
        let on =
            |place: &Option<SourcePlace>, line: u32| place.as_ref().is_some_and(|place| place.line == line);
        let expected = recipe.findings.iter().any(|expected| {
            let there = expected.dispatch.is_none() || expected.dispatch == name;
            there
                && expected.kind == finding.kind.id()
                && (on(&at, expected.line) || on(&other, expected.line))
        });
        reported.push(ReportedFinding {
            kind: finding.kind.id().to_owned(),
            message: finding.message.clone(),
            dispatch: name,
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
    let is_there = |expected: &ExpectedFinding| {
        found.iter().any(|f| {
            let there = expected.dispatch.is_none() || expected.dispatch == f.dispatch;
            there && f.kind == expected.kind && (on(&f.place, expected.line) || on(&f.other, expected.line))
        })
    };
    let missing = recipe.findings.iter().filter(|expected| !is_there(expected)).map(|expected| Missing {
        kind: expected.kind.clone(),
        line: expected.line,
        dispatch: expected.dispatch.clone(),
    });
    missing.collect()
}
