//! Built-in variables, and those that a shader declares again.

use coopmat_analysis::config::Stage;
use coopmat_analysis::extensions::{self, BuiltinVariableId, ids, variables};
use coopmat_analysis::hir::{Body, Const, Definition, ExprId, ExprKind, Global, GlobalId, StructId};
use coopmat_analysis::types::{ArrayLength, Scalar, Ty, TypeKind};
use coopmat_spirv::Capability;
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, MemoryAccess, Op, StorageClass, Word};

use super::words::Target;
use crate::codegen::{Codegen, Emit};
use crate::memory::Memory;
use crate::places::{Access, Place};
use crate::target::SpirvVersion;

/// `BuiltIn` by its name in the tables.
fn builtin_of(name: &str) -> Option<BuiltIn> {
    name.parse().ok()
}

/// Outputs of fragments in old versions, and whether each is the second source of blending.
const COLOURS: [(BuiltinVariableId, bool); 4] = [
    (variables::GL_FRAG_COLOR, false),
    (variables::GL_FRAG_DATA, false),
    (variables::GL_SECONDARY_FRAG_COLOR_EXT, true),
    (variables::GL_SECONDARY_FRAG_DATA_EXT, true),
];

/// What says where an invocation is, and how many components it has.
const WHERE: [(BuiltinVariableId, u32); 9] = [
    (variables::GL_NUM_WORK_GROUPS, 3),
    (variables::GL_WORK_GROUP_ID, 3),
    (variables::GL_LOCAL_INVOCATION_ID, 3),
    (variables::GL_GLOBAL_INVOCATION_ID, 3),
    (variables::GL_LOCAL_INVOCATION_INDEX, 1),
    (variables::GL_NUM_SUBGROUPS, 1),
    (variables::GL_SUBGROUP_SIZE, 1),
    (variables::GL_SUBGROUP_ID, 1),
    (variables::GL_SUBGROUP_INVOCATION_ID, 1),
];

impl<'a> Codegen<'a> {
    /// Declares what says where an invocation is, for a debugger, where the shader does not use it.
    pub fn keep_builtins(&mut self) {
        if self.stage() != Stage::Compute {
            return;
        }
        for (id, components) in WHERE {
            let variable = extensions::variable_by_id(id);
            let Some(builtin) = builtin_of(variable.decoration) else { continue };
            let known = self.globals.builtins.known.contains_key(&(builtin, StorageClass::Input));
            if known || self.builtin_capability(builtin).is_some() {
                continue;
            }
            let type_ = self.vector_type(Scalar::Uint32, components);
            let word = self.variable(type_, StorageClass::Input, None);
            self.globals.builtins.known.insert((builtin, StorageClass::Input), word);
            self.b.name(word, variable.name);
            self.b.decorate(word, Decoration::BuiltIn, [Operand::BuiltIn(builtin)]);
        }
    }

    /// A built-in variable.
    pub fn builtin_place(&mut self, id: BuiltinVariableId, ty: Ty) -> Emit<Place> {
        if let Some(place) = self.globals.builtins.places.get(&id) {
            return Ok(place.clone());
        }
        let place = match self.per_vertex_place(id, ty)? {
            Some(place) => place,
            None => self.declare_builtin(id, ty, None)?,
        };
        self.globals.builtins.places.insert(id, place.clone());
        Ok(place)
    }

    /// A variable of the language that the shader declares again: `out float gl_FragDepth;`.
    pub fn redeclared_builtin(&mut self, id: GlobalId) -> Emit<Option<Place>> {
        let global = self.global(id);
        if self.block_of(global.ty).is_some() {
            return Ok(None);
        }
        let Some(variable) = self.builtin_of_global(global) else { return Ok(None) };
        if let Some(place) = self.globals.builtins.places.get(&variable) {
            return Ok(Some(place.clone()));
        }
        let place = match self.per_vertex_place(variable, global.ty)? {
            Some(place) => place,
            None => self.declare_builtin(variable, global.ty, Some(global))?,
        };
        self.globals.builtins.places.insert(variable, place.clone());
        Ok(Some(place))
    }

