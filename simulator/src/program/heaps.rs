//! Descriptor heaps while lowering (SPV_EXT_descriptor_heap): a heap is memory, in which descriptors have a size; a descriptor becomes a buffer or an image
//! where a module takes it.

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::spirv::{BuiltIn, Decoration};

use super::lowering::{Entity, Lowering};
use super::place::Place;
use super::types::{Type, TypeId};
use super::values::{Slot, Value};
use crate::ProgramError;
use crate::code::{Instruction, MemoryInstruction};
use crate::memory::Heap;

/// The set of descriptors that are whole heaps; the binding says which heap.
pub(crate) const HEAP_SET: u32 = u32::MAX;

impl Lowering<'_> {
    /// Whether a variable is a heap, which is declared here then.
    pub(super) fn declare_heap(&mut self, id: u32) -> Result<bool, ProgramError> {
        let heap = match self.annotations.builtin(id) {
            Some(BuiltIn::ResourceHeapEXT) => Heap::Resource,
            Some(BuiltIn::SamplerHeapEXT) => Heap::Sampler,
            _ => return Ok(false),
        };
        self.data.interface.heaps[heap as usize] = true;
        // What is in a heap may be bound somewhere, too.
        self.data.has_addresses = true;
        let slot = self.address_constant(0)?;
        let descriptor = self.data.descriptors.len() as u32;
        self.data.descriptors.push((HEAP_SET, heap as u32, 0));
        self.data.globals.buffers.push((slot.index(), descriptor));
        self.set(id, Entity::Place(Place::memory(slot, None, false)));
        Ok(true)
    }

    /// A literal of a member's or an array's decoration, or the constant that its kin with an id names.
    pub(super) fn decorated_number(&self, literal: Option<u32>, id: Option<u32>) -> Option<u32> {
        literal.or_else(|| u32::try_from(self.constant(id?)? & 0xffff_ffff).ok())
    }

    /// Bytes from one element of an array to the next, where the module says it.
    pub(super) fn array_stride(&self, id: u32) -> Option<u32> {
        let of = |decoration| self.annotations.literal(id, decoration);
        self.decorated_number(of(Decoration::ArrayStride), of(Decoration::ArrayStrideIdEXT))
    }

    /// `OpBufferPointerEXT`: what a descriptor in a heap describes.
    pub(crate) fn buffer_pointer(&mut self, source: &Source) -> Result<(), ProgramError> {
        let type_ = self.result_type(source)?;
        let Type::Pointer { pointee, .. } = *self.types().get(type_) else {
            return Err(ProgramError::new("OpBufferPointerEXT should make a pointer"));
        };
        let Place::Memory { pointer, offset, .. } = self.place_operand(source, 0)? else {
            return Err(ProgramError::new("OpBufferPointerEXT should have a pointer into a heap"));
        };
        let result = self.allocate(2)?;
        self.emit(Instruction::Memory(MemoryInstruction::HeapBuffer { result, pointer, offset }));
        self.set_place(source, Place::memory(result, pointee, false))
    }

    /// Loads an image or a sampler from a heap; false where the value is neither.
    pub(crate) fn load_descriptor(&mut self, result: Value, place: &Place) -> bool {
        let Place::Memory { pointer, offset, .. } = *place else { return false };
        match self.types().get(result.type_) {
            Type::Image(_) => {
                let result = result.slot;
                self.emit(Instruction::Memory(MemoryInstruction::HeapImage { result, pointer, offset }));
            }
            // Samplers are all alike here, and nobody asks which one it is.
            Type::Sampler => {
                let none = self.scratch_constant(u32::MAX);
                self.emit(Instruction::copy(result.slot, none, 1));
            }
            _ => return false,
        }
        true
    }

    /// The image that a pointer leads to, as a plane with the number of its descriptor.
    pub(crate) fn image_at(
        &mut self,
        place: &Place,
        type_: Option<TypeId>,
    ) -> Result<(Slot, TypeId), ProgramError> {
        match (place, type_) {
            (&Place::Descriptor { pointer, type_ }, _) => Ok((pointer, type_)),
            (&Place::Memory { pointer, offset, .. }, Some(type_)) => {
                let result = self.allocate(1)?;
                self.emit(Instruction::Memory(MemoryInstruction::HeapImage { result, pointer, offset }));
                Ok((result, type_))
            }
            _ => Err(ProgramError::new("OpImageTexelPointer should have a pointer to an image")),
        }
    }
}
