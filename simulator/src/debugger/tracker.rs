//! Watches a run instruction by instruction: counts time, knows where lines begin, and says when to stop.
//!
//! Time is the number of instructions that were executed, of all subgroups. A line *begins* at an instruction that comes from another line
//! than the one that its frame executed before; coming back from a call to the middle of a line begins none.

use std::cmp::Ordering;
use std::sync::Arc;

use smallvec::SmallVec;

use super::edit::Edits;
use super::lines::NOWHERE;
use super::watch::{Seen, Touched, Watch};
use crate::machine::{Frame, Position, Registers, Stepper, Subgroup};
use crate::observer::{Access, At};

/// A subgroup of a workgroup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Focus {
    /// `gl_WorkGroupID`.
    pub workgroup: [u32; 3],
    /// `gl_SubgroupID`.
    pub subgroup: u32,
}

/// A breakpoint as the tracker needs it.
#[derive(Clone, Debug)]
pub(super) struct Armed {
    pub index: usize,
    pub at: ArmedAt,
    pub workgroup: Option<[u32; 3]>,
    pub subgroup: Option<u32>,
}

/// Where a breakpoint stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum ArmedAt {
    Row(u64),
    Instruction(u32),
}

/// What is looked for besides breakpoints and findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    Nothing,
    /// The beginning of a line in a subgroup, at most so deep.
    Line {
        focus: Focus,
        depth: u32,
    },
    /// Any instruction of a subgroup that is less deep.
    Above {
        focus: Focus,
        depth: u32,
    },
    Instruction {
        focus: Focus,
    },
    /// An instruction of the module in a subgroup, at most so deep. One may be several steps.
    Whole {
        focus: Focus,
        depth: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hit {
    Wanted,
    /// The subgroup that was followed has ended, and another one begins a line.
    Other,
    Breakpoint(usize),
    Finding(usize),
    /// An instruction before has touched what is watched.
    Touched(Touched),
}

/// When a run stops.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    /// Instructions before this time are not judged.
    pub from: u64,
    /// The run stops here whatever happens.
    pub until: u64,
    pub want: Want,
    pub breakpoints: bool,
    pub findings: bool,
    /// Hits are noted, and only conditions stop the run.
    pub records: bool,
    /// The last hit that was noted.
    pub last: Option<(u64, Hit)>,
    /// The last beginning of a line, whoever's.
    pub last_line: Option<u64>,
    /// Of what there is to stop for at a time so many have been judged and passed, and everything before that time.
    pub passed: (u64, usize),
    /// The subgroup that is followed has ended.
    pub gone: bool,
}

impl Goal {
    pub fn new(from: u64, until: u64, want: Want) -> Goal {
        let (last, last_line) = (None, None);
        Goal {
            from,
            until,
            want,
            breakpoints: true,
            findings: false,
            records: false,
            last,
            last_line,
            passed: (0, 0),
            gone: false,
        }
    }

    /// Notes the last hit. One that is seen late may be before others.
    pub fn note(&mut self, time: u64, hit: Hit) {
        if self.last.is_none_or(|(last, _)| last <= time) {
            self.last = Some((time, hit));
        }
    }

    /// To a moment, without looking left or right.
    pub fn time(until: u64) -> Goal {
        Goal { breakpoints: false, ..Goal::new(until, until, Want::Nothing) }
    }
}

/// The lines that the frames of a subgroup are at and the instructions that they have executed last, outermost first.
type Stack = SmallVec<[(u64, u32); 8]>;

/// No instruction yet.
const NOT_BEGUN: (u64, u32) = (NOWHERE, u32::MAX);

/// What begins at an instruction.
#[derive(Clone, Copy, Debug)]
struct Begins {
    row: u64,
    line: bool,
    instruction: bool,
}

/// What going on from a moment depends on.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub time: u64,
    workgroup: [u32; 3],
    stacks: Vec<Stack>,
    /// How deep the frame is that a function over elements is called from, for each nesting.
    bases: SmallVec<[u32; 4]>,
    depth: u32,
    findings: usize,
    /// What is watched in registers, as it was, and in which list.
    seen: Vec<Seen>,
    seen_in: u64,
    /// How many changes of variables were made.
    pub edited: usize,
}

impl State {
    /// A change was made, which is no write of the shader.
    pub fn edit_made(&mut self) {
        self.edited += 1;
        self.seen.clear();
    }

    /// Whether a subgroup has not executed anything yet.
    pub(crate) fn is_before(&self, focus: Focus) -> bool {
        let stack = self.stacks.get(focus.subgroup as usize);
        self.time == 0 || self.workgroup != focus.workgroup || stack.is_none_or(|stack| stack.is_empty())
    }
}

/// Where the run was stopped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    pub position: Position,
    /// Frames, those around functions over elements included.
    pub depth: u32,
    pub hit: Option<Hit>,
}

