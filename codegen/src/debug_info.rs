//! Debug information: `OpLine`, or NonSemantic.Shader.DebugInfo.100 with source texts, functions and local variables.
//!
//! It is added when all functions are there, from the places that the builder has kept: the code before does not differ with and
//! without it.

mod notes;

use std::borrow::Cow;
use std::sync::Arc;

use coopmat_analysis::display::display_type;
use coopmat_analysis::embedded::split;
use coopmat_analysis::hir::Profile;
use coopmat_analysis::text::{FileId, FileRange, TextRange};
use coopmat_analysis::types::{ArrayLength, Scalar, ScalarClass, Ty, TypeKind};
use coopmat_spirv::inst;
use rspirv::dr::{Block, Instruction, Operand};
use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::builder::ExtSet;
use crate::codegen::{Codegen, Emit};
use crate::options::DebugInfo;
use crate::target::SpirvVersion;

pub(crate) use notes::{DebugFunction, DebugLocal, DebugNotes};

/// Instructions of NonSemantic.Shader.DebugInfo.100.
mod number {
    pub const INFO_NONE: u32 = 0;
    pub const COMPILATION_UNIT: u32 = 1;
    pub const TYPE_BASIC: u32 = 2;
    pub const TYPE_ARRAY: u32 = 5;
    pub const TYPE_VECTOR: u32 = 6;
    pub const TYPE_FUNCTION: u32 = 8;
    pub const TYPE_COMPOSITE: u32 = 10;
    pub const FUNCTION: u32 = 20;
    pub const SCOPE: u32 = 23;
    pub const LOCAL_VARIABLE: u32 = 26;
    pub const DECLARE: u32 = 28;
    pub const VALUE: u32 = 29;
    pub const EXPRESSION: u32 = 31;
    pub const SOURCE: u32 = 35;
    pub const FUNCTION_DEFINITION: u32 = 101;
    pub const SOURCE_CONTINUED: u32 = 102;
    pub const LINE: u32 = 103;
    pub const TYPE_MATRIX: u32 = 108;
}

/// A string of an instruction has at most so many bytes: an instruction has 65535 words at most.
const LONGEST_STRING: usize = 65535 * 4 - 64;

/// Ids that are made once.
#[derive(Default)]
struct DebugIds {
    strings: FxHashMap<String, Word>,
    types: FxHashMap<Ty, Word>,
    sources: FxHashMap<FileId, Word>,
    none: Option<Word>,
    unit: Word,
}

/// Lines and columns, from 1.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Position {
    file: FileId,
    line: [u32; 2],
    column: [u32; 2],
}

impl<'a> Codegen<'a> {
    pub fn add_debug_info(&mut self) -> Emit<()> {
        match self.options.debug {
            DebugInfo::None => Ok(()),
            DebugInfo::Lines => {
                self.add_lines();
                Ok(())
            }
            DebugInfo::Full => self.add_full(),
        }
    }

    fn position(&self, range: TextRange) -> Option<Position> {
        if range.is_empty() {
            return None;
        }
        let FileRange { file, range } = self.analysis.file_range(range);
        let source = &self.analysis.files()[file];
        let index = source.line_index();
        let (start, end) = (index.try_line_col(range.start())?, index.try_line_col(range.end())?);
        Some(Position { file, line: [start.line + 1, end.line + 1], column: [start.col + 1, end.col + 1] })
    }

    fn debug_string(&mut self, ids: &mut DebugIds, text: &str) -> Word {
        if let Some(&id) = ids.strings.get(text) {
            return id;
        }
        let id = self.b.string(text);
        ids.strings.insert(text.to_owned(), id);
        id
    }

