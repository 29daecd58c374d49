//! A debugger over GLSL, and what it shows as text.

use std::fmt::Write as _;
use std::sync::Arc;

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_simulator::debugger::{
    Advance, Breakpoint, Command, Content, Debugger, FrameView, Lines, Motion, Place, Reason, Setup, Stop,
    Value,
};
use coopmat_simulator::{Resources, Settings};
use coopmat_spirv::dr::Module;

use crate::support::HEADER;

/// Compiles a shader, with the header before it; lines count without the header.
pub fn compile(source: &str, header: &str) -> (Module, Lines) {
    let source = format!("{header}{source}");
    let skipped = header.lines().count() as u32;
    let config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let text: Arc<str> = source.as_str().into();
    let analysis = coopmat_analysis::analyze("/test.comp", text, &config, &NoFiles, None);
    let options = coopmat_codegen::Options { keep_locals: true, ..Default::default() };
    let compiled = coopmat_codegen::compile(&analysis, &options)
        .unwrap_or_else(|errors| panic!("{errors:#?}\n{source}"));
    let place = |index: usize| {
        let location = compiled.map.place(&analysis, index)?.location;
        let lines = analysis.files()[location.file].line_index();
        let (start, end) = (lines.line_col(location.range.start()), lines.line_col(location.range.end()));
        Some(Place {
            file: 0,
            line: start.line.checked_sub(skipped)?,
            column: start.col,
            end_line: end.line - skipped,
            end_column: end.col,
        })
    };
    let places = (0..compiled.map.len()).map(place).collect();
    let lines = Lines::new(vec!["test.comp".to_owned()], places);
    (compiled.module, lines)
}

pub struct Session {
    pub debugger: Debugger,
    source: String,
}

impl Session {
    pub fn new(source: &str, settings: Settings, groups: [u32; 3], buffers: &[Vec<u8>]) -> Session {
        let (module, lines) = compile(source, HEADER);
        Session::of(&module, Some(lines), source, settings, groups, buffers)
    }

    /// A module of another compiler, which says itself where it comes from.
    pub fn of_module(module: &Module) -> Session {
        let settings = Settings { subgroup_size: 4, ..Settings::default() };
        let source = Lines::of_module(module).text(0).unwrap_or_default().to_owned();
        Session::of(module, None, &source, settings, [1; 3], &[vec![0; 256]])
    }

    fn of(
        module: &Module,
        lines: Option<Lines>,
        source: &str,
        settings: Settings,
        groups: [u32; 3],
        buffers: &[Vec<u8>],
    ) -> Session {
        let mut resources = Resources::new();
        for (binding, bytes) in (0..).zip(buffers) {
            let buffer = resources.buffer(bytes);
            resources.bind(0, binding, 0, buffer);
        }
        let setup = Setup { module, entry: None, specialization: &[], resources, settings, groups, lines };
        Session { debugger: Debugger::new(setup).unwrap(), source: source.to_owned() }
    }

    /// One workgroup of four lanes to a subgroup, and one buffer of words.
    pub fn small(source: &str) -> Session {
        let settings = Settings { subgroup_size: 4, ..Settings::default() };
        Session::new(source, settings, [1; 3], &[vec![0; 256]])
    }

    fn command(&mut self, motion: Motion, backwards: bool) -> Stop {
        self.debugger.begin(Command { motion, backwards });
        for _ in 0..1_000_000 {
            if let Advance::Stopped(stop) = self.debugger.advance(1000) {
                return stop;
            }
        }
        panic!("the motion does not end");
    }

    pub fn go(&mut self, motion: Motion) -> Stop {
        self.command(motion, false)
    }

    pub fn back(&mut self, motion: Motion) -> Stop {
        self.command(motion, true)
    }

    /// The line that has this marker in a comment.
    pub fn line(&self, marker: &str) -> u32 {
        let found = self.source.lines().position(|line| line.contains(&format!("// {marker}")));
        found.unwrap_or_else(|| panic!("no line has the marker {marker}")) as u32
    }

