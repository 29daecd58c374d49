//! What lowering a module knows: ids, the program as it grows, the function that is being lowered.

use std::collections::BTreeMap;

use coopmat_spirv::dr::{self, Instruction as Source, Operand};
use coopmat_spirv::spirv::StorageClass;
use rustc_hash::{FxHashMap, FxHashSet};

use coopmat_spirv::debug::NamedValue;

use super::annotations::Annotations;
use super::data::ProgramData;
use super::forwarding::Forwarding;
use super::options::ProgramOptions;
use super::place::Place;
use super::types::{Scalar, Type, TypeId, in_memory, in_registers};
use super::values::{Slot, Value};
use crate::ProgramError;
use crate::code::Instruction;
use crate::instructions::passes_on;
use crate::matrix::MatrixType;

/// The sets of extended instructions that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExtendedSet {
    Glsl450,
    DebugPrintf,
    /// SPV_AMD_gcn_shader, SPV_AMD_shader_ballot or SPV_AMD_shader_trinary_minmax.
    Amd(&'static str),
    /// Other non-semantic sets are ignored.
    NonSemantic,
    Unknown,
}

/// What an id of the module stands for.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    Value(Value),
    Place(Place),
    Function(u32),
    Text(String),
    Set(ExtendedSet),
}

/// The function that is being lowered.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub planes: u32,
    pub code: Vec<Instruction>,
    pub origins: Vec<u32>,
    /// Ids that stand for something in this function alone.
    pub ids: Vec<u32>,
    pub forwarding: Forwarding,
    /// For debuggers: where variables of the source are kept that the module has as values; nothing if these have several types.
    pub kept: FxHashMap<(u32, Option<u32>), Option<Value>>,
    /// The planes of the function's variables, by the first of each: how many there are. Values may be them, or parts of them.
    pub variables: BTreeMap<u32, u32>,
    /// Values that are the planes of other ones, or parts of them.
    pub shared: FxHashSet<u32>,
    /// Matrices that were not loaded, because what uses them reads them where they lie: the plane of the value, the plane with the index of the
    /// matrix's plane, and what is added to it.
    pub left: FxHashMap<Slot, (Slot, u32)>,
}

/// The state of lowering.
pub(crate) struct Lowering<'a> {
    pub data: ProgramData,
    pub module: &'a dr::Module,
    pub annotations: Annotations,
    pub options: &'a ProgramOptions<'a>,
    pub entities: FxHashMap<u32, Entity>,
    /// Signatures of functions: parameters and result.
    pub signatures: Vec<(Vec<TypeId>, TypeId)>,
    /// The function that is being lowered; none at the level of the module, where values are planes of the global region.
    pub body: Option<Body>,
    /// The index of the instruction that is being lowered.
    pub origin: u32,
    /// For pointers into memory by its address: the type of the block that they lead into.
    pub referred: FxHashMap<u32, TypeId>,
    /// Pointers, images and types of addresses whose accesses are private.
    pub private: FxHashSet<u32>,
    /// What is emitted at the level of the module.
    pub code: Vec<Instruction>,
    /// For debuggers: the values that are variables of the source, by the instruction that says so.
    pub named_values: FxHashMap<u32, NamedValue>,
    pub leaves: FxHashMap<(TypeId, super::types::MatrixLayout), u32>,
    /// The address of each block of push constants, and its bytes from the start of all.
    pub push_constants: Vec<(Slot, u32)>,
    /// These blocks, as members of one structure.
    pub push_blocks: Vec<super::types::Member>,
    /// Planes that hold parts of them.
    pub pushed: FxHashMap<(TypeId, super::types::MatrixLayout, u32), Slot>,
}

/// The most planes of a frame and of the global region.
const MAXIMUM_REGION: u32 = 1 << 22;

impl<'a> Lowering<'a> {
    pub fn types(&self) -> &super::Types {
        &self.data.types
    }