    /// Walks the bodies of all functions. `start` says what stands at the start of a block (with the function's number, and whether it is
    /// the function's first block), `line` what stands before an instruction of another place, `after` what follows an instruction.
    fn rewrite_blocks(
        &mut self,
        mut start: impl FnMut(&mut Self, usize, bool, &mut Vec<Instruction>),
        mut line: impl FnMut(&mut Self, Option<Position>) -> Option<Instruction>,
        mut after: impl FnMut(&mut Self, &Instruction) -> Option<Instruction>,
    ) {
        let mut functions = std::mem::take(&mut self.b.module.functions);
        let places = std::mem::take(&mut self.b.function_places);
        let mut places = places.into_iter();
        let mut next = move || places.next().unwrap_or_default();
        let mut out = Vec::new();
        let mut known: (TextRange, Option<Position>) = Default::default();
        for (index, function) in functions.iter_mut().enumerate() {
            out.push(next());
            out.extend(function.parameters.iter().map(|_| next()));
            for (block_index, block) in function.blocks.iter_mut().enumerate() {
                out.push(next());
                let old = std::mem::take(&mut block.instructions);
                let mut new: Vec<Instruction> = Vec::with_capacity(old.len() * 2);
                let mut waiting: Vec<Instruction> = Vec::new();
                let mut started = false;
                let mut current = None;
                let mut merged = false;
                for instruction in old {
                    let place = next();
                    let first = matches!(instruction.class.opcode, Op::Variable | Op::Phi);
                    if !first && !merged {
                        let count = new.len();
                        if !started {
                            start(self, index, block_index == 0, &mut new);
                        }
                        started = true;
                        new.append(&mut waiting);
                        if known.0 != place {
                            known = (place, self.position(place));
                        }
                        if known.1.is_some() && known.1 != current {
                            current = known.1;
                            new.extend(line(self, current));
                        }
                        out.extend((count..new.len()).map(|_| place));
                    }
                    merged = matches!(instruction.class.opcode, Op::SelectionMerge | Op::LoopMerge);
                    waiting.extend(after(self, &instruction));
                    new.push(instruction);
                    out.push(place);
                }
                *block = Block { label: block.label.take(), instructions: new };
            }
            out.push(next());
        }
        self.b.module.functions = functions;
        self.b.function_places = out;
    }

    fn add_lines(&mut self) {
        let mut ids = DebugIds::default();
        self.rewrite_blocks(
            |_, _, _, _| {},
            |codegen, position| {
                let position = position?;
                let path = codegen.file_name(position.file);
                let file = codegen.debug_string(&mut ids, &path);
                Some(inst(
                    Op::Line,
                    None,
                    None,
                    vec![
                        Operand::IdRef(file),
                        Operand::LiteralBit32(position.line[0]),
                        Operand::LiteralBit32(position.column[0]),
                    ],
                ))
            },
            |_, _| None,
        );
    }

    /// What a debugger opens: a shader in a string has the lines of the file around it.
    fn file_name(&self, file: FileId) -> String {
        let path = &*self.analysis.files()[file].path;
        split(path).map_or(path, |(file, _)| file).to_owned()
    }

    /// An instruction of the set at top level.
    fn debug_global(&mut self, number: u32, operands: &[Word]) -> Word {
        let instruction = self.debug_instruction(number, operands);
        let id = instruction.result_id.unwrap_or_default();
        self.b.push_global(instruction);
        id
    }

    fn debug_instruction(&mut self, number: u32, operands: &[Word]) -> Instruction {
        let set = self.b.ext_set(ExtSet::DebugInfo);
        let void = self.void_type();
        let operands = [Operand::IdRef(set), Operand::LiteralExtInstInteger(number)]
            .into_iter()
            .chain(operands.iter().map(|&id| Operand::IdRef(id)))
            .collect();
        let id = self.b.id();
        inst(Op::ExtInst, Some(void), Some(id), operands)
    }

    fn debug_none(&mut self, ids: &mut DebugIds) -> Word {
        match ids.none {
            Some(none) => none,
            None => {
                let none = self.debug_global(number::INFO_NONE, &[]);
                ids.none = Some(none);
                none
            }
        }
    }

