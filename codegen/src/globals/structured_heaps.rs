//! Blocks in descriptor heaps (GL_EXT_structured_descriptor_heap): where their members lie depends on the sizes of descriptors, which the device knows, so offsets
//! and strides are constants that it computes.

use coopmat_analysis::hir::{ExprId, GlobalId, Layout, Packing, Storage, StructId, StructKind, has_part};
use coopmat_analysis::types::{ArrayLength, OpaqueClass, Ty, TypeKind};
use coopmat_spirv::{Capability, Decoration as AnyDecoration};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, ImageFormat, Op, StorageClass, Word};

use super::heap_type::{Bytes, HeapType};
use crate::codegen::{Codegen, Emit};
use crate::memory::Memory;
use crate::places::{Access, Place, View};

/// Everything in a heap is laid out as `scalar`.
const PACKING: Packing = Packing::Scalar;

impl<'a> Codegen<'a> {
    /// A block in a heap. Only its members are places.
    pub(super) fn declare_heap_block(&mut self, id: GlobalId, block: StructId) -> Emit<Place> {
        let global = self.global(id);
        self.heap_capabilities();
        let row_major = global.layout.row_major.unwrap_or(false);
        // Offsets that the device computes are of structures with descriptors alone.
        let ty = if self.holds_descriptors(global.ty) {
            let view = self.heap_struct(block, row_major)?;
            self.b.decorate(view.ty, Decoration::Block, []);
            view.ty
        } else {
            for member in &self.hir.structs[block].members {
                self.check_layout(&member.layout, false)?;
                self.storage_capabilities(member.ty, StorageClass::Uniform);
            }
            self.block_type(block, PACKING, Decoration::Block)?
        };
        let variable = self.heap_variable(global.storage == Storage::SamplerHeap);
        let memory = Memory::Block { packing: PACKING, row_major };
        let access = Access::of(&global.memory);
        let mut place = Place::new(variable, StorageClass::UniformConstant, global.ty, memory, access);
        place.view = Some(View { ty, offset: global.layout.heap_offset.map(ExprId::from_raw) });
        place.untyped = true;
        Ok(place)
    }

    /// Whether the device says where parts of a type lie.
    pub fn holds_descriptors(&self, ty: Ty) -> bool {
        has_part(self.types, &self.hir.structs, ty, |part| match *self.types.kind(part) {
            TypeKind::Opaque(_) => true,
            TypeKind::Struct(structure) => self.hir.structs[structure].buffer_type().is_some(),
            _ => false,
        })
    }

    fn heap_struct(&mut self, structure: StructId, row_major: bool) -> Emit<HeapType> {
        if let Some(&known) = self.globals.heap_types.get(&(structure, row_major)) {
            return Ok(known);
        }
        let declared = &self.hir.structs[structure];
        let mut members = Vec::with_capacity(declared.members.len());
        let mut offsets = Vec::with_capacity(declared.members.len());
        let (mut end, mut align) = (Bytes::Known(0), Bytes::Known(1));
        // Nothing asks for the size of a block.
        let is_part = matches!(declared.kind, StructKind::Plain);
        for member in &declared.members {
            self.check_layout(&member.layout, false)?;
            let row_major = declared.is_row_major(member, row_major);
            let part = self.heap_type(member.ty, &member.layout, row_major)?;
            if let Some(opaque) = self.opaque_of(member.ty)
                && opaque.class == OpaqueClass::Image
                && member.layout.format.is_none()
            {
                self.unformatted_image(&member.memory);
            }
            let offset = match member.layout.offset {
                Some(offset) => Bytes::Known(offset),
                None => self.aligned(end, part.align),
            };
            end = self.sum(offset, part.size);
            if is_part {
                align = self.larger(align, part.align);
            }
            members.push(Operand::IdRef(part.ty));
            offsets.push(offset);
        }
        let offsets: Vec<Word> = offsets.into_iter().map(|offset| self.bytes_id(offset)).collect();
        let ty = self.b.global(Op::TypeStruct, None, members);
        self.b.name(ty, &declared.name);
        for (index, (member, offset)) in declared.members.iter().zip(offsets).enumerate() {
            let index = index as u32;
            self.b.member_name(ty, index, &member.name);
            self.b.decorate_member_id(ty, index, Decoration::OffsetIdEXT, offset);
            if self.opaque_of(member.ty).is_some() && !self.vulkan_memory_model {
                let memory = &member.memory;
                let stated =
                    [(memory.is_coherent(), Decoration::Coherent), (memory.volatile, Decoration::Volatile)];
                for (_, decoration) in stated.into_iter().filter(|(stated, _)| *stated) {
                    self.b.decorate_member(ty, index, decoration, []);
                }
            }
            let row_major = declared.is_row_major(member, row_major);
            let layout = self.layout_context(PACKING).type_layout(member.ty, row_major);
            if !self.holds_descriptors(member.ty)
                && let Some(stride) = layout.and_then(|layout| layout.matrix_stride)
            {
                self.decorate_matrix(ty, index, stride, row_major);
            }
        }
        let size = if is_part { self.aligned(end, align) } else { end };
        let known = HeapType { ty, size, align };
        self.globals.heap_types.insert((structure, row_major), known);
        Ok(known)
    }