    fn declare_builtin(&mut self, id: BuiltinVariableId, ty: Ty, again: Option<&Global>) -> Emit<Place> {
        let variable = extensions::variable_by_id(id);
        let Some(builtin) = builtin_of(variable.decoration) else {
            return self.declare_colour(id, ty);
        };
        if let Some(reason) = self.builtin_capability(builtin) {
            return Err(self.fail(format!("`{}` {reason}", variable.name)));
        }
        let class = if variable.writable { StorageClass::Output } else { StorageClass::Input };
        let changes = self.changes_while_running(builtin);
        let access =
            Access { volatile: self.vulkan_memory_model && !changes.is_empty(), ..Access::default() };
        if let Some(&word) = self.globals.builtins.known.get(&(builtin, class)) {
            return Ok(Place::new(word, class, ty, Memory::Plain, access));
        }
        let pointee = self.builtin_type(id, ty)?;
        let word = self.variable(pointee, class, None);
        self.globals.builtins.known.insert((builtin, class), word);
        self.b.name(word, variable.name);
        self.b.decorate(word, Decoration::BuiltIn, [Operand::BuiltIn(builtin)]);
        let target = Target::Variable(word);
        let flat = self.stage() == Stage::Fragment && class == StorageClass::Input && self.is_integral(ty);
        if flat {
            // VUID-StandaloneSpirv-Flat-04744.
            self.b.decorate(word, Decoration::Flat, []);
        }
        if matches!(builtin, BuiltIn::TessLevelOuter | BuiltIn::TessLevelInner) {
            self.b.decorate(word, Decoration::Patch, []);
        }
        self.decorate_changing(word, changes);
        if let Some(again) = again {
            self.decorate_invariant(target, &again.memory, again.storage);
            self.decorate_numbers(target, &again.layout);
            self.decorate_feedback(target, again);
        } else if self.hir.invariant.contains(&id) {
            self.decorate_target(target, Decoration::Invariant, []);
        }
        if class == StorageClass::Output {
            self.globals.builtins.written.push(builtin);
        }
        Ok(Place::new(word, class, ty, Memory::Plain, access))
    }

    /// The Vulkan memory model says so at each load instead.
    fn decorate_changing(&mut self, variable: Word, decorations: &[Decoration]) {
        if self.vulkan_memory_model {
            return;
        }
        for decoration in decorations {
            self.b.decorate(variable, *decoration, []);
        }
    }

