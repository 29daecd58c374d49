//! Motions of the debugger: steps, breakpoints, moments; forwards and backwards.

use super::Debugger;
use super::breakpoint::{Logged, pieces};
use super::frames::Status;
use super::timeline::Kept;
use super::tracker::{Focus, Goal, Hit, Want};
use super::watch::Touched;
use crate::machine::Mask;
use crate::{Progress, RunError};

/// Instructions before the first line, at most.
const ENTRY: u64 = 1000;

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// To the next breakpoint, or the end.
    Continue,
    /// To the next line, calls included.
    Into,
    /// To the next line of this function or of one that called it.
    Over,
    /// To where this function was called.
    Out,
    /// One step of this subgroup: an instruction of the module, or a part of one.
    Instruction,
    /// To the next instruction of the module, calls included.
    IntoInstruction,
    /// To the next instruction of this function or of one that called it.
    OverInstruction,
    /// To this time.
    Time(u64),
    /// To the end of the run, breakpoints or not.
    End,
}

/// A motion, and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Where to go.
    pub motion: Motion,
    /// For [`Motion::End`]: to the start.
    pub backwards: bool,
}

/// Why the run stands where it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A step has ended.
    Step,
    /// The breakpoint's index.
    Breakpoint(usize),
    /// The finding's index, once its instruction has been executed: the run stands before it.
    Finding(usize),
    /// Where somebody wanted to go.
    Time,
    /// It stands where the first line begins.
    Start,
    /// The run has ended.
    End,
    /// The run cannot go on.
    Error(RunError),
    /// The host cancelled the motion.
    Cancelled,
}

/// Where a motion ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Why there.
    pub reason: Reason,
    /// Instructions that were executed up to there.
    pub time: u64,
}

/// An access to data that a breakpoint watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataStop {
    /// What is accessed, in the words of whoever watches it.
    pub expression: String,
    /// It is written, and perhaps read as well.
    pub writes: bool,
    /// What it holds afterwards, for the lanes that access it; none where the frame does not see it.
    pub after: Option<String>,
    /// Whose lanes access it.
    pub focus: Focus,
    /// These lanes.
    pub lanes: Mask,
}

/// How far a motion is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advance {
    /// It goes on when it is advanced again.
    Working,
    /// It has ended.
    Stopped(Stop),
}

/// What is being done.
#[derive(Clone, Debug)]
pub(super) enum Task {
    Forward,
    /// Looking for the last hit before a time, from one moment that was kept to the next.
    Back {
        first: u64,
        want: Want,
        focus: Focus,
    },
    Jump {
        reason: Reason,
    },
}

enum Ran {
    Held,
    Working,
    Ended,
    Failed(RunError),
}

impl Debugger {
    /// Goes to where the first line begins, or to the first instruction where no line is known.
    pub(super) fn enter(&mut self) {
        let mut goal = Goal::new(0, ENTRY, Want::Line { focus: Focus::default(), depth: u32::MAX });
        goal.breakpoints = false;
        self.tracker.begin(goal);
        while matches!(self.run_slice(ENTRY), Ran::Working) {}
        let begins = self.tracker.standing.is_some_and(|standing| standing.hit.is_some());
        self.entry = if begins { self.time() } else { 0 };
        self.jump(self.entry, Reason::Start);
        while self.advance(ENTRY) == Advance::Working {}
    }

    /// Begins a motion, in place of what was going on.
    pub fn begin(&mut self, command: Command) {
        let now = self.time();
        self.follow_running();
        // At the end no frame is left: it is the outermost one that is gone back to.
        let (focus, depth) = (self.focus, self.depth().max(1));
        let want = match command.motion {
            Motion::Into => Want::Line { focus, depth: u32::MAX },
            Motion::Over => Want::Line { focus, depth },
            Motion::Out => Want::Above { focus, depth },
            Motion::Instruction => Want::Instruction { focus },
            Motion::IntoInstruction => Want::Whole { focus, depth: u32::MAX },
            Motion::OverInstruction => Want::Whole { focus, depth },
            Motion::Continue | Motion::Time(_) | Motion::End => Want::Nothing,
        };
        match command.motion {
            Motion::Time(to) => return self.jump(to, Reason::Time),
            Motion::End if command.backwards => return self.jump(self.entry, Reason::Start),
            _ => {}
        }
        if command.backwards {
            if now <= self.entry {
                return self.jump(self.entry, Reason::Start);
            }
            return self.search(now, want, focus);
        }
        if self.is_broken {
            self.restore_before(now);
        }
        let mut goal = Goal::new(now + 1, u64::MAX, want);
        goal.breakpoints = command.motion != Motion::End;
        goal.findings = !self.stops_at.is_empty() && command.motion != Motion::End;
        self.tracker.begin(goal);
        self.task = Some(Task::Forward);
    }

