//! Branches whose condition is known, blocks that nothing reaches, and blocks in a row.
//!
//! Structured control flow stays valid (SPIR-V 2.11): a selection loses its merge only where what remains of it runs straight to that block, and
//! a loop that is never repeated likewise. Where this cannot be seen, as in a `switch` left from within, the branch stays.

use coopmat_spirv::inst;
use coopmat_spirv::tracked::TrackedFunction;
use rspirv::dr::Operand;
use rspirv::spirv::{Op, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cfg::{Cfg, merge, targets};
use super::unit::{Unit, id_at};

/// How often decisions are tried again when some of them do not hold.
const ROUNDS: usize = 8;

pub(super) fn run(unit: &mut Unit) {
    unit.each_function(|unit, function| {
        if decide(unit, function).is_some() {
            drop_unreached(unit, function);
            join_rows(function);
        }
    });
}

/// The one way that a block goes, where its condition is known.
fn known_target(unit: &Unit, function: &TrackedFunction, at: usize) -> Option<Word> {
    let last = function.blocks[at].lines.last()?;
    match last.class.opcode {
        Op::BranchConditional => {
            let (then, otherwise) = (id_at(last, 1)?, id_at(last, 2)?);
            if then == otherwise {
                return Some(then);
            }
            let (_, condition) = unit.constants.bits(id_at(last, 0)?)?;
            Some(if condition != 0 { then } else { otherwise })
        }
        Op::Switch => {
            let (scalar, selector) = unit.constants.bits(id_at(last, 0)?)?;
            let default = id_at(last, 1)?;
            let cases = last.operands.get(2..)?;
            let mut chosen = default;
            for case in cases.chunks_exact(2) {
                if let [literal, Operand::IdRef(label)] = case
                    && scalar.literal(literal)? == selector
                {
                    chosen = *label;
                    break;
                }
            }
            Some(chosen)
        }
        _ => None,
    }
}

/// Folds branches. Nothing where the function's blocks cannot be followed.
fn decide(unit: &mut Unit, function: &mut TrackedFunction) -> Option<()> {
    let cfg = Cfg::new(function)?;
    let mut chosen: FxHashMap<usize, usize> = FxHashMap::default();
    for &at in &cfg.order {
        if let Some(target) = known_target(unit, function, at).and_then(|label| cfg.index.get(&label)) {
            chosen.insert(at, *target);
        }
    }
    let merges: Vec<Option<super::cfg::Merge>> = function.blocks.iter().map(merge).collect();
    let mut without_merge: FxHashSet<usize> = FxHashSet::default();
    for round in 0..=ROUNDS {
        if round == ROUNDS {
            return Some(());
        }
        let reached = reached(&cfg, &chosen);
        let successors = |at: usize| match chosen.get(&at) {
            Some(target) => std::slice::from_ref(target),
            None => &cfg.successors[at],
        };
        without_merge.clear();
        let mut refused = Vec::new();
        for &at in &cfg.order {
            let Some(structure) = merges[at] else { continue };
            if !reached[at] {
                continue;
            }
            let merge = *cfg.index.get(&structure.merge)?;
            let arrivals = |to: usize| {
                let from = cfg.predecessors[to].iter();
                from.filter(|&&from| from != at && reached[from] && successors(from).contains(&to)).count()
            };
            if let Some(target) = structure.target {
                let target = *cfg.index.get(&target)?;
                // A loop that is repeated stays a loop, whatever its own branch does.
                if cfg.predecessors[at]
                    .iter()
                    .any(|&from| from >= at && reached[from] && successors(from).contains(&at))
                {
                    continue;
                }
                if reached[target] {
                    // It is run once: what remains has to go straight through its end.
                    let plain = match successors(at) {
                        &[next] => {
                            arrivals(target) <= 1
                                && arrivals(merge) <= 1
                                && (next == target || runs_to(function, &cfg, successors, next, target))
                                && runs_to(function, &cfg, successors, target, merge)
                        }
                        _ => false,
                    };
                    if plain {
                        without_merge.insert(at);
                    } else {
                        // What would have led back decides as before.
                        let first = at.min(target);
                        refused.extend(chosen.keys().filter(|&&decided| decided >= first));
                    }
                    continue;
                }
            } else if !chosen.contains_key(&at) {
                continue;
            }
            let others = arrivals(merge);
            let plain = match successors(at) {
                &[next] => {
                    if next == merge {
                        others == 0
                    } else {
                        others == 0 || others == 1 && runs_to(function, &cfg, successors, next, merge)
                    }
                }
                // A loop that is left after its first condition, say.
                _ => false,
            };
            if plain {
                without_merge.insert(at);
            } else if structure.target.is_none() {
                refused.push(at);
            }
        }
        if refused.is_empty() {
            break;
        }
        for at in refused {
            chosen.remove(&at);
        }
    }
    for (&at, &target) in &chosen {
        let label = function.blocks[target].id()?;
        let block = &mut function.blocks[at];
        if let Some(last) = block.lines.last_mut() {
            last.instruction = inst(Op::Branch, None, None, vec![Operand::IdRef(label)]);
        }
    }
    for &at in &without_merge {
        let lines = &mut function.blocks[at].lines;
        if let Some(place) = lines.len().checked_sub(2) {
            lines.remove(place);
        }
    }
    Some(())
}

fn reached(cfg: &Cfg, chosen: &FxHashMap<usize, usize>) -> Vec<bool> {
    let mut reached = vec![false; cfg.successors.len()];
    let mut waiting = vec![0];
    while let Some(at) = waiting.pop() {
        if reached.get(at).is_none_or(|&already| already) {
            continue;
        }
        reached[at] = true;
        match chosen.get(&at) {
            Some(&target) => waiting.push(target),
            None => waiting.extend(&cfg.successors[at]),
        }
    }
    reached
}

/// Whether all that starts at a block ends in another: over whole constructs, without leaving from within one.
fn runs_to<'a>(
    function: &TrackedFunction,
    cfg: &Cfg,
    successors: impl Fn(usize) -> &'a [usize],
    from: usize,
    to: usize,
) -> bool {
    let mut at = from;
    for _ in 0..function.blocks.len() {
        if at == to {
            return true;
        }
        at = match (merge(&function.blocks[at]), successors(at)) {
            (Some(structure), _) => match cfg.index.get(&structure.merge) {
                Some(&next) => next,
                None => return false,
            },
            (None, &[next]) if next > at => next,
            _ => return false,
        };
    }
    false
}

