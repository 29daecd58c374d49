//! What a module says of the source that it was made from: lines, texts of files, names of variables and functions.
//!
//! Three ways of saying it are read, and may be mixed: `OpLine` with `OpSource`, NonSemantic.Shader.DebugInfo (any version), and
//! OpenCL.DebugInfo.100, whose lines are `OpLine`s.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::extended;
use crate::read::ends_block;

/// A file of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// As the module calls it.
    pub name: String,
    /// Its text, if the module holds it.
    pub text: Option<String>,
}

/// A piece of the source. Everything counts from 1; a column that the module does not know is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The index in [`DebugInfo::files`].
    pub file: u32,
    /// The first line.
    pub line: u32,
    /// Where it begins in the first line.
    pub column: u32,
    /// The last line.
    pub end_line: u32,
    /// Where it ends in the last line.
    pub end_column: u32,
}

/// What a module says of its source.
#[derive(Clone, Debug, Default)]
pub struct DebugInfo {
    /// Every file that is named.
    pub files: Vec<File>,
    /// For each instruction of the module, in order, where it comes from.
    pub places: Vec<Option<Place>>,
    /// For variables that are declared inside a block of the source: the index of the instruction (`OpVariable`, `DebugValue`), the first and the last line in which
    /// the variable can be seen.
    pub scopes: Vec<(u32, u32, u32)>,
    /// Calls that were inlined.
    pub calls: Vec<Inlined>,
    /// For each instruction of the module that was inlined: the index of its call in `calls`.
    pub inlined: FxHashMap<u32, u32>,
}

/// A call in the source whose function's text stands where it was called (`DebugInlinedAt`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inlined {
    /// The name of the function that was called; empty if the module does not say.
    pub function: String,
    /// Where it was called; without a column, which the module does not know.
    pub place: Option<Place>,
    /// The index of the inlined call in whose text this one is.
    pub outer: Option<u32>,
}

/// A value that is a variable of the source from an instruction on (`DebugValue`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedValue {
    /// The index of the `DebugValue` in the module.
    pub instruction: u32,
    /// The id of the `DebugLocalVariable`, and the index in [`DebugInfo::calls`] of the inlined call whose variable it is.
    pub variable: (u32, Option<u32>),
    /// The variable's name.
    pub name: String,
    /// The value.
    pub id: u32,
}

impl DebugInfo {
    /// What a module says.
    pub fn of(module: &Module) -> DebugInfo {
        let known = Known::of(module);
        let (places, ranges) = known.places(module);
        let (calls, inlined) = known.calls(module);
        let mut found = DebugInfo { files: known.files.clone(), places, scopes: Vec::new(), calls, inlined };
        let declared =
            known.described.iter().chain(&known.declared).map(|(id, debug)| (*id, *debug)).collect();
        let described = |one: &Instruction| match known.debugging(one)? {
            ("DebugValue", [Operand::IdRef(debug), ..]) => Some(*debug),
            _ => None,
        };
        found.declare(module, &declared, &known.variables, &ranges, &described);
        found
    }

    /// The text of a line, if the module holds the file.
    pub fn line(&self, file: u32, line: u32) -> Option<&str> {
        let text = self.files.get(file as usize)?.text.as_deref()?;
        text.lines().nth(line.checked_sub(1)? as usize)
    }

    /// Gives variables and functions the places of their declarations.
    fn declare(
        &mut self,
        module: &Module,
        declared: &FxHashMap<u32, u32>,
        variables: &FxHashMap<u32, Declared>,
        ranges: &Ranges,
        described: &dyn Fn(&Instruction) -> Option<u32>,
    ) {
        for (index, instruction) in module.all_inst_iter().enumerate() {
            let op = instruction.class.opcode;
            if let Some(debug) = described(instruction)
                && let Some(&Declared { place: Some(place), scope: Some(scope) }) = variables.get(&debug)
                && let Some(&(_, last)) = ranges.get(&scope)
            {
                self.scopes.push((index as u32, place.line, last.max(place.line)));
            }
            if !matches!(op, Op::Variable | Op::UntypedVariableKHR | Op::FunctionParameter | Op::Function) {
                continue;
            }
            let debug = instruction.result_id.and_then(|id| declared.get(&id));
            let Some(&Declared { place, scope }) = debug.and_then(|id| variables.get(id)) else { continue };
            if let Some(slot) = self.places.get_mut(index) {
                *slot = place;
            }
            if let (Op::Variable, Some(place), Some(&(_, last))) =
                (op, place, scope.and_then(|scope| ranges.get(&scope)))
            {
                self.scopes.push((index as u32, place.line, last.max(place.line)));
            }
        }
    }
}

