//! What every id and variable holds in one subgroup: all functions are walked until nothing changes.

use std::collections::{BTreeMap, BTreeSet};

use coopmat_spirv::Opcode;
use coopmat_spirv::grammar::Uniform;
use coopmat_spirv::text::function_ranges;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, GlslStd450Op, Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Seen;
use super::form::{Form, Lanes, Width, is_pure, operate};
use super::paths::Paths;
use crate::statistics::index::{DEPTH, Index, id, literal};
use crate::statistics::values::Value;

/// Steps divide each other and ways are only added, so that this is never reached but by modules that are made for it.
const MOST_ROUNDS: usize = 200;

/// The components of a scalar or vector; one that varies stands for everything else.
type Forms = Vec<Form>;

/// Where a pointer leads.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pointer {
    root: Word,
    /// None where several may be meant.
    indices: Option<Forms>,
}

pub(super) struct Evaluation<'m> {
    index: &'m Index<'m>,
    workgroup: [u32; 3],
    subgroup_size: u32,
    subgroup: u32,
    lanes: usize,
    starts: FxHashMap<Word, u32>,
    values: FxHashMap<Word, Forms>,
    /// The function and block that an id is from.
    homes: FxHashMap<Word, (Word, usize)>,
    pointers: FxHashMap<Word, Pointer>,
    /// What variables of functions and of invocations hold.
    variables: FxHashMap<Word, Forms>,
    /// What functions return.
    results: FxHashMap<Word, Forms>,
    paths: FxHashMap<Word, Paths>,
    /// Functions that are called, in order, and those that only some lanes may be in.
    called: Vec<Word>,
    partly: FxHashSet<Word>,
    reached: FxHashSet<(Word, usize)>,
    /// Blocks that only some lanes may be in, with the branches where these part from the others, and blocks where lanes meet that came on different
    /// ways.
    apart: FxHashMap<(Word, usize), BTreeSet<usize>>,
    meeting: FxHashSet<(Word, usize)>,
    changed: bool,
    /// Everything that is stored has been seen: what still has no value is not initialised, and may be anything.
    is_complete: bool,
}

/// Where an instruction is.
#[derive(Clone, Copy)]
struct At {
    function: Word,
    block: usize,
}

impl<'m> Evaluation<'m> {
    pub fn new(index: &'m Index<'m>, workgroup: [u32; 3], subgroup_size: u32, subgroup: u32) -> Self {
        let invocations: u32 = workgroup.iter().product();
        let functions = index.module.functions.iter().filter(|function| function.def.is_some());
        let starts = functions.zip(function_ranges(index.module));
        Evaluation {
            index,
            workgroup,
            subgroup_size,
            subgroup,
            lanes: subgroup_size.min(invocations.saturating_sub(subgroup * subgroup_size)) as usize,
            starts: starts
                .filter_map(|(function, range)| Some((function.def_id()?, range.start as u32)))
                .collect(),
            values: FxHashMap::default(),
            homes: FxHashMap::default(),
            pointers: FxHashMap::default(),
            variables: FxHashMap::default(),
            results: FxHashMap::default(),
            paths: FxHashMap::default(),
            called: Vec::new(),
            partly: FxHashSet::default(),
            reached: FxHashSet::default(),
            apart: FxHashMap::default(),
            meeting: FxHashSet::default(),
            changed: true,
            is_complete: false,
        }
    }

    /// The accesses of shared memory that are reached from a function, by their index in the module.
    pub fn run(mut self, entry: Word) -> BTreeMap<u32, Seen> {
        for variable in &self.index.module.types_global_values {
            if variable.class.opcode == Op::Variable {
                self.variable(variable);
            }
        }
        self.called.push(entry);
        let mut rounds = 0;
        while self.changed {
            self.changed = false;
            rounds += 1;
            let mut at = 0;
            while let Some(function) = self.called.get(at).copied() {
                self.function(function);
                at += 1;
            }
            if rounds > MOST_ROUNDS {
                return BTreeMap::new();
            }
            if !self.changed && !self.is_complete {
                (self.is_complete, self.changed) = (true, true);
            }
        }
        let mut seen = BTreeMap::new();
        for &function in &self.called {
            self.accesses(function, &mut seen);
        }
        seen
    }