    /// Continues from the start, to which no motion has led: the run also stops where it stands, if there is something to stop for.
    pub fn begin_from_start(&mut self) {
        let now = self.time();
        if self.is_broken {
            self.restore_before(now);
        }
        self.tracker
            .begin(Goal { findings: !self.stops_at.is_empty(), ..Goal::new(now, u64::MAX, Want::Nothing) });
        self.task = Some(Task::Forward);
    }

    /// A subgroup that has ended cannot be followed: the running one is.
    fn follow_running(&mut self) {
        let subgroups = self.subgroups();
        let known = subgroups.get(self.focus.subgroup as usize);
        let ended = known.is_none_or(|known| known.status == Status::Ended);
        if let Some(standing) = self.tracker.standing.as_ref().filter(|_| ended) {
            let position = &standing.position;
            self.focus = Focus { workgroup: position.workgroup, subgroup: position.subgroup };
        }
    }

    /// Ends a motion where the run is by now.
    pub fn cancel(&mut self) -> Stop {
        if self.task.is_none() {
            let time = self.time();
            return self.last_stop.clone().unwrap_or(Stop { reason: Reason::Cancelled, time });
        }
        // The next instruction is where it stands.
        self.tracker.begin(Goal::time(self.time()));
        let ran = self.run_slice(u64::MAX);
        match ran {
            Ran::Held => self.stopped(Reason::Cancelled),
            Ran::Working => self.stopped(Reason::Cancelled),
            Ran::Ended => self.stopped(Reason::End),
            Ran::Failed(error) => self.stopped(Reason::Error(error)),
        }
    }

    /// Goes on with a motion for about so many steps.
    pub fn advance(&mut self, steps: u64) -> Advance {
        let mut left = steps.max(1);
        loop {
            let Some(task) = self.task.clone() else {
                let time = self.time();
                let stop = self.last_stop.clone().unwrap_or(Stop { reason: Reason::Time, time });
                return Advance::Stopped(stop);
            };
            let before = self.time();
            let ran = self.run_slice(left);
            self.furthest = self.furthest.max(self.time());
            let stop = match (ran, task) {
                (Ran::Working, _) => None,
                (Ran::Held, Task::Forward) => self.forward_held(),
                (Ran::Held, Task::Jump { reason }) => Some(reason),
                (Ran::Held, Task::Back { .. }) => self.back_held(),
                (Ran::Ended, Task::Forward) => self.ended(),
                (Ran::Ended, Task::Jump { reason: reason @ Reason::Finding(_) }) => Some(reason),
                (Ran::Ended, Task::Jump { .. }) => {
                    self.end = Some(self.time());
                    Some(Reason::End)
                }
                // A search ends before its start does.
                (Ran::Ended, Task::Back { .. }) => self.back_held(),
                (Ran::Failed(error), Task::Jump { .. } | Task::Back { .. }) => Some(Reason::Error(error)),
                (Ran::Failed(error), Task::Forward) => {
                    let at = self.time().saturating_sub(1);
                    self.failure = Some((at, error.clone()));
                    self.end = Some(at);
                    self.jump(at, Reason::Error(error));
                    None
                }
            };
            if let Some(reason) = stop {
                return Advance::Stopped(self.stopped(reason));
            }
            left = left.saturating_sub(self.time().saturating_sub(before).max(1));
            if left == 0 {
                return Advance::Working;
            }
        }
    }

    fn stopped(&mut self, reason: Reason) -> Stop {
        self.task = None;
        let time = self.time();
        self.furthest = self.furthest.max(time);
        self.follow_standing();
        let is_start = time == self.entry && matches!(reason, Reason::Time | Reason::Step);
        let reason = if is_start { Reason::Start } else { reason };
        let stop = Stop { reason, time };
        self.last_stop = Some(stop.clone());
        stop
    }

    /// Runs some steps of the goal.
    fn run_slice(&mut self, steps: u64) -> Ran {
        if self.timeline.wants(self.time())
            && !self.is_broken
            && self.timeline.last().is_some_and(|kept| kept.time() < self.time())
        {
            let moment = self.execution.moment(self.timeline.last().map(|kept| &kept.moment));
            self.timeline.push(Kept { state: self.tracker.state.clone(), moment });
        }
        let steps = steps.min(self.timeline.interval());
        let mut ran = self.execution.run_stepped(steps, Some(&mut *self.tracker));
        while self.tracker.awaits_edit {
            self.make_edit();
            self.tracker.go_on();
            ran = self.execution.run_stepped(steps, Some(&mut *self.tracker));
        }
        match ran {
            // Inside an instruction the run ends with an error that stands for nothing.
            Err(_) if self.tracker.standing.is_some() => {
                self.is_broken = true;
                Ran::Held
            }
            Err(error) => {
                self.is_broken = true;
                Ran::Failed(error)
            }
            Ok(_) if self.tracker.standing.is_some() => Ran::Held,
            Ok(Progress::Finished) => Ran::Ended,
            Ok(Progress::Running { .. }) => Ran::Working,
        }
    }

