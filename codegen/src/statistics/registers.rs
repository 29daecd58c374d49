//! Matrices that invocations have to hold at once: a lower bound of their registers.
//!
//! What no compiler can avoid are the results of multiply-adds that are used later: they are in no memory from which they could be loaded again. Matrices that
//! were loaded may be loaded later, or once more, and are part of a second figure: what is held if everything is done in the order of the module.
//! Scalars, vectors, addresses and copies that several invocations hold are in neither.
//!
//! A matrix is held from where it is made to its last use; a variable from where something is stored to the last load before it is stored anew. An
//! array of matrices counts whole, since which of its elements an index chooses is not followed.

use std::collections::BTreeMap;
use std::rc::Rc;

use coopmat_spirv::text::function_ranges;
use rspirv::dr::{Block, Function, Instruction, Module, Operand};
use rspirv::spirv::{Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use super::index::{DEPTH, Index, id};
use super::{Assumptions, CALLS, workgroup};

/// Blocks times matrices of a function, beyond which it is not looked at.
const MOST: usize = 1 << 22;

/// What an entry point's invocations hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Where the results of multiply-adds take the most registers.
    pub bound: Point,
    /// Where all matrices do, in the order of the module.
    pub as_written: Point,
    /// What is not in the figures, in sentences without a full stop.
    pub notes: Vec<String>,
}

/// A place of the module, and what is held there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// The index of the instruction in the module, before which it is held; of the first of several.
    pub instruction: u32,
    /// Of 32 bits, for each invocation.
    pub registers: u64,
    /// What is held, the largest first.
    pub held: Vec<Held>,
}

/// Matrices that are held.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Held {
    /// Registers of 32 bits of each invocation, rounded up.
    pub registers: u64,
    /// The variable; empty of a value without a name.
    pub name: String,
    /// `f32 16x16 accumulator`.
    pub matrix: String,
    /// How many such matrices: the elements of an array.
    pub count: u64,
}

/// Bits of all matrices together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bits {
    of_subgroup: u64,
    of_workgroup: u64,
}

impl Bits {
    fn add(&mut self, other: Bits) {
        self.of_subgroup = self.of_subgroup.saturating_add(other.of_subgroup);
        self.of_workgroup = self.of_workgroup.saturating_add(other.of_workgroup);
    }
}

/// What a variable or a value holds.
#[derive(Clone, Debug)]
struct Size {
    bits: Bits,
    matrix: String,
    count: u64,
}

/// What is the most that a function holds, with what it calls.
#[derive(Clone, Debug, Default)]
struct Worst {
    at: u32,
    /// Whether a multiply-add is there.
    is_multiply: bool,
    bits: Bits,
    held: Vec<Held>,
}

/// What a function does to matrices of its caller.
#[derive(Debug, Default)]
struct Summary {
    /// Variables of the module that it or what it calls accesses.
    accessed: FxHashSet<Word>,
    /// Those of them that it stores results of multiply-adds in.
    made: FxHashSet<Word>,
    /// Whether it stores such in what a parameter points to.
    parameters: Vec<bool>,
}

/// Which of the two figures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Figure {
    Bound,
    AsWritten,
}

/// The matrices that an entry point's invocations hold at once; the first of the name, or the first of all.
pub fn live(module: &Module, entry: Option<&str>, assumptions: &Assumptions) -> Option<Live> {
    let index = Index::new(module);
    let is_wanted = |it: &&Instruction| match (it.operands.get(2), entry) {
        (Some(Operand::LiteralString(name)), Some(entry)) => name == entry,
        (_, None) => true,
        _ => false,
    };
    let entry = id(module.entry_points.iter().find(is_wanted)?.operands.get(1))?;
    let invocations = workgroup(&index, entry).map(|size| size.iter().product::<u64>()).filter(|it| *it > 0);
    let starts =
        module.functions.iter().filter(|function| function.def.is_some()).zip(function_ranges(module));
    let mut looking = Looking {
        index: &index,
        starts: starts
            .filter_map(|(function, range)| Some((function.def_id()?, range.start as u32)))
            .collect(),
        subgroup: u64::from(assumptions.subgroup_size.max(1)),
        workgroup: invocations,
        known: FxHashMap::default(),
        summaries: FxHashMap::default(),
        notes: Vec::new(),
    };
    let [bound, as_written] =
        [Figure::Bound, Figure::AsWritten].map(|figure| looking.function(entry, figure, CALLS));
    let point = |worst: Worst| {
        let mut held = worst.held;
        held.sort_by(|a, b| b.cmp(a));
        Point { instruction: worst.at, registers: looking.registers(worst.bits), held }
    };
    let (bound, as_written) = (point(bound), point(as_written));
    Some(Live { bound, as_written, notes: looking.notes })
}

