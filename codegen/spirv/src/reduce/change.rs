//! What can be taken out of a module, one thing at a time, and the module without several of them.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashMap;

use crate::instruction::{inst, opcode};

/// What is tried together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Conditional branches take one of their ways always.
    Branch,
    /// Loops whose continue construct is never reached are none.
    Loop,
    /// Instructions without a result: stores, barriers.
    Effect,
    /// Values are zeros.
    Zero,
    /// Values are one of their operands.
    Operand,
}

impl Kind {
    /// In the order in which they are tried.
    pub const ALL: [Kind; 5] = [Kind::Branch, Kind::Loop, Kind::Effect, Kind::Zero, Kind::Operand];
}

/// One thing that can be taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The block that ends with a conditional branch goes on there.
    To { block: Word, target: Word },
    /// The block is no loop's header any more.
    Unloop { block: Word },
    /// An instruction of a block, by its place there.
    Remove { block: Word, at: usize },
    /// A value is the zero of its type.
    Zero { value: Word },
    /// A value is another one.
    Is { value: Word, other: Word },
}

/// Every change of a kind that a module has, in its order.
pub fn sites(module: &Module, kind: Kind) -> Vec<Change> {
    let types = types(module);
    let mut sites = Vec::new();
    for block in module.functions.iter().flat_map(|function| &function.blocks) {
        let Some(label) = block.label.as_ref().and_then(|label| label.result_id) else { continue };
        for (at, instruction) in block.instructions.iter().enumerate() {
            let known = instruction.class.opcode;
            match kind {
                Kind::Branch => {
                    let targets = targets(instruction);
                    if targets.len() > 1 {
                        sites.extend(targets.into_iter().map(|target| Change::To { block: label, target }));
                    }
                }
                Kind::Loop if known == Op::LoopMerge => sites.push(Change::Unloop { block: label }),
                Kind::Effect if instruction.result_id.is_none() && !is_structure(known) => {
                    sites.push(Change::Remove { block: label, at });
                }
                // A call is one, whatever becomes of what it gives.
                Kind::Effect if known == Op::FunctionCall && !is_zeroed(instruction, &types) => {
                    sites.push(Change::Remove { block: label, at });
                }
                Kind::Zero if is_zeroed(instruction, &types) => {
                    sites.extend(instruction.result_id.map(|value| Change::Zero { value }));
                }
                Kind::Operand if known != Op::Phi => {
                    let Some(value) = instruction.result_id else { continue };
                    let same = instruction.operands.iter().filter_map(|operand| match operand {
                        Operand::IdRef(id) => {
                            types.get(id).filter(|(ty, _)| Some(*ty) == instruction.result_type).map(|_| *id)
                        }
                        _ => None,
                    });
                    sites.extend(same.take(2).map(|other| Change::Is { value, other }));
                }
                _ => {}
            }
        }
    }
    sites
}

