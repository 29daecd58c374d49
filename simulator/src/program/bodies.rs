//! Bodies of functions: blocks in structured order, `OpPhi` as moves on edges, terminators.

use coopmat_spirv::dr::{self, Instruction as Source, Operand};
use coopmat_spirv::spirv::Op;
use coopmat_spirv::{Opcode, opcode};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::debug::Kind;
use super::dominators;
use super::forwarding::Forwarding;
use super::function::{Block, Edge, Function, Terminator};
use super::lowering::{Body, Entity, Lowering};
use super::order::{Neighbours, structured};
use super::place::Place;
use super::types::{Scalar, Type, TypeId};
use super::values::{Slot, Value};
use crate::code::Instruction;
use crate::{ProgramError, instructions};

/// The most blocks and functions of a module.
const MAXIMUM_BLOCKS: usize = 1 << 20;

/// What a phi becomes on an edge: to where, from where, how many planes.
type Move = (Slot, Slot, u32);

/// A block before its edges are known.
struct Draft<'a> {
    instructions: Vec<Instruction>,
    origins: Vec<u32>,
    terminator: &'a Source,
    terminator_origin: u32,
    merge: Option<u32>,
    continue_target: Option<u32>,
    /// The `OpPhi`s, with their results.
    phis: Vec<(&'a Source, Value, u32)>,
    /// The condition, selector or returned value, evaluated at the block's end.
    operand: Option<Value>,
}

