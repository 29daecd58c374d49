//! Writes one instruction per line.

use std::fmt::Write;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::grammar::OperandKind;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

use super::generators::generator;
use super::names::float;
use super::number::{Number, reads_back, write_number};
use super::{Class, Line, Names, Options, Span, Text};
use crate::extended;
use crate::grammar;
use crate::instruction::{is_raw, opcode_number};
use crate::operand::{each_operand, write_mask, write_value};
use crate::write::instruction_words;

/// Where `spirv-dis` starts opcodes.
const INDENT: usize = 15;

pub(super) struct Printer<'a> {
    module: &'a Module,
    names: &'a Names,
    options: &'a Options<'a>,
    /// How numbers of a type are written, and the type of each value, for literals whose form depends on it.
    numbers: FxHashMap<u32, Number>,
    types: FxHashMap<u32, u32>,
    sets: FxHashMap<u32, &'a str>,
    out: Text,
    line_start: usize,
    /// Reused by instructions that are written as words.
    words: Vec<u32>,
}

impl<'a> Printer<'a> {
    pub fn new(module: &'a Module, names: &'a Names, options: &'a Options<'a>) -> Self {
        let mut printer = Printer {
            module,
            names,
            options,
            numbers: FxHashMap::default(),
            types: FxHashMap::default(),
            sets: FxHashMap::default(),
            out: Text::default(),
            line_start: 0,
            words: Vec::new(),
        };
        printer.learn();
        printer
    }

    /// Collects what literals elsewhere depend on.
    fn learn(&mut self) {
        let mut selectors: Vec<u32> = Vec::new();
        for instruction in self.module.all_inst_iter() {
            match (instruction.class.opcode, instruction.operands.as_slice()) {
                (Op::Switch, [Operand::IdRef(selector), ..]) => selectors.push(*selector),
                (Op::ExtInstImport, [Operand::LiteralString(set)]) => {
                    self.sets.extend(instruction.result_id.map(|id| (id, set.as_str())));
                }
                (Op::TypeInt, [Operand::LiteralBit32(bits), Operand::LiteralBit32(signed)]) => {
                    let number = if *signed == 0 { Number::Unsigned(*bits) } else { Number::Signed(*bits) };
                    self.numbers.extend(instruction.result_id.map(|id| (id, number)));
                }
                (Op::TypeFloat, [Operand::LiteralBit32(bits), encoding @ ..]) => {
                    self.numbers.extend(instruction.result_id.map(|id| (id, float(*bits, encoding).1)));
                }
                _ => {}
            }
        }
        if selectors.is_empty() {
            return;
        }
        selectors.sort_unstable();
        for instruction in self.module.all_inst_iter() {
            if let (Some(id), Some(result_type)) = (instruction.result_id, instruction.result_type)
                && selectors.binary_search(&id).is_ok()
            {
                self.types.insert(id, result_type);
            }
        }
    }

    pub fn module(mut self) -> Text {
        if self.options.header {
            self.header();
        }
        let module = self.module;
        match self.options.only {
            None => {
                for (index, instruction) in module.all_inst_iter().enumerate() {
                    self.instruction(index, instruction);
                }
            }
            Some(ranges) => {
                for (index, instruction) in module.all_inst_iter().enumerate() {
                    if ranges.iter().any(|range| range.contains(&index)) {
                        self.instruction(index, instruction);
                    }
                }
            }
        }
        self.out
    }

    fn header(&mut self) {
        let Some(header) = &self.module.header else { return };
        self.comment("; SPIR-V");
        let (major, minor) = (header.version >> 16 & 0xFF, header.version >> 8 & 0xFF);
        self.comment(&format!("; Version: {major}.{minor}"));
        let (tool, version) = (header.generator >> 16, header.generator & 0xFFFF);
        match generator(tool) {
            Some(name) => self.comment(&format!("; Generator: {name}; {version}")),
            None => self.comment(&format!("; Generator: Unknown({tool}); {version}")),
        }
        self.comment(&format!("; Bound: {}", header.bound));
        self.comment(&format!("; Schema: {}", header.reserved_word));
    }

    fn comment(&mut self, text: &str) {
        let start = self.out.text.len();
        self.out.text.push_str(text);
        self.span(start, Class::Comment, 0);
        self.end_line(None);
    }

