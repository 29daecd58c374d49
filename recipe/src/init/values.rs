//! What integers of a module are, for push constants and invocations that somebody chooses.
//!
//! Nothing is executed: an id is followed to what it is made of. A variable, or a phi, that is set from itself counts the iterations of the loop
//! that sets it; any other has the first value that is known. That is exact for the indices of usual shaders, and what it gets wrong is only a
//! suggestion.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use coopmat_spirv::dr::{Instruction, Module, Operand};
use coopmat_spirv::spirv::{BuiltIn, Decoration, GlslStd450Op, Op, StorageClass, Word};
use coopmat_spirv::{Opcode, opcode};

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
        Evaluation { values: self, given, left: MOST, known: BTreeMap::new() }.one(id, 0)
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

struct Evaluation<'v, 'm> {
    values: &'v Values<'m>,
    given: &'v Given,
    left: usize,
    known: BTreeMap<Word, Option<Vec<i64>>>,
}

impl Evaluation<'_, '_> {
    fn one(&mut self, id: Word, depth: usize) -> Option<i64> {
        let parts = self.parts(id, depth)?;
        parts.first().copied().filter(|_| parts.len() == 1)
    }

    fn parts(&mut self, id: Word, depth: usize) -> Option<Vec<i64>> {
        if let Some(value) = self.given.fixed.get(&id) {
            return Some(vec![*value]);
        }
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        self.left = self.left.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        // What leads back to itself is not known.
        self.known.insert(id, None);
        let value = self.made(id, depth + 1);
        self.known.insert(id, value.clone());
        value
    }

    fn made(&mut self, id: Word, depth: usize) -> Option<Vec<i64>> {
        let values = self.values;
        let instruction = values.instruction(id)?;
        let operand = |index: usize| self::id(instruction.operands.get(index));
        Some(match opcode(instruction) {
            Opcode::Constant => vec![values.constant(id)?],
            Opcode::ConstantTrue => vec![1],
            Opcode::ConstantFalse | Opcode::ConstantNull | Opcode::Undef => vec![0],
            Opcode::ConstantComposite | Opcode::CompositeConstruct => {
                let mut parts = Vec::new();
                for part in ids(instruction).take(16) {
                    parts.extend(self.parts(part, depth)?);
                }
                parts
            }
            Opcode::CompositeExtract => match instruction.operands.get(1)? {
                Operand::LiteralBit32(index) if instruction.operands.len() == 2 => {
                    vec![*self.parts(operand(0)?, depth)?.get(*index as usize)?]
                }
                _ => return None,
            },
            Opcode::CopyObject | Opcode::UConvert | Opcode::SConvert | Opcode::Bitcast => {
                self.parts(operand(0)?, depth)?
            }
            Opcode::SNegate => self.parts(operand(0)?, depth)?.iter().map(|it| it.wrapping_neg()).collect(),
            Opcode::LogicalNot => vec![i64::from(self.one(operand(0)?, depth)? == 0)],
            Opcode::Select => {
                let chosen = if self.one(operand(0)?, depth)? != 0 { 1 } else { 2 };
                self.parts(operand(chosen)?, depth)?
            }
            Opcode::ExtInst => {
                let Operand::LiteralExtInstInteger(number) = instruction.operands.get(1)? else {
                    return None;
                };
                let (a, b) = (self.one(operand(2)?, depth)?, self.one(operand(3)?, depth)?);
                vec![match GlslStd450Op::from_u32(*number)? {
                    GlslStd450Op::UMin | GlslStd450Op::SMin => a.min(b),
                    GlslStd450Op::UMax | GlslStd450Op::SMax => a.max(b),
                    GlslStd450Op::UClamp | GlslStd450Op::SClamp => {
                        a.max(b).min(self.one(operand(4)?, depth)?)
                    }
                    _ => return None,
                }]
            }
            Opcode::Phi => self.cell(id, depth)?,
            Opcode::FunctionParameter => self.parts(values.argument(id, self.given)?, depth)?,
            Opcode::FunctionCall => self.parts(*values.returns.get(&operand(0)?)?, depth)?,
            Opcode::Load => self.loaded(operand(0)?, depth)?,
            other => {
                let (a, b) = (self.parts(operand(0)?, depth)?, self.parts(operand(1)?, depth)?);
                let count = a.len().max(b.len());
                let pick = |of: &[i64], index: usize| of.get(if of.len() == 1 { 0 } else { index }).copied();
                let mut parts = Vec::new();
                for index in 0..count {
                    parts.push(binary(other, pick(&a, index)?, pick(&b, index)?)?);
                }
                parts
            }
        })
    }