/// The module with all of these changes. What nothing needs any more is still there.
pub fn apply(base: &Module, changes: &[Change]) -> Module {
    let mut module = base.clone();
    let mut zeros: FxHashMap<Word, Word> = FxHashMap::default();
    let mut instead: FxHashMap<Word, Word> = FxHashMap::default();
    let mut to: FxHashMap<Word, Word> = FxHashMap::default();
    let mut removed: FxHashMap<Word, Vec<usize>> = FxHashMap::default();
    let mut unlooped: Vec<Word> = Vec::new();
    let types = types(base);
    let mut bound = base.header.as_ref().map_or(0, |header| header.bound);
    for change in changes {
        match *change {
            Change::To { block, target } => {
                to.entry(block).or_insert(target);
            }
            Change::Unloop { block } => unlooped.push(block),
            Change::Remove { block, at } => removed.entry(block).or_default().push(at),
            Change::Zero { value } => {
                let Some((ty, _)) = types.get(&value) else { continue };
                let zero = *zeros.entry(*ty).or_insert_with(|| {
                    let zero = bound;
                    bound += 1;
                    module.types_global_values.push(inst(Op::ConstantNull, Some(*ty), Some(zero), vec![]));
                    zero
                });
                instead.insert(value, zero);
            }
            Change::Is { value, other } => {
                instead.entry(value).or_insert(other);
            }
        }
    }
    if let Some(header) = &mut module.header {
        header.bound = bound;
    }
    for block in module.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        let Some(label) = block.label.as_ref().and_then(|label| label.result_id) else { continue };
        let gone = removed.get(&label);
        let target = to.get(&label);
        let unloop = unlooped.contains(&label);
        let mut at = 0;
        block.instructions.retain_mut(|instruction| {
            let own = at;
            at += 1;
            if gone.is_some_and(|gone| gone.contains(&own))
                || instruction.result_id.is_some_and(|id| instead.contains_key(&id))
            {
                return false;
            }
            match (instruction.class.opcode, target) {
                (Op::LoopMerge, _) if unloop => false,
                (Op::SelectionMerge, Some(_)) => false,
                // A loop that is left at once is none.
                (Op::LoopMerge, Some(target)) => {
                    instruction.operands.first() != Some(&Operand::IdRef(*target))
                }
                (Op::BranchConditional | Op::Switch, Some(target)) => {
                    *instruction = inst(Op::Branch, None, None, vec![Operand::IdRef(*target)]);
                    true
                }
                _ => true,
            }
        });
    }
    if !instead.is_empty() {
        rename(&mut module, &instead);
    }
    module
}

/// Every id that is another one now stands for it.
pub fn rename(module: &mut Module, instead: &FxHashMap<Word, Word>) {
    let end = |mut id: Word| {
        // Two values may have been said to be each other.
        for _ in 0..=instead.len() {
            match instead.get(&id) {
                Some(other) => id = *other,
                None => break,
            }
        }
        id
    };
    for block in module.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        for operand in block.instructions.iter_mut().flat_map(|instruction| &mut instruction.operands) {
            if let Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) = operand {
                *id = end(*id);
            }
        }
    }
}

/// Where a block goes on.
pub fn targets(terminator: &Instruction) -> Vec<Word> {
    let ids = terminator.operands.iter().filter_map(|operand| match operand {
        Operand::IdRef(id) => Some(*id),
        _ => None,
    });
    match terminator.class.opcode {
        Op::Branch => ids.collect(),
        Op::BranchConditional => ids.skip(1).take(2).collect(),
        Op::Switch => ids.skip(1).collect(),
        _ => Vec::new(),
    }
}

/// What a block cannot do without, or tells nothing to take out.
fn is_structure(known: Op) -> bool {
    matches!(
        known,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Unreachable
            | Op::Kill
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::Line
            | Op::NoLine
    )
}

/// The types of values and parameters, with the opcode of each type.
fn types(module: &Module) -> FxHashMap<Word, (Word, Op)> {
    let declared: FxHashMap<Word, Op> = module
        .types_global_values
        .iter()
        .filter_map(|instruction| Some((instruction.result_id?, instruction.class.opcode)))
        .collect();
    let all = module.all_inst_iter().filter_map(|instruction| {
        let (id, ty) = (instruction.result_id?, instruction.result_type?);
        Some((id, (ty, *declared.get(&ty)?)))
    });
    all.collect()
}

/// Whether a value can be the zero of its type.
fn is_zeroed(instruction: &Instruction, types: &FxHashMap<Word, (Word, Op)>) -> bool {
    let Some(&(_, ty)) = instruction.result_id.and_then(|id| types.get(&id)) else { return false };
    let fits = matches!(
        ty,
        Op::TypeBool
            | Op::TypeInt
            | Op::TypeFloat
            | Op::TypeVector
            | Op::TypeMatrix
            | Op::TypeArray
            | Op::TypeStruct
            | Op::TypeCooperativeMatrixKHR
            | Op::TypeCooperativeVectorNV
    );
    fits && opcode(instruction) != Op::Variable && instruction.class.opcode != Op::FunctionParameter
}
