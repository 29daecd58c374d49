//! Variables at top level and blocks: each is declared when the first instruction uses it.

mod heap_type;
mod heaps;
mod layout_names;
mod structured_heaps;
mod table;

use coopmat_analysis::hir::{GlobalId, MemoryQualifiers, Packing, Storage, StructId, StructKind, has_part};
use coopmat_analysis::types::{ArrayLength, OpaqueClass, Scalar, Ty, TypeKind};
use coopmat_spirv::Capability;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, ImageFormat, Op, StorageClass, Word};
use smallvec::SmallVec;

use crate::codegen::{Codegen, Emit, Stop};
use crate::constants::is_known;
use crate::memory::Memory;
use crate::places::{Access, Place};
use crate::target::SpirvVersion;

use layout_names::is_shader_record;
pub(crate) use table::Globals;

impl<'a> Codegen<'a> {
    pub fn is_storage_buffer(&self, variable: Word) -> bool {
        self.globals.buffers.contains(&variable)
    }

    /// The memory of a variable at top level.
    pub fn global_place(&mut self, id: GlobalId) -> Emit<Place> {
        if let Some(place) = self.globals.variables.get(&id) {
            return Ok(place.clone());
        }
        if self.globals.refused.contains(&id) {
            return Err(Stop);
        }
        let global = self.global(id);
        let before = std::mem::replace(&mut self.b.at, global.range);
        let place = self.declare_global(id);
        self.b.at = before;
        if place.is_err() {
            self.globals.refused.insert(id);
        }
        let place = place?;
        self.globals.variables.insert(id, place.clone());
        Ok(place)
    }

    fn declare_global(&mut self, id: GlobalId) -> Emit<Place> {
        let global = self.global(id);
        let attachment =
            self.opaque_of(global.ty).is_some_and(|opaque| opaque.class == OpaqueClass::SubpassInput);
        let interface = attachment || matches!(global.storage, Storage::In | Storage::Out);
        self.check_layout(&global.layout, interface)?;
        let block = self.block_of(global.ty);
        if global.layout.descriptor_heap {
            return self.declare_heap(id, block);
        }
        if matches!(global.storage, Storage::Private | Storage::Shared) {
            self.refuse_unsized(global.ty, &global.name)?;
        }
        if global.storage == Storage::PushConstant
            && matches!(self.types.kind(global.ty), TypeKind::Array(..))
        {
            // VUID-StandaloneSpirv-PushConstant-06808.
            return Err(self
                .fail(format!("push constants must be a single block, but `{}` is an array", global.name)));
        }
        let place = match (global.storage, block) {
            (Storage::Buffer | Storage::Uniform | Storage::PushConstant | Storage::Shared, Some(block)) => {
                return self.declare_block(id, block);
            }
            (Storage::Private | Storage::Const, _) => self.declare_plain(id, StorageClass::Private)?,
            (Storage::Shared, None) => {
                self.globals.shared_plain = Some(id);
                self.declare_plain(id, StorageClass::Workgroup)?
            }
            (Storage::Uniform, None) if self.opaque_of(global.ty).is_some() => self.declare_opaque(id)?,
            (Storage::Uniform, None) => {
                // A type that is not compiled says so itself.
                self.type_id(global.ty)?;
                return Err(self.fail(format!("the uniform `{}` must be in a block in Vulkan", global.name)));
            }
            (Storage::In | Storage::Out, _) => {
                if let Some(place) = self.redeclared_builtin(id)? {
                    return Ok(place);
                }
                self.declare_interface(id)?
            }
            (Storage::Buffer | Storage::PushConstant, None) => {
                return Err(self.fail(format!("`{}` needs a block", global.name)));
            }
            (Storage::Other, _) if global.layout.spirv_storage_class.is_some() => {
                let class = match &global.layout.spirv_storage_class {
                    Some(class) => self.spirv_storage_class(class)?,
                    None => StorageClass::Private,
                };
                self.declare_plain(id, class)?
            }
            (Storage::ResourceHeap | Storage::SamplerHeap, Some(block)) => {
                return self.declare_heap_block(id, block);
            }
            (Storage::ResourceHeap | Storage::SamplerHeap, None) => {
                return Err(self.fail(format!("`{}` needs a block", global.name)));
            }
            (Storage::Other, _) => self.declare_payload(id)?,
        };
        self.b.name(place.base, &global.name);
        self.spirv_decorate(place.base, None, &global.layout.spirv_decorations)?;
        Ok(place)
    }

