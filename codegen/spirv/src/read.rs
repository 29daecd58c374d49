//! Words to a module: ours, another compiler's, or hostile ones.
//!
//! The loader is driven by the grammar: rspirv's tables and [`crate::grammar`]. What nobody knows is kept rather than refused:
//! an unknown opcode as raw words, an unknown enumerant as a literal, words after the last known operand as literals. What is
//! refused is what no consumer could work with: a broken instruction, an id outside the bound, a function without an end.
//!
//! For a well-formed module, writing what was read gives the same words. `dr::Module` has no place for two things that
//! occur in such modules, and these are kept so:
//!
//! - lines and non-semantic instructions between two functions: a `dr::Function` without `def`, which holds them in
//!   `parameters`;
//! - lines between two blocks: a `dr::Block` without `label`.

mod cursor;
mod place;

use std::borrow::Cow;
use std::fmt;

use rspirv::dr::{Instruction, Module, ModuleHeader, Operand};
use rspirv::grammar::{self, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{MAGIC_NUMBER, Op};
use rustc_hash::FxHashMap;

use crate::instruction::{class, name, raw};
use crate::operand::{Category, category, enumerant, once, parameters};
use cursor::Cursor;
use place::Placer;

/// The highest bound of ids that a module may have (SPIR-V, "Universal Limits").
pub const MAXIMUM_BOUND: u32 = 0x003F_FFFF;

/// Why words are no module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// Where, in words from the start of the module.
    pub word: usize,
    /// The instruction around it, without `Op`.
    pub instruction: Option<&'static str>,
    /// What would have made sense there, as words of a sentence.
    pub expected: Cow<'static, str>,
    /// What is there instead.
    pub found: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "word {}", self.word)?;
        if let Some(name) = self.instruction {
            write!(f, ", in Op{name}")?;
        }
        write!(f, ": expected {}, found {}", self.expected, self.found)
    }
}

impl std::error::Error for LoadError {}

type Result<T> = std::result::Result<T, LoadError>;

/// A module from the bytes of a file, in either byte order.
///
/// # Errors
/// The first place that no consumer could work with; what nobody knows is none.
pub fn load_bytes(bytes: &[u8]) -> Result<Module> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(LoadError {
            word: chunks.len(),
            instruction: None,
            expected: "a whole number of words of four bytes".into(),
            found: format!("{} bytes", bytes.len()),
        });
    }
    let words: Vec<u32> = chunks.iter().map(|&chunk| u32::from_le_bytes(chunk)).collect();
    load(&words)
}

/// A module from its words, in either byte order.
///
/// # Errors
/// The first place that no consumer could work with; what nobody knows is none.
pub fn load(words: &[u32]) -> Result<Module> {
    match words.first() {
        Some(&MAGIC_NUMBER) => load_in_order(words),
        Some(first) if first.swap_bytes() == MAGIC_NUMBER => {
            let words: Vec<u32> = words.iter().map(|word| word.swap_bytes()).collect();
            load_in_order(&words)
        }
        first => Err(LoadError {
            word: 0,
            instruction: None,
            expected: format!("the magic number {MAGIC_NUMBER:#010x}").into(),
            found: first.map_or("an empty file".into(), |word| format!("{word:#010x}")),
        }),
    }
}

fn load_in_order(words: &[u32]) -> Result<Module> {
    let &[magic_number, version, generator, bound, reserved_word, ..] = words else {
        return Err(LoadError {
            word: words.len(),
            instruction: None,
            expected: "a header of 5 words".into(),
            found: format!("{} words", words.len()),
        });
    };
    if bound == 0 || bound > MAXIMUM_BOUND {
        return Err(LoadError {
            word: 3,
            instruction: None,
            expected: format!("a bound of ids from 1 to {MAXIMUM_BOUND}").into(),
            found: bound.to_string(),
        });
    }
    let mut reader =
        Reader { words, bound, types: FxHashMap::default(), sets: FxHashMap::default(), type_of: Vec::new() };
    let mut placer = Placer::new(ModuleHeader { magic_number, version, generator, bound, reserved_word });
    let mut at = 5;
    while let Some(&first) = words.get(at) {
        let (count, number) = ((first >> 16) as usize, first as u16);
        let left = words.len() - at;
        if count == 0 || count > left {
            return Err(LoadError {
                word: at,
                instruction: name(number),
                expected: format!("an instruction of 1 to {left} words, which are left").into(),
                found: format!("a length of {count} words"),
            });
        }
        let instruction = reader.instruction(at, count, number)?;
        placer.place(at, instruction)?;
        at += count;
    }
    placer.finish(at)
}