    fn accesses(&self, of: Word, seen: &mut BTreeMap<u32, Seen>) {
        let (Some(function), Some(start)) = (self.index.function(of), self.starts.get(&of)) else { return };
        let mut at = start + 1 + function.parameters.len() as u32;
        for (number, block) in function.blocks.iter().enumerate() {
            let label = at;
            at += 1 + block.instructions.len() as u32;
            if !self.reached.contains(&(of, number)) {
                continue;
            }
            let here = At { function: of, block: number };
            for (place, line) in block.instructions.iter().enumerate() {
                let is_store = line.class.opcode == Op::Store;
                if !is_store && line.class.opcode != Op::Load {
                    continue;
                }
                let Some(to) = id(line.operands.first()) else { continue };
                let Some((StorageClass::Workgroup, type_)) = self.index.pointer(to) else { continue };
                let is_matrix = self.index.matrix(type_).is_some();
                let Some(pointer) = self.pointers.get(&to).filter(|_| !is_matrix) else { continue };
                let known = |indices: &Forms| -> Option<Vec<Lanes>> {
                    indices.iter().map(|form| form.known().cloned()).collect()
                };
                let indices = pointer.indices.as_ref().filter(|_| self.is_seen(to, here)).and_then(known);
                let is_partial = self.is_apart(here);
                let one = Seen { is_store, variable: pointer.root, indices, is_partial };
                seen.insert(label + 1 + place as u32, one);
            }
        }
    }

    /// Whether only some lanes may be here.
    fn is_apart(&self, at: At) -> bool {
        self.partly.contains(&at.function) || self.apart.contains_key(&(at.function, at.block))
    }

    /// Whether the lanes that are here have computed an id as often as each other: where lanes have parted, they know what they computed together, and
    /// nobody behind that does.
    fn is_seen(&self, of: Word, at: At) -> bool {
        let parted = self.homes.get(&of).and_then(|home| self.apart.get(home));
        let here = self.apart.get(&(at.function, at.block));
        parted.is_none_or(|parted| here.is_some_and(|here| parted.is_subset(here)))
    }

    /// What an id holds for the lanes that are here; nothing where that is not reached yet.
    fn value(&self, of: Word, at: At) -> Option<Forms> {
        let value = self.value_where_it_is_from(of)?;
        Some(if self.is_seen(of, at) { value } else { vec![Form::Varies; value.len()] })
    }

    /// The type of a scalar or of a vector's components, and how many they are. One of anything else.
    fn shape(&self, type_: Word) -> (Option<Width>, usize) {
        let Some(definition) = self.index.definition(type_) else { return (None, 1) };
        let operands = &definition.operands;
        match definition.class.opcode {
            Op::TypeBool => (Some(Width { bits: 1, signed: false }), 1),
            Op::TypeInt => {
                let bits = literal(operands.first()).unwrap_or(32) as u32;
                (Some(Width { bits, signed: literal(operands.get(1)) == Some(1) }), 1)
            }
            Op::TypeVector => {
                let (width, _) = id(operands.first()).map_or((None, 1), |it| self.shape(it));
                (width, literal(operands.get(1)).unwrap_or(1) as usize)
            }
            _ => (None, 1),
        }
    }

    fn is_simple(&self, type_: Word) -> bool {
        let definition = self.index.definition(type_).map(|it| it.class.opcode);
        matches!(definition, Some(Op::TypeBool | Op::TypeInt | Op::TypeFloat | Op::TypeVector))
    }

    fn varies(&self, type_: Word) -> Forms {
        vec![Form::Varies; self.shape(type_).1]
    }

    /// The same for all lanes; but values with parts of their own, matrices and pointers among them, are not followed.
    fn uniform(&self, type_: Word) -> Forms {
        if !self.is_simple(type_) {
            return self.varies(type_);
        }
        let (width, count) = self.shape(type_);
        vec![Form::uniform(self.lanes, width.is_some_and(|width| !width.signed)); count]
    }