    /// Planes for a new value: of the frame, or of the global region at the level of the module.
    pub fn allocate(&mut self, planes: u32) -> Result<Slot, ProgramError> {
        let used = match &self.body {
            Some(body) => body.planes,
            None => self.data.globals.words.len() as u32,
        };
        if planes > MAXIMUM_REGION || used + planes > MAXIMUM_REGION {
            return Err(ProgramError::new("the values take more room than the simulator gives them"));
        }
        match &mut self.body {
            Some(body) => {
                body.planes += planes;
                Ok(Slot::frame(used))
            }
            None => {
                self.data.globals.words.resize((used + planes) as usize, 0);
                Ok(Slot::global(used))
            }
        }
    }

    pub fn allocate_value(&mut self, type_: TypeId) -> Result<Value, ProgramError> {
        let planes = self.types().value_planes(type_)?;
        Ok(Value { slot: self.allocate(planes)?, type_ })
    }

    /// The type of an instruction's result.
    pub fn result_type(&self, source: &Source) -> Result<TypeId, ProgramError> {
        let id =
            source.result_type.ok_or_else(|| ProgramError::new("the instruction lacks a result type"))?;
        self.types().by_id(id)
    }

    /// Planes for an instruction's result.
    pub fn result(&mut self, source: &Source) -> Result<Value, ProgramError> {
        let type_ = self.result_type(source)?;
        let id = source.result_id.ok_or_else(|| ProgramError::new("the instruction lacks a result"))?;
        if let Some(Entity::Value(value)) = self.entities.get(&id)
            && value.type_ == type_
            && self.body.is_some() != value.slot.is_global()
        {
            // An `OpPhi` met it before.
            return Ok(*value);
        }
        let value = match self.variable_of(id, type_) {
            Some(slot) => Value { slot, type_ },
            None => self.allocate_value(type_)?,
        };
        self.set(id, Entity::Value(value));
        Ok(value)
    }

    /// The planes of the variable that a value is made in.
    fn variable_of(&self, value: u32, type_: TypeId) -> Option<Slot> {
        let variable = self.body.as_ref()?.forwarding.variable_of(value)?;
        match self.entities.get(&variable)? {
            Entity::Place(Place::Planes { first, type_: of }) if *of == type_ && !first.is_global() => {
                Some(*first)
            }
            _ => None,
        }
    }

    /// Makes the result of a load the planes that it loads from, where they stay as they are until its last use.
    pub fn alias_variable(&mut self, source: &Source, place: &Place) -> Result<bool, ProgramError> {
        let Place::Planes { first, type_ } = *place else { return Ok(false) };
        let result_type = self.result_type(source)?;
        let pointer = matches!(self.types().get(type_), Type::Pointer { .. });
        let (Some(id), Some(body)) = (source.result_id, &self.body) else { return Ok(false) };
        let known = body.forwarding.is_alias(id) && !self.entities.contains_key(&id);
        if !known || first.is_global() || pointer || result_type != type_ {
            return Ok(false);
        }
        self.set(id, Entity::Value(Value { slot: first, type_ }));
        Ok(true)
    }

    /// Leaves a matrix that is loaded where it is: multiply-adds will read it there.
    pub fn leave_operand(&mut self, source: &Source, place: &Place) -> Result<bool, ProgramError> {
        let Place::PlanePointer { pointer, offset, type_ } = *place else { return Ok(false) };
        let known = |body: &Body| source.result_id.is_some_and(|id| body.forwarding.is_operand(id));
        if !self.body.as_ref().is_some_and(known)
            || self.matrix_type(type_).is_none()
            || self.result_type(source)? != type_
        {
            return Ok(false);
        }
        let result = self.result(source)?;
        if let Some(body) = &mut self.body {
            body.left.insert(result.slot, (pointer, offset));
        }
        Ok(true)
    }

