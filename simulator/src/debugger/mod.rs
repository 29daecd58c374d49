//! The debugger: a run that goes forwards and backwards, and shows what every lane holds.
//!
//! Time is the number of instructions that were executed. Going back means to start again from a moment that was kept and to repeat the
//! run up to the wanted time: runs are deterministic. A motion may take long, so it is begun, and then advanced in slices between which
//! the host may cancel it.
//!
//! | module | does |
//! |---|---|
//! | `breakpoint` | breakpoints, and how their hits are counted |
//! | `lines` | which line each instruction comes from |
//! | `tracker` | watches instructions: time, where lines begin, when to stop |
//! | `change`, `edit` | variables that are changed while the run stands, and what a change writes |
//! | `timeline` | moments that are kept to go back to |
//! | `motion` | stepping, breakpoints, searching backwards |
//! | `frames` | the call stack, subgroups and where they stand |
//! | `scene` | the variables of a frame, expressions |
//! | `reader` | variables in registers and memory |
//! | `watch` | data whose accesses stop the run |
//! | `storage` | where values are kept |
//! | `value` | values as they are shown |
//! | `expression` | the language of watches and conditions |
//! | `names` | types in GLSL's words |

mod breakpoint;
mod change;
mod edit;
mod expression;
mod frames;
mod lines;
mod motion;
mod names;
mod reader;
mod scene;
mod storage;
mod timeline;
mod tracker;
mod value;
mod watch;

use std::sync::Arc;

use coopmat_spirv::dr::Module;

pub use breakpoint::{Breakpoint, Hits, Logged};
pub use frames::{FrameView, Status, SubgroupView};
pub use lines::{Call, Lines, Place};
pub use motion::{Advance, Command, DataStop, Motion, Reason, Stop};
pub use scene::VariableView;
pub use tracker::Focus;
pub use value::{Content, LaneKind, Lanes, MatrixValue, Part, Value};
pub use watch::{Accesses, Watched};

pub use crate::program::debug::Kind as VariableKind;

use crate::machine::Execution;
use crate::{
    Finding, FindingKind, Program, ProgramError, ProgramOptions, Resources, RunError, Settings, WrittenBytes,
};
use breakpoint::Known;
use motion::Task;
use timeline::{Kept, Timeline};
use tracker::{Armed, ArmedAt, Tracker};
use watch::Watch;

/// Bytes of moments that are kept unless the host says otherwise.
const KEPT: u64 = 192 << 20;

/// Why there is no debugger.
#[derive(Clone, Debug)]
pub enum DebuggerError {
    /// The module does not become a program.
    Program(ProgramError),
    /// The resources or settings do not fit it.
    Run(RunError),
}

/// What is debugged: how the run is set up.
pub struct Setup<'a> {
    /// The module, with its names and lines.
    pub module: &'a Module,
    /// The entry point's name; the only one, or `main`, where none is given.
    pub entry: Option<&'a str>,
    /// Values for specialization constants: `SpecId` and the bits of the value.
    pub specialization: &'a [(u32, u64)],
    /// What the dispatch reads and writes.
    pub resources: Resources,
    /// How it is run.
    pub settings: Settings,
    /// Workgroups in each direction.
    pub groups: [u32; 3],
    /// Where instructions come from; what the module tells where the host does not know.
    pub lines: Option<Lines>,
}

/// A run under the debugger.
pub struct Debugger {
    execution: Execution,
    tracker: Box<Tracker>,
    timeline: Timeline,
    lines: Arc<Lines>,
    breakpoints: Vec<Known>,
    /// Texts of breakpoints that log instead of stopping, which the host has not taken yet.
    logged: Vec<Logged>,
    /// The findings of checked mode that stop the run.
    stops_at: Vec<FindingKind>,
    /// The last one that did. The run stands before it, when it has not been made.
    found: Option<Finding>,
    /// The access at which the run has stopped, before it was made.
    touched: Option<DataStop>,
    focus: Focus,
    /// The time at which the first line begins.
    entry: u64,
    task: Option<Task>,
    /// The run stands inside an instruction, or behind a failed one: it can only go on from an earlier moment.
    is_broken: bool,
    furthest: u64,
    /// The time at which the run ends, once that is known.
    end: Option<u64>,
    failure: Option<(u64, RunError)>,
    last_stop: Option<Stop>,
}

impl Debugger {
    /// Prepares a run; it stands where its first line begins.
    pub fn new(setup: Setup<'_>) -> Result<Debugger, DebuggerError> {
        let options =
            ProgramOptions { entry: setup.entry, specialization: setup.specialization, debug: true };
        let program = Program::new(setup.module, &options).map_err(DebuggerError::Program)?;
        let execution = Execution::new(&program, setup.resources, setup.settings, setup.groups);
        let execution = execution.map_err(DebuggerError::Run)?;
        let lines = Arc::new(setup.lines.unwrap_or_else(|| Lines::of_module(setup.module)));
        let tracker = Box::new(Tracker::new(lines.rows(&program.data), lines.inlined_depths()));
        let first = Kept { state: tracker.state.clone(), moment: execution.moment(None) };
        let mut debugger = Debugger {
            execution,
            tracker,
            timeline: Timeline::new(first, KEPT),
            lines,
            breakpoints: Vec::new(),
            logged: Vec::new(),
            stops_at: Vec::new(),
            found: None,
            touched: None,
            focus: Focus::default(),
            entry: 0,
            task: None,
            is_broken: false,
            furthest: 0,
            end: None,
            failure: None,
            last_stop: None,
        };
        debugger.enter();
        Ok(debugger)
    }

