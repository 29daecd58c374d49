//! A profile in Chrome's Trace Event Format, which speedscope and Perfetto show as flame graphs.
//!
//! There is no time in a model: one instruction, pass or sector is one microsecond of the file. Functions that are called from one place are inside
//! the line that calls them; others stand for themselves.

use std::collections::BTreeMap;

use coopmat_simulator::profile::Measured;
use coopmat_spirv::dr::{Module, Operand};
use coopmat_spirv::spirv::Op;
use serde_json::{Value, json};

use crate::report::SourcePlace;

/// Callers of callers that are followed.
const DEEPEST: usize = 64;

/// A dispatch to show.
pub struct Traced<'t> {
    /// Its name, or that of the shader.
    pub name: String,
    /// What ran.
    pub module: &'t Module,
    /// What was seen of it.
    pub measured: &'t Measured,
    /// The source of an instruction.
    pub place: &'t dyn Fn(u32) -> Option<SourcePlace>,
    /// The text of a place's line.
    pub text: &'t dyn Fn(&SourcePlace) -> Option<String>,
}

/// What instructions count for: their indices with weights.
type Count = fn(&Measured) -> Vec<(u32, u64)>;

/// The file's text. What is counted is a process, each dispatch a thread.
pub fn trace(dispatches: &[Traced<'_>]) -> String {
    let mut events = Vec::new();
    let counted: [(&str, Count); 3] = [
        ("instructions", instructions),
        ("passes of shared memory", passes),
        ("sectors of buffers", sectors),
    ];
    for (index, (name, weights)) in counted.into_iter().enumerate() {
        let process = index + 1;
        events.push(named("process_name", process, 0, name));
        for (index, dispatch) in dispatches.iter().enumerate() {
            let root = tree(dispatch, &weights(dispatch.measured));
            if root.total == 0 {
                continue;
            }
            let thread = index + 1;
            events.push(named("thread_name", process, thread, &dispatch.name));
            root.events(&dispatch.name, 0, &mut |name, start, length| {
                events.push(json!({
                    "ph": "X", "pid": process, "tid": thread, "ts": start, "dur": length, "name": name,
                }));
            });
        }
    }
    json!({ "traceEvents": events, "displayTimeUnit": "ns" }).to_string()
}

fn named(kind: &str, process: usize, thread: usize, name: &str) -> Value {
    json!({ "ph": "M", "name": kind, "pid": process, "tid": thread, "ts": 0, "args": { "name": name } })
}

fn instructions(measured: &Measured) -> Vec<(u32, u64)> {
    measured.executed.iter().map(|it| (it.instruction, it.times)).collect()
}

fn passes(measured: &Measured) -> Vec<(u32, u64)> {
    let accesses = measured.accesses.iter();
    accesses.filter_map(|it| Some((it.instruction, it.passes?.passes))).collect()
}

fn sectors(measured: &Measured) -> Vec<(u32, u64)> {
    measured.accesses.iter().map(|it| (it.instruction, it.sectors)).collect()
}

/// Frames of a flame graph.
#[derive(Default)]
struct Frame {
    total: u64,
    inside: BTreeMap<String, Frame>,
}

impl Frame {
    fn add(&mut self, path: &[String], weight: u64) {
        self.total += weight;
        if let Some((first, rest)) = path.split_first() {
            self.inside.entry(first.clone()).or_default().add(rest, weight);
        }
    }

    /// Each frame with its start and length; the heaviest first.
    fn events(&self, name: &str, start: u64, event: &mut dyn FnMut(&str, u64, u64)) {
        event(name, start, self.total);
        let mut inside: Vec<(&String, &Frame)> = self.inside.iter().collect();
        inside.sort_by_key(|(_, frame)| std::cmp::Reverse(frame.total));
        let mut at = start;
        for (name, frame) in inside {
            frame.events(name, at, event);
            at += frame.total;
        }
    }
}

fn tree(dispatch: &Traced<'_>, weights: &[(u32, u64)]) -> Frame {
    let functions = Functions::of(dispatch.module);
    let mut root = Frame::default();
    for &(instruction, weight) in weights.iter().filter(|(_, weight)| *weight > 0) {
        let mut path = vec![functions.opcode(instruction), line(dispatch, instruction)];
        let mut function = functions.containing(instruction);
        for _ in 0..DEEPEST {
            let Some(here) = function else { break };
            path.push(here.name.clone());
            let [caller] = here.callers[..] else { break };
            path.push(line(dispatch, caller));
            function = functions.containing(caller);
        }
        path.reverse();
        root.add(&path, weight);
    }
    root
}

fn line(dispatch: &Traced<'_>, instruction: u32) -> String {
    let Some(place) = (dispatch.place)(instruction) else { return "no line known".to_owned() };
    let text = (dispatch.text)(&place).map_or(String::new(), |text| format!(" {}", text.trim()));
    format!("{}:{}{text}", place.path, place.line)
}

struct Functions {
    opcodes: Vec<&'static str>,
    all: Vec<Function>,
}

struct Function {
    name: String,
    id: u32,
    /// Its instructions, by their index in the module.
    range: std::ops::Range<u32>,
    /// Instructions that name it.
    callers: Vec<u32>,
}

impl Functions {
    fn of(module: &Module) -> Functions {
        let names = module.debug_names.iter().filter(|it| it.class.opcode == Op::Name);
        let names: BTreeMap<u32, &str> = names
            .filter_map(|it| match it.operands.as_slice() {
                [Operand::IdRef(id), Operand::LiteralString(name)] => Some((*id, name.as_str())),
                _ => None,
            })
            .collect();
        let mut found = Functions { opcodes: Vec::new(), all: Vec::new() };
        let mut uses = Vec::new();
        for (index, instruction) in module.all_inst_iter().enumerate() {
            let number = coopmat_spirv::opcode_number(instruction);
            found.opcodes.push(coopmat_spirv::name(number).unwrap_or("unknown"));
            let index = index as u32;
            match (instruction.class.opcode, instruction.result_id) {
                (Op::Function, Some(id)) => {
                    let name =
                        names.get(&id).map_or_else(|| format!("function %{id}"), |name| (*name).to_owned());
                    // GLSL's names have their parameters behind them: `f(vf4;`.
                    let name = name.split('(').next().unwrap_or_default().to_owned();
                    found.all.push(Function { name, id, range: index..u32::MAX, callers: Vec::new() });
                }
                (Op::FunctionEnd, _) => {
                    if let Some(function) = found.all.last_mut() {
                        function.range.end = index + 1;
                    }
                }
                _ if found.all.last().is_some_and(|function| function.range.end == u32::MAX) => {
                    let ids = instruction.operands.iter().filter_map(|operand| match operand {
                        Operand::IdRef(id) => Some((*id, index)),
                        _ => None,
                    });
                    uses.extend(ids);
                }
                _ => {}
            }
        }
        for (id, index) in uses {
            if let Some(function) = found.all.iter_mut().find(|function| function.id == id) {
                function.callers.push(index);
            }
        }
        found
    }

    fn opcode(&self, instruction: u32) -> String {
        format!("Op{}", self.opcodes.get(instruction as usize).copied().unwrap_or("unknown"))
    }

    fn containing(&self, instruction: u32) -> Option<&Function> {
        self.all.iter().find(|function| function.range.contains(&instruction))
    }
}
