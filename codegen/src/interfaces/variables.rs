//! Inputs and outputs, interface blocks, and payloads.

use coopmat_analysis::config::Stage;
use coopmat_analysis::extensions::{self, constants, ids};
use coopmat_analysis::hir::{
    Definition, ExprId, ExprKind, Global, GlobalId, Layout, Packing, Storage, StructId, StructKind, has_part,
};
use coopmat_analysis::locations;
use coopmat_analysis::types::{ArrayLength, Ty, TypeKind};
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, StorageClass, Word};

use super::words::{self, Target};
use crate::codegen::{Codegen, Emit};
use crate::memory::Memory;
use crate::places::{Access, Place};

/// How long the dimension over the views is of what has one (GL_NV_mesh_shader): that of a variable is behind the one over vertices or
/// primitives, that of a block's member is its first.
fn views(layouts: &[&Layout]) -> Option<u32> {
    let is_per_view = locations::is_per_view(layouts);
    let most = || extensions::constant_by_id(constants::GL_MAX_MESH_VIEW_COUNT_NV).value;
    is_per_view.then(|| u32::try_from(most()).ok()).flatten()
}

impl<'a> Codegen<'a> {
    /// Declares every input and output, used or not: the neighbouring stages count on them.
    pub fn declare_interfaces(&mut self) {
        if self.stage() == Stage::Compute {
            return;
        }
        let both = [Storage::In, Storage::Out].into_iter();
        let mut all: Vec<GlobalId> = both.flat_map(|storage| self.user_interface(storage)).collect();
        // What is passed through need not be named.
        let passes = |global: &Global| global.layout.other.iter().any(|(name, _)| name == "passthrough");
        all.extend(self.hir.globals.iter().filter(|(_, global)| passes(global)).map(|(id, _)| id));
        for id in all {
            // Why it fails has been told.
            let _ = self.global_place(id);
        }
    }

    /// A variable `in` or `out`. A built-in variable that is declared again is no variable of its own.
    pub fn declare_interface(&mut self, id: GlobalId) -> Emit<Place> {
        let global = self.global(id);
        let class = match (self.stage(), global.storage) {
            (Stage::Compute, _) => {
                return Err(self.fail("compute shaders cannot declare inputs or outputs"));
            }
            (_, Storage::In) => StorageClass::Input,
            _ => StorageClass::Output,
        };
        if has_part(self.types, &self.hir.structs, global.ty, |part| {
            matches!(self.types.kind(part), TypeKind::Reference(_))
        }) {
            // VUID-StandaloneSpirv-Input-09557.
            return Err(self.fail(format!(
                "`{}` holds addresses, which cannot pass between stages in Vulkan: pass them as `uvec2`",
                self.block_name(global)
            )));
        }
        self.check_words(&global.layout)?;
        if global.layout.interface.iter().any(|word| word == "taskNV") {
            return self.declare_task_block(id, class);
        }
        let pointee = self.interface_type(global.ty, global, 0)?;
        let variable = self.variable(pointee, class, None);
        self.interface_capabilities(global.ty);
        let target = Target::Variable(variable);
        match self.block_of(global.ty) {
            Some(block) => {
                self.decorate_whole(target, &global.layout);
                if !self.is_builtin_global(global) && !self.has_member_locations(block) {
                    self.decorate_location(target, id);
                }
            }
            None => {
                self.decorate_words(target, &global.layout, None);
                self.decorate_flat(target, global.ty, global.storage, &[&global.layout]);
                self.decorate_location(target, id);
                self.decorate_invariant(target, &global.memory, global.storage);
            }
        }
        self.decorate_numbers(target, &global.layout);
        self.decorate_feedback(target, global);
        self.relax(variable, global.ty, global.precision);
        Ok(Place::new(variable, class, global.ty, Memory::Plain, Access::default()))
    }

    /// What a task hands to its meshes (GL_NV_mesh_shader): a block with a layout, as buffers have it.
    fn declare_task_block(&mut self, id: GlobalId, class: StorageClass) -> Emit<Place> {
        let global = self.global(id);
        let (TypeKind::Struct(_), Some(block)) = (self.types.kind(global.ty), self.block_of(global.ty))
        else {
            return Err(self.fail(format!("`{}` must be a single block, as it is `taskNV`", global.name)));
        };
        let memory = Memory::of_layout(&global.layout, Packing::Std430);
        let Memory::Block { packing, .. } = memory else {
            return Err(self.inconsistent("a block without a layout"));
        };
        let pointee = self.block_type(block, packing, Decoration::Block)?;
        let variable = self.variable(pointee, class, None);
        for (index, member) in self.hir.structs[block].members.iter().enumerate() {
            self.check_layout(&member.layout, true)?;
            self.interface_capabilities(member.ty);
            self.decorate_target(Target::Member(pointee, index as u32), Decoration::PerTaskNV, []);
        }
        self.decorate_location(Target::Variable(variable), id);
        Ok(Place::new(variable, class, global.ty, memory, Access::of(&global.memory)))
    }

