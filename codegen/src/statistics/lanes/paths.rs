//! Which blocks of a function only some lanes of a subgroup may execute at once.
//!
//! Where lanes take different ways, what lies between the branch and its merge block is executed by some of them. A way that leaves the construct - `break`,
//! `continue`, `return` - makes this last to the end of the loop around, or of the function (SPIR-V, "Structured Control Flow").

use std::collections::BTreeSet;

use rspirv::dr::{Block, Function, Operand};
use rspirv::spirv::{Op, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::statistics::index::id;

/// The ways of a function.
pub(super) struct Paths {
    by_label: FxHashMap<Word, usize>,
    successors: Vec<Vec<usize>>,
    /// Of a block that ends in a selection, where its ways meet.
    merges: Vec<Option<usize>>,
    /// Merge block and blocks of the innermost loop around each block.
    loops: Vec<Option<(usize, usize)>>,
    ends: Vec<bool>,
}

fn merge_of(block: &Block, op: Op) -> Option<Word> {
    let at = block.instructions.len().checked_sub(2)?;
    let line = block.instructions.get(at).filter(|line| line.class.opcode == op)?;
    id(line.operands.first())
}

fn targets(block: &Block) -> Vec<Word> {
    let Some(last) = block.instructions.last() else { return Vec::new() };
    let skipped = match last.class.opcode {
        Op::Branch => 0,
        Op::BranchConditional | Op::Switch => 1,
        _ => return Vec::new(),
    };
    let ids = last.operands.iter().skip(skipped).filter_map(|operand| match operand {
        Operand::IdRef(id) => Some(*id),
        _ => None,
    });
    ids.collect()
}

impl Paths {
    pub fn new(function: &Function) -> Paths {
        let blocks = &function.blocks;
        let labels = blocks.iter().enumerate().filter_map(|(at, block)| Some((block.label_id()?, at)));
        let by_label: FxHashMap<Word, usize> = labels.collect();
        let place = |label: Word| by_label.get(&label).copied();
        let successors: Vec<Vec<usize>> =
            blocks.iter().map(|block| targets(block).into_iter().filter_map(place).collect()).collect();
        let merges = blocks.iter().map(|block| place(merge_of(block, Op::SelectionMerge)?)).collect();
        let ends = blocks.iter().map(|block| {
            let last = block.instructions.last().map(|line| line.class.opcode);
            !matches!(last, Some(Op::Branch | Op::BranchConditional | Op::Switch | Op::Unreachable))
        });
        let ends = ends.collect();
        let mut paths = Paths { by_label, successors, merges, loops: vec![None; blocks.len()], ends };
        let mut found: Vec<(usize, usize, FxHashSet<usize>)> = Vec::new();
        for (header, block) in blocks.iter().enumerate() {
            if let Some(merge) = merge_of(block, Op::LoopMerge).and_then(|it| paths.block(it)) {
                let mut inside = paths.reach(&[header], Some(merge));
                inside.insert(header);
                found.push((header, merge, inside));
            }
        }
        // The innermost loop is the smallest.
        for at in 0..blocks.len() {
            let around = found.iter().filter(|(_, _, inside)| inside.contains(&at));
            paths.loops[at] = around.min_by_key(|(_, _, inside)| inside.len()).map(|it| (it.0, it.1));
        }
        paths
    }

    pub fn block(&self, label: Word) -> Option<usize> {
        self.by_label.get(&label).copied()
    }

    pub fn successors(&self, block: usize) -> &[usize] {
        &self.successors[block]
    }

    fn reach(&self, from: &[usize], stop: Option<usize>) -> FxHashSet<usize> {
        let mut seen = FxHashSet::default();
        let mut todo = from.to_vec();
        while let Some(at) = todo.pop() {
            if Some(at) != stop && seen.insert(at) {
                todo.extend(&self.successors[at]);
            }
        }
        seen
    }

    /// The blocks that only some lanes may execute, if they part behind this one, and those where lanes meet again that came on different ways.
    pub fn apart(&self, block: usize) -> (FxHashSet<usize>, Vec<usize>) {
        let (between, end) = self.between(block);
        let mut meeting = self.meeting(block, &between, end);
        meeting.extend(end);
        (between, meeting)
    }

    /// The blocks of which some ways from a branch lead to and others past it, and the one where all ways end, if there is one.
    fn between(&self, block: usize) -> (FxHashSet<usize>, Option<usize>) {
        let from = &self.successors[block];
        let within = |blocks: &FxHashSet<usize>| !blocks.iter().any(|at| self.ends[*at]);
        let around = self.loops[block];
        if let Some(merge) = self.merges[block] {
            let between = self.reach(from, Some(merge));
            let stays =
                around.is_none_or(|(header, out)| !between.contains(&header) && !between.contains(&out));
            if stays && within(&between) {
                return (between, Some(merge));
            }
        }
        if let Some((_, out)) = around {
            let between = self.reach(from, Some(out));
            if within(&between) {
                return (between, Some(out));
            }
        }
        (self.reach(from, None), None)
    }

    /// The blocks before the end where ways from a branch meet: some of those that lead to it came on another way than the rest.
    fn meeting(&self, branch: usize, between: &FxHashSet<usize>, end: Option<usize>) -> Vec<usize> {
        // By which ways out of the branch a block is reached, without passing it again.
        let mut ways: FxHashMap<usize, BTreeSet<usize>> = FxHashMap::default();
        for (way, first) in self.successors[branch].iter().enumerate() {
            let mut seen = FxHashSet::default();
            let mut todo = vec![*first];
            while let Some(at) = todo.pop() {
                if Some(at) != end && at != branch && seen.insert(at) {
                    ways.entry(at).or_default().insert(way);
                    todo.extend(&self.successors[at]);
                }
            }
        }
        let mut meeting: BTreeSet<usize> = BTreeSet::new();
        for at in between.iter().filter(|at| **at != branch) {
            let Some(own) = ways.get(at) else { continue };
            for next in self.successors[*at].iter().filter(|next| between.contains(next)) {
                if ways.get(next).is_some_and(|ways| ways != own) {
                    meeting.insert(*next);
                }
            }
        }
        for (way, first) in self.successors[branch].iter().enumerate() {
            if ways.get(first).is_some_and(|ways| *ways != BTreeSet::from([way])) {
                meeting.insert(*first);
            }
        }
        meeting.into_iter().collect()
    }
}