pub(super) struct Tracker {
    pub state: State,
    /// The line of each instruction.
    pub rows: Arc<[u64]>,
    /// How many calls were inlined at each instruction; nothing if none was. They count as frames, so that steps go over and out of them.
    pub inlined: Arc<[u32]>,
    pub goal: Goal,
    pub breakpoints: Arc<[Armed]>,
    /// Breakpoints that need more than where they are, by their index.
    pub conditions: Arc<[bool]>,
    /// What is watched.
    pub watch: Arc<Watch>,
    /// What the instructions before have touched of it.
    pub touched: Vec<Touched>,
    /// Changes of variables, which are made when the run comes by.
    pub edits: Edits,
    /// The run was stopped for the next one.
    pub awaits_edit: bool,
    /// Lanes of the subgroup that was looked at last.
    lanes: u32,
    /// Some findings stop the run, and others do not.
    pub judges_findings: bool,
    /// Set where the run was stopped.
    pub standing: Option<Standing>,
    /// Subgroups of functions over elements in which the run was stopped, the innermost first.
    pub inner: Vec<Subgroup>,
}

impl Tracker {
    pub fn new(rows: Vec<u64>, inlined: Vec<u32>) -> Tracker {
        Tracker {
            state: State::default(),
            rows: rows.into(),
            inlined: inlined.into(),
            goal: Goal::time(0),
            breakpoints: Arc::default(),
            conditions: Arc::default(),
            watch: Arc::default(),
            touched: Vec::new(),
            edits: Edits::default(),
            awaits_edit: false,
            lanes: 1,
            judges_findings: false,
            standing: None,
            inner: Vec::new(),
        }
    }

    /// Prepares for another stretch of the run.
    pub fn begin(&mut self, goal: Goal) {
        self.goal = goal;
        self.go_on();
    }

    /// Watches something else.
    pub fn watch(&mut self, watch: Watch) {
        self.watch = Arc::new(watch);
        self.touched.clear();
    }

    /// Goes on from another moment.
    pub fn restore(&mut self, state: &State) {
        self.state = state.clone();
        self.touched.clear();
        self.go_on();
    }

    /// Findings that were made up to now.
    pub fn known_findings(&self) -> usize {
        self.state.findings
    }

    pub fn go_on(&mut self) {
        self.standing = None;
        self.awaits_edit = false;
        self.inner.clear();
    }

    /// The first thing that there is to stop for and that has not been passed.
    fn judge(&self, at: &Position, depth: u32, begins: Begins) -> Option<Hit> {
        let goal = &self.goal;
        let time = self.state.time;
        let passed = match time.cmp(&goal.passed.0) {
            Ordering::Less => return None,
            Ordering::Equal => goal.passed.1,
            Ordering::Greater => 0,
        };
        let found = goal.findings && at.findings > self.state.findings && time > goal.from;
        let finding = found.then_some(Hit::Finding(self.state.findings));
        let touched = if goal.breakpoints { &self.touched[..] } else { &[] };
        let touched = touched.iter().filter(|touched| match goal.records {
            true => touched.time < goal.until,
            false => touched.time >= goal.from,
        });
        let touched = touched.map(|touched| Hit::Touched(*touched));
        let before = finding.into_iter().chain(touched);
        if time < goal.from {
            return None;
        }
        let is_at = |at_: ArmedAt| match at_ {
            ArmedAt::Row(row) => begins.line && row == begins.row,
            ArmedAt::Instruction(instruction) => begins.instruction && instruction == at.instruction,
        };
        let armed = if goal.breakpoints { &self.breakpoints[..] } else { &[] };
        let armed = armed.iter().filter(|armed| {
            is_at(armed.at)
                && armed.workgroup.is_none_or(|workgroup| workgroup == at.workgroup)
                && armed.subgroup.is_none_or(|subgroup| subgroup == at.subgroup)
        });
        let armed = armed.map(|armed| Hit::Breakpoint(armed.index));
        let wanted = std::iter::once_with(|| self.is_wanted(at, depth, begins)).flatten();
        before.chain(armed).chain(wanted).nth(passed)
    }

    /// Looks at what is watched in registers.
    fn look(&mut self, at: &Position, frames: &[Frame], registers: &Registers) {
        self.lanes = registers.lanes() as u32;
        let state = &mut self.state;
        if state.seen_in != self.watch.generation || state.workgroup != at.workgroup {
            state.seen.clear();
            state.seen_in = self.watch.generation;
        }
        self.watch.look(at, (frames, registers), state.time, &mut state.seen, &mut self.touched);
    }