    fn decorate_location(&mut self, target: Target, id: GlobalId) {
        if self.is_decorated_otherwise(self.global(id)) {
            return;
        }
        let location = self.global(id).layout.location.unwrap_or_else(|| self.free_location(id));
        self.decorate_target(target, Decoration::Location, [Operand::LiteralBit32(location)]);
    }

    /// VUID-StandaloneSpirv-Flat-04744: integers are flat in fragments, those of primitives too, which GLSL does not let say so.
    fn decorate_flat(&mut self, target: Target, ty: Ty, storage: Storage, layouts: &[&Layout]) {
        let has =
            |word: &str| layouts.iter().any(|layout| layout.interface.iter().any(|known| known == word));
        if self.stage() == Stage::Fragment
            && storage == Storage::In
            && (has("perprimitiveEXT") || has("perprimitiveNV"))
            && !has("flat")
            && self.is_integral(ty)
        {
            self.decorate_target(target, Decoration::Flat, []);
        }
    }

    /// Whether `spirv_decorate(...)` says what the variable is: a `Location`, or a `BuiltIn`.
    pub(super) fn is_decorated_otherwise(&self, global: &Global) -> bool {
        let is_it = |number| [Decoration::Location as u32, Decoration::BuiltIn as u32].contains(&number);
        global.layout.spirv_decorations.iter().any(|mark| is_it(mark.number))
    }

    /// Payloads of rays and tasks, attributes of hits, attachments of the tile.
    pub fn declare_payload(&mut self, id: GlobalId) -> Emit<Place> {
        let global = self.global(id);
        let Some(class) = words::storage_class(&global.layout) else {
            let word = global.layout.interface.first().map_or("", |word| word.as_str());
            return Err(self.fail(format!("`{word}` is not supported in compiled shaders")));
        };
        self.require(&Operand::StorageClass(class));
        let pointee = self.type_id(global.ty)?;
        self.b.computes_in(pointee);
        let variable = self.variable(pointee, class, None);
        self.relax(variable, global.ty, global.precision);
        // The instructions of GL_NV_ray_tracing take locations, where its successor's take variables.
        let is_older = self.older_alone(ids::GL_NV_RAY_TRACING, ids::GL_EXT_RAY_TRACING);
        if (is_older || class == StorageClass::TileImageEXT)
            && let Some(location) = global.layout.location
        {
            self.b.decorate(variable, Decoration::Location, [Operand::LiteralBit32(location)]);
        }
        Ok(Place::new(variable, class, global.ty, Memory::Plain, Access::of(&global.memory)))
    }

    /// The payload at a location, of one of some classes.
    pub fn payload_at(&mut self, location: u32, classes: [StorageClass; 2]) -> Emit<Option<Word>> {
        let mut globals = self.hir.globals.iter();
        let found = globals.find(|(_, global)| {
            global.layout.location == Some(location)
                && words::storage_class(&global.layout).is_some_and(|class| classes.contains(&class))
        });
        found.map(|(id, _)| self.global_place(id).map(|place| place.base)).transpose()
    }

    /// The payload of the task, which the mesh shaders that it starts see.
    pub fn task_payload(&mut self) -> Emit<Option<Word>> {
        let payload = StorageClass::TaskPayloadWorkgroupEXT;
        let mut globals = self.hir.globals.iter();
        let found = globals.find(|(_, global)| words::storage_class(&global.layout) == Some(payload));
        found.map(|(id, _)| self.global_place(id).map(|place| place.base)).transpose()
    }

    fn interface_capabilities(&mut self, ty: Ty) {
        self.storage_capabilities(ty, StorageClass::Input);
    }

    /// Whether the outermost dimension of an interface variable is over the vertices, or primitives, that the stage sees together.
    pub(super) fn is_per_vertex(&self, storage: Storage, layout: &Layout) -> bool {
        locations::is_per_vertex(self.stage(), storage, layout)
    }

    /// How many there are, for a dimension that the shader leaves open.
    pub fn vertices(&self, storage: Storage, layout: &Layout) -> Option<u32> {
        if !self.is_per_vertex(storage, layout) {
            return None;
        }
        let of_patch =
            || u32::try_from(extensions::constant_by_id(constants::GL_MAX_PATCH_VERTICES).value).ok();
        match (self.stage(), storage) {
            (Stage::Geometry, _) => self.input_primitive(),
            (Stage::TessControl, Storage::Out) => self.default_number("vertices"),
            (Stage::TessControl | Stage::TessEvaluation, _) => of_patch(),
            (Stage::Mesh, _) => {
                let primitive = layout.interface.iter().any(|word| word.starts_with("perprimitive"));
                self.default_number(if primitive { "max_primitives" } else { "max_vertices" })
            }
            (Stage::Fragment, _) => Some(3),
            _ => None,
        }
    }

    /// The length of an array of an interface that has none in the program.
    pub fn interface_length(&self, array: ExprId) -> Option<u32> {
        match self.expr(array).kind {
            ExprKind::Global(id) => {
                let global = self.global(id);
                self.vertices(global.storage, &global.layout)
            }
            ExprKind::BuiltinVariable(id) => {
                let storage = match extensions::variable_by_id(id).writable {
                    true => Storage::Out,
                    false => Storage::In,
                };
                self.vertices(storage, &Layout::default())
            }
            _ => None,
        }
    }

