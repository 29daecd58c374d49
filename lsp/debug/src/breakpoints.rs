//! What the client wants to stop at, across the dispatches of a run: each has a module, and so lines with code, of its own.

use std::collections::BTreeMap;

use coopmat_simulator::debugger::{Breakpoint, Debugger, Hits};

use crate::data::Data;
use crate::debuggee::Debuggee;
use crate::disassembly;
use crate::sources::{Counting, SourceFile};

/// A breakpoint of the client.
#[derive(Clone, Debug)]
struct Wanted {
    id: u64,
    at: At,
    /// The line in the file as the client asked for it, from zero.
    breakpoint: Breakpoint,
    /// Why it cannot be.
    wrong: Option<String>,
    /// What the client was told.
    told: Option<Told>,
    /// The instruction at which it stands, if it is at one.
    stands_at: Option<u32>,
}

#[derive(Clone, Debug)]
enum At {
    Line {
        path: String,
        line: u32,
    },
    Function(String),
    Data {
        id: String,
        access: Option<dapts::DataBreakpointAccessType>,
    },
    /// By its index in the module; or why there is none.
    Instruction {
        index: Result<u32, String>,
    },
}

/// What a breakpoint is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Line,
    Function,
    Data,
    Instruction,
}

/// Where a breakpoint stands: its file, and its line from zero; no line if it is at data or an instruction. Or why it does not stand.
type Told = Result<Option<(SourceFile, u32)>, String>;

/// All breakpoints of the client.
#[derive(Debug, Default)]
pub struct Breakpoints {
    of_files: BTreeMap<String, Vec<Wanted>>,
    of_functions: Vec<Wanted>,
    of_data: Vec<Wanted>,
    at_instructions: Vec<Wanted>,
    given: u64,
    /// The client's ids and kinds of those that are set, by the debugger's index.
    set: Vec<(u64, Sort)>,
}

impl Breakpoints {
    /// Replaces those of a file, in whose own words `path` is.
    pub fn replace_file(&mut self, path: &str, wanted: &[dapts::SourceBreakpoint], counting: Counting) {
        let made = wanted.iter().map(|one| {
            let line = counting.zero_based(one.line);
            let at = At::Line { path: path.to_owned(), line };
            let texts = (&one.condition, &one.hit_condition, &one.log_message);
            self.given += 1;
            Wanted::new(self.given, at, texts)
        });
        let made = made.collect();
        self.of_files.insert(path.to_owned(), made);
    }

    /// Replaces those at functions.
    pub fn replace_functions(&mut self, wanted: &[dapts::FunctionBreakpoint]) {
        let made = wanted.iter().map(|one| {
            self.given += 1;
            let at = At::Function(one.name.trim().trim_end_matches("()").to_owned());
            Wanted::new(self.given, at, (&one.condition, &one.hit_condition, &None))
        });
        self.of_functions = made.collect();
    }

    /// Replaces those at data.
    pub fn replace_data(&mut self, wanted: &[dapts::DataBreakpoint]) {
        let made = wanted.iter().map(|one| {
            self.given += 1;
            let at = At::Data { id: one.data_id.clone(), access: one.access_type };
            Wanted::new(self.given, at, (&one.condition, &one.hit_condition, &None))
        });
        self.of_data = made.collect();
    }

    /// Replaces those at instructions.
    pub fn replace_instructions(&mut self, wanted: &[disassembly::Breakpoint]) {
        let made = wanted.iter().map(|one| {
            self.given += 1;
            let at = At::Instruction { index: one.index() };
            Wanted::new(self.given, at, (&one.condition, &one.hit_condition, &None))
        });
        self.at_instructions = made.collect();
    }

    /// Those at instructions as the client is told of them, with the instruction at which each stands.
    pub fn at_instructions(&self, counting: Counting) -> Vec<dapts::Breakpoint> {
        let shown = self.at_instructions.iter().map(|wanted| {
            let mut shown = wanted.shown(counting);
            shown.instruction_reference =
                wanted.stands_at.map(|index| disassembly::reference(i64::from(index)));
            shown
        });
        shown.collect()
    }

    /// The id of what the debugger calls this number, and what it is at.
    pub fn hit(&self, index: usize) -> Option<(u64, Sort)> {
        self.set.get(index).copied()
    }

    /// Where a breakpoint that logs stands: file and line from zero.
    pub fn place_of(&self, index: usize) -> Option<(&SourceFile, u32)> {
        let (id, _) = self.hit(index)?;
        let (file, line) =
            self.all().find(|wanted| wanted.id == id)?.told.as_ref()?.as_ref().ok()?.as_ref()?;
        Some((file, *line))
    }