    /// The block that a variable is an instance of, or an array of instances.
    pub fn block_of(&self, mut ty: Ty) -> Option<StructId> {
        loop {
            match *self.types.kind(ty) {
                TypeKind::Array(element, _) => ty = element,
                TypeKind::Struct(structure) => {
                    let kind = &self.hir.structs[structure].kind;
                    return matches!(kind, StructKind::Block { .. }).then_some(structure);
                }
                _ => return None,
            }
        }
    }

    pub fn variable(&mut self, pointee: Word, class: StorageClass, initializer: Option<Word>) -> Word {
        let pointer = self.pointer_type(class, pointee);
        let mut operands = vec![Operand::StorageClass(class)];
        operands.extend(initializer.map(Operand::IdRef));
        let id = self.b.global(Op::Variable, Some(pointer), operands);
        self.globals.all.push((id, class));
        id
    }

    /// A variable without a layout: private to the invocation, or shared.
    fn declare_plain(&mut self, id: GlobalId, class: StorageClass) -> Emit<Place> {
        let global = self.global(id);
        let pointee = self.type_id(global.ty)?;
        self.b.computes_in(pointee);
        let mut initializer = None;
        if let Some(expr) = global.initializer {
            let hir = self.hir;
            let value = &hir.global_body.exprs[expr];
            if class == StorageClass::Workgroup {
                self.needs_version(SpirvVersion::V1_4, "the initializer of a shared variable")?;
                initializer = Some(self.null_constant(pointee));
            } else if value.constant.as_ref().is_some_and(is_known) {
                initializer = Some(self.in_global_body(|codegen| codegen.value(expr))?);
            }
        }
        let variable = self.variable(pointee, class, initializer);
        self.decorate_addresses(variable, global.ty, &global.memory);
        self.relax(variable, global.ty, global.precision);
        let access = Access::of(&global.memory);
        Ok(Place::new(variable, class, global.ty, Memory::Plain, access))
    }

    /// Variables that hold addresses say whether these are the only ones of their memory.
    pub fn decorate_addresses(&mut self, variable: Word, mut ty: Ty, memory: &MemoryQualifiers) {
        while let TypeKind::Array(element, _) = self.types.kind(ty) {
            ty = *element;
        }
        if matches!(self.types.kind(ty), TypeKind::Reference(_)) {
            let decoration =
                if memory.restrict { Decoration::RestrictPointer } else { Decoration::AliasedPointer };
            self.b.decorate(variable, decoration, []);
        }
    }

    /// VUID-StandaloneSpirv-Uniform-06807.
    fn array_of_arrays(&mut self, name: &str, what: &str) -> Stop {
        self.fail(format!(
            "`{name}` is an array of arrays, which Vulkan does not support for {what}: use one dimension"
        ))
    }

    fn declare_opaque(&mut self, id: GlobalId) -> Emit<Place> {
        let global = self.global(id);
        let format = match &global.layout.format {
            Some(name) => self.image_format(name)?,
            None => ImageFormat::Unknown,
        };
        if self.opaque_of(global.ty).is_some_and(|opaque| opaque.class == OpaqueClass::Image)
            && format == ImageFormat::Unknown
        {
            self.unformatted_image(&global.memory);
        }
        if let TypeKind::Array(element, _) = *self.types.kind(global.ty)
            && let TypeKind::Array(..) = self.types.kind(element)
        {
            return Err(self.array_of_arrays(&global.name, "images and samplers"));
        }
        let mut class = StorageClass::UniformConstant;
        if global.layout.other.iter().any(|(name, _)| name == layout_names::TILE_ATTACHMENT) {
            self.tile_shading();
            class = StorageClass::TileAttachmentQCOM;
        }
        let pointee = self.opaque_memory_type(global.ty, format)?;
        let variable = self.variable(pointee, class, None);
        self.decorate_binding(variable, id);
        self.decorate_attachment(variable, &global.layout);
        self.decorate_variable(variable, &global.memory);
        Ok(Place::new(
            variable,
            class,
            global.ty,
            Memory::Plain,
            Access { format, ..Access::of(&global.memory) },
        ))
    }

