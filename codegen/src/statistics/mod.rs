//! What a module does, counted: instructions by class, matrix operations with their types, the work and the traffic of a workgroup.
//!
//! It is read from the module alone, whoever made it. Specialization constants count with their default values. How often a loop goes
//! round follows from its counter where start, step and end are known; else amounts are told per round, with the loop's name.

mod classes;
mod cost;
mod flow;
mod index;
mod lanes;
mod registers;
mod text;
mod values;

use std::collections::BTreeMap;

use coopmat_spirv::Capability;
use coopmat_spirv::text::function_ranges;
use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{ExecutionMode, Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

pub use classes::Class;
use cost::{METRICS, Metric, Unit};
use flow::{Flow, Rounds};
use index::{Index, id, literal};
pub use lanes::{Lanes, SharedAccess, shared_accesses};
pub use registers::{Held, Live, Point, live};

/// Functions call each other no deeper than this; SPIR-V forbids recursion.
const CALLS: u32 = 64;

/// What the module does not say.
#[derive(Clone, Copy, Debug)]
pub struct Assumptions {
    /// Invocations of a subgroup, at least 1.
    pub subgroup_size: u32,
}

impl Default for Assumptions {
    fn default() -> Self {
        Assumptions { subgroup_size: 32 }
    }
}

/// What a module does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statistics {
    /// `1.6`.
    pub version: String,
    /// One more than the highest id.
    pub bound: u32,
    /// Of the whole module.
    pub instructions: usize,
    /// Those that the module declares, by their names.
    pub capabilities: Vec<String>,
    /// `OpExtension`: `SPV_KHR_cooperative_matrix`.
    pub extensions: Vec<String>,
    /// The one that was assumed.
    pub subgroup_size: u32,
    /// In the order of the module.
    pub entry_points: Vec<EntryPoint>,
}

/// What an entry point does, with all functions that it calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryPoint {
    /// As `OpEntryPoint` has it.
    pub name: String,
    /// The execution model: `GLCompute`.
    pub model: String,
    /// Under the default values.
    pub workgroup: Option<[u64; 3]>,
    /// What it calls, itself first.
    pub functions: Vec<String>,
    /// Of these functions.
    pub instructions: usize,
    /// The classes that occur, in their order.
    pub classes: Vec<ClassCount>,
    /// In the order in which they are first met.
    pub matrix_operations: Vec<MatrixOperation>,
    /// `OpControlBarrier`, each place in the text once.
    pub barriers: usize,
    /// Bytes.
    pub shared_memory: u64,
    /// Of all these functions.
    pub loops: Vec<LoopCount>,
    /// Per workgroup: two for each multiply-add of components.
    pub matrix_flops: Vec<Amount>,
    /// Per workgroup: additions, multiplications and divisions of floats elsewhere; a function of GLSL.std.450 counts as one, `fma` as two.
    pub other_flops: Vec<Amount>,
    /// Bytes per workgroup that loads take from buffers.
    pub global_bytes_read: Vec<Amount>,
    /// Bytes per workgroup that stores bring to buffers.
    pub global_bytes_written: Vec<Amount>,
    /// Bytes per workgroup that loads take from shared memory.
    pub shared_bytes_read: Vec<Amount>,
    /// Bytes per workgroup that stores bring to shared memory.
    pub shared_bytes_written: Vec<Amount>,
}

/// How many instructions are of one class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassCount {
    /// Of what kind they are.
    pub class: Class,
    /// In the text, at least 1.
    pub count: usize,
}

/// Instructions of one kind on matrices of the same types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MatrixOperation {
    /// With `Op`.
    pub instruction: String,
    /// The types of the matrices, operands first: `f16 16x16 A`.
    pub operands: Vec<String>,
    /// The type of the result, where that is a matrix.
    pub result: Option<String>,
    /// `subgroup`, `workgroup`.
    pub scope: String,
    /// In the text.
    pub count: usize,
    /// How often a workgroup executes them.
    pub executed: Vec<Amount>,
}