struct Looking<'m> {
    index: &'m Index<'m>,
    /// The index of a function's first instruction.
    starts: FxHashMap<Word, u32>,
    subgroup: u64,
    /// Invocations of a workgroup.
    workgroup: Option<u64>,
    known: FxHashMap<(Word, bool), Worst>,
    summaries: FxHashMap<Word, Rc<Summary>>,
    notes: Vec<String>,
}

/// What a function's instructions do to matrices, with a number for each variable and each value.
struct Items {
    /// The variable or the value.
    ids: Vec<Word>,
    sizes: Vec<Size>,
    numbers: FxHashMap<Word, usize>,
    is_variable: Vec<bool>,
    /// Of a value that is loaded from a variable or stored to it: that variable. It need not be held twice.
    alias: Vec<Option<usize>>,
    /// Results of multiply-adds, and what is made of them.
    made: Vec<bool>,
    /// What parameters point to: the caller counts it.
    is_parameter: Vec<bool>,
    /// The functions that are called.
    calls: FxHashMap<Word, Rc<Summary>>,
}

/// What an instruction does to the items: those that it makes, needs, and overwrites whole.
#[derive(Clone, Debug, Default)]
struct Effect {
    makes: Vec<usize>,
    needs: Vec<usize>,
    overwrites: Option<usize>,
}