/// The names of variables, values and functions in the source, by id. `OpName` is not among them.
pub fn names(module: &Module) -> FxHashMap<u32, String> {
    let known = Known::of(module);
    let name = |(id, debug): (&u32, &u32)| {
        let name = known.names.get(debug).filter(|name| !name.is_empty())?;
        Some((*id, (*name).to_owned()))
    };
    known.declared.iter().filter_map(name).collect()
}

/// The variables of the source that are values: what each `DebugValue` says. A variable is left out if one of them describes a part of it, or calculates: then the others
/// do not say what it is.
pub fn values(module: &Module) -> Vec<NamedValue> {
    let known = Known::of(module);
    if known.sets.is_empty() {
        return Vec::new();
    }
    let (_, inlined) = known.calls(module);
    let mut in_parts = FxHashSet::default();
    let mut values = Vec::new();
    for (instruction, one) in module.all_inst_iter().enumerate() {
        let Some(("DebugValue", [Operand::IdRef(debug), Operand::IdRef(id), rest @ ..])) =
            known.debugging(one)
        else {
            continue;
        };
        if !known.is_whole(rest) {
            in_parts.insert(*debug);
        }
        let Some(name) = known.names.get(debug).filter(|name| !name.is_empty()) else { continue };
        let instruction = instruction as u32;
        let variable = (*debug, inlined.get(&instruction).copied());
        values.push(NamedValue { instruction, variable, name: (*name).to_owned(), id: *id });
    }
    values.retain(|value| !in_parts.contains(&value.variable.0));
    values
}

/// A variable or a function of the source.
#[derive(Clone, Copy)]
struct Declared {
    place: Option<Place>,
    /// The block that it is declared in.
    scope: Option<u32>,
}

#[derive(Default)]
struct Known<'a> {
    files: Vec<File>,
    numbers: FxHashMap<&'a str, u32>,
    strings: FxHashMap<u32, &'a str>,
    constants: FxHashMap<u32, u32>,
    sets: FxHashMap<u32, &'a str>,
    /// Sources by id.
    sources: FxHashMap<u32, u32>,
    /// Names of variables and functions of the source, by the id of the debugging instruction.
    names: FxHashMap<u32, &'a str>,
    variables: FxHashMap<u32, Declared>,
    /// The debugging instruction of a variable, value or function of the module.
    declared: FxHashMap<u32, u32>,
    /// The variable of the source that a value is first.
    described: FxHashMap<u32, u32>,
    /// The block around a block.
    parents: FxHashMap<u32, u32>,
    /// The file of each block and function.
    blocks: FxHashMap<u32, u32>,
    /// Calls that were inlined: line, block, and the inlined call around.
    sites: FxHashMap<u32, (u32, u32, Option<u32>)>,
    /// `DebugExpression`s that do not calculate: those of nothing, and of what a pointer points to.
    expressions: FxHashMap<u32, bool>,
}

/// The first and the last line of each block of the source.
type Ranges = FxHashMap<u32, (u32, u32)>;

/// Blocks inside each other; a module may claim more.
const DEEPEST: usize = 256;

