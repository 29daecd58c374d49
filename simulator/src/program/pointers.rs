//! Pointers while lowering: what a pointer points to is known as far as possible, so that accesses to variables become accesses to
//! planes, and constant offsets in memory cost nothing.

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::spirv::Op;

use super::lowering::{Entity, Lowering};
use super::place::Place;
use super::types::{MatrixLayout, Scalar, Type, TypeId};
use super::values::{Slot, Value};
use crate::ProgramError;
use crate::code::{Instruction, MemoryInstruction, Term};

impl Lowering<'_> {
    /// `OpAccessChain` and its kin. `first` is the operand of the first index; `pointer_index` says that it steps over whole elements.
    pub(crate) fn access_chain(&mut self, source: &Source) -> Result<(), ProgramError> {
        let untyped = source.class.opname.starts_with("Untyped");
        let (base, mut first) = if untyped { (1, 2) } else { (0, 1) };
        let mut place = self.place_operand(source, base)?;
        if untyped {
            let chosen = self.types().by_id(self.id(source, 0)?)?;
            match &mut place {
                Place::Memory { type_, .. } => *type_ = Some(chosen),
                _ => return Err(ProgramError::new("an untyped pointer should point to memory")),
            }
        }
        let mut terms = Vec::new();
        let steps = matches!(
            source.class.opcode,
            Op::PtrAccessChain
                | Op::InBoundsPtrAccessChain
                | Op::UntypedPtrAccessChainKHR
                | Op::UntypedInBoundsPtrAccessChainKHR
        );
        if steps {
            let index = self.id(source, first)?;
            first += 1;
            place = self.step_over(source, place, index, &mut terms)?;
        }
        for index in first..source.operands.len() {
            let index = self.id(source, index)?;
            place = self.part_of(place, index, &mut terms)?;
        }
        place = self.resolve(place, terms)?;
        self.expect_pointer(source, &place)?;
        self.set_place(source, place)
    }

    /// Fails where an access chain's type is not a pointer to where it leads.
    fn expect_pointer(&self, source: &Source, place: &Place) -> Result<(), ProgramError> {
        let type_ = self.result_type(source)?;
        let Type::Pointer { pointee, .. } = *self.types().get(type_) else {
            return Err(ProgramError::new(format!(
                "Op{} makes a pointer, but its type %{} is none",
                source.class.opname,
                source.result_type.unwrap_or(0)
            )));
        };
        match (pointee, place.type_()) {
            (Some(pointee), Some(type_)) if !matches!(place, Place::Buffers { .. }) => {
                self.expect(type_, pointee, "what the indices lead to")
            }
            _ => Ok(()),
        }
    }

    /// The first index of `OpPtrAccessChain`: over whole elements, by the pointer type's stride.
    fn step_over(
        &mut self,
        source: &Source,
        place: Place,
        index: u32,
        terms: &mut Vec<Term>,
    ) -> Result<Place, ProgramError> {
        let Place::Memory { type_: Some(type_), matrix, .. } = place else {
            return Err(ProgramError::new("OpPtrAccessChain should have a pointer into memory"));
        };
        let decorated = source.result_type.and_then(|_| {
            let base = self.id(source, 0).ok()?;
            let base_type = self.pointer_type_id(base)?;
            self.annotations.literal(base_type, coopmat_spirv::spirv::Decoration::ArrayStride)
        });
        let own = source
            .result_type
            .and_then(|id| self.annotations.literal(id, coopmat_spirv::spirv::Decoration::ArrayStride));
        let natural =
            || self.types().size(type_, matrix).next_multiple_of(self.types().alignment(type_).max(1));
        let stride = decorated.or(own).map_or_else(natural, u64::from);
        let mut place = place;
        self.add_offset(&mut place, index, stride, u32::MAX, terms)?;
        Ok(place)
    }

    fn pointer_type_id(&self, id: u32) -> Option<u32> {
        match self.entities.get(&id)? {
            Entity::Value(value) => self.types().id_of(value.type_),
            _ => None,
        }
    }

    /// One index of an access chain.
    fn part_of(&mut self, place: Place, index: u32, terms: &mut Vec<Term>) -> Result<Place, ProgramError> {
        let constant = self.constant(index);
        match place {
            Place::Planes { first, type_ } => {
                if let Type::CooperativeMatrix(_) = self.types().get(type_) {
                    return self.element(Place::Planes { first, type_ }, type_, index);
                }
                if let Some((part, offset)) =
                    constant.and_then(|c| self.types().part(type_, u32::try_from(c).ok()?))
                {
                    return Ok(Place::Planes { first: first.offset(offset), type_: part });
                }
                let (part, step, count) = self.elements(type_)?;
                let index = self.value(index)?;
                let pointer = self.allocate(1)?;
                self.emit_plane_address(pointer, None, first, index, count, step)?;
                Ok(Place::PlanePointer { pointer, offset: 0, type_: part })
            }
            Place::PlanePointer { pointer, offset, type_ } => {
                if let Type::CooperativeMatrix(_) = self.types().get(type_) {
                    return self.element(place, type_, index);
                }
                if let Some((part, more)) =
                    constant.and_then(|c| self.types().part(type_, u32::try_from(c).ok()?))
                {
                    return Ok(Place::PlanePointer { pointer, offset: offset + more, type_: part });
                }
                let (part, step, count) = self.elements(type_)?;
                let index = self.value(index)?;
                let result = self.allocate(1)?;
                self.emit_plane_address(result, Some(offset), pointer, index, count, step)?;
                Ok(Place::PlanePointer { pointer: result, offset: 0, type_: part })
            }
            Place::Memory { type_: Some(type_), .. } => self.part_of_memory(place, type_, index, terms),
            Place::Memory { type_: None, .. } => {
                Err(ProgramError::new("a pointer to a type that is never declared"))
            }
            Place::Buffers { first, count, type_ } => {
                let value = self.value(index)?;
                let wide = self.is_wide(value)?;
                let result = self.allocate(2)?;
                let index = value.slot;
                self.emit(Instruction::Memory(MemoryInstruction::Buffer {
                    result,
                    first,
                    count,
                    index,
                    wide,
                }));
                Ok(Place::memory(result, Some(type_), false))
            }
            Place::Descriptor { pointer, type_ } => {
                let (part, count) = match *self.types().get(type_) {
                    Type::Array { element, length, .. } => (element, length),
                    Type::RuntimeArray { element, .. } => (element, u32::MAX),
                    _ => return Err(ProgramError::new("an image has no parts")),
                };
                let value = self.value(index)?;
                let wide = self.is_wide(value)?;
                let result = self.allocate(1)?;
                let index = value.slot;
                self.emit(Instruction::Memory(MemoryInstruction::Descriptor {
                    result,
                    pointer,
                    count,
                    index,
                    wide,
                }));
                Ok(Place::Descriptor { pointer: result, type_: part })
            }
            Place::Element { .. } | Place::Texel { .. } => {
                Err(ProgramError::new("a matrix's element and an image's texel have no parts"))
            }
        }
    }

    fn element(&mut self, matrix: Place, type_: TypeId, index: u32) -> Result<Place, ProgramError> {
        let index = self.value(index)?;
        let component =
            self.matrix_type(type_).and_then(|matrix| crate::matrix::component_type(self, matrix));
        let type_ = component.ok_or_else(|| ProgramError::new("expected a matrix"))?;
        Ok(Place::Element { matrix: Box::new(matrix), index, type_ })
    }

    /// What an index chooses among: the type, its planes, how many there are.
    fn elements(&self, type_: TypeId) -> Result<(TypeId, u32, u32), ProgramError> {
        let part = self.types().element(type_);
        let part = part.ok_or_else(|| ProgramError::new("an index into a value that has no elements"))?;
        Ok((part, self.types().planes(part), self.types().part_count(type_)))
    }

    pub(crate) fn is_wide(&self, value: Value) -> Result<bool, ProgramError> {
        match self.types().scalar(value.type_) {
            Some(Scalar::Integer { width, .. }) => Ok(width == 64),
            _ => Err(ProgramError::new("an index should be an integer")),
        }
    }

    fn emit_plane_address(
        &mut self,
        result: Slot,
        offset: Option<u32>,
        base: Slot,
        index: Value,
        count: u32,
        step: u32,
    ) -> Result<(), ProgramError> {
        let wide = self.is_wide(index)?;
        let index = self.index_term(index)?;
        let instruction = match offset {
            None => MemoryInstruction::PlaneOf { result, first: base, index, wide, count, step },
            Some(offset) => {
                MemoryInstruction::PlaneFrom { result, pointer: base, offset, index, wide, count, step }
            }
        };
        self.emit(Instruction::Memory(instruction));
        Ok(())
    }

    /// An index of 8 or 16 bits, made 32 bits.
    fn index_term(&mut self, index: Value) -> Result<Slot, ProgramError> {
        match self.types().scalar(index.type_) {
            Some(Scalar::Integer { width: width @ (8 | 16), signed: true }) => {
                let result = self.allocate(1)?;
                self.emit(Instruction::Memory(MemoryInstruction::Extend {
                    result,
                    value: index.slot,
                    width,
                }));
                Ok(result)
            }
            _ => Ok(index.slot),
        }
    }

    fn part_of_memory(
        &mut self,
        mut place: Place,
        whole: TypeId,
        index: u32,
        terms: &mut Vec<Term>,
    ) -> Result<Place, ProgramError> {
        let Place::Memory { matrix: layout, component_step: step, .. } = place else {
            return Err(ProgramError::new("expected memory"));
        };
        let length = match *self.types().get(whole) {
            Type::Array { length, .. } => length,
            Type::Matrix { count, .. } | Type::Vector { count, .. } => count,
            _ => u32::MAX,
        };
        let (part, stride, part_layout, part_step) = match self.types().get(whole) {
            Type::Structure { members, .. } => {
                let member = self.constant(index).and_then(|index| members.get(usize::try_from(index).ok()?));
                let member = member
                    .ok_or_else(|| ProgramError::new("a structure's member should be a constant in range"))?;
                let (part, more, layout) = (member.type_, u64::from(member.offset), member.matrix);
                if let Place::Memory { offset, type_, matrix, component_step, .. } = &mut place {
                    let sum = u64::from(*offset) + more;
                    *offset = u32::try_from(sum)
                        .map_err(|_| ProgramError::new("an offset is larger than any memory"))?;
                    (*type_, *matrix, *component_step) = (Some(part), layout, 0);
                }
                return Ok(place);
            }
            Type::Array { element, .. } | Type::RuntimeArray { element, .. } => {
                (*element, self.types().stride(whole, layout), layout, 0)
            }
            Type::Matrix { column, .. } => {
                let (column_step, row_step) = self.types().matrix_steps(whole, layout);
                (*column, column_step, MatrixLayout::default(), row_step as u32)
            }
            Type::Vector { component, .. } => {
                let natural = self.types().size(*component, layout);
                let stride = if step == 0 { natural } else { u64::from(step) };
                (*component, stride, MatrixLayout::default(), 0)
            }
            _ => return Err(ProgramError::new("an index into a value that has no parts")),
        };
        self.add_offset(&mut place, index, stride, length, terms)?;
        if let Place::Memory { type_, matrix, component_step, .. } = &mut place {
            (*type_, *matrix, *component_step) = (Some(part), part_layout, part_step);
        }
        Ok(place)
    }

    fn add_offset(
        &mut self,
        place: &mut Place,
        index: u32,
        stride: u64,
        length: u32,
        terms: &mut Vec<Term>,
    ) -> Result<(), ProgramError> {
        if let Some(constant) = self.constant(index)
            && let Place::Memory { offset, .. } = place
            && let Some(sum) = u64::try_from(constant)
                .ok()
                .and_then(|c| c.checked_mul(stride))
                .and_then(|more| more.checked_add(u64::from(*offset)))
            && let Ok(sum) = u32::try_from(sum)
        {
            *offset = sum;
            return Ok(());
        }
        let value = self.value(index)?;
        let signed = matches!(self.types().scalar(value.type_), Some(Scalar::Integer { signed: true, .. }));
        let wide = self.is_wide(value)?;
        let index = self.index_term(value)?;
        terms.push(Term { index, wide, signed, stride, length });
        Ok(())
    }

    /// Makes an address of a place and the indices that are known only when it runs.
    fn resolve(&mut self, place: Place, terms: Vec<Term>) -> Result<Place, ProgramError> {
        let Place::Memory { pointer, offset, type_, matrix, component_step, shared } = place else {
            return Ok(place);
        };
        if terms.is_empty() {
            return Ok(place);
        }
        let result = self.allocate(2)?;
        let terms = terms.into();
        self.emit(Instruction::Memory(MemoryInstruction::Address { result, pointer, offset, terms }));
        Ok(Place::Memory { pointer: result, offset: 0, type_, matrix, component_step, shared })
    }

    /// A pointer as a value.
    pub(crate) fn pointer_value(&mut self, place: &Place) -> Result<Value, ProgramError> {
        use coopmat_spirv::spirv::StorageClass::{Function, Generic, UniformConstant};
        match *place {
            Place::Planes { first, type_ } => {
                let result = self.allocate(1)?;
                self.emit(Instruction::Memory(MemoryInstruction::PlaneIndex { result, plane: first }));
                Ok(Value { slot: result, type_: self.pointer_type(Function, Some(type_))? })
            }
            Place::PlanePointer { pointer, offset, type_ } => {
                let type_ = self.pointer_type(Function, Some(type_))?;
                if offset == 0 {
                    return Ok(Value { slot: pointer, type_ });
                }
                let result = self.allocate(1)?;
                let first = self.scratch_constant(0);
                self.emit(Instruction::Memory(MemoryInstruction::PlaneFrom {
                    result,
                    pointer,
                    offset,
                    index: first,
                    wide: false,
                    count: 1,
                    step: 0,
                }));
                Ok(Value { slot: result, type_ })
            }
            Place::Memory { pointer, offset, .. } => {
                let type_ = self.pointer_type(Generic, None)?;
                if offset == 0 {
                    return Ok(Value { slot: pointer, type_ });
                }
                let result = self.allocate(2)?;
                let terms = Default::default();
                self.emit(Instruction::Memory(MemoryInstruction::Address { result, pointer, offset, terms }));
                Ok(Value { slot: result, type_ })
            }
            Place::Descriptor { pointer, type_ } => {
                let type_ = self.pointer_type(UniformConstant, Some(type_))?;
                Ok(Value { slot: pointer, type_ })
            }
            Place::Buffers { .. } => {
                Err(ProgramError::new("a pointer to a whole array of buffers cannot be passed on"))
            }
            Place::Element { .. } => {
                Err(ProgramError::new("a pointer to a matrix's element cannot be passed on"))
            }
            Place::Texel { .. } => Err(ProgramError::new("a pointer to a texel cannot be passed on")),
        }
    }

    /// A type for a pointer that became a value. An address tells the rest.
    fn pointer_type(
        &mut self,
        storage: coopmat_spirv::spirv::StorageClass,
        pointee: Option<TypeId>,
    ) -> Result<TypeId, ProgramError> {
        self.data.types.add(None, Type::Pointer { storage, pointee })
    }
}
