//! Watches a run instruction by instruction: counts time, knows where lines begin, and says when to stop.
//!
//! Time is the number of instructions that were executed, of all subgroups. A line *begins* at an instruction that comes from another line
//! than the one that its frame executed before; coming back from a call to the middle of a line begins none.

use std::sync::Arc;

use smallvec::SmallVec;

use super::lines::NOWHERE;
use crate::machine::{Position, Stepper, Subgroup};

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
    pub row: u64,
    pub workgroup: Option<[u32; 3]>,
    pub subgroup: Option<u32>,
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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hit {
    Wanted,
    /// The subgroup that was followed has ended, and another one begins a line.
    Other,
    Breakpoint(usize),
    Finding(usize),
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
    /// The subgroup that is followed has ended.
    gone: bool,
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
            gone: false,
        }
    }

    /// To a moment, without looking left or right.
    pub fn time(until: u64) -> Goal {
        Goal { breakpoints: false, ..Goal::new(until, until, Want::Nothing) }
    }
}

/// The lines that the frames of a subgroup are at, outermost first.
type Stack = SmallVec<[u64; 8]>;

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
}

impl State {
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
    pub goal: Goal,
    pub breakpoints: Arc<[Armed]>,
    /// Breakpoints that need more than where they are, by their index.
    pub conditions: Arc<[bool]>,
    /// Set where the run was stopped.
    pub standing: Option<Standing>,
    /// Subgroups of functions over elements in which the run was stopped, the innermost first.
    pub inner: Vec<Subgroup>,
}

impl Tracker {
    pub fn new(rows: Vec<u64>) -> Tracker {
        Tracker {
            state: State::default(),
            rows: rows.into(),
            goal: Goal::time(0),
            breakpoints: Arc::default(),
            conditions: Arc::default(),
            standing: None,
            inner: Vec::new(),
        }
    }

    /// Prepares for another stretch of the run.
    pub fn begin(&mut self, goal: Goal) {
        self.goal = goal;
        self.go_on();
    }

    /// Findings that were made up to now.
    pub fn known_findings(&self) -> usize {
        self.state.findings
    }

    pub fn go_on(&mut self) {
        self.standing = None;
        self.inner.clear();
    }

    fn judge(&self, at: &Position, depth: u32, row: u64, begins: bool) -> Option<Hit> {
        let goal = &self.goal;
        let here = Focus { workgroup: at.workgroup, subgroup: at.subgroup };
        if goal.findings && at.findings > self.state.findings && self.state.time > goal.from {
            return Some(Hit::Finding(self.state.findings));
        }
        if self.state.time < goal.from {
            return None;
        }
        if begins && goal.breakpoints {
            let armed = self.breakpoints.iter().find(|armed| {
                armed.row == row
                    && armed.workgroup.is_none_or(|workgroup| workgroup == at.workgroup)
                    && armed.subgroup.is_none_or(|subgroup| subgroup == at.subgroup)
            });
            if let Some(armed) = armed {
                return Some(Hit::Breakpoint(armed.index));
            }
        }
        let wanted = match goal.want {
            Want::Nothing => false,
            Want::Line { focus, depth: most } => begins && here == focus && depth <= most,
            Want::Above { focus, depth: most } => here == focus && depth < most && row != NOWHERE,
            Want::Instruction { focus } => here == focus,
        };
        if wanted {
            return Some(Hit::Wanted);
        }
        (goal.gone && begins).then_some(Hit::Other)
    }
}

impl Stepper for Tracker {
    fn stops_before(&mut self, at: &Position) -> bool {
        let nested = at.nested as usize;
        let base = match nested.checked_sub(1).and_then(|index| self.state.bases.get(index)) {
            Some(&base) => base,
            None if nested > 0 => self.state.depth,
            None => 0,
        };
        let depth = base + at.depth;
        let row = self.rows.get(at.instruction as usize).copied().unwrap_or(NOWHERE);
        let same = self.state.workgroup == at.workgroup;
        let stack = self.state.stacks.get(at.subgroup as usize).filter(|_| same);
        let last = stack.and_then(|stack| stack.get(depth as usize - 1)).copied();
        let begins = row != NOWHERE && last != Some(row);
        let time = self.state.time;
        let mut hit = self.judge(at, depth, row, begins);
        let is_condition = matches!(hit, Some(Hit::Breakpoint(index)) if self.conditions.get(index).copied().unwrap_or(false));
        let in_time = time < self.goal.until || matches!(hit, Some(Hit::Finding(_)));
        if self.goal.records && in_time && !is_condition {
            if let Some(hit) = hit.take() {
                // A finding belongs to the instruction before.
                let time = if matches!(hit, Hit::Finding(_)) { time - 1 } else { time };
                self.goal.last = Some((time, hit));
            }
            if begins && time >= self.goal.from {
                self.goal.last_line = Some(time);
            }
        }
        if self.goal.records && time >= self.goal.until {
            hit = None;
        }
        if hit.is_some() || time >= self.goal.until {
            self.standing = Some(Standing { position: *at, depth, hit });
            return true;
        }
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
        stack.resize(depth as usize, NOWHERE);
        if let Some(last) = stack.last_mut().filter(|_| row != NOWHERE) {
            *last = row;
        }
        false
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
            Want::Line { focus, .. } | Want::Above { focus, .. } | Want::Instruction { focus } => Some(focus),
        };
        if followed == Some(Focus { workgroup, subgroup }) && self.state.time >= self.goal.from {
            self.goal.gone = true;
        }
    }
}