    /// How a member lies in a heap. `layout` is its own.
    fn heap_type(&mut self, ty: Ty, layout: &Layout, row_major: bool) -> Emit<HeapType> {
        if !self.holds_descriptors(ty) {
            return self.data_in_heap(ty, row_major);
        }
        match *self.types.kind(ty) {
            TypeKind::Array(element, length) => {
                let element = self.heap_type(element, layout, row_major)?;
                let (ty, size) = match length {
                    ArrayLength::Sized(length) => {
                        let known = self.types.symbols.as_int(length).and_then(|it| u32::try_from(it).ok());
                        let length = self.size_id(length)?;
                        let size = match (element.size, known) {
                            (Bytes::Known(size), Some(count)) => Bytes::Known(size.saturating_mul(count)),
                            (size, _) => {
                                let size = self.bytes_id(size);
                                Bytes::Id(self.uint_op(Op::IMul, size, length))
                            }
                        };
                        let operands = vec![Operand::IdRef(element.ty), Operand::IdRef(length)];
                        (self.b.global(Op::TypeArray, None, operands), size)
                    }
                    // Nothing comes after it.
                    ArrayLength::Unsized => {
                        let operands = vec![Operand::IdRef(element.ty)];
                        (self.b.global(Op::TypeRuntimeArray, None, operands), Bytes::Known(0))
                    }
                };
                let stride = self.bytes_id(element.size);
                self.b.decorate_id(ty, Decoration::ArrayStrideIdEXT, stride);
                Ok(HeapType { ty, size, align: element.align })
            }
            TypeKind::Struct(structure) => match self.hir.structs[structure].buffer_type() {
                Some(storage) => {
                    let descriptor = self.buffer_descriptor(buffer_class(storage));
                    Ok(self.descriptor(descriptor, layout))
                }
                None => self.heap_struct(structure, row_major),
            },
            _ => {
                let format = match &layout.format {
                    Some(name) => self.image_format(name)?,
                    None => ImageFormat::Unknown,
                };
                let descriptor = self.opaque_memory_type(ty, format)?;
                Ok(self.descriptor(descriptor, layout))
            }
        }
    }

    /// A descriptor is aligned to its size.
    fn descriptor(&mut self, ty: Word, layout: &Layout) -> HeapType {
        let size = match layout.descriptor_size {
            Some(size) => Bytes::Known(size),
            None => Bytes::Id(self.descriptor_size(ty)),
        };
        HeapType { ty, size, align: size }
    }

    fn data_in_heap(&mut self, ty: Ty, row_major: bool) -> Emit<HeapType> {
        self.storage_capabilities(ty, StorageClass::Uniform);
        let id = self.memory_type(ty, Memory::Block { packing: PACKING, row_major })?;
        let Some(layout) = self.layout_context(PACKING).type_layout(ty, row_major) else {
            return Err(self.fail("this has no layout in a descriptor heap"));
        };
        let number = |bytes: u64| u32::try_from(bytes).ok();
        let open = matches!(self.types.kind(ty), TypeKind::Array(_, ArrayLength::Unsized));
        let size = if open { Some(0) } else { layout.size.and_then(number) };
        let (Some(size), Some(align)) = (size, number(layout.align)) else {
            return Err(self.fail(
                "the size of this member is not known before the pipeline is made, which is not supported for data in descriptor heaps",
            ));
        };
        Ok(HeapType { ty: id, size: Bytes::Known(size), align: Bytes::Known(align.max(1)) })
    }

    fn bytes_id(&mut self, bytes: Bytes) -> Word {
        match bytes {
            Bytes::Known(bytes) => self.uint_constant(bytes),
            Bytes::Id(id) => id,
        }
    }

    fn uint_op(&mut self, op: Op, left: Word, right: Word) -> Word {
        let uint = self.uint_type();
        self.spec_op(op, uint, &[left, right])
    }