    pub fn tile_shading(&mut self) {
        self.b.extension("SPV_QCOM_tile_shading");
        self.b.capability(Capability::TileShadingQCOM);
    }

    /// What images without a format need.
    fn unformatted_image(&mut self, memory: &MemoryQualifiers) {
        if !memory.writeonly {
            self.b.capability(Capability::StorageImageReadWithoutFormat);
        }
        if !memory.readonly {
            self.b.capability(Capability::StorageImageWriteWithoutFormat);
        }
    }

    fn declare_block(&mut self, id: GlobalId, block: StructId) -> Emit<Place> {
        let global = self.global(id);
        if matches!(*self.types.kind(global.ty), TypeKind::Array(element, _)
            if matches!(self.types.kind(element), TypeKind::Array(..)))
        {
            return Err(self.array_of_arrays(&global.name, "blocks"));
        }
        let (class, default, decoration) = match global.storage {
            Storage::Uniform => (StorageClass::Uniform, Packing::Std140, Decoration::Block),
            Storage::PushConstant => (StorageClass::PushConstant, Packing::Std430, Decoration::Block),
            Storage::Shared => (StorageClass::Workgroup, Packing::Std430, Decoration::Block),
            _ if is_shader_record(&global.layout) => {
                (StorageClass::ShaderRecordBufferKHR, Packing::Std430, Decoration::Block)
            }
            _ => {
                let class = self.target.buffer_class();
                let decoration = match class {
                    StorageClass::StorageBuffer => Decoration::Block,
                    _ => Decoration::BufferBlock,
                };
                (class, Packing::Std430, decoration)
            }
        };
        let memory = Memory::of_layout(&global.layout, default);
        let Memory::Block { packing, .. } = memory else {
            return Err(self.inconsistent("a block without a layout"));
        };
        let mut pointee = self.block_type(block, packing, decoration)?;
        let mut dimensions = Vec::new();
        let mut ty = global.ty;
        while let TypeKind::Array(element, length) = *self.types.kind(ty) {
            dimensions.push(length);
            ty = element;
        }
        for length in dimensions.into_iter().rev() {
            pointee = match length {
                ArrayLength::Sized(length) => {
                    let length = self.size_id(length)?;
                    self.plain_array_type(pointee, length)
                }
                ArrayLength::Unsized => {
                    self.b.extension("SPV_EXT_descriptor_indexing");
                    self.b.capability(Capability::RuntimeDescriptorArray);
                    self.plain_runtime_array_type(pointee)
                }
            };
        }
        let variable = self.variable(pointee, class, None);
        self.b.name(variable, &global.name);
        match class {
            StorageClass::PushConstant => self.decorate_bank(variable, &global.layout),
            StorageClass::Workgroup => {
                self.needs_version(SpirvVersion::V1_4, "a `shared` block")?;
                self.globals.shared_block = Some(id);
                self.capability(
                    Capability::WorkgroupMemoryExplicitLayoutKHR,
                    "SPV_KHR_workgroup_memory_explicit_layout",
                    SpirvVersion(7),
                );
                // All shared blocks lie at the start of the same memory (GL_EXT_shared_memory_block).
                let blocks = self.hir.globals.iter().filter(|(_, global)| global.storage == Storage::Shared);
                if blocks.count() > 1 {
                    self.b.decorate(variable, Decoration::Aliased, []);
                }
            }
            // The record lies in the table of shaders, not in a descriptor.
            StorageClass::ShaderRecordBufferKHR => {}
            _ => self.decorate_binding(variable, id),
        }
        let mut qualifiers = global.memory;
        let members = &self.hir.structs[block].members;
        let all = |test: fn(&MemoryQualifiers) -> bool| {
            !members.is_empty() && members.iter().all(|member| test(&member.memory))
        };
        qualifiers.readonly |= all(|memory| memory.readonly);
        qualifiers.writeonly |= all(|memory| memory.writeonly);
        if global.storage == Storage::Buffer {
            self.globals.buffers.insert(variable);
            self.decorate_variable(variable, &qualifiers);
        }
        for member in &self.hir.structs[block].members {
            self.check_layout(&member.layout, false)?;
            // Before SPIR-V 1.3 buffers are `Uniform`, too, and need less.
            let buffer = global.storage == Storage::Buffer;
            self.storage_capabilities(member.ty, if buffer { StorageClass::StorageBuffer } else { class });
        }
        self.spirv_decorate(variable, None, &global.layout.spirv_decorations)?;
        Ok(Place::new(variable, class, global.ty, memory, Access::of(&global.memory)))
    }