    fn end_line(&mut self, instruction: Option<u32>) {
        if let Some(instruction) = instruction
            && self.out.starts.last().is_none_or(|&(last, _)| last != instruction)
        {
            self.out.starts.push((instruction, self.out.lines.len() as u32));
        }
        let range = self.line_start as u32..self.out.text.len() as u32;
        self.out.lines.push(Line { range, instruction });
        self.out.text.push('\n');
        self.line_start = self.out.text.len();
    }

    fn span(&mut self, start: usize, class: Class, id: u32) {
        self.out.spans.push(Span { range: start as u32..self.out.text.len() as u32, class, id });
    }

    fn id(&mut self, id: u32, class: Class) {
        let start = self.out.text.len();
        self.out.text.push('%');
        self.names.write(&mut self.out.text, id);
        self.span(start, class, id);
    }

    fn space(&mut self, columns: usize) {
        self.out.text.extend(std::iter::repeat_n(' ', columns));
    }

    fn instruction(&mut self, index: usize, instruction: &Instruction) {
        if let Some(comments) = self.options.comments {
            for comment in comments(index) {
                for line in comment.lines() {
                    if self.options.indent {
                        self.space(INDENT);
                    }
                    self.comment(&format!("; {line}"));
                }
            }
        }
        let index = index as u32;
        if is_raw(instruction) {
            self.raw(index, instruction);
            return;
        }
        match instruction.result_id {
            Some(id) => {
                if self.options.indent {
                    // `%name = `: written first and moved, as the name's length is known then.
                    let start = self.out.text.len();
                    self.names.write(&mut self.out.text, id);
                    let length = self.out.text.len() - start;
                    self.out.text.truncate(start);
                    self.space((INDENT - 3).saturating_sub(length + 1));
                }
                self.id(id, Class::Result);
                self.out.text.push_str(" = ");
            }
            None if self.options.indent => self.space(INDENT),
            None => {}
        }
        let start = self.out.text.len();
        self.out.text.push_str("Op");
        self.out.text.push_str(instruction.class.opname);
        self.span(start, Class::Opcode, 0);
        if let Some(id) = instruction.result_type {
            self.out.text.push(' ');
            self.id(id, Class::Type);
        }
        self.operands(index, instruction);
        self.end_line(Some(index));
    }

    /// An instruction that nobody knows, as its words.
    fn raw(&mut self, index: u32, instruction: &Instruction) {
        if self.options.indent {
            self.space(INDENT);
        }
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        instruction_words(instruction, &mut words);
        for (place, word) in words.iter().enumerate() {
            if place > 0 {
                self.out.text.push(' ');
            }
            let start = self.out.text.len();
            let _ = if place == 0 {
                write!(self.out.text, "!{word:#010x}")
            } else {
                write!(self.out.text, "!{word}")
            };
            self.span(start, if place == 0 { Class::Opcode } else { Class::Number }, 0);
        }
        self.words = words;
        // A reader does not know such a number; its opcode in decimal is what specifications list.
        self.out.text.push(' ');
        let start = self.out.text.len();
        let _ = write!(self.out.text, "; opcode {}", opcode_number(instruction));
        self.span(start, Class::Comment, 0);
        self.end_line(Some(index));
    }

    fn operands(&mut self, index: u32, instruction: &Instruction) {
        // Inside `OpExtInst`, the number after the set is a name of that set.
        let mut set = None;
        let mut raw = false;
        each_operand(instruction, |operand, kind| {
            self.out.text.push(' ');
            let start = self.out.text.len();
            let class = match operand {
                Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => {
                    if kind == Some(OperandKind::IdRef) && set.is_none() {
                        set = self.sets.get(id).copied();
                    }
                    self.id(*id, Class::Id);
                    return;
                }
                Operand::LiteralString(text) => {
                    self.string(index, text);
                    return;
                }
                Operand::LiteralExtInstInteger(number) => {
                    // `spirv-as` does not know the names of this set.
                    let set = set.filter(|set| *set != "NonSemantic.DebugBreak");
                    match set.and_then(|set| extended::name(set, *number)) {
                        Some(name) => self.out.text.push_str(name),
                        None => push(&mut self.out.text, format_args!("{number}")),
                    }
                    Class::Opcode
                }
                Operand::LiteralSpecConstantOpInteger(op) => {
                    push(&mut self.out.text, format_args!("{op:?}"));
                    Class::Opcode
                }
                Operand::LiteralBit64(bits) => {
                    let number = self.number(instruction, kind, 64);
                    write_number(&mut self.out.text, number, *bits);
                    Class::Number
                }
                Operand::LiteralBit32(word) => self.literal(instruction, *word, kind, &mut raw),
                operand => {
                    // After a word that is copied as it is, `spirv-as` takes numbers only.
                    let mut words = Vec::new();
                    if raw
                        || !(write_value(operand, &mut self.out.text)
                            || write_mask(operand, &mut self.out.text))
                    {
                        self.out.text.truncate(start);
                        crate::write::push(operand, &mut words);
                        for word in words {
                            push(&mut self.out.text, format_args!("!{word}"));
                        }
                        raw = true;
                    }
                    Class::Enumerant
                }
            };
            self.span(start, class, 0);
        });
    }

