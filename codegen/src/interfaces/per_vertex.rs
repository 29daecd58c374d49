//! Blocks of the language: outputs such as `gl_Position` are members of `gl_PerVertex`, `gl_in` and `gl_out` are arrays of it, and meshes have
//! such blocks for vertices and for primitives.

use coopmat_analysis::config::Stage;
use coopmat_analysis::extensions::{
    self, BuiltinMember, BuiltinStruct, BuiltinVariableId, PER_VERTEX, Pattern,
};
use coopmat_analysis::hir::{Body, ExprId, ExprKind, Layout, Profile, Storage, StructId};
use coopmat_analysis::types::{ArrayLength, Ty, TypeKind};
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass, Word};

use crate::codegen::{Codegen, Emit};
use crate::memory::Memory;
use crate::places::{Access, Place};

/// Members that are there, where the version has them, whether they are named or not.
const ALWAYS: [BuiltIn; 4] =
    [BuiltIn::Position, BuiltIn::PointSize, BuiltIn::ClipDistance, BuiltIn::CullDistance];

/// The same of primitives of meshes; the blocks of GL_NV_mesh_shader and of GL_EXT_mesh_shader have three in common.
const ALWAYS_OF_PRIMITIVES: [BuiltIn; 4] =
    [BuiltIn::PrimitiveId, BuiltIn::Layer, BuiltIn::ViewportIndex, BuiltIn::CullPrimitiveEXT];

/// Members of `gl_PerVertex` in the tables that are variables of their own in SPIR-V.
const OWN: [BuiltIn; 3] = [BuiltIn::Layer, BuiltIn::ViewportIndex, BuiltIn::ViewportMaskNV];

/// What an expression is an element of, some dimensions outside.
fn outside<'b>(body: &'b Body, mut kind: &'b ExprKind, dimensions: u32) -> Option<&'b ExprKind> {
    for _ in 0..dimensions {
        let ExprKind::Index { base, .. } = kind else { return None };
        kind = &body.exprs[*base].kind;
    }
    Some(kind)
}

impl<'a> Codegen<'a> {
    /// The place of a built-in variable that is, or lies in, a block `gl_PerVertex`.
    pub(super) fn per_vertex_place(&mut self, id: BuiltinVariableId, ty: Ty) -> Emit<Option<Place>> {
        let variable = extensions::variable_by_id(id);
        if let Some(block) = self.block_of_language(ty) {
            return self.per_vertex_array(block, variable.name, variable.writable, ty).map(Some);
        }
        let Some(block) = extensions::structure(PER_VERTEX) else { return Ok(None) };
        let in_block = variable.writable
            && matches!(self.stage(), Stage::Vertex | Stage::TessEvaluation | Stage::Geometry)
            && !self.redeclares_block()
            && self.builtin_of_member(variable.name).is_some_and(|builtin| ALWAYS.contains(&builtin));
        let Some(index) = self.per_vertex_index(block, variable.name).filter(|_| in_block) else {
            return Ok(None);
        };
        let base = match self.globals.per_vertex.variable {
            Some(known) => known,
            None => {
                let block = self.per_vertex_type(block, StorageClass::Output)?;
                let base = self.variable(block, StorageClass::Output, None);
                self.b.name(base, "");
                self.globals.per_vertex.variable = Some(base);
                base
            }
        };
        self.note_member(variable.name);
        let mut place = Place::new(base, StorageClass::Output, ty, Memory::Plain, Access::default());
        let index = self.int_constant(index as i32);
        place.go_on(index, ty);
        Ok(Some(place))
    }

    /// Whether the text declares the block of outputs itself.
    fn redeclares_block(&self) -> bool {
        let is_block =
            |ty: Ty| self.block_of(ty).is_some_and(|block| self.hir.structs[block].name == PER_VERTEX);
        self.hir.globals.iter().any(|(_, global)| global.storage == Storage::Out && is_block(global.ty))
    }

