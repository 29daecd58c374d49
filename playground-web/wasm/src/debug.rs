//! The debugger in a worker: a run that the page steps through, forwards and backwards. Answers are JSON.

mod scopes;

use std::collections::HashMap;

use coopmat_simulator::debugger::{
    Advance, Breakpoint, Command, Content, DebuggerError, FrameView, Lanes, Lines, Motion, Place, Reason,
    Setup, Status, Stop, Value as Shown, VariableKind,
};
use coopmat_spirv::dr::{Instruction, Operand};
use coopmat_spirv::spirv::{Op, StorageClass};
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::describe;
use crate::files::{Files, takes_files};
use crate::places;
use crate::prepare::{self, Data, Prepared, Problem, Request, Shader};

/// The files of the page, and at most one run under the debugger.
#[wasm_bindgen]
#[derive(Default)]
pub struct Debugger {
    files: Files,
    data: Data,
    running: Option<(Prepared, coopmat_simulator::debugger::Debugger)>,
    files_of_lines: HashMap<String, u32>,
}

/// A breakpoint as the page says it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wanted {
    file: String,
    line: u32,
    condition: Option<String>,
    workgroup: Option<[u32; 3]>,
    subgroup: Option<u32>,
}

takes_files!(Debugger);

#[wasm_bindgen]
impl Debugger {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Debugger {
        Debugger::default()
    }

    /// Prepares a run, which stands where its first line begins. Nothing, or `{message, place}` for why there is none.
    pub fn begin(&mut self, request: &str) -> Option<String> {
        self.running = None;
        self.files_of_lines.clear();
        let begun = serde_json::from_str::<Request>(request)
            .map_err(|error| Problem::new(format!("the page's request: {error}")))
            .and_then(|request| self.prepare(Request { keep_locals: true, ..request }));
        begun.err().map(|problem| describe::problem(&problem).to_string())
    }

    /// Replaces all breakpoints: `[{file, line, condition?, workgroup?, subgroup?}]`. For each the line at which it stands, or null.
    #[wasm_bindgen(js_name = setBreakpoints)]
    pub fn set_breakpoints(&mut self, wanted: &str) -> String {
        let wanted: Vec<Wanted> = serde_json::from_str(wanted).unwrap_or_default();
        let Some((_, debugger)) = &mut self.running else { return json!([]).to_string() };
        let breakpoint = |wanted: Wanted| Breakpoint {
            // A file that the module has nothing of is one that there is not.
            file: self.files_of_lines.get(&wanted.file).copied().unwrap_or(u32::MAX),
            line: wanted.line,
            workgroup: wanted.workgroup,
            subgroup: wanted.subgroup,
            condition: wanted.condition.filter(|condition| !condition.trim().is_empty()),
        };
        let verified = debugger.set_breakpoints(wanted.into_iter().map(breakpoint).collect());
        json!(verified).to_string()
    }