/// What a numeric literal's length follows from.
#[derive(Clone, Copy)]
struct Number {
    bits: u32,
}

struct Reader<'a> {
    words: &'a [u32],
    bound: u32,
    /// Numeric types by id.
    types: FxHashMap<u32, Number>,
    /// Extended instruction sets whose instructions have literals among their operands.
    sets: FxHashMap<u32, &'static grammar::InstructionTable<grammar::ExtInstOp>>,
    /// The type of each result, `UNTYPED` where it has none and 0 where there is no such result yet.
    type_of: Vec<u32>,
}

const UNTYPED: u32 = u32::MAX;

impl Reader<'_> {
    fn instruction(&mut self, at: usize, count: usize, number: u16) -> Result<Instruction> {
        let Some(class) = class(number) else {
            return Ok(raw(number, &self.words[at + 1..at + count]));
        };
        let mut cursor = Cursor::new(self.words, at, count, self.bound, class.opname);
        let mut instruction = Instruction {
            class,
            result_type: None,
            result_id: None,
            operands: Vec::with_capacity(count.saturating_sub(2)),
        };
        for logical in class.operands {
            match logical.kind {
                OperandKind::IdResultType => instruction.result_type = Some(cursor.id()?),
                OperandKind::IdResult => {
                    let place = cursor.at();
                    let id = cursor.id()?;
                    instruction.result_id = Some(id);
                    self.define(id, instruction.result_type.unwrap_or(UNTYPED), place, class.opname)?;
                }
                _ => self.logical(logical, &mut cursor, &mut instruction)?,
            }
        }
        // Newer versions of an instruction may have more operands than the tables know.
        cursor.rest(&mut instruction.operands);
        self.remember(&instruction);
        Ok(instruction)
    }

    fn define(&mut self, id: u32, result_type: u32, place: usize, opname: &'static str) -> Result<()> {
        let index = id as usize;
        if self.type_of.len() <= index {
            self.type_of.resize(index + 1, 0);
        }
        if self.type_of[index] != 0 {
            return Err(LoadError {
                word: place,
                instruction: Some(opname),
                expected: "a result id that nothing else has".into(),
                found: format!("%{id}, which is defined already"),
            });
        }
        self.type_of[index] = result_type;
        Ok(())
    }

    fn logical(&self, logical: &LogicalOperand, cursor: &mut Cursor, into: &mut Instruction) -> Result<()> {
        match logical.quantifier {
            OperandQuantifier::One => self.operand(logical.kind, cursor, into),
            OperandQuantifier::ZeroOrOne if cursor.is_at_end() => Ok(()),
            OperandQuantifier::ZeroOrOne => self.operand(logical.kind, cursor, into),
            OperandQuantifier::ZeroOrMore => {
                while !cursor.is_at_end() {
                    self.operand(logical.kind, cursor, into)?;
                }
                Ok(())
            }
        }
    }

    fn operand(&self, kind: OperandKind, cursor: &mut Cursor, into: &mut Instruction) -> Result<()> {
        if category(kind) != Category::Other {
            return self.enumerant(kind, cursor, into);
        }
        match kind {
            OperandKind::IdRef => into.operands.push(Operand::IdRef(cursor.id()?)),
            OperandKind::IdScope => into.operands.push(Operand::IdScope(cursor.id()?)),
            OperandKind::IdMemorySemantics => into.operands.push(Operand::IdMemorySemantics(cursor.id()?)),
            OperandKind::LiteralInteger | OperandKind::LiteralFloat => {
                into.operands.push(Operand::LiteralBit32(cursor.word("a literal number")?));
            }
            OperandKind::LiteralString => into.operands.push(Operand::LiteralString(cursor.string()?)),
            OperandKind::LiteralContextDependentNumber => {
                let number = into.result_type.and_then(|id| self.types.get(&id).copied());
                let words = number.map_or(cursor.left(), words_of);
                cursor.number(words, &mut into.operands)?;
            }
            OperandKind::LiteralExtInstInteger => {
                let number = cursor.word("the number of an extended instruction")?;
                into.operands.push(Operand::LiteralExtInstInteger(number));
                self.extended(number, cursor, into)?;
            }
            OperandKind::LiteralSpecConstantOpInteger => self.constant_operation(cursor, into)?,
            OperandKind::PairLiteralIntegerIdRef => {
                let words = self.selector_words(into, cursor.left());
                cursor.number(words, &mut into.operands)?;
                into.operands.push(Operand::IdRef(cursor.id()?));
            }
            OperandKind::PairIdRefLiteralInteger => {
                into.operands.push(Operand::IdRef(cursor.id()?));
                into.operands.push(Operand::LiteralBit32(cursor.word("a literal number")?));
            }
            OperandKind::PairIdRefIdRef => {
                into.operands.push(Operand::IdRef(cursor.id()?));
                into.operands.push(Operand::IdRef(cursor.id()?));
            }
            // Results are handled where the instruction starts, and the kinds of extended sets where those are read.
            _ => into.operands.push(Operand::LiteralBit32(cursor.word("an operand")?)),
        }
        Ok(())
    }

    fn enumerant(&self, kind: OperandKind, cursor: &mut Cursor, into: &mut Instruction) -> Result<()> {
        if cursor.is_at_end() {
            return cursor.error(cursor.at(), format!("a value of {kind:?}"), "the end of the instruction");
        }
        let word = cursor.word("an enumerant")?;
        let Some(operand) = enumerant(kind, word) else { return Ok(()) };
        let found = parameters(kind, &operand);
        into.operands.push(operand);
        for parameter in &found.kinds {
            // The parameters of an enumerant are ids, literals, and values that have none themselves.
            self.logical(parameter, cursor, into)?;
        }
        if !found.complete {
            cursor.rest(&mut into.operands);
        }
        Ok(())
    }

    /// The operands of `OpExtInst`, which are ids, except in the debugging sets of OpenCL.
    fn extended(&self, number: u32, cursor: &mut Cursor, into: &mut Instruction) -> Result<()> {
        let Some(&Operand::IdRef(set)) = into.operands.first() else { return Ok(()) };
        // glslang leaves 0 in debugging instructions where it has nothing to name.
        cursor.allow_zero();
        let Some(class) = self.sets.get(&set).and_then(|table| table.lookup_opcode(number)) else {
            return Ok(());
        };
        for logical in class.operands {
            match logical.kind {
                OperandKind::IdRef => self.logical(logical, cursor, into)?,
                _ if cursor.is_at_end() => {}
                _ => self.logical(&once(OperandKind::LiteralInteger), cursor, into)?,
            }
        }
        Ok(())
    }

    /// The operation of `OpSpecConstantOp` and its operands.
    fn constant_operation(&self, cursor: &mut Cursor, into: &mut Instruction) -> Result<()> {
        let number = cursor.word("the opcode of a constant operation")?;
        into.operands.push(match Op::from_u32(number) {
            Some(op) => Operand::LiteralSpecConstantOpInteger(op),
            None => Operand::LiteralBit32(number),
        });
        let Some(class) = u16::try_from(number).ok().and_then(class) else {
            cursor.rest(&mut into.operands);
            return Ok(());
        };
        for logical in class.operands {
            match logical.kind {
                OperandKind::IdResultType | OperandKind::IdResult => {}
                // No constant operation has such an operand; following it would let a module nest operations in themselves.
                OperandKind::LiteralSpecConstantOpInteger => cursor.rest(&mut into.operands),
                _ => self.logical(logical, cursor, into)?,
            }
        }
        Ok(())
    }

    /// How many words a literal of `OpSwitch` has: as many as a value of the selector's type.
    fn selector_words(&self, switch: &Instruction, left: usize) -> usize {
        let selector = match switch.operands.first() {
            Some(&Operand::IdRef(id)) => self.type_of.get(id as usize).copied(),
            _ => None,
        };
        let number = selector.and_then(|id| self.types.get(&id).copied());
        number.map_or(1.min(left), words_of)
    }

    fn remember(&mut self, instruction: &Instruction) {
        let Some(id) = instruction.result_id else { return };
        match (instruction.class.opcode, instruction.operands.as_slice()) {
            (Op::TypeInt | Op::TypeFloat, [Operand::LiteralBit32(bits), ..]) => {
                self.types.insert(id, Number { bits: *bits });
            }
            (Op::ExtInstImport, [Operand::LiteralString(set)]) if crate::extended::has_literals(set) => {
                self.sets.extend(crate::extended::table(set).map(|table| (id, table)));
            }
            _ => {}
        }
    }
}

fn words_of(number: Number) -> usize {
    (number.bits.div_ceil(32) as usize).max(1)
}

/// Whether an instruction ends a block.
pub(crate) fn ends_block(instruction: &Instruction) -> bool {
    grammar::reflect::is_block_terminator(instruction.class.opcode)
        || crate::opcode(instruction) == crate::Opcode::AbortKHR
}
