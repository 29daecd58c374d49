//! The debugger: a run that goes forwards and backwards, and shows what every lane holds.
//!
//! Time is the number of instructions that were executed. Going back means to start again from a moment that was kept and to repeat the
//! run up to the wanted time: runs are deterministic. A motion may take long, so it is begun, and then advanced in slices between which
//! the host may cancel it.
//!
//! | module | does |
//! |---|---|
//! | `lines` | which line each instruction comes from |
//! | `tracker` | watches instructions: time, where lines begin, when to stop |
//! | `timeline` | moments that are kept to go back to |
//! | `motion` | stepping, breakpoints, searching backwards |
//! | `frames` | the call stack, subgroups and where they stand |
//! | `scene` | the variables of a frame, expressions |
//! | `reader` | variables in registers and memory |
//! | `value` | values as they are shown |
//! | `expression` | the language of watches and conditions |
//! | `names` | types in GLSL's words |

mod expression;
mod frames;
mod lines;
mod motion;
mod names;
mod reader;
mod scene;
mod timeline;
mod tracker;
mod value;

use std::sync::Arc;

use coopmat_spirv::dr::Module;

pub use frames::{FrameView, Status, SubgroupView};
pub use lines::{Lines, Place};
pub use motion::{Advance, Command, Motion, Reason, Stop};
pub use scene::VariableView;
pub use tracker::Focus;
pub use value::{Content, LaneKind, Lanes, MatrixValue, Part, Value};

pub use crate::program::debug::Kind as VariableKind;

use crate::machine::Execution;
use crate::{Finding, Program, ProgramError, ProgramOptions, Resources, RunError, Settings};
use motion::Task;
use timeline::{Kept, Timeline};
use tracker::{Armed, Tracker};

/// Bytes of moments that are kept unless the host says otherwise.
const KEPT: u64 = 192 << 20;

/// Where the run stops when it comes by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Breakpoint {
    /// The index in [`Lines::files`], and the line, counted from zero.
    pub file: u32,
    /// In that file, from zero.
    pub line: u32,
    /// Only there.
    pub workgroup: Option<[u32; 3]>,
    /// `gl_SubgroupID`.
    pub subgroup: Option<u32>,
    /// Only where this holds for an active lane.
    pub condition: Option<String>,
}

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
    /// Where instructions come from; what the module tells (`OpLine`) where the host does not know.
    pub lines: Option<Lines>,
}

/// A run under the debugger.
pub struct Debugger {
    execution: Execution,
    tracker: Box<Tracker>,
    timeline: Timeline,
    lines: Arc<Lines>,
    breakpoints: Vec<Breakpoint>,
    /// Whether findings of checked mode stop the run.
    stops_at_findings: bool,
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
        let tracker = Box::new(Tracker::new(lines.rows(&program.data)));
        let first = Kept { state: tracker.state.clone(), moment: execution.moment(None) };
        let mut debugger = Debugger {
            execution,
            tracker,
            timeline: Timeline::new(first, KEPT),
            lines,
            breakpoints: Vec::new(),
            stops_at_findings: false,
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

    /// Replaces all breakpoints. For each: the line at which it stands, which is the next one that has code; none where none has.
    pub fn set_breakpoints(&mut self, breakpoints: Vec<Breakpoint>) -> Vec<Option<u32>> {
        let mut armed = Vec::new();
        let mut verified = Vec::with_capacity(breakpoints.len());
        for (index, breakpoint) in breakpoints.iter().enumerate() {
            let functions = &self.execution.program().data.functions;
            let blocks = functions.iter().flat_map(|function| &function.blocks);
            let code = blocks.flat_map(|block| block.origins.iter().copied());
            let line = self.lines.with_code(breakpoint.file, breakpoint.line, code);
            verified.push(line);
            armed.extend(line.map(|line| Armed {
                index,
                row: u64::from(breakpoint.file) << 32 | u64::from(line),
                workgroup: breakpoint.workgroup,
                subgroup: breakpoint.subgroup,
            }));
        }
        self.tracker.breakpoints = armed.into();
        self.tracker.conditions =
            breakpoints.iter().map(|breakpoint| breakpoint.condition.is_some()).collect();
        self.breakpoints = breakpoints;
        verified
    }

    /// Whether findings of checked mode stop the run like breakpoints.
    pub fn stop_at_findings(&mut self, stops: bool) {
        self.stops_at_findings = stops;
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

    /// What debugPrintf wrote up to now.
    pub fn log(&self) -> &[String] {
        self.execution.log()
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
