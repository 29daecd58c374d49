//! Instructions by number: a class for every opcode, and the opcode of every instruction.
//!
//! rspirv names an instruction by `class.opcode`, an enum that ends with its headers. An instruction that is newer has a
//! class of ours, whose `opcode` says `Nop`; [`opcode`] tells which one it is. Code that matches on `class.opcode` stays
//! correct for everything that rspirv knows, as long as it does not take `Nop` for nothing.

use std::sync::OnceLock;

use rspirv::dr::{Instruction, Operand};
use rspirv::grammar::{self, INSTRUCTION_TABLE, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{ImageOperands, MemoryAccess, Op, TensorAddressingOperands, Word};
use rustc_hash::FxHashMap;

use crate::grammar::{CORRECTED, DECODE_VECTOR_FUNC, NEWER, OTHER_NAMES, Opcode};

const NUMBERS: usize = {
    let mut most = 0;
    let mut at = 0;
    while at < Opcode::ALL.len() {
        if Opcode::ALL[at] as usize > most {
            most = Opcode::ALL[at] as usize;
        }
        at += 1;
    }
    most + 1
};

/// By number: the opcode.
static BY_NUMBER: [Opcode; NUMBERS] = {
    let mut table = [Opcode::Unknown; NUMBERS];
    let mut at = 0;
    while at < Opcode::ALL.len() {
        table[Opcode::ALL[at] as usize] = Opcode::ALL[at];
        at += 1;
    }
    table
};

impl Opcode {
    /// The instruction with a number, [`Opcode::Unknown`] where nobody knows it.
    pub fn from_number(number: u16) -> Opcode {
        BY_NUMBER.get(usize::from(number)).copied().unwrap_or(Opcode::Unknown)
    }

    /// The instruction with a name, without `Op`; every name that an extension gives it will do.
    pub fn named(name: &str) -> Option<Opcode> {
        number(name).map(Opcode::from_number)
    }

    /// The number in a module's words.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// Its grammar; nothing for [`Opcode::Unknown`].
    pub fn class(self) -> Option<&'static grammar::Instruction<'static>> {
        class(self as u16)
    }

    /// Its name without `Op`.
    pub fn name(self) -> &'static str {
        self.class().map_or("Unknown", |class| class.opname)
    }

    /// rspirv's name for it, unless it is newer.
    pub fn known(self) -> Option<Op> {
        Op::from_u32(u32::from(self as u16))
    }
}

impl std::fmt::Debug for Opcode {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Op> for Opcode {
    fn from(op: Op) -> Self {
        Opcode::from_number(op as u16)
    }
}

impl PartialEq<Op> for Opcode {
    fn eq(&self, other: &Op) -> bool {
        u32::from(*self as u16) == *other as u32
    }
}

/// The class of instructions that neither rspirv nor [`crate::grammar`] knows: the first operand is the opcode, the others are the
/// instruction's words as they are.
static UNKNOWN: grammar::Instruction<'static> = grammar::Instruction {
    opname: "Unknown",
    opcode: Op::Nop,
    capabilities: &[],
    extensions: &[],
    operands: &[
        LogicalOperand { kind: OperandKind::LiteralInteger, quantifier: OperandQuantifier::One },
        LogicalOperand { kind: OperandKind::LiteralInteger, quantifier: OperandQuantifier::ZeroOrMore },
    ],
};

type Classes = Box<[Option<&'static grammar::Instruction<'static>>]>;

/// Classes by opcode: rspirv's own lookup walks its whole table.
fn classes() -> &'static Classes {
    static CLASSES: OnceLock<Classes> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let known = CORRECTED.iter().chain(INSTRUCTION_TABLE.iter());
        let known = known.map(|class| (class.opcode as usize, class));
        let ours = NEWER.iter().map(|newer| (newer.opcode as usize, &newer.class));
        let mut classes = vec![None; NUMBERS];
        for (number, class) in known.chain(ours) {
            // The first one wins: the newer form of an instruction, and rspirv's class before ours.
            classes[number].get_or_insert(class);
        }
        classes.into_boxed_slice()
    })
}

/// The class of an opcode, or nothing where nobody knows it.
pub fn class(number: u16) -> Option<&'static grammar::Instruction<'static>> {
    classes().get(usize::from(number)).copied().flatten()
}

/// An instruction, of rspirv's opcodes and of ours.
pub fn inst(
    opcode: impl Into<Opcode>,
    result_type: Option<Word>,
    result_id: Option<Word>,
    operands: Vec<Operand>,
) -> Instruction {
    let opcode = opcode.into();
    match opcode.class() {
        Some(class) => Instruction { class, result_type, result_id, operands },
        // Not reachable, as an `Opcode` is made from the same tables; even so nothing is lost.
        None => {
            let mut words = vec![Operand::LiteralBit32(u32::from(opcode.number()))];
            words.extend(result_type.into_iter().chain(result_id).map(Operand::LiteralBit32));
            words.extend(operands);
            Instruction { class: &UNKNOWN, result_type: None, result_id: None, operands: words }
        }
    }
}