    /// What must be read anew each time: whether `demote` has made a helper (SPV_EXT_demote_to_helper_invocation), where a ray ends after
    /// `reportIntersectionEXT`, and the subgroup after a shader is called (VUID-StandaloneSpirv-VulkanMemoryModel-04678 and -04679).
    fn changes_while_running(&self, builtin: BuiltIn) -> &'static [Decoration] {
        match (builtin, self.stage()) {
            (
                BuiltIn::SMIDNV
                | BuiltIn::WarpIDNV
                | BuiltIn::SubgroupSize
                | BuiltIn::SubgroupLocalInvocationId
                | BuiltIn::SubgroupEqMask
                | BuiltIn::SubgroupGeMask
                | BuiltIn::SubgroupGtMask
                | BuiltIn::SubgroupLeMask
                | BuiltIn::SubgroupLtMask,
                Stage::RayGeneration
                | Stage::ClosestHit
                | Stage::Miss
                | Stage::Intersection
                | Stage::Callable,
            ) => &[Decoration::Coherent, Decoration::Volatile],
            (BuiltIn::HelperInvocation, _) if self.target.at_least(SpirvVersion::V1_6) => {
                &[Decoration::Volatile]
            }
            (BuiltIn::RayTmaxKHR, Stage::Intersection) => &[Decoration::Coherent, Decoration::Volatile],
            _ => &[],
        }
    }

    /// `gl_FragColor` and its kin are outputs like those that the shader declares.
    fn declare_colour(&mut self, id: BuiltinVariableId, ty: Ty) -> Emit<Place> {
        let variable = extensions::variable_by_id(id);
        let known = COLOURS.iter().find(|(known, _)| *known == id);
        let Some((_, second)) = known else {
            return Err(self.fail(format!("`{}` is not supported in compiled shaders", variable.name)));
        };
        let pointee = self.builtin_type(id, ty)?;
        let word = self.variable(pointee, StorageClass::Output, None);
        self.b.name(word, variable.name);
        self.b.decorate(word, Decoration::Location, [Operand::LiteralBit32(0)]);
        if *second {
            self.b.decorate(word, Decoration::Index, [Operand::LiteralBit32(1)]);
        }
        Ok(Place::new(word, StorageClass::Output, ty, Memory::Plain, Access::default()))
    }

    /// The type of a built-in variable. One without a size has as many elements as are indexed.
    fn builtin_type(&mut self, id: BuiltinVariableId, ty: Ty) -> Emit<Word> {
        let TypeKind::Array(element, ArrayLength::Unsized) = *self.types.kind(ty) else {
            return self.type_id(ty);
        };
        let of_mesh = extensions::variable_by_id(id).writable && self.stage() == Stage::Mesh;
        let count = match self.default_number("max_primitives").filter(|_| of_mesh) {
            Some(primitives) if id == variables::GL_PRIMITIVE_INDICES_NV => {
                primitives.saturating_mul(self.output_primitive())
            }
            Some(primitives) => primitives,
            None => {
                self.largest_index(|_, kind| matches!(kind, ExprKind::BuiltinVariable(known) if *known == id))
            }
        };
        let element = self.type_id(element)?;
        let count = self.uint_constant(count);
        Ok(self.plain_array_type(element, count))
    }

    pub(super) fn is_integral(&self, mut ty: Ty) -> bool {
        while let TypeKind::Array(element, _) = *self.types.kind(ty) {
            ty = element;
        }
        self.types.component(ty).is_some_and(Scalar::is_integer)
    }

    /// The built-in variable that a global declares again.
    pub(super) fn builtin_of_global(&self, global: &Global) -> Option<BuiltinVariableId> {
        let named = extensions::is_reserved(&global.name).then_some(global.name.as_str())?;
        extensions::variable(named, Some(self.stage()))
    }

    /// Whether a global is the language's: a variable that is declared again, or the block of such.
    pub(super) fn is_builtin_global(&self, global: &Global) -> bool {
        let of_block = |block: StructId| extensions::is_reserved(&self.hir.structs[block].name);
        self.block_of(global.ty).map_or_else(|| extensions::is_reserved(&global.name), of_block)
    }

    /// What a member of a block is by its name.
    pub(super) fn builtin_of_member(&self, name: &str) -> Option<BuiltIn> {
        if !extensions::is_reserved(name) {
            return None;
        }
        match extensions::variable(name, Some(self.stage())) {
            Some(id) => builtin_of(extensions::variable_by_id(id).decoration),
            None => builtin_of(name.strip_prefix(extensions::RESERVED_PREFIX)?),
        }
    }

    /// The length of an open array in a block: as many elements as are indexed.
    pub(super) fn indexed_length(&self, block: StructId, member: u32) -> u32 {
        self.largest_index(|_, kind| match *kind {
            ExprKind::BlockMember(global, named) => {
                named == member && self.block_of(self.global(global).ty) == Some(block)
            }
            ExprKind::Member { structure, member: named, .. } => structure == block && named == member,
            _ => false,
        })
    }

    /// One more than the largest constant that indexes some expressions (GLSL 4.60 section 4.1.9); 1 where there is none.
    pub(super) fn largest_index(&self, is_it: impl Fn(&Body, &ExprKind) -> bool) -> u32 {
        let of_body = |body: &Body| {
            let index = |index: ExprId| body.exprs[index].constant.as_ref().and_then(Const::as_int);
            let indices = body.exprs.iter().filter_map(|(_, expr)| match expr.kind {
                ExprKind::Index { base, index: at } if is_it(body, &body.exprs[base].kind) => index(at),
                _ => None,
            });
            indices.max()
        };
        let largest = self.hir.bodies().filter_map(|(body, _, _)| of_body(body)).max().unwrap_or(0);
        u32::try_from(largest.saturating_add(1)).unwrap_or(1).clamp(1, 64)
    }

    /// Whether a body names a member of a block by its name.
    pub(super) fn names_builtin(&self, name: &str) -> bool {
        let is_it = |definition: &Definition| match definition {
            Definition::Member(structure, member) => {
                let structure = &self.hir.structs[*structure];
                structure.members.get(*member as usize).is_some_and(|member| member.name == name)
            }
            _ => false,
        };
        self.hir.bodies().any(|(body, _, _)| body.names.iter().any(|named| is_it(&named.definition)))
    }

    /// What a built-in needs; why it is not there, else.
    fn builtin_capability(&mut self, builtin: BuiltIn) -> Option<&'static str> {
        match builtin {
            // VK_EXT_shader_subgroup_ballot is older than the subgroups of Vulkan 1.1.
            BuiltIn::SubgroupSize
            | BuiltIn::SubgroupLocalInvocationId
            | BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask
                if !self.target.at_least(SpirvVersion::V1_3)
                    && self.has_extension(ids::GL_ARB_SHADER_BALLOT) =>
            {
                self.require_capability(rspirv::spirv::Capability::SubgroupBallotKHR);
            }
            BuiltIn::NumSubgroups
            | BuiltIn::SubgroupId
            | BuiltIn::SubgroupSize
            | BuiltIn::SubgroupLocalInvocationId => {
                if !self.target.at_least(SpirvVersion::V1_3) {
                    return Some("needs SPIR-V 1.3: choose vulkan1.1 or later");
                }
                self.b.capability(Capability::GroupNonUniform);
            }
            BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask => {
                if !self.target.at_least(SpirvVersion::V1_3) {
                    return Some("needs SPIR-V 1.3: choose vulkan1.1 or later");
                }
                self.b.capability(Capability::GroupNonUniform);
                self.b.capability(Capability::GroupNonUniformBallot);
            }
            BuiltIn::TileOffsetQCOM | BuiltIn::TileDimensionQCOM | BuiltIn::TileApronSizeQCOM => {
                self.tile_shading();
            }
            BuiltIn::CoreIDARM
            | BuiltIn::CoreCountARM
            | BuiltIn::CoreMaxIDARM
            | BuiltIn::WarpIDARM
            | BuiltIn::WarpMaxIDARM => {
                self.b.extension("SPV_ARM_core_builtins");
                self.b.capability(Capability::CoreBuiltinsARM);
            }
            BuiltIn::VertexId | BuiltIn::InstanceId if self.stage() == Stage::Vertex => {
                return Some("is not available in Vulkan: use `gl_VertexIndex` and `gl_InstanceIndex`");
            }
            _ => self.require(&Operand::BuiltIn(builtin)),
        }
        None
    }

    /// Whether SPIR-V has the transpose of a built-in variable alone: `gl_ObjectToWorld3x4EXT`.
    pub fn is_transposed(&self, id: BuiltinVariableId, ty: Ty) -> bool {
        let matrix = matches!(self.types.kind(ty), TypeKind::Matrix { columns: 3, rows: 4, .. });
        let builtin = builtin_of(extensions::variable_by_id(id).decoration);
        matrix && matches!(builtin, Some(BuiltIn::ObjectToWorldKHR | BuiltIn::WorldToObjectKHR))
    }

    /// Its value.
    pub fn transposed_builtin(&mut self, id: BuiltinVariableId, ty: Ty) -> Emit<Word> {
        let variable = extensions::variable_by_id(id);
        let Some(builtin) = builtin_of(variable.decoration) else {
            return Err(self.inconsistent("a matrix that SPIR-V does not have"));
        };
        let matrix = self.matrix_type(Scalar::Float32, 4, 3);
        let key = (builtin, StorageClass::Input);
        let word = match self.globals.builtins.known.get(&key).copied() {
            Some(word) => word,
            None => {
                let word = self.variable(matrix, StorageClass::Input, None);
                self.b.name(word, variable.name);
                self.require(&Operand::BuiltIn(builtin));
                self.b.decorate(word, Decoration::BuiltIn, [Operand::BuiltIn(builtin)]);
                self.globals.builtins.known.insert(key, word);
                word
            }
        };
        let loaded = self.b.value(Op::Load, matrix, &[word]);
        let result = self.type_id(ty)?;
        Ok(self.b.value(Op::Transpose, result, &[loaded]))
    }

    /// The value of a variable that SPIR-V has with another type: `gl_SubGroupEqMaskARB` and its kin have 64 bits, where SPIR-V has four
    /// words, and `gl_SIMDGroupSizeAMD` is signed, where other names for the same are not.
    pub fn converted_builtin(&mut self, id: BuiltinVariableId, ty: Ty) -> Emit<Option<Word>> {
        let decoration = extensions::variable_by_id(id).decoration;
        if ty == Ty::INT && builtin_of(decoration) == Some(BuiltIn::SubgroupSize) {
            let mut size = self.builtin_place(id, Ty::UINT)?;
            let size = self.load(&mut size)?;
            return Ok(Some(self.convert_scalars(size, Scalar::Uint32, Scalar::Int32, 1)?));
        }
        if self.types.as_scalar(ty) != Some(Scalar::Uint64) || !decoration.starts_with("Subgroup") {
            return Ok(None);
        }
        let words = self.globals.builtins.masks.get(&id).copied();
        let vector = self.vector_type(Scalar::Uint32, 4);
        let variable = match words {
            Some(variable) => variable,
            None => {
                let Some(builtin) = builtin_of(decoration) else {
                    return Err(self.inconsistent("a mask that SPIR-V does not have"));
                };
                let name = extensions::variable_by_id(id).name;
                if let Some(reason) = self.builtin_capability(builtin) {
                    return Err(self.fail(format!("`{name}` {reason}")));
                }
                let variable = self.variable(vector, StorageClass::Input, None);
                self.b.name(variable, name);
                self.b.decorate(variable, Decoration::BuiltIn, [Operand::BuiltIn(builtin)]);
                if self.stage() == Stage::Fragment {
                    // VUID-StandaloneSpirv-Flat-04744.
                    self.b.decorate(variable, Decoration::Flat, []);
                }
                let changes = self.changes_while_running(builtin);
                self.decorate_changing(variable, changes);
                self.globals.builtins.masks.insert(id, variable);
                variable
            }
        };
        let changes = builtin_of(decoration).is_some_and(|mask| !self.changes_while_running(mask).is_empty());
        let mut operands = vec![Operand::IdRef(variable)];
        if changes && self.vulkan_memory_model {
            operands.push(Operand::MemoryAccess(MemoryAccess::VOLATILE));
        }
        let all = self.b.value_with(Op::Load, vector, operands);
        let pair = self.vector_type(Scalar::Uint32, 2);
        let operands = vec![
            Operand::IdRef(all),
            Operand::IdRef(all),
            Operand::LiteralBit32(0),
            Operand::LiteralBit32(1),
        ];
        let low = self.b.value_with(Op::VectorShuffle, pair, operands);
        let long = self.scalar_type(Scalar::Uint64);
        Ok(Some(self.b.value(Op::Bitcast, long, &[low])))
    }
}