impl<'a> Known<'a> {
    fn of(module: &'a Module) -> Known<'a> {
        let mut known = Known::default();
        for instruction in module.global_inst_iter() {
            let Some(id) = instruction.result_id else { continue };
            match (instruction.class.opcode, instruction.operands.as_slice()) {
                (Op::String, [Operand::LiteralString(text)]) => {
                    known.strings.insert(id, text);
                }
                (Op::Constant, [Operand::LiteralBit32(value)]) => {
                    known.constants.insert(id, *value);
                }
                (Op::ExtInstImport, [Operand::LiteralString(set)]) if extended::is_debugging(set) => {
                    known.sets.insert(id, set);
                }
                _ => {}
            }
        }
        known.read_sources(module);
        for instruction in module.all_inst_iter().filter(|instruction| instruction.class.opcode == Op::Line) {
            if let Some(Operand::IdRef(file)) = instruction.operands.first() {
                let name = known.strings.get(file).copied().unwrap_or_default();
                known.file(name);
            }
        }
        if !known.sets.is_empty() {
            let mut last = None;
            for instruction in module.all_inst_iter() {
                known.see(instruction, &mut last);
            }
        }
        known
    }

    /// The texts of `OpSource`.
    fn read_sources(&mut self, module: &'a Module) {
        let mut last = None;
        for instruction in &module.debug_string_source {
            match (instruction.class.opcode, instruction.operands.as_slice()) {
                (Op::Source, [_, _, Operand::IdRef(file), rest @ ..]) => {
                    let name = self.strings.get(file).copied().unwrap_or_default();
                    last = Some(self.file(name));
                    if let [Operand::LiteralString(text), ..] = rest {
                        self.add_text(last, text);
                    }
                }
                (Op::Source, _) => last = None,
                (Op::SourceContinued, [Operand::LiteralString(text)]) => self.add_text(last, text),
                _ => {}
            }
        }
        for text in self.files.iter_mut().filter_map(|file| file.text.as_mut()) {
            // glslang puts its options before the text where modules have no instruction for them, and has lines count behind them.
            if let Some((before, rest)) = text.split_once("#line 1\n")
                && before.lines().all(|line| line.starts_with("// OpModuleProcessed "))
            {
                *text = rest.to_owned();
            }
        }
    }

    fn file(&mut self, name: &'a str) -> u32 {
        *self.numbers.entry(name).or_insert_with(|| {
            self.files.push(File { name: name.to_owned(), text: None });
            self.files.len() as u32 - 1
        })
    }

    fn add_text(&mut self, file: Option<u32>, text: &str) {
        if let Some(file) = file.and_then(|file| self.files.get_mut(file as usize)) {
            file.text.get_or_insert_default().push_str(text);
        }
    }

    /// The name of a debugging instruction, and what follows it.
    fn debugging<'i>(&self, instruction: &'i Instruction) -> Option<(&'static str, &'i [Operand])> {
        match (instruction.class.opcode, instruction.operands.as_slice()) {
            (Op::ExtInst, [Operand::IdRef(set), Operand::LiteralExtInstInteger(number), rest @ ..]) => {
                Some((extended::name(self.sets.get(set)?, *number)?, rest))
            }
            _ => None,
        }
    }

    /// A number, which is a constant's id or a literal, as the set has it.
    fn number(&self, operand: Option<&Operand>) -> Option<u32> {
        match operand? {
            Operand::IdRef(id) => self.constants.get(id).copied(),
            Operand::LiteralBit32(number) => Some(*number),
            _ => None,
        }
    }