/// An instruction that nobody knows, kept as the words that follow its first.
pub fn raw(number: u16, words: &[Word]) -> Instruction {
    let mut operands = Vec::with_capacity(words.len() + 1);
    operands.push(Operand::LiteralBit32(u32::from(number)));
    operands.extend(words.iter().map(|&word| Operand::LiteralBit32(word)));
    Instruction { class: &UNKNOWN, result_type: None, result_id: None, operands }
}

/// Whether an instruction is carried as words because nobody knows its opcode.
pub fn is_raw(instruction: &Instruction) -> bool {
    instruction.class.opcode == Op::Nop && std::ptr::eq(instruction.class, &UNKNOWN)
}

/// Which instruction it is. Use this rather than `class.opcode`, which is `Nop` for instructions that rspirv lacks.
#[inline]
pub fn opcode(instruction: &Instruction) -> Opcode {
    match instruction.class.opcode {
        Op::Nop => newer(instruction.class),
        op => op.into(),
    }
}

/// The instruction of a class whose own opcode is a placeholder, or `Nop` itself.
fn newer(class: &grammar::Instruction<'static>) -> Opcode {
    if std::ptr::eq(class, &UNKNOWN) {
        return Opcode::Unknown;
    }
    let ours = NEWER.iter().find(|newer| std::ptr::eq(&newer.class, class));
    ours.map_or(Opcode::Nop, |newer| newer.opcode)
}

/// Whether an access may not be left out or done twice.
pub fn is_volatile(instruction: &Instruction) -> bool {
    instruction.operands.iter().any(|operand| match operand {
        Operand::MemoryAccess(access) => access.contains(MemoryAccess::VOLATILE),
        Operand::ImageOperands(operands) => operands.contains(ImageOperands::VOLATILE_TEXEL),
        _ => false,
    })
}

/// Whether a load calls functions of the shader for its elements: they may do anything.
pub fn calls_functions(instruction: &Instruction) -> bool {
    let decoders = TensorAddressingOperands::DECODE_FUNC | DECODE_VECTOR_FUNC;
    instruction.operands.iter().any(
        |operand| matches!(operand, Operand::TensorAddressingOperands(found) if found.intersects(decoders)),
    )
}

/// The number of an instruction, whether anybody knows it or not.
pub fn opcode_number(instruction: &Instruction) -> u16 {
    match (opcode(instruction), instruction.operands.first()) {
        (Opcode::Unknown, Some(&Operand::LiteralBit32(number))) => number as u16,
        (Opcode::Unknown, _) => Op::Nop as u16,
        (opcode, _) => opcode.number(),
    }
}

/// The name of an opcode without `Op`, or nothing where nobody knows it.
pub fn name(number: u16) -> Option<&'static str> {
    class(number).map(|class| class.opname)
}

/// The number of the instruction with a name, without `Op`; every name that an extension gives it will do.
pub(crate) fn number(name: &str) -> Option<u16> {
    static NUMBERS: OnceLock<FxHashMap<&'static str, u16>> = OnceLock::new();
    let numbers = NUMBERS.get_or_init(|| {
        let known = INSTRUCTION_TABLE.iter().map(|class| (class.opname, class.opcode as u16));
        let ours = NEWER.iter().map(|newer| (newer.class.opname, newer.opcode.number()));
        let mut numbers: FxHashMap<&'static str, u16> = known.chain(ours).collect();
        for (other, name) in OTHER_NAMES {
            if let Some(&number) = numbers.get(name) {
                numbers.entry(other).or_insert(number);
            }
        }
        numbers
    });
    numbers.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opcode_leads_to_its_class_and_back() {
        for &known in Opcode::ALL {
            let instruction = inst(known, None, None, Vec::new());
            assert_eq!(opcode(&instruction), known);
            assert_eq!(opcode_number(&instruction), known.number());
            assert_eq!(Opcode::named(known.name()), Some(known));
        }
        assert_eq!(Opcode::ALL.len(), INSTRUCTION_TABLE.iter().count() + NEWER.len());
    }

    #[test]
    fn every_name_leads_to_the_number() {
        assert_eq!(number("Load"), Some(Op::Load as u16));
        for (other, name) in OTHER_NAMES {
            assert!(number(other).is_some(), "{other}");
            assert_eq!(number(other), number(name));
        }
        assert_eq!(number("OpLoad"), None);
    }

    #[test]
    fn unknown_instructions_keep_their_number() {
        let instruction = raw(6999, &[1, 2]);
        assert_eq!(opcode(&instruction), Opcode::Unknown);
        assert_eq!(opcode_number(&instruction), 6999);
        assert!(is_raw(&instruction));
        assert_eq!(name(6999), None);
    }
}