/// A part of a sum: so much for each round of the loops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Amount {
    /// How much, for one round of each of the loops.
    pub value: u64,
    /// Loops whose number of rounds is not known: names from `loops`.
    pub per_round_of: Vec<String>,
    /// Behind a branch, or in a loop that may be left early: not more than this.
    pub at_most: bool,
}

/// A loop, and how often it goes round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoopCount {
    /// `L1`.
    pub name: String,
    /// The function that it stands in.
    pub function: String,
    /// The index of its header's label in the module, for its place in the source.
    pub instruction: usize,
    /// Where it is in the source, when the caller knows.
    pub place: Option<String>,
    /// The loop that it is part of.
    pub inside: Option<String>,
    /// Each time that it is entered; nothing where that is not known.
    pub rounds: Option<u64>,
    /// Whether `rounds` is the most that any invocation goes: it may be left early.
    pub at_most: bool,
    /// Why the number of rounds is not known.
    pub reason: Option<String>,
}

/// The number of rounds that multiply an amount, by the loops where they are not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Terms {
    loops: Vec<usize>,
    at_most: bool,
}

#[derive(Default)]
struct Sums(BTreeMap<Terms, [u64; METRICS]>);

struct Counting<'m> {
    index: &'m Index<'m>,
    starts: FxHashMap<Word, usize>,
    invocations: u64,
    subgroups: u64,
    workgroup: Option<[u64; 3]>,
    subgroup_size: u64,
    sums: Sums,
    loops: Vec<LoopCount>,
    /// The loops of a function, when it was looked at already.
    known: FxHashMap<Word, std::rc::Rc<FunctionFlow<'m>>>,
    operations: Vec<(OperationKey, usize, BTreeMap<Terms, u64>)>,
}

type OperationKey = (&'static str, Vec<String>, Option<String>, &'static str);

struct FunctionFlow<'m> {
    flow: Flow<'m>,
    /// The number in the list of the first of its loops.
    first_loop: usize,
}

/// How often something is executed.
#[derive(Clone, Debug)]
struct Times {
    count: u64,
    terms: Terms,
}

/// Counts a module.
pub fn statistics(module: &Module, assumptions: &Assumptions) -> Statistics {
    let index = Index::new(module);
    let entry_points =
        module.entry_points.iter().filter_map(|entry| entry_point(&index, entry, assumptions)).collect();
    let (major, minor) = module.header.as_ref().map_or((0, 0), |header| header.version());
    Statistics {
        version: format!("{major}.{minor}"),
        bound: module.header.as_ref().map_or(0, |header| header.bound),
        instructions: module.all_inst_iter().count(),
        capabilities: module.capabilities.iter().map(operands_text).collect(),
        extensions: module.extensions.iter().map(operands_text).collect(),
        subgroup_size: assumptions.subgroup_size,
        entry_points,
    }
}

fn operands_text(instruction: &Instruction) -> String {
    match instruction.operands.first() {
        Some(Operand::LiteralString(text)) => text.clone(),
        Some(operand) => match (Capability::of(operand), operand) {
            (Some(capability), _) => capability.name().to_owned(),
            (None, Operand::LiteralBit32(number)) => number.to_string(),
            _ => String::new(),
        },
        None => String::new(),
    }
}

fn workgroup(index: &Index<'_>, entry: Word) -> Option<[u64; 3]> {
    use rspirv::spirv::BuiltIn;
    // The constant with this decoration counts before the execution mode.
    let constant =
        index.builtins.iter().find(|(_, what)| **what == BuiltIn::WorkgroupSize).map(|(id, _)| *id);
    if let Some(constant) = constant {
        let part =
            |at| index.extract(constant, &[Operand::LiteralBit32(at)], index::DEPTH).map(|value| value.bits);
        if let (Some(x), Some(y), Some(z)) = (part(0), part(1), part(2)) {
            return Some([x, y, z]);
        }
    }
    index.module.execution_modes.iter().find_map(|mode| {
        if id(mode.operands.first()) != Some(entry) {
            return None;
        }
        let size = |at| match mode.operands.get(1) {
            Some(Operand::ExecutionMode(ExecutionMode::LocalSize)) => literal(mode.operands.get(at)),
            Some(Operand::ExecutionMode(ExecutionMode::LocalSizeId)) => {
                index.constant(id(mode.operands.get(at))?)
            }
            _ => None,
        };
        Some([size(2)?, size(3)?, size(4)?])
    })
}