    fn sum(&mut self, left: Bytes, right: Bytes) -> Bytes {
        match (left, right) {
            (Bytes::Known(left), Bytes::Known(right)) => Bytes::Known(left.saturating_add(right)),
            (other, Bytes::Known(0)) | (Bytes::Known(0), other) => other,
            _ => {
                let (left, right) = (self.bytes_id(left), self.bytes_id(right));
                Bytes::Id(self.uint_op(Op::IAdd, left, right))
            }
        }
    }

    /// The next multiple of `align`.
    fn aligned(&mut self, bytes: Bytes, align: Bytes) -> Bytes {
        match (bytes, align) {
            (Bytes::Known(bytes), Bytes::Known(align)) => {
                Bytes::Known(bytes.checked_next_multiple_of(align).unwrap_or(u32::MAX))
            }
            (Bytes::Known(0), _) | (_, Bytes::Known(1)) => bytes,
            _ if bytes == align => bytes,
            _ => {
                let (bytes, align) = (self.bytes_id(bytes), self.bytes_id(align));
                let beyond = self.uint_op(Op::UMod, bytes, align);
                let missing = self.uint_op(Op::ISub, align, beyond);
                let padding = self.uint_op(Op::UMod, missing, align);
                Bytes::Id(self.uint_op(Op::IAdd, bytes, padding))
            }
        }
    }

    fn larger(&mut self, left: Bytes, right: Bytes) -> Bytes {
        match (left, right) {
            (Bytes::Known(left), Bytes::Known(right)) => Bytes::Known(left.max(right)),
            (other, Bytes::Known(1)) | (Bytes::Known(1), other) => other,
            _ if left == right => left,
            _ => {
                let (left, right) = (self.bytes_id(left), self.bytes_id(right));
                let (bool, uint) = (self.bool_type(), self.uint_type());
                let less = self.spec_op(Op::ULessThan, bool, &[left, right]);
                Bytes::Id(self.spec_op(Op::Select, uint, &[less, right, left]))
            }
        }
    }

    /// A pointer into a heap.
    pub fn pointer_in_heap(&mut self, place: &Place, view: View) -> Emit<Word> {
        if place.chain().is_empty() {
            return Err(
                self.fail("a block in a descriptor heap is not a value: only its members can be used")
            );
        }
        let untyped = self.untyped_pointer_type(StorageClass::UniformConstant);
        let start = match view.offset {
            Some(offset) => {
                let offset = self.in_global_body(|codegen| codegen.value(offset))?;
                // As bytes, the heap is indexed by the offset.
                let byte = self.byte_type();
                let bytes = self.runtime_array_type(byte, 1);
                self.b.value(Op::UntypedAccessChainKHR, untyped, &[bytes, place.base, offset])
            }
            None => place.base,
        };
        let operands: Vec<Word> = [view.ty, start].into_iter().chain(place.chain().iter().copied()).collect();
        let pointer = self.b.value(Op::UntypedAccessChainKHR, untyped, &operands);
        if place.access.nonuniform {
            self.b.nonuniform(pointer);
        }
        Ok(pointer)
    }

    fn byte_type(&mut self) -> Word {
        self.b.capability(Capability::Int8);
        self.scalar_type(coopmat_analysis::types::Scalar::Uint8)
    }

    /// Goes on from a descriptor in a heap to the buffer that it describes.
    pub fn enter_buffer(&mut self, place: &mut Place) -> Emit<()> {
        let TypeKind::Struct(structure) = *self.types.kind(place.ty) else { return Ok(()) };
        let declared = &self.hir.structs[structure];
        let (Some(storage), coopmat_analysis::hir::StructKind::Block { layout, memory, .. }) =
            (declared.buffer_type(), &declared.kind)
        else {
            return Ok(());
        };
        let class = buffer_class(storage);
        let (target, laid_out) = self.block_in_heap(structure, class, layout)?;
        let descriptor = self.pointer(place)?;
        let pointer = self.b.value(Op::BufferPointerEXT, target, &[descriptor]);
        if place.access.nonuniform {
            self.b.nonuniform(pointer);
        }
        let access = place.access.and(memory);
        if !self.vulkan_memory_model {
            let coherent = access.coherent || access.volatile;
            let stated = [(coherent, Decoration::Coherent), (access.volatile, Decoration::Volatile)];
            for (_, decoration) in stated.into_iter().filter(|(stated, _)| *stated) {
                self.b.decorate(pointer, AnyDecoration::from(decoration), []);
            }
        }
        *place = Place::new(pointer, class, place.ty, laid_out, access);
        Ok(())
    }
}

fn buffer_class(storage: Storage) -> StorageClass {
    match storage {
        Storage::Uniform => StorageClass::Uniform,
        _ => StorageClass::StorageBuffer,
    }
}
