//! A function's blocks: which are reached, which are part of which loop, which stand behind a branch; and how often loops go round.

use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::{BuiltIn, Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use super::index::{DEPTH, Index, id, literal};
use super::values::{Value, compute};

/// A loop that goes round more often is not counted through.
const MOST_ROUNDS: u64 = 1 << 16;

pub(super) struct Flow<'m> {
    index: &'m Index<'m>,
    function: &'m Function,
    by_label: FxHashMap<Word, usize>,
    pub reached: Vec<bool>,
    /// Whether a block stands behind a branch whose condition is not known, within its innermost loop.
    pub conditional: Vec<bool>,
    /// The loops that a block is part of, outermost first, as indices of `loops`.
    pub inside: Vec<Vec<usize>>,
    pub loops: Vec<Loop>,
    /// The stores to each local variable, as block and instruction; variables that something else happens to are absent.
    stores: FxHashMap<Word, Vec<(usize, usize)>>,
    subgroup_size: u64,
    workgroup: Option<[u64; 3]>,
}

pub(super) struct Loop {
    pub header: usize,
    merge: Word,
    r#continue: Word,
    pub blocks: FxHashSet<usize>,
    pub rounds: Rounds,
}

/// How often a loop's body runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rounds {
    Exactly(u64),
    /// It may be left early, or the first invocation's count is the highest.
    AtMost(u64),
    Unknown(&'static str),
}

/// The one value that changes while a loop's condition is evaluated.
#[derive(Clone, Copy)]
struct Counter {
    id: Word,
    value: Value,
}

