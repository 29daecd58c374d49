//! What can be asked of the whole grammar, rspirv's and ours: kinds of operands, their values, what instructions need.

use rspirv::grammar::{LogicalOperand, OperandKind};

use super::{Capability, MORE_CAPABILITIES, NEWER, Opcode, enumerant};
use crate::operand::{self, Category};

/// A value or a bit of a kind of operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// Its name in assembly text.
    pub name: String,
    /// What follows it.
    pub parameters: Vec<LogicalOperand>,
}

/// The kinds of operands that have named values.
pub fn values() -> impl Iterator<Item = OperandKind> {
    operand::VALUES.iter().copied()
}

/// The kinds of operands that have named bits.
pub fn masks() -> impl Iterator<Item = OperandKind> {
    operand::MASKS.iter().copied()
}

/// What is known of a value of a kind, or of a single bit; nothing where nobody has given it a name.
pub fn known(kind: OperandKind, value: u32) -> Option<Known> {
    if let Some(newer) = enumerant(kind, value) {
        return Some(Known { name: newer.name.to_owned(), parameters: newer.parameters.to_vec() });
    }
    let operand = operand::enumerant(kind, value)?;
    let mut name = String::new();
    let written = match operand::category(kind) {
        Category::Value => operand::write_value(&operand, &mut name),
        Category::Mask => operand::write_mask(&operand, &mut name),
        Category::Other => false,
    };
    written.then(|| Known { name, parameters: operand::parameters(kind, &operand).kinds })
}

impl Opcode {
    /// The capabilities of which a module has to declare one; none where every module may use it.
    pub fn capabilities(self) -> Vec<Capability> {
        let newer = NEWER.iter().find(|newer| newer.opcode == self);
        let more = MORE_CAPABILITIES.iter().filter(|(opcode, _)| *opcode == self).map(|(_, more)| *more);
        match newer {
            Some(newer) => newer.capabilities.to_vec(),
            None => {
                let known = self.class().map_or(&[][..], |class| class.capabilities);
                known.iter().map(|&capability| capability.into()).chain(more).collect()
            }
        }
    }
}