    fn restore_before(&mut self, time: u64) {
        if let Some(kept) = self.timeline.before(time) {
            self.execution.restore(&kept.moment);
            self.tracker.restore(&kept.state);
            self.is_broken = false;
        }
    }

    /// Goes to a time, whichever side it is on.
    fn jump(&mut self, to: u64, reason: Reason) {
        if self.is_broken || to < self.time() {
            self.restore_before(to);
        } else if let Some(kept) = self.timeline.before(to)
            && kept.time() > self.time()
        {
            self.restore_before(to);
        }
        self.tracker.begin(Goal::time(to));
        self.task = Some(Task::Jump { reason });
    }

    /// Looks for a hit before a time.
    fn search(&mut self, until: u64, want: Want, focus: Focus) {
        self.restore_before(until - 1);
        let first = self.time();
        let mut goal = Goal::new(first, until, want);
        goal.records = true;
        goal.findings = !self.stops_at.is_empty();
        self.tracker.begin(goal);
        self.task = Some(Task::Back { first, want, focus });
    }

    /// What the run stands at is no reason to stop: the goal stays. `all`: neither is anything else at this time.
    fn pass(&mut self, all: bool) {
        let time = self.time();
        let mut goal = self.tracker.goal.clone();
        if self.is_broken {
            self.restore_before(time);
        }
        let passed = if goal.passed.0 == time { goal.passed.1 } else { 0 };
        goal.passed = (time, if all { usize::MAX } else { passed.saturating_add(1) });
        self.tracker.begin(goal);
    }

    /// Whether the breakpoint at which the run stands stops it: its condition holds, and the hit counts.
    fn stops_at_breakpoint(&mut self, index: usize, touched: Option<Touched>) -> bool {
        let condition = self.breakpoints.get(index).and_then(|known| known.breakpoint.condition.clone());
        let before = self.focus;
        self.follow_standing();
        self.focus.subgroup = touched.map_or(self.focus.subgroup, |touched| touched.subgroup);
        let lanes = touched.map(|touched| touched.lanes);
        let holds = condition.is_none_or(|condition| match self.holds(&condition, lanes) {
            Ok(holds) => holds,
            // It stops, so that somebody sees it.
            Err(error) => {
                let text = format!("the condition `{condition}` cannot be evaluated: {error}");
                self.logged.push(Logged { breakpoint: index, text });
                true
            }
        });
        self.focus = before;
        let time = touched.map_or(self.time(), |touched| touched.time);
        holds && self.breakpoints.get_mut(index).is_none_or(|known| known.counts(time))
    }

    /// Whether a breakpoint logs instead of stopping.
    fn logs(&self, index: usize) -> bool {
        self.breakpoints.get(index).is_some_and(|known| known.breakpoint.log.is_some())
    }

    /// Notes the access that stops the run; the run stands after it.
    fn note_touched(&mut self, touched: Touched) {
        let known = self.breakpoints.get(touched.index);
        let Some(watched) = known.and_then(|known| known.breakpoint.data.clone()) else { return };
        let before = self.focus;
        self.follow_standing();
        self.focus.subgroup = touched.subgroup;
        let after = self.evaluate(0, &watched.expression).ok();
        let stop = DataStop {
            after: after.map(|value| value.text(touched.lanes)),
            expression: watched.expression,
            writes: touched.writes,
            focus: self.focus,
            lanes: touched.lanes,
        };
        self.focus = before;
        self.touched = Some(stop);
    }

    /// Logs what the breakpoint at which the run stands says.
    fn log_here(&mut self, index: usize) {
        let Some(log) = self.breakpoints.get(index).and_then(|known| known.breakpoint.log.clone()) else {
            return;
        };
        let before = self.focus;
        self.follow_standing();
        let active = self.stack().first().map_or(0, |frame| frame.active);
        let texts = pieces(&log).map(|piece| match piece {
            Ok(words) => words.to_owned(),
            Err(expression) => match self.evaluate(0, expression) {
                Ok(value) => value.text(active),
                Err(error) => format!("{{{expression}: {error}}}"),
            },
        });
        let text = texts.collect();
        self.focus = before;
        self.logged.push(Logged { breakpoint: index, text });
    }

