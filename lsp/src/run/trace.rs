//! `--trace`: what a run does, line by line, on standard output.

use std::io::Write as _;

use coopmat_recipe::report::SourcePlace;
use coopmat_simulator::Observer;
use coopmat_simulator::observer::{Access, AccessKind, At, MatrixEvent, Region, Wants};

use super::prepare::{Compiled, Prepared};

struct Trace {
    names: Vec<String>,
    buffers: Vec<String>,
    /// Each instruction's place, and the text of its line if the module holds it.
    places: Vec<Option<(SourcePlace, Option<String>)>>,
    out: std::io::BufWriter<std::io::Stdout>,
    /// The name of the dispatch, until it has begun.
    dispatch: Option<String>,
    line: Option<(String, u32)>,
}

/// Observers that print, for each dispatch one.
pub fn observers(prepared: &Prepared) -> Vec<(usize, Box<dyn Observer>)> {
    let buffers: Vec<String> = prepared.plan.buffers.iter().map(|buffer| buffer.name.clone()).collect();
    let all = prepared.shaders.iter().zip(&prepared.plan.dispatches).enumerate();
    all.map(|(index, (shader, dispatch))| (index, observer(shader, dispatch.name.clone(), buffers.clone())))
        .collect()
}

fn observer(shader: &Compiled, dispatch: Option<String>, buffers: Vec<String>) -> Box<dyn Observer> {
    let name =
        |instruction| coopmat_spirv::name(coopmat_spirv::opcode_number(instruction)).unwrap_or("unknown");
    let names: Vec<String> = shader.module.all_inst_iter().map(|i| format!("Op{}", name(i))).collect();
    let place = |index: usize| {
        let place = shader.places.of(index as u32)?;
        let text = shader.places.line(&place).map(|line| line.trim().to_owned());
        Some((place, text))
    };
    let places = (0..names.len()).map(place).collect();
    let out = std::io::BufWriter::new(std::io::stdout());
    Box::new(Trace { names, buffers, places, out, dispatch, line: None })
}

impl Trace {
    /// A reader that has gone is no reason to stop.
    fn print(&mut self, text: &str) {
        let _ = writeln!(self.out, "{text}");
    }

    fn group([x, y, z]: [u32; 3]) -> String {
        format!("workgroup {x}, {y}, {z}")
    }
}

impl Observer for Trace {
    fn wants(&self) -> Wants {
        Wants { instructions: true, memory: true, matrices: true, ..Wants::default() }
    }

    fn workgroup_started(&mut self, workgroup: [u32; 3]) {
        if let Some(name) = self.dispatch.take() {
            self.print(&format!("dispatch {name}"));
        }
        self.print(&format!("{} starts", Trace::group(workgroup)));
    }

    fn workgroup_ended(&mut self, workgroup: [u32; 3]) {
        self.print(&format!("{} ends", Trace::group(workgroup)));
        self.line = None;
    }

    fn instruction(&mut self, at: &At) {
        let index = at.instruction as usize;
        let name = self.names.get(index).cloned().unwrap_or_default();
        if let Some((place, text)) = self.places.get(index).cloned().flatten() {
            let line = (place.path, place.line);
            if self.line.as_ref() != Some(&line) {
                let text = text.map_or(String::new(), |text| format!(": {text}"));
                self.print(&format!("{}:{}{text}", line.0, line.1));
                self.line = Some(line);
            }
        }
        let lanes = at.mask.count_ones();
        self.print(&format!("  subgroup {}  {name}  ({lanes} invocations)", at.subgroup));
    }

    fn memory(&mut self, _at: &At, access: &Access) {
        let verb = match access.kind {
            AccessKind::Read => "reads",
            AccessKind::Write => "writes",
            AccessKind::Atomic => "exchanges",
        };
        let (invocation, size) = (access.invocation.index, access.size);
        let (region, offset) = access.region();
        let memory = match region {
            Region::Shared => "shared memory",
            Region::PushConstants => "the push constants",
            Region::Buffer(index) => self.buffers.get(index).map_or("no buffer", String::as_str),
            Region::Nowhere => "no memory",
        };
        let text = format!("    invocation {invocation} {verb} {size} bytes of {memory} at offset {offset}");
        self.print(&text);
    }

    fn barrier_reached(&mut self, at: &At) {
        self.print(&format!("  subgroup {} is at a barrier", at.subgroup));
    }

    fn barrier_passed(&mut self, workgroup: [u32; 3]) {
        self.print(&format!("{} passes the barrier", Trace::group(workgroup)));
    }

    fn matrix(&mut self, at: &At, event: &MatrixEvent) {
        let shape: Vec<String> = event.shape.iter().filter(|n| **n > 0).map(u32::to_string).collect();
        self.print(&format!("  subgroup {}  {} {}", at.subgroup, event.operation, shape.join("x")));
    }
}