fn entry_point(index: &Index<'_>, entry: &Instruction, assumptions: &Assumptions) -> Option<EntryPoint> {
    let [Operand::ExecutionModel(model), function, Operand::LiteralString(name), ..] =
        entry.operands.as_slice()
    else {
        return None;
    };
    let function = function.id_ref_any()?;
    let workgroup = workgroup(index, function);
    let subgroup_size = u64::from(assumptions.subgroup_size.max(1));
    let invocations =
        workgroup.map_or(1, |size| size.iter().fold(1, |all: u64, one| all.saturating_mul(*one))).max(1);
    let module = index.module;
    let starts =
        module.functions.iter().filter(|function| function.def.is_some()).zip(function_ranges(module));
    let mut counting = Counting {
        index,
        starts: starts.filter_map(|(function, range)| Some((function.def_id()?, range.start))).collect(),
        invocations,
        subgroups: invocations.div_ceil(subgroup_size),
        workgroup,
        subgroup_size,
        sums: Sums::default(),
        loops: Vec::new(),
        known: FxHashMap::default(),
        operations: Vec::new(),
    };
    let functions = counting.reachable(function);
    let mut classes: BTreeMap<Class, usize> = BTreeMap::new();
    let mut instructions = 0;
    let mut barriers = 0;
    let mut used: FxHashSet<Word> = FxHashSet::default();
    for &id in &functions {
        let Some(function) = index.function(id) else { continue };
        for instruction in function.all_inst_iter() {
            instructions += 1;
            *classes.entry(Class::of(instruction)).or_default() += 1;
            barriers += usize::from(instruction.class.opcode == Op::ControlBarrier);
            used.extend(instruction.operands.iter().filter_map(Operand::id_ref_any));
        }
    }
    counting.function(function, &Times { count: 1, terms: Terms::default() }, CALLS);
    let is_shared = |variable: &&Instruction| {
        variable.class.opcode == Op::Variable
            && matches!(variable.operands.first(), Some(Operand::StorageClass(StorageClass::Workgroup)))
            && variable.result_id.is_some_and(|id| used.contains(&id))
    };
    let shared = module.types_global_values.iter().filter(is_shared);
    let size = |variable: &Instruction| index.bytes(index.pointer(variable.result_id?)?.1);
    let shared_memory = shared.filter_map(size).fold(0u64, u64::saturating_add);
    let matrix_operations = counting.matrix_operations();
    let amounts = |metric: Metric| counting.amounts(metric);
    Some(EntryPoint {
        name: name.clone(),
        model: format!("{model:?}"),
        workgroup,
        functions: functions.iter().map(|id| index.names.of(*id)).collect(),
        instructions,
        classes: classes.into_iter().map(|(class, count)| ClassCount { class, count }).collect(),
        matrix_operations,
        barriers,
        shared_memory,
        matrix_flops: amounts(Metric::MatrixFlops),
        other_flops: amounts(Metric::OtherFlops),
        global_bytes_read: amounts(Metric::GlobalRead),
        global_bytes_written: amounts(Metric::GlobalWritten),
        shared_bytes_read: amounts(Metric::SharedRead),
        shared_bytes_written: amounts(Metric::SharedWritten),
        loops: counting.loops,
    })
}