    /// The block of the tables that a type is an array of.
    fn block_of_language(&self, ty: Ty) -> Option<&'static BuiltinStruct> {
        let TypeKind::Array(element, _) = *self.types.kind(ty) else { return None };
        match *self.types.kind(element) {
            TypeKind::Struct(structure) => self.struct_of_language(structure),
            _ => None,
        }
    }

    /// The block of the tables that a structure is; `None` for one that the text declares, and for one that is no block.
    fn struct_of_language(&self, structure: StructId) -> Option<&'static BuiltinStruct> {
        let structure = &self.hir.structs[structure];
        let is_own = structure.name_range.is_empty() && extensions::is_reserved(&structure.name);
        let is_block =
            |members: &[BuiltinMember]| members.iter().any(|member| extensions::is_reserved(member.name));
        extensions::structure(&structure.name).filter(|block| is_own && is_block(block.members))
    }

    /// `gl_in` and `gl_out`.
    fn per_vertex_array(
        &mut self,
        block: &'static BuiltinStruct,
        name: &str,
        output: bool,
        ty: Ty,
    ) -> Emit<Place> {
        let (class, storage) =
            if output { (StorageClass::Output, Storage::Out) } else { (StorageClass::Input, Storage::In) };
        let is_of_primitives = self.is_of_primitives(block);
        let block = self.per_vertex_type(block, class)?;
        let length = match *self.types.kind(ty) {
            TypeKind::Array(_, ArrayLength::Sized(length)) => self.size_id(length)?,
            _ if is_of_primitives => self.uint_constant(self.default_number("max_primitives").unwrap_or(0)),
            _ => match self.vertices(storage, &Layout::default()) {
                Some(count) => self.uint_constant(count),
                None => return Err(self.unknown_length(name)),
            },
        };
        let pointee = self.plain_array_type(block, length);
        let base = self.variable(pointee, class, None);
        self.b.name(base, name);
        Ok(Place::new(base, class, ty, Memory::Plain, Access::default()))
    }

    /// Whether a block has what each primitive of a mesh has.
    fn is_of_primitives(&self, block: &BuiltinStruct) -> bool {
        let is_it = |member: &BuiltinMember| {
            let builtin = self.builtin_of_member(member.name);
            matches!(builtin, Some(BuiltIn::CullPrimitiveEXT | BuiltIn::LayerPerViewNV))
        };
        block.members.iter().any(is_it)
    }

    /// Whether a built-in of a mesh has a value for each view (GL_NV_mesh_shader).
    fn is_per_view(&self, builtin: BuiltIn) -> bool {
        let known = matches!(
            builtin,
            BuiltIn::PositionPerViewNV
                | BuiltIn::ClipDistancePerViewNV
                | BuiltIn::CullDistancePerViewNV
                | BuiltIn::LayerPerViewNV
                | BuiltIn::ViewportMaskPerViewNV
        );
        known && self.stage() == Stage::Mesh
    }

    /// The members of the block, in its order.
    fn per_vertex_members(&self, block: &'static BuiltinStruct) -> Vec<&'static BuiltinMember> {
        let (always, own) = match self.is_of_primitives(block) {
            true => (&ALWAYS_OF_PRIMITIVES[..], &[][..]),
            false => (&ALWAYS[..], &OWN[..]),
        };
        let is_there = |member: &&BuiltinMember| {
            let Some(builtin) = self.builtin_of_member(member.name) else { return false };
            (always.contains(&builtin) && self.is_in_version(member.name))
                || (!own.contains(&builtin) && self.names_builtin(member.name))
        };
        block.members.iter().filter(is_there).collect()
    }

    /// Whether the version has a built-in without an extension.
    fn is_in_version(&self, name: &str) -> bool {
        let Some(id) = extensions::variable(name, Some(self.stage())) else { return true };
        let variable = extensions::variable_by_id(id);
        let lowest = match self.hir.profile {
            Profile::Es => variable.min_es_version,
            Profile::Core | Profile::Compatibility => variable.min_version,
        };
        self.hir.version >= lowest
    }

    /// The number of a member in the block of the module.
    fn per_vertex_index(&self, block: &'static BuiltinStruct, name: &str) -> Option<u32> {
        let members = self.per_vertex_members(block);
        members.iter().position(|member| member.name == name).map(|index| index as u32)
    }

    fn per_vertex_type(&mut self, block: &'static BuiltinStruct, class: StorageClass) -> Emit<Word> {
        let known =
            self.globals.per_vertex.types.iter().find(|known| (known.0, known.1) == (block.name, class));
        if let Some(&(_, _, known)) = known {
            return Ok(known);
        }
        let members = self.per_vertex_members(block);
        let mut types = Vec::with_capacity(members.len());
        for member in &members {
            types.push(self.per_vertex_member_type(member.name, &member.pattern, class, 0)?);
        }
        let id = self.b.global(Op::TypeStruct, None, types.into_iter().map(Operand::IdRef).collect());
        self.b.name(id, block.name);
        self.b.decorate(id, Decoration::Block, []);
        for (index, member) in members.iter().enumerate() {
            let index = index as u32;
            self.b.member_name(id, index, member.name);
            let Some(builtin) = self.builtin_of_member(member.name) else { continue };
            self.b.decorate_member(id, index, Decoration::BuiltIn, [Operand::BuiltIn(builtin)]);
            if self.is_of_primitives(block) {
                self.b.decorate_member(id, index, Decoration::PerPrimitiveEXT, []);
            }
            if self.is_per_view(builtin) {
                self.b.decorate_member(id, index, Decoration::PerViewNV, []);
            }
            if class == StorageClass::Output && self.is_invariant(member.name) {
                self.b.decorate_member(id, index, Decoration::Invariant, []);
            }
        }
        self.globals.per_vertex.types.push((block.name, class, id));
        Ok(id)
    }

    /// `invariant gl_Position;`, or its declaration again.
    fn is_invariant(&self, name: &str) -> bool {
        self.all_invariant()
            || self.hir.invariant.iter().any(|id| extensions::variable_by_id(*id).name == name)
            || self.hir.globals.iter().any(|(_, global)| global.name == name && global.memory.invariant)
    }

    /// The type of a member, or of its elements some dimensions inside.
    fn per_vertex_member_type(
        &mut self,
        name: &str,
        pattern: &Pattern,
        class: StorageClass,
        dimension: u32,
    ) -> Emit<Word> {
        match *pattern {
            Pattern::Scalar(scalar) => Ok(self.scalar_type(scalar)),
            Pattern::Vector(scalar, length) => Ok(self.vector_type(scalar, u32::from(length))),
            Pattern::Array(element, length) => {
                let element = self.per_vertex_member_type(name, element, class, dimension + 1)?;
                let count = match length {
                    Some(length) => self.uint_constant(length),
                    None => self.per_vertex_length(name, class, dimension)?,
                };
                Ok(self.plain_array_type(element, count))
            }
            _ => Err(self.inconsistent("a member of an unknown type")),
        }
    }

    /// The length of `gl_ClipDistance` and its kin: as it is declared again, else as it is indexed.
    fn per_vertex_length(&mut self, name: &str, class: StorageClass, dimension: u32) -> Emit<Word> {
        let again = self.hir.globals.iter().find(|(_, global)| global.name == name);
        if let Some((_, global)) = again
            && let TypeKind::Array(_, ArrayLength::Sized(length)) = *self.types.kind(global.ty)
        {
            return self.size_id(length);
        }
        let named = |member: &coopmat_analysis::hir::Member| member.name == name;
        // `gl_in[0].gl_ClipDistance[1]` says nothing about `gl_out`.
        let is_of_class = |body: &Body, base: ExprId| {
            let mut root = base;
            while let ExprKind::Index { base, .. } = body.exprs[root].kind {
                root = base;
            }
            match body.exprs[root].kind {
                ExprKind::BuiltinVariable(id) => {
                    extensions::variable_by_id(id).writable == (class == StorageClass::Output)
                }
                _ => true,
            }
        };
        let count = self.largest_index(|body, kind| match outside(body, kind, dimension) {
            Some(ExprKind::BuiltinVariable(id)) => extensions::variable_by_id(*id).name == name,
            Some(ExprKind::Global(id)) => self.global(*id).name == name,
            Some(ExprKind::Member { base, structure, member }) => {
                self.struct_of_language(*structure).is_some()
                    && is_of_class(body, *base)
                    && self.hir.structs[*structure].members.get(*member as usize).is_some_and(named)
            }
            _ => false,
        });
        Ok(self.uint_constant(count))
    }

    /// What the use of a member needs, beyond its declaration.
    pub(super) fn note_member(&mut self, name: &str) {
        let Some(builtin) = self.builtin_of_member(name) else { return };
        match (builtin, self.stage()) {
            (BuiltIn::PointSize, Stage::Geometry) => {
                self.require_capability(rspirv::spirv::Capability::GeometryPointSize);
            }
            (BuiltIn::PointSize, Stage::TessControl | Stage::TessEvaluation) => {
                self.require_capability(rspirv::spirv::Capability::TessellationPointSize);
            }
            _ => self.require(&Operand::BuiltIn(builtin)),
        }
    }

    /// The number of a member in the module's structure, where that is not its number in the program: the language's own block has only those
    /// that are named.
    pub fn member_index(&mut self, structure: StructId, member: u32) -> Emit<u32> {
        let declared = &self.hir.structs[structure];
        let Some(selected) = declared.members.get(member as usize) else { return Ok(member) };
        if extensions::is_reserved(&declared.name) {
            self.note_member(&selected.name);
        }
        let Some(block) = self.struct_of_language(structure) else { return Ok(member) };
        match self.per_vertex_index(block, &selected.name) {
            Some(index) => Ok(index),
            None => Err(self.fail(format!("`{}` is not supported in compiled shaders", selected.name))),
        }
    }
}