impl<'m> Looking<'m> {
    fn registers(&self, bits: Bits) -> u64 {
        let workgroup = u128::from(self.workgroup.unwrap_or(1));
        let subgroup = u128::from(self.subgroup);
        let all = u128::from(bits.of_subgroup) * workgroup + u128::from(bits.of_workgroup) * subgroup;
        all.div_ceil(32 * subgroup * workgroup) as u64
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The matrices in a value of a type; none if it has none, or if their size is not known.
    fn size(&mut self, ty: Word, depth: u32) -> Option<Size> {
        let definition = self.index.definition(ty).filter(|_| depth > 0)?;
        if let Some(matrix) = self.index.matrix(ty) {
            let name = self.index.matrix_name(matrix);
            let bits = matrix.elements().zip(self.index.bits(matrix.component));
            let Some((elements, bits)) = bits else {
                self.note(format!("matrices of the type {name} are not counted, as their size is not known"));
                return None;
            };
            let bits = elements.saturating_mul(u64::from(bits));
            let bits = match (matrix.scope, self.workgroup) {
                (Some(3), _) => Bits { of_subgroup: bits, of_workgroup: 0 },
                (Some(2), Some(_)) => Bits { of_subgroup: 0, of_workgroup: bits },
                _ => {
                    self.note(format!(
                        "matrices of the type {name} are not counted, as it is not known how many invocations share them"
                    ));
                    return None;
                }
            };
            return Some(Size { bits, matrix: name, count: 1 });
        }
        match definition.class.opcode {
            Op::TypeArray => {
                let element = self.size(id(definition.operands.first())?, depth - 1)?;
                let Some(length) = self.index.constant(id(definition.operands.get(1))?) else {
                    self.note(format!(
                        "an array of {} is not counted, as its length is not known",
                        element.matrix
                    ));
                    return None;
                };
                let times = |bits: u64| bits.saturating_mul(length);
                let Bits { of_subgroup, of_workgroup } = element.bits;
                let bits = Bits { of_subgroup: times(of_subgroup), of_workgroup: times(of_workgroup) };
                Some(Size { bits, matrix: element.matrix, count: element.count.saturating_mul(length) })
            }
            Op::TypeStruct => {
                let members: Vec<Word> = definition.operands.iter().filter_map(Operand::id_ref_any).collect();
                let parts: Vec<Size> = members.iter().filter_map(|it| self.size(*it, depth - 1)).collect();
                let mut bits = Bits::default();
                parts.iter().for_each(|part| bits.add(part.bits));
                let matrix = parts.first()?.matrix.clone();
                Some(Size { bits, matrix, count: parts.iter().map(|part| part.count).sum() })
            }
            _ => None,
        }
    }

    /// The most that a function holds, with what it calls.
    fn function(&mut self, function: Word, figure: Figure, depth: u32) -> Worst {
        let key = (function, figure == Figure::Bound);
        if let Some(worst) = self.known.get(&key) {
            return worst.clone();
        }
        // SPIR-V has no recursion: what would be one holds nothing.
        self.known.insert(key, Worst::default());
        let worst = match self.index.function(function) {
            Some(body) if depth > 0 => self.body(function, body, figure, depth),
            _ => Worst::default(),
        };
        self.known.insert(key, worst.clone());
        worst
    }

    fn body(&mut self, function: Word, body: &'m Function, figure: Figure, depth: u32) -> Worst {
        let items = self.items(body, depth);
        if items.ids.len().saturating_mul(body.blocks.len()) > MOST {
            let name = self.index.names.of(function);
            self.note(format!("{name} is not counted, as it is too large"));
            return Worst::default();
        }
        let flow = Flow::of(body, &items);
        let first = self.starts.get(&function).copied().unwrap_or(0) + 1 + body.parameters.len() as u32;
        let mut at = first;
        let mut worst = Worst::default();
        for (number, block) in body.blocks.iter().enumerate() {
            let start = at + 1;
            at = start + block.instructions.len() as u32;
            if !flow.reached[number] {
                continue;
            }
            let states = flow.states(number, block, &items);
            for (offset, (instruction, held)) in block.instructions.iter().zip(&states).enumerate() {
                let mut held = held.clone();
                let mut inner = Worst::default();
                if instruction.class.opcode == Op::FunctionCall {
                    // What both hold is counted once: values that are passed by the caller alone, variables of the module by the function alone.
                    let called = id(instruction.operands.first()).and_then(|called| items.calls.get(&called));
                    held.retain(|item| {
                        called.is_none_or(|called| !called.accessed.contains(&items.ids[*item]))
                    });
                    if let Some(called) = id(instruction.operands.first()) {
                        inner = self.function(called, figure, depth - 1);
                    }
                }
                let counted = items.counted(&held, figure);
                let mut bits = inner.bits;
                counted.iter().for_each(|item| bits.add(items.sizes[*item].bits));
                // Of several places, a multiply-add says the most.
                let is_multiply = is_multiply_add(instruction);
                let (here, there) = (self.registers(bits), self.registers(worst.bits));
                if here > there || here == there && is_multiply && !worst.is_multiply {
                    let own = counted.iter().map(|&item| self.held(&items, item));
                    let held = own.chain(inner.held).collect();
                    worst = Worst { at: start + offset as u32, is_multiply, bits, held };
                }
            }
        }
        worst
    }

    fn held(&self, items: &Items, item: usize) -> Held {
        let Size { bits, matrix, count } = &items.sizes[item];
        // A value goes by the variable that it is loaded from or stored to.
        let variable = if items.is_variable[item] { Some(item) } else { items.alias[item] };
        let name = variable.map_or(String::new(), |variable| self.index.names.of(items.ids[variable]));
        Held { registers: self.registers(*bits), name, matrix: matrix.clone(), count: *count }
    }

    /// The variables and values of a function that hold matrices.
    fn items(&mut self, body: &'m Function, depth: u32) -> Items {
        let own = || body.blocks.iter().flat_map(|block| &block.instructions);
        let called =
            own().filter(|it| it.class.opcode == Op::FunctionCall).filter_map(|it| id(it.operands.first()));
        let called: FxHashSet<Word> = called.collect();
        let calls = called.into_iter().map(|it| (it, self.summary(it, depth.saturating_sub(1)))).collect();
        let mut items = Items {
            ids: Vec::new(),
            sizes: Vec::new(),
            numbers: FxHashMap::default(),
            is_variable: Vec::new(),
            alias: Vec::new(),
            made: Vec::new(),
            is_parameter: Vec::new(),
            calls,
        };
        let globals = self.index.module.types_global_values.iter();
        let globals = globals.filter(|it| it.class.opcode == Op::Variable);
        for instruction in globals.chain(&body.parameters).chain(own()) {
            let (Some(result), Some(ty)) = (instruction.result_id, instruction.result_type) else { continue };
            let is_parameter = instruction.class.opcode == Op::FunctionParameter;
            let is_variable = instruction.class.opcode == Op::Variable || is_parameter;
            let held = match (is_variable, instruction.operands.first()) {
                // A value that is passed is the caller's.
                (true, _) if is_parameter => self.index.pointer(result).map(|(_, pointee)| pointee),
                (true, Some(Operand::StorageClass(StorageClass::Function | StorageClass::Private))) => {
                    self.index.pointer(result).map(|(_, pointee)| pointee)
                }
                (true, _) => None,
                (false, _) if instruction.class.opcode == Op::Undef => None,
                (false, _) => Some(ty),
            };
            if let Some(size) = held.and_then(|ty| self.size(ty, DEPTH)) {
                items.numbers.insert(result, items.ids.len());
                items.ids.push(result);
                items.sizes.push(size);
                items.is_variable.push(is_variable);
                items.alias.push(None);
                items.made.push(false);
                items.is_parameter.push(is_parameter);
            }
        }
        // A pointer to a part of a variable stands for the variable.
        for instruction in own() {
            let op = instruction.class.opcode;
            if matches!(op, Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject)
                && let (Some(result), Some(base)) = (instruction.result_id, id(instruction.operands.first()))
                && let Some(&variable) = items.numbers.get(&base)
                && items.is_variable[variable]
            {
                items.numbers.insert(result, variable);
            }
        }
        for instruction in own() {
            let (value, variable) = match instruction.class.opcode {
                Op::Load => (instruction.result_id, id(instruction.operands.first())),
                Op::Store => (id(instruction.operands.get(1)), id(instruction.operands.first())),
                _ => continue,
            };
            let number = |id: Option<Word>| id.and_then(|id| items.numbers.get(&id).copied());
            if let (Some(value), Some(variable)) = (number(value), number(variable))
                && items.is_variable[variable]
                && !items.is_variable[value]
            {
                items.alias[value] = Some(variable);
            }
        }
        items.make(body);
        items
    }

    /// What a function does to matrices of its caller.
    fn summary(&mut self, function: Word, depth: u32) -> Rc<Summary> {
        if let Some(known) = self.summaries.get(&function) {
            return known.clone();
        }
        self.summaries.insert(function, Rc::default());
        let Some(body) = self.index.function(function).filter(|_| depth > 0) else { return Rc::default() };
        let items = self.items(body, depth);
        let mut summary = Summary::default();
        for called in items.calls.values() {
            summary.accessed.extend(&called.accessed);
            summary.made.extend(&called.made);
        }
        let own = body.blocks.iter().flat_map(|block| &block.instructions);
        let named: FxHashSet<Word> =
            own.flat_map(|it| &it.operands).filter_map(Operand::id_ref_any).collect();
        for (item, variable) in items.ids.iter().enumerate() {
            let is_global = items.is_variable[item] && !items.is_parameter[item];
            if is_global && named.contains(variable) {
                summary.accessed.insert(*variable);
            }
            if is_global && items.made[item] {
                summary.made.insert(*variable);
            }
        }
        let parameters = body.parameters.iter().map(|parameter| {
            let item = parameter.result_id.and_then(|id| items.numbers.get(&id));
            item.is_some_and(|item| items.made[*item])
        });
        summary.parameters = parameters.collect();
        let summary = Rc::new(summary);
        self.summaries.insert(function, summary.clone());
        summary
    }
}

impl Items {
    /// Finds out what is made by multiply-adds.
    fn make(&mut self, body: &Function) {
        loop {
            let before = self.made.iter().filter(|made| **made).count();
            for instruction in body.blocks.iter().flat_map(|block| &block.instructions) {
                for item in self.makes(instruction) {
                    self.made[item] = true;
                }
            }
            if self.made.iter().filter(|made| **made).count() == before {
                return;
            }
        }
    }

