//! What integers of a module are, for push constants and invocations that somebody chooses.
//!
//! Nothing is executed: an id is followed to what it is made of. A variable, or a phi, that is set from itself counts the iterations of the loop
//! that sets it; any other has the first value that is known. That is exact for the indices of usual shaders, and what it gets wrong is only a
//! suggestion.

mod evaluation;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use coopmat_spirv::dr::{Instruction, Module, Operand};
use coopmat_spirv::spirv::{BuiltIn, Decoration, Op, StorageClass, Word};
use coopmat_spirv::{Opcode, opcode};

use self::evaluation::Evaluation;

/// Ids that are followed one from the other, and ids that are looked at for one value.
const DEEPEST: usize = 96;
const MOST: usize = 20_000;

/// A member of the push constants: the indices that lead to it.
pub type Path = Vec<u32>;

/// What a pointer points into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Base {
    /// A variable.
    Variable(Word),
    /// What an address in the push constants leads to.
    Behind(Path),
}

/// What ids are evaluated for.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Integers among the push constants; the others are not known.
    pub push: BTreeMap<Path, i64>,
    /// `gl_WorkGroupID`; every other place of an invocation is 0.
    pub workgroup: [i64; 3],
    /// Iterations of loops, by their index.
    pub iteration: BTreeMap<usize, i64>,
    /// Which of its calls a function is looked at in.
    pub call: usize,
    /// Values that are taken for ids, whatever they are made of.
    pub fixed: BTreeMap<Word, i64>,
    /// Whether only that is known which every invocation has, in each iteration and call.
    pub everywhere: bool,
}

/// A loop: the blocks from its header up to its merge block.
#[derive(Clone, Debug)]
pub struct Loop {
    first: usize,
    behind: usize,
}

/// A value that is put into a variable or a phi, and the block where that happens.
#[derive(Clone, Copy, Debug)]
struct Set {
    value: Word,
    block: usize,
}

/// Counts iterations: the loop, the first value, what is put into it again.
#[derive(Clone, Copy, Debug)]
struct Counter {
    in_loop: Option<usize>,
    start: Option<Word>,
    again: Word,
}

/// A module, by what is asked here.
pub struct Values<'m> {
    defined: BTreeMap<Word, &'m Instruction>,
    block_of: BTreeMap<Word, usize>,
    /// By variable: what is stored to it or into it.
    stores: BTreeMap<Word, Vec<Set>>,
    calls: BTreeMap<Word, Vec<&'m Instruction>>,
    /// Function and number of a parameter.
    parameters: BTreeMap<Word, (Word, usize)>,
    returns: BTreeMap<Word, Word>,
    pub loops: Vec<Loop>,
    /// Conditions of branches, by block.
    conditions: Vec<(usize, Word)>,
    builtins: BTreeMap<Word, BuiltIn>,
    offsets: BTreeMap<(Word, u32), i64>,
    strides: BTreeMap<Word, i64>,
    workgroup_size: [u32; 3],
    subgroup_size: u32,
    /// Loads of a variable.
    loads: BTreeMap<Word, Vec<Word>>,
    counters: RefCell<BTreeMap<Word, Option<Counter>>>,
}

pub fn id(operand: Option<&Operand>) -> Option<Word> {
    match operand {
        Some(Operand::IdRef(id)) => Some(*id),
        _ => None,
    }
}

fn ids(instruction: &Instruction) -> impl Iterator<Item = Word> {
    instruction.operands.iter().filter_map(|operand| id(Some(operand)))
}