    /// Where a matrix was left.
    pub fn left(&self, slot: Slot) -> Option<(Slot, u32)> {
        self.body.as_ref()?.left.get(&slot).copied()
    }

    /// Whether a store may take a matrix away from its value, which nothing else uses.
    pub fn is_moved(&self, source: &Source, value: Value) -> bool {
        let id = self.id(source, 1).ok();
        let known =
            |body: &Body| id.is_some_and(|id| body.forwarding.is_moved(id) && !body.shared.contains(&id));
        self.body.as_ref().is_some_and(known)
            && self.matrix_type(value.type_).is_some()
            && !value.slot.is_global()
            && !self.is_variable(value)
    }

    /// Makes the result of a load planes that hold it all along: built-in variables, push constants.
    pub fn alias_input(&mut self, source: &Source, place: &Place) -> Result<bool, ProgramError> {
        let Some(id) = source.result_id.filter(|id| !self.entities.contains_key(id)) else {
            return Ok(false);
        };
        let type_ = self.result_type(source)?;
        if self.options.debug
            || self.body.is_none()
            || matches!(self.types().get(type_), Type::Pointer { .. })
        {
            return Ok(false);
        }
        let slot = match *place {
            Place::Planes { first, type_: of } if of == type_ && self.is_builtin(first) => first,
            Place::Memory { pointer, offset, matrix, component_step: 0, .. }
                if let Some(&(_, start)) = self.push_constants.iter().find(|(slot, _)| *slot == pointer) =>
            {
                match self.push_constant(type_, matrix, start.saturating_add(offset))? {
                    Some(slot) => slot,
                    None => return Ok(false),
                }
            }
            _ => return Ok(false),
        };
        self.set(id, Entity::Value(Value { slot, type_ }));
        Ok(true)
    }

    fn is_builtin(&self, slot: Slot) -> bool {
        let holds = |&(_, first, planes): &(_, u32, u32)| (first..first + planes).contains(&slot.index());
        slot.is_global() && self.data.globals.builtins.iter().any(holds)
    }

    /// Planes that every subgroup begins with a part of the push constants in.
    fn push_constant(
        &mut self,
        type_: TypeId,
        matrix: super::types::MatrixLayout,
        offset: u32,
    ) -> Result<Option<Slot>, ProgramError> {
        const MOST: usize = 16;
        if let Some(&slot) = self.pushed.get(&(type_, matrix, offset)) {
            return Ok(Some(slot));
        }
        let leaves = self.leaves(type_, matrix)?;
        let leaves = self.data.leaves[leaves as usize].clone();
        if leaves.len() > MOST {
            return Ok(None);
        }
        let first = self.data.globals.words.len() as u32;
        let planes = self.types().planes(type_);
        self.data.globals.words.resize((first + planes) as usize, 0);
        for leaf in &leaves {
            let offset = offset.saturating_add(leaf.offset);
            self.data.globals.push_constants.push((first + leaf.plane, offset, leaf.scalar));
        }
        let slot = Slot::global(first);
        self.pushed.insert((type_, matrix, offset), slot);
        Ok(Some(slot))
    }

    /// Whether a value is planes of a variable, which may change after the value's last use.
    pub fn is_variable(&self, value: Value) -> bool {
        let index = value.slot.index();
        let holds = |body: &Body| {
            let before = body.variables.range(..=index).next_back();
            before.is_some_and(|(first, planes)| index - first < *planes)
        };
        !value.slot.is_global() && self.body.as_ref().is_some_and(holds)
    }

    pub fn set(&mut self, id: u32, entity: Entity) {
        if let Some(body) = &mut self.body {
            body.ids.push(id);
        }
        self.entities.insert(id, entity);
    }

    pub fn set_place(&mut self, source: &Source, place: Place) -> Result<(), ProgramError> {
        let id = source.result_id.ok_or_else(|| ProgramError::new("the instruction lacks a result"))?;
        self.set(id, Entity::Place(place));
        Ok(())
    }