    /// What an instruction makes by multiply-adds, or of what they made.
    fn makes(&self, instruction: &Instruction) -> Vec<usize> {
        let effect = self.effect(instruction);
        match instruction.class.opcode {
            _ if is_multiply_add(instruction) => effect.makes,
            Op::FunctionCall => {
                let Some(called) = id(instruction.operands.first()).and_then(|it| self.calls.get(&it)) else {
                    return Vec::new();
                };
                let arguments = instruction.operands.iter().skip(1).zip(&called.parameters);
                let passed = arguments.filter(|(_, made)| **made).filter_map(|(it, _)| self.number(Some(it)));
                passed.chain(called.made.iter().filter_map(|it| self.numbers.get(it).copied())).collect()
            }
            // Values of phis come from anywhere.
            Op::Phi
                if instruction
                    .operands
                    .iter()
                    .any(|it| self.number(Some(it)).is_some_and(|it| self.made[it])) =>
            {
                effect.makes
            }
            _ if effect.needs.iter().any(|item| self.made[*item]) => effect.makes,
            _ => Vec::new(),
        }
    }

    fn number(&self, operand: Option<&Operand>) -> Option<usize> {
        self.numbers.get(&id(operand)?).copied()
    }

    /// Whether a pointer is a whole variable.
    fn is_whole(&self, pointer: Option<&Operand>) -> bool {
        self.number(pointer).is_some_and(|item| id(pointer) == self.ids.get(item).copied())
    }