impl<'m> Values<'m> {
    pub fn new(module: &'m Module, workgroup_size: [u32; 3], subgroup_size: u32) -> Values<'m> {
        let mut values = Values {
            defined: BTreeMap::new(),
            block_of: BTreeMap::new(),
            stores: BTreeMap::new(),
            calls: BTreeMap::new(),
            parameters: BTreeMap::new(),
            returns: BTreeMap::new(),
            loops: Vec::new(),
            conditions: Vec::new(),
            builtins: BTreeMap::new(),
            offsets: BTreeMap::new(),
            strides: BTreeMap::new(),
            workgroup_size,
            subgroup_size: subgroup_size.max(1),
            loads: BTreeMap::new(),
            counters: RefCell::default(),
        };
        for annotation in &module.annotations {
            values.annotate(annotation);
        }
        for instruction in &module.types_global_values {
            if let Some(id) = instruction.result_id {
                values.defined.insert(id, instruction);
            }
        }
        let mut number = 0;
        let mut labels = BTreeMap::new();
        let mut merges = Vec::new();
        let mut stores = Vec::new();
        for function in &module.functions {
            let name = function.def.as_ref().and_then(|def| def.result_id).unwrap_or(0);
            for (index, parameter) in function.parameters.iter().enumerate() {
                if let Some(id) = parameter.result_id {
                    values.defined.insert(id, parameter);
                    values.parameters.insert(id, (name, index));
                }
            }
            for block in &function.blocks {
                if let Some(label) = block.label.as_ref().and_then(|label| label.result_id) {
                    labels.insert(label, number);
                }
                for instruction in &block.instructions {
                    if let Some(id) = instruction.result_id {
                        values.defined.insert(id, instruction);
                        values.block_of.insert(id, number);
                    }
                    match instruction.class.opcode {
                        Op::Store => stores.push((number, instruction)),
                        Op::Load => {
                            if let (Some(from), Some(result)) =
                                (id(instruction.operands.first()), instruction.result_id)
                            {
                                values.loads.entry(from).or_default().push(result);
                            }
                        }
                        Op::FunctionCall => {
                            if let Some(callee) = id(instruction.operands.first()) {
                                values.calls.entry(callee).or_default().push(instruction);
                            }
                        }
                        Op::ReturnValue => {
                            if let Some(value) = id(instruction.operands.first()) {
                                values.returns.entry(name).or_insert(value);
                            }
                        }
                        Op::LoopMerge => {
                            merges.extend(id(instruction.operands.first()).map(|to| (number, to)))
                        }
                        Op::BranchConditional => {
                            values.conditions.extend(id(instruction.operands.first()).map(|it| (number, it)));
                        }
                        _ => {}
                    }
                }
                number += 1;
            }
        }
        for (first, merge) in merges {
            let behind = labels.get(&merge).copied().unwrap_or(first);
            values.loops.push(Loop { first, behind });
        }
        for (block, store) in stores {
            let mut operands = ids(store);
            let (Some(pointer), Some(value)) = (operands.next(), operands.next()) else { continue };
            // A parameter that is a pointer is known once calls are.
            let variables = values.variables(pointer, 0);
            for variable in variables {
                values.stores.entry(variable).or_default().push(Set { value, block });
            }
        }
        values
    }

    fn annotate(&mut self, annotation: &Instruction) {
        match (annotation.class.opcode, annotation.operands.as_slice()) {
            (
                Op::Decorate,
                [Operand::IdRef(id), Operand::Decoration(Decoration::BuiltIn), Operand::BuiltIn(builtin)],
            ) => {
                self.builtins.insert(*id, *builtin);
            }
            (
                Op::Decorate,
                [
                    Operand::IdRef(id),
                    Operand::Decoration(Decoration::ArrayStride),
                    Operand::LiteralBit32(stride),
                ],
            ) => {
                self.strides.insert(*id, i64::from(*stride));
            }
            (
                Op::MemberDecorate,
                [
                    Operand::IdRef(id),
                    Operand::LiteralBit32(member),
                    Operand::Decoration(Decoration::Offset),
                    Operand::LiteralBit32(offset),
                ],
            ) => {
                self.offsets.insert((*id, *member), i64::from(*offset));
            }
            _ => {}
        }
    }

    /// The instruction of an id.
    pub fn instruction(&self, id: Word) -> Option<&'m Instruction> {
        self.defined.get(&id).copied()
    }

    fn op(&self, id: Word) -> Opcode {
        self.instruction(id).map_or(Opcode::Nop, opcode)
    }

    /// The variables that a pointer may be of: several where a parameter is given different ones.
    fn variables(&self, pointer: Word, depth: usize) -> Vec<Word> {
        let Some(instruction) = self.instruction(pointer).filter(|_| depth < 4) else { return Vec::new() };
        match instruction.class.opcode {
            Op::Variable => vec![pointer],
            Op::FunctionParameter => {
                let Some((function, index)) = self.parameters.get(&pointer) else { return Vec::new() };
                let calls = self.calls.get(function).into_iter().flatten().take(8);
                let arguments = calls.filter_map(|call| id(call.operands.get(index + 1)));
                arguments.flat_map(|argument| self.variables(argument, depth + 1)).collect()
            }
            _ => match self.pointer_of(instruction) {
                Some((base, _)) => self.variables(base, depth + 1),
                None => Vec::new(),
            },
        }
    }

