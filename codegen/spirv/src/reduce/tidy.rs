//! Takes away what nothing needs: blocks that are never reached, values that nobody uses, functions, variables, types, names.

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use super::change::{rename, targets};
use crate::instruction::{inst, opcode};

/// The module without it.
pub fn tidy(mut module: Module) -> Module {
    loop {
        let before = size(&module);
        for function in &mut module.functions {
            unreached(function);
            joined(function);
        }
        let instead = single_phis(&mut module);
        if !instead.is_empty() {
            rename(&mut module, &instead);
        }
        unused(&mut module);
        if size(&module) == before {
            return module;
        }
    }
}

fn size(module: &Module) -> usize {
    module.all_inst_iter().count()
        + module.entry_points.iter().map(|entry| entry.operands.len()).sum::<usize>()
}

fn label_of(block: &rspirv::dr::Block) -> Option<Word> {
    block.label.as_ref()?.result_id
}

fn ids(instruction: &Instruction) -> impl Iterator<Item = Word> + '_ {
    let operands = instruction.operands.iter().filter_map(|operand| match operand {
        Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => Some(*id),
        _ => None,
    });
    operands.chain(instruction.result_type)
}

/// The merge block and the continue target that a block declares.
fn declared(block: &rspirv::dr::Block) -> (Option<Word>, Option<Word>) {
    let merge =
        block.instructions.iter().find(|it| matches!(it.class.opcode, Op::LoopMerge | Op::SelectionMerge));
    let Some(merge) = merge else { return (None, None) };
    let mut labels = merge.operands.iter().filter_map(|operand| match operand {
        Operand::IdRef(id) => Some(*id),
        _ => None,
    });
    let first = labels.next();
    (first, labels.next().filter(|_| merge.class.opcode == Op::LoopMerge))
}

/// Blocks that are never reached go. Merge blocks and continue targets that are still declared stay, as short as they can be
/// (SPIR-V, 2.11 "Structured Control Flow").
fn unreached(function: &mut Function) {
    let places: FxHashMap<Word, usize> =
        function.blocks.iter().enumerate().filter_map(|(at, block)| Some((label_of(block)?, at))).collect();
    let mut reached = FxHashSet::default();
    let mut next: Vec<Word> = function.blocks.first().and_then(label_of).into_iter().collect();
    while let Some(label) = next.pop() {
        if reached.insert(label)
            && let Some(block) = places.get(&label).and_then(|at| function.blocks.get(*at))
        {
            next.extend(block.instructions.last().map(targets).unwrap_or_default());
        }
    }
    let mut kept: FxHashMap<Word, Option<Word>> = FxHashMap::default();
    for block in &function.blocks {
        let Some(label) = label_of(block).filter(|label| reached.contains(label)) else { continue };
        let (merge, target) = declared(block);
        kept.extend(merge.map(|merge| (merge, None)));
        kept.extend(target.map(|target| (target, Some(label))));
    }
    function.blocks.retain_mut(|block| {
        let Some(label) = label_of(block) else { return false };
        if reached.contains(&label) {
            return true;
        }
        let Some(header) = kept.get(&label) else { return false };
        block.instructions = vec![match header {
            Some(header) => inst(Op::Branch, None, None, vec![Operand::IdRef(*header)]),
            None => inst(Op::Unreachable, None, None, vec![]),
        }];
        true
    });
    let mut predecessors: FxHashMap<Word, FxHashSet<Word>> = FxHashMap::default();
    for block in &function.blocks {
        let (Some(label), Some(last)) = (label_of(block), block.instructions.last()) else { continue };
        for target in targets(last) {
            predecessors.entry(target).or_default().insert(label);
        }
    }
    for block in &mut function.blocks {
        let Some(from) = label_of(block).and_then(|label| predecessors.get(&label)) else { continue };
        for phi in block.instructions.iter_mut().filter(|it| it.class.opcode == Op::Phi) {
            let pairs = phi
                .operands
                .chunks(2)
                .filter(|pair| matches!(pair, [_, Operand::IdRef(parent)] if from.contains(parent)));
            phi.operands = pairs.flatten().cloned().collect();
        }
    }
}

/// Blocks that follow one another, and nothing else leads to, become one.
fn joined(function: &mut Function) {
    loop {
        let mut leads: FxHashMap<Word, usize> = FxHashMap::default();
        let mut structure = FxHashSet::default();
        for block in &function.blocks {
            for target in block.instructions.last().map(targets).unwrap_or_default() {
                *leads.entry(target).or_default() += 1;
            }
            let (merge, target) = declared(block);
            structure.extend(merge.into_iter().chain(target));
        }
        let pair = function.blocks.iter().enumerate().find_map(|(at, block)| {
            let last = block.instructions.last().filter(|last| last.class.opcode == Op::Branch)?;
            let next = *targets(last).first()?;
            let alone =
                leads.get(&next) == Some(&1) && !structure.contains(&next) && declared(block).0.is_none();
            let other = function.blocks.iter().position(|block| label_of(block) == Some(next))?;
            let has_phi =
                function.blocks.get(other)?.instructions.iter().any(|it| it.class.opcode == Op::Phi);
            (alone && other != at && !has_phi).then_some((at, other))
        });
        let Some((at, other)) = pair else { return };
        let next = function.blocks.remove(other);
        let at = if other < at { at - 1 } else { at };
        let (Some(own), Some(gone)) = (function.blocks.get(at).and_then(label_of), label_of(&next)) else {
            return;
        };
        if let Some(block) = function.blocks.get_mut(at) {
            block.instructions.pop();
            block.instructions.extend(next.instructions);
        }
        let phis = function.blocks.iter_mut().flat_map(|block| &mut block.instructions);
        for operand in phis.filter(|it| it.class.opcode == Op::Phi).flat_map(|phi| &mut phi.operands) {
            if *operand == Operand::IdRef(gone) {
                *operand = Operand::IdRef(own);
            }
        }
    }
}