    pub fn break_at(&mut self, marker: &str) {
        let line = self.line(marker);
        self.debugger.set_breakpoints(vec![Breakpoint { line, ..Breakpoint::default() }]);
    }

    /// Stops at the line that has this text.
    pub fn break_at_text(&mut self, text: &str) {
        let found = self.source.lines().position(|line| line.contains(text));
        let line = found.unwrap_or_else(|| panic!("no line has {text}")) as u32;
        self.debugger.set_breakpoints(vec![Breakpoint { line, ..Breakpoint::default() }]);
    }

    /// The text of the line at which a frame stands.
    pub fn text_at(&self, frame: &FrameView) -> String {
        let line = frame.place.map(|place| place.line as usize);
        line.and_then(|line| self.source.lines().nth(line)).unwrap_or("?").trim().to_owned()
    }

    /// The line at which the run stands, and the lanes that run.
    pub fn here(&self) -> String {
        let stack = self.debugger.stack();
        let Some(top) = stack.first() else { return "at the end".to_owned() };
        let lanes: String = (0..top.lanes)
            .filter(|lane| top.live >> lane & 1 == 1 || *lane < 8)
            .map(|lane| match top.active >> lane & 1 {
                1 => '#',
                _ => '.',
            })
            .collect();
        let focus = self.debugger.focus();
        let inner = if top.elements { "elements " } else { "" };
        format!("{}/{} {inner}{lanes} {}", focus.workgroup[0], focus.subgroup, self.text_at(top))
    }

    /// Goes on until the end, and notes every stop.
    pub fn walk(&mut self, motion: Motion, backwards: bool) -> String {
        let mut text = String::new();
        for _ in 0..200 {
            let stop = self.command(motion, backwards);
            match stop.reason {
                Reason::End => {
                    text.push_str("end\n");
                    return text;
                }
                Reason::Start => {
                    let _ = writeln!(text, "{}\nstart", self.here());
                    return text;
                }
                Reason::Error(error) => {
                    let _ = writeln!(text, "error: {error}");
                    return text;
                }
                _ => {
                    let _ = writeln!(text, "{}", self.here());
                }
            }
        }
        text.push_str("and so on\n");
        text
    }

    pub fn show(&self, expression: &str) -> String {
        match self.debugger.evaluate(0, expression) {
            Ok(value) => shown(&value, self.debugger.stack().first().map_or(0, |frame| frame.live)),
            Err(error) => error,
        }
    }

    /// Everything that can be seen, as text.
    pub fn everything(&self) -> String {
        let mut text = format!("{}\n", self.debugger.time());
        for (index, frame) in self.debugger.stack().iter().enumerate() {
            let _ = writeln!(text, "{} {} {:x}", frame.function, frame.instruction, frame.active);
            for variable in self.debugger.variables(index) {
                let _ = writeln!(text, "  {} {}", variable.name, shown(&variable.value, frame.live));
            }
        }
        for subgroup in self.debugger.subgroups() {
            let _ = writeln!(text, "{:?} {:?}", subgroup.status, subgroup.place);
        }
        for finding in self.debugger.findings() {
            let _ = writeln!(text, "{}", finding.message);
        }
        let _ = writeln!(text, "{:?}", self.debugger.log());
        text
    }
}

/// Type and value, with every element of matrices.
pub fn shown(value: &Value, mask: u128) -> String {
    let text = match &value.content {
        Content::Matrix(matrix) => {
            let bytes: String = matrix.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{} {bytes}", value.text(mask))
        }
        Content::Parts { parts, count } => {
            let parts: Vec<String> =
                parts.iter().map(|part| format!("{} {}", part.name, shown(&part.value, mask))).collect();
            format!("{count}: {}", parts.join("; "))
        }
        Content::Scalar(_) | Content::Text(_) => value.text(mask),
    };
    format!("{} = {text}", value.type_name)
}
