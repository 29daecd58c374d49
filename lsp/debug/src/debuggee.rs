//! The dispatches of a recipe as one run that goes forwards and backwards, and its report.
//!
//! Each dispatch has a debugger of its own, which is kept when the next one begins: going back from the start of a dispatch leads to the
//! end of the one before. The report is that of a second run, which nobody looks at: runs are deterministic, so it is the same.

use coopmat_recipe::{Held, Run, Slice};
use coopmat_simulator::debugger::{
    Advance, Breakpoint, Command, Debugger, DebuggerError, Logged, Motion, Reason, Setup,
};
use coopmat_simulator::{FindingKind, Settings};

use crate::outbox::NO_RUN;
use crate::variables::Part;
use crate::{NameOrNumber, Subject};

/// A run.
pub struct Debuggee {
    subject: Box<dyn Subject>,
    settings: Settings,
    held: Held,
    /// Those that have begun, in the order of the plan's dispatches.
    stages: Vec<Stage>,
    current: usize,
    task: Task,
    stop_at_findings: Vec<FindingKind>,
    /// The report was made.
    is_reported: bool,
}

struct Stage {
    debugger: Debugger,
    /// Lines of debugPrintf that were shown.
    shown: usize,
}

enum Task {
    Standing,
    Moving(Command),
    /// Dispatches run without stops until this one begins.
    Approaching(usize),
    Reporting(Box<Run>),
    /// Nothing is left to do.
    Over,
}

/// What came of some work.
pub enum Happening {
    /// It goes on.
    Working,
    /// The run stands.
    Stopped(Reason),
    /// The run stands at the start of the dispatch that was wanted.
    Approached,
    /// Another dispatch begins, or one is gone back to: breakpoints are set anew.
    NextDispatch,
    /// The run has ended.
    Ended,
    /// The report, and whether everything is as it is expected.
    Report(String, bool),
    /// It cannot go on.
    Failed(String),
}

impl Debuggee {
    /// A run that stands where the first line of its first dispatch begins.
    pub fn new(subject: Box<dyn Subject>) -> Result<Debuggee, String> {
        let plan = subject.plan();
        let mut settings = plan.settings(subject.modes())?;
        let (resources, held) = plan.resources();
        settings.undefined_buffers = plan.undefined(&held);
        settings.undefined_images = plan.undefined_images(&held);
        let debugger = begun(&*subject, 0, resources, settings.clone())?;
        Ok(Debuggee {
            settings,
            held,
            stages: vec![Stage { debugger, shown: 0 }],
            current: 0,
            task: Task::Standing,
            stop_at_findings: Vec::new(),
            is_reported: false,
            subject,
        })
    }

    pub fn subject(&self) -> &dyn Subject {
        &*self.subject
    }

    /// The dispatch in which the run stands.
    pub fn dispatch(&self) -> usize {
        self.current
    }

    /// What the recipe calls it.
    pub fn dispatch_name(&self) -> Option<&str> {
        self.subject.plan().dispatches.get(self.current)?.name.as_deref()
    }

    pub fn debugger(&self) -> Option<&Debugger> {
        self.stages.get(self.current).map(|stage| &stage.debugger)
    }

    pub fn debugger_mut(&mut self) -> Option<&mut Debugger> {
        self.stages.get_mut(self.current).map(|stage| &mut stage.debugger)
    }

    /// Whether there is work to do.
    pub fn is_working(&self) -> bool {
        matches!(self.task, Task::Moving(_) | Task::Approaching(_) | Task::Reporting(_))
    }

    /// Whether the run stands, so that it can be looked at and moved.
    pub fn is_standing(&self) -> bool {
        matches!(self.task, Task::Standing)
    }

    pub fn is_over(&self) -> bool {
        matches!(self.task, Task::Over)
    }

    pub fn is_reporting(&self) -> bool {
        matches!(self.task, Task::Reporting(_))
    }

    /// The number of a dispatch that the client names.
    pub fn find(&self, wanted: &NameOrNumber) -> Result<usize, String> {
        let dispatches = &self.subject.plan().dispatches;
        let found = match wanted {
            NameOrNumber::Number(number) => number.checked_sub(1).filter(|index| *index < dispatches.len()),
            NameOrNumber::Name(name) => {
                dispatches.iter().position(|dispatch| dispatch.name.as_ref() == Some(name))
            }
        };
        found.ok_or_else(|| {
            let named = dispatches.iter().filter_map(|dispatch| dispatch.name.as_deref());
            let names: Vec<&str> = named.collect();
            let known = match names.is_empty() {
                true => "the recipe has 1 dispatch, without a name".to_owned(),
                false => {
                    format!("expected one of {}, or a number from 1 to {}", names.join(", "), names.len())
                }
            };
            match wanted {
                NameOrNumber::Number(number) => format!("there is no dispatch {number}: {known}"),
                NameOrNumber::Name(name) => format!("there is no dispatch `{name}`: {known}"),
            }
        })
    }