impl<'m> Flow<'m> {
    pub fn new(
        index: &'m Index<'m>,
        function: &'m Function,
        workgroup: Option<[u64; 3]>,
        subgroup_size: u64,
    ) -> Flow<'m> {
        let blocks = &function.blocks;
        let by_label = blocks.iter().enumerate().filter_map(|(at, block)| Some((block.label_id()?, at)));
        let mut flow = Flow {
            index,
            function,
            by_label: by_label.collect(),
            reached: vec![false; blocks.len()],
            conditional: vec![false; blocks.len()],
            inside: vec![Vec::new(); blocks.len()],
            loops: Vec::new(),
            stores: FxHashMap::default(),
            subgroup_size,
            workgroup,
        };
        flow.find_stores();
        flow.reach();
        flow.find_loops();
        flow.find_conditional();
        for at in 0..flow.loops.len() {
            flow.loops[at].rounds = flow.rounds(at);
        }
        flow
    }

    fn terminator(block: &Block) -> Option<&Instruction> {
        block.instructions.last()
    }

    fn merge_of(block: &Block) -> Option<&Instruction> {
        let before = block.instructions.len().checked_sub(2)?;
        block
            .instructions
            .get(before)
            .filter(|inst| matches!(inst.class.opcode, Op::LoopMerge | Op::SelectionMerge))
    }

    /// Where a block goes on: only the way that is taken where its condition is known.
    fn successors(&self, at: usize) -> Vec<usize> {
        let Some(end) = self.function.blocks.get(at).and_then(Self::terminator) else { return Vec::new() };
        let block = |operand: Option<&Operand>| self.by_label.get(&id(operand)?).copied();
        match end.class.opcode {
            Op::Branch => block(end.operands.first()).into_iter().collect(),
            Op::BranchConditional => {
                let known = id(end.operands.first()).and_then(|condition| self.index.constant(condition));
                let targets = match known {
                    Some(0) => vec![end.operands.get(2)],
                    Some(_) => vec![end.operands.get(1)],
                    None => vec![end.operands.get(1), end.operands.get(2)],
                };
                targets.into_iter().filter_map(block).collect()
            }
            Op::Switch => end.operands[1..].iter().filter_map(|operand| block(Some(operand))).collect(),
            _ => Vec::new(),
        }
    }

    fn walk(&self, starts: Vec<usize>, stop: impl Fn(usize) -> bool) -> FxHashSet<usize> {
        let mut seen = FxHashSet::default();
        let mut todo = starts;
        while let Some(at) = todo.pop() {
            if !stop(at) && seen.insert(at) {
                todo.extend(self.successors(at));
            }
        }
        seen
    }

    fn reach(&mut self) {
        for at in self.walk(vec![0], |_| false) {
            if let Some(reached) = self.reached.get_mut(at) {
                *reached = true;
            }
        }
    }

    fn find_loops(&mut self) {
        for (header, block) in self.function.blocks.iter().enumerate() {
            let Some(merge) = Self::merge_of(block) else { continue };
            if merge.class.opcode != Op::LoopMerge || !self.reached[header] {
                continue;
            }
            let (Some(exit), Some(next)) = (id(merge.operands.first()), id(merge.operands.get(1))) else {
                continue;
            };
            let end = self.by_label.get(&exit).copied();
            let blocks = self.walk(vec![header], |at| Some(at) == end);
            let rounds = Rounds::Unknown("");
            self.loops.push(Loop { header, merge: exit, r#continue: next, blocks, rounds });
        }
        // The headers stand in the order of the text: an outer loop comes before one inside it.
        for (number, one) in self.loops.iter().enumerate() {
            for &block in &one.blocks {
                self.inside[block].push(number);
            }
        }
    }

    fn find_conditional(&mut self) {
        for (header, block) in self.function.blocks.iter().enumerate() {
            let Some(merge) = Self::merge_of(block).filter(|_| self.reached[header]) else { continue };
            if merge.class.opcode != Op::SelectionMerge {
                continue;
            }
            let successors = self.successors(header);
            if successors.len() < 2 {
                continue;
            }
            // Where a `break` or `continue` inside the selection goes is not part of it.
            let mut ends: Vec<Word> = id(merge.operands.first()).into_iter().collect();
            for &number in &self.inside[header] {
                ends.extend([self.loops[number].merge, self.loops[number].r#continue]);
            }
            let ends: FxHashSet<usize> =
                ends.iter().filter_map(|label| self.by_label.get(label).copied()).collect();
            for at in self.walk(successors, |at| ends.contains(&at)) {
                self.conditional[at] = true;
            }
        }
    }

    fn find_stores(&mut self) {
        let mut escaped: FxHashSet<Word> = FxHashSet::default();
        for block in &self.function.blocks {
            for instruction in &block.instructions {
                if instruction.class.opcode == Op::Variable
                    && matches!(
                        instruction.operands.first(),
                        Some(Operand::StorageClass(StorageClass::Function))
                    )
                {
                    self.stores.extend(instruction.result_id.map(|id| (id, Vec::new())));
                }
            }
        }
        for (at, block) in self.function.blocks.iter().enumerate() {
            for (place, instruction) in block.instructions.iter().enumerate() {
                let operands = &instruction.operands;
                let others = match instruction.class.opcode {
                    Op::Load => &operands[1.min(operands.len())..],
                    Op::Store => {
                        if let Some(list) = id(operands.first()).and_then(|id| self.stores.get_mut(&id)) {
                            list.push((at, place));
                        }
                        &operands[1.min(operands.len())..]
                    }
                    Op::Variable => {
                        if operands.len() > 1 {
                            escaped.extend(instruction.result_id);
                        }
                        &[]
                    }
                    _ => operands.as_slice(),
                };
                escaped.extend(others.iter().filter_map(Operand::id_ref_any));
            }
        }
        self.stores.retain(|id, _| !escaped.contains(id));
    }

    fn instruction(&self, (block, place): (usize, usize)) -> Option<&'m Instruction> {
        self.function.blocks.get(block)?.instructions.get(place)
    }

    // How often a loop goes round.

    fn rounds(&self, number: usize) -> Rounds {
        let one = &self.loops[number];
        let Some((condition, leaves_when, at, after)) = self.exit(one) else {
            return Rounds::Unknown("it has no condition");
        };
        let mut counters = FxHashSet::default();
        self.counters(condition, one, DEPTH, &mut counters);
        let mut counters = counters.into_iter();
        let (counter, None) = (counters.next(), counters.next()) else {
            return Rounds::Unknown("its condition depends on several values that change");
        };
        let Some(counter) = counter else {
            return Rounds::Unknown("its condition does not depend on a counter");
        };
        let Some((init, next)) = self.counting(counter, one) else {
            return Rounds::Unknown("its counter changes in several places");
        };
        let mut assumed = false;
        let Some(mut value) = self.value(init, None, DEPTH, &mut assumed) else {
            return Rounds::Unknown("its start is not known");
        };
        let mut rounds = 0;
        loop {
            let here = Some(Counter { id: counter, value });
            let step = || self.value(next, here, DEPTH, &mut false);
            if after {
                rounds += 1;
                let Some(moved) = step() else { return Rounds::Unknown("its step is not known") };
                value = moved;
            }
            let here = Some(Counter { id: counter, value });
            let Some(truth) = self.value(condition, here, DEPTH, &mut assumed) else {
                return Rounds::Unknown("its end is not known");
            };
            if (truth.bits != 0) == leaves_when {
                break;
            }
            if !after {
                rounds += 1;
                let Some(moved) = self.value(next, here, DEPTH, &mut assumed) else {
                    return Rounds::Unknown("its step is not known");
                };
                value = moved;
            }
            if rounds > MOST_ROUNDS {
                return Rounds::Unknown("it has too many iterations to count");
            }
        }
        if assumed || self.left_early(one, at) { Rounds::AtMost(rounds) } else { Rounds::Exactly(rounds) }
    }

    /// The condition under which a loop is left: its id, the truth value that leaves, its block, and whether the body has run
    /// when it is asked for the first time.
    fn exit(&self, one: &Loop) -> Option<(Word, bool, usize, bool)> {
        let merge = self.by_label.get(&one.merge).copied();
        let leaves = |at: usize| {
            let end = Self::terminator(self.function.blocks.get(at)?)?;
            if end.class.opcode != Op::BranchConditional {
                return None;
            }
            let target =
                |place| id(end.operands.get(place)).and_then(|label| self.by_label.get(&label).copied());
            let condition = id(end.operands.first())?;
            match (target(1) == merge, target(2) == merge) {
                (true, false) => Some((condition, true)),
                (false, true) => Some((condition, false)),
                _ => None,
            }
        };
        // At the top, perhaps after a few blocks without a choice.
        let mut at = one.header;
        for _ in 0..8 {
            if let Some((condition, truth)) = leaves(at) {
                return Some((condition, truth, at, false));
            }
            match self.successors(at).as_slice() {
                [next] if one.blocks.contains(next) && *next != one.header => at = *next,
                _ => break,
            }
        }
        // At the bottom: the block that goes back.
        let back = one.blocks.iter().copied().filter(|&at| self.successors(at).contains(&one.header));
        let mut back = back.filter(|&at| self.reached[at]);
        let at = back.next()?;
        leaves(at).map(|(condition, truth)| (condition, truth, at, true))
    }

    /// What changes from round to round in a condition.
    fn counters(&self, value: Word, one: &Loop, depth: u32, found: &mut FxHashSet<Word>) {
        let Some(definition) = self.index.definition(value).filter(|_| depth > 0) else { return };
        match definition.class.opcode {
            Op::Load => {
                let Some(variable) = id(definition.operands.first()) else { return };
                let stores = self.stores.get(&variable);
                if stores.is_some_and(|list| list.iter().any(|(block, _)| one.blocks.contains(block))) {
                    found.insert(variable);
                }
            }
            Op::Phi => {
                let block = self.function.blocks.get(one.header);
                let of_loop = block
                    .is_some_and(|block| block.instructions.iter().any(|inst| inst.result_id == Some(value)));
                if of_loop {
                    found.insert(value);
                }
            }
            Op::Constant | Op::SpecConstant | Op::SpecConstantOp | Op::Variable => {}
            _ => {
                for operand in definition.operands.iter().filter_map(Operand::id_ref_any) {
                    self.counters(operand, one, depth - 1, found);
                }
            }
        }
    }

    /// What a counter is before the loop, and after each round.
    fn counting(&self, counter: Word, one: &Loop) -> Option<(Word, Word)> {
        if let Some(phi) = self.index.definition(counter).filter(|inst| inst.class.opcode == Op::Phi) {
            let mut init = None;
            let mut next = None;
            for pair in phi.operands.chunks_exact(2) {
                let from = self.by_label.get(&pair[1].id_ref_any()?)?;
                let value = pair[0].id_ref_any()?;
                let known = if one.blocks.contains(from) { &mut next } else { &mut init };
                if known.replace(value).is_some() {
                    return None;
                }
            }
            return init.zip(next);
        }
        let stores = self.stores.get(&counter)?;
        let mut inside =
            stores.iter().filter(|(block, _)| one.blocks.contains(block) && self.reached[*block]);
        let (store, None) = (inside.next()?, inside.next()) else { return None };
        // In a loop further in, or behind a branch, it happens some other number of times.
        let depth = self.inside[one.header].len();
        if self.inside[store.0].len() != depth || (self.conditional[store.0] && !self.conditional[one.header])
        {
            return None;
        }
        let next = id(self.instruction(*store)?.operands.get(1))?;
        // Backwards from the loop, as long as there is one way only.
        let mut at = one.header;
        for _ in 0..256 {
            let into = (0..self.function.blocks.len())
                .filter(|&from| self.reached[from] && !one.blocks.contains(&from) && from != at);
            let mut into = into.filter(|&from| self.successors(from).contains(&at));
            let (from, None) = (into.next()?, into.next()) else { return None };
            let last = stores.iter().filter(|(block, _)| *block == from).max_by_key(|(_, place)| *place);
            if let Some(last) = last {
                return Some((id(self.instruction(*last)?.operands.get(1))?, next));
            }
            at = from;
        }
        None
    }

    /// Whether a `break` or a `return` ends a loop elsewhere than at its condition.
    fn left_early(&self, one: &Loop, condition: usize) -> bool {
        let merge = self.by_label.get(&one.merge).copied();
        one.blocks.iter().any(|&at| {
            let successors = self.successors(at);
            let leaves = successors.iter().any(|next| Some(*next) == merge);
            self.reached[at] && at != condition && (leaves || successors.is_empty())
        })
    }

    /// A value where it is known, with the default values, and with the counter as it is. `assumed` tells that the number of an
    /// invocation or subgroup was taken for 0.
    fn value(&self, value: Word, counter: Option<Counter>, depth: u32, assumed: &mut bool) -> Option<Value> {
        if let Some(counter) = counter.filter(|counter| counter.id == value) {
            return Some(counter.value);
        }
        if let Some(constant) = self.index.value(value, DEPTH) {
            return Some(constant);
        }
        let definition = self.index.definition(value).filter(|_| depth > 0)?;
        let operands = &definition.operands;
        let width = definition.result_type.and_then(|ty| self.index.bits(ty)).unwrap_or(32);
        match definition.class.opcode {
            Op::Load => {
                let pointer = id(operands.first())?;
                if let Some(counter) = counter.filter(|counter| counter.id == pointer) {
                    return Some(counter.value);
                }
                if let Some(list) = self.stores.get(&pointer) {
                    let [one] = list.as_slice() else { return None };
                    let stored = id(self.instruction(*one)?.operands.get(1))?;
                    return self.value(stored, counter, depth - 1, assumed);
                }
                self.builtin(pointer, None, assumed)
            }
            Op::CompositeExtract => {
                let (from, part) = (id(operands.first())?, literal(operands.get(1))?);
                let source = self.index.definition(from)?;
                if source.class.opcode == Op::Load {
                    return self.builtin(id(source.operands.first())?, Some(part), assumed);
                }
                self.index.extract(from, &operands[1..], DEPTH)
            }
            Op::CooperativeMatrixLengthKHR => {
                let matrix = self.index.matrix(id(operands.first())?)?;
                let holders = match matrix.scope {
                    Some(2) => self.workgroup?.iter().product(),
                    _ => self.subgroup_size,
                };
                *assumed = true;
                Some(Value::new(matrix.elements()?.div_ceil(holders), 32))
            }
            op => {
                let values: Option<Vec<Value>> = operands
                    .iter()
                    .map(|operand| self.value(operand.id_ref_any()?, counter, depth - 1, assumed))
                    .collect();
                compute(op, &values?, width)
            }
        }
    }

    /// What is read from a built-in variable.
    fn builtin(&self, pointer: Word, part: Option<u64>, assumed: &mut bool) -> Option<Value> {
        let (variable, part) = match self.index.definition(pointer) {
            Some(chain) if matches!(chain.class.opcode, Op::AccessChain | Op::InBoundsAccessChain) => {
                (id(chain.operands.first())?, Some(self.index.constant(id(chain.operands.get(1))?)?))
            }
            _ => (pointer, part),
        };
        let value = |bits| Some(Value::new(bits, 32));
        match self.index.builtins.get(&variable)? {
            BuiltIn::WorkgroupSize => value(*self.workgroup?.get(part? as usize)?),
            BuiltIn::LocalInvocationIndex
            | BuiltIn::LocalInvocationId
            | BuiltIn::SubgroupLocalInvocationId
            | BuiltIn::SubgroupId => {
                *assumed = true;
                value(0)
            }
            BuiltIn::SubgroupSize => {
                *assumed = true;
                value(self.subgroup_size)
            }
            BuiltIn::NumSubgroups => {
                *assumed = true;
                value(self.workgroup?.iter().product::<u64>().div_ceil(self.subgroup_size))
            }
            _ => None,
        }
    }
}
