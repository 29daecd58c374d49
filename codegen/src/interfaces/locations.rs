//! Locations of inputs and outputs: those that the shader leaves to the compiler.

use coopmat_analysis::hir::{Global, GlobalId, Storage};
use coopmat_analysis::locations;
use coopmat_analysis::types::{Ty, TypeKind};

use crate::codegen::Codegen;

impl Codegen<'_> {
    /// How many locations a type takes.
    pub(super) fn locations_of(&self, ty: Ty) -> u32 {
        locations::count(self.types, &self.hir.structs, ty)
    }

    /// The same of a variable: the dimension over the vertices of a primitive takes none.
    fn locations_of_variable(&self, global: &Global) -> u32 {
        let ty = match *self.types.kind(global.ty) {
            TypeKind::Array(element, _) if self.is_per_vertex(global.storage, &global.layout) => element,
            _ => global.ty,
        };
        self.locations_of(locations::of_one_view(self.types, ty, &[&global.layout]))
    }

    /// A location for a variable without one, which Vulkan does not have: the first that is free, in the order of the declarations, as with
    /// glslang's `--auto-map-locations`.
    pub(super) fn free_location(&self, id: GlobalId) -> u32 {
        let storage = self.global(id).storage;
        let mut taken: Vec<(u32, u32)> = self
            .user_interface(storage)
            .filter_map(|other| {
                let global = self.global(other);
                Some((global.layout.location?, self.locations_of_variable(global)))
            })
            .collect();
        for other in self.user_interface(storage) {
            let global = self.global(other);
            if global.layout.location.is_some() {
                continue;
            }
            let size = self.locations_of_variable(global).max(1);
            let mut place = 0;
            while let Some(&(start, length)) = taken.iter().find(|(start, length)| {
                place < start.saturating_add(*length) && *start < place.saturating_add(size)
            }) {
                place = start.saturating_add(length.max(1));
            }
            if other == id {
                return place;
            }
            taken.push((place, size));
        }
        0
    }

    /// The inputs or outputs that are not the language's own.
    pub(super) fn user_interface(&self, storage: Storage) -> impl Iterator<Item = GlobalId> {
        let globals = self.hir.globals.iter();
        globals
            .filter(move |(_, global)| global.storage == storage && !self.is_builtin_global(global))
            .map(|(id, _)| id)
    }
}