    /// Replaces all breakpoints. For each: the line at which it stands, which is the next one that has code; none where none has, and for
    /// those at data and at instructions.
    pub fn set_breakpoints(&mut self, breakpoints: Vec<Breakpoint>) -> Vec<Option<u32>> {
        let mut armed = Vec::new();
        let mut verified = Vec::with_capacity(breakpoints.len());
        let mut watched = Vec::new();
        for (index, breakpoint) in breakpoints.iter().enumerate() {
            if let Some(data) = &breakpoint.data {
                watched.push((index, data.clone()));
                verified.push(None);
                continue;
            }
            let (at, line) = match breakpoint.instruction {
                Some(instruction) => (Some(ArmedAt::Instruction(instruction)), None),
                None => {
                    let line = self.line_with_code(breakpoint.file, breakpoint.line);
                    let row = line.map(|line| u64::from(breakpoint.file) << 32 | u64::from(line));
                    (row.map(ArmedAt::Row), line)
                }
            };
            verified.push(line);
            let Breakpoint { workgroup, subgroup, .. } = *breakpoint;
            armed.extend(at.map(|at| Armed { index, at, workgroup, subgroup }));
        }
        self.tracker.breakpoints = armed.into();
        self.tracker.watch(Watch::new(watched, self.tracker.watch.generation + 1));
        self.tracker.conditions = breakpoints.iter().map(Breakpoint::is_judged).collect();
        let mut before = std::mem::take(&mut self.breakpoints);
        self.breakpoints = breakpoints
            .into_iter()
            .map(|breakpoint| {
                // What stays the same goes on counting.
                let same = before.iter().position(|known| known.breakpoint == breakpoint);
                same.map(|same| before.swap_remove(same)).unwrap_or_else(|| Known::new(breakpoint))
            })
            .collect();
        verified
    }

    /// The first line from this one on that has code; none where none has.
    pub fn line_with_code(&self, file: u32, line: u32) -> Option<u32> {
        let functions = &self.execution.program().data.functions;
        let blocks = functions.iter().flat_map(|function| &function.blocks);
        let code = blocks.flat_map(|block| block.origins.iter().copied());
        self.lines.with_code(file, line, code)
    }

    /// The first instruction of the module from this one on that is executed; none where none is.
    pub fn instruction_with_code(&self, instruction: u32) -> Option<u32> {
        let functions = &self.execution.program().data.functions;
        let blocks = functions.iter().flat_map(|function| &function.blocks);
        let code = blocks.flat_map(|block| block.origins.iter().copied());
        code.filter(|origin| *origin >= instruction).min()
    }

    /// The findings of checked mode that stop the run like breakpoints.
    pub fn stop_at_findings(&mut self, kinds: &[FindingKind]) {
        self.stops_at = kinds.to_vec();
        self.tracker.judges_findings = FindingKind::ALL.iter().any(|kind| !kinds.contains(kind));
    }

    /// What breakpoints have logged since the last call.
    pub fn take_logged(&mut self) -> Vec<Logged> {
        std::mem::take(&mut self.logged)
    }

    /// The file and the line at which a function begins; none where no function of the entry point has the name, or no line is known.
    pub fn function_line(&self, name: &str) -> Option<(u32, u32)> {
        let functions = self.execution.program().data.functions.iter();
        let mut named = functions.filter(|function| frames::bare_name(&function.name) == name);
        let places = named.next()?.blocks.iter().flat_map(|block| block.origins.iter());
        let first = places.filter_map(|&origin| self.lines.place(origin)).next()?;
        Some((first.file, first.line))
    }

    /// Where instructions come from.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// Instructions that were executed up to now.
    pub fn time(&self) -> u64 {
        self.tracker.state.time
    }

    /// The latest time that the run has reached.
    pub fn furthest(&self) -> u64 {
        self.furthest
    }

    /// The time at which the run ends, once it got there.
    pub fn end(&self) -> Option<u64> {
        self.end
    }

    /// Why the run ends early, once that is known.
    pub fn failure(&self) -> Option<&RunError> {
        self.failure.as_ref().map(|(_, error)| error)
    }

    /// The subgroup that is looked at.
    pub fn focus(&self) -> Focus {
        self.focus
    }

    /// Looks at another subgroup of the running workgroup.
    pub fn set_focus(&mut self, subgroup: u32) -> bool {
        let exists = self
            .execution
            .workgroup()
            .is_some_and(|workgroup| (subgroup as usize) < workgroup.subgroups.len());
        if exists {
            self.focus.subgroup = subgroup;
        }
        exists
    }

    /// What checked mode has found up to now.
    pub fn findings(&self) -> &[Finding] {
        self.execution.findings()
    }

    /// The finding at which the run has stopped, before it was made.
    pub fn finding_here(&self) -> Option<&Finding> {
        let stops_there = |stop: &&Stop| matches!(stop.reason, Reason::Finding(_));
        self.last_stop.as_ref().filter(stops_there).and(self.found.as_ref())
    }

    /// The access to data at which the run has stopped, before it was made.
    pub fn data_here(&self) -> Option<&DataStop> {
        let stops_there = |stop: &&Stop| matches!(stop.reason, Reason::Breakpoint(_));
        self.last_stop.as_ref().filter(stops_there).and(self.touched.as_ref())
    }

    /// What debugPrintf wrote up to now.
    pub fn log(&self) -> &[String] {
        self.execution.log()
    }

    /// Which bytes of undefined buffers are written by now, in checked mode: what the next dispatch begins with.
    pub fn written(&self) -> WrittenBytes {
        self.execution.written()
    }

    /// Memory as it is now.
    pub fn resources(&self) -> &Resources {
        self.execution.resources()
    }

    /// Why the run stands where it does.
    pub fn stop(&self) -> Option<&Stop> {
        self.last_stop.as_ref()
    }

    /// Whether a motion has begun and not ended.
    pub fn is_moving(&self) -> bool {
        self.task.is_some()
    }
}