    fn see(&mut self, instruction: &'a Instruction, last: &mut Option<u32>) {
        let Some((name, operands)) = self.debugging(instruction) else { return };
        let id = |at: usize| match operands.get(at) {
            Some(Operand::IdRef(id)) => Some(*id),
            _ => None,
        };
        let text = |at: usize| id(at).and_then(|id| self.strings.get(&id)).copied();
        let Some(result) = instruction.result_id else { return };
        match name {
            "DebugSource" => {
                let (file, text) = (text(0).unwrap_or_default(), text(1));
                let number = self.file(file);
                self.sources.insert(result, number);
                // The text is that of the first source with this name.
                let is_new = self.files.get(number as usize).is_some_and(|file| file.text.is_none());
                *last = is_new.then_some(number);
                if let Some(text) = text {
                    self.add_text(*last, text);
                }
            }
            "DebugSourceContinued" => {
                if let Some(text) = text(0) {
                    self.add_text(*last, text);
                }
            }
            "DebugLexicalBlock" => {
                self.parents.extend(id(3).map(|parent| (result, parent)));
                self.blocks.extend(id(0).and_then(|source| Some((result, *self.sources.get(&source)?))));
            }
            "DebugInlinedAt" => {
                if let Some((line, scope)) = self.number(operands.first()).zip(id(1)) {
                    self.sites.insert(result, (line, scope, id(2)));
                }
            }
            // SPIR-V's operation 0 follows a pointer.
            "DebugOperation" if self.number(operands.first()) == Some(0) => {
                self.expressions.insert(result, true);
            }
            "DebugExpression" => match operands {
                [] => drop(self.expressions.insert(result, false)),
                [Operand::IdRef(only)] if self.expressions.get(only) == Some(&true) => {
                    self.expressions.insert(result, true);
                }
                _ => {}
            },
            "DebugFunction" => {
                self.blocks.extend(id(2).and_then(|source| Some((result, *self.sources.get(&source)?))));
                self.names.extend(text(0).map(|name| (result, name)));
                self.variables.insert(result, Declared { place: self.declared_at(operands), scope: None });
                // OpenCL's set names the function here.
                let is_opencl = self.number(operands.get(8)).is_some() && id(3).is_none();
                self.declared.extend(id(9).filter(|_| is_opencl).map(|function| (function, result)));
            }
            "DebugFunctionDefinition" => {
                self.declared.extend(id(0).zip(id(1)).map(|(debug, function)| (function, debug)));
            }
            "DebugLocalVariable" | "DebugGlobalVariable" => {
                self.names.extend(text(0).map(|name| (result, name)));
                let scope = id(5).filter(|_| name == "DebugLocalVariable");
                self.variables.insert(result, Declared { place: self.declared_at(operands), scope });
                if name == "DebugGlobalVariable" {
                    self.declared.extend(id(7).map(|variable| (variable, result)));
                }
            }
            "DebugDeclare" | "DebugValue" => {
                let is_part =
                    operands.len() > 3 || id(2).is_some_and(|id| !self.expressions.contains_key(&id));
                if let Some((debug, variable)) = id(0).zip(id(1)).filter(|_| !is_part) {
                    // A value may be many variables, one after the other.
                    let is_value =
                        name == "DebugValue" && self.is_whole(operands.get(2..).unwrap_or_default());
                    let known = if is_value { &mut self.described } else { &mut self.declared };
                    known.entry(variable).or_insert(debug);
                }
            }
            _ => {}
        }
    }

    /// Whether what follows a `DebugValue`'s value says that it is the variable itself.
    fn is_whole(&self, rest: &[Operand]) -> bool {
        match rest {
            [] => true,
            [Operand::IdRef(expression)] => self.expressions.get(expression) == Some(&false),
            _ => false,
        }
    }

    /// The calls that were inlined, and the instructions that are their text.
    fn calls(&self, module: &'a Module) -> (Vec<Inlined>, FxHashMap<u32, u32>) {
        let (mut calls, mut inlined) = (Vec::new(), FxHashMap::default());
        if self.sites.is_empty() {
            return (calls, inlined);
        }
        let (mut numbers, mut variables) = (FxHashMap::default(), FxHashMap::<u32, u32>::default());
        let mut here = None;
        // The scope has ended, and its last line goes on: what has that line is no text of the function around.
        let mut has_ended = false;
        for (instruction, one) in module.all_inst_iter().enumerate() {
            match self.debugging(one) {
                Some(("DebugScope", [Operand::IdRef(scope), rest @ ..])) => {
                    has_ended = false;
                    here = match rest {
                        [Operand::IdRef(site), ..] => self.call(*scope, *site, &mut numbers, &mut calls, 0),
                        _ => None,
                    };
                }
                Some(("DebugNoScope", _)) => has_ended = true,
                Some(("DebugLine" | "DebugNoLine", _)) if has_ended => here = None,
                Some(("DebugDeclare", [_, Operand::IdRef(variable), ..])) => {
                    variables.extend(here.map(|call| (*variable, call)));
                }
                _ => {}
            }
            if has_ended && matches!(one.class.opcode, Op::Line | Op::NoLine) {
                here = None;
            }
            inlined.extend(here.map(|call| (instruction as u32, call)));
            if ends_block(one) || one.class.opcode == Op::FunctionEnd {
                (here, has_ended) = (None, false);
            }
        }
        // Variables are declared where the function begins; what they are says where they belong.
        for (instruction, one) in module.all_inst_iter().enumerate() {
            let call = one.result_id.and_then(|id| variables.get(&id));
            inlined.extend(call.map(|call| (instruction as u32, *call)));
        }
        (calls, inlined)
    }