/// Takes out what nothing reaches. What a construct names stays: an empty block as its merge, a way back as the continue target.
fn drop_unreached(unit: &mut Unit, function: &mut TrackedFunction) {
    let Some(cfg) = Cfg::new(function) else { return };
    if cfg.reachable.iter().all(|&reachable| reachable) {
        return;
    }
    let mut merges: FxHashSet<Word> = FxHashSet::default();
    let mut continues: FxHashMap<Word, Word> = FxHashMap::default();
    for (at, block) in function.blocks.iter().enumerate() {
        if let Some(structure) = merge(block).filter(|_| cfg.reachable[at]) {
            merges.insert(structure.merge);
            if let (Some(target), Some(header)) = (structure.target, block.id()) {
                continues.insert(target, header);
            }
        }
    }
    let mut at = 0;
    function.blocks.retain_mut(|block| {
        let reachable = cfg.reachable[at];
        at += 1;
        let Some(label) = block.id() else { return true };
        if reachable {
            return true;
        }
        let ending = match continues.get(&label) {
            Some(&header) => inst(Op::Branch, None, None, vec![Operand::IdRef(header)]),
            None if merges.contains(&label) => inst(Op::Unreachable, None, None, Vec::new()),
            None => return false,
        };
        let origin = block.lines.last().and_then(|last| last.origin);
        block.lines = vec![coopmat_spirv::tracked::Line::new(ending, origin)];
        true
    });
    mend_phis(unit, function);
}

/// Makes each `OpPhi` name the blocks that lead to its own.
fn mend_phis(unit: &mut Unit, function: &mut TrackedFunction) {
    let Some(cfg) = Cfg::new(function) else { return };
    let labels: Vec<Word> = function.blocks.iter().map(|block| block.id().unwrap_or_default()).collect();
    for (at, block) in function.blocks.iter_mut().enumerate() {
        let from: Vec<Word> = cfg.predecessors[at].iter().map(|&from| labels[from]).collect();
        for line in block.lines.iter_mut().take_while(|line| line.class.opcode == Op::Phi) {
            let pairs: FxHashMap<Word, Word> = line
                .operands
                .chunks_exact(2)
                .filter_map(|pair| Some((pair[1].id_ref_any()?, pair[0].id_ref_any()?)))
                .collect();
            let is_reached = |label: Word| cfg.index.get(&label).is_some_and(|&at| cfg.reachable[at]);
            if pairs.len() == from.len()
                && from.iter().all(|&label| pairs.contains_key(&label) && is_reached(label))
            {
                continue;
            }
            let Some(ty) = line.result_type else { continue };
            let mut operands = Vec::with_capacity(from.len() * 2);
            for &label in &from {
                let value = match pairs.get(&label) {
                    // A way back that is never taken brings nothing.
                    Some(&value) if is_reached(label) => Some(value),
                    _ => unit.undefined(ty),
                };
                operands.extend(value.map(Operand::IdRef));
                operands.push(Operand::IdRef(label));
            }
            line.operands = operands;
        }
    }
}

