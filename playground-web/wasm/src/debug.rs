//! The debugger in a worker: a run that the page steps through, forwards and backwards. Answers are JSON.

pub(crate) mod messages;

use std::collections::HashMap;

use coopmat_simulator::FindingKind;
use coopmat_simulator::debugger::{
    Advance, Breakpoint, Command, Content, DebuggerError, Motion, Reason, Setup, Stop,
};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::describe;
use crate::files::{Files, takes_files};
use crate::prepare::{self, Data, Prepared, Problem, Request};
use messages::{Evaluated, Finding, State, Variable, Wanted};

/// The files of the page, and at most one run under the debugger.
#[wasm_bindgen]
#[derive(Default)]
pub struct Debugger {
    files: Files,
    data: Data,
    running: Option<(Prepared, coopmat_simulator::debugger::Debugger)>,
    /// The dispatch that it runs.
    dispatch: usize,
    files_of_lines: HashMap<String, u32>,
}

takes_files!(Debugger);

#[wasm_bindgen]
impl Debugger {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Debugger {
        Debugger::default()
    }

    /// Prepares a run, which stands where its first line begins. Nothing, or a `Problem` as JSON for why there is none.
    pub fn begin(&mut self, request: &str) -> Option<String> {
        self.running = None;
        self.files_of_lines.clear();
        let begun = serde_json::from_str::<Request>(request)
            .map_err(|error| Problem::new(format!("the page's request: {error}")))
            .and_then(|request| self.prepare(Request { keep_locals: true, ..request }));
        begun.err().map(|problem| describe::json(&problem))
    }

    /// Replaces all breakpoints, a list of `Breakpoint` as JSON. For each the line at which it stands, or null.
    #[wasm_bindgen(js_name = setBreakpoints)]
    pub fn set_breakpoints(&mut self, wanted: &str) -> String {
        let wanted: Vec<Wanted> = serde_json::from_str(wanted).unwrap_or_default();
        let Some((_, debugger)) = &mut self.running else { return "[]".to_owned() };
        let breakpoint = |wanted: Wanted| Breakpoint {
            // A file that the module has nothing of is one that there is not.
            file: self.files_of_lines.get(&wanted.file).copied().unwrap_or(u32::MAX),
            line: wanted.line,
            workgroup: wanted.workgroup,
            subgroup: wanted.subgroup,
            condition: wanted.condition.filter(|condition| !condition.trim().is_empty()),
            ..Breakpoint::default()
        };
        let verified = debugger.set_breakpoints(wanted.into_iter().map(breakpoint).collect());
        describe::json(&verified)
    }

    #[wasm_bindgen(js_name = stopAtFindings)]
    pub fn stop_at_findings(&mut self, stops: bool) {
        if let Some((_, debugger)) = &mut self.running {
            debugger.stop_at_findings(if stops { &FindingKind::ALL } else { &[] });
        }
    }

    /// Begins a motion: `continue`, `into`, `over`, `out`, `instruction`, `end`, or `time` with the time to go to.
    #[wasm_bindgen(js_name = go)]
    pub fn go_to(&mut self, motion: &str, backwards: bool, time: f64) {
        let Some((_, debugger)) = &mut self.running else { return };
        let motion = match motion {
            "continue" => Motion::Continue,
            "into" => Motion::Into,
            "over" => Motion::Over,
            "out" => Motion::Out,
            "instruction" => Motion::Instruction,
            "end" => Motion::End,
            _ => Motion::Time(time.max(0.0) as u64),
        };
        debugger.begin(Command { motion, backwards });
    }

    /// Goes on for about so many steps: whether the motion has ended.
    pub fn advance(&mut self, steps: u32) -> bool {
        self.running
            .as_mut()
            .is_none_or(|(_, debugger)| matches!(debugger.advance(u64::from(steps)), Advance::Stopped(_)))
    }

    /// Ends a motion where the run is by now.
    pub fn cancel(&mut self) {
        if let Some((_, debugger)) = &mut self.running {
            debugger.cancel();
        }
    }

    /// `[time, furthest]`
    pub fn times(&self) -> Vec<f64> {
        let Some((_, debugger)) = &self.running else { return vec![0.0, 0.0] };
        vec![debugger.time() as f64, debugger.furthest() as f64]
    }

    /// Looks at another subgroup of the running workgroup.
    pub fn focus(&mut self, subgroup: u32) {
        if let Some((_, debugger)) = &mut self.running {
            debugger.set_focus(subgroup);
        }
    }