    fn value_where_it_is_from(&self, of: Word) -> Option<Forms> {
        if let Some(known) = self.values.get(&of) {
            return Some(known.clone());
        }
        let definition = self.index.definition(of)?;
        let type_ = definition.result_type?;
        let (width, count) = self.shape(type_);
        let opcode = definition.class.opcode;
        let is_constant = matches!(
            opcode,
            Op::Constant
                | Op::SpecConstant
                | Op::ConstantTrue
                | Op::ConstantFalse
                | Op::SpecConstantTrue
                | Op::SpecConstantFalse
                | Op::ConstantNull
                | Op::ConstantComposite
                | Op::SpecConstantComposite
                | Op::SpecConstantOp
                | Op::Undef
        );
        if !is_constant {
            return None;
        }
        if opcode == Op::Undef {
            return Some(self.varies(type_));
        }
        let Some(width) = width else { return Some(self.uniform(type_)) };
        let form = |value: Option<Value>| match value {
            Some(Value { bits, .. }) => {
                let value = Value::new(bits, width.bits);
                let value = if width.signed { value.signed() } else { value.bits as i64 };
                Form::Known(Lanes::exactly(vec![value; self.lanes]))
            }
            None => Form::uniform(self.lanes, !width.signed),
        };
        if self.index.definition(type_).is_some_and(|it| it.class.opcode == Op::TypeVector) {
            let part = |part: usize| {
                let path = [Operand::LiteralBit32(part as u32)];
                form(self.index.extract(of, &path, DEPTH))
            };
            return Some((0..count).map(part).collect());
        }
        Some(vec![form(self.index.value(of, DEPTH))])
    }

    fn built_in(&self, what: BuiltIn) -> Option<Forms> {
        let first = i64::from(self.subgroup * self.subgroup_size);
        let [x, y, _] = self.workgroup.map(i64::from);
        let number = |lane: usize| first + lane as i64;
        let of_lanes = |of: &dyn Fn(usize) -> i64| Form::Known(Lanes::exactly((0..self.lanes).map(of)));
        let same = |value: i64| vec![of_lanes(&|_| value)];
        let local = [
            of_lanes(&|lane| number(lane) % x),
            of_lanes(&|lane| number(lane) / x % y),
            of_lanes(&|lane| number(lane) / x / y),
        ];
        let subgroups = self.workgroup.iter().product::<u32>().div_ceil(self.subgroup_size);
        Some(match what {
            BuiltIn::LocalInvocationId => local.to_vec(),
            BuiltIn::GlobalInvocationId => {
                // The workgroup's place is the same for all, a multiple of its size.
                let place = |size: u32| Form::Known(Lanes::unknown(self.lanes, size.into(), true));
                let add = |(local, size): (&Form, u32)| {
                    let width = Width { bits: 32, signed: false };
                    operate(Op::IAdd, &[local, &place(size)], &[width, width], width)
                };
                local.iter().zip(self.workgroup).map(add).collect()
            }
            BuiltIn::LocalInvocationIndex => vec![of_lanes(&number)],
            BuiltIn::SubgroupLocalInvocationId => vec![of_lanes(&|lane| lane as i64)],
            BuiltIn::SubgroupId => same(self.subgroup.into()),
            BuiltIn::SubgroupSize => same(self.subgroup_size.into()),
            BuiltIn::NumSubgroups => same(subgroups.into()),
            BuiltIn::WorkgroupId | BuiltIn::NumWorkgroups => vec![Form::uniform(self.lanes, true); 3],
            _ => return None,
        })
    }

    fn variable(&mut self, variable: &Instruction) {
        let Some(own) = variable.result_id else { return };
        let Some((class, type_)) = self.index.pointer(own) else { return };
        self.point(own, Pointer { root: own, indices: Some(Vec::new()) });
        if class == StorageClass::Input {
            let built_in = self.index.builtins.get(&own).and_then(|what| self.built_in(*what));
            let held = built_in.unwrap_or_else(|| self.varies(type_));
            self.hold(own, held);
        } else if let Some(initial) =
            id(variable.operands.get(1)).and_then(|initial| self.value_where_it_is_from(initial))
        {
            self.hold(own, initial);
        }
    }