impl<'m> Counting<'m> {
    /// A function and what it calls, also through operations that call a function for each element.
    fn reachable(&self, from: Word) -> Vec<Word> {
        let mut found = vec![from];
        let mut at = 0;
        while let Some(&function) = found.get(at) {
            at += 1;
            let Some(function) = self.index.function(function) else { continue };
            for instruction in function.all_inst_iter() {
                for called in instruction.operands.iter().filter_map(Operand::id_ref_any) {
                    if self.index.functions.contains_key(&called) && !found.contains(&called) {
                        found.push(called);
                    }
                }
            }
        }
        found
    }

    fn flow(&mut self, function: Word) -> Option<std::rc::Rc<FunctionFlow<'m>>> {
        if let Some(known) = self.known.get(&function) {
            return Some(known.clone());
        }
        let body: &'m Function = self.index.function(function)?;
        let flow = Flow::new(self.index, body, self.workgroup, self.subgroup_size);
        let first_loop = self.loops.len();
        let name = self.index.names.of(function);
        // In the order of the text, for the names.
        let mut offsets = Vec::with_capacity(body.blocks.len());
        let mut offset = self.starts.get(&function).copied().unwrap_or(0) + 1 + body.parameters.len();
        for block in &body.blocks {
            offsets.push(offset);
            offset += 1 + block.instructions.len();
        }
        for (number, one) in flow.loops.iter().enumerate() {
            let around = flow.inside[one.header].iter().take_while(|around| **around != number).last();
            let (rounds, at_most, reason) = match one.rounds {
                Rounds::Exactly(rounds) => (Some(rounds), false, None),
                Rounds::AtMost(rounds) => (Some(rounds), true, None),
                Rounds::Unknown(why) => (None, false, Some(why.to_owned())),
            };
            self.loops.push(LoopCount {
                name: format!("L{}", first_loop + number + 1),
                function: name.clone(),
                instruction: offsets.get(one.header).copied().unwrap_or(0),
                place: None,
                inside: around.map(|around| format!("L{}", first_loop + around + 1)),
                rounds,
                at_most,
                reason,
            });
        }
        let flow = std::rc::Rc::new(FunctionFlow { flow, first_loop });
        self.known.insert(function, flow.clone());
        Some(flow)
    }

    fn function(&mut self, function: Word, times: &Times, depth: u32) {
        let (Some(body), true) = (self.index.function(function), depth > 0) else { return };
        let Some(flow) = self.flow(function) else { return };
        for (at, block) in body.blocks.iter().enumerate() {
            if !flow.flow.reached[at] {
                continue;
            }
            let mut here = times.clone();
            here.terms.at_most |= flow.flow.conditional[at];
            for &number in &flow.flow.inside[at] {
                match flow.flow.loops[number].rounds {
                    Rounds::Exactly(rounds) => here.count = here.count.saturating_mul(rounds),
                    Rounds::AtMost(rounds) => {
                        here.count = here.count.saturating_mul(rounds);
                        here.terms.at_most = true;
                    }
                    Rounds::Unknown(_) => here.terms.loops.push(flow.first_loop + number),
                }
            }
            for instruction in &block.instructions {
                self.instruction(instruction, &here, depth);
            }
        }
    }

    fn instruction(&mut self, instruction: &'m Instruction, times: &Times, depth: u32) {
        let cost = self.index.cost(instruction);
        let per_workgroup = match cost.unit {
            Unit::Invocation => self.invocations,
            Unit::Subgroup => self.subgroups,
            Unit::Workgroup => 1,
        };
        let count = times.count.saturating_mul(per_workgroup);
        for (metric, amount) in cost.amounts {
            let sum = &mut self.sums.0.entry(times.terms.clone()).or_default()[metric as usize];
            *sum = sum.saturating_add(amount.saturating_mul(count));
        }
        let class = Class::of(instruction);
        let matrix = self.index.matrix_of(instruction);
        if matrix.is_some() && matches!(class, Class::Matrix | Class::Arithmetic | Class::Conversion) {
            self.operation(instruction, cost.unit, count, times);
        }
        match instruction.class.opcode {
            Op::FunctionCall => {
                if let Some(called) = id(instruction.operands.first()) {
                    self.function(called, times, depth - 1);
                }
            }
            // A function for each element, or each element that is loaded.
            _ if class == Class::Matrix => {
                let elements = matrix.and_then(index::MatrixType::elements).unwrap_or(1);
                let called: Vec<Word> = instruction
                    .operands
                    .iter()
                    .filter_map(Operand::id_ref_any)
                    .filter(|called| self.index.functions.contains_key(called))
                    .collect();
                for called in called {
                    // The calls are spread over the invocations, which `function` multiplies with.
                    let each = elements.saturating_mul(per_workgroup).div_ceil(self.invocations);
                    let mut times = times.clone();
                    times.count = times.count.saturating_mul(each);
                    times.terms.at_most = true;
                    self.function(called, &times, depth - 1);
                }
            }
            _ => {}
        }
    }

    fn operation(&mut self, instruction: &Instruction, unit: Unit, count: u64, times: &Times) {
        let index = self.index;
        let name = |ty: Word| index.matrix(ty).map(|matrix| index.matrix_name(matrix));
        let operands = instruction.operands.iter().filter_map(Operand::id_ref_any);
        let mut operands: Vec<String> = operands.filter_map(|id| name(index.type_of(id)?)).collect();
        if let Some(Operand::IdRef(ty)) = instruction.operands.first()
            && let Some(of) = name(*ty)
        {
            // The length of a type.
            operands.insert(0, of);
        }
        let result = instruction.result_type.and_then(name);
        let scope = match unit {
            Unit::Workgroup => "workgroup",
            Unit::Subgroup | Unit::Invocation => "subgroup",
        };
        let key = (instruction.class.opname, operands, result, scope);
        let at = match self.operations.iter().position(|(known, ..)| *known == key) {
            Some(at) => at,
            None => {
                self.operations.push((key, 0, BTreeMap::new()));
                self.operations.len() - 1
            }
        };
        let (_, _, executed) = &mut self.operations[at];
        let sum = executed.entry(times.terms.clone()).or_default();
        *sum = sum.saturating_add(count);
    }

    fn matrix_operations(&mut self) -> Vec<MatrixOperation> {
        // How often each stands in the text, whoever calls the function.
        let index = self.index;
        let mut texts: FxHashMap<OperationKey, usize> = FxHashMap::default();
        let functions: Vec<Word> = self.known.keys().copied().collect();
        let executed = std::mem::take(&mut self.operations);
        for function in functions {
            let (Some(body), Some(flow)) = (index.function(function), self.known.get(&function).cloned())
            else {
                continue;
            };
            for (at, block) in body.blocks.iter().enumerate() {
                for instruction in block.instructions.iter().filter(|_| flow.flow.reached[at]) {
                    let class = Class::of(instruction);
                    let Some(matrix) = index.matrix_of(instruction) else { continue };
                    if matches!(class, Class::Matrix | Class::Arithmetic | Class::Conversion) {
                        let once = Times { count: 1, terms: Terms::default() };
                        self.operation(instruction, Unit::of(matrix), 1, &once);
                        for (key, ..) in self.operations.drain(..) {
                            *texts.entry(key).or_default() += 1;
                        }
                    }
                }
            }
        }
        let convert = |(key, _, executed): (OperationKey, usize, BTreeMap<Terms, u64>)| {
            let count = texts.get(&key).copied().unwrap_or(1);
            let (name, operands, result, scope) = key;
            let executed = executed.iter().map(|(terms, value)| self.amount(terms, *value)).collect();
            MatrixOperation {
                instruction: format!("Op{name}"),
                operands,
                result,
                scope: scope.to_owned(),
                count,
                executed,
            }
        };
        let mut found: Vec<MatrixOperation> = executed.into_iter().map(convert).collect();
        found.sort_by(|a, b| {
            (&a.instruction, &a.operands, &a.result).cmp(&(&b.instruction, &b.operands, &b.result))
        });
        found
    }

    fn amount(&self, terms: &Terms, value: u64) -> Amount {
        let name = |number: &usize| self.loops.get(*number).map(|one| one.name.clone()).unwrap_or_default();
        Amount { value, per_round_of: terms.loops.iter().map(name).collect(), at_most: terms.at_most }
    }

    fn amounts(&self, metric: Metric) -> Vec<Amount> {
        let sums = self.sums.0.iter().map(|(terms, sums)| (terms, sums[metric as usize]));
        sums.filter(|(_, value)| *value > 0).map(|(terms, value)| self.amount(terms, value)).collect()
    }
}