    /// `State` as JSON: where the run stands and why. Null where nothing runs.
    pub fn state(&self) -> String {
        let Some((prepared, debugger)) = &self.running else { return "null".to_owned() };
        let shader = prepared.shader(self.dispatch);
        let lines = debugger.lines();
        let focus = debugger.focus();
        let findings = debugger.findings().iter().map(|finding| Finding {
            kind: finding.kind.id(),
            message: &finding.message,
            place: shader.and_then(|shader| shader.place(finding.instruction)),
        });
        describe::json(&State {
            reason: debugger.stop().map(reason),
            time: debugger.time(),
            furthest: debugger.furthest(),
            end: debugger.end(),
            workgroup: focus.workgroup,
            subgroup: focus.subgroup,
            stack: debugger.stack().iter().map(|frame| messages::frame(lines, frame)).collect(),
            subgroups: debugger.subgroups().iter().map(|one| messages::subgroup(lines, one)).collect(),
            findings: findings.collect(),
            log: debugger.log(),
            modes: &prepared.modes,
        })
    }

    /// A list of `Variable` as JSON: those that a frame sees.
    pub fn variables(&self, frame: usize) -> String {
        let Some((_, debugger)) = &self.running else { return "[]".to_owned() };
        let live = debugger.stack().get(frame).map_or(0, |frame| frame.live);
        let variables = debugger.variables(frame);
        let variables = variables.iter().map(|variable| Variable {
            name: variable.name.to_string(),
            kind: messages::kind(variable.kind),
            value: messages::value(&variable.value, live, false),
        });
        describe::json(&variables.collect::<Vec<_>>())
    }

    /// The elements of the matrix that an expression is, in rows; nothing where it is none.
    #[wasm_bindgen(js_name = matrixValues)]
    pub fn matrix_values(&self, frame: usize, expression: &str) -> Option<Vec<f64>> {
        let (_, debugger) = self.running.as_ref()?;
        match debugger.evaluate(frame, expression).ok()?.content {
            Content::Matrix(value) => {
                let matrix = value.matrix?;
                Some((0..value.type_.count()).map(|index| matrix.number(index)).collect())
            }
            Content::Scalar(_) | Content::Parts { .. } | Content::Text(_) => None,
        }
    }

    /// `Evaluated` as JSON: what an expression is in a frame.
    pub fn evaluate(&self, frame: usize, expression: &str) -> String {
        let evaluated = match &self.running {
            Some((_, debugger)) => {
                let live = debugger.stack().get(frame).map_or(0, |frame| frame.live);
                let value = debugger.evaluate(frame, expression);
                value.map(|value| messages::value(&value, live, true))
            }
            None => Err("nothing runs".to_owned()),
        };
        describe::json(&match evaluated {
            Ok(value) => Evaluated::Value(Box::new(value)),
            Err(error) => Evaluated::Error { error },
        })
    }
}

impl Debugger {
    fn prepare(&mut self, request: Request) -> Result<(), Problem> {
        let prepared = prepare::prepare(&self.files, &self.data, &request, false)?;
        let number = request.dispatch.unwrap_or_default();
        let (Some(dispatch), Some(shader)) = (prepared.plan.dispatches.get(number), prepared.shader(number))
        else {
            return Err(Problem::new(format!("the recipe has no dispatch {}", number + 1)));
        };
        let lines = shader.lines();
        self.files_of_lines = lines.files.iter().cloned().zip(0..).collect();
        let resources = coopmat_recipe::resources_before(&prepared.plan, &prepared.modes, number);
        let resources = resources.map_err(|(before, error)| {
            let of = prepared.shader(before);
            let place = error.instruction.and_then(|instruction| of?.place(instruction));
            Problem { message: format!("a dispatch before this one fails: {}", error.message), place }
        })?;
        let settings = prepared.plan.settings(&prepared.modes).map_err(Problem::new)?;
        let setup = Setup {
            module: shader.module(),
            entry: dispatch.entry.as_deref(),
            specialization: &dispatch.specialization,
            resources,
            settings,
            groups: dispatch.workgroups,
            lines: Some(lines),
        };
        let debugger = coopmat_simulator::debugger::Debugger::new(setup).map_err(|error| {
            let (message, instruction) = match error {
                DebuggerError::Program(error) => (error.message, error.instruction),
                DebuggerError::Run(error) => (error.message, error.instruction),
            };
            Problem { message, place: instruction.and_then(|it| shader.place(it)) }
        })?;
        self.dispatch = number;
        self.running = Some((prepared, debugger));
        Ok(())
    }
}

fn reason(stop: &Stop) -> messages::Reason<'_> {
    match &stop.reason {
        Reason::Step => messages::Reason::Step,
        Reason::Breakpoint(index) => messages::Reason::Breakpoint { index: *index },
        Reason::Finding(_) => messages::Reason::Finding,
        Reason::Time => messages::Reason::Time,
        Reason::Start => messages::Reason::Start,
        Reason::End => messages::Reason::End,
        Reason::Error(error) => messages::Reason::Error { message: &error.message },
        Reason::Cancelled => messages::Reason::Cancelled,
    }
}

#[cfg(test)]
mod tests;