    fn debug_source(&mut self, ids: &mut DebugIds, file: FileId) -> Word {
        if let Some(&id) = ids.sources.get(&file) {
            return id;
        }
        // Our lines end at line feeds. A carriage return alone would end one for those who read the text by the places.
        let text = Arc::clone(&self.analysis.files()[file].text);
        let text = without_lone_returns(&text);
        let path = self.file_name(file);
        let path = self.debug_string(ids, &path);
        let mut parts = Vec::new();
        let mut rest: &str = &text;
        while rest.len() > LONGEST_STRING {
            let mut cut = LONGEST_STRING;
            while !rest.is_char_boundary(cut) {
                cut -= 1;
            }
            let (first, other) = rest.split_at(cut);
            parts.push(self.b.string(first));
            rest = other;
        }
        parts.push(self.b.string(rest));
        let id = self.debug_global(number::SOURCE, &[path, parts[0]]);
        for &part in &parts[1..] {
            self.debug_global(number::SOURCE_CONTINUED, &[part]);
        }
        ids.sources.insert(file, id);
        id
    }

    fn debug_type(&mut self, ids: &mut DebugIds, ty: Ty, depth: u32) -> Word {
        if ty == Ty::VOID {
            return self.void_type();
        }
        if let Some(&id) = ids.types.get(&ty) {
            return id;
        }
        let id = match *self.types.kind(ty) {
            TypeKind::Scalar(scalar) => self.debug_basic(ids, scalar),
            TypeKind::Vector(scalar, length) => {
                let base = self.debug_basic(ids, scalar);
                let count = self.uint_constant(u32::from(length));
                self.debug_global(number::TYPE_VECTOR, &[base, count])
            }
            TypeKind::Matrix { component, columns, rows } => {
                let base = self.debug_basic(ids, component);
                let rows = self.uint_constant(u32::from(rows));
                let column = self.debug_global(number::TYPE_VECTOR, &[base, rows]);
                let columns = self.uint_constant(u32::from(columns));
                let major = self.bool_constant(true);
                self.debug_global(number::TYPE_MATRIX, &[column, columns, major])
            }
            TypeKind::Array(element, ArrayLength::Sized(length))
                if depth < 16 && self.types.symbols.as_int(length).is_some() =>
            {
                let base = self.debug_type(ids, element, depth + 1);
                let count = self.types.symbols.as_int(length).unwrap_or(1);
                let count = self.uint_constant(count as u32);
                self.debug_global(number::TYPE_ARRAY, &[base, count])
            }
            _ => {
                // All else by its name alone: a debugger cannot look into a matrix of the device's own making.
                let name = display_type(self.types, &self.hir.structs, ty);
                let name = self.debug_string(ids, &name);
                let source = self.debug_source(ids, FileId::ROOT);
                let none = self.debug_none(ids);
                let (zero, one) = (self.uint_constant(0), self.uint_constant(1));
                let unit = ids.unit;
                self.debug_global(
                    number::TYPE_COMPOSITE,
                    &[name, one, source, one, one, unit, name, none, zero],
                )
            }
        };
        ids.types.insert(ty, id);
        id
    }

    fn debug_basic(&mut self, ids: &mut DebugIds, scalar: Scalar) -> Word {
        let name = self.debug_string(ids, scalar.name());
        let size = self.uint_constant(scalar.bits());
        // Boolean, float, signed, unsigned.
        let encoding = self.uint_constant(match scalar.class() {
            ScalarClass::Bool => 2,
            ScalarClass::Float | ScalarClass::SmallFloat => 3,
            ScalarClass::Signed => 4,
            ScalarClass::Unsigned => 6,
        });
        let flags = self.uint_constant(0);
        self.debug_global(number::TYPE_BASIC, &[name, size, encoding, flags])
    }

