//! What checked mode remembers between instructions.

use rustc_hash::{FxHashMap, FxHashSet};

use super::order::Semantics;
use super::race::Advice;
use super::shadow::Shadow;
use super::{Finding, FindingKind};
use crate::machine::{Invocation, Mask};

/// Findings of one kind at one instruction that are kept; the rest is counted.
const PER_INSTRUCTION: u64 = 4;

#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub shadow: Shadow,
    pub births: Vec<Birth>,
    /// The instruction and the first finding of a kind at it, and how many there were.
    known: FxHashMap<(FindingKind, u32), (usize, u64)>,
    /// The running instruction is atomic.
    pub atomic: bool,
    /// For each subgroup: the instruction that gave undefined rows to these lanes.
    pub undefined_rows: FxHashMap<u32, (u32, Mask)>,
    /// An instruction that reads or writes elements of matrices by their number in the invocation, and one that does.
    pub elements: Option<(u32, Invocation)>,
    /// Whether operands of the running matrix instruction were all finite.
    pub finite: bool,
    /// The barrier at which each subgroup of the workgroup waits, and what it orders.
    pub barriers: FxHashMap<u32, (u32, Semantics)>,
    /// Where matrices were loaded from since the subgroup last waited: storing one to the same place replaces what it was made of.
    pub loaded: FxHashSet<Loaded>,
    /// The running instruction is one that the whole workgroup executes together.
    pub together: bool,
    /// What the findings about one instruction advise.
    pub advice: FxHashMap<(FindingKind, u32), Advice>,
    /// Findings before the running workgroup.
    pub first_finding: usize,
}

impl State {
    /// Whether another finding of a kind at an instruction is kept; otherwise it is counted with the first.
    pub fn keeps(
        &mut self,
        findings: &mut [Finding],
        limit: usize,
        kind: FindingKind,
        instruction: u32,
    ) -> bool {
        let (first, count) = self.known.entry((kind, instruction)).or_insert((findings.len(), 0));
        *count += 1;
        if *count <= PER_INSTRUCTION && findings.len() < limit {
            return true;
        }
        if let Some(finding) = findings.get_mut(*first)
            && (finding.kind, finding.instruction) == (kind, instruction)
        {
            finding.more += 1;
        }
        false
    }

    /// About how much memory a copy takes.
    pub fn bytes(&self) -> u64 {
        self.shadow.bytes() + (self.births.len() + self.known.len()) as u64 * 32
    }

    /// Forgets findings, which moves the others.
    pub fn recount(&mut self, findings: &[Finding]) {
        self.known.clear();
        for (index, finding) in findings.iter().enumerate() {
            let known = self.known.entry((finding.kind, finding.instruction)).or_insert((index, 0));
            known.1 += 1 + finding.more;
        }
    }
}

/// A matrix in memory: of which type, for which subgroup, and the addresses of a few of its elements, which the others follow from.
pub(crate) type Loaded = (crate::matrix::MatrixType, u32, [Option<u64>; 4]);

/// Births of one kind at one instruction in one subgroup.
#[derive(Clone, Debug)]
pub(crate) struct Birth {
    pub instruction: u32,
    pub subgroup: u32,
    pub nan: bool,
    /// The invocations whose is one.
    pub lanes: Mask,
    pub message: String,
    pub told: bool,
}