    fn set(&mut self, of: Word, forms: Forms) {
        let changed = joined(self.values.get(&of), &forms);
        if let Some(changed) = changed {
            self.values.insert(of, changed);
            self.changed = true;
        }
    }

    fn hold(&mut self, variable: Word, forms: Forms) {
        if let Some(changed) = joined(self.variables.get(&variable), &forms) {
            self.variables.insert(variable, changed);
            self.changed = true;
        }
    }

    fn point(&mut self, of: Word, to: Pointer) {
        let new = match self.pointers.get(&of) {
            Some(known) if *known == to => return,
            None => to,
            Some(known) if known.root != to.root => {
                let roots = [known.root, to.root];
                roots.into_iter().for_each(|root| self.lose(root));
                let parameter = Pointer { root: of, indices: None };
                if self.pointers.get(&of) == Some(&parameter) {
                    return;
                }
                self.lose(of);
                parameter
            }
            Some(known) => {
                let join = |a: &Forms, b: &Forms| {
                    (a.len() == b.len()).then(|| a.iter().zip(b).map(|(a, b)| a.join(b)).collect())
                };
                let indices = known.indices.as_ref().zip(to.indices.as_ref());
                let new = Pointer { root: to.root, indices: indices.and_then(|(a, b)| join(a, b)) };
                if *known == new {
                    return;
                }
                new
            }
        };
        self.pointers.insert(of, new);
        self.changed = true;
    }

    /// Nothing is known of a variable any more.
    fn lose(&mut self, variable: Word) {
        let forms = self.index.pointer(variable).map(|(_, type_)| self.varies(type_));
        self.hold(variable, forms.unwrap_or_else(|| vec![Form::Varies]));
    }

    fn call(&mut self, function: Word, is_apart: bool) {
        if !self.called.contains(&function) {
            self.called.push(function);
            self.changed = true;
        }
        if is_apart && self.partly.insert(function) {
            self.changed = true;
        }
    }

    fn function(&mut self, of: Word) {
        let index = self.index;
        let Some(function) = index.function(of) else { return };
        let paths = self.paths.remove(&of).unwrap_or_else(|| Paths::new(function));
        if !function.blocks.is_empty() && self.reached.insert((of, 0)) {
            self.changed = true;
        }
        for (number, block) in function.blocks.iter().enumerate() {
            if !self.reached.contains(&(of, number)) {
                continue;
            }
            let at = At { function: of, block: number };
            for line in &block.instructions {
                if let Some(own) = line.result_id {
                    self.homes.entry(own).or_insert((of, number));
                }
                self.instruction(line, &paths, at);
            }
        }
        self.paths.insert(of, paths);
    }

    fn branch(&mut self, line: &Instruction, paths: &Paths, at: At) {
        let selector = id(line.operands.first()).and_then(|it| self.value(it, at));
        // What is not known yet leads nowhere yet.
        let Some(selector) = selector else { return };
        let form = selector.first().unwrap_or(&Form::Varies);
        let mut next: Vec<usize> = paths.successors(at.block).to_vec();
        if line.class.opcode == Op::BranchConditional
            && let Some(value) = form.known().and_then(Lanes::same)
        {
            let target = id(line.operands.get(if value != 0 { 1 } else { 2 }));
            next = target.and_then(|it| paths.block(it)).into_iter().collect();
        }
        if !form.is_uniform() {
            let (between, meeting) = paths.apart(at.block);
            for block in between {
                self.changed |= self.apart.entry((at.function, block)).or_default().insert(at.block);
            }
            for block in meeting {
                self.changed |= self.meeting.insert((at.function, block));
            }
        }
        for block in next {
            self.changed |= self.reached.insert((at.function, block));
        }
    }