/// A function's instructions that a reader looks for, in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The id of its `OpFunction`.
    pub function: Word,
    /// All that it has in the module, from `OpFunction` to `OpFunctionEnd`.
    pub instructions: usize,
    /// `3 loads, 1 OpCooperativeMatrixMulAddKHR`: of buffers and shared memory, on matrices, and what waits for others.
    pub words: String,
}

/// One summary for each function of a module, in their order.
pub fn summaries(module: &Module) -> Vec<Summary> {
    let index = Index::new(module);
    let functions = module.functions.iter().filter(|function| function.def.is_some());
    functions.filter_map(|function| summary(&index, function)).collect()
}

/// The same words for other groups of instructions, such as those of a line, by their indices in the module.
pub fn words_of(module: &Module, groups: &[Vec<usize>]) -> Vec<String> {
    let index = Index::new(module);
    let all: Vec<&Instruction> = module.all_inst_iter().collect();
    let of = |group: &Vec<usize>| words(&index, group.iter().filter_map(|at| all.get(*at).copied()));
    groups.iter().map(of).collect()
}

fn summary(index: &Index<'_>, function: &Function) -> Option<Summary> {
    Some(Summary {
        function: function.def_id()?,
        instructions: function.all_inst_iter().count(),
        words: words(index, function.all_inst_iter()),
    })
}

