//! Instructions by number: a class for every opcode, and the number of every instruction.
//!
//! rspirv names an instruction by `class.opcode`, an enum that ends with its headers. An instruction that is newer has a
//! class of ours, whose `opcode` says `Nop`; [`opcode`] tells its real number. Code that matches on `class.opcode` stays
//! correct for everything that rspirv knows, as long as it does not take `Nop` for nothing.

use std::sync::OnceLock;

use rspirv::dr::{Instruction, Operand};
use rspirv::grammar::{self, INSTRUCTION_TABLE, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashMap;

use crate::grammar as overlay;

/// The number of an instruction that this crate knows: rspirv's or ours.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Opcode(u16);

impl Opcode {
    pub fn number(self) -> u16 {
        self.0
    }
}

impl From<Op> for Opcode {
    fn from(op: Op) -> Self {
        Opcode(op as u16)
    }
}

impl From<overlay::Op> for Opcode {
    fn from(op: overlay::Op) -> Self {
        Opcode(op as u16)
    }
}

/// The class of instructions that neither rspirv nor [`beyond`] knows: the first operand is the opcode, the others are the
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
        let known = overlay::NEWER_CLASSES.iter().chain(INSTRUCTION_TABLE.iter());
        let known = known.map(|class| (class.opcode as usize, class));
        let ours = overlay::CLASSES.iter().map(|(op, class)| (*op as usize, class));
        let all: Vec<_> = known.chain(ours).collect();
        let count = all.iter().map(|(number, _)| number + 1).max().unwrap_or(0);
        let mut classes = vec![None; count];
        for (number, class) in all {
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
    let Opcode(number) = opcode.into();
    match class(number) {
        Some(class) => Instruction { class, result_type, result_id, operands },
        // Not reachable, as an `Opcode` is made from the same tables; even so nothing is lost.
        None => {
            let mut words = vec![Operand::LiteralBit32(u32::from(number))];
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

/// The number of an instruction. Use this rather than `class.opcode`, which is `Nop` for instructions that rspirv lacks.
pub fn opcode(instruction: &Instruction) -> u16 {
    if instruction.class.opcode != Op::Nop {
        return instruction.class.opcode as u16;
    }
    if std::ptr::eq(instruction.class, &UNKNOWN) {
        return match instruction.operands.first() {
            Some(&Operand::LiteralBit32(number)) => number as u16,
            _ => Op::Nop as u16,
        };
    }
    let ours = overlay::CLASSES.iter().find(|(_, class)| std::ptr::eq(class, instruction.class));
    ours.map_or(Op::Nop as u16, |(op, _)| *op as u16)
}

/// The name of an opcode without `Op`, or nothing where nobody knows it.
pub fn name(number: u16) -> Option<&'static str> {
    class(number).map(|class| class.opname)
}

/// The number of the instruction with a name, without `Op`; every name that an extension gives it will do.
pub fn number(name: &str) -> Option<u16> {
    static NUMBERS: OnceLock<FxHashMap<&'static str, u16>> = OnceLock::new();
    let numbers = NUMBERS.get_or_init(|| {
        let known = INSTRUCTION_TABLE.iter().map(|class| (class.opname, class.opcode as u16));
        let ours = overlay::CLASSES.iter().map(|(op, class)| (class.opname, *op as u16));
        let mut numbers: FxHashMap<&'static str, u16> = known.chain(ours).collect();
        for (other, name) in overlay::OTHER_NAMES {
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
    fn every_class_leads_back_to_its_number() {
        for class in INSTRUCTION_TABLE.iter() {
            let instruction = inst(class.opcode, None, None, Vec::new());
            assert_eq!(opcode(&instruction), class.opcode as u16, "{}", class.opname);
        }
        for (op, class) in overlay::CLASSES {
            let instruction = inst(*op, None, None, Vec::new());
            assert_eq!(opcode(&instruction), *op as u16, "{}", class.opname);
        }
    }

    #[test]
    fn every_name_leads_to_the_number() {
        assert_eq!(number("Load"), Some(Op::Load as u16));
        for (other, name) in overlay::OTHER_NAMES {
            assert!(number(other).is_some(), "{other}");
            assert_eq!(number(other), number(name));
        }
        assert_eq!(number("OpLoad"), None);
    }

    #[test]
    fn unknown_instructions_keep_their_number() {
        let instruction = raw(6999, &[1, 2]);
        assert_eq!(opcode(&instruction), 6999);
        assert!(is_raw(&instruction));
        assert_eq!(name(6999), None);
    }
}