    /// Runs the dispatches before this one without stops; the run then stands at its start.
    pub fn approach(&mut self, dispatch: usize) {
        self.task = Task::Approaching(dispatch);
        if let Some(stage) = self.stages.get_mut(self.current).filter(|_| dispatch > 0) {
            stage.debugger.begin(Command { motion: Motion::End, backwards: false });
        }
    }

    /// Continues from a start, where breakpoints have not been looked at.
    pub fn start(&mut self) {
        if let Some(stage) = self.stages.get_mut(self.current) {
            stage.debugger.begin_from_start();
            self.task = Task::Moving(Command { motion: Motion::Continue, backwards: false });
        }
    }

    /// Begins a motion.
    pub fn begin(&mut self, command: Command) {
        let Some(stage) = self.stages.get_mut(self.current) else { return };
        let stands_at_end =
            matches!(stage.debugger.stop(), Some(stop) if matches!(stop.reason, Reason::Error(_)));
        if stands_at_end && !command.backwards {
            return self.report();
        }
        stage.debugger.begin(command);
        self.task = Task::Moving(command);
    }

    /// Gives a variable another value where the run stands. What lay after it is forgotten, later dispatches among it.
    ///
    /// # Errors
    /// Why it cannot be changed.
    pub fn change(&mut self, part: &Part, value: &str) -> Result<(), String> {
        let stage = self.stages.get_mut(self.current).ok_or(NO_RUN)?;
        let Part { frame, expression, lane } = part;
        frame.look(&mut stage.debugger, |debugger, depth| {
            debugger.change(depth, expression, *lane, value)
        })??;
        stage.shown = stage.debugger.log().len();
        self.stages.truncate(self.current + 1);
        Ok(())
    }

    /// Ends a motion where the run is by now. Nothing happens to a report.
    pub fn pause(&mut self) -> Option<Reason> {
        if !matches!(self.task, Task::Moving(_) | Task::Approaching(_)) {
            return None;
        }
        let stop = self.stages.get_mut(self.current)?.debugger.cancel();
        self.task = Task::Standing;
        Some(stop.reason)
    }

    /// Begins the run that makes the report.
    pub fn report(&mut self) {
        if self.is_reported {
            self.task = Task::Over;
            return;
        }
        self.task = match Run::new(self.subject.plan(), self.subject.modes()) {
            Ok(run) => Task::Reporting(Box::new(run)),
            // It began before, with the same settings.
            Err(_) => Task::Over,
        };
    }

    /// Stands at the end of the run.
    pub fn stand(&mut self) {
        self.task = Task::Standing;
    }

    /// Sets the breakpoints of the dispatch in which the run stands. For each: the line at which it stands.
    pub fn set_breakpoints(&mut self, breakpoints: Vec<Breakpoint>) -> Vec<Option<u32>> {
        self.debugger_mut().map(|debugger| debugger.set_breakpoints(breakpoints)).unwrap_or_default()
    }

    /// Which findings stop the run.
    pub fn stop_at_findings(&mut self, kinds: Vec<FindingKind>) {
        for stage in &mut self.stages {
            stage.debugger.stop_at_findings(&kinds);
        }
        self.stop_at_findings = kinds;
    }

    /// What debugPrintf wrote and breakpoints logged since the last call.
    pub fn take_output(&mut self) -> (Vec<String>, Vec<Logged>) {
        let Some(stage) = self.stages.get_mut(self.current) else { return Default::default() };
        let written: Vec<String> = stage.debugger.log().iter().skip(stage.shown).cloned().collect();
        stage.shown += written.len();
        (written, stage.debugger.take_logged())
    }

    /// Does about so many steps of what there is to do.
    pub fn work(&mut self, steps: u64) -> Happening {
        if let Task::Reporting(run) = &mut self.task {
            if matches!(run.step(self.subject.plan(), steps), Slice::Running { .. }) {
                return Happening::Working;
            }
            return self.finish();
        }
        let Some(stage) = self.stages.get_mut(self.current) else { return Happening::Working };
        let advance = match self.task {
            Task::Moving(_) => stage.debugger.advance(steps),
            Task::Approaching(dispatch) if dispatch > self.current => stage.debugger.advance(steps),
            Task::Approaching(_) => {
                self.task = Task::Standing;
                return Happening::Approached;
            }
            Task::Standing | Task::Over | Task::Reporting(_) => return Happening::Working,
        };
        match advance {
            Advance::Working => Happening::Working,
            Advance::Stopped(stop) => self.stopped(stop.reason),
        }
    }