    fn instruction(&mut self, line: &Instruction, paths: &Paths, at: At) {
        let opcode = line.class.opcode;
        match opcode {
            Op::Variable => self.variable(line),
            Op::Branch => {
                for &block in paths.successors(at.block) {
                    self.changed |= self.reached.insert((at.function, block));
                }
            }
            Op::BranchConditional | Op::Switch => self.branch(line, paths, at),
            Op::ReturnValue => {
                let Some(value) = id(line.operands.first()).and_then(|it| self.value(it, at)) else { return };
                // Others may return something else, or later.
                let is_apart = self.apart.contains_key(&(at.function, at.block));
                let value = if is_apart { vec![Form::Varies; value.len()] } else { value };
                if let Some(changed) = joined(self.results.get(&at.function), &value) {
                    self.results.insert(at.function, changed);
                    self.changed = true;
                }
            }
            Op::Store => self.store(line, at),
            Op::FunctionCall => self.function_call(line, at),
            Op::AccessChain | Op::InBoundsAccessChain => self.access_chain(line, at),
            Op::CopyObject if id(line.operands.first()).is_some_and(|it| self.pointers.contains_key(&it)) => {
                let from = id(line.operands.first()).and_then(|it| self.pointers.get(&it)).cloned();
                if let (Some(own), Some(from)) = (line.result_id, from) {
                    self.point(own, from);
                }
            }
            _ => self.other(line, paths, at),
        }
    }

    fn access_chain(&mut self, line: &Instruction, at: At) {
        let (Some(own), Some(base)) = (line.result_id, id(line.operands.first())) else { return };
        let Some(base) = self.pointers.get(&base).cloned() else { return };
        let mut indices = base.indices;
        for operand in &line.operands[1..] {
            let Some(value) = operand.id_ref_any().and_then(|it| self.value(it, at)) else { return };
            let form = value.into_iter().next().unwrap_or(Form::Varies);
            if let Some(indices) = &mut indices {
                indices.push(form);
            }
        }
        self.point(own, Pointer { root: base.root, indices });
    }

    /// The component of a variable that a pointer means; none of the whole, an error of what is not followed.
    fn component(&self, pointer: &Pointer) -> Result<Option<usize>, ()> {
        let Some((_, type_)) = self.index.pointer(pointer.root) else { return Err(()) };
        match pointer.indices.as_deref() {
            Some([]) => Ok(None),
            Some([one]) if self.is_simple(type_) => {
                let place = one.known().and_then(Lanes::same).ok_or(())?;
                usize::try_from(place).map(Some).map_err(|_| ())
            }
            _ => Err(()),
        }
    }

    fn store(&mut self, line: &Instruction, at: At) {
        let Some(to) = id(line.operands.first()) else { return };
        let class = self.index.pointer(to).map(|it| it.0);
        if !matches!(class, Some(StorageClass::Function | StorageClass::Private)) {
            return;
        }
        let Some(pointer) = self.pointers.get(&to).cloned() else { return };
        let Some(mut value) = id(line.operands.get(1)).and_then(|it| self.value(it, at)) else { return };
        if self.is_apart(at) {
            value.fill(Form::Varies);
        }
        match self.component(&pointer) {
            Ok(None) => self.hold(pointer.root, value),
            Ok(Some(component)) => {
                let Some((_, type_)) = self.index.pointer(pointer.root) else { return };
                let mut held = self.variables.get(&pointer.root).cloned();
                let count = self.shape(type_).1;
                // What no store has reached yet takes any value, and so this one.
                let whole = held.get_or_insert_with(|| vec![value[0].clone(); count]);
                if let (Some(part), Some(value)) = (whole.get_mut(component), value.first()) {
                    *part = part.join(value);
                }
                let whole = whole.clone();
                self.hold(pointer.root, whole);
            }
            Err(()) => self.lose(pointer.root),
        }
    }