    fn all(&self) -> impl Iterator<Item = &Wanted> {
        let at_lines = self.of_files.values().flatten().chain(&self.of_functions);
        at_lines.chain(&self.of_data).chain(&self.at_instructions)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Wanted> {
        let at_lines = self.of_files.values_mut().flatten().chain(&mut self.of_functions);
        at_lines.chain(&mut self.of_data).chain(&mut self.at_instructions)
    }

    /// Sets all of them in the dispatch in which the run stands. Those of which the client was told something else are returned.
    pub fn set(
        &mut self,
        debuggee: &mut Debuggee,
        data: &Data,
        counting: Counting,
    ) -> Vec<dapts::Breakpoint> {
        let mut armed = Vec::new();
        let mut set = Vec::new();
        let mut stands_at = Vec::new();
        let mut told: Vec<Told> = Vec::new();
        let dispatch = debuggee.dispatch();
        let Some(debugger) = debuggee.debugger() else { return Vec::new() };
        for wanted in self.all() {
            let place = wanted.place(debugger, (data, dispatch));
            stands_at.push(place.as_ref().ok().and_then(|(_, breakpoint)| breakpoint.instruction));
            told.push(place.map(|(path, breakpoint)| {
                set.push((wanted.id, wanted.at.sort()));
                let place = path.map(|path| (path, breakpoint.line));
                armed.push(breakpoint);
                place
            }));
        }
        self.set = set;
        debuggee.set_breakpoints(armed);
        let mut changed = Vec::new();
        for (wanted, (told, stands_at)) in self.all_mut().zip(told.into_iter().zip(stands_at)) {
            wanted.stands_at = stands_at;
            if wanted.told.as_ref() != Some(&told) {
                let known = wanted.told.is_some();
                wanted.told = Some(told);
                if known {
                    changed.push(wanted.shown(counting));
                }
            }
        }
        changed
    }

    /// Those of a file as the client is told of them.
    pub fn of_file(&self, path: &str, counting: Counting) -> Vec<dapts::Breakpoint> {
        let wanted = self.of_files.get(path).map(Vec::as_slice).unwrap_or_default();
        wanted.iter().map(|wanted| wanted.shown(counting)).collect()
    }

    /// Those at functions as the client is told of them.
    pub fn of_functions(&self, counting: Counting) -> Vec<dapts::Breakpoint> {
        self.of_functions.iter().map(|wanted| wanted.shown(counting)).collect()
    }

    /// Those at data as the client is told of them.
    pub fn of_data(&self, counting: Counting) -> Vec<dapts::Breakpoint> {
        self.of_data.iter().map(|wanted| wanted.shown(counting)).collect()
    }

    /// Says of all that nothing is launched yet.
    pub fn postpone(&mut self) {
        for wanted in self.all_mut().filter(|wanted| wanted.told.is_none()) {
            wanted.told = Some(Err("nothing is launched yet".to_owned()));
        }
    }
}

impl At {
    fn sort(&self) -> Sort {
        match self {
            At::Line { .. } => Sort::Line,
            At::Function(_) => Sort::Function,
            At::Data { .. } => Sort::Data,
            At::Instruction { .. } => Sort::Instruction,
        }
    }
}

impl Wanted {
    fn new(
        id: u64,
        at: At,
        (condition, hits, log): (&Option<String>, &Option<String>, &Option<String>),
    ) -> Wanted {
        let text = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let mut breakpoint =
            Breakpoint { condition: text(condition), log: text(log), ..Breakpoint::default() };
        let hits = text(hits).map(|hits| Hits::parse(&hits)).transpose();
        let wrong = match hits {
            Ok(hits) => {
                breakpoint.hits = hits;
                breakpoint.check().err()
            }
            Err(error) => Some(error),
        };
        Wanted { id, at, breakpoint, wrong, told: None, stands_at: None }
    }

    /// The breakpoint in the running dispatch, and the file that it is in, unless it is at data.
    fn place(
        &self,
        debugger: &Debugger,
        (data, dispatch): (&Data, usize),
    ) -> Result<(Option<SourceFile>, Breakpoint), String> {
        if let Some(wrong) = &self.wrong {
            return Err(wrong.clone());
        }
        let lines = debugger.lines();
        let (number, line) = match &self.at {
            At::Line { path, line } => {
                let number = lines.files.iter().position(|file| file == path);
                let number = number.ok_or("no code that runs here comes from this file")? as u32;
                let line = debugger.line_with_code(number, *line);
                (number, line.ok_or("there is no code that runs from this line on")?)
            }
            At::Function(name) => {
                let found = debugger.function_line(name);
                found.ok_or_else(|| format!("no function `{name}` is called by what runs here"))?
            }
            At::Instruction { index } => {
                let found = debugger.instruction_with_code(index.clone()?);
                let instruction = Some(found.ok_or("no instruction from here on is executed")?);
                return Ok((None, Breakpoint { instruction, ..self.breakpoint.clone() }));
            }
            At::Data { id, access } => {
                let watched = data.watched(id, *access, dispatch)?;
                return Ok((None, Breakpoint { data: Some(watched), ..self.breakpoint.clone() }));
            }
        };
        let file = SourceFile::of(lines, number);
        Ok((file, Breakpoint { file: number, line, ..self.breakpoint.clone() }))
    }

    fn shown(&self, counting: Counting) -> dapts::Breakpoint {
        let mut shown = dapts::Breakpoint { id: Some(self.id), ..dapts::Breakpoint::default() };
        match self.told.as_ref() {
            Some(Ok(place)) => {
                shown.verified = true;
                shown.line = place.as_ref().map(|(_, line)| counting.line(*line));
                shown.source = place.as_ref().map(|(file, _)| file.shown(counting));
            }
            Some(Err(problem)) => shown.message = Some(problem.clone()),
            None => {}
        }
        shown
    }
}

/// The lines of a range that have code, from zero.
pub fn lines_with_code(debugger: &Debugger, path: &str, first: u32, last: u32) -> Vec<u32> {
    let Some(number) = debugger.lines().files.iter().position(|file| file == path) else { return Vec::new() };
    let mut found = Vec::new();
    let mut from = first;
    while let Some(line) = debugger.line_with_code(number as u32, from).filter(|line| *line <= last) {
        found.push(line);
        from = line + 1;
    }
    found
}