/// Takes phis of one way out, and says what stands for them.
fn single_phis(module: &mut Module) -> FxHashMap<Word, Word> {
    let mut instead = FxHashMap::default();
    for block in module.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        block.instructions.retain(|instruction| {
            match (instruction.class.opcode, instruction.operands.as_slice(), instruction.result_id) {
                (Op::Phi, [Operand::IdRef(value), _], Some(id)) if *value != id => {
                    instead.insert(id, *value);
                    false
                }
                _ => true,
            }
        });
    }
    instead
}

/// Whether an instruction matters though nobody uses what it gives.
fn acts(instruction: &Instruction) -> bool {
    let opcode = opcode(instruction);
    // Frexp and Modf of GLSL.std.450 write through a pointer; other sets may do anything.
    let extended = instruction.class.opcode == Op::ExtInst
        && !matches!(instruction.operands.get(1), Some(Operand::LiteralExtInstInteger(number)) if !matches!(number, 35 | 51));
    instruction.result_id.is_none()
        || matches!(instruction.class.opcode, Op::FunctionCall | Op::FunctionParameter)
        || opcode.name().starts_with("Atomic")
        || extended
}

/// Values, functions, globals, names and decorations of what is gone.
fn unused(module: &mut Module) {
    loop {
        let mut used: FxHashSet<Word> = FxHashSet::default();
        for instruction in module.entry_points.iter() {
            used.extend(instruction.operands.iter().take(2).filter_map(|operand| match operand {
                Operand::IdRef(id) => Some(*id),
                _ => None,
            }));
        }
        for instruction in module.execution_modes.iter().chain(&module.types_global_values) {
            used.extend(ids(instruction));
        }
        // An id that a decoration names besides its target is needed while the target is.
        for instruction in &module.annotations {
            used.extend(ids(instruction).skip(1));
        }
        for function in &module.functions {
            used.extend(function.def.iter().chain(&function.parameters).flat_map(ids));
            used.extend(function.blocks.iter().flat_map(|block| &block.instructions).flat_map(ids));
        }
        used.extend(module.debug_string_source.iter().flat_map(ids));
        let mut gone = false;
        module.debug_string_source.retain(|it| it.result_id.is_none_or(|id| used.contains(&id)));
        for block in module.functions.iter_mut().flat_map(|function| &mut function.blocks) {
            let before = block.instructions.len();
            block.instructions.retain(|it| acts(it) || it.result_id.is_some_and(|id| used.contains(&id)));
            gone |= block.instructions.len() < before;
        }
        let id_of = |function: &Function| function.def.as_ref().and_then(|def| def.result_id);
        let before = module.functions.len() + module.types_global_values.len();
        module.functions.retain(|function| id_of(function).is_some_and(|id| used.contains(&id)));
        module.types_global_values.retain(|it| it.result_id.is_none_or(|id| used.contains(&id)));
        gone |= module.functions.len() + module.types_global_values.len() < before;
        let there: FxHashSet<Word> = module.all_inst_iter().filter_map(|it| it.result_id).collect();
        for entry in &mut module.entry_points {
            let mut at = 0;
            // The model, the function and the name come first.
            entry.operands.retain(|operand| {
                at += 1;
                at <= 3 || !matches!(operand, Operand::IdRef(id) if !there.contains(id))
            });
        }
        let is_there = |instruction: &Instruction| match instruction.operands.first() {
            Some(Operand::IdRef(id)) => there.contains(id),
            _ => true,
        };
        for list in [&mut module.debug_names, &mut module.annotations] {
            let before = list.len();
            list.retain(is_there);
            gone |= list.len() < before;
        }
        lines(module);
        if !gone {
            return;
        }
    }
}

/// `OpLine` of nothing: the last one before an instruction counts.
fn lines(module: &mut Module) {
    for block in module.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        let is_line: Vec<bool> =
            block.instructions.iter().map(|it| matches!(it.class.opcode, Op::Line | Op::NoLine)).collect();
        let mut at = 0;
        block.instructions.retain(|_| {
            at += 1;
            !(is_line.get(at - 1) == Some(&true) && is_line.get(at) == Some(&true))
        });
    }
}
