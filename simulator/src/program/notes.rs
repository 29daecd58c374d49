//! What lowering notes for debuggers and findings: variables, constants and types that have names.

use coopmat_spirv::dr::{self, Instruction as Source, Operand};
use coopmat_spirv::spirv::{Op, StorageClass};
use rustc_hash::FxHashSet;

use super::debug::{Kind, Variable};
use super::lowering::{Entity, Lowering};
use super::place::Place;
use super::types::{Type, TypeId};
use super::values::Value;
use crate::ProgramError;
use crate::code::Instruction;

impl Lowering<'_> {
    /// Notes a variable of a function, or of the module.
    pub(super) fn note_variable(&mut self, id: u32, kind: Kind, place: Place, function: Option<usize>) {
        let name = self.annotations.name(id).unwrap_or_default().to_owned();
        let variable =
            Variable { id, name, kind, place, origin: self.origin, block: u32::MAX, is_read: true };
        match function.and_then(|index| self.data.functions.get_mut(index)) {
            Some(function) => function.variables.push(variable),
            None => self.data.names.variables.push(variable),
        }
    }

    /// Notes what an instruction of a function has made, and keeps what a variable of the source is from here on: which of its values that is depends on the way that lanes took.
    pub(super) fn note_value(
        &mut self,
        source: &Source,
        (function, block): (usize, u32),
    ) -> Result<(), ProgramError> {
        let origin = self.origin;
        let note = |lowering: &mut Self, id: u32, name: String, place: Place| {
            let Some(function) = lowering.data.functions.get_mut(function) else { return };
            let values = if name.is_empty() { &mut function.values } else { &mut function.variables };
            values.push(Variable { id, name, kind: Kind::Value, place, origin, block, is_read: true });
        };
        if let Some(named) = self.named_values.get(&origin).cloned()
            && let Some(Entity::Value(value)) = self.entities.get(&named.id).cloned()
            && let Some(kept) = self.kept(named.variable, value.type_, function)?
        {
            let planes = self.types().planes(value.type_);
            self.emit(Instruction::copy(kept.slot, value.slot, planes));
            note(self, named.id, named.name, Place::Planes { first: kept.slot, type_: kept.type_ });
        }
        let made = source.result_id.and_then(|id| Some((id, self.place_of_value(id)?)));
        if let Some((id, place)) = made {
            let name = self.annotations.name(id).unwrap_or_default().to_owned();
            note(self, id, name, place);
        }
        Ok(())
    }

    /// The planes of a variable of the source. Nothing if its values have another type elsewhere, and so no place in common.
    fn kept(
        &mut self,
        variable: (u32, Option<u32>),
        type_: TypeId,
        function: usize,
    ) -> Result<Option<Value>, ProgramError> {
        let known = self.body.as_ref().and_then(|body| body.kept.get(&variable)).copied();
        let kept = match known {
            None => Some(self.allocate_value(type_)?),
            Some(Some(kept)) if kept.type_ != type_ => {
                let is_it =
                    |place: &Place| matches!(place, Place::Planes { first, .. } if *first == kept.slot);
                let function = self.data.functions.get_mut(function);
                function.into_iter().for_each(|one| one.variables.retain(|variable| !is_it(&variable.place)));
                None
            }
            Some(known) => known,
        };
        if let Some(body) = &mut self.body {
            body.kept.insert(variable, kept);
        }
        Ok(kept)
    }

    fn place_of_value(&self, id: u32) -> Option<Place> {
        let Some(Entity::Value(value)) = self.entities.get(&id) else { return None };
        let is_void = matches!(self.data.types.get(value.type_), Type::Void);
        (!is_void).then_some(Place::Planes { first: value.slot, type_: value.type_ })
    }

    /// Notes which variables of a function nothing reads.
    pub(super) fn note_reads(&mut self, index: usize, function: &dr::Function) {
        let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        let used = instructions.flat_map(|source| {
            let stored = usize::from(source.class.opcode == Op::Store);
            source.operands.iter().skip(stored)
        });
        let used: FxHashSet<u32> = used
            .filter_map(|operand| match operand {
                Operand::IdRef(id) => Some(*id),
                _ => None,
            })
            .collect();
        if let Some(function) = self.data.functions.get_mut(index) {
            for variable in function.variables.iter_mut().filter(|variable| variable.kind == Kind::Local) {
                variable.is_read = used.contains(&variable.id);
            }
        }
    }

    /// Notes a constant that has a name: one that is specialized, for the most part.
    pub(super) fn note_constant(&mut self, source: &Source) {
        let Some(id) = source.result_id.filter(|id| self.annotations.name(*id).is_some()) else { return };
        if let Some(Entity::Value(value)) = self.entities.get(&id) {
            let place = Place::Planes { first: value.slot, type_: value.type_ };
            self.note_variable(id, Kind::Constant, place, None);
        }
    }

    /// Notes what the module calls its types.
    pub(super) fn note_types(&mut self) {
        for source in &self.module.types_global_values {
            if let Some(id) = source.result_id
                && let (Some(name), Ok(type_)) = (self.annotations.name(id), self.data.types.by_id(id))
            {
                self.data.names.types.insert(type_, name.to_owned());
            }
        }
    }

    /// Notes into which block an instruction's pointer leads, where it is an address.
    pub(super) fn note_block(&mut self, source: &Source) {
        if !self.data.has_addresses {
            return;
        }
        // A pointer that an instruction makes leads into the block that its type names, or into that of what it was made of.
        let from = source.operands.iter().find_map(|operand| match operand {
            Operand::IdRef(id) => self.referred.get(id).copied(),
            _ => None,
        });
        if let (Some(id), Some(type_)) = (source.result_id, source.result_type)
            && let Ok(type_) = self.data.types.by_id(type_)
            && let Type::Pointer { storage: StorageClass::PhysicalStorageBuffer, pointee } =
                *self.types().get(type_)
        {
            let block =
                pointee.filter(|pointee| matches!(self.types().get(*pointee), Type::Structure { .. }));
            let made =
                matches!(source.class.opcode, Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain);
            if let Some(block) = if made { from.or(block) } else { block.or(from) } {
                self.referred.insert(id, block);
            }
            return;
        }
        if let Some(name) = from.and_then(|block| self.data.names.types.get(&block)) {
            let name = name.clone();
            self.data.reference_blocks.insert(self.origin, name);
        }
    }
}
