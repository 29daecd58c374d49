//! The blocks of a module that can be reached, where constants decide about branches.

use std::collections::{BTreeMap, BTreeSet};

use coopmat_spirv::dr::{Block, Function, Module, Operand};
use coopmat_spirv::spirv::{Op, Word};

use super::values::{Given, Values, id};

/// The module without blocks that specialization leaves unused, and without functions that only these call. What is left may name blocks that are
/// gone: it is made to be looked at, not to be run.
pub fn live(module: &Module, workgroup_size: [u32; 3], subgroup_size: u32) -> Module {
    let values = Values::new(module, workgroup_size, subgroup_size);
    let functions: BTreeMap<Word, &Function> = module
        .functions
        .iter()
        .filter_map(|function| Some((function.def.as_ref()?.result_id?, function)))
        .collect();
    let mut reached: BTreeMap<Word, BTreeSet<Word>> = BTreeMap::new();
    let mut left: Vec<Word> =
        module.entry_points.iter().filter_map(|entry| id(entry.operands.get(1))).collect();
    while let Some(name) = left.pop() {
        let Some(function) = functions.get(&name).filter(|_| !reached.contains_key(&name)) else { continue };
        let blocks = reachable(function, &values);
        for block in
            function.blocks.iter().filter(|block| label(block).is_some_and(|it| blocks.contains(&it)))
        {
            let calls = block.instructions.iter().filter(|it| it.class.opcode == Op::FunctionCall);
            left.extend(calls.filter_map(|call| id(call.operands.first())));
        }
        reached.insert(name, blocks);
    }
    let mut module = module.clone();
    let name = |function: &Function| function.def.as_ref().and_then(|def| def.result_id);
    module.functions.retain(|function| name(function).is_some_and(|name| reached.contains_key(&name)));
    for function in &mut module.functions {
        let Some(blocks) = name(function).and_then(|name| reached.get(&name)) else { continue };
        function.blocks.retain(|block| label(block).is_some_and(|it| blocks.contains(&it)));
    }
    module
}

fn label(block: &Block) -> Option<Word> {
    block.label.as_ref().and_then(|label| label.result_id)
}

fn reachable(function: &Function, values: &Values<'_>) -> BTreeSet<Word> {
    let by_label: BTreeMap<Word, &Block> =
        function.blocks.iter().filter_map(|block| Some((label(block)?, block))).collect();
    let nothing = Given { everywhere: true, ..Given::default() };
    let mut reached = BTreeSet::new();
    let mut left: Vec<Word> = function.blocks.first().and_then(label).into_iter().collect();
    while let Some(at) = left.pop() {
        if !reached.insert(at) {
            continue;
        }
        let Some(last) = by_label.get(&at).and_then(|block| block.instructions.last()) else { continue };
        let to = |index: usize| id(last.operands.get(index));
        let decided = || values.value(to(0)?, &nothing);
        match last.class.opcode {
            Op::Branch => left.extend(to(0)),
            Op::BranchConditional => match decided() {
                Some(truth) => left.extend(to(if truth != 0 { 1 } else { 2 })),
                None => left.extend([to(1), to(2)].into_iter().flatten()),
            },
            Op::Switch => {
                // Selector, default, then literals with their labels.
                let cases = last.operands.get(2..).unwrap_or_default().chunks(2);
                let cases = cases.filter_map(|case| {
                    let literal = match case.first()? {
                        Operand::LiteralBit32(bits) => i64::from(*bits),
                        Operand::LiteralBit64(bits) => *bits as i64,
                        _ => return None,
                    };
                    Some((literal, id(case.get(1))?))
                });
                let cases: Vec<(i64, Word)> = cases.collect();
                match decided() {
                    Some(chosen) => {
                        let case = cases.iter().find(|(literal, _)| *literal == chosen);
                        left.extend(case.map(|(_, label)| *label).or_else(|| to(1)));
                    }
                    None => left.extend(cases.into_iter().map(|(_, label)| label).chain(to(1))),
                }
            }
            _ => {}
        }
    }
    reached
}
