//! Motions of the debugger: steps, breakpoints, moments; forwards and backwards.

use super::Debugger;
use super::frames::Status;
use super::timeline::Kept;
use super::tracker::{Focus, Goal, Hit, Want};
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
    /// One instruction of this subgroup.
    Instruction,
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
        goal.findings = self.stops_at_findings && command.motion != Motion::End;
        self.tracker.begin(goal);
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
        if let Some(standing) = &self.tracker.standing {
            let position = &standing.position;
            self.focus = Focus { workgroup: position.workgroup, subgroup: position.subgroup };
        }
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
        match self.execution.run_stepped(steps, Some(&mut *self.tracker)) {
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
            self.tracker.state = kept.state.clone();
            self.tracker.go_on();
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
        goal.findings = self.stops_at_findings;
        self.tracker.begin(goal);
        self.task = Some(Task::Back { first, want, focus });
    }

    /// The breakpoint's condition does not hold: the goal stays, from the next instruction on.
    fn pass_condition(&mut self) {
        let time = self.time();
        let goal = self.tracker.goal.clone();
        if self.is_broken {
            self.restore_before(time);
        }
        self.tracker.begin(goal);
        self.tracker.goal.from = time + 1;
    }

    /// Whether the breakpoint at which the run stands has a condition that does not hold.
    fn fails_condition(&mut self, index: usize) -> bool {
        let Some(condition) = self.breakpoints.get(index).and_then(|breakpoint| breakpoint.condition.clone())
        else {
            return false;
        };
        let before = self.focus;
        if let Some(standing) = &self.tracker.standing {
            self.focus =
                Focus { workgroup: standing.position.workgroup, subgroup: standing.position.subgroup };
        }
        let fails = !self.holds(&condition);
        self.focus = before;
        fails
    }

    fn forward_held(&mut self) -> Option<Reason> {
        let hit = self.tracker.standing.and_then(|standing| standing.hit);
        match hit {
            Some(Hit::Breakpoint(index)) if self.fails_condition(index) => {
                self.pass_condition();
                None
            }
            Some(Hit::Breakpoint(index)) => Some(Reason::Breakpoint(index)),
            Some(Hit::Finding(index)) => {
                self.jump(self.time() - 1, Reason::Finding(index));
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
        if let Some(hit @ Hit::Breakpoint(index)) = hit {
            if !self.fails_condition(index) {
                self.tracker.goal.last = Some((self.time(), hit));
            }
            self.pass_condition();
            return None;
        }
        match self.tracker.goal.last {
            Some((time, Hit::Breakpoint(index))) => self.jump(time, Reason::Breakpoint(index)),
            Some((time, Hit::Finding(index))) => self.jump(time, Reason::Finding(index)),
            Some((time, Hit::Wanted | Hit::Other)) => self.jump(time, Reason::Step),
            None => {
                // The first line of a subgroup: what ran before it.
                let begins = matches!(want, Want::Line { .. } | Want::Instruction { .. })
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
        let found = self.execution.findings().len();
        let goal = &self.tracker.goal;
        if goal.findings && found > self.tracker.known_findings() && time > goal.from {
            self.jump(time - 1, Reason::Finding(found - 1));
            return None;
        }
        Some(Reason::End)
    }
}