fn words<'i>(index: &Index<'_>, instructions: impl Iterator<Item = &'i Instruction>) -> String {
    let (mut loads, mut stores, mut barriers, mut atomics, mut subgroup) = (0, 0, 0, 0, 0);
    let mut matrices: Vec<(&str, usize)> = Vec::new();
    for instruction in instructions {
        let pointer = id(instruction.operands.first()).and_then(|pointer| index.pointer(pointer));
        let far = matches!(
            pointer,
            Some((
                StorageClass::StorageBuffer
                    | StorageClass::Uniform
                    | StorageClass::PhysicalStorageBuffer
                    | StorageClass::Workgroup,
                _
            ))
        );
        match (Class::of(instruction), instruction.class.opcode) {
            (Class::Memory, Op::Load) => loads += usize::from(far),
            (Class::Memory, Op::Store) => stores += usize::from(far),
            (Class::Matrix, _) => {
                let name = instruction.class.opname;
                match matrices.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, count)) => *count += 1,
                    None => matrices.push((name, 1)),
                }
            }
            (Class::Barrier, _) => barriers += 1,
            (Class::Atomic, _) => atomics += 1,
            (Class::Subgroup, _) => subgroup += 1,
            _ => {}
        }
    }
    let mut words = Vec::new();
    let mut count = |number: usize, one: &str, many: &str| match number {
        0 => {}
        1 => words.push(format!("1 {one}")),
        _ => words.push(format!("{number} {many}")),
    };
    count(loads, "load", "loads");
    count(stores, "store", "stores");
    for (name, number) in matrices {
        let name = format!("Op{name}");
        count(number, &name, &name);
    }
    count(barriers, "barrier", "barriers");
    count(atomics, "atomic", "atomics");
    count(subgroup, "subgroup operation", "subgroup operations");
    words.join(", ")
}
