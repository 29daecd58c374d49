//! The loops of a module, and which share of what they execute is on matrices. What a loop inside executes is that one's.
//!
//! The blocks of a loop are those that its header reaches without its merge block (SPIR-V, 2.11.1 "Structured Control-flow Constructs": its loop construct and its
//! continue construct). A call counts as one instruction: what the function does is not the loop's.

use std::collections::{BTreeSet, HashMap};

use coopmat_simulator::profile::Measured;
use coopmat_spirv::dr::{Block, Function, Instruction, Module, Operand};
use coopmat_spirv::spirv::{Op, Word};
use coopmat_spirv::text::function_ranges;
use schemars::JsonSchema;
use serde::Serialize;

use crate::report::SourcePlace;

/// A loop that ran, without the loops inside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ProfiledLoop"))]
#[serde(rename_all = "kebab-case")]
pub struct LoopProfile {
    /// Where it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub place: Option<SourcePlace>,
    /// Instructions that subgroups executed in it, without those that end blocks.
    pub instructions: u64,
    /// Those of them that begin with `OpCooperativeMatrix`: loads, stores, multiply-adds and their like.
    pub matrix_operations: u64,
    /// Those of them that are multiply-adds.
    pub multiply_adds: u64,
    /// Whether it calls functions, whose instructions are not counted.
    pub calls: bool,
}

/// The loops that ran, those with the most instructions first.
pub(super) fn loops(
    module: &Module,
    measured: &Measured,
    place: &dyn Fn(u32) -> Option<SourcePlace>,
) -> Vec<LoopProfile> {
    let executed: HashMap<u32, u64> = measured.executed.iter().map(|it| (it.instruction, it.times)).collect();
    let functions = module.functions.iter().filter(|function| function.def.is_some());
    let mut found = Vec::new();
    for (function, range) in functions.zip(function_ranges(module)) {
        let blocks = Blocks::of(function, range.start as u32);
        for (header, body) in blocks.loops() {
            let mut it = LoopProfile::default();
            for (index, instruction) in body.iter().flat_map(|at| blocks.instructions(*at)) {
                let times = executed.get(&index).copied().unwrap_or(0);
                it.instructions += times;
                let name = coopmat_spirv::name(coopmat_spirv::opcode_number(instruction)).unwrap_or_default();
                if name.starts_with("CooperativeMatrix") {
                    it.matrix_operations += times;
                }
                if name.starts_with("CooperativeMatrixMulAdd") {
                    it.multiply_adds += times;
                }
                it.calls |= times > 0 && instruction.class.opcode == Op::FunctionCall;
            }
            let mut of_header =
                blocks.instructions(header).chain(body.iter().flat_map(|at| blocks.instructions(*at)));
            it.place = of_header.find_map(|(index, _)| place(index));
            if it.instructions > 0 {
                found.push(it);
            }
        }
    }
    found.sort_by_key(|it| std::cmp::Reverse(it.instructions));
    found
}

struct Blocks<'m> {
    function: &'m Function,
    by_label: HashMap<Word, usize>,
    /// The index of each block's first instruction after its label.
    starts: Vec<u32>,
}

impl<'m> Blocks<'m> {
    fn of(function: &'m Function, start: u32) -> Blocks<'m> {
        let mut at = start + 1 + function.parameters.len() as u32;
        let mut starts = Vec::new();
        for block in &function.blocks {
            starts.push(at + 1);
            at += 1 + block.instructions.len() as u32;
        }
        let labels = function.blocks.iter().enumerate();
        let by_label =
            labels.filter_map(|(at, block)| Some((block.label.as_ref()?.result_id?, at))).collect();
        Blocks { function, by_label, starts }
    }

    fn instructions(&self, at: usize) -> impl Iterator<Item = (u32, &'m Instruction)> + use<'m> {
        let start = self.starts.get(at).copied().unwrap_or(0);
        let block = self.function.blocks.get(at);
        (start..).zip(block.into_iter().flat_map(|block| &block.instructions))
    }

    /// The header of each loop, and its blocks without those of loops inside.
    fn loops(&self) -> Vec<(usize, BTreeSet<usize>)> {
        let headers = self.function.blocks.iter().enumerate();
        let loops: Vec<(usize, BTreeSet<usize>)> = headers
            .filter_map(|(header, block)| {
                let merge = block.instructions.iter().find(|it| it.class.opcode == Op::LoopMerge)?;
                let end = self.target(merge.operands.first());
                let mut seen = BTreeSet::new();
                let mut todo = vec![header];
                while let Some(at) = todo.pop() {
                    if Some(at) != end && seen.insert(at) {
                        todo.extend(self.successors(&self.function.blocks[at]));
                    }
                }
                Some((header, seen))
            })
            .collect();
        let own = |(header, blocks): &(usize, BTreeSet<usize>)| {
            let inside = loops.iter().filter(|(other, _)| other != header && blocks.contains(other));
            let inside: BTreeSet<usize> = inside.flat_map(|(_, blocks)| blocks).copied().collect();
            (*header, blocks - &inside)
        };
        loops.iter().map(own).collect()
    }

    fn target(&self, operand: Option<&Operand>) -> Option<usize> {
        match operand? {
            Operand::IdRef(label) => self.by_label.get(label).copied(),
            _ => None,
        }
    }

    fn successors(&self, block: &Block) -> Vec<usize> {
        let Some(end) = block.instructions.last() else { return Vec::new() };
        let targets = match end.class.opcode {
            Op::Branch => end.operands.get(..1),
            Op::BranchConditional | Op::Switch => end.operands.get(1..),
            _ => None,
        };
        targets.into_iter().flatten().filter_map(|target| self.target(Some(target))).collect()
    }
}