    fn effect(&self, instruction: &Instruction) -> Effect {
        let own = instruction.result_id.and_then(|id| self.numbers.get(&id).copied());
        let own = own.filter(|item| !self.is_variable[*item]);
        let all = || instruction.operands.iter().filter_map(|operand| self.number(Some(operand)));
        match instruction.class.opcode {
            // Of a phi, the values are needed at the ends of the blocks before.
            Op::Phi => Effect { makes: own.into_iter().collect(), ..Effect::default() },
            Op::AccessChain | Op::InBoundsAccessChain | Op::Variable => Effect::default(),
            Op::Store => {
                let to = self.number(instruction.operands.first());
                let of = self.number(instruction.operands.get(1));
                Effect {
                    makes: to.into_iter().collect(),
                    needs: of.into_iter().collect(),
                    overwrites: to.filter(|_| self.is_whole(instruction.operands.first())),
                }
            }
            Op::FunctionCall => {
                let called = id(instruction.operands.first()).and_then(|it| self.calls.get(&it));
                let accessed = called.into_iter().flat_map(|called| &called.accessed);
                let accessed: Vec<usize> = accessed.filter_map(|it| self.numbers.get(it).copied()).collect();
                let variables = all().filter(|item| self.is_variable[*item]);
                Effect {
                    makes: variables.chain(accessed.iter().copied()).chain(own).collect(),
                    needs: all().chain(accessed.iter().copied()).collect(),
                    overwrites: None,
                }
            }
            _ => Effect { makes: own.into_iter().collect(), needs: all().collect(), overwrites: None },
        }
    }