    fn literal(
        &mut self,
        instruction: &Instruction,
        word: u32,
        kind: Option<OperandKind>,
        raw: &mut bool,
    ) -> Class {
        let out = &mut self.out.text;
        match kind {
            Some(OperandKind::LiteralInteger | OperandKind::LiteralExtInstInteger | OperandKind::IdRef)
                if !*raw =>
            {
                push(out, format_args!("{word}"));
                Class::Number
            }
            Some(OperandKind::LiteralFloat) if !*raw => {
                write_number(out, Number::FLOAT, u64::from(word));
                Class::Number
            }
            Some(OperandKind::LiteralContextDependentNumber | OperandKind::PairLiteralIntegerIdRef)
                if !*raw =>
            {
                let number = self.number(instruction, kind, 32);
                let bits = u64::from(word);
                let out = &mut self.out.text;
                if reads_back(number, bits) {
                    write_number(out, number, bits)
                } else {
                    push(out, format_args!("!{word}"))
                }
                Class::Number
            }
            Some(OperandKind::LiteralSpecConstantOpInteger) if !*raw => {
                match u16::try_from(word).ok().and_then(crate::name) {
                    Some(name) => out.push_str(name),
                    None => {
                        push(out, format_args!("!{word}"));
                        *raw = true;
                    }
                }
                Class::Opcode
            }
            Some(kind) if !*raw => {
                match grammar::enumerant(kind, word) {
                    Some(entry) => out.push_str(entry.name),
                    None => {
                        push(out, format_args!("!{word}"));
                        *raw = true;
                    }
                }
                Class::Enumerant
            }
            _ => {
                push(out, format_args!("!{word}"));
                *raw = true;
                Class::Number
            }
        }
    }

    /// How a literal is written that has the type of a result or of a selector.
    fn number(&self, instruction: &Instruction, kind: Option<OperandKind>, width: u32) -> Number {
        let of = match kind {
            Some(OperandKind::LiteralContextDependentNumber) => instruction.result_type,
            Some(OperandKind::PairLiteralIntegerIdRef) => match instruction.operands.first() {
                Some(Operand::IdRef(selector)) => self.types.get(selector).copied(),
                _ => None,
            },
            _ => None,
        };
        of.and_then(|id| self.numbers.get(&id)).copied().unwrap_or(Number::Unsigned(width))
    }

    /// A string as the syntax has it: quotes and backslashes escaped, everything else, ends of lines too, as it is.
    fn string(&mut self, index: u32, text: &str) {
        let cut = self.options.cut_strings.and_then(|limit| {
            let shown: String =
                text.chars().take(limit).map(|c| if c.is_control() { ' ' } else { c }).collect();
            (text.chars().count() > limit || text.contains('\n')).then(|| format!("{shown}…"))
        });
        let text = cut.as_deref().unwrap_or(text);
        let mut start = self.out.text.len();
        self.out.text.push('"');
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.span(start, Class::String, 0);
                self.end_line(Some(index));
                start = self.out.text.len();
            }
            for part in line.split_inclusive(['"', '\\']) {
                match part.strip_suffix(['"', '\\']) {
                    Some(before) => {
                        self.out.text.push_str(before);
                        self.out.text.push('\\');
                        self.out.text.push_str(&part[before.len()..]);
                    }
                    None => self.out.text.push_str(part),
                }
            }
        }
        self.out.text.push('"');
        self.span(start, Class::String, 0);
    }
}

fn push(out: &mut String, text: std::fmt::Arguments) {
    // Writing into a string does not fail.
    let _ = out.write_fmt(text);
}