    fn cell(&mut self, cell: Word, depth: usize) -> Option<Vec<i64>> {
        let values = self.values;
        let Some(counter) = values.counter(cell) else {
            return values.sets(cell).iter().find_map(|set| self.parts(set.value, depth));
        };
        let start = match counter.start {
            Some(start) => self.one(start, depth)?,
            None => 0,
        };
        let iteration = counter.in_loop.and_then(|it| self.given.iteration.get(&it)).copied().unwrap_or(0);
        if iteration == 0 {
            return Some(vec![start]);
        }
        let mut given = self.given.clone();
        // What reads it while it is put to its next value.
        given.fixed.insert(cell, start);
        given.fixed.extend(values.loads.get(&cell).into_iter().flatten().map(|load| (*load, start)));
        let mut next = Evaluation { values, given: &given, left: self.left, known: BTreeMap::new() };
        let again = next.one(counter.again, depth);
        self.left = next.left;
        let step = again?.checked_sub(start)?;
        Some(vec![start.checked_add(step.checked_mul(iteration)?)?])
    }

    fn loaded(&mut self, pointer: Word, depth: usize) -> Option<Vec<i64>> {
        let values = self.values;
        if let Some(path) = values.push_path(pointer, self.given) {
            if let Some(value) = self.given.push.get(&path) {
                return Some(vec![*value]);
            }
            // A vector, whole.
            let parts = self
                .given
                .push
                .iter()
                .filter(|(key, _)| key.len() == path.len() + 1 && key.starts_with(&path));
            let parts: Vec<i64> = parts.map(|(_, value)| *value).collect();
            return (!parts.is_empty()).then_some(parts);
        }
        let Some(Base::Variable(variable)) = values.base(pointer, self.given) else { return None };
        let part = || -> Option<Option<usize>> {
            let instruction = values.instruction(pointer)?;
            match values.pointer_of(instruction) {
                Some((_, indices)) if !indices.is_empty() => {
                    usize::try_from(values.constant(*indices.first()?)?).ok().map(Some)
                }
                _ => Some(None),
            }
        };
        if let Some(builtin) = values.builtins.get(&variable) {
            let all = self.builtin(*builtin)?;
            return Some(match part()? {
                Some(index) => vec![*all.get(index)?],
                None => all,
            });
        }
        let storage = values.instruction(variable)?.operands.first()?;
        if !matches!(storage, Operand::StorageClass(StorageClass::Function | StorageClass::Private)) {
            return None;
        }
        let all = self.cell(variable, depth)?;
        match part()? {
            Some(index) if all.len() > 1 => Some(vec![*all.get(index)?]),
            _ => Some(all),
        }
    }

    fn builtin(&self, builtin: BuiltIn) -> Option<Vec<i64>> {
        let size = self.values.workgroup_size.map(i64::from);
        let workgroup = self.given.workgroup;
        let subgroup = i64::from(self.values.subgroup_size);
        let invocations: i64 = size.iter().product();
        Some(match builtin {
            BuiltIn::WorkgroupId => workgroup.to_vec(),
            BuiltIn::GlobalInvocationId => workgroup.iter().zip(size).map(|(a, b)| a * b).collect(),
            BuiltIn::LocalInvocationId => vec![0; 3],
            BuiltIn::LocalInvocationIndex | BuiltIn::SubgroupId | BuiltIn::SubgroupLocalInvocationId => {
                vec![0]
            }
            BuiltIn::WorkgroupSize => size.to_vec(),
            BuiltIn::NumSubgroups => vec![(invocations + subgroup - 1) / subgroup],
            BuiltIn::SubgroupSize => vec![subgroup],
            _ => return None,
        })
    }
}

fn binary(opcode: Opcode, a: i64, b: i64) -> Option<i64> {
    Some(match opcode {
        Opcode::IAdd => a.checked_add(b)?,
        Opcode::ISub => a.checked_sub(b)?,
        Opcode::IMul => a.checked_mul(b)?,
        Opcode::UDiv | Opcode::SDiv => a.checked_div(b)?,
        Opcode::UMod | Opcode::SRem | Opcode::SMod => a.checked_rem(b)?,
        Opcode::ShiftLeftLogical => a.checked_shl(u32::try_from(b).ok()?)?,
        Opcode::ShiftRightLogical | Opcode::ShiftRightArithmetic => a.checked_shr(u32::try_from(b).ok()?)?,
        Opcode::BitwiseAnd => a & b,
        Opcode::BitwiseOr => a | b,
        Opcode::BitwiseXor => a ^ b,
        Opcode::LogicalAnd => i64::from(a != 0 && b != 0),
        Opcode::LogicalOr => i64::from(a != 0 || b != 0),
        Opcode::IEqual | Opcode::LogicalEqual => i64::from(a == b),
        Opcode::INotEqual | Opcode::LogicalNotEqual => i64::from(a != b),
        Opcode::ULessThan | Opcode::SLessThan => i64::from(a < b),
        Opcode::ULessThanEqual | Opcode::SLessThanEqual => i64::from(a <= b),
        Opcode::UGreaterThan | Opcode::SGreaterThan => i64::from(a > b),
        Opcode::UGreaterThanEqual | Opcode::SGreaterThanEqual => i64::from(a >= b),
        _ => return None,
    })
}
