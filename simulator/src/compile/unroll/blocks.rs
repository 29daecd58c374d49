//! Walks through the blocks of a function in their order with what is known, and copies the blocks of loops for each turn.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::effects::effects;
use super::super::planes::{Run, edges};
use super::super::refusal::Refusal;
use super::Made;
use super::known::{Evaluator, Known, calls};
use crate::code::{Instruction, MemoryInstruction};
use crate::program::{Block, Edge, Terminator};

/// The most turns of a loop that is unrolled.
const MOST_TURNS: u32 = 64;
/// How much larger a function may become: this many instructions, and a multiple of what it has.
const ALLOWANCE: usize = 2000;
const GROWTH: usize = 3;

/// Where copies of blocks are: at one turn of a loop, or outside of all that are unrolled.
struct Turn {
    parent: u32,
    first: u32,
    end: u32,
    /// Labels of the loop's first block at this turn and at the next one.
    own: u32,
    next: u32,
}

const OUTSIDE: u32 = 0;
const NOWHERE: u32 = u32::MAX;

/// What is known where blocks begin that come later.
type Waiting = BTreeMap<u32, Known>;

pub(super) struct Unroller<'u, 'p> {
    evaluator: &'u mut Evaluator<'p>,
    blocks: &'u [Block],
    /// For the first block of each loop, where the loop ends.
    loops: FxHashMap<u32, u32>,
    /// Loops that stay.
    staying: FxHashSet<u32>,
    turns: Vec<Turn>,
    /// For each label, the place of its block.
    labels: Vec<u32>,
    places: FxHashMap<(u32, u32), u32>,
    /// Edges lead to labels.
    made: Vec<Made>,
    size: usize,
    most: usize,
}

impl<'u, 'p> Unroller<'u, 'p> {
    pub fn new(evaluator: &'u mut Evaluator<'p>, blocks: &'u [Block]) -> Self {
        let size: usize = blocks.iter().map(|block| block.origins.len()).sum();
        let all = blocks.len() as u32;
        Unroller {
            evaluator,
            blocks,
            loops: loops(blocks),
            staying: FxHashSet::default(),
            turns: vec![Turn { parent: OUTSIDE, first: 0, end: all, own: NOWHERE, next: NOWHERE }],
            labels: Vec::new(),
            places: FxHashMap::default(),
            made: Vec::new(),
            size: 0,
            most: ALLOWANCE + GROWTH * size,
        }
    }

    /// The blocks of the function, unrolled.
    pub fn unroll(mut self) -> Result<Vec<Made>, Refusal> {
        let mut waiting = Waiting::from([(0, Known::default())]);
        self.walk(OUTSIDE, (0, self.blocks.len() as u32), &mut waiting)?;
        let Unroller { mut made, labels, .. } = self;
        for made in &mut made {
            for edge in edges_mut(&mut made.block.terminator) {
                edge.block = labels[edge.block as usize];
            }
        }
        Ok(made)
    }

    fn label(&mut self) -> u32 {
        self.labels.push(NOWHERE);
        self.labels.len() as u32 - 1
    }

    /// The label of a block, for an edge within a turn.
    fn label_of(&mut self, mut turn: u32, block: u32) -> u32 {
        while turn != OUTSIDE {
            let at = &self.turns[turn as usize];
            if block == at.first {
                return at.next;
            }
            if (at.first..at.end).contains(&block) {
                break;
            }
            turn = at.parent;
        }
        if let Some(&label) = self.places.get(&(turn, block)) {
            return label;
        }
        let label = self.label();
        self.places.insert((turn, block), label);
        label
    }

    /// Whether an edge from a turn to a block begins the next turn of one of the loops around it.
    fn is_next_turn(&self, mut turn: u32, block: u32) -> bool {
        while turn != OUTSIDE {
            let at = &self.turns[turn as usize];
            if at.first == block {
                return true;
            }
            turn = at.parent;
        }
        false
    }

    /// Copies blocks; whether an edge that leads out of the turn's loop was known to be taken or not.
    fn walk(&mut self, turn: u32, (first, end): (u32, u32), waiting: &mut Waiting) -> Result<bool, Refusal> {
        let mut decided = false;
        for block in first..end {
            let Some(mut known) = waiting.remove(&block) else { continue };
            let around = &self.turns[turn as usize];
            if let Some(&end) = self.loops.get(&block)
                && (turn == OUTSIDE || around.first != block)
            {
                if end <= around.end && self.turns_of(turn, (block, end), &known, waiting)? {
                    continue;
                }
                self.forget_written(&mut known, block, end)?;
            }
            decided |= self.copy(turn, block, known, waiting)?;
        }
        Ok(decided)
    }

    /// Unrolls a loop; false, and nothing done, where that is not known or not worth it.
    fn turns_of(
        &mut self,
        parent: u32,
        (first, end): (u32, u32),
        known: &Known,
        waiting: &mut Waiting,
    ) -> Result<bool, Refusal> {
        if self.staying.contains(&first) {
            return Ok(false);
        }
        let (count, size) = (self.made.len(), self.size);
        let mut outside = Waiting::new();
        let mut next = self.label_of(parent, first);
        let mut known = known.clone();
        for _ in 0..MOST_TURNS {
            let own = std::mem::replace(&mut next, self.label());
            self.turns.push(Turn { parent, first, end, own, next });
            let turn = self.turns.len() as u32 - 1;
            let mut inside = Waiting::from([(first, known)]);
            let decided = self.walk(turn, (first, end), &mut inside)?;
            let again = inside.remove(&first);
            for (block, known) in inside {
                arrive(&mut outside, block, known);
            }
            match again {
                _ if !decided || self.size > self.most || !self.is_worth_it(first, end) => break,
                Some(left) => known = left,
                None => {
                    outside.into_iter().for_each(|(block, known)| arrive(waiting, block, known));
                    return Ok(true);
                }
            }
        }
        self.made.truncate(count);
        self.size = size;
        self.staying.insert(first);
        Ok(false)
    }