    fn stopped(&mut self, reason: Reason) -> Happening {
        let has_next = self.current + 1 < self.subject.plan().dispatches.len();
        let backwards = matches!(self.task, Task::Moving(Command { backwards: true, .. }));
        match reason {
            Reason::End if has_next && !backwards => match self.next() {
                Ok(()) => Happening::NextDispatch,
                Err(problem) => {
                    self.task = Task::Standing;
                    Happening::Failed(problem)
                }
            },
            Reason::End if !backwards => {
                self.task = Task::Standing;
                Happening::Ended
            }
            Reason::Start if backwards && self.current > 0 => {
                self.current -= 1;
                if let (Some(stage), Task::Moving(command)) = (self.stages.get_mut(self.current), &self.task)
                {
                    stage.debugger.begin(*command);
                }
                Happening::NextDispatch
            }
            reason => {
                self.task = Task::Standing;
                Happening::Stopped(reason)
            }
        }
    }

    /// Begins the dispatch after the current one.
    fn next(&mut self) -> Result<(), String> {
        let number = self.current + 1;
        if number >= self.stages.len() {
            let Some(ended) = self.stages.get(self.current) else { return Ok(()) };
            let mut resources = ended.debugger.resources().clone();
            let mut settings = self.settings.clone();
            if settings.checked {
                settings.written_before = ended.debugger.written();
            }
            if let Some(dispatch) = self.subject.plan().dispatches.get(number) {
                dispatch.bind(&mut resources, &self.held);
            }
            let debugger = begun(&*self.subject, number, resources, settings)?;
            self.stages.push(Stage { debugger, shown: 0 });
        }
        self.current = number;
        let Some(stage) = self.stages.get_mut(number) else { return Ok(()) };
        stage.debugger.stop_at_findings(&self.stop_at_findings);
        Ok(())
    }

    /// Goes on in a dispatch that has just begun, once its breakpoints are set. Nothing where the motion is under way already.
    pub fn go_on(&mut self) -> Option<Reason> {
        let stage = self.stages.get_mut(self.current)?;
        let motion_begun = stage.debugger.is_moving();
        match self.task {
            Task::Moving(_) if motion_begun => None,
            Task::Moving(Command { motion: Motion::Continue, .. }) => {
                // It may have run before.
                stage.debugger.begin(Command { motion: Motion::End, backwards: true });
                while stage.debugger.advance(1 << 16) == Advance::Working {}
                stage.debugger.begin_from_start();
                None
            }
            // A step ends where the first line begins.
            Task::Moving(_) => {
                stage.debugger.begin(Command { motion: Motion::End, backwards: true });
                while stage.debugger.advance(1 << 16) == Advance::Working {}
                self.task = Task::Standing;
                Some(Reason::Step)
            }
            Task::Approaching(wanted) if wanted > self.current => {
                stage.debugger.begin(Command { motion: Motion::End, backwards: false });
                None
            }
            Task::Approaching(_) | Task::Standing | Task::Over | Task::Reporting(_) => None,
        }
    }

    fn finish(&mut self) -> Happening {
        let Task::Reporting(run) = std::mem::replace(&mut self.task, Task::Standing) else {
            return Happening::Working;
        };
        let subject = &*self.subject;
        let place = |dispatch: usize, instruction: u32| subject.place(dispatch, instruction);
        let finished = run.finish(subject.plan(), subject.recipe(), &place);
        self.is_reported = true;
        let met = finished.report.met;
        let mut text = subject.text(finished.report);
        let changes: usize = self.stages.iter().map(|stage| stage.debugger.changes()).sum();
        if changes > 0 {
            let them = if changes == 1 { "the change" } else { "the changes" };
            text.push_str(&format!(
                "note: this is the report of a run without {them} of variables made while debugging\n"
            ));
        }
        Happening::Report(text, met)
    }
}

/// The debugger of a dispatch.
fn begun(
    subject: &dyn Subject,
    number: usize,
    resources: coopmat_simulator::Resources,
    settings: Settings,
) -> Result<Debugger, String> {
    let plan = subject.plan();
    let (Some(dispatch), Some(module)) = (plan.dispatches.get(number), subject.module(number)) else {
        return Err(format!("the recipe has no dispatch {}", number + 1));
    };
    let setup = Setup {
        module,
        entry: dispatch.entry.as_deref(),
        specialization: &dispatch.specialization,
        resources,
        settings,
        groups: dispatch.workgroups,
        lines: Some(subject.lines(number)),
    };
    Debugger::new(setup).map_err(|error| {
        let (message, instruction) = match error {
            DebuggerError::Program(error) => (error.message, error.instruction),
            DebuggerError::Run(error) => (plan.explain(&error), error.instruction),
        };
        match instruction.and_then(|instruction| subject.place(number, instruction)) {
            Some(place) => format!("{}:{}:{}: {message}", place.path, place.line, place.column),
            None => message,
        }
    })
}