    /// Adds an instruction.
    pub fn emit(&mut self, instruction: Instruction) {
        match &mut self.body {
            Some(body) => {
                body.code.push(instruction);
                body.origins.push(self.origin);
            }
            None => self.code.push(instruction),
        }
    }

    /// An operand that is an id.
    pub fn id(&self, source: &Source, index: usize) -> Result<u32, ProgramError> {
        match source.operands.get(index) {
            Some(Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id)) => Ok(*id),
            _ => Err(ProgramError::new(format!(
                "operand {index} of Op{} should be an id",
                source.class.opname
            ))),
        }
    }

    pub fn has_operand(&self, source: &Source, index: usize) -> bool {
        source.operands.len() > index
    }

    /// An operand that is a literal number.
    pub fn literal(&self, source: &Source, index: usize) -> Result<u32, ProgramError> {
        match source.operands.get(index) {
            Some(Operand::LiteralBit32(word) | Operand::LiteralExtInstInteger(word)) => Ok(*word),
            _ => Err(ProgramError::new(format!(
                "operand {index} of Op{} should be a number",
                source.class.opname
            ))),
        }
    }

    pub fn entity(&self, id: u32) -> Result<&Entity, ProgramError> {
        self.entities
            .get(&id)
            .ok_or_else(|| ProgramError::new(format!("%{id} is used here, but nothing before this makes it")))
    }

    /// The value of an id; a pointer becomes one where it is not yet.
    pub fn value(&mut self, id: u32) -> Result<Value, ProgramError> {
        match self.entity(id)? {
            Entity::Value(value) => Ok(*value),
            Entity::Place(place) => {
                let place = place.clone();
                self.pointer_value(&place)
            }
            Entity::Function(_) | Entity::Text(_) | Entity::Set(_) => {
                Err(ProgramError::new(format!("%{id} is not a value")))
            }
        }
    }

    /// The value of an operand.
    pub fn operand(&mut self, source: &Source, index: usize) -> Result<Value, ProgramError> {
        let id = self.id(source, index)?;
        let value = self.value(id)?;
        if self.body.is_some() && self.types().holds_handles(value.type_) && !passes_on(source) {
            return Err(ProgramError::new(format!(
                "operand {index} of Op{} is a pointer to a variable, an image or a sampler, which it does not take",
                source.class.opname
            )));
        }
        Ok(value)
    }

    /// Fails where a value is of another type than `what` says.
    pub fn expect(&self, found: TypeId, expected: TypeId, what: &str) -> Result<(), ProgramError> {
        if self.types().alike(found, expected) {
            return Ok(());
        }
        let name = |type_| match self.types().id_of(type_) {
            Some(id) => format!("of the type %{id}"),
            None => "a pointer".to_owned(),
        };
        Err(ProgramError::new(format!("{what} is {}, expected one {}", name(found), name(expected))))
    }

    /// What a pointer operand points to.
    pub fn place(&mut self, id: u32) -> Result<Place, ProgramError> {
        match self.entity(id)? {
            Entity::Place(place) => Ok(place.clone()),
            Entity::Value(value) => {
                let value = *value;
                let Type::Pointer { storage, pointee } = *self.types().get(value.type_) else {
                    return Err(ProgramError::new(format!("%{id} is not a pointer")));
                };
                Ok(match pointee {
                    _ if in_memory(storage) => {
                        Place::memory(value.slot, pointee, storage == StorageClass::Workgroup)
                    }
                    Some(type_) if in_registers(storage) => {
                        Place::PlanePointer { pointer: value.slot, offset: 0, type_ }
                    }
                    Some(type_) => Place::Descriptor { pointer: value.slot, type_ },
                    None => return Err(ProgramError::new("a pointer to a type that is never declared")),
                })
            }
            Entity::Function(_) | Entity::Text(_) | Entity::Set(_) => {
                Err(ProgramError::new(format!("%{id} is not a pointer")))
            }
        }
    }

    pub fn place_operand(&mut self, source: &Source, index: usize) -> Result<Place, ProgramError> {
        let id = self.id(source, index)?;
        self.place(id)
    }

    /// The function that an operand names.
    pub fn function_operand(&self, source: &Source, index: usize) -> Result<u32, ProgramError> {
        let id = self.id(source, index)?;
        match self.entity(id)? {
            Entity::Function(index) => Ok(*index),
            _ => Err(ProgramError::new(format!("%{id} is not a function"))),
        }
    }

    /// The words of a constant.
    pub fn constant_words(&self, id: u32) -> Option<&[u32]> {
        match self.entities.get(&id)? {
            Entity::Value(value) if value.slot.is_global() => {
                let first = value.slot.index() as usize;
                let planes = self.types().planes(value.type_) as usize;
                let is_variable =
                    self.data.globals.variables.iter().any(|(variable, count, _)| {
                        (*variable..variable + count).contains(&value.slot.index())
                    });
                let is_pushed = |&(plane, ..): &(u32, u32, _)| plane == value.slot.index();
                let is_variable = is_variable || self.data.globals.push_constants.iter().any(is_pushed);
                if is_variable { None } else { self.data.globals.words.get(first..first + planes) }
            }
            _ => None,
        }
    }

    /// A scalar integer constant, sign-extended where its type is signed.
    pub fn constant(&self, id: u32) -> Option<i64> {
        let Entity::Value(value) = self.entities.get(&id)? else { return None };
        let words = self.constant_words(id)?;
        let bits = u64::from(*words.first()?) | u64::from(words.get(1).copied().unwrap_or(0)) << 32;
        match self.types().scalar(value.type_)? {
            Scalar::Integer { width, signed: true } => {
                let unused = 64 - u32::from(width);
                Some((bits << unused) as i64 >> unused)
            }
            Scalar::Integer { .. } | Scalar::Bool => Some(bits as i64),
            _ => None,
        }
    }

    /// A constant operand that has to be a number known while lowering, such as a scope or a size.
    pub fn constant_operand(&self, source: &Source, index: usize) -> Result<u32, ProgramError> {
        let id = self.id(source, index)?;
        self.constant(id)
            .and_then(|value| u32::try_from(value & 0xffff_ffff).ok())
            .ok_or_else(|| ProgramError::new(format!("%{id} should be an integer constant")))
    }

    /// A scalar constant of 32 bits for instructions that need one.
    pub fn scratch_constant(&mut self, word: u32) -> Slot {
        let plane = self.data.globals.words.len() as u32;
        self.data.globals.words.push(word);
        Slot::global(plane)
    }

    /// Components of a scalar or vector type (or of a matrix, column by column).
    pub fn numbers(&self, type_: TypeId) -> Result<(Scalar, u32), ProgramError> {
        self.types()
            .numbers(type_)
            .filter(|(scalar, _)| *scalar != Scalar::Index)
            .ok_or_else(|| ProgramError::new("expected a scalar, a vector or a matrix of numbers"))
    }

    pub fn matrix_type(&self, type_: TypeId) -> Option<&MatrixType> {
        match self.types().get(type_) {
            Type::CooperativeMatrix(matrix) => Some(matrix),
            _ => None,
        }
    }

    /// The index of a list of scalars that a load or store of the type moves.
    pub fn leaves(&mut self, type_: TypeId, matrix: super::types::MatrixLayout) -> Result<u32, ProgramError> {
        if let Some(&index) = self.leaves.get(&(type_, matrix)) {
            return Ok(index);
        }
        self.types().value_planes(type_)?;
        let leaves = self.types().leaves(type_, matrix)?;
        let index = self.data.leaves.len() as u32;
        self.data.leaves.push(leaves.into());
        self.leaves.insert((type_, matrix), index);
        Ok(index)
    }
}