    /// Whether a loop has matrices, or chooses planes.
    fn is_worth_it(&self, first: u32, end: u32) -> bool {
        let blocks = &self.blocks[first as usize..end as usize];
        blocks.iter().flat_map(|block| &block.instructions).any(|instruction| {
            matches!(
                instruction,
                Instruction::Matrix(_)
                    | Instruction::Memory(
                        MemoryInstruction::PlaneOf { .. } | MemoryInstruction::PlaneFrom { .. }
                    )
            )
        })
    }

    /// What a loop that stays may change is not known in it.
    fn forget_written(&mut self, known: &mut Known, first: u32, end: u32) -> Result<(), Refusal> {
        let (planes, function) = (self.evaluator.planes, self.evaluator.function);
        let mut written: Vec<Run> = Vec::new();
        for block in &self.blocks[first as usize..end as usize] {
            for instruction in &block.instructions {
                written.extend(effects(self.evaluator.program, planes, function, instruction)?.writes);
                if calls(instruction) {
                    self.evaluator.step(known, instruction)?;
                }
            }
            for edge in edges(&block.terminator) {
                written.extend(edge.moves.iter().map(|(to, _, count)| (planes.of(function, *to), *count)));
            }
        }
        known.forget(&written);
        Ok(())
    }

    /// Copies a block.
    fn copy(
        &mut self,
        turn: u32,
        number: u32,
        mut known: Known,
        waiting: &mut Waiting,
    ) -> Result<bool, Refusal> {
        let mut block = self.blocks[number as usize].clone();
        for instruction in &mut block.instructions {
            self.evaluator.resolve(&known, instruction);
            self.evaluator.step(&mut known, instruction)?;
        }
        let (taken, decided) = self.decide(turn, &known, &block.terminator);
        if let Some(edge) = taken {
            block.terminator = Terminator::Branch(edge);
        }
        for edge in edges_mut(&mut block.terminator) {
            let mut known = known.clone();
            for &(result, source, count) in &edge.moves {
                self.evaluator.copy(&mut known, result, source, count);
            }
            if edge.block > number || self.is_next_turn(turn, edge.block) {
                arrive(waiting, edge.block, known);
            }
            edge.block = self.label_of(turn, edge.block);
        }
        let at = &self.turns[turn as usize];
        let label = if turn != OUTSIDE && at.first == number { at.own } else { self.label_of(turn, number) };
        self.labels[label as usize] = self.made.len() as u32;
        self.size += block.origins.len();
        self.made.push(Made { numbers: vec![block.number], block });
        Ok(decided)
    }

    /// The edge that is taken, where that is known, and whether that says if the turn's loop goes on.
    fn decide(&self, turn: u32, known: &Known, terminator: &Terminator) -> (Option<Edge>, bool) {
        let at = &self.turns[turn as usize];
        let leaves = |edge: &Edge| !(at.first..at.end).contains(&edge.block) || edge.block == at.first;
        let word = |slot| self.evaluator.slot(known, slot);
        match terminator {
            Terminator::Conditional { condition, then, otherwise } => {
                let Some(word) = word(*condition) else { return (None, false) };
                let taken = if word != 0 { then } else { otherwise };
                (Some(taken.clone()), leaves(then) || leaves(otherwise))
            }
            Terminator::Switch { selector, wide: false, cases, edges } => {
                let Some(word) = word(*selector) else { return (None, false) };
                let case = cases.iter().find(|(value, _)| *value == u64::from(word));
                (Some(edges[case.map_or(0, |(_, edge)| *edge as usize)].clone()), edges.iter().any(leaves))
            }
            Terminator::Switch { .. }
            | Terminator::Branch(_)
            | Terminator::Return
            | Terminator::ReturnValue(_)
            | Terminator::Kill
            | Terminator::Unreachable => (None, false),
        }
    }
}

/// Lanes come to a block on one more way.
fn arrive(waiting: &mut Waiting, block: u32, known: Known) {
    match waiting.get_mut(&block) {
        Some(there) => there.meet(&known),
        None => {
            waiting.insert(block, known);
        }
    }
}

/// Loops by their first block: where they end. Those that overlap are as long as all of them together.
fn loops(blocks: &[Block]) -> FxHashMap<u32, u32> {
    let mut loops: FxHashMap<u32, u32> = FxHashMap::default();
    for (number, block) in (0u32..).zip(blocks) {
        for edge in edges(&block.terminator).into_iter().filter(|edge| edge.block <= number) {
            let end = loops.entry(edge.block).or_default();
            *end = (*end).max(number + 1);
        }
    }
    loop {
        let known: Vec<(u32, u32)> = loops.iter().map(|(first, end)| (*first, *end)).collect();
        let mut changed = false;
        for (first, end) in loops.iter_mut() {
            for &(inner, other) in &known {
                if (*first..*end).contains(&inner) && other > *end {
                    *end = other;
                    changed = true;
                }
            }
        }
        if !changed {
            return loops;
        }
    }
}

pub(super) fn edges_mut(terminator: &mut Terminator) -> Vec<&mut Edge> {
    match terminator {
        Terminator::Branch(edge) => vec![edge],
        Terminator::Conditional { then, otherwise, .. } => vec![then, otherwise],
        Terminator::Switch { edges, .. } => edges.iter_mut().collect(),
        Terminator::Return | Terminator::ReturnValue(_) | Terminator::Kill | Terminator::Unreachable => {
            Vec::new()
        }
    }
}
