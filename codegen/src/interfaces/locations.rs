//! Locations of inputs and outputs: how many a type takes, and those that the shader leaves to the compiler.

use coopmat_analysis::hir::{Global, GlobalId, Layout, Storage, StructKind};
use coopmat_analysis::types::{ArrayLength, Scalar, Ty, TypeKind};
use smallvec::SmallVec;

use super::words::{is_per_view, number};
use crate::codegen::Codegen;

impl Codegen<'_> {
    /// How many locations a type takes (Vulkan, "Location and Component Assignment").
    pub(super) fn locations_of(&self, ty: Ty) -> u32 {
        match *self.types.kind(ty) {
            TypeKind::Vector(Scalar::Float64 | Scalar::Int64 | Scalar::Uint64, 3..) => 2,
            TypeKind::Matrix { component, columns, rows } => {
                let column = if component.bits() == 64 && rows > 2 { 2 } else { 1 };
                u32::from(columns) * column
            }
            TypeKind::Array(element, length) => {
                let count = match length {
                    ArrayLength::Sized(length) => self.types.symbols.default_value(length).unwrap_or(1),
                    ArrayLength::Unsized => 1,
                };
                self.locations_of(element).saturating_mul(u32::try_from(count).unwrap_or(1))
            }
            TypeKind::Struct(structure) => {
                let structure = &self.hir.structs[structure];
                let of_block = match &structure.kind {
                    StructKind::Block { layout, .. } => Some(layout),
                    _ => None,
                };
                structure.members.iter().fold(0, |sum: u32, member| {
                    let layouts = of_block.into_iter().chain([&member.layout]);
                    let ty = self.of_one_view(member.ty, &layouts.collect::<SmallVec<[_; 2]>>());
                    sum.saturating_add(self.locations_of(ty))
                })
            }
            _ => 1,
        }
    }

    /// The same of a variable: the dimension over the vertices of a primitive takes none.
    fn locations_of_variable(&self, global: &Global) -> u32 {
        let ty = match *self.types.kind(global.ty) {
            TypeKind::Array(element, _) if self.is_per_vertex(global.storage, &global.layout) => element,
            _ => global.ty,
        };
        self.locations_of(self.of_one_view(ty, &[&global.layout]))
    }

    /// What has values for each view takes the locations of one (GL_NV_mesh_shader).
    pub(super) fn of_one_view(&self, ty: Ty, layouts: &[&Layout]) -> Ty {
        match *self.types.kind(ty) {
            TypeKind::Array(element, _) if is_per_view(layouts) => element,
            _ => ty,
        }
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

    /// GLSL 4.60 section 4.4.1, "Location aliasing": no two variables have the same component of a location.
    pub(super) fn check_location(&mut self, id: GlobalId, location: u32) {
        let global = self.global(id);
        let place =
            |global: &Global| ["index", "component", "stream"].map(|name| number(&global.layout, name));
        let end = location.saturating_add(self.locations_of_variable(global));
        let other = self.user_interface(global.storage).take_while(|other| *other != id).find(|other| {
            let other = self.global(*other);
            other.layout.location.is_some_and(|start| {
                start < end && location < start.saturating_add(self.locations_of_variable(other))
            }) && place(other) == place(global)
                && self.block_of(other.ty).is_none()
        });
        if let Some(other) = other {
            let other = self.global(other).name.clone();
            self.fail(format!("`{}` has the location {location}, which `{other}` has too", global.name));
        }
    }

    /// The inputs or outputs that are not the language's own.
    pub(super) fn user_interface(&self, storage: Storage) -> impl Iterator<Item = GlobalId> {
        let globals = self.hir.globals.iter();
        globals
            .filter(move |(_, global)| global.storage == storage && !self.is_builtin_global(global))
            .map(|(id, _)| id)
    }
}
