//! Names and decorations of a module, by what they are about.

use coopmat_spirv::dr::{Module, Operand};
use coopmat_spirv::spirv::{BuiltIn, Decoration, Op};
use rustc_hash::FxHashMap;

/// A decoration and its literals.
#[derive(Clone, Debug)]
pub(crate) struct Applied {
    pub decoration: Decoration,
    pub literals: Vec<u32>,
}

/// Names and decorations.
#[derive(Debug, Default)]
pub(crate) struct Annotations {
    names: FxHashMap<u32, String>,
    member_names: FxHashMap<(u32, u32), String>,
    decorations: FxHashMap<u32, Vec<Applied>>,
    member_decorations: FxHashMap<(u32, u32), Vec<Applied>>,
}

/// What follows a decoration in an instruction.
fn applied(operands: &[Operand]) -> Option<Applied> {
    let Some(Operand::Decoration(decoration)) = operands.first() else { return None };
    let literals = operands[1..].iter().map(|operand| match operand {
        Operand::LiteralBit32(word) | Operand::IdRef(word) => *word,
        Operand::BuiltIn(builtin) => *builtin as u32,
        Operand::FPRoundingMode(mode) => *mode as u32,
        _ => 0,
    });
    Some(Applied { decoration: *decoration, literals: literals.collect() })
}

impl Annotations {
    pub fn new(module: &Module) -> Self {
        let mut all = Annotations::default();
        for instruction in &module.debug_names {
            match (instruction.class.opcode, &instruction.operands[..]) {
                (Op::Name, [Operand::IdRef(id), Operand::LiteralString(name)]) => {
                    all.names.insert(*id, name.clone());
                }
                (
                    Op::MemberName,
                    [Operand::IdRef(id), Operand::LiteralBit32(member), Operand::LiteralString(name)],
                ) => {
                    all.member_names.insert((*id, *member), name.clone());
                }
                _ => {}
            }
        }
        // What has no name in the module may have one in the source.
        for (id, name) in coopmat_spirv::debug::names(module) {
            all.names.entry(id).or_insert(name);
        }
        for instruction in &module.annotations {
            let operands = &instruction.operands[..];
            match (instruction.class.opcode, operands) {
                (Op::Decorate | Op::DecorateId | Op::DecorateString, [Operand::IdRef(id), rest @ ..]) => {
                    all.decorations.entry(*id).or_default().extend(applied(rest));
                }
                (
                    Op::MemberDecorate | Op::MemberDecorateString | Op::MemberDecorateIdEXT,
                    [Operand::IdRef(id), Operand::LiteralBit32(member), rest @ ..],
                ) => {
                    all.member_decorations.entry((*id, *member)).or_default().extend(applied(rest));
                }
                (Op::GroupDecorate, [Operand::IdRef(group), targets @ ..]) => {
                    let group = all.decorations.get(group).cloned().unwrap_or_default();
                    for target in targets {
                        if let Operand::IdRef(id) = target {
                            all.decorations.entry(*id).or_default().extend(group.iter().cloned());
                        }
                    }
                }
                _ => {}
            }
        }
        all
    }

    pub fn name(&self, id: u32) -> Option<&str> {
        self.names.get(&id).map(String::as_str).filter(|name| !name.is_empty())
    }

    pub fn member_name(&self, id: u32, member: u32) -> Option<&str> {
        self.member_names.get(&(id, member)).map(String::as_str)
    }

    pub fn find(&self, id: u32, decoration: Decoration) -> Option<&Applied> {
        self.decorations.get(&id)?.iter().find(|applied| applied.decoration == decoration)
    }

    pub fn has(&self, id: u32, decoration: Decoration) -> bool {
        self.find(id, decoration).is_some()
    }

    /// The first literal of a decoration.
    pub fn literal(&self, id: u32, decoration: Decoration) -> Option<u32> {
        self.find(id, decoration)?.literals.first().copied()
    }

    pub fn of_member(&self, id: u32, member: u32, decoration: Decoration) -> Option<&Applied> {
        let list = self.member_decorations.get(&(id, member))?;
        list.iter().find(|applied| applied.decoration == decoration)
    }

    pub fn builtin(&self, id: u32) -> Option<BuiltIn> {
        BuiltIn::from_u32(self.literal(id, Decoration::BuiltIn)?)
    }
}