    /// How many elements an array has under the default values.
    pub(super) fn array_count(&self, ty: Ty) -> Option<u32> {
        let TypeKind::Array(_, ArrayLength::Sized(length)) = *self.types.kind(ty) else { return None };
        self.types.symbols.default_value(length).and_then(|length| u32::try_from(length).ok())
    }

    /// The type of an interface variable, or of its elements some dimensions inside.
    fn interface_type(&mut self, ty: Ty, global: &'a Global, dimension: u32) -> Emit<Word> {
        match *self.types.kind(ty) {
            TypeKind::Array(element, length) => {
                let inner = self.interface_type(element, global, dimension + 1)?;
                let open = match dimension {
                    0 => self.vertices(global.storage, &global.layout),
                    1 => views(&[&global.layout]),
                    _ => None,
                };
                let length = match length {
                    ArrayLength::Sized(length) => self.size_id(length)?,
                    ArrayLength::Unsized => match open {
                        Some(count) => self.uint_constant(count),
                        None => return Err(self.unknown_length(&global.name)),
                    },
                };
                Ok(self.plain_array_type(inner, length))
            }
            TypeKind::Struct(block) if self.block_of(ty) == Some(block) => {
                self.interface_block(block, global)
            }
            _ => self.type_id(ty),
        }
    }

    pub(super) fn unknown_length(&mut self, name: &str) -> crate::codegen::Stop {
        self.fail(format!("the size of `{name}` is not known: write it"))
    }

    /// The structure of an interface block, with the decorations of its members.
    fn interface_block(&mut self, block: StructId, global: &Global) -> Emit<Word> {
        if let Some(known) = self.plain_struct(block) {
            return Ok(known);
        }
        let declared = &self.hir.structs[block];
        let StructKind::Block { layout: of_block, .. } = &declared.kind else {
            return Err(self.inconsistent("a block that is none"));
        };
        let mut members = Vec::with_capacity(declared.members.len());
        for (index, member) in declared.members.iter().enumerate() {
            let place = self.hir.definition_range(&Definition::Member(block, index as u32), None);
            let before = std::mem::replace(&mut self.refusals.place, place);
            self.check_layout(&member.layout, true)?;
            self.check_words(&member.layout)?;
            let ty = match *self.types.kind(member.ty) {
                TypeKind::Array(element, ArrayLength::Unsized) => {
                    let count = views(&[&member.layout, of_block])
                        .unwrap_or_else(|| self.indexed_length(block, index as u32));
                    self.type_id(element).map(|element| {
                        let count = self.uint_constant(count);
                        self.plain_array_type(element, count)
                    })
                }
                _ => self.type_id(member.ty),
            };
            self.refusals.place = before;
            members.push(ty?);
        }
        let id = self.new_plain_struct(block, &members);
        self.b.name(id, &declared.name);
        self.b.decorate(id, Decoration::Block, []);
        let captured = self.captured_offsets(block, &global.layout);
        let mut next = global.layout.location.unwrap_or(0);
        let with_locations = self.has_member_locations(block);
        for (index, member) in declared.members.iter().enumerate() {
            let index = index as u32;
            let target = Target::Member(id, index);
            self.b.member_name(id, index, &member.name);
            self.decorate_invariant(target, &member.memory, global.storage);
            if let Some(Some(offset)) =
                captured.get(index as usize).filter(|_| global.storage == Storage::Out)
            {
                self.decorate_target(target, Decoration::Offset, [Operand::LiteralBit32(*offset)]);
            }
            if let Some(builtin) = self.builtin_of_member(&member.name) {
                self.b.decorate_member(id, index, Decoration::BuiltIn, [Operand::BuiltIn(builtin)]);
                // What these need, only their use needs.
                if !matches!(builtin, BuiltIn::PointSize | BuiltIn::ClipDistance | BuiltIn::CullDistance) {
                    self.require(&Operand::BuiltIn(builtin));
                }
                self.decorate_words(target, &member.layout, Some(of_block));
                continue;
            }
            if with_locations {
                next = member.layout.location.unwrap_or(next);
                self.decorate_target(target, Decoration::Location, [Operand::LiteralBit32(next)]);
                let ty = locations::of_one_view(self.types, member.ty, &[&member.layout, of_block]);
                next = next.saturating_add(self.locations_of(ty));
            }
            self.decorate_words(target, &member.layout, Some(of_block));
            self.decorate_flat(target, member.ty, global.storage, &[&member.layout, of_block]);
            self.decorate_numbers(target, &member.layout);
            self.spirv_decorate(id, Some(index), &member.layout.spirv_decorations)?;
            if self.has_precision(member.ty) && self.is_relaxed(member.precision) {
                self.b.decorate_member(id, index, Decoration::RelaxedPrecision, []);
            }
        }
        Ok(id)
    }

    /// Locations are of the members where one of them has its own (GLSL 4.60 section 4.4.1).
    fn has_member_locations(&self, block: StructId) -> bool {
        self.hir.structs[block].members.iter().any(|member| member.layout.location.is_some())
    }
}