    fn load(&self, line: &Instruction) -> Option<Forms> {
        let type_ = line.result_type?;
        let from = id(line.operands.first())?;
        let Some((class, _)) = self.index.pointer(from) else { return Some(self.varies(type_)) };
        let Some(pointer) = self.pointers.get(&from) else {
            // A pointer that is a value, or one that is not reached yet.
            let is_value = class == StorageClass::PhysicalStorageBuffer || self.values.contains_key(&from);
            return (is_value || self.is_complete).then(|| self.varies(type_));
        };
        match class {
            StorageClass::Function | StorageClass::Private | StorageClass::Input => {
                let place = self.component(pointer);
                let held = match place {
                    Err(()) => return Some(self.varies(type_)),
                    Ok(_) => self.variables.get(&pointer.root),
                };
                let Some(held) = held else { return self.is_complete.then(|| self.varies(type_)) };
                match place {
                    Ok(Some(component)) => Some(vec![held.get(component).cloned().unwrap_or(Form::Varies)]),
                    _ => Some(held.clone()),
                }
            }
            StorageClass::PushConstant
            | StorageClass::Uniform
            | StorageClass::StorageBuffer
            | StorageClass::Workgroup => {
                let is_same = pointer.indices.as_ref().is_some_and(|it| it.iter().all(Form::is_uniform));
                Some(if is_same { self.uniform(type_) } else { self.varies(type_) })
            }
            _ => Some(self.varies(type_)),
        }
    }

    fn function_call(&mut self, line: &Instruction, at: At) {
        let Some(callee) = id(line.operands.first()) else { return };
        let Some(function) = self.index.function(callee) else { return };
        self.call(callee, self.is_apart(at));
        for (parameter, argument) in function.parameters.iter().zip(&line.operands[1..]) {
            let (Some(parameter), Some(argument)) = (parameter.result_id, argument.id_ref_any()) else {
                continue;
            };
            if let Some(pointer) = self.pointers.get(&argument).cloned() {
                self.point(parameter, pointer);
            } else if let Some(value) = self.value(argument, at) {
                self.set(parameter, value);
            }
        }
        let (Some(own), Some(type_)) = (line.result_id, line.result_type) else { return };
        if let Some(result) = self.results.get(&callee).cloned() {
            self.set(own, result);
        } else if self.is_complete {
            self.set(own, self.varies(type_));
        }
    }

    /// An instruction that makes a value of values, or of what is not followed.
    fn other(&mut self, line: &Instruction, paths: &Paths, at: At) {
        let is_void =
            |type_: Word| self.index.definition(type_).is_some_and(|it| it.class.opcode == Op::TypeVoid);
        // Remarks for debuggers.
        if line.class.opcode == Op::ExtInst && line.result_type.is_some_and(is_void) {
            return;
        }
        let ids: Vec<Word> = line.operands.iter().filter_map(Operand::id_ref_any).collect();
        let uniform = Opcode::from(line.class.opcode).facts().uniform;
        let reads = matches!(line.class.opcode, Op::Load | Op::ArrayLength);
        for &operand in &ids {
            // A function that something else calls, for elements or components.
            if let Some(function) = self.index.function(operand) {
                self.call(operand, true);
                for parameter in &function.parameters {
                    if let (Some(own), Some(type_)) = (parameter.result_id, parameter.result_type) {
                        self.set(own, self.varies(type_));
                    }
                }
            }
            // Whatever happens to a variable.
            if let Some(root) = self.pointers.get(&operand).map(|it| it.root).filter(|_| !reads) {
                self.lose(root);
            }
        }
        let (Some(own), Some(type_)) = (line.result_id, line.result_type) else { return };
        let result = match line.class.opcode {
            Op::Load => self.load(line),
            Op::Phi => Some(self.phi(line, type_, paths, at)).filter(|it| !it.is_empty()),
            _ => match uniform {
                _ if self.is_function_of_operands(line) => self.pure(line, type_, &ids, at),
                Uniform::Operands => self.pure(line, type_, &ids, at),
                Uniform::Subgroup if !self.is_apart(at) => Some(self.uniform(type_)),
                _ => Some(self.varies(type_)),
            },
        };
        if let Some(result) = result {
            self.set(own, result);
        } else if self.is_complete {
            self.set(own, self.varies(type_));
        }
    }

    /// Whether it is a function of GLSL; but not one that interpolates, of which each invocation has its own.
    fn is_function_of_operands(&self, line: &Instruction) -> bool {
        let (Some(Operand::IdRef(set)), Some(Operand::LiteralExtInstInteger(number))) =
            (line.operands.first(), line.operands.get(1))
        else {
            return false;
        };
        let interpolates =
            GlslStd450Op::InterpolateAtCentroid as u32..=GlslStd450Op::InterpolateAtOffset as u32;
        let is_glsl = |import: &Instruction| {
            import.result_id == Some(*set)
                && matches!(import.operands.first(), Some(Operand::LiteralString(name)) if name == "GLSL.std.450")
        };
        line.class.opcode == Op::ExtInst
            && !interpolates.contains(number)
            && self.index.module.ext_inst_imports.iter().any(is_glsl)
    }

