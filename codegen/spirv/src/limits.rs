//! The universal limits of SPIR-V (section 2.17, and 2.3 for the length of instructions): beyond them no module is valid, whatever the device.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};

use crate::write::instruction_words;

const MOST_WORDS: usize = 0xFFFF;
const MOST_MEMBERS: usize = 16_383;
const MOST_CASES: usize = 16_383;
const MOST_PARAMETERS: usize = 255;
const MOST_NESTED: usize = 1_023;

/// A limit that a module exceeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// The place of the instruction in the module's order.
    pub index: usize,
    /// What there is too much of, and how much there may be.
    pub message: String,
}

/// What of a module is too large, in its order; of control flow that nests too deep the first place alone.
pub fn exceeded(module: &Module) -> Vec<Exceeded> {
    let mut found = Vec::new();
    let mut open: Vec<Word> = Vec::new();
    let mut too_deep = false;
    for (index, instruction) in module.all_inst_iter().enumerate() {
        let mut limit = |count: usize, most: usize, what: &str| {
            if count > most {
                found.push(Exceeded {
                    index,
                    message: format!("SPIR-V allows {most} {what}, and this has {count}"),
                });
            }
        };
        match instruction.class.opcode {
            Op::TypeStruct => limit(instruction.operands.len(), MOST_MEMBERS, "members"),
            Op::TypeFunction => limit(instruction.operands.len() - 1, MOST_PARAMETERS, "parameters"),
            // The selector and the default come first, then pairs.
            Op::Switch => limit(instruction.operands.len().saturating_sub(2) / 2, MOST_CASES, "labels"),
            Op::SelectionMerge | Op::LoopMerge => {
                if let Some(&Operand::IdRef(merge)) = instruction.operands.first() {
                    open.push(merge);
                }
                if !too_deep {
                    limit(open.len(), MOST_NESTED, "levels of control flow");
                    too_deep = open.len() > MOST_NESTED;
                }
            }
            Op::Label => {
                if let Some(at) = open.iter().rposition(|merge| instruction.result_id == Some(*merge)) {
                    open.truncate(at);
                }
            }
            Op::Function => {
                open.clear();
                too_deep = false;
            }
            _ => {}
        }
        if let Some(words) = long(instruction) {
            limit(words, MOST_WORDS, "words in an instruction");
        }
    }
    found
}

/// The length of an instruction that may be too long: strings have four letters in a word, numbers of 64 bits two words.
fn long(instruction: &Instruction) -> Option<usize> {
    let size = |operand: &Operand| match operand {
        Operand::LiteralString(text) => text.len() / 4 + 1,
        _ => 2,
    };
    let most = 3 + instruction.operands.iter().map(size).sum::<usize>();
    (most > MOST_WORDS).then(|| instruction_words(instruction, &mut Vec::new()))
}

#[cfg(test)]
mod tests {
    use rspirv::dr::{Builder, Operand};
    use rspirv::spirv::{FunctionControl, SelectionControl};

    use super::exceeded;

    fn told(builder: Builder) -> Vec<String> {
        exceeded(&builder.module()).into_iter().map(|one| one.message).collect()
    }

    #[test]
    fn members_and_parameters_are_counted() {
        let mut builder = Builder::new();
        let float = builder.type_float(32, None);
        builder.type_struct(vec![float; 16_383]);
        builder.type_function(float, vec![float; 255]);
        assert_eq!(told(builder), [""; 0]);
        let mut builder = Builder::new();
        let float = builder.type_float(32, None);
        builder.type_struct(vec![float; 16_384]);
        builder.type_function(float, vec![float; 256]);
        assert_eq!(
            told(builder),
            [
                "SPIR-V allows 16383 members, and this has 16384",
                "SPIR-V allows 255 parameters, and this has 256"
            ]
        );
    }

    #[test]
    fn instructions_have_a_length_of_16_bits() {
        let mut builder = Builder::new();
        let float = builder.type_float(32, None);
        builder.constant_composite(float, vec![float; 70_000]);
        builder.string("a".repeat(300_000));
        assert_eq!(
            told(builder),
            [
                "SPIR-V allows 65535 words in an instruction, and this has 75003",
                "SPIR-V allows 65535 words in an instruction, and this has 70003"
            ]
        );
    }

    /// Each selection ends behind the ones that it holds.
    fn nested(levels: usize) -> Builder {
        let mut builder = Builder::new();
        let void = builder.type_void();
        let function = builder.type_function(void, vec![]);
        let bool_type = builder.type_bool();
        let condition = builder.constant_true(bool_type);
        builder.begin_function(void, None, FunctionControl::NONE, function).unwrap();
        builder.begin_block(None).unwrap();
        let merges: Vec<_> = (0..levels).map(|_| builder.id()).collect();
        for &merge in &merges {
            let inside = builder.id();
            builder.selection_merge(merge, SelectionControl::NONE).unwrap();
            builder.branch_conditional(condition, inside, merge, Vec::<u32>::new()).unwrap();
            builder.begin_block(Some(inside)).unwrap();
        }
        for &merge in merges.iter().rev() {
            builder.branch(merge).unwrap();
            builder.begin_block(Some(merge)).unwrap();
        }
        builder.ret().unwrap();
        builder.end_function().unwrap();
        builder
    }

    #[test]
    fn control_flow_nests_so_deep() {
        assert_eq!(told(nested(1_023)), [""; 0]);
        assert_eq!(told(nested(1_030)), ["SPIR-V allows 1023 levels of control flow, and this has 1024"]);
        // One behind the other is not nested.
        let mut builder = nested(1_000);
        for function in nested(1_000).module().functions {
            builder.module_mut().functions.push(function);
        }
        assert_eq!(told(builder), [""; 0]);
    }

    #[test]
    fn labels_of_a_switch_are_counted() {
        let mut builder = nested(1);
        let pairs = (0..16_384_u32).flat_map(|value| [Operand::LiteralBit32(value), Operand::IdRef(1)]);
        let operands = [Operand::IdRef(1), Operand::IdRef(1)].into_iter().chain(pairs).collect();
        let switch = crate::inst(rspirv::spirv::Op::Switch, None, None, operands);
        builder.module_mut().functions[0].blocks[0].instructions.push(switch);
        assert_eq!(told(builder), ["SPIR-V allows 16383 labels, and this has 16384"]);
    }
}