    #[wasm_bindgen(js_name = stopAtFindings)]
    pub fn stop_at_findings(&mut self, stops: bool) {
        if let Some((_, debugger)) = &mut self.running {
            debugger.stop_at_findings(stops);
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

    /// Where the run stands and why: times, stack, subgroups, findings, log.
    pub fn state(&self) -> String {
        let Some((prepared, debugger)) = &self.running else { return Value::Null.to_string() };
        let lines = debugger.lines();
        let stack: Vec<Value> = debugger.stack().iter().map(|frame| frame_json(lines, frame)).collect();
        let subgroups = debugger.subgroups();
        let subgroups = subgroups.iter().map(|subgroup| {
            json!({
                "index": subgroup.index,
                "status": match subgroup.status {
                    Status::Running => "running",
                    Status::Ready => "ready",
                    Status::Barrier => "at a barrier",
                    Status::Together => "waits for all subgroups",
                    Status::Ended => "ended",
                },
                "place": subgroup.place.map(|place| place_json(lines, place)),
                "active": subgroup.active.count_ones(),
                "lanes": subgroup.lanes,
            })
        });
        let focus = debugger.focus();
        let findings = debugger.findings().iter().map(|finding| {
            json!({"kind": finding.kind.id(), "message": finding.message, "place": prepared.shader.place(finding.instruction)})
        });
        json!({
            "reason": debugger.stop().map(|stop| self.reason(stop)),
            "time": debugger.time(),
            "furthest": debugger.furthest(),
            "end": debugger.end(),
            "workgroup": focus.workgroup,
            "subgroup": focus.subgroup,
            "stack": stack,
            "subgroups": subgroups.collect::<Vec<_>>(),
            "findings": findings.collect::<Vec<_>>(),
            "log": debugger.log(),
            "modes": prepared.modes,
        })
        .to_string()
    }

    /// The variables that a frame sees: `[{name, kind, value}]`.
    pub fn variables(&self, frame: usize) -> String {
        let Some((_, debugger)) = &self.running else { return json!([]).to_string() };
        let live = debugger.stack().get(frame).map_or(0, |frame| frame.live);
        let variables = debugger.variables(frame);
        let variables = variables.iter().map(|variable| {
            json!({
                "name": variable.name,
                "kind": kind_name(variable.kind),
                "value": value_json(&variable.value, live, false),
            })
        });
        Value::from(variables.collect::<Vec<_>>()).to_string()
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

    /// What an expression is in a frame: a value, or `{error}`.
    pub fn evaluate(&self, frame: usize, expression: &str) -> String {
        let Some((_, debugger)) = &self.running else { return json!({"error": "nothing runs"}).to_string() };
        let live = debugger.stack().get(frame).map_or(0, |frame| frame.live);
        match debugger.evaluate(frame, expression) {
            Ok(value) => value_json(&value, live, true),
            Err(error) => json!({"error": error}),
        }
        .to_string()
    }
}

impl Debugger {
    fn prepare(&mut self, request: Request) -> Result<(), Problem> {
        let prepared = prepare::prepare(&self.files, &self.data, &request, false)?;
        let lines = lines_of(&prepared.shader, &mut self.files_of_lines);
        let settings = prepared.plan.settings(&prepared.modes).map_err(Problem::new)?;
        let setup = Setup {
            module: &prepared.shader.compiled.module,
            entry: prepared.plan.entry.as_deref(),
            specialization: &prepared.plan.specialization,
            resources: prepared.plan.resources().0,
            settings,
            groups: prepared.plan.dispatch,
            lines: Some(lines),
        };
        let debugger = coopmat_simulator::debugger::Debugger::new(setup).map_err(|error| {
            let (message, instruction) = match error {
                DebuggerError::Program(error) => (error.message, error.instruction),
                DebuggerError::Run(error) => (error.message, error.instruction),
            };
            Problem { message, place: instruction.and_then(|it| prepared.shader.place(it)) }
        })?;
        self.running = Some((prepared, debugger));
        Ok(())
    }

    fn reason(&self, stop: &Stop) -> Value {
        let kind = |kind: &str| json!({"kind": kind});
        match &stop.reason {
            Reason::Step => kind("step"),
            Reason::Breakpoint(index) => json!({"kind": "breakpoint", "index": index}),
            Reason::Finding(_) => kind("finding"),
            Reason::Time => kind("time"),
            Reason::Start => kind("start"),
            Reason::End => kind("end"),
            Reason::Error(error) => json!({"kind": "error", "message": error.message}),
            Reason::Cancelled => kind("cancelled"),
        }
    }
}

/// Where the instructions of a shader come from, and where its variables can be seen.
fn lines_of(shader: &Shader, numbers: &mut HashMap<String, u32>) -> Lines {
    let Shader { analysis, compiled } = shader;
    let mut files = Vec::new();
    let mut scopes = Vec::new();
    let instructions = compiled.module.all_inst_iter().enumerate();
    let places = instructions.map(|(index, instruction)| {
        let location = compiled.map.place(analysis, index)?.location;
        let found = places::of_range(analysis, location);
        let file = *numbers.entry(found.file).or_insert_with_key(|name| {
            files.push(name.clone());
            files.len() as u32 - 1
        });
        if is_local(instruction) {
            let text = &analysis.files()[location.file].text;
            let end = scopes::end_of_scope(text, usize::from(location.range.end()));
            let lines = text.get(..end).map_or(0, |before| before.matches('\n').count() as u32);
            scopes.push((index as u32, found.start.line, lines));
        }
        Some(Place {
            file,
            line: found.start.line,
            column: found.start.character,
            end_line: found.end.line,
            end_column: found.end.character,
        })
    });
    let places = places.collect();
    let mut lines = Lines::new(files, places);
    for (variable, first, last) in scopes {
        lines.add_scope(variable, first, last);
    }
    lines
}

fn is_local(instruction: &Instruction) -> bool {
    instruction.class.opcode == Op::Variable
        && matches!(instruction.operands.first(), Some(Operand::StorageClass(StorageClass::Function)))
}

fn place_json(lines: &Lines, place: Place) -> Value {
    json!({
        "file": lines.files.get(place.file as usize),
        "start": {"line": place.line, "character": place.column},
        "end": {"line": place.end_line, "character": place.end_column},
    })
}

/// Lanes as a text of digits: `1` for those in the mask.
fn mask_text(mask: u128, lanes: u32) -> String {
    (0..lanes).map(|lane| if mask >> lane & 1 == 1 { '1' } else { '0' }).collect()
}

fn frame_json(lines: &Lines, frame: &FrameView) -> Value {
    json!({
        "function": frame.function,
        "place": frame.place.map(|place| place_json(lines, place)),
        "instruction": frame.instruction,
        "active": mask_text(frame.active, frame.lanes),
        "live": mask_text(frame.live, frame.lanes),
        "elements": frame.elements,
    })
}

fn kind_name(kind: VariableKind) -> &'static str {
    match kind {
        VariableKind::Parameter => "parameter",
        VariableKind::Local => "local",
        VariableKind::Private => "global",
        VariableKind::Input => "built-in",
        VariableKind::Shared => "shared",
        VariableKind::PushConstants => "push constants",
        VariableKind::Buffer => "buffer",
        VariableKind::Uniform => "uniform",
        VariableKind::Opaque => "resource",
        VariableKind::Constant => "constant",
    }
}

/// `{type, text}` and one of `lanes`, `parts`, `matrix`. `whole`: matrices with what is undefined in them.
fn value_json(value: &Shown, live: u128, whole: bool) -> Value {
    let mut answer = json!({"type": value.type_name, "text": value.text(live)});
    match &value.content {
        Content::Scalar(lanes) => answer["lanes"] = lanes_json(lanes),
        Content::Parts { parts, count } => {
            let part = |part: &coopmat_simulator::debugger::Part| json!({"name": part.name, "value": value_json(&part.value, live, whole)});
            answer["parts"] = parts.iter().map(part).collect();
            answer["count"] = (*count).into();
        }
        Content::Matrix(matrix) => {
            let type_ = &matrix.type_;
            let mut made = json!({
                "component": type_.component.name(),
                "rows": type_.rows,
                "columns": type_.columns,
                "use": type_.use_.name(),
                "scope": type_.scope.to_string(),
                "written": matrix.matrix.is_some(),
            });
            let held = matrix.matrix.as_ref().filter(|_| whole);
            if let Some(held) = held.filter(|held| held.any_undefined()) {
                let digit = |index| if held.is_undefined(index) { '1' } else { '0' };
                made["undefined"] = (0..type_.count()).map(digit).collect::<String>().into();
            }
            answer["matrix"] = made;
        }
        Content::Text(_) => {}
    }
    answer
}

/// `{values}`: one text for all lanes, or one for each; null where a lane has no value, and which ones are undefined.
fn lanes_json(lanes: &Lanes) -> Value {
    let text = |lane: usize| (!lanes.is_absent(lane)).then(|| lanes.text(lane));
    let count = lanes.bits.len();
    let mut answer = json!({"values": (0..count).map(text).collect::<Vec<_>>()});
    if lanes.undefined != 0 {
        answer["undefined"] = mask_text(lanes.undefined, 128).into();
    }
    answer
}

#[cfg(test)]
mod tests;