    /// Of what is held, what counts: a value that is loaded from a variable or stored to it is not held beside it.
    fn counted(&self, held: &[usize], figure: Figure) -> Vec<usize> {
        let set: FxHashSet<usize> = held.iter().copied().collect();
        let mut through: BTreeMap<usize, usize> = BTreeMap::new();
        let mut counted = Vec::new();
        for &item in held {
            if self.is_parameter[item] || figure == Figure::Bound && !self.made[item] {
                continue;
            }
            match self.alias[item] {
                Some(variable) if set.contains(&variable) || self.is_parameter[variable] => {}
                // Several values of one variable count once, unless it is an array.
                Some(variable) if self.sizes[variable].count == 1 => {
                    through.entry(variable).or_insert(item);
                }
                _ => counted.push(item),
            }
        }
        counted.extend(through.into_values());
        counted
    }
}

/// What is held at the ends of blocks.
struct Flow {
    reached: Vec<bool>,
    /// Needed later, at the end of each block.
    needed: Vec<FxHashSet<usize>>,
    /// Of variables: something was stored, at the start of each block.
    stored: Vec<FxHashSet<usize>>,
}

impl Flow {
    fn of(body: &Function, items: &Items) -> Flow {
        let count = body.blocks.len();
        let labels: FxHashMap<Word, usize> =
            body.blocks.iter().enumerate().filter_map(|(at, block)| Some((block.label_id()?, at))).collect();
        let successors: Vec<Vec<usize>> =
            body.blocks.iter().map(|block| successors(block, &labels)).collect();
        let mut reached = vec![false; count];
        let mut todo = vec![0];
        while let Some(at) = todo.pop() {
            if reached.get(at) == Some(&false) {
                reached[at] = true;
                todo.extend(&successors[at]);
            }
        }
        let mut flow = Flow {
            reached,
            needed: vec![FxHashSet::default(); count],
            stored: vec![FxHashSet::default(); count],
        };
        // What phis need is needed at the end of the block that it comes from.
        let mut needed_by_phis = vec![FxHashSet::default(); count];
        for phi in body.blocks.iter().flat_map(|block| &block.instructions) {
            if phi.class.opcode == Op::Phi {
                for pair in phi.operands.chunks(2) {
                    let from = id(pair.get(1)).and_then(|label| labels.get(&label));
                    if let (Some(value), Some(&from)) = (items.number(pair.first()), from) {
                        needed_by_phis[from].insert(value);
                    }
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..count).rev() {
                let mut needed: FxHashSet<usize> = needed_by_phis[at].clone();
                for &next in &successors[at] {
                    let mut before = flow.needed[next].clone();
                    for instruction in body.blocks[next].instructions.iter().rev() {
                        before_of(&mut before, &items.effect(instruction), items);
                    }
                    needed.extend(before);
                }
                if needed.len() != flow.needed[at].len() {
                    flow.needed[at] = needed;
                    changed = true;
                }
            }
        }
        changed = true;
        while changed {
            changed = false;
            for (at, after) in successors.iter().enumerate() {
                let mut stored = flow.stored[at].clone();
                for instruction in &body.blocks[at].instructions {
                    after_of(&mut stored, instruction, items);
                }
                for &next in after {
                    let known = flow.stored[next].len();
                    flow.stored[next].extend(&stored);
                    changed |= flow.stored[next].len() != known;
                }
            }
        }
        flow
    }

    /// What is held before each instruction of a block: needed later, and, of variables, stored.
    fn states(&self, at: usize, block: &Block, items: &Items) -> Vec<Vec<usize>> {
        let mut needed = self.needed[at].clone();
        let mut states: Vec<Vec<usize>> = Vec::with_capacity(block.instructions.len());
        for instruction in block.instructions.iter().rev() {
            before_of(&mut needed, &items.effect(instruction), items);
            let mut sorted: Vec<usize> = needed.iter().copied().collect();
            sorted.sort_unstable();
            states.push(sorted);
        }
        states.reverse();
        let mut stored = self.stored[at].clone();
        for (instruction, state) in block.instructions.iter().zip(&mut states) {
            state.retain(|item| !items.is_variable[*item] || stored.contains(item));
            after_of(&mut stored, instruction, items);
        }
        states
    }
}

fn is_multiply_add(instruction: &Instruction) -> bool {
    matches!(instruction.class.opcode, Op::CooperativeMatrixMulAddKHR | Op::CooperativeMatrixMulAddNV)
}

/// From what is needed after an instruction to what is needed before it.
fn before_of(needed: &mut FxHashSet<usize>, effect: &Effect, items: &Items) {
    for item in &effect.makes {
        if !items.is_variable[*item] || effect.overwrites == Some(*item) {
            needed.remove(item);
        }
    }
    needed.extend(&effect.needs);
}

/// From the variables that hold something before an instruction to those after it: a constant that is stored can be made anew anywhere.
fn after_of(stored: &mut FxHashSet<usize>, instruction: &Instruction, items: &Items) {
    let effect = items.effect(instruction);
    if let Some(whole) = effect.overwrites {
        stored.remove(&whole);
    }
    let is_value = instruction.class.opcode != Op::Store || !effect.needs.is_empty();
    stored.extend(effect.makes.into_iter().filter(|item| is_value && items.is_variable[*item]));
}

fn successors(block: &Block, labels: &FxHashMap<Word, usize>) -> Vec<usize> {
    let Some(end) = block.instructions.last() else { return Vec::new() };
    let targets = match end.class.opcode {
        Op::Branch => end.operands.get(..1),
        Op::BranchConditional | Op::Switch => end.operands.get(1..),
        _ => None,
    };
    let ids = targets.into_iter().flatten().filter_map(Operand::id_ref_any);
    ids.filter_map(|label| labels.get(&label).copied()).collect()
}