    /// Looks at the subgroup in which the run stands.
    fn follow_standing(&mut self) {
        if let Some(standing) = &self.tracker.standing {
            let position = &standing.position;
            self.focus = Focus { workgroup: position.workgroup, subgroup: position.subgroup };
        }
    }

    /// The first finding from this one on that stops the run.
    fn stopping_finding(&mut self, first: usize) -> Option<usize> {
        let findings = self.execution.findings().iter().enumerate().skip(first);
        let mut stopping = findings.filter(|(_, finding)| self.stops_at.contains(&finding.kind));
        let (index, finding) = stopping.next()?;
        self.found = Some(finding.clone());
        Some(index)
    }

    fn forward_held(&mut self) -> Option<Reason> {
        let hit = self.tracker.standing.and_then(|standing| standing.hit);
        match hit {
            Some(Hit::Breakpoint(index)) => {
                if !self.stops_at_breakpoint(index, None) {
                    self.pass(false);
                    return None;
                }
                if self.logs(index) {
                    self.log_here(index);
                    self.pass(false);
                    return None;
                }
                self.touched = None;
                Some(Reason::Breakpoint(index))
            }
            Some(Hit::Touched(touched)) => {
                let index = touched.index;
                if !self.stops_at_breakpoint(index, Some(touched)) {
                    self.pass(false);
                } else if self.logs(index) {
                    self.log_here(index);
                    self.pass(false);
                } else {
                    self.note_touched(touched);
                    self.jump(touched.time, Reason::Breakpoint(index));
                }
                None
            }
            Some(Hit::Finding(index)) => {
                match self.stopping_finding(index) {
                    Some(index) => self.jump(self.time() - 1, Reason::Finding(index)),
                    None => self.pass(false),
                }
                None
            }
            Some(Hit::Wanted | Hit::Other) => Some(Reason::Step),
            None => Some(Reason::Time),
        }
    }

    fn back_held(&mut self) -> Option<Reason> {
        let Some(Task::Back { first, want, focus }) = self.task.clone() else {
            return Some(Reason::Time);
        };
        let hit = self.tracker.standing.and_then(|standing| standing.hit);
        match hit {
            Some(hit @ Hit::Breakpoint(index)) => {
                let stops = self.stops_at_breakpoint(index, None) && !self.logs(index);
                if stops {
                    let time = self.time();
                    self.tracker.goal.note(time, hit);
                }
                self.pass(stops);
                return None;
            }
            Some(hit @ Hit::Touched(touched)) => {
                if self.stops_at_breakpoint(touched.index, Some(touched)) && !self.logs(touched.index) {
                    self.note_touched(touched);
                    self.tracker.goal.note(touched.time, hit);
                }
                self.pass(false);
                return None;
            }
            Some(Hit::Finding(index)) => {
                // A finding belongs to the instruction before.
                let stopping = self.stopping_finding(index);
                if let Some(index) = stopping {
                    let time = self.time() - 1;
                    self.tracker.goal.note(time, Hit::Finding(index));
                }
                self.pass(false);
                return None;
            }
            Some(Hit::Wanted | Hit::Other) | None => {}
        }
        match self.tracker.goal.last {
            Some((time, Hit::Breakpoint(index))) => {
                self.touched = None;
                self.jump(time, Reason::Breakpoint(index));
            }
            Some((time, Hit::Touched(touched))) => self.jump(time, Reason::Breakpoint(touched.index)),
            Some((time, Hit::Finding(index))) => self.jump(time, Reason::Finding(index)),
            Some((time, Hit::Wanted | Hit::Other)) => self.jump(time, Reason::Step),
            None => {
                // The first line of a subgroup: what ran before it.
                let begins =
                    matches!(want, Want::Line { .. } | Want::Instruction { .. } | Want::Whole { .. })
                        && self.is_before_focus(first, focus);
                let other = self.tracker.goal.last_line.filter(|_| begins);
                match other {
                    Some(time) => self.jump(time, Reason::Step),
                    None if first <= self.entry => self.jump(self.entry, Reason::Start),
                    None => self.search(first, want, focus),
                }
            }
        }
        None
    }

    /// Whether a subgroup had not begun at the moment that was kept for a time.
    fn is_before_focus(&self, time: u64, focus: Focus) -> bool {
        self.timeline.before(time).is_none_or(|kept| kept.state.is_before(focus))
    }

    fn ended(&mut self) -> Option<Reason> {
        let time = self.time();
        self.end = Some(time);
        let known = self.tracker.known_findings();
        let goal = &self.tracker.goal;
        if goal.findings
            && time > goal.from
            && let Some(found) = self.stopping_finding(known)
        {
            self.jump(time - 1, Reason::Finding(found));
            return None;
        }
        Some(Reason::End)
    }
}