    /// Of an instruction that makes a pointer from one: that, and the indices.
    fn pointer_of(&self, instruction: &'m Instruction) -> Option<(Word, Vec<Word>)> {
        let mut operands = ids(instruction);
        Some(match opcode(instruction) {
            Opcode::AccessChain | Opcode::InBoundsAccessChain => (operands.next()?, operands.collect()),
            Opcode::UntypedAccessChainKHR | Opcode::UntypedInBoundsAccessChainKHR => {
                (operands.nth(1)?, operands.collect())
            }
            Opcode::CopyObject => (operands.next()?, Vec::new()),
            _ => return None,
        })
    }

    /// What a pointer points into: the memory of a variable, or that behind an address.
    pub fn base(&self, pointer: Word, given: &Given) -> Option<Base> {
        let mut pointer = pointer;
        for _ in 0..DEEPEST {
            let instruction = self.instruction(pointer)?;
            pointer = match opcode(instruction) {
                Opcode::Variable | Opcode::UntypedVariableKHR => return Some(Base::Variable(pointer)),
                Opcode::FunctionParameter => self.argument(pointer, given)?,
                Opcode::PtrAccessChain | Opcode::InBoundsPtrAccessChain => id(instruction.operands.first())?,
                // An address that was read, or was computed from one.
                Opcode::Load => {
                    let from = id(instruction.operands.first())?;
                    if let Some(path) = self.push_path(from, given) {
                        return Some(Base::Behind(path));
                    }
                    let variable = *self.variables(from, 0).first()?;
                    self.stores.get(&variable)?.first()?.value
                }
                Opcode::ConvertUToPtr | Opcode::ConvertPtrToU | Opcode::Bitcast | Opcode::IAdd => {
                    id(instruction.operands.first())?
                }
                _ => self.pointer_of(instruction)?.0,
            };
        }
        None
    }

    /// Bytes from the start of what [`Values::base`] gives.
    pub fn offset(&self, pointer: Word, given: &Given) -> Option<i64> {
        let mut chains = Vec::new();
        let mut at = pointer;
        for _ in 0..DEEPEST {
            let instruction = self.instruction(at)?;
            at = match opcode(instruction) {
                Opcode::FunctionParameter => self.argument(at, given)?,
                _ => match self.pointer_of(instruction) {
                    Some((base, indices)) => {
                        let untyped = opcode(instruction) != Opcode::AccessChain
                            && opcode(instruction) != Opcode::InBoundsAccessChain;
                        let type_ = match (indices.is_empty(), untyped) {
                            (true, _) => None,
                            (false, true) => id(instruction.operands.first()),
                            (false, false) => self.pointee(base),
                        };
                        chains.extend(type_.map(|type_| (type_, indices)));
                        base
                    }
                    None => break,
                },
            };
        }
        let mut offset = 0i64;
        for (mut type_, indices) in chains {
            for index in indices {
                let declared = self.instruction(type_)?;
                let index = self.value(index, given)?;
                let (step, part) = match declared.class.opcode {
                    Op::TypeStruct => {
                        let member = u32::try_from(index).ok()?;
                        let part = id(declared.operands.get(member as usize))?;
                        (self.offsets.get(&(type_, member)).copied().unwrap_or(0), part)
                    }
                    _ => {
                        let part = id(declared.operands.first())?;
                        let stride = self.strides.get(&type_).copied().or_else(|| self.size(part))?;
                        (index.checked_mul(stride)?, part)
                    }
                };
                offset = offset.checked_add(step)?;
                type_ = part;
            }
        }
        Some(offset)
    }

    /// The type that a pointer points at.
    pub fn pointee(&self, pointer: Word) -> Option<Word> {
        let type_ = self.instruction(self.instruction(pointer)?.result_type?)?;
        (type_.class.opcode == Op::TypePointer).then(|| id(type_.operands.get(1))).flatten()
    }

    /// Bytes of a type in memory.
    pub fn size(&self, type_: Word) -> Option<i64> {
        self.size_at(type_, 0)
    }

    fn size_at(&self, type_: Word, depth: usize) -> Option<i64> {
        let declared = self.instruction(type_).filter(|_| depth < 16)?;
        let size = |part: Option<&Operand>| self.size_at(id(part)?, depth + 1);
        let first = declared.operands.first();
        match (declared.class.opcode, first) {
            (Op::TypeInt | Op::TypeFloat, Some(Operand::LiteralBit32(width))) => Some(i64::from(*width) / 8),
            (Op::TypeVector, part) => match declared.operands.get(1) {
                Some(Operand::LiteralBit32(count)) => size(part)?.checked_mul(i64::from(*count)),
                _ => None,
            },
            (Op::TypeArray, part) => {
                let length = self.constant(id(declared.operands.get(1))?)?;
                self.strides.get(&type_).copied().or_else(|| size(part))?.checked_mul(length)
            }
            (Op::TypeStruct, _) => {
                let last = declared.operands.len().checked_sub(1)?;
                let offset = self.offsets.get(&(type_, u32::try_from(last).ok()?)).copied().unwrap_or(0);
                offset.checked_add(size(declared.operands.get(last))?)
            }
            _ => None,
        }
    }