/// Makes one block of two where one always follows the other.
fn join_rows(function: &mut TrackedFunction) {
    let Some(cfg) = Cfg::new(function) else { return };
    let mut named: FxHashSet<Word> = FxHashSet::default();
    for block in &function.blocks {
        if let Some(structure) = merge(block) {
            named.insert(structure.merge);
            named.extend(structure.target);
        }
    }
    let mut gone: FxHashMap<Word, Word> = FxHashMap::default();
    let mut values: FxHashMap<Word, Word> = FxHashMap::default();
    let mut taken = vec![false; function.blocks.len()];
    for at in 0..function.blocks.len() {
        if taken[at] {
            continue;
        }
        loop {
            let block = &function.blocks[at];
            if merge(block).is_some() || block.lines.last().is_none_or(|last| last.class.opcode != Op::Branch)
            {
                break;
            }
            let [next] = *targets(block) else { break };
            let Some(&next_at) = cfg.index.get(&next) else { break };
            let follows = next_at > at
                && !taken[next_at]
                && cfg.predecessors[next_at].len() == 1
                && !named.contains(&next)
                && merge(&function.blocks[next_at]).is_none_or(|structure| structure.target.is_none());
            let Some(label) = block.id().filter(|_| follows) else { break };
            let lines = std::mem::take(&mut function.blocks[next_at].lines);
            taken[next_at] = true;
            gone.insert(next, label);
            let block = &mut function.blocks[at];
            block.lines.pop();
            for line in lines {
                match (line.class.opcode, line.result_id, id_at(&line, 0)) {
                    // It has one way in, so it chooses nothing.
                    (Op::Phi, Some(id), Some(value)) => {
                        values.insert(id, value);
                    }
                    _ => block.lines.push(line),
                }
            }
        }
    }
    if gone.is_empty() {
        return;
    }
    let mut at = 0;
    function.blocks.retain(|_| {
        at += 1;
        !taken[at - 1]
    });
    // An OpPhi that is gone may have taken its value from another.
    let ids: Vec<Word> = values.keys().copied().collect();
    for id in ids {
        let mut value = id;
        for _ in 0..values.len() {
            match values.get(&value) {
                Some(&next) => value = next,
                None => break,
            }
        }
        values.insert(id, value);
    }
    values.extend(gone);
    for line in function.lines_mut() {
        coopmat_spirv::tracked::replace_ids(line, &values);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::optimise::tests::check;

    #[test]
    fn a_condition_that_is_known_chooses_and_blocks_join() {
        check(
            &[super::run],
            "layout(binding = 0) buffer B { int d[]; };
            void main() {
                if (true) { d[0] = 1; } else { d[0] = 2; }
                do { d[1] = 3; } while (false);
                while (false) { d[2] = 4; }
            }",
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                OpSelectionMerge %8 None
                OpBranchConditional %true %7 %9
                %7 = OpLabel
                %18 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_0
                OpStore %18 %int_1
                OpBranch %8
                %9 = OpLabel
                %20 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_0
                OpStore %20 %int_2
                OpBranch %8
                %8 = OpLabel
                OpBranch %21
                %21 = OpLabel
                OpLoopMerge %24 %23 None
                OpBranch %22
                %22 = OpLabel
                %26 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_1
                OpStore %26 %int_3
                OpBranch %23
                %23 = OpLabel
                OpBranchConditional %false %21 %24
                %24 = OpLabel
                OpBranch %28
                %28 = OpLabel
                OpLoopMerge %31 %30 None
                OpBranchConditional %false %29 %31
                %29 = OpLabel
                %33 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_2
                OpStore %33 %int_4
                OpBranch %30
                %30 = OpLabel
                OpBranch %28
                %31 = OpLabel
                OpReturn
                OpFunctionEnd
            "#]],
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                %18 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_0
                OpStore %18 %int_1
                %26 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_1
                OpStore %26 %int_3
                OpReturn
                OpFunctionEnd
            "#]],
        );
    }

    /// Leaving from within needs the merge, so that control flow stays structured.
    #[test]
    fn a_switch_that_is_left_from_within_stays() {
        check(
            &[super::run],
            "layout(binding = 0) buffer B { int d[]; };
            void main() {
                switch (1) {
                case 1:
                    if (d[0] > 0) break;
                    d[1] = 2;
                    break;
                default:
                    d[1] = 3;
                }
            }",
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                OpSelectionMerge %7 None
                OpSwitch %int_1 %9 1 %8
                %8 = OpLabel
                %16 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_0
                %17 = OpLoad %int %16
                %19 = OpSGreaterThan %bool %17 %int_0
                OpSelectionMerge %21 None
                OpBranchConditional %19 %20 %21
                %20 = OpLabel
                OpBranch %7
                %21 = OpLabel
                %23 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_1
                OpStore %23 %int_2
                OpBranch %7
                %9 = OpLabel
                %25 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_1
                OpStore %25 %int_3
                OpBranch %7
                %7 = OpLabel
                OpReturn
                OpFunctionEnd
            "#]],
            expect![[r#"
                %main = OpFunction %void None %3
                %4 = OpLabel
                OpSelectionMerge %7 None
                OpSwitch %int_1 %9 1 %8
                %8 = OpLabel
                %16 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_0
                %17 = OpLoad %int %16
                %19 = OpSGreaterThan %bool %17 %int_0
                OpSelectionMerge %21 None
                OpBranchConditional %19 %20 %21
                %20 = OpLabel
                OpBranch %7
                %21 = OpLabel
                %23 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_1
                OpStore %23 %int_2
                OpBranch %7
                %9 = OpLabel
                %25 = OpAccessChain %_ptr_StorageBuffer_int %_ %int_0 %int_1
                OpStore %25 %int_3
                OpBranch %7
                %7 = OpLabel
                OpReturn
                OpFunctionEnd
            "#]],
        );
    }
}