    fn decorate_binding(&mut self, variable: Word, id: GlobalId) {
        let layout = &self.global(id).layout;
        let set = layout.set.unwrap_or(0);
        let binding = layout.binding.unwrap_or_else(|| self.free_binding(id, set));
        self.b.decorate(variable, Decoration::Binding, [Operand::LiteralBit32(binding)]);
        self.b.decorate(variable, Decoration::DescriptorSet, [Operand::LiteralBit32(set)]);
    }

    /// A number for a variable without one, which Vulkan does not have: the next that is free in its set, in the order of the
    /// declarations.
    fn free_binding(&self, id: GlobalId, set: u32) -> u32 {
        let of_set = || {
            self.hir.globals.iter().filter(|(_, global)| {
                matches!(global.storage, Storage::Buffer | Storage::Uniform)
                    && global.layout.set.unwrap_or(0) == set
            })
        };
        let taken: Vec<u32> = of_set().filter_map(|(_, global)| global.layout.binding).collect();
        let before = of_set().take_while(|(other, _)| *other != id);
        let before = before.filter(|(_, global)| global.layout.binding.is_none()).count();
        (0..u32::MAX).filter(|number| !taken.contains(number)).nth(before).unwrap_or(0)
    }

    /// What the memory qualifiers of a variable say to the driver.
    fn decorate_variable(&mut self, variable: Word, memory: &MemoryQualifiers) {
        if memory.restrict {
            self.b.decorate(variable, Decoration::Restrict, []);
        }
        if memory.readonly {
            self.b.decorate(variable, Decoration::NonWritable, []);
        }
        if memory.writeonly {
            self.b.decorate(variable, Decoration::NonReadable, []);
        }
        if !self.vulkan_memory_model {
            if memory.is_coherent() {
                self.b.decorate(variable, Decoration::Coherent, []);
            }
            if memory.volatile {
                self.b.decorate(variable, Decoration::Volatile, []);
            }
        }
    }

    /// The same for the members of a block.
    pub fn decorate_memory_qualifiers(&mut self, id: Word, structure: StructId) {
        let declared = &self.hir.structs[structure];
        let of_block = match &declared.kind {
            StructKind::Block { memory, .. } | StructKind::Reference { memory, .. } => *memory,
            StructKind::Plain => MemoryQualifiers::default(),
        };
        for (index, member) in declared.members.iter().enumerate() {
            let index = index as u32;
            let has = |test: fn(&MemoryQualifiers) -> bool| test(&of_block) || test(&member.memory);
            if has(|memory| memory.readonly) {
                self.b.decorate_member(id, index, Decoration::NonWritable, []);
            }
            if has(|memory| memory.writeonly) {
                self.b.decorate_member(id, index, Decoration::NonReadable, []);
            }
            if !self.vulkan_memory_model {
                if has(MemoryQualifiers::is_coherent) {
                    self.b.decorate_member(id, index, Decoration::Coherent, []);
                }
                if has(|memory| memory.volatile) {
                    self.b.decorate_member(id, index, Decoration::Volatile, []);
                }
            }
        }
    }