    fn add_full(&mut self) -> Emit<()> {
        self.b.at = TextRange::default();
        if !self.target.at_least(SpirvVersion::V1_6) {
            self.b.extension("SPV_KHR_non_semantic_info");
        }
        let mut ids = DebugIds::default();
        let root = self.debug_source(&mut ids, FileId::ROOT);
        let (version, dwarf) = (self.uint_constant(100), self.uint_constant(4));
        let language = self.uint_constant(match self.hir.profile {
            Profile::Es => 1,
            Profile::Core | Profile::Compatibility => 2,
        });
        ids.unit = self.debug_global(number::COMPILATION_UNIT, &[version, dwarf, root, language]);
        let expression = self.debug_global(number::EXPRESSION, &[]);
        let notes = std::mem::take(&mut self.debug.functions);
        // By function: its scope, and what stands at its start; by value: what is told after it.
        let mut starts: Vec<Vec<(u32, SmallVec<[Word; 3]>)>> = Vec::new();
        let mut values: FxHashMap<Word, (Word, Word)> = FxHashMap::default();
        for function in &notes {
            let mut start = Vec::new();
            let Some(position) = self.position(function.place) else {
                starts.push(start);
                continue;
            };
            let flags = self.uint_constant(3);
            let mut parts: SmallVec<[Word; 8]> = SmallVec::from_slice(&[flags]);
            parts.push(self.debug_type(&mut ids, function.return_type, 0));
            for &parameter in &function.parameters {
                parts.push(self.debug_type(&mut ids, parameter, 0));
            }
            let ty = self.debug_global(number::TYPE_FUNCTION, &parts);
            let source = self.debug_source(&mut ids, position.file);
            let name = self.debug_string(&mut ids, &function.name);
            let (line, column) =
                (self.uint_constant(position.line[0]), self.uint_constant(position.column[0]));
            let unit = ids.unit;
            let scope = self
                .debug_global(number::FUNCTION, &[name, ty, source, line, column, unit, name, flags, line]);
            start.push((number::SCOPE, SmallVec::from_slice(&[scope])));
            start.push((number::FUNCTION_DEFINITION, SmallVec::from_slice(&[scope, function.id])));
            for local in &function.locals {
                let Some(position) = self.position(local.place) else { continue };
                let name = self.debug_string(&mut ids, &local.name);
                let ty = self.debug_type(&mut ids, local.ty, 0);
                let source = self.debug_source(&mut ids, position.file);
                let (line, column) =
                    (self.uint_constant(position.line[0]), self.uint_constant(position.column[0]));
                // FlagIsLocal.
                let flags = self.uint_constant(4);
                let mut operands: SmallVec<[Word; 8]> =
                    SmallVec::from_slice(&[name, ty, source, line, column, scope, flags]);
                if let Some(argument) = local.argument {
                    operands.push(self.uint_constant(argument));
                }
                let variable = self.debug_global(number::LOCAL_VARIABLE, &operands);
                match (local.is_value, local.argument) {
                    (false, _) => {
                        start.push((number::DECLARE, SmallVec::from_slice(&[variable, local.id, expression])))
                    }
                    (true, Some(_)) => {
                        start.push((number::VALUE, SmallVec::from_slice(&[variable, local.id, expression])));
                    }
                    (true, None) => {
                        values.insert(local.id, (variable, expression));
                    }
                }
            }
            starts.push(start);
        }
        self.rewrite_blocks(
            |codegen, index, first, out| {
                for (kind, operands) in starts.get(index).into_iter().flatten() {
                    // A scope holds to the end of its block.
                    if !first && *kind != number::SCOPE {
                        continue;
                    }
                    out.push(codegen.debug_instruction(*kind, operands));
                }
            },
            |codegen, position| {
                let position = position?;
                let source = codegen.debug_source(&mut ids, position.file);
                let operands = [
                    source,
                    codegen.uint_constant(position.line[0]),
                    codegen.uint_constant(position.line[1]),
                    codegen.uint_constant(position.column[0]),
                    codegen.uint_constant(position.column[1]),
                ];
                Some(codegen.debug_instruction(number::LINE, &operands))
            },
            |codegen, instruction| {
                let id = instruction.result_id?;
                let &(variable, expression) = values.get(&id)?;
                Some(codegen.debug_instruction(number::VALUE, &[variable, id, expression]))
            },
        );
        Ok(())
    }
}

/// With a blank in place of each carriage return that no line feed follows: the places stay.
fn without_lone_returns(text: &str) -> Cow<'_, str> {
    let is_lone = |&(at, _): &(usize, &str)| text.as_bytes().get(at + 1) != Some(&b'\n');
    if !text.match_indices('\r').any(|found| is_lone(&found)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = 0;
    for (at, _) in text.match_indices('\r').filter(is_lone) {
        out.push_str(&text[rest..at]);
        out.push(' ');
        rest = at + 1;
    }
    out.push_str(&text[rest..]);
    Cow::Owned(out)
}
