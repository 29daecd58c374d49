//! What lowering notes for debuggers and findings: variables, constants and types that have names.

use coopmat_spirv::dr::{self, Instruction as Source, Operand};
use coopmat_spirv::spirv::{Op, StorageClass};
use rustc_hash::FxHashSet;

use super::debug::{Kind, Variable};
use super::lowering::{Entity, Lowering};
use super::place::Place;
use super::types::Type;

impl Lowering<'_> {
    /// Notes a variable of a function, or of the module.
    pub(super) fn note_variable(&mut self, id: u32, kind: Kind, place: Place, function: Option<usize>) {
        let name = self.annotations.name(id).unwrap_or_default().to_owned();
        let variable = Variable { id, name, kind, place, origin: self.origin, is_read: true };
        match function.and_then(|index| self.data.functions.get_mut(index)) {
            Some(function) => function.variables.push(variable),
            None => self.data.names.variables.push(variable),
        }
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
