//! Blocks of a function as a graph.

use coopmat_spirv::tracked::{TrackedBlock, TrackedFunction};
use rspirv::dr::Operand;
use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::unit::id_at;

/// Blocks by their place in the function.
pub(super) struct Cfg {
    pub index: FxHashMap<Word, usize>,
    pub successors: Vec<SmallVec<[usize; 2]>>,
    /// Each block once, however many ways lead from it.
    pub predecessors: Vec<SmallVec<[usize; 2]>>,
    /// The blocks that the first one reaches, each before what follows it except along back edges.
    pub order: Vec<usize>,
    pub reachable: Vec<bool>,
}

/// What an `OpSelectionMerge` or `OpLoopMerge` says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Merge {
    pub merge: Word,
    /// Of a loop.
    pub target: Option<Word>,
}

/// The labels that a block's last instruction leads to.
pub(super) fn targets(block: &TrackedBlock) -> SmallVec<[Word; 2]> {
    let Some(last) = block.lines.last() else { return SmallVec::new() };
    let ids = last.operands.iter().map(|operand| match operand {
        Operand::IdRef(id) => Some(*id),
        _ => None,
    });
    match last.class.opcode {
        Op::Branch => ids.take(1).flatten().collect(),
        Op::BranchConditional => ids.skip(1).take(2).flatten().collect(),
        Op::Switch => ids.skip(1).flatten().collect(),
        _ => SmallVec::new(),
    }
}

pub(super) fn merge(block: &TrackedBlock) -> Option<Merge> {
    let at = block.lines.len().checked_sub(2)?;
    let line = &block.lines[at];
    match line.class.opcode {
        Op::SelectionMerge => Some(Merge { merge: id_at(line, 0)?, target: None }),
        Op::LoopMerge => Some(Merge { merge: id_at(line, 0)?, target: Some(id_at(line, 1)?) }),
        _ => None,
    }
}

impl Cfg {
    /// Nothing where a block has no label, or a branch leads nowhere.
    pub fn new(function: &TrackedFunction) -> Option<Cfg> {
        let blocks = &function.blocks;
        let mut index = FxHashMap::default();
        for (at, block) in blocks.iter().enumerate() {
            if index.insert(block.id()?, at).is_some() {
                return None;
            }
        }
        let mut successors = Vec::with_capacity(blocks.len());
        for block in blocks {
            let targets: Option<SmallVec<[usize; 2]>> =
                targets(block).iter().map(|label| index.get(label).copied()).collect();
            successors.push(targets?);
        }
        let mut predecessors: Vec<SmallVec<[usize; 2]>> = vec![SmallVec::new(); blocks.len()];
        for (from, targets) in successors.iter().enumerate() {
            for &to in targets {
                if predecessors[to].last() != Some(&from) {
                    predecessors[to].push(from);
                }
            }
        }
        let mut reachable = vec![false; blocks.len()];
        let mut order = Vec::with_capacity(blocks.len());
        if !blocks.is_empty() {
            reachable[0] = true;
            let mut stack = vec![(0, 0)];
            while let Some((block, next)) = stack.last_mut() {
                match successors[*block].get(*next) {
                    Some(&to) => {
                        *next += 1;
                        if !reachable[to] {
                            reachable[to] = true;
                            stack.push((to, 0));
                        }
                    }
                    None => {
                        order.push(*block);
                        stack.pop();
                    }
                }
            }
            order.reverse();
        }
        Some(Cfg { index, successors, predecessors, order, reachable })
    }

    /// The immediate dominator of each block that is reached; the first block's is itself. (Cooper, Harvey, Kennedy: "A Simple,
    /// Fast Dominance Algorithm")
    pub fn dominators(&self) -> Vec<Option<usize>> {
        let mut place = vec![usize::MAX; self.successors.len()];
        for (at, &block) in self.order.iter().enumerate() {
            place[block] = at;
        }
        let mut dominators: Vec<Option<usize>> = vec![None; self.successors.len()];
        let Some(&first) = self.order.first() else { return dominators };
        dominators[first] = Some(first);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &self.order[1..] {
                let mut found: Option<usize> = None;
                for &from in &self.predecessors[block] {
                    if dominators[from].is_none() {
                        continue;
                    }
                    found = Some(match found {
                        None => from,
                        Some(mut other) => {
                            let mut from = from;
                            while from != other {
                                if place[from] > place[other] {
                                    from = dominators[from].unwrap_or(first);
                                } else {
                                    other = dominators[other].unwrap_or(first);
                                }
                            }
                            from
                        }
                    });
                }
                if dominators[block] != found {
                    dominators[block] = found;
                    changed = true;
                }
            }
        }
        dominators
    }

    /// Where the dominance of each block ends.
    pub fn frontiers(&self, dominators: &[Option<usize>]) -> Vec<Vec<usize>> {
        let mut frontiers: Vec<Vec<usize>> = vec![Vec::new(); self.successors.len()];
        for &block in &self.order {
            if self.predecessors[block].len() < 2 {
                continue;
            }
            for &from in &self.predecessors[block] {
                let mut at = from;
                while dominators[at].is_some() && Some(at) != dominators[block] {
                    if frontiers[at].last() != Some(&block) {
                        frontiers[at].push(block);
                    }
                    let Some(up) = dominators[at].filter(|&up| up != at) else { break };
                    at = up;
                }
            }
        }
        frontiers
    }
}