    /// The value of a constant integer.
    fn constant(&self, id: Word) -> Option<i64> {
        let instruction = self.instruction(id)?;
        match (instruction.class.opcode, instruction.operands.first()) {
            (Op::ConstantNull, _) => Some(0),
            (Op::Constant, Some(Operand::LiteralBit64(bits))) => Some(*bits as i64),
            (Op::Constant, Some(Operand::LiteralBit32(bits))) => {
                let type_ = self.instruction(instruction.result_type?)?;
                match (type_.class.opcode, type_.operands.get(1)) {
                    (Op::TypeInt, Some(Operand::LiteralBit32(1))) => Some(i64::from(*bits as i32)),
                    (Op::TypeInt, _) => Some(i64::from(*bits)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn argument(&self, parameter: Word, given: &Given) -> Option<Word> {
        let (function, index) = self.parameters.get(&parameter)?;
        let calls = self.calls.get(function)?;
        let call = calls.get(given.call.min(calls.len().checked_sub(1)?))?;
        id(call.operands.get(index + 1))
    }

    /// The member of the push constants that a pointer is of.
    pub fn push_path(&self, pointer: Word, given: &Given) -> Option<Path> {
        let mut path = Vec::new();
        let mut pointer = pointer;
        for _ in 0..DEEPEST {
            let instruction = self.instruction(pointer)?;
            if instruction.class.opcode == Op::Variable {
                let push = matches!(
                    instruction.operands.first(),
                    Some(Operand::StorageClass(StorageClass::PushConstant))
                );
                path.reverse();
                return push.then_some(path);
            }
            let (base, indices) = match instruction.class.opcode {
                Op::FunctionParameter => (self.argument(pointer, given)?, Vec::new()),
                _ => self.pointer_of(instruction)?,
            };
            for index in indices.into_iter().rev() {
                path.push(u32::try_from(self.constant(index)?).ok()?);
            }
            pointer = base;
        }
        None
    }

    /// An integer, or the truth as 0 or 1; nothing where it is not known.
    pub fn value(&self, id: Word, given: &Given) -> Option<i64> {
        Evaluation::new(self, given, MOST).one(id, 0)
    }

    /// The innermost loop with a block in it.
    fn loop_at(&self, block: usize) -> Option<usize> {
        let inside = self.loops.iter().enumerate().filter(|(_, it)| (it.first..it.behind).contains(&block));
        inside.min_by_key(|(_, it)| it.behind.saturating_sub(it.first)).map(|(index, _)| index)
    }

    fn sets(&self, cell: Word) -> Vec<Set> {
        let Some(instruction) = self.instruction(cell) else { return Vec::new() };
        if instruction.class.opcode == Op::Phi {
            let block = self.block_of.get(&cell).copied().unwrap_or(0);
            return ids(instruction).step_by(2).map(|value| Set { value, block }).collect();
        }
        let initial = id(instruction.operands.get(1)).map(|value| Set { value, block: usize::MAX });
        initial.into_iter().chain(self.stores.get(&cell).into_iter().flatten().copied()).collect()
    }

    /// Of a variable or a phi that is set from itself.
    fn counter(&self, cell: Word) -> Option<Counter> {
        if let Some(known) = self.counters.borrow().get(&cell) {
            return *known;
        }
        let found = self.find_counter(cell);
        self.counters.borrow_mut().insert(cell, found);
        found
    }

    fn find_counter(&self, cell: Word) -> Option<Counter> {
        let sets = self.sets(cell);
        let again = sets.iter().find(|set| self.is_made_of(set.value, cell))?;
        let start = sets.iter().find(|set| !self.is_made_of(set.value, cell)).map(|set| set.value);
        Some(Counter { in_loop: self.loop_at(again.block), start, again: again.value })
    }

    fn is_made_of(&self, id: Word, cell: Word) -> bool {
        let mut reached = false;
        self.walk(id, false, &mut |found| reached |= found == cell);
        reached
    }

    /// Everything that an id is made of, itself included: through variables too where `through` is set, else up to them.
    pub fn walk(&self, id: Word, through: bool, see: &mut dyn FnMut(Word)) {
        self.walk_some(id, through, &|_| None, see);
    }

    /// The same, with other operands of some instructions: those that `instead` gives.
    pub fn walk_some(
        &self,
        id: Word,
        through: bool,
        instead: &dyn Fn(&Instruction) -> Option<Vec<Word>>,
        see: &mut dyn FnMut(Word),
    ) {
        let mut seen = BTreeSet::new();
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            if seen.len() >= MOST || !seen.insert(id) {
                continue;
            }
            see(id);
            let Some(instruction) = self.instruction(id) else { continue };
            if let Some(operands) = instead(instruction) {
                left.extend(operands);
                continue;
            }
            match instruction.class.opcode {
                Op::Variable | Op::Phi if !through => {}
                Op::Variable => left.extend(self.sets(id).iter().map(|set| set.value)),
                Op::FunctionParameter => {
                    if let Some((function, index)) = self.parameters.get(&id) {
                        let calls = self.calls.get(function).into_iter().flatten();
                        left.extend(calls.filter_map(|call| self::id(call.operands.get(index + 1))));
                    }
                }
                Op::FunctionCall => {
                    let callee = self::id(instruction.operands.first());
                    left.extend(callee.and_then(|callee| self.returns.get(&callee)));
                }
                _ => left.extend(ids(instruction)),
            }
        }
    }

    /// The members of the push constants that an id is made of.
    pub fn members(&self, id: Word) -> BTreeSet<Path> {
        let mut paths = BTreeSet::new();
        self.walk(id, true, &mut |id| {
            if self.op(id) == Opcode::Load
                && let Some(pointer) = self.instruction(id).and_then(|load| self::id(load.operands.first()))
            {
                paths.extend(self.push_path(pointer, &Given::default()));
            }
        });
        paths
    }

    /// Ids of the same value: loads of the same variable.
    pub fn same(&self, id: Word) -> Vec<Word> {
        let load = self.instruction(id).filter(|it| it.class.opcode == Op::Load);
        let variable = load.and_then(|it| self::id(it.operands.first()));
        variable.and_then(|it| self.loads.get(&it).cloned()).unwrap_or_else(|| vec![id])
    }

    /// Everything that is stored to a variable, or into it.
    pub fn stored(&self, variable: Word) -> Vec<Word> {
        self.sets(variable).iter().map(|set| set.value).collect()
    }

    /// What a loop counts to and how: the counter's start, what it is put to again and the bound; `true` where the bound is included.
    pub fn bound(&self, number: usize) -> Option<Bound> {
        let it = self.loops.get(number)?;
        for (block, condition) in &self.conditions {
            if !(it.first..it.behind).contains(block) || self.loop_at(*block) != Some(number) {
                continue;
            }
            let Some(comparison) = self.instruction(*condition) else { continue };
            let (left, right) = (id(comparison.operands.first()), id(comparison.operands.get(1)));
            let (Some(left), Some(right)) = (left, right) else { continue };
            let (count, end, included) = match opcode(comparison) {
                Opcode::ULessThan | Opcode::SLessThan | Opcode::INotEqual => (left, right, false),
                Opcode::ULessThanEqual | Opcode::SLessThanEqual => (left, right, true),
                Opcode::UGreaterThan | Opcode::SGreaterThan => (right, left, false),
                Opcode::UGreaterThanEqual | Opcode::SGreaterThanEqual => (right, left, true),
                _ => continue,
            };
            let mut counts = false;
            self.walk(count, false, &mut |id| {
                counts |= matches!(self.op(id), Opcode::Variable | Opcode::Phi)
                    && self.counter(id).is_some_and(|counter| counter.in_loop == Some(number));
            });
            if counts {
                return Some(Bound { count, end, included });
            }
        }
        None
    }

    /// How often a loop runs.
    pub fn iterations(&self, number: usize, given: &Given) -> Option<i64> {
        let Bound { count, end, included } = self.bound(number)?;
        let at = |iteration: i64| {
            let mut given = given.clone();
            given.iteration.insert(number, iteration);
            self.value(count, &given)
        };
        let (start, next) = (at(0)?, at(1)?);
        let step = next.checked_sub(start).filter(|step| *step > 0)?;
        let length = self.value(end, given)?.checked_sub(start)?.checked_add(i64::from(included))?;
        Some(length.max(0).checked_add(step - 1)? / step)
    }

    /// Whether a loop has another one in it.
    pub fn is_outside(&self, outer: usize, inner: usize) -> bool {
        let (Some(outer), Some(inner)) = (self.loops.get(outer), self.loops.get(inner)) else { return false };
        outer.first <= inner.first && inner.behind <= outer.behind
    }
}

/// How a loop ends: what is compared, with what, and whether that is reached.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    count: Word,
    /// What the count is compared with.
    pub end: Word,
    included: bool,
}
