//! What lowering notes for debuggers: variables, constants and types that have names.

use coopmat_spirv::dr::Instruction as Source;

use super::debug::{Kind, Variable};
use super::lowering::{Entity, Lowering};
use super::place::Place;

impl Lowering<'_> {
    /// Notes a variable of a function, or of the module.
    pub(super) fn note_variable(&mut self, id: u32, kind: Kind, place: Place, function: Option<usize>) {
        let name = self.annotations.name(id).unwrap_or_default().to_owned();
        let variable = Variable { id, name, kind, place, origin: self.origin };
        match function.and_then(|index| self.data.functions.get_mut(index)) {
            Some(function) => function.variables.push(variable),
            None => self.data.names.variables.push(variable),
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
}