    /// GLSL 4.60, 4.1.9: an array without a size has as many elements as the constants that index it say.
    pub fn refuse_unsized(&mut self, ty: Ty, name: &str) -> Emit<()> {
        if matches!(self.types.kind(ty), TypeKind::Array(_, ArrayLength::Unsized)) {
            return Err(self.fail(format!(
                "`{name}` gets its size from the constants that index it, which is not supported in compiled shaders: give it a size"
            )));
        }
        Ok(())
    }

    /// The capabilities that 8 and 16 bit members of a block need, whatever is computed with them.
    pub fn storage_capabilities(&mut self, ty: Ty, class: StorageClass) {
        let mut widths: SmallVec<[u32; 2]> = SmallVec::new();
        has_part(self.types, &self.hir.structs, ty, |part| {
            if let Some(bits) = self.types.component(part).map(Scalar::bits)
                && bits <= 16
                && !widths.contains(&bits)
            {
                widths.push(bits);
            }
            false
        });
        for bits in widths {
            self.storage_capability(bits, class);
        }
    }

    fn storage_capability(&mut self, bits: u32, class: StorageClass) {
        let capability = match (bits, class) {
            (0..=8, StorageClass::Workgroup) => Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR,
            (0..=8, StorageClass::PushConstant) => Capability::StoragePushConstant8,
            (0..=8, StorageClass::Uniform) => Capability::UniformAndStorageBuffer8BitAccess,
            (0..=8, _) => Capability::StorageBuffer8BitAccess,
            (_, StorageClass::Workgroup) => Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR,
            (_, StorageClass::PushConstant) => Capability::StoragePushConstant16,
            (_, StorageClass::Input) => Capability::StorageInputOutput16,
            (_, StorageClass::Uniform) => Capability::UniformAndStorageBuffer16BitAccess,
            (_, _) => Capability::StorageBuffer16BitAccess,
        };
        if class == StorageClass::Workgroup {
            self.b.capability(capability);
        } else if bits == 16 {
            self.capability(capability, "SPV_KHR_16bit_storage", SpirvVersion::V1_3);
        } else {
            self.capability(capability, "SPV_KHR_8bit_storage", SpirvVersion::V1_5);
        }
    }

    /// The value of a `const` at top level.
    pub fn constant_global(&mut self, id: GlobalId) -> Emit<Word> {
        if let Some(&known) = self.globals.constants.get(&id) {
            return Ok(known);
        }
        let global = self.global(id);
        if global.constant_id.is_some() {
            return self.spec_global(id);
        }
        if let Some(constant) = &global.constant
            && let Some(value) = self.constant(constant, global.ty)?
        {
            self.globals.constants.insert(id, value);
            return Ok(value);
        }
        let Some(initializer) = global.initializer else {
            return Err(self.fail(format!("the constant `{}` has no value", global.name)));
        };
        // Constants of specialization are shared; what is computed at run time belongs to its block.
        self.in_global_body(|codegen| codegen.value(initializer))
    }

    /// Memory that holds a constant, for indexing.
    pub fn constant_table(&mut self, value: Word, ty: Ty) -> Emit<Place> {
        let variable = match self.globals.tables.get(&value) {
            Some(&variable) => variable,
            None => {
                let pointee = self.type_id(ty)?;
                self.b.computes_in(pointee);
                let variable = self.variable(pointee, StorageClass::Private, Some(value));
                self.b.name(variable, "indexable");
                self.globals.tables.insert(value, variable);
                variable
            }
        };
        Ok(Place::new(variable, StorageClass::Private, ty, Memory::Plain, Access::default()))
    }
}