    /// The number of the call by which a block of the source was inlined.
    fn call(
        &self,
        scope: u32,
        site: u32,
        numbers: &mut FxHashMap<(u32, u32), u32>,
        calls: &mut Vec<Inlined>,
        depth: usize,
    ) -> Option<u32> {
        let function = self.function_of(scope);
        let key = (function.unwrap_or_default(), site);
        if let Some(number) = numbers.get(&key) {
            return Some(*number);
        }
        let &(line, around, next) = self.sites.get(&site).filter(|_| depth < DEEPEST)?;
        let outer = next.and_then(|next| self.call(around, next, numbers, calls, depth + 1));
        let place = |file: &u32| Place { file: *file, line, column: 0, end_line: line, end_column: 0 };
        let name = function.and_then(|function| self.names.get(&function).copied());
        calls.push(Inlined {
            function: name.unwrap_or_default().to_owned(),
            place: self.blocks.get(&around).map(place),
            outer,
        });
        let number = calls.len() as u32 - 1;
        numbers.insert(key, number);
        Some(number)
    }

    /// The function of the source that a block is in.
    fn function_of(&self, scope: u32) -> Option<u32> {
        let mut around = std::iter::successors(Some(scope), |inner| self.parents.get(inner).copied());
        around.by_ref().take(DEEPEST).find(|scope| self.variables.contains_key(scope))
    }

    /// The place of a declaration: its source, line and column are the third to the fifth operand.
    fn declared_at(&self, operands: &[Operand]) -> Option<Place> {
        let Some(Operand::IdRef(source)) = operands.get(2) else { return None };
        let file = *self.sources.get(source)?;
        let (line, column) = (self.number(operands.get(3))?, self.number(operands.get(4))?);
        Some(Place { file, line, column, end_line: line, end_column: column })
    }

    /// The place of each instruction, and the lines that each block of the source has instructions for.
    fn places(&self, module: &'a Module) -> (Vec<Option<Place>>, Ranges) {
        let mut places = Vec::new();
        let mut ranges = Ranges::default();
        let (mut here, mut scope) = (None, None);
        for instruction in module.all_inst_iter() {
            match (instruction.class.opcode, instruction.operands.as_slice()) {
                (
                    Op::Line,
                    [Operand::IdRef(file), Operand::LiteralBit32(line), Operand::LiteralBit32(column)],
                ) => {
                    let name = self.strings.get(file).copied().unwrap_or_default();
                    let file = self.numbers.get(name).copied().unwrap_or_default();
                    let (line, column) = (*line, *column);
                    here = Some(Place { file, line, column, end_line: line, end_column: column });
                }
                (Op::NoLine, _) => here = None,
                _ => match self.debugging(instruction) {
                    Some(("DebugLine", operands)) => here = self.line(operands),
                    Some(("DebugNoLine", _)) => here = None,
                    Some(("DebugScope", [Operand::IdRef(id), ..])) => scope = Some(*id),
                    Some(("DebugNoScope", _)) => scope = None,
                    _ => {}
                },
            }
            places.push(here);
            if let (Some(place), Some(scope)) = (here, scope) {
                self.widen(&mut ranges, scope, place.line);
            }
            if ends_block(instruction) || instruction.class.opcode == Op::FunctionEnd {
                (here, scope) = (None, None);
            }
        }
        (places, ranges)
    }

    /// Says that a block of the source, and those around it, have a line.
    fn widen(&self, ranges: &mut Ranges, scope: u32, line: u32) {
        let around = std::iter::successors(Some(scope), |inner| self.parents.get(inner).copied());
        for block in around.take(DEEPEST) {
            let range = ranges.entry(block).or_insert((line, line));
            if (range.0..=range.1).contains(&line) && *range != (line, line) {
                // Those around it have the line, too.
                return;
            }
            *range = (range.0.min(line), range.1.max(line));
        }
    }

    fn line(&self, operands: &[Operand]) -> Option<Place> {
        let Some(Operand::IdRef(source)) = operands.first() else { return None };
        let file = *self.sources.get(source)?;
        let number = |at: usize| self.number(operands.get(at));
        let (line, end_line) = (number(1)?, number(2)?);
        let (column, end_column) = (number(3).unwrap_or(0), number(4).unwrap_or(0));
        Some(Place { file, line, column, end_line: end_line.max(line), end_column })
    }
}