    fn phi(&self, line: &Instruction, type_: Word, paths: &Paths, at: At) -> Forms {
        if self.meeting.contains(&(at.function, at.block)) {
            return self.varies(type_);
        }
        let mut all: Option<Forms> = None;
        for pair in line.operands.chunks(2) {
            let Some(from) = id(pair.get(1)).and_then(|label| paths.block(label)) else { continue };
            let from = At { block: from, ..at };
            if let Some(value) = id(pair.first()).and_then(|it| self.value(it, from)) {
                all = joined(all.as_ref(), &value).or(all);
            }
        }
        all.unwrap_or_default()
    }

    fn pure(&self, line: &Instruction, type_: Word, ids: &[Word], at: At) -> Option<Forms> {
        let opcode = line.class.opcode;
        let mut operands = Vec::with_capacity(ids.len());
        let mut widths = Vec::with_capacity(ids.len());
        for &operand in ids {
            if self.pointers.contains_key(&operand) {
                return Some(self.varies(type_));
            }
            // The set of an extended instruction is no value.
            if opcode == Op::ExtInst && Some(operand) == ids.first().copied() {
                continue;
            }
            operands.push(self.value(operand, at)?);
            widths.push(self.index.type_of(operand).map_or((None, 1), |it| self.shape(it)));
        }
        let (width, count) = self.shape(type_);
        if !self.is_simple(type_) {
            return Some(self.varies(type_));
        }
        match opcode {
            Op::CompositeConstruct => {
                let parts: Forms = operands.into_iter().flatten().collect();
                return Some(if parts.len() == count { parts } else { self.varies(type_) });
            }
            Op::CompositeExtract => {
                let vector =
                    ids.first().and_then(|it| self.index.type_of(*it)).filter(|it| self.is_simple(*it));
                let part = literal(line.operands.get(1)).filter(|_| vector.is_some());
                let part = part.and_then(|part| operands.first()?.get(part as usize).cloned());
                return Some(part.map_or_else(|| self.varies(type_), |part| vec![part]));
            }
            Op::VectorShuffle => {
                let all: Forms = operands.into_iter().flatten().collect();
                let parts = line.operands[2..].iter();
                let parts =
                    parts.map(|part| all.get(literal(Some(part)).unwrap_or(u64::MAX) as usize).cloned());
                return Some(parts.map(|part| part.unwrap_or(Form::Varies)).collect());
            }
            _ => {}
        }
        let is_uniform = operands.iter().flatten().all(Form::is_uniform);
        let simple = ids.iter().filter_map(|it| self.index.type_of(*it)).all(|it| self.is_simple(it));
        let scalars: Option<Vec<Width>> = widths.iter().map(|it| it.0).collect();
        let same_count = widths.iter().all(|it| it.1 == count);
        let (Some(to), Some(from), true) = (width, scalars, simple && same_count && is_pure(opcode)) else {
            return Some(if is_uniform && simple { self.uniform(type_) } else { self.varies(type_) });
        };
        let part = |part: usize| {
            let forms: Option<Vec<&Form>> = operands.iter().map(|operand| operand.get(part)).collect();
            forms.map_or(Form::Varies, |forms| operate(opcode, &forms, &from, to))
        };
        Some((0..count).map(part).collect())
    }
}

/// What is held if this comes to what was held before; none if that is the same.
fn joined(before: Option<&Forms>, new: &Forms) -> Option<Forms> {
    let Some(before) = before else { return Some(new.clone()) };
    let all: Forms = if before.len() == new.len() {
        before.iter().zip(new).map(|(a, b)| a.join(b)).collect()
    } else {
        vec![Form::Varies; before.len()]
    };
    (all != *before).then_some(all)
}
