//! Descriptor heaps (GL_EXT_descriptor_heap, SPV_EXT_descriptor_heap): an array of descriptors is a view of the one variable that is the heap.

use coopmat_analysis::hir::{GlobalId, Layout, Packing, Storage, StructId};
use coopmat_analysis::types::{OpaqueClass, Ty, TypeKind};
use coopmat_spirv::Capability;
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, ImageFormat, Op, StorageClass, Word};

use crate::codegen::{Codegen, Emit};
use crate::memory::Memory;
use crate::places::{Access, Heap, Place};

/// A descriptor's type, the pointer that it leads to with its class, and how what it describes is laid out and accessed.
type Descriptor = (Word, Option<(Word, StorageClass)>, Memory, Access);

impl<'a> Codegen<'a> {
    /// The array that a declaration makes of a heap. Only its elements are places.
    pub(super) fn declare_heap(&mut self, id: GlobalId, block: Option<StructId>) -> Emit<Place> {
        let global = self.global(id);
        let TypeKind::Array(element, _) = *self.types.kind(global.ty) else {
            return Err(self.inconsistent("a heap that is no array"));
        };
        if let TypeKind::Array(..) = self.types.kind(element) {
            return Err(self.fail(format!(
                "`{}` is an array of arrays, which a descriptor heap is not in compiled shaders: use one dimension",
                global.name
            )));
        }
        self.heap_capabilities();
        let (descriptor, target, memory, access) = match block {
            Some(block) => self.heap_block(id, block)?,
            None => self.heap_opaque(id, element)?,
        };
        let samplers = self.opaque_of(element).is_some_and(|opaque| opaque.class == OpaqueClass::Sampler);
        let variable = self.heap_variable(samplers);
        let stride = match global.layout.descriptor_stride {
            Some(stride) => self.uint_constant(stride),
            None => self.descriptor_size(descriptor),
        };
        // SPIR-V wants the constant before what it decorates.
        let array = self.b.global(Op::TypeRuntimeArray, None, vec![Operand::IdRef(descriptor)]);
        self.b.decorate_id(array, Decoration::ArrayStrideIdEXT, stride);
        let mut place = Place::new(variable, StorageClass::UniformConstant, global.ty, memory, access);
        place.heap = Some(Heap { array, target });
        Ok(place)
    }

    pub(super) fn heap_capabilities(&mut self) {
        self.b.extension("SPV_EXT_descriptor_heap");
        self.b.extension("SPV_KHR_untyped_pointers");
        self.b.capability(Capability::UntypedPointersKHR);
        self.b.capability(Capability::DescriptorHeapEXT);
    }

    /// The bytes of a descriptor, which the device knows.
    pub(super) fn descriptor_size(&mut self, descriptor: Word) -> Word {
        if let Some(&known) = self.globals.descriptor_sizes.get(&descriptor) {
            return known;
        }
        let uint = self.uint_type();
        let id = self.b.global(Op::ConstantSizeOfEXT, Some(uint), vec![Operand::IdRef(descriptor)]);
        self.globals.descriptor_sizes.insert(descriptor, id);
        id
    }

    /// The descriptor's type, the pointer that it leads to with its class, and how the block is laid out and accessed.
    fn heap_block(&mut self, id: GlobalId, block: StructId) -> Emit<Descriptor> {
        let global = self.global(id);
        let class = match global.storage {
            Storage::Uniform => StorageClass::Uniform,
            _ => StorageClass::StorageBuffer,
        };
        let (pointer, memory) = self.block_in_heap(block, class, &global.layout)?;
        let descriptor = self.buffer_descriptor(class);
        Ok((descriptor, Some((pointer, class)), memory, Access::of(&global.memory)))
    }

    /// The pointer to a block whose descriptor lies in a heap, and how the block is laid out.
    pub(super) fn block_in_heap(
        &mut self,
        block: StructId,
        class: StorageClass,
        layout: &Layout,
    ) -> Emit<(Word, Memory)> {
        let default = if class == StorageClass::Uniform { Packing::Std140 } else { Packing::Std430 };
        let memory = Memory::of_layout(layout, default);
        let Memory::Block { packing, .. } = memory else {
            return Err(self.inconsistent("a block without a layout"));
        };
        let pointee = self.block_type(block, packing, Decoration::Block)?;
        for member in &self.hir.structs[block].members {
            self.check_layout(&member.layout, false)?;
            self.storage_capabilities(member.ty, class);
        }
        Ok((self.pointer_type(class, pointee), memory))
    }

    fn heap_opaque(&mut self, id: GlobalId, element: Ty) -> Emit<Descriptor> {
        let global = self.global(id);
        let format = match &global.layout.format {
            Some(name) => self.image_format(name)?,
            None => ImageFormat::Unknown,
        };
        if self.opaque_of(element).is_some_and(|opaque| opaque.class == OpaqueClass::Image)
            && global.layout.format.is_none()
        {
            self.unformatted_image(&global.memory);
        }
        let descriptor = self.opaque_memory_type(element, format)?;
        Ok((descriptor, None, Memory::Plain, Access { format, ..Access::of(&global.memory) }))
    }

    /// `OpTypeBufferEXT`, once for each class.
    pub(super) fn buffer_descriptor(&mut self, class: StorageClass) -> Word {
        if let Some(&known) = self.globals.buffer_descriptors.get(&class) {
            return known;
        }
        let id = self.b.global(Op::TypeBufferEXT, None, vec![Operand::StorageClass(class)]);
        self.globals.buffer_descriptors.insert(class, id);
        id
    }

    /// The variable that is the heap of samplers, or that of everything else.
    pub(super) fn heap_variable(&mut self, samplers: bool) -> Word {
        if let Some(known) = self.globals.heaps[usize::from(samplers)] {
            return known;
        }
        let (builtin, name) = match samplers {
            true => (BuiltIn::SamplerHeapEXT, "sampler_heap"),
            false => (BuiltIn::ResourceHeapEXT, "resource_heap"),
        };
        let class = StorageClass::UniformConstant;
        let ty = self.untyped_pointer_type(class);
        let variable = self.b.global(Op::UntypedVariableKHR, Some(ty), vec![Operand::StorageClass(class)]);
        self.b.name(variable, name);
        self.b.decorate(variable, Decoration::BuiltIn, [Operand::BuiltIn(builtin)]);
        self.globals.all.push((variable, class));
        self.globals.heaps[usize::from(samplers)] = Some(variable);
        variable
    }
}