    fn is_wanted(&self, at: &Position, depth: u32, begins: Begins) -> Option<Hit> {
        let goal = &self.goal;
        let here = Focus { workgroup: at.workgroup, subgroup: at.subgroup };
        let wanted = match goal.want {
            Want::Nothing => false,
            Want::Line { focus, depth: most } => begins.line && here == focus && depth <= most,
            Want::Above { focus, depth: most } => here == focus && depth < most && begins.row != NOWHERE,
            Want::Instruction { focus } => here == focus,
            Want::Whole { focus, depth: most } => begins.instruction && here == focus && depth <= most,
        };
        if wanted {
            return Some(Hit::Wanted);
        }
        let begins = if matches!(goal.want, Want::Whole { .. }) { begins.instruction } else { begins.line };
        (goal.gone && begins).then_some(Hit::Other)
    }
}

impl Stepper for Tracker {
    fn stops_before(&mut self, at: &Position, frames: &[Frame], registers: &Registers) -> bool {
        self.look(at, frames, registers);
        let nested = at.nested as usize;
        let base = match nested.checked_sub(1).and_then(|index| self.state.bases.get(index)) {
            Some(&base) => base,
            None if nested > 0 => self.state.depth,
            None => 0,
        };
        // Those of the frames around are not counted: what inlined text calls is seldom left as a call.
        let depth = base + at.depth + self.inlined.get(at.instruction as usize).copied().unwrap_or(0);
        let row = self.rows.get(at.instruction as usize).copied().unwrap_or(NOWHERE);
        let same = self.state.workgroup == at.workgroup;
        let stack = self.state.stacks.get(at.subgroup as usize).filter(|_| same);
        let last = stack.and_then(|stack| stack.get(depth as usize - 1)).copied();
        let (last_row, last_instruction) = last.unwrap_or(NOT_BEGUN);
        let begins = Begins {
            row,
            line: row != NOWHERE && last_row != row,
            instruction: last_instruction != at.instruction,
        };
        if nested == 0 && self.edits.time(self.state.edited) == Some(self.state.time) {
            self.standing = Some(Standing { position: *at, depth, hit: None });
            self.awaits_edit = true;
            return true;
        }
        let time = self.state.time;
        let mut hit = self.judge(at, depth, begins);
        let is_condition = match hit {
            Some(Hit::Breakpoint(index)) => self.conditions.get(index).copied().unwrap_or(false),
            Some(Hit::Finding(_)) => self.judges_findings,
            Some(Hit::Touched(_)) => true,
            Some(Hit::Wanted | Hit::Other) | None => false,
        };
        let in_time = time < self.goal.until || matches!(hit, Some(Hit::Finding(_) | Hit::Touched(_)));
        if self.goal.records && in_time && !is_condition {
            if let Some(hit) = hit.take() {
                // A finding belongs to the instruction before.
                let time = if matches!(hit, Hit::Finding(_)) { time - 1 } else { time };
                self.goal.note(time, hit);
            }
            let is_whole = matches!(self.goal.want, Want::Whole { .. });
            if (if is_whole { begins.instruction } else { begins.line }) && time >= self.goal.from {
                self.goal.last_line = Some(time);
            }
        }
        if self.goal.records && time >= self.goal.until && !(in_time && is_condition) {
            hit = None;
        }
        if hit.is_some() || time >= self.goal.until {
            self.standing = Some(Standing { position: *at, depth, hit });
            return true;
        }
        self.touched.clear();
        self.state.findings = at.findings;
        self.state.time += 1;
        self.state.bases.truncate(nested);
        if self.state.bases.len() < nested {
            self.state.bases.push(base);
        }
        self.state.depth = depth;
        if !same {
            self.state.workgroup = at.workgroup;
            self.state.stacks.clear();
        }
        let index = at.subgroup as usize;
        if index >= self.state.stacks.len() {
            self.state.stacks.resize(index + 1, Stack::new());
        }
        let stack = &mut self.state.stacks[index];
        stack.resize(depth as usize, NOT_BEGUN);
        if let Some(last) = stack.last_mut() {
            *last = (if row == NOWHERE { last.0 } else { row }, at.instruction);
        }
        false
    }

    fn watches_memory(&self) -> bool {
        self.watch.has_memory
    }

    fn accesses(&mut self, at: &At, access: &Access) {
        // The instruction that runs has been counted.
        let time = self.state.time.saturating_sub(1);
        self.watch.access(at, access, self.lanes, time, &mut self.touched);
    }

    fn leaves(&mut self, subgroup: Subgroup) {
        self.inner.push(subgroup);
    }

    fn has_left(&self) -> bool {
        !self.inner.is_empty()
    }

    fn subgroup_ended(&mut self, workgroup: [u32; 3], subgroup: u32) {
        let followed = match self.goal.want {
            Want::Nothing => None,
            Want::Line { focus, .. }
            | Want::Above { focus, .. }
            | Want::Instruction { focus }
            | Want::Whole { focus, .. } => Some(focus),
        };
        if followed == Some(Focus { workgroup, subgroup }) && self.state.time >= self.goal.from {
            self.goal.gone = true;
        }
    }
}