impl Lowering<'_> {
    /// Gives every function its number, so that calls can name them.
    pub(super) fn declare_functions(&mut self, mut origin: u32) -> Result<(), ProgramError> {
        for function in &self.module.functions {
            let Some(def) = &function.def else {
                origin += function.all_inst_iter().count() as u32;
                continue;
            };
            let index = self.data.functions.len();
            let id = def.result_id.ok_or_else(|| ProgramError::new("a function lacks its id").at(origin))?;
            self.set(id, Entity::Function(index as u32));
            let result = self.result_type(def).map_err(|error| error.at(origin))?;
            let parameters = function.parameters.iter().map(|source| self.result_type(source));
            let parameters: Vec<TypeId> =
                parameters.collect::<Result<_, _>>().map_err(|error| error.at(origin))?;
            let mut planes = 0u64;
            for &parameter in &parameters {
                planes += u64::from(self.types().value_planes(parameter).map_err(|error| error.at(origin))?);
            }
            let result_planes = self.types().value_planes(result).map_err(|error| error.at(origin))?;
            if planes > u64::from(super::types::MAXIMUM_PLANES as u32) {
                return Err(ProgramError::new("a function's parameters are too large").at(origin));
            }
            self.data.functions.push(Function {
                name: self.function_name(id),
                parameter_planes: planes as u32,
                result_planes,
                ..Function::default()
            });
            self.signatures.push((parameters, result));
            origin += function.all_inst_iter().count() as u32;
        }
        Ok(())
    }

    /// A function's name, else that of an entry point that it is, else its id: modules need not say any.
    fn function_name(&self, id: u32) -> String {
        let entry = || {
            let of_it = |point: &&Source| point.operands.get(1) == Some(&Operand::IdRef(id));
            let point = self.module.entry_points.iter().find(of_it)?;
            match point.operands.get(2) {
                Some(Operand::LiteralString(name)) => Some(name.clone()),
                _ => None,
            }
        };
        let named = self.annotations.name(id).filter(|name| !name.is_empty()).map(str::to_owned);
        named.or_else(entry).unwrap_or_else(|| format!("%{id}"))
    }

    pub(super) fn lower_bodies(&mut self, mut origin: u32) -> Result<(), ProgramError> {
        let mut index = 0;
        for function in &self.module.functions {
            self.origin = origin;
            // Lines between functions are kept as a function without a definition, those between blocks as a block without a label.
            if function.def.is_some() {
                self.lower_body(index, function).map_err(|error| error.at(self.origin))?;
                index += 1;
            }
            origin += function.all_inst_iter().count() as u32;
        }
        Ok(())
    }

    fn lower_body(&mut self, index: usize, function: &dr::Function) -> Result<(), ProgramError> {
        let forwarding = if self.options.debug { Forwarding::default() } else { Forwarding::new(function) };
        self.body = Some(Body { forwarding, ..Body::default() });
        self.origin += 1;
        for (number, parameter) in function.parameters.iter().enumerate() {
            let id = parameter.result_id.ok_or_else(|| ProgramError::new("a parameter lacks its id"))?;
            let type_ = self.signatures[index].0[number];
            let value = self.allocate_value(type_)?;
            self.set(id, Entity::Value(value));
            self.note_variable(id, Kind::Parameter, Place::Planes { first: value.slot, type_ }, Some(index));
            self.origin += 1;
        }
        let mut labels = FxHashMap::default();
        for (number, label) in function.blocks.iter().filter_map(|block| block.label.as_ref()).enumerate() {
            let label = label.result_id.ok_or_else(|| ProgramError::new("a label lacks its id"))?;
            if labels.insert(label, number).is_some() {
                return Err(ProgramError::new(format!("the label %{label} is there twice")));
            }
        }
        let mut drafts = Vec::with_capacity(function.blocks.len());
        let variables = self.lower_variables(index, function)?;
        if self.options.debug {
            self.note_reads(index, function);
        }
        for block in &function.blocks {
            if block.label.is_none() {
                self.origin += block.instructions.len() as u32;
                continue;
            }
            if drafts.is_empty()
                && let Some(body) = &mut self.body
            {
                body.code = variables.0.clone();
                body.origins = variables.1.clone();
            }
            let at = (index, drafts.len() as u32);
            drafts.push(self.lower_block(block, at)?);
        }
        self.finish_body(index, function, drafts, &labels)
    }

    /// Variables of the function; their initial values are stored where the function begins.
    fn lower_variables(
        &mut self,
        index: usize,
        function: &dr::Function,
    ) -> Result<(Vec<Instruction>, Vec<u32>), ProgramError> {
        let start = self.origin;
        let Some(at) = function.blocks.iter().position(|block| block.label.is_some()) else {
            return Ok(Default::default());
        };
        let (before, first) = (&function.blocks[..at], &function.blocks[at]);
        self.origin += before.iter().map(|block| block.instructions.len() as u32).sum::<u32>();
        let label = self.origin;
        for (offset, source) in first.instructions.iter().enumerate() {
            self.origin = label + 1 + offset as u32;
            if matches!(source.class.opcode, Op::Variable | Op::UntypedVariableKHR) {
                self.lower_variable(index, source)?;
            }
        }
        self.origin = start;
        let body = self.body.as_mut();
        Ok(body
            .map(|body| (std::mem::take(&mut body.code), std::mem::take(&mut body.origins)))
            .unwrap_or_default())
    }

    fn lower_variable(&mut self, function: usize, source: &Source) -> Result<(), ProgramError> {
        let pointer = self.result_type(source)?;
        let untyped = source.class.opcode == Op::UntypedVariableKHR;
        let pointee = match *self.types().get(pointer) {
            Type::Pointer { pointee: Some(pointee), .. } => pointee,
            Type::Pointer { .. } if untyped => self.types().by_id(self.id(source, 1)?)?,
            _ => return Err(ProgramError::new("a variable's type should be a pointer")),
        };
        let value = self.allocate_value(pointee)?;
        let planes = self.types().planes(pointee);
        if let Some(body) = &mut self.body {
            body.variables.insert(value.slot.index(), planes);
        }
        let initial = if untyped { 2 } else { 1 };
        if self.has_operand(source, initial) {
            let initial = self.operand(source, initial)?;
            self.expect(initial.type_, pointee, "a variable's initializer")?;
            self.emit(Instruction::copy(value.slot, initial.slot, planes));
        }
        let place = Place::Planes { first: value.slot, type_: pointee };
        if let Some(id) = source.result_id {
            self.note_variable(id, Kind::Local, place.clone(), Some(function));
        }
        self.set_place(source, place)
    }

    /// `at`: the function, and which of its blocks this is.
    fn lower_block<'a>(&mut self, block: &'a dr::Block, at: (usize, u32)) -> Result<Draft<'a>, ProgramError> {
        let Some((terminator, instructions)) = block.instructions.split_last() else {
            return Err(ProgramError::new("a block has no end"));
        };
        self.origin += 1;
        let (mut merge, mut continue_target, mut phis) = (None, None, Vec::new());
        for source in instructions {
            match source.class.opcode {
                Op::Phi => {
                    let value = self.result(source)?;
                    phis.push((source, value, self.origin));
                }
                Op::SelectionMerge => merge = Some(self.id(source, 0)?),
                Op::LoopMerge => {
                    merge = Some(self.id(source, 0)?);
                    continue_target = Some(self.id(source, 1)?);
                }
                Op::Variable | Op::UntypedVariableKHR => {}
                _ => {
                    self.note_block(source);
                    self.note_private(source);
                    instructions::lower(self, source)?;
                }
            }
            if self.options.debug {
                self.note_value(source, at)?;
            }
            self.origin += 1;
        }
        if opcode(terminator) == Opcode::AbortKHR {
            instructions::lower_message(self, terminator)?;
        }
        let operand = match terminator.class.opcode {
            Op::BranchConditional | Op::Switch | Op::ReturnValue => Some(self.operand(terminator, 0)?),
            _ => None,
        };
        let terminator_origin = self.origin;
        self.origin += 1;
        let body = self.body.as_mut();
        let (instructions, origins) = body
            .map(|body| (std::mem::take(&mut body.code), std::mem::take(&mut body.origins)))
            .unwrap_or_default();
        Ok(Draft {
            instructions,
            origins,
            terminator,
            terminator_origin,
            merge,
            continue_target,
            phis,
            operand,
        })
    }

    fn finish_body(
        &mut self,
        index: usize,
        function: &dr::Function,
        mut drafts: Vec<Draft>,
        labels: &FxHashMap<u32, usize>,
    ) -> Result<(), ProgramError> {
        let find = |id: u32| {
            labels
                .get(&id)
                .copied()
                .ok_or_else(|| ProgramError::new(format!("%{id} is not a block of this function")))
        };
        let mut neighbours = Vec::with_capacity(drafts.len());
        for draft in &drafts {
            let successors = targets(draft.terminator).into_iter().map(find).collect::<Result<_, _>>();
            neighbours.push(Neighbours {
                merge: draft.merge.map(find).transpose()?,
                continue_target: draft.continue_target.map(find).transpose()?,
                successors: successors.map_err(|error: ProgramError| error.at(draft.terminator_origin))?,
            });
        }
        let order = structured(&neighbours);
        let mut position = vec![u32::MAX; drafts.len()];
        for (place, &block) in order.iter().enumerate() {
            position[block] = place as u32;
        }
        if self.data.blocks as usize + order.len() > MAXIMUM_BLOCKS {
            return Err(ProgramError::new("the module has too many blocks"));
        }
        // Moves first: they may add instructions to the blocks that they come from.
        let mut moves: FxHashMap<(usize, usize), Vec<Move>> = FxHashMap::default();
        for block in 0..drafts.len() {
            let phis = std::mem::take(&mut drafts[block].phis);
            for (phi, result, origin) in phis {
                self.origin = origin;
                for pair in phi.operands.chunks(2) {
                    let &[Operand::IdRef(value), Operand::IdRef(parent)] = pair else {
                        return Err(ProgramError::new("OpPhi should have pairs of values and blocks"));
                    };
                    let parent = find(parent)?;
                    if position[parent] == u32::MAX || position[block] == u32::MAX {
                        continue;
                    }
                    let value = self.value(value)?;
                    if let Some(body) = &mut self.body {
                        drafts[parent].instructions.append(&mut body.code);
                        drafts[parent].origins.append(&mut body.origins);
                    }
                    let planes = self.types().planes(result.type_);
                    self.expect(value.type_, result.type_, "a value of OpPhi")?;
                    moves.entry((parent, block)).or_default().push((result.slot, value.slot, planes));
                }
            }
        }
        let mut blocks = Vec::with_capacity(order.len());
        for &block in &order {
            let draft = &mut drafts[block];
            self.origin = draft.terminator_origin;
            let mut origins = std::mem::take(&mut draft.origins);
            origins.push(draft.terminator_origin);
            let instructions = std::mem::take(&mut draft.instructions);
            let (terminator, operand) = (draft.terminator, draft.operand);
            let mut edge = |lowering: &mut Self, target: u32| -> Result<Edge, ProgramError> {
                let target = find(target)?;
                let moves = moves.get(&(block, target)).cloned().unwrap_or_default();
                Ok(Edge { block: position[target], moves: lowering.sequence(moves)?.into() })
            };
            let terminator = self.terminator(terminator, operand, index, &mut edge)?;
            blocks.push(Block { instructions, origins, terminator, number: self.data.blocks });
            self.data.blocks += 1;
        }
        let _ = function;
        let body = self.body.take().unwrap_or_default();
        // Other functions have frames of their own.
        for id in &body.ids {
            self.entities.remove(id);
        }
        let entry = &mut self.data.functions[index];
        if self.options.debug {
            entry.dominators = dominators::of(&blocks);
            let values = entry.variables.iter_mut().chain(&mut entry.values);
            for variable in values.filter(|variable| variable.kind == Kind::Value) {
                variable.block = position.get(variable.block as usize).copied().unwrap_or(u32::MAX);
            }
        }
        entry.planes = body.planes;
        entry.blocks = blocks;
        Ok(())
    }

    fn terminator(
        &mut self,
        source: &Source,
        operand: Option<Value>,
        function: usize,
        edge: &mut dyn FnMut(&mut Self, u32) -> Result<Edge, ProgramError>,
    ) -> Result<Terminator, ProgramError> {
        let operand = || operand.ok_or_else(|| ProgramError::new("a block's end lacks its operand"));
        Ok(match opcode(source) {
            Opcode::Branch => {
                let target = self.id(source, 0)?;
                Terminator::Branch(edge(self, target)?)
            }
            Opcode::BranchConditional => {
                let condition = operand()?;
                if self.types().scalar(condition.type_) != Some(Scalar::Bool) {
                    return Err(ProgramError::new("a condition should be a bool"));
                }
                let (then, otherwise) = (self.id(source, 1)?, self.id(source, 2)?);
                let (then, otherwise) = (edge(self, then)?, edge(self, otherwise)?);
                Terminator::Conditional { condition: condition.slot, then, otherwise }
            }
            Opcode::Switch => {
                let selector = operand()?;
                let Some(Scalar::Integer { width, .. }) = self.types().scalar(selector.type_) else {
                    return Err(ProgramError::new("a selector should be an integer"));
                };
                let default = self.id(source, 1)?;
                let mut edges: SmallVec<[Edge; 4]> = SmallVec::new();
                let mut known = FxHashMap::default();
                edges.push(edge(self, default)?);
                known.insert(default, 0u32);
                let mut cases = Vec::new();
                for pair in source.operands[2..].chunks(2) {
                    let (value, target) = match pair {
                        [Operand::LiteralBit32(value), Operand::IdRef(target)] => {
                            (u64::from(*value), *target)
                        }
                        [Operand::LiteralBit64(value), Operand::IdRef(target)] => (*value, *target),
                        _ => {
                            return Err(ProgramError::new(
                                "OpSwitch should have pairs of literals and blocks",
                            ));
                        }
                    };
                    let index = match known.get(&target) {
                        Some(&index) => index,
                        None => {
                            edges.push(edge(self, target)?);
                            known.insert(target, edges.len() as u32 - 1);
                            edges.len() as u32 - 1
                        }
                    };
                    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
                    cases.push((value & mask, index));
                }
                cases.sort_by_key(|(value, _)| *value);
                Terminator::Switch { selector: selector.slot, wide: width == 64, cases: cases.into(), edges }
            }
            Opcode::Return => Terminator::Return,
            Opcode::ReturnValue => {
                let value = operand()?;
                self.expect(value.type_, self.signatures[function].1, "a function's result")?;
                Terminator::ReturnValue(value.slot)
            }
            Opcode::Kill
            | Opcode::TerminateInvocation
            | Opcode::IgnoreIntersectionKHR
            | Opcode::TerminateRayKHR
            | Opcode::AbortKHR => Terminator::Kill,
            Opcode::Unreachable => Terminator::Unreachable,
            _ => return Err(ProgramError::new(format!("Op{} does not end a block", source.class.opname))),
        })
    }

    /// Moves that happen at the same time, as moves one after another.
    fn sequence(&mut self, moves: Vec<(Slot, Slot, u32)>) -> Result<Vec<(Slot, Slot, u32)>, ProgramError> {
        let clash = moves.iter().enumerate().any(|(index, (result, _, planes))| {
            let written = result.index()..result.index() + planes;
            moves[index + 1..].iter().any(|(_, source, planes)| {
                source.is_global() == result.is_global()
                    && source.index() < written.end
                    && written.start < source.index() + planes
            })
        });
        if !clash {
            return Ok(moves);
        }
        let mut sequence = Vec::with_capacity(moves.len() * 2);
        let mut later = Vec::with_capacity(moves.len());
        for (result, source, planes) in moves {
            let between = self.allocate(planes)?;
            sequence.push((between, source, planes));
            later.push((result, between, planes));
        }
        sequence.append(&mut later);
        Ok(sequence)
    }
}

/// The blocks that a terminator may lead to.
fn targets(terminator: &Source) -> Vec<u32> {
    let ids = |operands: &[Operand]| -> Vec<u32> {
        operands
            .iter()
            .filter_map(|operand| if let Operand::IdRef(id) = operand { Some(*id) } else { None })
            .collect()
    };
    match terminator.class.opcode {
        Op::Branch => ids(&terminator.operands),
        Op::BranchConditional | Op::Switch => ids(terminator.operands.get(1..).unwrap_or_default()),
        _ => Vec::new(),
    }
}
